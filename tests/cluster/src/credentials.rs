//! Who may do what in a cluster, and how clients are told.

use crate::error::Error;
use base64::prelude::{BASE64_STANDARD, Engine as _};
use rcgen::KeyPair;
use serde_json::{Value, json};
use std::path::Path;

/// The administrator, the parts of the control plane, and users whose rights come from roles: name, token, group.
const USERS: [(&str, &str, &str); 5] = [
    ("admin", "admin", "system:masters"),
    ("limited", "limited", ""),
    ("delegate", "delegate", ""),
    ("system:kube-controller-manager", "kube-controller-manager", "system:masters"),
    ("system:kube-scheduler", "kube-scheduler", "system:masters"),
];

/// Writes the keys of service accounts and the file of tokens.
pub(crate) fn write(folder: &Path) -> Result<(), Error> {
    let key = KeyPair::generate()?;
    let tokens: String =
        USERS.iter().map(|(user, token, group)| format!("{token},{user},{user},\"{group}\"\n")).collect();
    for (name, text) in [
        ("service-account.key", key.serialize_pem()),
        ("service-account.pub", key.public_key_pem()),
        ("tokens.csv", tokens),
    ] {
        let path = folder.join(name);
        std::fs::write(&path, text).map_err(Error::file(&path))?;
    }
    Ok(())
}

/// A kubeconfig with a context for each user, `user@name`; the administrator's is the current one.
pub(crate) fn kubeconfig(name: &str, url: &str, authority: &[u8]) -> String {
    let context = |user: &str| format!("{user}@{name}");
    let contexts: Vec<Value> = USERS
        .iter()
        .map(|(user, ..)| json!({"name": context(user), "context": {"cluster": name, "user": user}}))
        .collect();
    let users: Vec<Value> =
        USERS.iter().map(|(user, token, _)| json!({"name": user, "user": {"token": token}})).collect();
    let authority = BASE64_STANDARD.encode(authority);
    let cluster = json!({"server": url, "certificate-authority-data": authority});
    let config = json!({
        "apiVersion": "v1", "kind": "Config", "current-context": context("admin"),
        "clusters": [{"name": name, "cluster": cluster}], "contexts": contexts, "users": users,
    });
    config.to_string()
}
