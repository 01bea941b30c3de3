//! Who may do what: the check before every operation, and its proof (pipelines §9.1).
//!
//! An operation takes an [`Authorized`] of what it acts on, or a [`Caller`] when it finds out itself what that is. Nothing else
//! makes such a proof. Refusals say which permission is missing where and who has it; whoever may not see a thing hears that it
//! does not exist.

mod bind;
mod caller;
mod documents;
mod explain;
mod grants;
mod kinds;
mod refusals;
mod stored;

pub use caller::Caller;
pub use documents::StoredDocument;
pub use explain::{BuiltinAccess, BuiltinResourceGroup, Explanation, GrantRow};
pub use kinds::{Verb, permission_of};
pub use stored::{StoredRun, StoredTrigger};
pub use windlass_access::{Authorized, Permission, Resource, ResourceType};

pub(crate) use caller::principal_of;
pub(crate) use documents::Saving;
pub(crate) use grants::GrantsCache;
pub(crate) use refusals::Refusals;
