//! What holds in a scope, typed for those who act on it.

use super::list::{Stored, effective};
use super::registry::{Definition, find};
use crate::{Answer, App};
use windlass_engine::Settings;
use windlass_model::task::kubernetes::{DeploySettings, OnFirstFailure};
use windlass_model::{Json, Millis, Scope};

/// The value of every setting in one scope; worked out when it is asked for.
#[derive(Clone, Debug)]
pub struct Values {
    stored: Vec<Stored>,
    scope: Scope,
}

impl App {
    /// What is set in a scope: by it, by a wider one, or by default.
    pub async fn settings_at(&self, scope: &Scope) -> Answer<Values> {
        Ok(Values::new(self.stored_settings(scope).await?, scope))
    }
}

impl Values {
    pub(super) fn new(stored: Vec<Stored>, scope: &Scope) -> Self {
        Self { stored, scope: scope.clone() }
    }

    fn json(&self, name: &str) -> Json {
        find(name).map_or(Json::Null, |one| effective(one, &self.stored, &self.scope).value)
    }

    fn is(&self, name: &str) -> bool {
        self.json(name) == Json::Bool(true)
    }

    fn whole(&self, name: &str) -> u64 {
        self.json(name).as_u64().unwrap_or_default()
    }

    fn duration(&self, name: &str) -> Millis {
        self.json(name).as_str().and_then(|text| Millis::parse(text).ok()).unwrap_or_default()
    }

    fn seconds(&self, name: &str) -> u32 {
        u32::try_from(self.duration(name).0 / 1_000).unwrap_or(u32::MAX)
    }

    fn small(&self, name: &str) -> u32 {
        u32::try_from(self.whole(name)).unwrap_or(u32::MAX)
    }

    pub(crate) fn session_lifetime(&self) -> Millis {
        self.duration("auth.session")
    }

    pub(crate) fn keep_idempotency_keys(&self) -> Millis {
        self.duration("retention.idempotencyKeys")
    }

    pub(crate) fn keep_trigger_events(&self) -> Millis {
        self.duration("retention.triggerEvents")
    }

    pub(crate) fn lock_after(&self) -> u64 {
        self.whole("auth.lockAfter")
    }

    pub(crate) fn lock_for(&self) -> Millis {
        self.duration("auth.lockFor")
    }

    pub(crate) fn check_references(&self) -> bool {
        self.is("access.checkReferences")
    }

    /// What a run takes along when it starts.
    pub(crate) fn for_run(&self) -> Settings {
        let word = self.json("manifests.placeholderTag").as_str().unwrap_or_default().to_owned();
        Settings {
            lazy_constraint: self.json("resourceConstraint.acquire") == "lazy",
            run_failure_stages_after_rollback: self.is("pipeline.runFailureStagesAfterRollback"),
            delete_leftover_canary: self.is("deploy.deleteLeftoverCanary"),
            strict_expressions: self.is("expressions.strict"),
            blue_green_as_health_check: self.is("compat.blueGreenAsHealthCheck"),
            fail_on_no_analysis: self.is("verification.failOnNoAnalysis"),
            placeholder_tag: Some(word).filter(|word| !word.is_empty()),
            allow_user_marked_failure: self.is("pipeline.allowMarkAsFailed"),
            step_timeout: self.duration("timeout.step"),
            approval_timeout: self.duration("timeout.approval"),
            longest: self.duration("timeout.longest"),
            widest: usize::try_from(self.whole("pipeline.parallel")).unwrap_or(usize::MAX),
            deploy: self.for_deployment(),
            ..Settings::default()
        }
    }

    fn for_deployment(&self) -> DeploySettings {
        let kinds = self.json("deploy.pruneKinds");
        DeploySettings {
            enforce_namespace: self.is("deploy.enforceNamespace"),
            canary_apply_all: self.is("deploy.canaryApplyAll"),
            skip_canary_on_first_deploy: self.is("deploy.skipCanaryOnFirstDeploy"),
            on_first_failure: match self.json("deploy.onFirstFailure").as_str() {
                Some("scaleToZero") => OnFirstFailure::ScaleToZero,
                Some("delete") => OnFirstFailure::Delete,
                _ => OnFirstFailure::Keep,
            },
            allow_mass_prune: self.is("deploy.allowMassPrune"),
            prune_kinds: kinds.as_array().into_iter().flatten().filter_map(Json::as_str).map(str::to_owned).collect(),
            image_pull_grace_seconds: self.seconds("deploy.imagePullGrace"),
            crash_restarts: self.small("deploy.crashRestarts"),
            unschedulable_seconds: self.seconds("deploy.unschedulable"),
            keep_records: self.small("deploy.keepRecords"),
        }
    }
}

/// The default of a definition, as it would be kept.
pub(super) fn default_of(one: &Definition) -> Json {
    one.kind.read(one.default).unwrap_or(Json::Null)
}

#[cfg(test)]
mod tests {
    use super::Values;
    use windlass_engine::Settings;
    use windlass_model::Scope;

    #[test]
    fn nothing_set_is_what_the_engine_has_by_itself() {
        assert_eq!(Values::new(Vec::new(), &Scope::Account).for_run(), Settings::default());
    }
}
