//! Policies on run: asked before a run exists (pipelines §8.2).

use crate::documents::Lookup;
use crate::policies::Subject;
use crate::{Answer, App, Failure, FailureKind};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use windlass_diagnostic::Diagnostic;
use windlass_document::Kind;
use windlass_engine::Start;
use windlass_model::{Json, Scope};
use windlass_policy::input::{EntityRef, RefKind, expand, pipeline};
use windlass_policy::{Action, PolicyType, select};
use windlass_store::Scopes;

/// Expanding stops looking after so many different references: a pipeline refers to a handful.
const REFERENCES: usize = 1_000;

impl App {
    /// Refuses a start that a policy denies; the verdict is in the failure's details. What policies warn of is answered.
    pub(super) async fn govern_start(&self, scope: &Scope, start: &Start) -> Answer<Vec<Diagnostic>> {
        let sets = self.policy_sets(&Scopes::VisibleFrom(scope.clone())).await?;
        let sets = sets.iter().map(|(scope, set)| (scope, set));
        if select(sets, PolicyType::Pipeline, Action::OnRun, scope).is_empty() {
            return Ok(Vec::new());
        }
        let body = start.document.get("pipeline").unwrap_or(&start.document);
        let expanded = self.expanded(scope, body).await?;
        let by = &start.started_by.principal;
        let metadata = self.policy_metadata(by, scope, PolicyType::Pipeline, Action::OnRun).await?;
        let input = pipeline(expanded, &metadata, self.clock().now());
        let subject = Subject {
            kind: PolicyType::Pipeline,
            action: Action::OnRun,
            scope,
            entity: &start.pipeline.identifier,
            run: Some(start.run),
            node: None,
        };
        let Some(verdict) = self.govern(&subject, &input).await? else { return Ok(Vec::new()) };
        self.note_verdict(by, scope, Kind::Pipeline, &start.pipeline.identifier, &verdict).await?;
        if !verdict.deny {
            let place = &start.pipeline.identifier;
            let warn = |text: &str| Diagnostic::warning("RUN0006", text).path(format!("pipeline/{place}"));
            return Ok(crate::documents::warnings(&verdict).map(warn).collect());
        }
        let message = format!("a policy does not allow this run: {}", verdict.message);
        let details = serde_json::to_value(&verdict).map_err(Failure::internal)?;
        Err(Failure::new(FailureKind::Policy, "RUN0006", message).details(details))
    }

    /// Whether steps have to ask before they start: some set of action `onstepstart` is enabled here or around.
    pub(super) async fn has_step_start_policies(&self, scope: &Scope) -> Answer<bool> {
        let sets = self.policy_sets(&Scopes::VisibleFrom(scope.clone())).await?;
        let sets = sets.iter().map(|(scope, set)| (scope, set));
        Ok(!select(sets, PolicyType::Pipeline, Action::OnStepStart, scope).is_empty())
    }

    /// The pipeline with what it refers to beside the references.
    pub(crate) async fn expanded(&self, scope: &Scope, body: &Json) -> Answer<Json> {
        // What expanding asks for depends on what it found: repeat until it asks for nothing new.
        let mut known: BTreeMap<Reference, Option<Json>> = BTreeMap::new();
        loop {
            let asked = std::cell::RefCell::new(Vec::new());
            let expanded = expand(body, &|wanted| {
                let wanted = Reference::of(wanted);
                let found = known.get(&wanted);
                if found.is_none() {
                    asked.borrow_mut().push(wanted);
                }
                found.cloned().flatten()
            });
            let asked = asked.into_inner();
            if asked.is_empty() || known.len() > REFERENCES {
                return Ok(expanded);
            }
            for wanted in asked {
                if let Entry::Vacant(place) = known.entry(wanted) {
                    let found = self.entity(scope, place.key()).await?;
                    place.insert(found);
                }
            }
        }
    }

    async fn entity(&self, scope: &Scope, wanted: &Reference) -> Answer<Option<Json>> {
        match self.find_document(wanted.kind, &wanted.reference, scope, wanted.environment.as_deref()).await? {
            Lookup::Found(document) => self.body_of(wanted.kind, &document).map(Some),
            Lookup::Missing { .. } => Ok(None),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Reference {
    kind: Kind,
    reference: String,
    environment: Option<String>,
}

impl Reference {
    fn of(wanted: EntityRef<'_>) -> Self {
        let kind = match wanted.kind {
            RefKind::Connector => Kind::Connector,
            RefKind::Service => Kind::Service,
            RefKind::Environment => Kind::Environment,
            RefKind::Infrastructure => Kind::Infrastructure,
        };
        Self { kind, reference: wanted.reference.to_owned(), environment: wanted.environment.map(str::to_owned) }
    }
}
