use crate::clear::Clear;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

/// Why a signature was not accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SignatureError {
    #[error("the signature is not `sha256=` and 64 hexadecimal digits")]
    Form,
    #[error("the signature does not fit the body: the secrets on both sides differ, or the body was changed")]
    Wrong,
    #[error("the webhook's secret is empty")]
    EmptySecret,
}

/// Verifies `X-Hub-Signature-256` (pipelines §7.3) in constant time.
pub fn verify_signature(secret: &Clear, body: &[u8], header: &str) -> Result<(), SignatureError> {
    if secret.is_empty() {
        return Err(SignatureError::EmptySecret);
    }
    let signature = header.trim().strip_prefix("sha256=").and_then(hex).ok_or(SignatureError::Form)?;
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.bytes()).map_err(|_| SignatureError::EmptySecret)?;
    mac.update(body);
    mac.verify_slice(&signature).map_err(|_| SignatureError::Wrong)
}

fn hex(text: &str) -> Option<[u8; 32]> {
    let digits = <&[u8; 64]>::try_from(text.as_bytes()).ok()?;
    let mut bytes = [0; 32];
    for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
        let digit = |at: usize| char::from(pair[at]).to_digit(16);
        *byte = u8::try_from(digit(0)? * 16 + digit(1)?).ok()?;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::{SignatureError, verify_signature};

    /// The example of GitHub's documentation.
    #[test]
    fn known_signature() {
        let verify = |body: &[u8], header: &str| verify_signature(&"It's a Secret to Everybody".into(), body, header);
        let good = "757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";
        assert_eq!(verify(b"Hello, World!", &format!("sha256={good}")), Ok(()));
        assert_eq!(verify(b"Hello, World!", &format!("sha256={}", good.to_uppercase())), Ok(()));
        assert_eq!(verify(b"Hello, World", &format!("sha256={good}")), Err(SignatureError::Wrong));
        for form in [good, "sha256=", "sha1=757107ea", &format!("sha256={good}00"), &format!("sha256={}zz", &good[2..])]
        {
            assert_eq!(verify(b"Hello, World!", form), Err(SignatureError::Form), "{form}");
        }
        assert_eq!(verify_signature(&"".into(), b"x", &format!("sha256={good}")), Err(SignatureError::EmptySecret));
    }
}
