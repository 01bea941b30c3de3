//! People who may sign in.

use crate::{Answer, App, Failure};
use serde::Serialize;
use windlass_model::{Identifier, Timestamp};
use windlass_store::users::User;
use windlass_store::{Page, PageRequest, Write};

/// A person to be.
#[derive(Clone, Debug)]
pub struct NewUser {
    /// Never changes.
    pub id: String,
    pub name: String,
    pub email: String,
}

/// A person as lists show them.
#[derive(Clone, Debug, Serialize)]
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

impl App {
    /// Makes an account for a person. They come in by an API key, as long as there are no passwords.
    pub async fn create_user(&self, by: &str, new: NewUser) -> Answer<UserRow> {
        let id = Identifier::parse_dashed(&new.id).map_err(|e| Failure::invalid("USR0001", e.to_string()))?;
        if !new.email.contains('@') || new.email.chars().any(|c| c.is_whitespace() || c.is_control()) {
            return Err(Failure::invalid("USR0002", format!("`{}` is not a mail address", new.email)));
        }
        let now = self.clock().now();
        let user = User {
            id: id.to_string(),
            email: new.email.to_lowercase(),
            name: if new.name.is_empty() { new.id } else { new.name },
            state: "active".to_owned(),
            password: None,
            failures: 0,
            locked_until: None,
            version: 1,
            created_at: now,
            updated_at: now,
        };
        let mut write = Write::new();
        write.create_user(&user);
        let body = serde_json::json!({ "email": user.email, "name": user.name });
        write.audit(&crate::audit::event(now, by, "CREATE", "USER", &user.id, body));
        match self.store().write(write).await {
            Err(error) if error.is_conflict() => {
                let text = format!("there is a user `{}`, or one with the address {}", user.id, user.email);
                Err(Failure::conflict("USR0003", text))
            }
            other => Ok(other.map(|_| user.into())?),
        }
    }

    /// People, by id.
    pub async fn users(&self, text: Option<&str>, page: &PageRequest) -> Answer<Page<UserRow>> {
        Ok(self.store().users().list(text, page).await?.map(UserRow::from))
    }

    pub async fn user(&self, id: &str) -> Answer<UserRow> {
        let found = self.store().users().get(id).await?;
        found.map(UserRow::from).ok_or_else(|| Failure::not_found(format!("there is no user `{id}`")))
    }
}
