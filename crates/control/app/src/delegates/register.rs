//! A worker introduces itself with a delegate token (kubernetes-deploy §4.2).

use crate::{Answer, App, Failure};
use windlass_link::{Claims, PROTOCOL, Registered, Registration, TokenError, verify_proof};
use windlass_model::Identifier;
use windlass_model::id::DelegateId;
use windlass_store::delegates::Delegate;
use windlass_store::{TokenHash, Write};

/// Versions of the protocol that a server still speaks.
const OLDEST: u32 = PROTOCOL.saturating_sub(3);

impl App {
    pub async fn register_delegate(&self, delegate_token: &str, registration: Registration) -> Answer<Registered> {
        let real = self.clock().real();
        let now = real.now();
        let refused = || Failure::unauthenticated("the delegate token is not known, or was revoked");
        if registration.account != self.parts().account {
            return Err(Failure::unauthenticated(format!("there is no account `{}` here", registration.account)));
        }
        let token = self
            .store()
            .delegates()
            .token(TokenHash::of(delegate_token))
            .await?
            .filter(|t| t.is_active(now))
            .ok_or_else(refused)?;
        if !(OLDEST..=PROTOCOL).contains(&registration.protocol) {
            let text = format!("protocol {} is not spoken here: {OLDEST} to {PROTOCOL} are", registration.protocol);
            return Err(Failure::invalid("DLG0001", text).hint("upgrade the older of the two"));
        }
        let name =
            Identifier::parse_dashed(&registration.name).map_err(|e| Failure::invalid("DLG0002", e.to_string()))?;
        let id = DelegateId::from_ulid(crate::fresh::derived(
            windlass_model::Timestamp::default(),
            &["delegate", &token.scope.to_string(), &registration.name, &registration.instance],
        ));
        let jwt = self
            .parts()
            .tokens
            .issue(id, &registration.signing_key, token.name.as_str(), now)
            .map_err(Failure::internal)?;
        let delegate = Delegate {
            id,
            scope: token.scope.clone(),
            name,
            token: token.name.clone(),
            tags: registration.tags.iter().filter(|tag| *tag != super::EVERY_TAG).cloned().collect(),
            version: registration.version.clone(),
            state: "disconnected".to_owned(),
            server: self.parts().replica.clone(),
            capacity: registration.capacity.max(1),
            public_key: registration.sealing_key.clone().into_bytes(),
            registered_at: now,
            seen_at: now,
            body: serde_json::to_string(&registration).map_err(Failure::internal)?,
            load: "{}".to_owned(),
        };
        let mut write = Write::new();
        write.register_delegate(&delegate);
        self.store().write(write).await?;
        Ok(Registered {
            delegate: id,
            token: jwt,
            expires_in_seconds: windlass_link::Tokens::LIFETIME.secs(),
            scope: token.scope,
            server_version: self.parts().version.clone(),
        })
    }

    /// Who is calling, by the short-lived token and the proof of the key it is bound to.
    pub async fn delegate_of(&self, jwt: &str, proof: &str) -> Answer<Claims> {
        let now = self.clock().real().now();
        let claims = self.parts().tokens.check(jwt, now).map_err(|error| match error {
            TokenError::Expired => Failure::unauthenticated("the worker's token has expired: register again"),
            TokenError::Invalid | TokenError::Sign => Failure::unauthenticated("this is not a worker's token"),
        })?;
        verify_proof(&claims.cnf, jwt, proof, now).map_err(|e| Failure::unauthenticated(e.to_string()))?;
        let unknown = || Failure::unauthenticated("this worker is not registered: register again");
        let delegate = self.store().delegates().get(claims.sub).await?.ok_or_else(unknown)?;
        let token = self.store().delegates().token_named(&delegate.scope, &delegate.token).await?;
        if !token.is_some_and(|t| t.is_active(now)) {
            return Err(Failure::unauthenticated("the delegate token was revoked"));
        }
        Ok(claims)
    }
}
