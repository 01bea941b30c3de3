//! API keys: shown once, stored as a hash (decisions, Ids and Tokens).

use crate::access::{Caller, Permission, Resource, Verb};
use crate::triggers::service_account;
use crate::{Answer, App, Failure, fresh};
use schemars::JsonSchema;
use serde::Serialize;
use windlass_document::Kind;
use windlass_model::{Identifier, Millis, Scope, Timestamp};
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
#[derive(Clone, Debug, Serialize, JsonSchema)]
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

/// Proof that somebody may deal with the keys of a principal: their own, or by a permission. Only [`Caller`] makes one.
#[derive(Clone, Debug)]
pub struct KeysOf {
    owner: String,
    scope: Scope,
}

impl Caller {
    /// Whose keys somebody asks for: everybody has their own, the others' need a permission.
    pub async fn keys_of(&self, scope: &Scope, owner: &Owner) -> Answer<KeysOf> {
        match owner {
            Owner::User(id) => {
                let owner = format!("user:{id}");
                if owner != self.id {
                    self.user(Permission::UserManage, id).await?;
                }
                Ok(KeysOf { owner, scope: Scope::Account })
            }
            Owner::ServiceAccount(reference) => {
                // To be seen first: who may not is told that it does not exist.
                let seen = self.document(Verb::View, Kind::ServiceAccount, scope, None, reference).await?;
                let (scope, id) = (seen.document.key.scope.clone(), seen.document.key.identifier.clone());
                let owner = service_account(&scope, id.as_str());
                let resource = Resource::new(Permission::ServiceAccountView.resource(), id, scope.clone());
                self.authorize(Permission::ServiceAccountManageApiKey, resource).await?;
                Ok(KeysOf { owner, scope })
            }
        }
    }

    /// Whose key this is, if the caller may deal with it.
    async fn owner_of(&self, key: &ApiKey) -> Answer<KeysOf> {
        if key.owner == self.id {
            return Ok(KeysOf { owner: key.owner.clone(), scope: key.scope.clone() });
        }
        let (permission, id) = named(&key.owner);
        let any = Resource::any(permission.resource(), key.scope.clone());
        self.authorize(permission, Resource { id, ..any }).await?;
        Ok(KeysOf { owner: key.owner.clone(), scope: key.scope.clone() })
    }

    fn sees_key(&self, key: &ApiKey) -> bool {
        let (permission, id) = named(&key.owner);
        let any = Resource::any(permission.resource(), key.scope.clone());
        key.owner == self.id || self.may(permission, &Resource { id, ..any })
    }
}

/// What dealing with the keys of an owner needs, and the owner's identifier.
fn named(owner: &str) -> (Permission, Option<Identifier>) {
    match owner.strip_prefix("user:") {
        Some(id) => (Permission::UserManage, Identifier::parse_dashed(id).ok()),
        None => {
            let id = owner.rsplit('/').next().unwrap_or_default();
            (Permission::ServiceAccountManageApiKey, Identifier::parse_dashed(id).ok())
        }
    }
}

impl App {
    /// Makes a key and answers with its text, which is not stored: `pat.<account>.<id>.<secret>`, `sat.…` for service accounts.
    pub async fn create_api_key(
        &self,
        by: &Caller,
        keys: &KeysOf,
        name: &str,
        lifetime: Option<Millis>,
    ) -> Answer<(ApiKeyRow, String)> {
        if name.trim().is_empty() || name.len() > 128 {
            return Err(Failure::invalid("KEY0001", "a key has a name of 1 to 128 characters"));
        }
        let kind = if keys.owner.starts_with("user:") { "pat" } else { "sat" };
        let now = self.clock().real().now();
        let id = fresh::ulid(now).to_string();
        let token = format!("{kind}.{}.{id}.{}{}", self.parts().account, fresh::nonce(), fresh::nonce());
        let key = ApiKey {
            id: id.clone(),
            scope: keys.scope.clone(),
            owner: keys.owner.clone(),
            name: name.trim().to_owned(),
            hash: TokenHash::of(&token),
            created_at: now,
            created_by: by.id.clone(),
            expires_at: lifetime.map(|lifetime| now + lifetime),
            revoked_at: None,
            used_at: None,
        };
        let mut write = Write::new();
        write.create_api_key(&key);
        let body = serde_json::json!({ "owner": key.owner, "name": key.name });
        write.audit(&crate::audit::entry(now, &key.scope, &by.id, "CREATE_TOKEN", "API_KEY", &id, body));
        self.store().write(write).await?;
        Ok((key.into(), token))
    }

    /// Keys of one principal or of all: those that the caller may deal with.
    pub async fn api_keys(&self, by: &Caller, owner: Option<&str>) -> Answer<Vec<ApiKeyRow>> {
        let keys = self.store().api_keys().list(owner).await?;
        Ok(keys.into_iter().filter(|key| by.sees_key(key)).map(ApiKeyRow::from).collect())
    }

    /// Whether the service account that a principal names is still there.
    pub(crate) async fn has_service_account(&self, principal: &str) -> Answer<bool> {
        let Some((place, id)) = principal.strip_prefix("serviceAccount:").and_then(|rest| rest.rsplit_once('/')) else {
            return Ok(false);
        };
        let part = |text: &str| Identifier::parse(text).ok();
        let scope = match place.split_once('/') {
            Some((org, project)) => Scope::of(part(org), part(project)),
            None if place == "account" => Some(Scope::Account),
            None => Scope::of(part(place), None),
        };
        let (Some(scope), Some(id)) = (scope, part(id)) else { return Ok(false) };
        let key = crate::documents::key_of(Kind::ServiceAccount, &scope, None, id);
        Ok(self.store().documents().get(&key).await?.is_some())
    }

    /// A revoked key opens nothing from now on.
    pub async fn revoke_api_key(&self, by: &Caller, id: &str) -> Answer<()> {
        let now = self.clock().real().now();
        let missing = || Failure::not_found(format!("there is no API key `{id}` that is in force"));
        let key = self.store().api_keys().get(id).await?.filter(|key| key.revoked_at.is_none()).ok_or_else(missing)?;
        let keys = by.owner_of(&key).await.map_err(|_| missing())?;
        let mut write = Write::new();
        write.revoke_api_key(id, now);
        let body = serde_json::json!({ "owner": keys.owner, "name": key.name });
        write.audit(&crate::audit::entry(now, &keys.scope, &by.id, "REVOKE_TOKEN", "API_KEY", id, body));
        self.store().write(write).await?;
        Ok(())
    }
}
