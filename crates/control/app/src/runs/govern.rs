//! Policies on run: asked before a run exists (pipelines §8.2).

use super::start::scope_of;
use crate::documents::Lookup;
use crate::performers::body_of;
use crate::policies::Subject;
use crate::{Answer, App, Failure, FailureKind};
use std::collections::BTreeMap;
use windlass_document::Kind;
use windlass_engine::Start;
use windlass_model::{Json, Scope};
use windlass_policy::input::{EntityRef, Metadata, Project, RefKind, User, expand, pipeline};
use windlass_policy::{Action, PolicyType, select};
use windlass_store::Scopes;

/// Expanding stops looking after so many different references: a pipeline refers to a handful.
const REFERENCES: usize = 1_000;

impl App {
    /// Refuses a start that a policy denies; the verdict is in the failure's details.
    pub(super) async fn govern_start(&self, scope: &Scope, start: &Start) -> Answer<()> {
        let sets = self.policy_sets(&Scopes::VisibleFrom(scope.clone())).await?;
        let sets = sets.iter().map(|(scope, set)| (scope, set));
        if select(sets, PolicyType::Pipeline, Action::OnRun, scope).is_empty() {
            return Ok(());
        }
        let body = start.document.get("pipeline").unwrap_or(&start.document);
        let expanded = self.expanded(scope, body).await?;
        let now = self.clock().now();
        let input = pipeline(expanded, &self.metadata(start), now);
        let subject = Subject {
            kind: PolicyType::Pipeline,
            action: Action::OnRun,
            scope,
            entity: &start.pipeline.identifier,
            run: Some(start.run),
            node: None,
        };
        let Some(verdict) = self.govern(&subject, &input).await? else { return Ok(()) };
        if !verdict.deny {
            return Ok(());
        }
        let message = format!("a policy does not allow this run: {}", verdict.message);
        let details = serde_json::to_value(&verdict).map_err(Failure::internal)?;
        Err(Failure::new(FailureKind::Policy, "RUN0006", message).details(details))
    }

    fn metadata(&self, start: &Start) -> Metadata {
        let by = &start.started_by;
        let scope = scope_of(start);
        let (kind, identifier) = by.principal.split_once(':').unwrap_or(("user", &by.principal));
        Metadata {
            kind: PolicyType::Pipeline,
            action: Action::OnRun,
            timestamp: self.clock().now().millis() / 1_000,
            principal_identifier: identifier.to_owned(),
            principal_type: if kind == "serviceAccount" { "SERVICE_ACCOUNT" } else { "USER" }.to_owned(),
            user: by.person.then(|| User {
                uuid: identifier.to_owned(),
                name: by.name.clone(),
                email: by.email.clone().unwrap_or_default(),
                ..User::default()
            }),
            user_groups: Vec::new(),
            role_assignment_metadata: Vec::new(),
            project_metadata: scope.project().map(|project| Project {
                identifier: project.to_string(),
                name: start.facts.project.name.clone(),
                org_identifier: start.facts.org.identifier.clone(),
                ..Project::default()
            }),
        }
    }

    /// The pipeline with what it refers to beside the references.
    async fn expanded(&self, scope: &Scope, body: &Json) -> Answer<Json> {
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
                if !known.contains_key(&wanted) {
                    let found = self.entity(scope, &wanted).await?;
                    known.insert(wanted, found);
                }
            }
        }
    }

    async fn entity(&self, scope: &Scope, wanted: &Reference) -> Answer<Option<Json>> {
        match self.find_document(wanted.kind, &wanted.reference, scope, wanted.environment.as_deref()).await? {
            Lookup::Found(document) => body_of(wanted.kind, &document).map(Some),
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
