//! Charts from where they are published: Helm repositories over HTTP, and OCI registries (rendering §3.6).
//!
//! [`Registries::find`] turns a name and a range of versions into one version with its place and digest, and
//! [`Registries::pull`] brings its bytes and checks them. User and password go to the repository's own host only; how a
//! registry wants to be signed in to is learnt from itself ([`sign_in`]).

mod challenge;
mod error;
mod helm;
mod index;
mod oci;
mod reference;
mod registries;
mod send;
mod sign_in;
mod version;

pub use challenge::{Challenge, parse as parse_challenge};
pub use error::RegistryError;
pub use reference::Repository;
pub use registries::{Found, Limits, Registries, sha256};
pub use sign_in::{SignInError, User, basic, token};
