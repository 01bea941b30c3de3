//! Policies on save: asked before a document is stored (pipelines §8.2).

use super::apply::Change;
use crate::policies::Subject;
use crate::{Answer, App, Failure};
use windlass_diagnostic::Diagnostic;
use windlass_document::{Document, Kind};
use windlass_model::{Json, Scope};
use windlass_policy::input::{entity, pipeline};
use windlass_policy::{Action, Governance, PolicyType, Severity, select};
use windlass_store::{Scopes, Write};

/// Kinds that policies are asked about when they are saved.
const fn policy_type(kind: Kind) -> Option<PolicyType> {
    Some(match kind {
        Kind::Pipeline => PolicyType::Pipeline,
        Kind::Service => PolicyType::Service,
        Kind::Environment => PolicyType::Environment,
        Kind::Infrastructure => PolicyType::Infrastructure,
        Kind::Connector => PolicyType::Connector,
        Kind::Secret => PolicyType::Secret,
        Kind::Variable => PolicyType::Variable,
        Kind::ServiceAccount => PolicyType::ServiceAccount,
        _ => return None,
    })
}

impl App {
    /// Asks the policies about a document. What they deny is refused, what they warn of is answered.
    pub(super) async fn govern_save(&self, by: &str, document: &Document, change: Change) -> Answer<Vec<Diagnostic>> {
        let Some(kind) = policy_type(document.kind).filter(|_| change != Change::Unchanged) else {
            return Ok(Vec::new());
        };
        let header = &document.header;
        let scope = &header.scope;
        let sets = self.policy_sets(&Scopes::VisibleFrom(scope.clone())).await?;
        if select(sets.iter().map(|(scope, set)| (scope, set)), kind, Action::OnSave, scope).is_empty() {
            return Ok(Vec::new());
        }
        let input = self.save_input(by, document, kind).await?;
        let id = header.identifier.as_str();
        let subject = Subject { kind, action: Action::OnSave, scope, entity: id, run: None, node: None };
        let Some(verdict) = self.govern(&subject, &input).await? else { return Ok(Vec::new()) };
        self.note_verdict(by, scope, document.kind, id, &verdict).await?;
        if verdict.deny {
            let message = format!("a policy does not allow the {} `{id}`: {}", document.kind, verdict.message);
            let details = serde_json::to_value(&verdict).map_err(Failure::internal)?;
            return Err(Failure::invalid("DOC0102", message).details(details));
        }
        Ok(warnings(&verdict)
            .map(|text| Diagnostic::warning("DOC0102", text).path(format!("{}/{id}", document.kind)))
            .collect())
    }

    async fn save_input(&self, by: &str, document: &Document, kind: PolicyType) -> Answer<Json> {
        let scope = &document.header.scope;
        let metadata = self.policy_metadata(by, scope, kind, Action::OnSave).await?;
        let mut body = document.body.clone();
        if let (Kind::Secret, Some(spec)) = (document.kind, body.get_mut("spec").and_then(Json::as_object_mut)) {
            spec.remove("value");
        }
        Ok(match kind {
            PolicyType::Pipeline => {
                let body = body.get("pipeline").unwrap_or(&body);
                pipeline(self.expanded(scope, body).await?, &metadata, self.clock().now())
            }
            kind => entity(kind, body, &metadata),
        })
    }

    /// What policies said is in the audit trail when it was more than yes.
    pub(crate) async fn note_verdict(
        &self,
        by: &str,
        scope: &Scope,
        kind: Kind,
        id: &str,
        verdict: &Governance,
    ) -> Answer<()> {
        if verdict.status == windlass_policy::Status::Pass {
            return Ok(());
        }
        let body = serde_json::json!({
            "evaluation": verdict.id,
            "action": verdict.action,
            "status": verdict.status,
            "deny": verdict.deny,
            "messages": told(verdict).collect::<Vec<_>>(),
        });
        let mut write = Write::new();
        write.audit(&crate::audit::record(self.clock().now(), scope, by, "EVALUATE", kind, id, body));
        self.store().write(write).await?;
        Ok(())
    }
}

/// Every message of every policy that was not satisfied.
fn told(verdict: &Governance) -> impl Iterator<Item = &str> {
    verdict
        .details
        .iter()
        .flat_map(|set| &set.policy_metadata)
        .flat_map(|policy| &policy.deny_messages)
        .map(String::as_str)
}

/// The messages of those that only warn.
pub(crate) fn warnings(verdict: &Governance) -> impl Iterator<Item = &str> {
    let policies = verdict.details.iter().flat_map(|set| &set.policy_metadata);
    policies
        .filter(|policy| policy.severity == Severity::Warning)
        .flat_map(|policy| &policy.deny_messages)
        .map(String::as_str)
}
