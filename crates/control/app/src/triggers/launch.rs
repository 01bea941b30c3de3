//! From a trigger that fits to the run it wants.

use super::judge::{Refused, judge, one_line};
use super::stored::Stored;
use super::{github, status};
use crate::documents::Lookup;
use crate::runs::start::Wanted;
use crate::runs::{Given, read_yaml};
use crate::{Answer, App};
use windlass_diagnostic::Diagnostics;
use windlass_document::Kind;
use windlass_document::entity::{Trigger, TriggerSource};
use windlass_engine::TriggerContext;
use windlass_engine::runtime_inputs::of_trigger;
use windlass_model::{RunId, Scope};

impl App {
    /// What a trigger wants to run for an event, or why nothing.
    pub(super) async fn consider(
        &self,
        stored: &Stored,
        event: &TriggerContext,
        run: Option<RunId>,
    ) -> Answer<Result<Wanted, Refused>> {
        let trigger = match &stored.trigger {
            Ok(trigger) => trigger,
            Err(why) => return Ok(Err(Refused::new(status::EXCEPTION, why))),
        };
        let mut event =
            TriggerContext { identifier: stored.key.trigger.to_string(), name: stored.name.clone(), ..event.clone() };
        if let Err(refused) = judge(trigger, &event, self.clock().now()) {
            return Ok(Err(refused));
        }
        if let TriggerSource::Github { auto_abort: true, .. } = &trigger.source {
            let key = &stored.key;
            github::replaces(&mut event, &format!("{}/{}/{}", key.scope, key.pipeline, key.trigger));
        }
        let (values, warnings) = match self.values(trigger, &event) {
            Ok(values) => values,
            Err(problems) => return Ok(Err(Refused::new(status::INVALID_INPUTS, one_line(&problems)))),
        };
        let principal = match self.runs_as(stored, trigger).await? {
            Ok(principal) => principal,
            Err(why) => return Ok(Err(Refused::new(status::DID_NOT_EXECUTE, why))),
        };
        Ok(Ok(Wanted {
            scope: stored.key.scope.clone(),
            pipeline: stored.key.pipeline.to_string(),
            values,
            stages: trigger.stages_to_execute.clone(),
            // People see the trigger's name; nobody is kept from approving as its executor (pipelines §7.2, SEED-44).
            started_by: windlass_engine::Principal {
                principal,
                name: stored.key.trigger.to_string(),
                email: None,
                person: false,
            },
            trigger: event,
            run,
            warnings,
        }))
    }

    /// `inputYaml` over the payload: what its author wrote, and what came from outside.
    fn values(&self, trigger: &Trigger, event: &TriggerContext) -> Result<(Vec<Given>, Diagnostics), Diagnostics> {
        let Some(text) = trigger.input_yaml.as_deref().filter(|text| !text.trim().is_empty()) else {
            return Ok((Vec::new(), Diagnostics::new()));
        };
        let inputs = of_trigger(&read_yaml(text)?, event, self.clock().now())
            .map_err(|problems| problems.into_iter().collect::<Diagnostics>())?;
        let values = vec![Given::author(inputs.author), Given::outside(inputs.outside)];
        Ok((values, inputs.warnings.into_iter().collect()))
    }

    /// The trigger's service account, else its last editor, as long as there is one (decisions, Webhooks).
    async fn runs_as(&self, stored: &Stored, trigger: &Trigger) -> Answer<Result<String, String>> {
        if let Some(reference) = &trigger.run_as {
            return Ok(match self.find_document(Kind::ServiceAccount, reference, &stored.key.scope, None).await? {
                Lookup::Found(account) => Ok(service_account(&account.key.scope, account.key.identifier.as_str())),
                Lookup::Missing { why } => Err(format!("`runAs`: {why}")),
            });
        }
        let editor = &stored.editor;
        let Some(user) = editor.strip_prefix("user:") else { return Ok(Ok(editor.clone())) };
        let active = self.store().users().get(user).await?.is_some_and(|user| user.state == "active");
        Ok(if active {
            Ok(editor.clone())
        } else {
            Err(format!("{editor}, who edited the trigger last, is gone: save it again, or set `runAs`"))
        })
    }
}

/// How principals name a service account.
pub(crate) fn service_account(scope: &Scope, identifier: &str) -> String {
    match scope {
        Scope::Account => format!("serviceAccount:account/{identifier}"),
        Scope::Org { org } => format!("serviceAccount:{org}/{identifier}"),
        Scope::Project { org, project } => format!("serviceAccount:{org}/{project}/{identifier}"),
    }
}
