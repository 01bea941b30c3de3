//! Did the release make things worse?
//!
//! Two tests answer, chosen by the kind of metric (kubernetes-deploy §3.4): gauges by the shift between two samples with an
//! interval that allows for autocorrelation, counts by an exact conditional test of two rates. Logs are reduced to templates.
//! Everything is deterministic: the same samples give the same report, and every verdict carries its numbers and its reason.
//!
//! The way through: [`control::choose`] says which samples are compared, [`evaluate`] judges them, [`Report`] tells why.

mod builtin;
mod clean;
pub mod control;
mod count;
mod evaluate;
mod figure;
mod gauge;
pub mod log;
mod metric;
mod report;
mod sample;
mod score;
mod sensitivity;
mod settings;
pub mod stats;
mod threshold;
mod verify_spec;

pub use builtin::{BUILTIN, Builtin, Source};
pub use clean::WARM_UP;
pub use evaluate::{Evaluation, Look, evaluate};
pub use log::{Feedback, LogEvidence, LogReport, Miner};
pub use metric::{Bound, Critical, FailFast, Group, Kind, Metric, NanRule, Outliers};
pub use report::{GroupScore, MetricReport, MetricVerdict, Report, Verdict};
pub use sample::{Data, Observed, Reading, Series, Sides, Tally, Window};
pub use sensitivity::{UnknownSensitivity, sensitivity};
pub use settings::{OnNoData, Settings};
pub use verify_spec::{Baseline, HealthSourceRef, VerifySpec, VerifySpecError};

// The words of verification tasks.
pub use windlass_model::task::verify::{
    Direction, OnInconclusive, Sensitivity, VerifyKind, VerifyKind as VerificationType,
};
