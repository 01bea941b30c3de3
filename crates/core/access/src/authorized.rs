//! The proof that a check was made.

use crate::decide::{Because, Granted, Miss, decide};
use crate::grants::Grants;
use crate::permission::Permission;
use crate::principal::Principal;
use crate::resource::Resource;
use std::ops::Deref;

/// Something that may be done to `T`. Only [`authorize`] and [`visible`] make one: its fields are private, and nothing turns one
/// thing into another behind the check.
///
/// ```compile_fail
/// let forged = windlass_access::Authorized { thing: "pipeline", permission: todo!(), because: todo!() };
/// ```
#[derive(Clone, Debug)]
pub struct Authorized<T> {
    thing: T,
    permission: Permission,
    because: Granted,
}

/// What the check needs to know of a thing.
pub trait Protected {
    fn resource(&self) -> Resource;
}

impl Protected for Resource {
    fn resource(&self) -> Resource {
        self.clone()
    }
}

impl<T: Protected> Protected for &T {
    fn resource(&self) -> Resource {
        (*self).resource()
    }
}

/// Why it may not be done.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// For the principal the thing does not exist: it may not see it. The reason is for logs, not for the answer.
    #[error("{0} does not exist")]
    NotFound(Box<Resource>, Miss),
    /// The principal may see the thing, and not do this to it.
    #[error("{permission} is missing for {resource}: {miss}")]
    Denied { permission: Permission, resource: Box<Resource>, miss: Miss },
}

/// Checks that `principal` has `permission` over `thing`. Read the thing first: its scope and attributes take part in the decision.
pub fn authorize<T: Protected>(
    grants: &Grants,
    principal: &Principal,
    permission: Permission,
    thing: T,
) -> Result<Authorized<T>, Refusal> {
    let resource = thing.resource();
    match decide(grants, principal, permission, &resource).because {
        Because::Granted(because) => Ok(Authorized { thing, permission, because }),
        Because::Missing(miss) => {
            let seen = match resource.kind.view() {
                Some(view) if view != permission => decide(grants, principal, view, &resource).allowed,
                Some(_) => false,
                None => true,
            };
            let resource = Box::new(resource);
            Err(if seen { Refusal::Denied { permission, resource, miss } } else { Refusal::NotFound(resource, miss) })
        }
    }
}

/// Those of `things` that the principal may see. Things of a type that everybody may know of are left out: ask for the
/// permission that matters with [`authorize`].
pub fn visible<'a, T: Protected + 'a>(
    grants: &'a Grants,
    principal: &'a Principal,
    things: impl IntoIterator<Item = T, IntoIter: 'a>,
) -> impl Iterator<Item = Authorized<T>> + 'a {
    things.into_iter().filter_map(move |thing| {
        let view = thing.resource().kind.view()?;
        authorize(grants, principal, view, thing).ok()
    })
}

impl<T> Authorized<T> {
    pub fn permission(&self) -> Permission {
        self.permission
    }

    /// The grant that allowed it, for the audit trail.
    pub fn because(&self) -> &Granted {
        &self.because
    }

    /// Gives the thing up, and the proof with it.
    pub fn into_inner(self) -> T {
        self.thing
    }
}

impl<T> Deref for Authorized<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.thing
    }
}
