//! API keys: shown once, stored as a hash (decisions, Ids and Tokens).

use crate::documents::Lookup;
use crate::triggers::service_account;
use crate::{Answer, App, Failure, fresh};
use serde::Serialize;
use windlass_document::Kind;
use windlass_model::{Millis, Scope, Timestamp};
use windlass_store::api_keys::ApiKey;
use windlass_store::{TokenHash, Write};

/// Whose key it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Owner {
    /// By id.
    User(String),
    /// A reference from the scope: `ci`, `account.ci`.
    ServiceAccount(String),
}

/// A key as lists show it.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ApiKeyRow {
    pub id: String,
    pub name: String,
    pub owner: String,
    pub created_at: Timestamp,
    pub created_by: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revoked_at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub used_at: Option<Timestamp>,
}

impl From<ApiKey> for ApiKeyRow {
    fn from(key: ApiKey) -> Self {
        let ApiKey { id, name, owner, created_at, created_by, expires_at, revoked_at, used_at, .. } = key;
        Self { id, name, owner, created_at, created_by, expires_at, revoked_at, used_at }
    }
}

impl App {
    /// Makes a key and answers with its text, which is not stored: `pat.<account>.<id>.<secret>`, `sat.…` for service accounts.
    pub async fn create_api_key(
        &self,
        by: &str,
        scope: &Scope,
        owner: &Owner,
        name: &str,
        lifetime: Option<Millis>,
    ) -> Answer<(ApiKeyRow, String)> {
        if name.trim().is_empty() || name.len() > 128 {
            return Err(Failure::invalid("KEY0001", "a key has a name of 1 to 128 characters"));
        }
        let (kind, scope, principal) = match owner {
            Owner::User(id) => {
                let user = self.store().users().get(id).await?;
                user.ok_or_else(|| Failure::not_found(format!("there is no user `{id}`")))?;
                ("pat", Scope::Account, format!("user:{id}"))
            }
            Owner::ServiceAccount(reference) => {
                match self.find_document(Kind::ServiceAccount, reference, scope, None).await? {
                    Lookup::Missing { why } => return Err(Failure::not_found(why)),
                    Lookup::Found(account) => {
                        let key = account.key;
                        ("sat", key.scope.clone(), service_account(&key.scope, key.identifier.as_str()))
                    }
                }
            }
        };
        let now = self.clock().real().now();
        let id = fresh::ulid(now).to_string();
        let token = format!("{kind}.{}.{id}.{}{}", self.parts().account, fresh::nonce(), fresh::nonce());
        let key = ApiKey {
            id: id.clone(),
            scope,
            owner: principal,
            name: name.trim().to_owned(),
            hash: TokenHash::of(&token),
            created_at: now,
            created_by: by.to_owned(),
            expires_at: lifetime.map(|lifetime| now + lifetime),
            revoked_at: None,
            used_at: None,
        };
        let mut write = Write::new();
        write.create_api_key(&key);
        let body = serde_json::json!({ "owner": key.owner, "name": key.name });
        write.audit(&crate::audit::event(now, by, "CREATE_TOKEN", "API_KEY", &id, body));
        self.store().write(write).await?;
        Ok((key.into(), token))
    }

    /// Keys of one principal or of all.
    pub async fn api_keys(&self, owner: Option<&str>) -> Answer<Vec<ApiKeyRow>> {
        Ok(self.store().api_keys().list(owner).await?.into_iter().map(ApiKeyRow::from).collect())
    }

    /// A revoked key opens nothing from now on.
    pub async fn revoke_api_key(&self, by: &str, id: &str) -> Answer<()> {
        let now = self.clock().real().now();
        let missing = || Failure::not_found(format!("there is no API key `{id}` that is in force"));
        self.store().api_keys().get(id).await?.filter(|key| key.revoked_at.is_none()).ok_or_else(missing)?;
        let mut write = Write::new();
        write.revoke_api_key(id, now);
        write.audit(&crate::audit::event(now, by, "REVOKE_TOKEN", "API_KEY", id, serde_json::json!({})));
        self.store().write(write).await?;
        Ok(())
    }
}
