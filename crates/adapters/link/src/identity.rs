//! The key a worker makes at start: its short-lived token is worth nothing without it.

use aws_lc_rs::signature::{ED25519, Ed25519KeyPair, KeyPair, UnparsedPublicKey};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as B64;
use windlass_model::{Millis, Timestamp};

/// A worker's signing key. Lives in memory only; a restarted worker registers anew.
pub struct WorkerIdentity {
    pair: Ed25519KeyPair,
}

#[derive(Debug, thiserror::Error)]
pub enum IdentityError {
    #[error("cannot make a signing key: the system has no randomness to give")]
    Generate,
}

/// Why a proof is not accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProofError {
    #[error("the proof is not `<milliseconds>.<signature>`")]
    Malformed,
    #[error("the proof is older than {MAX_AGE} or from the future: compare the clocks of worker and server")]
    Stale,
    #[error("the proof is not made by the key that the token is bound to")]
    Forged,
}

/// How far the clocks of worker and server may lie apart.
const MAX_AGE: Millis = Millis::from_secs(60);

impl WorkerIdentity {
    pub fn generate() -> Result<Self, IdentityError> {
        Ed25519KeyPair::generate().map(|pair| Self { pair }).map_err(|_| IdentityError::Generate)
    }

    /// The public half, base64url: what registration sends.
    pub fn public_key(&self) -> String {
        B64.encode(self.pair.public_key().as_ref())
    }

    /// The header `X-Windlass-Proof` for a request that carries `token`.
    pub fn prove(&self, token: &str, now: Timestamp) -> String {
        let millis = now.millis();
        format!("{millis}.{}", B64.encode(self.pair.sign(statement(token, millis).as_bytes()).as_ref()))
    }
}

impl std::fmt::Debug for WorkerIdentity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WorkerIdentity").field("public_key", &self.public_key()).finish_non_exhaustive()
    }
}

fn statement(token: &str, millis: i64) -> String {
    format!("windlass-link-v1\n{millis}\n{token}")
}

/// Whether the holder of `public_key` made this proof for `token` just now.
pub fn verify_proof(public_key: &str, token: &str, proof: &str, now: Timestamp) -> Result<(), ProofError> {
    let (millis, signature) = proof.split_once('.').ok_or(ProofError::Malformed)?;
    let millis: i64 = millis.parse().map_err(|_| ProofError::Malformed)?;
    let signature = B64.decode(signature).map_err(|_| ProofError::Malformed)?;
    let key = B64.decode(public_key).map_err(|_| ProofError::Malformed)?;
    if now.millis().abs_diff(millis) > MAX_AGE.0 {
        return Err(ProofError::Stale);
    }
    UnparsedPublicKey::new(&ED25519, key)
        .verify(statement(token, millis).as_bytes(), &signature)
        .map_err(|_| ProofError::Forged)
}

#[cfg(test)]
mod tests {
    use super::{ProofError, WorkerIdentity, verify_proof};
    use windlass_model::{Millis, Timestamp};

    #[test]
    fn a_proof_is_for_one_key_one_token_and_one_minute() {
        let (ada, eve) = (WorkerIdentity::generate().unwrap(), WorkerIdentity::generate().unwrap());
        let now = Timestamp::from_secs(1_000_000);
        let proof = ada.prove("token", now);
        assert_eq!(verify_proof(&ada.public_key(), "token", &proof, now + Millis::from_secs(59)), Ok(()));
        assert_eq!(
            verify_proof(&ada.public_key(), "token", &proof, now + Millis::from_secs(61)),
            Err(ProofError::Stale)
        );
        assert_eq!(verify_proof(&ada.public_key(), "other", &proof, now), Err(ProofError::Forged));
        assert_eq!(verify_proof(&eve.public_key(), "token", &proof, now), Err(ProofError::Forged));
        for bad in ["", "1", "x.y", "1000000000.%%%"] {
            assert_eq!(verify_proof(&ada.public_key(), "token", bad, now), Err(ProofError::Malformed), "{bad}");
        }
    }
}
