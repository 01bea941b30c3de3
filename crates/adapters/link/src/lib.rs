//! The wire between the server and its workers (architecture §6).
//!
//! Workers dial out; the server reaches nothing. What this room promises: a worker that reconnects loses no result and no
//! log line that it was going to send, since each is kept until the server acknowledged it and is stored once however
//! often it arrives. What it does not do: choose delegates, keep leases or run tasks. These are the business of the server's
//! and the delegate's role.

pub mod client;
mod codec;
mod identity;
mod message;
mod pace;
mod pending;
mod poll;
mod register;
mod socket;
mod token;
mod wire;

pub use codec::{CodecError, decode, encode};
pub use identity::{IdentityError, ProofError, WorkerIdentity, verify_proof};
pub use message::{Lease, LogLine, ToServer, ToWorker};
pub use pace::Pace;
pub use pending::Pending;
pub use poll::Mailbox;
pub use register::{Registered, Registration, RegistrationScope, TaskSupport};
pub use socket::{Channel, channel_pair, serve_socket};
pub use token::{Claims, TokenError, Tokens};

/// How much of a socket is read at once, in bytes. Every connection keeps a buffer of this size, and a server has a thousand; larger
/// messages are read in parts.
pub const READ_BUFFER: usize = 4 * 1024;

/// The version of the frames. A server accepts this one and the three before it.
pub const PROTOCOL: u32 = 1;
