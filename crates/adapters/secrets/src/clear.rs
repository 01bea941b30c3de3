use std::fmt;
use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

/// The clear text of a secret. It is wiped when dropped, prints dots, and has no way into JSON by accident.
#[derive(Clone, Default)]
pub struct Clear(Zeroizing<Vec<u8>>);

/// The secret is binary where a text is needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the secret is binary and cannot be used as a text")]
pub struct NotText;

impl Clear {
    pub fn new(bytes: impl Into<Vec<u8>>) -> Self {
        Self(Zeroizing::new(bytes.into()))
    }

    pub fn bytes(&self) -> &[u8] {
        &self.0
    }

    pub fn text(&self) -> Result<&str, NotText> {
        std::str::from_utf8(&self.0).map_err(|_| NotText)
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl From<&str> for Clear {
    fn from(text: &str) -> Self {
        Self::new(text.as_bytes())
    }
}

impl From<String> for Clear {
    fn from(text: String) -> Self {
        Self::new(text.into_bytes())
    }
}

impl PartialEq for Clear {
    /// Takes as long for any difference.
    fn eq(&self, other: &Self) -> bool {
        self.0.as_slice().ct_eq(other.0.as_slice()).into()
    }
}

impl Eq for Clear {}

impl fmt::Debug for Clear {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("••••••••")
    }
}

#[cfg(test)]
mod tests {
    use super::{Clear, NotText};

    #[test]
    fn prints_dots_whatever_holds_it() {
        #[derive(Debug)]
        #[expect(dead_code, reason = "only printed")]
        struct Connector {
            password: Option<Clear>,
        }
        let shown = format!("{:?} {:#?}", Connector { password: Some("hunter2".into()) }, Clear::from("hunter2"));
        assert!(!shown.contains("hunter2") && shown.contains('•'), "{shown}");
        assert_eq!(Clear::new([0xff]).text(), Err(NotText));
        assert_eq!(Clear::from("a"), Clear::from("a"));
        assert_ne!(Clear::from("a"), Clear::from("ab"));
    }
}
