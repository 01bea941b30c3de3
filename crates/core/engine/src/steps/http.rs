use super::task;
use crate::draft::Draft;
use crate::nodes::NodeIx;
use windlass_model::task::http::HttpWork;
use windlass_model::task::{Secrets, Work};
use windlass_model::{Failure, FailureType};

pub(super) fn proceed(draft: &mut Draft, ix: NodeIx) -> Result<(), Failure> {
    let spec = draft.plan(ix).step().map(|step| step.spec.clone()).unwrap_or_default();
    let text = |key: &str| spec.get(key).and_then(|value| value.as_str()).map(str::to_owned);
    let missing = |key: &str| Failure::new(FailureType::ConfigurationFailure, format!("`{key}` is missing"));
    let work = HttpWork {
        url: text("url").ok_or_else(|| missing("url"))?,
        method: text("method").ok_or_else(|| missing("method"))?,
        headers: Vec::new(),
        body: text("requestBody"),
    };
    task::request(draft, ix, Work::Http(Box::new(work)), Default::default(), Secrets::default());
    Ok(())
}
