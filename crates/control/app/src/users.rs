//! People who may sign in.

mod sign_in;

pub use sign_in::Credentials;

use crate::access::{Authorized, Caller, Permission, Resource};
use crate::{ADMIN, Answer, App, Failure, password};
use schemars::JsonSchema;
use serde::Serialize;
use windlass_access::Protected;
use windlass_model::{Identifier, Scope, Timestamp};
use windlass_store::users::User;
use windlass_store::{Page, PageRequest, Write};

/// People who may sign in, and nobody else.
const ACTIVE: &str = "active";
const DISABLED: &str = "disabled";

/// A person to be.
#[derive(Clone, Debug)]
pub struct NewUser {
    /// Never changes.
    pub id: String,
    pub name: String,
    pub email: String,
    /// Without one they come in by an API key.
    pub password: Option<String>,
}

/// What is to be different about a person.
#[derive(Clone, Debug, Default)]
pub struct UserChange {
    pub name: Option<String>,
    pub email: Option<String>,
    /// Whoever is disabled is signed out everywhere, and their keys open nothing.
    pub disabled: Option<bool>,
}

/// A person as lists show them.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UserRow {
    pub identifier: String,
    pub name: String,
    pub email: String,
    pub state: String,
    pub version: u64,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

impl From<User> for UserRow {
    fn from(user: User) -> Self {
        let User { id, name, email, state, version, created_at, updated_at, .. } = user;
        Self { identifier: id, name, email, state, version, created_at, updated_at }
    }
}

/// A person there is.
#[derive(Clone, Debug)]
pub struct StoredUser(User);

impl Protected for StoredUser {
    fn resource(&self) -> Resource {
        resource_of(&self.0.id)
    }
}

fn resource_of(id: &str) -> Resource {
    let any = Resource::any(Permission::UserView.resource(), Scope::Account);
    Resource { id: Identifier::parse_dashed(id).ok(), ..any }
}

impl Caller {
    /// A person by id.
    pub async fn user(&self, permission: Permission, id: &str) -> Answer<Authorized<StoredUser>> {
        match self.app().store().users().get(id).await? {
            Some(user) => self.authorize(permission, StoredUser(user)).await,
            None => {
                self.authorize_any(permission, &Scope::Account).await?;
                Err(Failure::not_found(format!("there is no user `{id}`")))
            }
        }
    }
}

impl App {
    /// Makes an account for a person.
    pub async fn create_user(&self, by: &Caller, _: &Authorized<Resource>, new: NewUser) -> Answer<UserRow> {
        let id = Identifier::parse_dashed(&new.id).map_err(|e| Failure::invalid("USR0001", e.to_string()))?;
        let email = address(&new.email)?;
        let password = match &new.password {
            None => None,
            Some(text) => {
                password::check(text, &[id.as_str(), &email])?;
                Some(password::hash(text).await?)
            }
        };
        let now = self.clock().now();
        let user = User {
            id: id.to_string(),
            email,
            name: if new.name.is_empty() { new.id } else { new.name },
            state: ACTIVE.to_owned(),
            password,
            failures: 0,
            locked_until: None,
            version: 1,
            created_at: now,
            updated_at: now,
        };
        let mut write = Write::new();
        write.create_user(&user);
        let body = serde_json::json!({ "email": user.email, "name": user.name });
        write.audit(&crate::audit::event(now, &by.id, "CREATE", "USER", &user.id, body));
        match self.store().write(write).await {
            Err(error) if error.is_conflict() => {
                let text = format!("there is a user `{}`, or one with the address {}", user.id, user.email);
                Err(Failure::conflict("USR0003", text))
            }
            other => Ok(other.map(|_| user.into())?),
        }
    }

    /// People, by id: those that the caller may see.
    pub async fn users(&self, by: &Caller, text: Option<&str>, page: &PageRequest) -> Answer<Page<UserRow>> {
        let found = self.store().users().list(text, page).await?;
        let seen = |user: &User| by.may(Permission::UserView, &resource_of(&user.id));
        let items: Vec<UserRow> = found.items.into_iter().filter(seen).map(UserRow::from).collect();
        by.may_list(Permission::UserView, &Scope::Account, items.is_empty() && found.next.is_none())?;
        Ok(Page { items, next: found.next })
    }

    pub fn user(&self, user: Authorized<StoredUser>) -> UserRow {
        user.into_inner().0.into()
    }

    pub async fn change_user(&self, by: &Caller, user: Authorized<StoredUser>, change: UserChange) -> Answer<UserRow> {
        let before = user.into_inner().0;
        let mut after = before.clone();
        if let Some(email) = &change.email {
            after.email = address(email)?;
        }
        if let Some(name) = change.name.filter(|name| !name.trim().is_empty()) {
            after.name = name;
        }
        if let Some(disabled) = change.disabled {
            if disabled && before.id == ADMIN {
                return Err(last_resort());
            }
            after.state = if disabled { DISABLED } else { ACTIVE }.to_owned();
        }
        after.updated_at = self.clock().now();
        let mut write = Write::new();
        write.update_user(&after);
        if after.state == DISABLED {
            write.end_sessions_of(&after.id);
        }
        let shown = |user: &User| serde_json::json!({ "email": user.email, "name": user.name, "state": user.state });
        let body = serde_json::json!({ "old": shown(&before), "new": shown(&after) });
        write.audit(&crate::audit::event(after.updated_at, &by.id, "UPDATE", "USER", &after.id, body));
        self.store().write(write).await?;
        after.version += 1;
        Ok(after.into())
    }

    /// Deletes a person with their sessions, keys and memberships. What they did stays in the trail under their id.
    pub async fn delete_user(&self, by: &Caller, user: Authorized<StoredUser>) -> Answer<()> {
        let user = user.into_inner().0;
        if user.id == ADMIN {
            return Err(last_resort());
        }
        let mut write = Write::new();
        write.delete_user(&user.id, &format!("user:{}", user.id));
        let body = serde_json::json!({ "email": user.email, "name": user.name });
        write.audit(&crate::audit::event(self.clock().now(), &by.id, "DELETE", "USER", &user.id, body));
        self.store().write(write).await?;
        Ok(())
    }

    /// Gives somebody a new password: they are signed out everywhere.
    pub async fn reset_password(&self, by: &Caller, user: Authorized<StoredUser>, new: &str) -> Answer<()> {
        self.keep_password(by, user.into_inner().0, new).await
    }

    /// Changes the caller's own password. The old one is asked for, once there is one.
    pub async fn change_password(&self, by: &Caller, old: &str, new: &str) -> Answer<()> {
        let id = by.id.strip_prefix("user:").filter(|_| by.person);
        let id = id.ok_or_else(|| Failure::invalid("USR0005", "only people have passwords"))?;
        let user = self.store().users().get(id).await?;
        let user = user.ok_or_else(|| Failure::not_found(format!("there is no user `{id}`")))?;
        if let Some(kept) = &user.password
            && !password::matches(old, Some(kept)).await?
        {
            self.note_wrong_password(&user, "").await?;
            return Err(Failure::denied("the old password is wrong"));
        }
        self.keep_password(by, user, new).await
    }

    async fn keep_password(&self, by: &Caller, mut user: User, new: &str) -> Answer<()> {
        password::check(new, &[&user.id, &user.email])?;
        user.password = Some(password::hash(new).await?);
        (user.failures, user.locked_until) = (0, None);
        user.updated_at = self.clock().now();
        let mut write = Write::new();
        write.update_user(&user).end_sessions_of(&user.id);
        let body = serde_json::json!({ "changed": ["password"] });
        write.audit(&crate::audit::event(user.updated_at, &by.id, "UPDATE", "USER", &user.id, body));
        self.store().write(write).await?;
        Ok(())
    }
}

/// With the first administrator gone nobody could be let in again.
fn last_resort() -> Failure {
    Failure::conflict("USR0006", format!("`{ADMIN}` stays: the server's one-time code signs in as this user"))
        .hint("take away its role instead, and set no password")
}

fn address(text: &str) -> Answer<String> {
    if !text.contains('@') || text.chars().any(|c| c.is_whitespace() || c.is_control()) {
        return Err(Failure::invalid("USR0002", format!("`{text}` is not a mail address")));
    }
    Ok(text.to_lowercase())
}
