//! What the documents say that a rehearsal has to know before it saves them.

use crate::Rehearsal;
use std::collections::{BTreeMap, BTreeSet};
use windlass_document::entity::SecretValue;
use windlass_document::{Entity, Kind, read, substitute};
use windlass_model::{Identifier, Scope};

/// Found in the documents. What cannot be read is told when it is saved.
#[derive(Clone, Debug, Default)]
pub(crate) struct Known {
    /// Of Kubernetes clusters, as references are compared: see [`plain`].
    pub(crate) clusters: BTreeSet<String>,
    pub(crate) pipelines: BTreeMap<String, Scope>,
    /// The members that groups list.
    pub(crate) members: BTreeMap<(Scope, Identifier), Vec<String>>,
    /// Files below the delegate's secrets folder, and variables of its environment.
    pub(crate) secret_files: BTreeSet<String>,
    pub(crate) secret_variables: BTreeSet<String>,
}

impl Known {
    pub(crate) fn of(rehearsal: &Rehearsal) -> Self {
        let mut known = Self::default();
        for text in &rehearsal.documents {
            let Ok(filled) = substitute(&text.file, &text.text, &rehearsal.set) else { continue };
            let (documents, _) = read(&text.file, &filled, &rehearsal.scope, None);
            for document in documents {
                let header = document.header;
                match document.entity {
                    Entity::Secret(secret) => match secret.value {
                        SecretValue::File { path } => drop(known.secret_files.insert(path)),
                        SecretValue::Environment { variable } => drop(known.secret_variables.insert(variable)),
                        SecretValue::Inline(_) => {}
                    },
                    Entity::UserGroup(group) => {
                        known.members.insert((header.scope, header.identifier), group.users);
                    }
                    Entity::Pipeline(_) => drop(known.pipelines.insert(header.identifier.to_string(), header.scope)),
                    Entity::Plain if document.kind == Kind::Connector && document.body["type"] == "K8sCluster" => {
                        known.clusters.insert(plain(header.identifier.as_str()));
                    }
                    _ => {}
                }
            }
        }
        known
    }
}

/// A connector's reference without its level; `int-stable` and `int_stable` are the same.
pub(crate) fn plain(reference: &str) -> String {
    let id = reference.strip_prefix("account.").or_else(|| reference.strip_prefix("org.")).unwrap_or(reference);
    id.replace('-', "_")
}
