//! The `spec` of a Verify step after its expressions were resolved (kubernetes-deploy §3.1).

use crate::sensitivity::{UnknownSensitivity, sensitivity};
use serde::{Deserialize, Serialize};
use windlass_model::task::verify::{OnInconclusive, Sensitivity, VerifyKind};
use windlass_model::time::DurationError;
use windlass_model::{Json, Millis};

const KINDS: [(&str, VerifyKind); 6] = [
    ("Auto", VerifyKind::Auto),
    ("Canary", VerifyKind::Canary),
    ("Bluegreen", VerifyKind::Bluegreen),
    ("Rolling", VerifyKind::Rolling),
    ("LoadTest", VerifyKind::LoadTest),
    ("SimpleVerification", VerifyKind::SimpleVerification),
];

/// With which stored run a load test is compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Baseline {
    #[default]
    Last,
    Pinned,
}

/// A health source of the monitored service, by identifier.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HealthSourceRef {
    pub identifier: String,
}

/// A Verify step, checked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct VerifySpec {
    #[serde(rename = "type")]
    pub kind: VerifyKind,
    pub duration: Millis,
    pub sensitivity: Sensitivity,
    pub deployment_tag: Option<String>,
    /// Percent of the traffic that the release gets, at most 50.
    pub traffic_split_percentage: Option<f64>,
    pub baseline: Baseline,
    /// Fail where otherwise the step would be skipped for want of data.
    pub fail_on_no_analysis: bool,
    pub on_inconclusive: OnInconclusive,
    pub health_sources: Vec<HealthSourceRef>,
}

/// Why a Verify step cannot run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum VerifySpecError {
    #[error("`spec.{0}` is missing")]
    Missing(&'static str),
    #[error("`spec.type` is `{0}`: write Auto, Canary, Bluegreen, Rolling, LoadTest or SimpleVerification")]
    Type(String),
    #[error("`spec.sensitivity`: {0}")]
    Sensitivity(#[from] UnknownSensitivity),
    #[error("`spec.duration`: {0}")]
    Duration(#[from] DurationError),
    #[error("`spec.duration` is 0: a verification takes at least a minute")]
    NoDuration,
    #[error("`spec.{field}` is `{value}`: {wanted}")]
    Value { field: &'static str, value: String, wanted: &'static str },
}

impl VerifySpec {
    /// Reads a resolved `spec`. What belongs into the nested `spec` is also taken from beside it (pipelines SEED-53).
    pub fn from_json(spec: &Json) -> Result<Self, VerifySpecError> {
        let nested = spec.get("spec");
        let field = |name: &str| {
            let found = nested.and_then(|nested| nested.get(name)).or_else(|| spec.get(name));
            found.filter(|value| !value.is_null())
        };
        let text = |name: &str| field(name).map(plain);
        let duration = Millis::parse(&text("duration").ok_or(VerifySpecError::Missing("duration"))?)?;
        if duration == Millis::ZERO {
            return Err(VerifySpecError::NoDuration);
        }
        let split = text("trafficSplitPercentage").map(|value| {
            let wanted = "write a number of percent above 0, at most 50";
            let number = value.trim().trim_end_matches('%').trim().parse().ok().filter(|n| *n > 0.0 && *n <= 50.0);
            number.ok_or(VerifySpecError::Value { field: "trafficSplitPercentage", value, wanted })
        });
        let word = |name: &'static str, wanted: &'static str, words: &[&str]| {
            let Some(value) = text(name) else { return Ok(0) };
            let place = words.iter().position(|word| word.eq_ignore_ascii_case(value.trim()));
            place.ok_or(VerifySpecError::Value { field: name, value, wanted })
        };
        let sources = spec.get("healthSources").and_then(Json::as_array).map(Vec::as_slice).unwrap_or_default();
        Ok(Self {
            kind: kind(&plain(spec.get("type").ok_or(VerifySpecError::Missing("type"))?))?,
            duration,
            sensitivity: text("sensitivity").map(|text| sensitivity(&text)).transpose()?.unwrap_or_default(),
            deployment_tag: text("deploymentTag"),
            traffic_split_percentage: split.transpose()?,
            baseline: match word("baseline", "write LAST or PINNED", &["LAST", "PINNED"])? {
                0 => Baseline::Last,
                _ => Baseline::Pinned,
            },
            fail_on_no_analysis: word("failOnNoAnalysis", "write true or false", &["false", "true"])? == 1,
            on_inconclusive: match word("onInconclusive", "write pause, pass or fail", &["pause", "pass", "fail"])? {
                0 => OnInconclusive::Pause,
                1 => OnInconclusive::Pass,
                _ => OnInconclusive::Fail,
            },
            health_sources: sources
                .iter()
                .filter_map(|source| source.get("identifier"))
                .map(|identifier| HealthSourceRef { identifier: plain(identifier) })
                .collect(),
        })
    }
}

fn kind(text: &str) -> Result<VerifyKind, VerifySpecError> {
    let found = KINDS.into_iter().find(|(name, _)| name.eq_ignore_ascii_case(text.trim()));
    found.map(|(_, kind)| kind).ok_or_else(|| VerifySpecError::Type(text.to_owned()))
}

fn plain(value: &Json) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_written_forms_are_read() {
        let nested = json!({
            "type": "Canary",
            "monitoredService": {"type": "Default", "spec": {}},
            "healthSources": [{"identifier": "prom"}],
            "spec": {"sensitivity": "medium", "duration": "10m", "trafficSplitPercentage": "20", "deploymentTag": "v2"},
        });
        let spec = VerifySpec::from_json(&nested).unwrap();
        assert_eq!(
            (spec.kind, spec.sensitivity, spec.duration),
            (VerifyKind::Canary, Sensitivity::Medium, Millis::from_mins(10))
        );
        assert_eq!((spec.traffic_split_percentage, spec.deployment_tag.as_deref()), (Some(20.0), Some("v2")));
        assert_eq!(spec.health_sources, [HealthSourceRef { identifier: "prom".into() }]);
        // SEED-53: no nested spec.
        let lifted =
            VerifySpec::from_json(&json!({"type": "Canary", "duration": "5m", "sensitivity": "HIGH"})).unwrap();
        assert_eq!((lifted.sensitivity, lifted.duration), (Sensitivity::High, Millis::from_mins(5)));
        assert_eq!(serde_json::from_value::<VerifySpec>(serde_json::to_value(&lifted).unwrap()).unwrap(), lifted);
    }

    #[test]
    fn what_is_wrong_is_named() {
        let error = |spec: Json| VerifySpec::from_json(&spec).unwrap_err().to_string();
        assert_eq!(error(json!({"type": "Canary"})), "`spec.duration` is missing");
        assert_eq!(error(json!({"duration": "5m"})), "`spec.type` is missing");
        assert_eq!(
            error(json!({"type": "Canary", "duration": "0s"})),
            "`spec.duration` is 0: a verification takes at least a minute"
        );
        assert!(error(json!({"type": "Canari", "duration": "5m"})).contains("Canari"));
        assert!(
            error(json!({"type": "Canary", "spec": {"duration": "5m", "sensitivity": "extreme"}}))
                .contains("LOW, MEDIUM or HIGH")
        );
        assert!(
            error(json!({"type": "Canary", "duration": "5m", "trafficSplitPercentage": 60})).contains("at most 50")
        );
        assert!(error(json!({"type": "Canary", "duration": ["5m"]})).contains("is not a duration"));
    }
}
