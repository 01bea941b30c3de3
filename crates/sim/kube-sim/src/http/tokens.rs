//! Bearer tokens, compared without telling by time how much of a guess was right.

use crate::config::Token;
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// Whom a request comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct User {
    pub name: String,
    pub uid: String,
    pub groups: Vec<String>,
}

impl User {
    pub(crate) fn anonymous() -> Self {
        Self {
            name: "system:anonymous".to_owned(),
            uid: String::new(),
            groups: vec!["system:unauthenticated".to_owned()],
        }
    }

    /// The identity of a service account.
    pub(crate) fn service_account(namespace: &str, name: &str, uid: &str) -> Self {
        Self {
            name: format!("system:serviceaccount:{namespace}:{name}"),
            uid: uid.to_owned(),
            groups: vec![
                "system:serviceaccounts".to_owned(),
                format!("system:serviceaccounts:{namespace}"),
                "system:authenticated".to_owned(),
            ],
        }
    }
}

/// Tokens by their hash: those of the configuration, and those handed out to service accounts.
#[derive(Debug)]
pub(crate) struct Tokens(Mutex<HashMap<[u8; 32], User>>);

fn hash(token: &str) -> [u8; 32] {
    Sha256::digest(token.as_bytes()).into()
}

impl Tokens {
    pub(crate) fn new(tokens: &[Token]) -> Self {
        let users = tokens.iter().map(|t| {
            let mut groups = t.groups.clone();
            groups.push("system:authenticated".to_owned());
            (hash(&t.token), User { name: t.user.clone(), uid: String::new(), groups })
        });
        Self(Mutex::new(users.collect()))
    }

    pub(crate) fn user(&self, token: &str) -> Option<User> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(&hash(token)).cloned()
    }

    pub(crate) fn add(&self, token: &str, user: User) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(hash(token), user);
    }
}
