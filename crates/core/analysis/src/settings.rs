use crate::log::Feedback;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use windlass_model::task::verify::{OnInconclusive, Sensitivity};

/// What follows when more than half of the metrics have no data (kubernetes-deploy §3.4 D).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OnNoData {
    Fail,
    Warn,
    Pass,
}

/// How one verification judges.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Settings {
    pub sensitivity: Sensitivity,
    /// Left out: fail when health sources were configured, warn when only built-in metrics were.
    pub on_no_data: Option<OnNoData>,
    pub on_inconclusive: OnInconclusive,
    /// Whether the author configured health sources; built-in metrics alone are no promise.
    pub health_sources: bool,
    /// What people said about log templates, by template text.
    pub feedback: BTreeMap<String, Feedback>,
}

impl Settings {
    pub fn on_no_data(&self) -> OnNoData {
        self.on_no_data.unwrap_or(if self.health_sources { OnNoData::Fail } else { OnNoData::Warn })
    }
}
