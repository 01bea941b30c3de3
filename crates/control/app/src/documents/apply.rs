//! Saving documents: read, checked and stored together, all or nothing.

use super::get::key_of;
use crate::access::{Authorized, Caller, Saving};
use crate::{Answer, App, Failure};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
use windlass_diagnostic::Diagnostics;
use windlass_document::{Document, Entity, Kind, read, substitute};
use windlass_model::{Identifier, Json, Scope};
use windlass_store::Write;
use windlass_store::documents::Draft;
use windlass_store::trigger_events::TriggerKey;

/// What was saved, and what was found on the way.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Applied {
    pub saved: Vec<Saved>,
    /// Tolerated deviations and warnings.
    pub diagnostics: Diagnostics,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Saved {
    pub kind: Kind,
    pub scope: Scope,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<Identifier>,
    pub identifier: Identifier,
    pub change: Change,
    pub version: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Change {
    Created,
    Configured,
    Unchanged,
}

/// A text to be saved.
#[derive(Clone, Debug)]
pub struct ApplyRequest<'a> {
    /// The name the author knows the text by.
    pub file: &'a str,
    pub text: &'a str,
    /// Where documents go that do not say where they belong.
    pub scope: Scope,
    /// For a document without root key.
    pub kind: Option<Kind>,
    /// Values of `{{PLACEHOLDERS}}`.
    pub set: BTreeMap<String, String>,
    /// Only check.
    pub dry_run: bool,
}

impl App {
    /// Reads every document of a text and saves them in one transaction; nothing is saved when one of them has an error.
    /// Each of them needs the permission to create or edit what it is.
    pub async fn apply(&self, by: &Caller, request: ApplyRequest<'_>) -> Answer<Applied> {
        let refused = |problems: Diagnostics| {
            let count = problems.errors().count();
            let noun = if count == 1 { "problem" } else { "problems" };
            Failure::problems(
                "DOC0100",
                format!("{} has {count} {noun}; nothing was saved", name_of(request.file)),
                problems,
            )
        };
        let text = substitute(request.file, request.text, &request.set).map_err(refused)?;
        let (documents, mut diagnostics) = read(request.file, &text, &request.scope, request.kind);
        if diagnostics.has_errors() {
            return Err(refused(diagnostics));
        }
        if let Some(user) = documents.iter().find(|document| document.kind == Kind::User) {
            let text = format!("`{}` is a person: accounts of people are not documents", user.header.identifier);
            return Err(Failure::invalid("USR0007", text).hint("make the account with `windlass user create`"));
        }
        let mut allowed = Vec::with_capacity(documents.len());
        for document in &documents {
            let key =
                key_of(document.kind, &document.header.scope, parent_of(document)?, document.header.identifier.clone());
            allowed.push(by.saving(document, key, &tags_of(&document.body)).await?);
        }
        let problems = by.check_grants(&documents);
        if problems.has_errors() {
            return Err(refused(diagnostics.into_iter().chain(problems).collect()));
        }
        by.may_give(&documents)?;
        let mut write = Write::new();
        let mut saved = Vec::with_capacity(documents.len());
        for (document, allowed) in documents.iter().zip(allowed) {
            let put = self.put(&mut write, &by.id, allowed).await?;
            for warning in self.govern_save(&by.id, document, put.change).await? {
                diagnostics.push(warning);
            }
            saved.push(put);
        }
        let diagnostics = diagnostics.into_iter().chain(problems).collect();
        if !request.dry_run && !write.is_empty() {
            self.store().write(write).await?;
        }
        Ok(Applied { saved, diagnostics })
    }

    async fn put(&self, write: &mut Write, by: &str, saving: Authorized<Saving<'_>>) -> Answer<Saved> {
        let Saving { new: document, key, current, .. } = saving.into_inner();
        let header = &document.header;
        let parent = key.parent.clone();
        let now = self.clock().now();
        let mut draft = Draft {
            key: key.clone(),
            name: header.name.clone(),
            tags: tags_of(&document.body),
            text: document.text.clone(),
            by: by.to_owned(),
            at: now,
        };
        if let Some(alias) = &header.alias {
            draft.tags.insert("windlass.alias".to_owned(), alias.clone());
        }
        let mut sealed = false;
        if let Entity::Secret(secret) = &document.entity {
            let kept = self.keep_secret(write, by, document, &secret.value).await?;
            (draft.text, sealed) = (kept.text, kept.sealed);
        }
        let (change, version) = match &current {
            Some(current) if current.text == draft.text && !sealed => (Change::Unchanged, current.version),
            Some(current) => {
                write.update_document(current, &draft);
                (Change::Configured, current.version + 1)
            }
            None => {
                let _ = write.create_document(&draft);
                if let (Kind::Trigger, Some(pipeline)) = (document.kind, parent.clone()) {
                    let trigger = header.identifier.clone();
                    let key = TriggerKey { scope: header.scope.clone(), pipeline, trigger };
                    crate::triggers::on_save(self, write, &key, now)?;
                }
                (Change::Created, 1)
            }
        };
        if change != Change::Unchanged {
            let action = if change == Change::Created { "CREATE" } else { "UPDATE" };
            let diff = serde_json::json!({
                "oldEtag": current.as_ref().map(windlass_store::documents::Document::etag),
                // A new document may take up an old name, whose versions go on.
                "newEtag": current.as_ref().map(|_| windlass_store::documents::etag(version, &draft.text)),
                "oldYaml": current.map(|c| c.text),
                "newYaml": draft.text,
            });
            let (scope, id) = (&header.scope, header.identifier.as_str());
            write.audit(&crate::audit::record(now, scope, by, action, document.kind, id, diff));
        }
        Ok(Saved {
            kind: document.kind,
            scope: header.scope.clone(),
            parent,
            identifier: header.identifier.clone(),
            change,
            version,
        })
    }
}

fn name_of(file: &str) -> &str {
    if file.is_empty() { "the text" } else { file }
}

/// Infrastructures belong to an environment, triggers to a pipeline.
fn parent_of(document: &Document) -> Answer<Option<Identifier>> {
    let parent = match (&document.entity, &document.header.parent) {
        (Entity::Trigger(trigger), _) => Some(trigger.pipeline.as_str()),
        (_, Some(parent)) => Some(parent.as_str()),
        _ => None,
    };
    let Some(parent) = parent.filter(|p| !p.is_empty()) else { return Ok(None) };
    Identifier::parse(parent)
        .or_else(|error| Identifier::from_name(parent).ok_or(error))
        .map(Some)
        .map_err(|error| Failure::invalid("DOC0101", format!("the {} belongs to `{parent}`: {error}", document.kind)))
}

fn tags_of(body: &Json) -> BTreeMap<String, String> {
    let tags = body.get("tags").and_then(Json::as_object);
    let text = |value: &Json| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    tags.into_iter().flatten().map(|(k, v)| (k.clone(), if v.is_null() { String::new() } else { text(v) })).collect()
}
