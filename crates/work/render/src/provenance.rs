//! Provenance of packed charts (rendering §3.6): who packed one, and that its bytes are those that were packed.

use windlass_diagnostic::Diagnostics;
use windlass_model::Timestamp;
use windlass_openpgp::{ClearSigned, Keyring, KeyringError, Signer, VerifyError};
use windlass_yaml::{Node, Options, Value};

/// What charts are checked against, when somebody asks for it.
#[derive(Clone, Debug)]
pub struct Verification {
    keyring: Keyring,
    /// Seconds since 1970: keys and signatures expire.
    now: u32,
}

/// Why a chart is not trusted. The words are those of the reference.
#[derive(Debug, thiserror::Error)]
pub enum ProvenanceError {
    #[error("failed to fetch provenance {0:?}")]
    Missing(String),
    #[error("failed to decode signature: signature block not found")]
    NoSignature,
    #[error(transparent)]
    Signature(#[from] VerifyError),
    #[error("message block must have at least two parts")]
    Parts,
    #[error("what was signed for {name} is no YAML")]
    Text {
        name: String,
        #[source]
        source: Diagnostics,
    },
    #[error("provenance does not contain a SHA for a file named {0:?}")]
    Absent(String),
    #[error("sha256 sum does not match for {name}: {wanted:?} != {found:?}")]
    Sum { name: String, wanted: String, found: String },
}

impl Verification {
    /// Against the keys of a file, as they count at a moment.
    ///
    /// # Errors
    /// When there is no key in it.
    pub fn new(keyring: &[u8], now: Timestamp) -> Result<Self, KeyringError> {
        let now = u32::try_from(now.micros() / 1_000_000).unwrap_or(u32::MAX);
        Ok(Self { keyring: Keyring::read(keyring)?, now })
    }

    /// Who signed the chart that was packed as `name`. `provenance` is what lies beside it: its metadata and its checksum, signed.
    ///
    /// # Errors
    /// When nobody of the keyring did, or other bytes were signed.
    pub fn check(&self, name: &str, archive: &[u8], provenance: &[u8]) -> Result<Signer, ProvenanceError> {
        let text = std::str::from_utf8(provenance).map_err(|_| ProvenanceError::NoSignature)?;
        let signed = ClearSigned::find(text).ok_or(ProvenanceError::NoSignature)?;
        let signer = signed.verify(&self.keyring, self.now)?;
        let text = signed.text();
        let mut parts = text.split("\n...\n");
        let (Some(metadata), Some(sums)) = (parts.next(), parts.next()) else { return Err(ProvenanceError::Parts) };
        let read = |text: &str| {
            let documents = windlass_yaml::parse("", text, &Options::CONTROL);
            documents.map_err(|source| ProvenanceError::Text { name: name.to_owned(), source })
        };
        read(metadata)?;
        let sums = read(sums)?;
        let files = sums.first().and_then(|document| document.root.get("files"));
        let wanted = match files.and_then(|files| files.get(name)) {
            Some(Node { value: Value::String(sum), .. }) => sum.to_string(),
            _ => return Err(ProvenanceError::Absent(name.to_owned())),
        };
        let found = format!("sha256:{}", windlass_registry::sha256(archive));
        if wanted != found {
            return Err(ProvenanceError::Sum { name: name.to_owned(), wanted, found });
        }
        Ok(signer)
    }
}
