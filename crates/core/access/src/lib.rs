//! Who may do what (pipelines §9.1 and §9.2).
//!
//! Access is only ever allowed, never forbidden: an assignment gives a principal a role over a resource group, at a scope. A
//! permission is granted if any assignment of the principal or of its groups grants it. [`decide`] answers with the assignment
//! that grants, or with what came closest.
//!
//! [`authorize`] is the only way to make an [`Authorized`], which the operations of the platform demand as an argument: a check
//! cannot be forgotten. Who may not see a thing is told that it does not exist.

mod assignment;
mod authorized;
mod builtin;
mod decide;
mod grants;
mod holders;
mod level;
mod permission;
mod principal;
mod resource;
mod resource_group;
mod role;

pub use assignment::{PrincipalRef, RoleAssignment};
pub use authorized::{Authorized, Protected, Refusal, authorize, visible};
pub use builtin::{BUILTIN_GROUPS, BuiltinGroup, builtin_roles};
pub use decide::{Because, Decision, Granted, Miss, decide};
pub use grants::{Grants, GroupId};
pub use holders::holders;
pub use level::ScopeLevel;
pub use permission::{Permission, UnknownPermission};
pub use principal::{Principal, PrincipalKind};
pub use resource::{Resource, ResourceType};
pub use resource_group::{AttributeFilter, Filter, IncludedScope, ResourceFilter, ResourceGroup, ResourceSelector};
pub use role::Role;
