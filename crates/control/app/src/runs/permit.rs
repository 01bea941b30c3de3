//! Whoever starts a run needs access to what it refers to (pipelines §9.2). Runs of triggers act for the platform.

use crate::access::Caller;
use crate::documents::Lookup;
use crate::{Answer, App, Failure, FailureKind, Principal};
use std::collections::BTreeSet;
use windlass_document::Kind;
use windlass_engine::{Run, Start, TriggerType};
use windlass_model::{Json, Scope};
use windlass_store::documents::Document;

/// Keys of a pipeline that refer to something. An infrastructure is part of its environment.
const REFERENCES: &[(&str, Kind)] = &[
    ("serviceRef", Kind::Service),
    ("environmentRef", Kind::Environment),
    ("connectorRef", Kind::Connector),
    ("registryRef", Kind::Connector),
];

impl App {
    /// Refuses a start by somebody who may not use what the pipeline refers to, everything at once. References that are
    /// expressions are looked at when they are known.
    pub(super) async fn permit_references(&self, by: &Caller, start: &Start) -> Answer<()> {
        let scope = start.scope();
        if !self.settings_at(&scope).await?.check_references() {
            return Ok(());
        }
        let mut wanted = BTreeSet::new();
        collect(&start.document, &mut wanted);
        let mut refused = Vec::new();
        for (kind, reference) in wanted {
            // What is missing is told by the run, with the nearest names.
            let Lookup::Found(document) = self.find_document(kind, &reference, &scope, None).await? else { continue };
            match by.may_use(kind, &document).await {
                Ok(()) => {}
                Err(failure) if failure.kind == FailureKind::Denied => refused.push(failure),
                Err(failure) => return Err(failure),
            }
        }
        let Some(first) = refused.first() else { return Ok(()) };
        let mut hints = first.hints.clone();
        hints.push("whoever starts a run needs access to what it refers to (setting `access.checkReferences`)".into());
        let text: Vec<&str> = refused.iter().map(|failure| failure.message.as_str()).collect();
        Err(hints.into_iter().fold(Failure::denied(text.join("; ")), Failure::hint))
    }

    /// Why whoever started a run may not use something that an expression turned out to name, if so.
    pub(crate) async fn late_refusal(&self, asker: &Asker, kind: Kind, document: &Document) -> Answer<Option<String>> {
        if !self.settings_at(&asker.scope).await?.check_references() {
            return Ok(None);
        }
        match self.caller(asker.principal.clone()).await?.may_use(kind, document).await {
            Ok(()) => Ok(None),
            Err(failure) if failure.kind == FailureKind::Denied => Ok(Some(failure.message)),
            Err(failure) => Err(failure),
        }
    }
}

/// Whoever started a run by hand, and so must be allowed to use what it uses.
pub(crate) struct Asker {
    scope: Scope,
    principal: Principal,
}

/// Who asks for what a run refers to; nobody, where a trigger acts for the platform.
pub(crate) fn asker(run: &Run) -> Option<Asker> {
    let start = run.start().filter(|start| start.trigger.kind == TriggerType::Manual)?;
    let windlass_engine::Principal { principal, name, email, person } = start.started_by.clone();
    Some(Asker { scope: start.scope(), principal: Principal { id: principal, name, email, person } })
}

/// Every reference of a document that is a plain name.
fn collect(json: &Json, found: &mut BTreeSet<(Kind, String)>) {
    match json {
        Json::Object(fields) => {
            for (key, value) in fields {
                let kind = REFERENCES.iter().find(|(name, _)| name == key).map(|(_, kind)| *kind);
                match (kind, value) {
                    (Some(kind), Json::String(text)) if !text.is_empty() && !text.contains("<+") => {
                        found.insert((kind, text.clone()));
                    }
                    _ => collect(value, found),
                }
            }
        }
        Json::Array(items) => items.iter().for_each(|item| collect(item, found)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::collect;
    use std::collections::BTreeSet;
    use windlass_document::Kind;

    #[test]
    fn plain_references_are_found_at_any_depth() {
        let document = serde_json::json!({ "pipeline": { "stages": [
            { "stage": { "spec": { "service": { "serviceRef": "payment" }, "environment": { "environmentRef": "<+input.env>" } } } },
            { "parallel": [{ "stage": { "spec": { "connectorRef": "account.git" } } }] },
        ] } });
        let mut found = BTreeSet::new();
        collect(&document, &mut found);
        let wanted = [(Kind::Service, "payment".to_owned()), (Kind::Connector, "account.git".to_owned())];
        assert_eq!(found, BTreeSet::from(wanted));
    }
}
