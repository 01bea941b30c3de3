//! Short-lived tokens of registered workers.

use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, Header, Validation, decode, encode};
use serde::{Deserialize, Serialize};
use windlass_model::id::DelegateId;
use windlass_model::{Millis, Timestamp};

/// Signs and checks the tokens that registration gives out.
#[derive(Clone)]
pub struct Tokens {
    encoding: EncodingKey,
    decoding: DecodingKey,
}

/// What a token says. Times are whole seconds since 1970, real time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claims {
    /// The worker.
    pub sub: DelegateId,
    pub iat: i64,
    pub exp: i64,
    /// The worker's public signing key: a request must prove that it holds the other half.
    pub cnf: String,
    /// The delegate token it registered with: revoking that ends this one.
    pub tok: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TokenError {
    #[error("the worker's token could not be signed")]
    Sign,
    #[error("the worker's token has expired: register again")]
    Expired,
    #[error("this is not a token of this server")]
    Invalid,
}

impl Tokens {
    /// How long a token lasts (kubernetes-deploy §4.2).
    pub const LIFETIME: Millis = Millis::from_mins(15);

    /// `key` holds 32 random bytes that all replicas share.
    pub fn new(key: &[u8]) -> Self {
        Self { encoding: EncodingKey::from_secret(key), decoding: DecodingKey::from_secret(key) }
    }

    pub fn issue(
        &self,
        delegate: DelegateId,
        public_key: &str,
        token_name: &str,
        now: Timestamp,
    ) -> Result<String, TokenError> {
        let claims = Claims {
            sub: delegate,
            iat: now.secs(),
            exp: (now + Self::LIFETIME).secs(),
            cnf: public_key.to_owned(),
            tok: token_name.to_owned(),
        };
        encode(&Header::new(Algorithm::HS256), &claims, &self.encoding).map_err(|_| TokenError::Sign)
    }

    pub fn check(&self, token: &str, now: Timestamp) -> Result<Claims, TokenError> {
        let mut validation = Validation::new(Algorithm::HS256);
        // The library would read the system's clock; ours is compared below.
        validation.validate_exp = false;
        validation.set_required_spec_claims(&["exp", "sub"]);
        let claims = decode::<Claims>(token, &self.decoding, &validation).map_err(|_| TokenError::Invalid)?.claims;
        if claims.exp <= now.secs() { Err(TokenError::Expired) } else { Ok(claims) }
    }
}

impl std::fmt::Debug for Tokens {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Tokens(••••)")
    }
}

#[cfg(test)]
mod tests {
    use super::{TokenError, Tokens};
    use windlass_model::id::DelegateId;
    use windlass_model::{Millis, Timestamp};

    #[test]
    fn tokens_expire_and_belong_to_one_server() {
        let (ours, theirs) = (Tokens::new(&[1; 32]), Tokens::new(&[2; 32]));
        let delegate: DelegateId = "dlg_01J9ZB2V1Q3W4E5R6T7Y8Z9A0B".parse().unwrap();
        let now = Timestamp::from_secs(1_700_000_000);
        let token = ours.issue(delegate, "key", "prod", now).unwrap();
        let claims = ours.check(&token, now + Millis::from_mins(14)).unwrap();
        assert_eq!((claims.sub, claims.cnf.as_str(), claims.tok.as_str()), (delegate, "key", "prod"));
        assert_eq!(ours.check(&token, now + Millis::from_mins(15)), Err(TokenError::Expired));
        assert_eq!(theirs.check(&token, now), Err(TokenError::Invalid));
        assert_eq!(ours.check("x.y.z", now), Err(TokenError::Invalid));
    }
}
