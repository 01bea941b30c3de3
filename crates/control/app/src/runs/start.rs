//! Starting a run: find the pipeline, merge the inputs, check everything before anything happens.

use super::{Submission, inputs};
use crate::documents::Lookup;
use crate::{Answer, App, Failure, Principal, fresh};
use serde::Serialize;
use std::collections::BTreeMap;
use windlass_document::{Entity, Kind, read};
use windlass_engine::{Facts, Input, Settings, Start, TriggerContext};
use windlass_model::{Json, RunId, Scope};
use windlass_store::Write;

/// What somebody asks for.
#[derive(Clone, Debug, Default)]
pub struct RunRequest {
    /// The project.
    pub scope: Scope,
    pub pipeline: String,
    /// Values of pipeline variables by name.
    pub inputs: BTreeMap<String, Json>,
    /// A sparse pipeline as YAML.
    pub input_yaml: Option<String>,
    /// Empty: all.
    pub stages: Vec<String>,
}

/// What every way to start a run comes down to.
#[derive(Clone, Debug)]
pub(crate) struct Wanted {
    pub(crate) scope: Scope,
    pub(crate) pipeline: String,
    pub(crate) supplied: BTreeMap<String, Json>,
    pub(crate) stages: Vec<String>,
    pub(crate) started_by: windlass_engine::Principal,
    pub(crate) trigger: TriggerContext,
}

/// A run that has started.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Started {
    pub run: RunId,
    /// The vendor's form of the same id.
    pub execution_id: String,
    pub sequence: u64,
    pub url: String,
}

impl App {
    /// Starts a run by hand.
    pub async fn start_run(&self, by: &Principal, request: RunRequest) -> Answer<Started> {
        let mut supplied = match &request.input_yaml {
            None => BTreeMap::new(),
            Some(text) => inputs::of_yaml(text)
                .map_err(|problems| Failure::problems("RUN0001", "the inputs cannot be used", problems))?,
        };
        supplied.extend(request.inputs);
        let started_by = windlass_engine::Principal {
            principal: by.id.clone(),
            name: by.name.clone(),
            email: by.email.clone(),
            person: by.person,
        };
        let wanted = Wanted {
            scope: request.scope,
            pipeline: request.pipeline,
            supplied,
            stages: request.stages,
            started_by,
            trigger: TriggerContext::default(),
        };
        self.launch(wanted).await
    }

    /// Whoever starts it, every run starts here.
    pub(crate) async fn launch(&self, wanted: Wanted) -> Answer<Started> {
        let stored = match self.find_document(Kind::Pipeline, &wanted.pipeline, &wanted.scope, None).await? {
            Lookup::Found(stored) => stored,
            Lookup::Missing { why } => return Err(Failure::not_found(why)),
        };
        let (documents, warnings) = read("", &stored.text, &stored.key.scope, Some(Kind::Pipeline));
        let found = documents.into_iter().find(|d| d.kind == Kind::Pipeline);
        let broken = || {
            let text = format!("the pipeline `{}` cannot be read any more", stored.key.identifier);
            Failure::problems("RUN0002", text, warnings.clone())
        };
        let document = found.ok_or_else(broken)?;
        let Entity::Pipeline(mut pipeline) = document.entity else { return Err(broken()) };
        let mut body = serde_json::json!({ "pipeline": document.body });
        inputs::merge(&mut pipeline, &mut body, &wanted.supplied)
            .map_err(|problems| Failure::problems("RUN0001", "the pipeline cannot run with these inputs", problems))?;
        let unknown = wanted.stages.iter().find(|s| !pipeline.stages().any(|stage| &stage.identifier == *s));
        if let Some(stage) = unknown {
            return Err(Failure::invalid("RUN0003", format!("the pipeline has no stage `{stage}`")));
        }
        if !wanted.stages.is_empty() && !pipeline.allow_stage_executions {
            return Err(Failure::invalid("RUN0004", "this pipeline does not allow to run single stages")
                .hint("set `allowStageExecutions: true`"));
        }
        let sequence = self.store().runs().next_sequence(&stored.key.scope, &stored.key.identifier).await?;
        let run = RunId::from_ulid(fresh::ulid(self.clock().real().now()));
        let url = format!("{}/runs/{run}", self.parts().public_url);
        let start = Start {
            run,
            pipeline: *pipeline,
            inputs: serde_json::to_value(&wanted.supplied).unwrap_or(Json::Null),
            document: body,
            sequence,
            facts: self.facts(&stored.key.scope, &url).await?,
            trigger: wanted.trigger,
            started_by: wanted.started_by,
            settings: Settings::default(),
            selected_stages: wanted.stages,
            nonce: fresh::nonce(),
            warnings: warnings.into_iter().collect(),
            expression_values: BTreeMap::new(),
            mode: windlass_engine::Mode::default(),
        };
        match self.machine().submit(run, Input::Start(start.share()), Write::new()).await? {
            Submission::Done => Ok(Started { run, execution_id: run.execution_id(), sequence, url }),
            Submission::Refused(refusal) => Err(Failure::invalid("RUN0005", refusal.to_string())),
        }
    }

    /// What expressions may know about account, organization and project.
    async fn facts(&self, scope: &Scope, url: &str) -> Answer<Facts> {
        let mut facts = Facts { execution_url: url.to_owned(), store_type: "inline".to_owned(), ..Facts::default() };
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
        Ok(facts)
    }
}
