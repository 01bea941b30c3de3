//! Who is asking: people by a session, programs and people by an API key.

use crate::{Answer, App, Failure, fresh};
use schemars::JsonSchema;
use serde::Serialize;
use windlass_model::id::SessionId;
use windlass_model::{Millis, Scope, Timestamp};
use windlass_store::sessions::Session;
use windlass_store::users::User;
use windlass_store::{TokenHash, Write};

/// Somebody who has shown who they are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Principal {
    /// `user:ada`, `serviceAccount:account/ci`: stable, in audit records and runs.
    pub id: String,
    pub name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
    /// Whether this is a person: only people can be kept from approving their own runs.
    pub person: bool,
}

impl App {
    /// The principal behind a session's or an API key's token.
    pub async fn authenticate(&self, token: &str) -> Answer<Principal> {
        let now = self.clock().real().now();
        let unknown = || Failure::unauthenticated("the session or API key is not known, has expired or was revoked");
        if token.starts_with("pat.") || token.starts_with("sat.") {
            return self.by_api_key(token, now).await?.ok_or_else(unknown);
        }
        let session = self.store().sessions().find(TokenHash::of(token), now).await?.ok_or_else(unknown)?;
        let user =
            self.store().users().get(&session.user).await?.filter(|u| u.state == "active").ok_or_else(unknown)?;
        if now.since(session.used_at) > Millis::from_mins(5) {
            let mut write = Write::new();
            let lifetime = self.settings_at(&Scope::Account).await?.session_lifetime();
            write.session_used(session.id, now, now + lifetime);
            self.store().write(write).await?;
        }
        Ok(of_user(&user))
    }

    async fn by_api_key(&self, token: &str, now: Timestamp) -> Answer<Option<Principal>> {
        // `pat.<account>.<id>.<secret>`: real clients split at the dots (decisions, Pipelines).
        let parts: Vec<&str> = token.split('.').collect();
        let [_, account, id, _] = parts[..] else { return Ok(None) };
        if account != self.parts().account {
            return Ok(None);
        }
        let key = self.store().api_keys().get(id).await?;
        let Some(key) = key.filter(|k| k.is_active(now) && k.hash == TokenHash::of(token)) else { return Ok(None) };
        if key.used_at.is_none_or(|used| now.since(used) > Millis::from_mins(5)) {
            let mut write = Write::new();
            write.api_key_used(&key.id, now);
            self.store().write(write).await?;
        }
        match key.owner.strip_prefix("user:") {
            Some(user) => {
                let user = self.store().users().get(user).await?.filter(|u| u.state == "active");
                Ok(user.as_ref().map(of_user))
            }
            // Of a service account that was deleted nothing is left but the key.
            None if self.has_service_account(&key.owner).await? => {
                Ok(Some(Principal { name: key.name, email: None, person: false, id: key.owner }))
            }
            None => Ok(None),
        }
    }

    /// Opens a session for a person and answers with its token, which is stored only as a hash.
    pub(crate) async fn open_session(&self, user: &User, client: &str) -> Answer<String> {
        let now = self.clock().real().now();
        let lifetime = self.settings_at(&Scope::Account).await?.session_lifetime();
        let token = format!("ses_{}{}", fresh::nonce(), fresh::nonce());
        let mut write = Write::new();
        write.create_session(&Session {
            id: SessionId::from_ulid(fresh::ulid(now)),
            user: user.id.clone(),
            hash: TokenHash::of(&token),
            created_at: now,
            used_at: now,
            expires_at: now + lifetime,
            client: client.to_owned(),
        });
        write.audit(&crate::audit::event(
            now,
            &of_user(user).id,
            "LOGIN",
            "USER",
            &user.id,
            serde_json::json!({ "client": client }),
        ));
        self.store().write(write).await?;
        Ok(token)
    }
}

pub(crate) fn of_user(user: &User) -> Principal {
    Principal {
        id: format!("user:{}", user.id),
        name: user.name.clone(),
        email: Some(user.email.clone()).filter(|e| !e.is_empty()),
        person: true,
    }
}
