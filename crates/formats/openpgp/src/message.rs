//! Texts with a signature around them.

use crate::binding::{Identity, fresh, subkey};
use crate::keyring::Keyring;
use pgp::composed::{CleartextSignedMessage, SignedPublicKey};
use pgp::crypto::hash::HashAlgorithm;
use pgp::packet::{Signature, SignatureType};
use pgp::types::{KeyDetails as _, Timestamp};

/// A text that somebody signed, or says to have.
#[derive(Clone, Debug)]
pub struct ClearSigned {
    message: CleartextSignedMessage,
}

/// Whose signature it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signer {
    /// `Name <address>`, as the key says it.
    pub user: String,
    /// Of the key that belongs to the name, in hexadecimal.
    pub fingerprint: String,
}

/// Why a signature does not count. The words are those of the reference of Helm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum VerifyError {
    #[error("openpgp: signature made by unknown entity")]
    Unknown,
    #[error("openpgp: invalid signature: the text or the signature was changed")]
    Invalid,
    #[error("openpgp: invalid signature: its checksum ({0}) is too weak")]
    Weak(&'static str),
    #[error("openpgp: invalid signature: it is not one of a text")]
    Kind,
    #[error("openpgp: the key is bound to no name")]
    Unbound,
    #[error("openpgp: signature made by revoked key")]
    Revoked,
    #[error("openpgp: key expired, or not valid yet")]
    KeyExpired,
    #[error("openpgp: signature expired, or not valid yet")]
    SignatureExpired,
}

impl ClearSigned {
    /// The signed message in a text; nothing when there is none. What stands around it is no part of it.
    pub fn find(text: &str) -> Option<Self> {
        const BEGIN: &str = "-----BEGIN PGP SIGNED MESSAGE-----";
        const END: &str = "-----END PGP SIGNATURE-----";
        let at_line_start = |at: &usize| *at == 0 || text.as_bytes().get(at - 1) == Some(&b'\n');
        let start = text.match_indices(BEGIN).map(|(at, _)| at).find(at_line_start)?;
        let rest = text.get(start..)?;
        let end = rest.find(END)? + END.len();
        let (message, _) = CleartextSignedMessage::from_string(rest.get(..end)?).ok()?;
        Some(Self { message })
    }

    /// What was signed, with line breaks of one character.
    pub fn text(&self) -> String {
        self.message.signed_text().replace("\r\n", "\n")
    }

    /// Whose key of the ring signed it, `now` being the seconds since 1970.
    ///
    /// # Errors
    /// When nobody of the ring did, or the signature or the key does not count.
    pub fn verify(&self, keyring: &Keyring, now: u32) -> Result<Signer, VerifyError> {
        let mut why = VerifyError::Unknown;
        let text = self.message.signed_text();
        for signature in self.message.signatures() {
            for (key, number) in keyring.of(signature) {
                match verified(signature, &text, key, number, Timestamp::from_secs(now)) {
                    Ok(signer) => return Ok(signer),
                    Err(problem) => why = problem,
                }
            }
        }
        Err(why)
    }
}

fn verified(
    signature: &Signature,
    text: &str,
    key: &SignedPublicKey,
    number: Option<usize>,
    now: Timestamp,
) -> Result<Signer, VerifyError> {
    if !matches!(signature.typ(), Some(SignatureType::Text | SignatureType::Binary)) {
        return Err(VerifyError::Kind);
    }
    match signature.hash_alg() {
        Some(HashAlgorithm::Md5) => return Err(VerifyError::Weak("MD5")),
        Some(HashAlgorithm::Sha1) => return Err(VerifyError::Weak("SHA-1")),
        Some(HashAlgorithm::Ripemd160) => return Err(VerifyError::Weak("RIPEMD-160")),
        _ => {}
    }
    let within = number.and_then(|number| key.public_subkeys.get(number));
    let holds = match within {
        Some(within) => signature.verify(&within.key, text.as_bytes()),
        None => signature.verify(&key.primary_key, text.as_bytes()),
    };
    holds.map_err(|_| VerifyError::Invalid)?;
    let identity = Identity::of(key, now)?;
    let may_sign = match within {
        Some(within) => subkey(key, within, now)?,
        None => identity.signs(),
    };
    if !may_sign {
        return Err(VerifyError::Unknown);
    }
    fresh(signature, None, now)?;
    Ok(Signer { user: identity.user, fingerprint: key.primary_key.fingerprint().to_string() })
}
