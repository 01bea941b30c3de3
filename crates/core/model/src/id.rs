//! Names. What the platform makes is a ULID with a prefix; what people name is an [`Identifier`].

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;
use ulid::Ulid;

/// Why a text is not an id of the wanted kind.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not a {kind}: expected `{prefix}_` and 26 letters and digits")]
pub struct IdError {
    pub text: String,
    pub kind: &'static str,
    pub prefix: &'static str,
}

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident = $prefix:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(Ulid);

        impl $name {
            pub const PREFIX: &'static str = $prefix;

            pub const fn from_ulid(ulid: Ulid) -> Self {
                Self(ulid)
            }

            pub const fn ulid(self) -> Ulid {
                self.0
            }

            /// The same 128 bits in lower case without prefix: a valid name for objects in a cluster.
            pub fn lower(self) -> String {
                self.0.to_string().to_ascii_lowercase()
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($prefix, "_{}"), self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(self, f)
            }
        }

        impl FromStr for $name {
            type Err = IdError;

            fn from_str(text: &str) -> Result<Self, IdError> {
                text.strip_prefix(concat!($prefix, "_"))
                    .and_then(|rest| Ulid::from_string(rest).ok())
                    .map(Self)
                    .ok_or_else(|| IdError { text: text.to_owned(), kind: stringify!($name), prefix: $prefix })
            }
        }

        impl Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl JsonSchema for $name {
            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!({ "type": "string", "pattern": concat!("^", $prefix, "_[0-9A-Z]{26}$") })
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
            }
        }
    )*};
}

ids! {
    /// One open question to approvers.
    ApprovalId = "appr";
    /// One record of the audit trail.
    AuditId = "aud";
    /// One process of a delegate, from its start to its end.
    DelegateId = "dlg";
    /// One payload that a webhook received.
    EventId = "evt";
    /// One request, to find it in logs.
    RequestId = "req";
    /// One run of a pipeline; sorts by start time.
    RunId = "run";
    /// One sign-in of a person.
    SessionId = "ses";
    /// One piece of work for a delegate.
    TaskId = "task";
}

impl RunId {
    /// The vendor's execution id: the same 128 bits as 22 characters of base64url (decisions, Pipelines).
    pub fn execution_id(self) -> String {
        const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
        let bits = self.0.0;
        // 22 digits of 6 bits hold 132 bits: the last digit carries two bits of the id and four zeros, as base64url does.
        (0..22)
            .map(|i| {
                let shift = 122 - 6 * i;
                let digit = if shift >= 0 { (bits >> shift) & 63 } else { (bits << -shift) & 63 };
                char::from(ALPHABET[digit as usize])
            })
            .collect()
    }
}

/// What a person names: `^[a-zA-Z_][0-9a-zA-Z_$]{0,127}$`; hyphens and dots are allowed after the first character
/// for kinds whose names follow Kubernetes or secrets (pipelines §1.2). Parsing is the only way to make one.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct Identifier(Box<str>);

/// Why a text is not an identifier.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IdentifierError {
    #[error("an identifier must not be empty")]
    Empty,
    #[error("`{0}` is longer than 128 characters")]
    TooLong(String),
    #[error(
        "`{text}` is not an identifier: `{character}` is not allowed; use letters, digits, `_` and `$`, and start with a letter or `_`"
    )]
    Character { text: String, character: char },
}

impl Identifier {
    pub const LONGEST: usize = 128;

    /// Parses the strict form, without hyphens.
    pub fn parse(text: &str) -> Result<Self, IdentifierError> {
        Self::check(text, |c| matches!(c, '_' | '$'))
    }

    /// Parses the form that secrets, delegates and tokens use, in which `-` and `.` are allowed too.
    pub fn parse_dashed(text: &str) -> Result<Self, IdentifierError> {
        Self::check(text, |c| matches!(c, '_' | '$' | '-' | '.'))
    }

    fn check(text: &str, special: impl Fn(char) -> bool) -> Result<Self, IdentifierError> {
        let Some(first) = text.chars().next() else { return Err(IdentifierError::Empty) };
        let wrong = if first.is_ascii_alphabetic() || first == '_' {
            text.chars().find(|c| !c.is_ascii_alphanumeric() && !special(*c))
        } else {
            Some(first)
        };
        match wrong {
            Some(character) => Err(IdentifierError::Character { text: text.to_owned(), character }),
            None if text.len() > Self::LONGEST => Err(IdentifierError::TooLong(text.to_owned())),
            None => Ok(Self(text.into())),
        }
    }

    /// The identifier a name suggests: `payment-service` → `payment_service` (pipelines §1.2).
    pub fn from_name(name: &str) -> Option<Self> {
        let mut text: String = name
            .chars()
            .filter_map(|c| match c {
                ' ' | '-' | '.' => Some('_'),
                c if c.is_ascii_alphanumeric() || matches!(c, '_' | '$') => Some(c),
                _ => None,
            })
            .take(Self::LONGEST - 1)
            .collect();
        if text.starts_with(|c: char| c.is_ascii_digit() || c == '$') {
            text.insert(0, '_');
        }
        Self::parse(&text).ok()
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The form by which `int-stable` and `int_stable` are the same (pipelines SEED-03).
    pub fn folded(text: &str) -> String {
        text.replace(['-', '.'], "_")
    }
}

impl fmt::Display for Identifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Identifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

impl AsRef<str> for Identifier {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl FromStr for Identifier {
    type Err = IdentifierError;

    fn from_str(text: &str) -> Result<Self, IdentifierError> {
        Self::parse(text)
    }
}

impl JsonSchema for Identifier {
    fn schema_name() -> Cow<'static, str> {
        "Identifier".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "pattern": "^[a-zA-Z_][0-9a-zA-Z_$.-]{0,127}$" })
    }
}

impl<'de> Deserialize<'de> for Identifier {
    /// Reads what was stored or sent; kinds with stricter rules check at their own door.
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::parse_dashed(&String::deserialize(deserializer)?).map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::{Identifier, RunId};

    #[test]
    fn ids_round_trip_and_name_their_kind() {
        let id: RunId = "run_01J9ZB2V1Q3W4E5R6T7Y8Z9A0B".parse().unwrap();
        assert_eq!(id.to_string(), "run_01J9ZB2V1Q3W4E5R6T7Y8Z9A0B");
        assert_eq!(id.execution_id().len(), 22);
        let error = "task_01J9ZB2V1Q3W4E5R6T7Y8Z9A0B".parse::<RunId>().unwrap_err();
        assert_eq!((error.kind, error.prefix), ("RunId", "run"));
    }

    #[test]
    fn execution_id_is_base64url_of_the_same_bits() {
        let id = RunId::from_ulid(ulid::Ulid::from_bytes([0xff; 16]));
        assert_eq!(id.execution_id(), "_____________________w");
        let id = RunId::from_ulid(ulid::Ulid::from_bytes([0; 16]));
        assert_eq!(id.execution_id(), "A".repeat(22));
    }

    #[test]
    fn identifiers_follow_the_rule() {
        for good in ["a", "_x", "payment_service_cd", "a$b", &"x".repeat(128)] {
            assert!(Identifier::parse(good).is_ok(), "{good}");
        }
        for bad in ["", "1a", "$a", "a-b", "a.b", "ä", &"x".repeat(129)] {
            assert!(Identifier::parse(bad).is_err(), "{bad}");
        }
        assert!(Identifier::parse_dashed("github-pat.v1").is_ok());
        assert_eq!(Identifier::from_name("payment-service cd").unwrap().as_str(), "payment_service_cd");
        assert_eq!(Identifier::from_name("1st").unwrap().as_str(), "_1st");
        assert_eq!(Identifier::from_name("%"), None);
    }
}
