use crate::{Answer, App, Failure, FailureKind, Principal};
use std::ops::Deref;
use std::sync::Arc;
use windlass_access::{
    Authorized, Grants, Permission, Principal as Who, Protected, Refusal, Resource, authorize, decide, holders,
};
use windlass_model::{Identifier, Scope};

/// Somebody who has shown who they are, with everything that was granted at that moment.
#[derive(Clone, Debug)]
pub struct Caller {
    app: App,
    principal: Principal,
    who: Who,
    grants: Arc<Grants>,
}

impl Deref for Caller {
    type Target = Principal;

    fn deref(&self) -> &Principal {
        &self.principal
    }
}

/// Whom to ask, at most.
const ASK: usize = 5;

impl App {
    /// A principal, ready to be asked what it may do.
    pub async fn caller(&self, principal: Principal) -> Answer<Caller> {
        let who = principal_of(&principal.id)
            .ok_or_else(|| Failure::internal(format!("`{}` is no principal that can hold a role", principal.id)))?;
        Ok(Caller { app: self.clone(), grants: self.grants().await?, principal, who })
    }
}

impl Caller {
    pub(crate) fn app(&self) -> &App {
        &self.app
    }

    pub(crate) fn grants(&self) -> &Grants {
        &self.grants
    }

    pub(super) fn who(&self) -> &Who {
        &self.who
    }

    /// Whether it may be done; for lists, where what may not be seen is left out.
    pub(crate) fn may(&self, permission: Permission, resource: &Resource) -> bool {
        decide(&self.grants, &self.who, permission, resource).allowed
    }

    /// The proof that this may be done, or the refusal, which goes into the audit trail.
    pub async fn authorize<T: Protected>(&self, permission: Permission, thing: T) -> Answer<Authorized<T>> {
        let resource = thing.resource();
        match authorize(&self.grants, &self.who, permission, thing) {
            Ok(proof) => Ok(proof),
            Err(refusal) => {
                self.app.note_refusal(&self.principal, permission, &resource, &refusal).await;
                Err(self.refused(refusal))
            }
        }
    }

    /// Permission over a type of things in a scope: to list, to create.
    pub async fn authorize_any(&self, permission: Permission, scope: &Scope) -> Answer<Authorized<Resource>> {
        let resource = Resource::any(permission.resource(), scope.clone());
        match self.authorize(permission, resource.clone()).await {
            // That there are such things is no secret.
            Err(failure) if failure.kind == FailureKind::NotFound => Err(self.missing(permission, &resource)),
            other => other,
        }
    }

    /// A list without anything in it that may be seen says why, unless it is merely empty.
    pub(crate) fn may_list(&self, permission: Permission, scope: &Scope, nothing: bool) -> Answer<()> {
        let resource = Resource::any(permission.resource(), scope.clone());
        if nothing && !self.may(permission, &resource) { Err(self.missing(permission, &resource)) } else { Ok(()) }
    }

    fn refused(&self, refusal: Refusal) -> Failure {
        match refusal {
            Refusal::NotFound(resource, _) => {
                let Resource { kind, id, scope, .. } = *resource;
                let name = id.map(|id| format!(" `{id}`")).unwrap_or_default();
                let noun = kind.name().to_lowercase().replace('_', " ");
                let text = format!("there is no {noun}{name} in {scope}, or you may not see it");
                let failure = Failure::not_found(text);
                match kind.view() {
                    // About the type, not this thing: the answer is the same whether it is there or not.
                    Some(view) => failure.hint(self.whom_to_ask(view, &Resource::any(kind, scope))),
                    None => failure,
                }
            }
            Refusal::Denied { permission, resource, .. } => self.missing(permission, &resource),
        }
    }

    fn missing(&self, permission: Permission, resource: &Resource) -> Failure {
        let because = decide(&self.grants, &self.who, permission, resource).because;
        let text = format!("{} is missing for {resource}: {because}", permission.name());
        let details = serde_json::json!({
            "permission": permission.name(),
            "resourceType": resource.kind.name(),
            "resource": resource.id,
            "scope": resource.scope.to_string(),
        });
        Failure::denied(text).details(details).hint(self.whom_to_ask(permission, resource))
    }

    pub(super) fn whom_to_ask(&self, permission: Permission, resource: &Resource) -> String {
        let scope = &resource.scope;
        match holders(&self.grants, permission, resource, ASK).as_slice() {
            [] => format!("nobody has {permission} in {scope}"),
            some => format!("{permission} in {scope} is held by {}", some.join(", ")),
        }
    }
}

/// `user:ada`, `serviceAccount:account/ci`, `serviceAccount:org/project/ci` as somebody who can hold a role.
pub(crate) fn principal_of(id: &str) -> Option<Who> {
    if let Some(user) = id.strip_prefix("user:") {
        return Some(Who::user(user));
    }
    let (place, account) = id.strip_prefix("serviceAccount:")?.rsplit_once('/')?;
    let scope = match place.split_once('/') {
        Some((org, project)) => Scope::of(Some(Identifier::parse(org).ok()?), Some(Identifier::parse(project).ok()?))?,
        None if place == "account" => Scope::Account,
        None => Scope::of(Some(Identifier::parse(place).ok()?), None)?,
    };
    Some(Who::service_account(scope, Identifier::parse(account).ok()?))
}

#[cfg(test)]
mod tests {
    use super::principal_of;

    #[test]
    fn principals_are_read_as_they_are_written() {
        for (id, shown) in [
            ("user:ada", Some("user ada")),
            ("serviceAccount:account/ci", Some("service account ci of account")),
            ("serviceAccount:default/ci", Some("service account ci of org:default")),
            ("serviceAccount:default/platform/ci", Some("service account ci of project:default/platform")),
            ("system:engine", None),
            ("serviceAccount:ci", None),
        ] {
            assert_eq!(principal_of(id).map(|who| who.to_string()).as_deref(), shown, "{id}");
        }
    }
}
