//! Starting a run: find the pipeline, merge the inputs, check everything before anything happens.

use super::{Submission, values};
use crate::access::{Authorized, Caller, StoredDocument};
use crate::documents::Lookup;
use crate::runs::idempotency::IdempotencyKey;
use crate::{Answer, App, Failure, Principal, fresh};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use windlass_diagnostic::{Diagnostic, Diagnostics};
use windlass_document::{Entity, Kind, read_made};
use windlass_engine::runtime_inputs::of_values;
use windlass_engine::{Facts, Input, Start, TriggerContext};
use windlass_model::{Identifier, Json, RunId, Scope};
use windlass_store::documents::DocumentFilter;
use windlass_store::{PageRequest, Scopes, Write};

/// What somebody asks for.
#[derive(Clone, Debug, Default)]
pub struct RunRequest {
    /// Values of pipeline variables by name.
    pub inputs: BTreeMap<String, Json>,
    /// A sparse pipeline, an input set, or names and values, as YAML.
    pub input_yaml: Option<String>,
    /// Empty: all.
    pub stages: Vec<String>,
    /// Sent twice, it starts one run.
    pub idempotency: Option<IdempotencyKey>,
}

/// What every way to start a run comes down to.
#[derive(Clone, Debug)]
pub(crate) struct Wanted {
    pub(crate) scope: Scope,
    pub(crate) pipeline: String,
    /// Later ones win.
    pub(crate) values: Vec<values::Given>,
    pub(crate) stages: Vec<String>,
    pub(crate) started_by: windlass_engine::Principal,
    pub(crate) trigger: TriggerContext,
    /// Follows from the cause where one cause must start one run; else a new id.
    pub(crate) run: Option<RunId>,
    /// Found on the way here, for whoever looks at the run.
    pub(crate) warnings: Diagnostics,
}

/// A run that has started.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Started {
    pub run: RunId,
    /// The vendor's form of the same id.
    pub execution_id: String,
    pub sequence: u64,
    pub url: String,
    /// Tolerated deviations, and what policies warn of.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Diagnostic>,
}

impl App {
    /// Starts a run by hand.
    pub async fn start_run(
        &self,
        by: &Caller,
        pipeline: &Authorized<StoredDocument>,
        request: RunRequest,
    ) -> Answer<Started> {
        if let Some(before) = self.answered_before(by, request.idempotency.as_ref()).await? {
            return Ok(before);
        }
        let mut given = Vec::new();
        if let Some(text) = &request.input_yaml {
            given.push(values::Given::author(values::read_file(text).map_err(values::unusable)?));
        }
        if !request.inputs.is_empty() {
            given.push(values::Given::author(of_values(&request.inputs)));
        }
        let wanted = Wanted {
            scope: pipeline.document.key.scope.clone(),
            pipeline: pipeline.document.key.identifier.to_string(),
            values: given,
            stages: request.stages,
            started_by: by.executor(),
            trigger: TriggerContext::default(),
            run: None,
            warnings: Diagnostics::new(),
        };
        let start = self.prepare(wanted).await?;
        self.permit_references(by, &start).await?;
        self.begin_once(by, request.idempotency, start).await
    }

    /// Everything that can be said about a run before it begins; nothing is stored.
    pub(crate) async fn prepare(&self, wanted: Wanted) -> Answer<Start> {
        let stored = match self.find_document(Kind::Pipeline, &wanted.pipeline, &wanted.scope, None).await? {
            Lookup::Found(stored) => stored,
            Lookup::Missing { why } => return Err(Failure::not_found(why)),
        };
        let parsed = self.parsed(Kind::Pipeline, &stored);
        let mut warnings: Diagnostics = wanted.warnings.into_iter().chain(parsed.problems.clone()).collect();
        let broken = |problems: &Diagnostics| {
            let text = format!("the pipeline `{}` cannot be read any more", stored.key.identifier);
            Failure::problems("RUN0002", text, problems.clone())
        };
        let document = parsed.of(Kind::Pipeline).ok_or_else(|| broken(&warnings))?;
        let body = serde_json::json!({ "pipeline": document.body });
        let merged = values::merge(&body, &wanted.values)?;
        for note in merged.notes {
            if !warnings.iter().any(|known| *known == note) {
                warnings.push(note);
            }
        }
        let (made, problems) = read_made(&merged.document, &stored.key.scope, Kind::Pipeline);
        let Some(Entity::Pipeline(pipeline)) = made.map(|made| made.entity).filter(|_| !problems.has_errors()) else {
            return Err(values::unusable(problems));
        };
        let mut start = Start {
            run: wanted.run.unwrap_or_else(|| RunId::from_ulid(fresh::ulid(self.clock().real().now()))),
            pipeline: *pipeline,
            inputs: merged.inputs,
            document: merged.document,
            sequence: 0,
            facts: self.facts(&stored.key.scope).await?,
            trigger: wanted.trigger,
            started_by: wanted.started_by,
            settings: self.settings_at(&stored.key.scope).await?.for_run(),
            selected_stages: wanted.stages,
            nonce: fresh::nonce(),
            warnings: warnings.into_iter().collect(),
            expression_values: BTreeMap::new(),
            mode: windlass_engine::Mode::default(),
        };
        let warned = self.govern_start(&stored.key.scope, &start).await?;
        start.warnings.extend(warned);
        Ok(start)
    }

    /// Begins a prepared run; whoever starts it, every run begins here. `along` is stored with it or not at all.
    pub(crate) async fn begin(
        &self,
        mut start: Start,
        along: impl FnOnce(&Started) -> Answer<Write>,
    ) -> Answer<Started> {
        let (scope, pipeline) = (scope_of(&start), Identifier::parse(&start.pipeline.identifier));
        let pipeline = pipeline.map_err(Failure::internal)?;
        let (run, url) = (start.run, format!("{}/runs/{}", self.parts().public_url, start.run));
        // As it is now, also for a run that repeats an older one.
        start.settings.step_start_policies = self.has_step_start_policies(&scope).await?;
        start.sequence = self.store().runs().next_sequence(&scope, &pipeline).await?;
        start.facts.execution_url.clone_from(&url);
        let (sequence, warnings) = (start.sequence, start.warnings.clone());
        let started = Started { run, execution_id: run.execution_id(), sequence, url, warnings };
        match self.submit(run, Input::Start(start.share()), along(&started)?).await? {
            Submission::Done => Ok(started),
            Submission::Refused(refusal) => Err(super::refusal::failure("RUN0005", refusal)),
        }
    }

    /// What expressions may know about account, organization and project.
    async fn facts(&self, scope: &Scope) -> Answer<Facts> {
        let mut facts = Facts { store_type: "inline".to_owned(), ..Facts::default() };
        facts.account.identifier.clone_from(&self.parts().account);
        facts.account.name.clone_from(&self.parts().account);
        if let Some(org) = scope.org() {
            facts.org.identifier = org.to_string();
            facts.org.name = org.to_string();
            if let Lookup::Found(document) = self.find_document(Kind::Org, org.as_str(), &Scope::Account, None).await? {
                facts.org.name = document.name;
            }
        }
        if let (Some(org), Some(project)) = (scope.org(), scope.project()) {
            facts.project.identifier = project.to_string();
            facts.project.name = project.to_string();
            let at = Scope::Org { org: org.clone() };
            if let Lookup::Found(document) = self.find_document(Kind::Project, project.as_str(), &at, None).await? {
                facts.project.name = document.name;
                facts.project.tags = document.tags;
            }
        }
        facts.variables.account = self.variables(Scope::Account).await?;
        if let Some(org) = scope.org() {
            facts.variables.org = self.variables(Scope::Org { org: org.clone() }).await?;
        }
        if scope.project().is_some() {
            facts.variables.project = self.variables(scope.clone()).await?;
        }
        Ok(facts)
    }

    /// The variables that are saved at exactly this scope: `<+variable.x>` (pipelines §3.2).
    async fn variables(&self, scope: Scope) -> Answer<BTreeMap<String, String>> {
        let kind = Some(Kind::Variable.words().root.to_owned());
        let filter = DocumentFilter { kind, scopes: Scopes::At(scope), ..Default::default() };
        let mut variables = BTreeMap::new();
        let mut page = PageRequest::first(200);
        loop {
            let found = self.store().documents().list(&filter, &page).await?;
            for document in &found.items {
                let body = self.body_of(Kind::Variable, document)?;
                if let Some(value) = body.pointer("/spec/fixedValue").and_then(Json::as_str) {
                    variables.insert(document.key.identifier.to_string(), value.to_owned());
                }
            }
            match found.next {
                Some(next) => page = PageRequest { after: Some(next), ..page },
                None => return Ok(variables),
            }
        }
    }
}

/// The project of a run that has not begun.
pub(crate) fn scope_of(start: &Start) -> Scope {
    let part = |text: &str| Identifier::parse(text).ok();
    Scope::of(part(&start.pipeline.org), part(&start.pipeline.project)).unwrap_or_default()
}

impl Principal {
    /// As the one on whose behalf a run runs.
    pub(crate) fn executor(&self) -> windlass_engine::Principal {
        windlass_engine::Principal {
            principal: self.id.clone(),
            name: self.name.clone(),
            email: self.email.clone(),
            person: self.person,
        }
    }
}
