//! Delegate tokens: shown once, stored as a hash (decisions, Tokens).

use crate::access::{Authorized, Caller, Permission, Resource};
use crate::{Answer, App, Failure, fresh};
use schemars::JsonSchema;
use serde::Serialize;
use windlass_model::{Identifier, Scope, Timestamp};
use windlass_store::delegates::tokens::DelegateToken;
use windlass_store::{Scopes, TokenHash, Write};

/// A token as lists show it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TokenRow {
    pub name: Identifier,
    pub scope: Scope,
    pub created_at: Timestamp,
    pub created_by: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revoked_at: Option<Timestamp>,
}

impl App {
    /// Makes a token and answers with its text, which is not stored.
    pub async fn create_delegate_token(&self, by: &Caller, place: &Authorized<Resource>, name: &str) -> Answer<String> {
        let scope = &place.scope;
        let name = Identifier::parse_dashed(name).map_err(|e| Failure::invalid("DLG0003", e.to_string()))?;
        let now = self.clock().real().now();
        let token = format!("dlt_{}{}", fresh::nonce(), fresh::nonce());
        let mut write = Write::new();
        write.create_delegate_token(&DelegateToken {
            scope: scope.clone(),
            name: name.clone(),
            hash: TokenHash::of(&token),
            created_at: now,
            created_by: by.id.clone(),
            revoke_after: None,
            revoked_at: None,
        });
        let body = serde_json::json!({});
        write.audit(&crate::audit::entry(now, scope, &by.id, "CREATE_TOKEN", "DELEGATE", name.as_str(), body));
        match self.store().write(write).await {
            Err(error) if error.is_conflict() => {
                Err(Failure::conflict("DLG0004", format!("there is a delegate token `{name}` already"))
                    .hint("a revoked name can be used again after 30 days"))
            }
            other => Ok(other.map(|_| token)?),
        }
    }

    /// Tokens of a scope and of those inside, as far as the caller may see delegates there.
    pub async fn delegate_tokens(&self, by: &Caller, scope: &Scope) -> Answer<Vec<TokenRow>> {
        let tokens = self.store().delegates().tokens(&Scopes::Within(scope.clone())).await?;
        let tokens: Vec<DelegateToken> = tokens.into_iter().filter(|token| by.sees_delegates(&token.scope)).collect();
        by.may_list(Permission::DelegateView, scope, tokens.is_empty())?;
        Ok(tokens
            .into_iter()
            .map(|t| TokenRow {
                name: t.name,
                scope: t.scope,
                created_at: t.created_at,
                created_by: t.created_by,
                revoked_at: t.revoked_at,
            })
            .collect())
    }

    /// Revokes a token: delegates that registered with it are disconnected at once.
    pub async fn revoke_delegate_token(&self, by: &Caller, place: &Authorized<Resource>, name: &str) -> Answer<()> {
        let scope = &place.scope;
        let name = Identifier::parse_dashed(name).map_err(|e| Failure::invalid("DLG0003", e.to_string()))?;
        let now = self.clock().real().now();
        let missing = || Failure::not_found(format!("there is no delegate token `{name}`"));
        self.store().delegates().token_named(scope, &name).await?.ok_or_else(missing)?;
        let mut write = Write::new();
        write.revoke_delegate_token(scope, &name, now).announce(super::forward::revoked());
        let body = serde_json::json!({});
        write.audit(&crate::audit::entry(now, scope, &by.id, "REVOKE_TOKEN", "DELEGATE", name.as_str(), body));
        self.store().write(write).await?;
        for delegate in self.store().delegates().list(&Scopes::At(scope.clone())).await? {
            if delegate.token == name {
                self.hub().dismiss(delegate.id, "revoked", "the delegate token was revoked", false).await;
            }
        }
        Ok(())
    }
}
