//! Asking policy sets: when documents are saved, when runs start, when steps ask (pipelines §8).

mod who;

use crate::documents::Lookup;
use crate::{Answer, App, Failure, fresh};
use windlass_document::Kind;
use windlass_engine::{NodeAttempt, PolicyStatus, PolicyVerdict};
use windlass_model::{Failure as StepFailure, FailureType, Json, RunId, Scope, ScopedRef};
use windlass_policy::{
    Action, ActivePolicy, ActiveSet, Compiled, FoundSet, Governance, Limits, NamedSet, Policy, PolicySet, PolicyType,
    Question, Status, compile, govern, select, step_outcome, step_sets,
};
use windlass_store::documents::DocumentFilter;
use windlass_store::policy_evaluations::PolicyEvaluation;
use windlass_store::{PageRequest, Scopes, Write};

/// What is asked about.
pub(crate) struct Subject<'a> {
    pub(crate) kind: PolicyType,
    pub(crate) action: Action,
    pub(crate) scope: &'a Scope,
    pub(crate) entity: &'a str,
    pub(crate) run: Option<RunId>,
    pub(crate) node: Option<String>,
}

impl App {
    /// Asks every enabled set of a type and action for an entity. `None`: there is no such set.
    pub(crate) async fn govern(&self, subject: &Subject<'_>, input: &Json) -> Answer<Option<Governance>> {
        let all = self.policy_sets(&Scopes::VisibleFrom(subject.scope.clone())).await?;
        let chosen = select(all.iter().map(|(scope, set)| (scope, set)), subject.kind, subject.action, subject.scope);
        if chosen.is_empty() {
            return Ok(None);
        }
        self.ask(&chosen, subject, input).await.map(Some)
    }

    /// What a Policy step, `enforce`, or `onstepstart` gets as its answer. Fails closed.
    pub(crate) async fn judge_step(
        &self,
        scope: &Scope,
        sets: Option<&[String]>,
        mut payload: Json,
        by: &str,
        run: RunId,
        at: &NodeAttempt,
    ) -> Answer<PolicyVerdict> {
        let (kind, action) = match sets {
            Some(_) => (PolicyType::Custom, Action::OnStep),
            None => (PolicyType::Pipeline, Action::OnStepStart),
        };
        // What a pipeline says itself wins (pipelines §8.3).
        if let Json::Object(fields) = &mut payload
            && !fields.contains_key("metadata")
        {
            let metadata = self.policy_metadata(by, scope, kind, action).await?;
            fields.insert("metadata".to_owned(), serde_json::to_value(metadata).map_err(Failure::internal)?);
        }
        let node = Some(at.to_string());
        let subject = Subject { kind, action, scope, entity: at.node.as_str(), run: Some(run), node };
        let Some(named) = sets else {
            let answer = self.govern(&subject, &payload).await?;
            return Ok(answer.map_or_else(
                || PolicyVerdict::Judged { status: PolicyStatus::Pass, messages: Vec::new(), output: Json::Null },
                |answer| verdict(&answer, Vec::new()),
            ));
        };
        let mut found: Vec<(ScopedRef, Option<(Scope, PolicySet)>)> = Vec::new();
        for text in named {
            let reference = match ScopedRef::parse(text) {
                Ok(reference) => reference,
                Err(error) => return Ok(unable(format!("`{text}`: {error}"))),
            };
            let set = match self.find_document(Kind::PolicySet, text, scope, None).await? {
                Lookup::Missing { .. } => None,
                Lookup::Found(document) => {
                    let body = self.body_of(Kind::PolicySet, &document)?;
                    let set: PolicySet = serde_json::from_value(body).map_err(Failure::internal)?;
                    Some((document.key.scope.clone(), set))
                }
            };
            found.push((reference, set));
        }
        let known: Vec<(Scope, PolicySet)> = self.policy_sets(&Scopes::VisibleFrom(scope.clone())).await?;
        let known: Vec<&str> = known.iter().map(|(_, set)| set.identifier.as_str()).collect();
        let named: Vec<NamedSet<'_>> = found
            .iter()
            .map(|(reference, set)| NamedSet { reference, found: set.as_ref().map(|(scope, set)| (scope, set)) })
            .collect();
        let (asked, warnings) = match step_sets(&named, &known) {
            Ok(asked) => asked,
            Err(refusal) => return Ok(unable(refusal.to_string())),
        };
        let answer = self.ask(&asked, &subject, &payload).await?;
        Ok(verdict(&answer, warnings))
    }

    pub(crate) async fn policy_sets(&self, scopes: &Scopes) -> Answer<Vec<(Scope, PolicySet)>> {
        let filter = DocumentFilter {
            kind: Some(Kind::PolicySet.words().root.to_owned()),
            scopes: scopes.clone(),
            ..DocumentFilter::default()
        };
        let mut page = PageRequest::first(PageRequest::LARGEST);
        let mut sets = Vec::new();
        loop {
            let found = self.store().documents().list(&filter, &page).await?;
            for document in &found.items {
                let set =
                    serde_json::from_value(self.body_of(Kind::PolicySet, document)?).map_err(Failure::internal)?;
                sets.push((document.key.scope.clone(), set));
            }
            match found.next {
                Some(next) => page.after = Some(next),
                None => return Ok(sets),
            }
        }
    }

    async fn ask(&self, sets: &[FoundSet<'_>], subject: &Subject<'_>, input: &Json) -> Answer<Governance> {
        let mut compiled: Vec<Vec<(String, Result<Compiled, String>)>> = Vec::with_capacity(sets.len());
        for (scope, set) in sets {
            let mut policies = Vec::with_capacity(set.policies.len());
            for used in &set.policies {
                policies.push(self.policy(scope, &used.identifier).await?);
            }
            compiled.push(policies);
        }
        let active: Vec<ActiveSet<'_>> = sets
            .iter()
            .zip(&compiled)
            .map(|((scope, set), policies)| ActiveSet {
                set,
                scope,
                policies: set
                    .policies
                    .iter()
                    .zip(policies)
                    .map(|(used, (name, compiled))| ActivePolicy {
                        used,
                        name,
                        compiled: compiled.as_ref().map_err(String::as_str),
                    })
                    .collect(),
            })
            .collect();
        let now = self.clock().now();
        let id = fresh::ulid(now).to_string();
        let answer = govern(
            &active,
            &Question {
                id: &id,
                now,
                account: &self.parts().account,
                scope: subject.scope,
                entity: subject.entity,
                kind: subject.kind,
                action: subject.action,
                input,
                limits: Limits::default(),
            },
        );
        let mut write = Write::new();
        write.policy_evaluation(&PolicyEvaluation {
            id,
            scope: subject.scope.clone(),
            action: subject.action.name().to_owned(),
            subject_kind: subject.kind.name().to_owned(),
            subject: subject.entity.to_owned(),
            run: subject.run,
            node: subject.node.clone(),
            status: status_name(answer.status).to_owned(),
            at: now,
            body: serde_json::to_string(&answer).map_err(Failure::internal)?,
        });
        self.store().write(write).await?;
        Ok(answer)
    }

    /// A policy by its name, compiled, or why there is none.
    async fn policy(&self, from: &Scope, reference: &ScopedRef) -> Answer<(String, Result<Compiled, String>)> {
        let text = reference.to_string();
        match self.find_document(Kind::Policy, &text, from, None).await? {
            Lookup::Missing { why } => Ok((text, Err(why))),
            Lookup::Found(document) => {
                let policy: Policy =
                    serde_json::from_value(self.body_of(Kind::Policy, &document)?).map_err(Failure::internal)?;
                let compiled = compile(policy.identifier.as_str(), &policy.rego);
                Ok((document.name, compiled.map(|(compiled, _)| compiled).map_err(|problems| problems.to_string())))
            }
        }
    }
}

const fn status_name(status: Status) -> &'static str {
    match status {
        Status::Pass => "pass",
        Status::Warning => "warning",
        Status::Error => "error",
    }
}

fn verdict(answer: &Governance, warnings: Vec<String>) -> PolicyVerdict {
    let outcome = step_outcome(answer);
    let status = match answer.status {
        Status::Pass if warnings.is_empty() => PolicyStatus::Pass,
        Status::Pass | Status::Warning => PolicyStatus::Warning,
        Status::Error => PolicyStatus::Error,
    };
    let mut messages = warnings;
    messages.extend(outcome.banner);
    messages.extend(outcome.failure.map(|f| f.message));
    PolicyVerdict::Judged { status, messages, output: outcome.output }
}

fn unable(why: String) -> PolicyVerdict {
    PolicyVerdict::Unable { failure: StepFailure::new(FailureType::PolicyEvaluationFailure, why) }
}
