use super::task;
use crate::draft::Draft;
use crate::nodes::NodeIx;
use std::collections::BTreeMap;
use windlass_model::task::shell::{Shell, ShellWork};
use windlass_model::task::{Secrets, Work};
use windlass_model::{Failure, FailureType};

pub(super) fn proceed(draft: &mut Draft, ix: NodeIx) -> Result<(), Failure> {
    let spec = draft.plan(ix).step().map(|step| step.spec.clone()).unwrap_or_default();
    let script = spec.pointer("/source/spec/script").and_then(|script| script.as_str());
    let script = script
        .ok_or_else(|| Failure::new(FailureType::ConfigurationFailure, "`source.spec.script` is missing"))?
        .to_owned();
    let work = ShellWork { shell: Shell::Bash, script, environment: BTreeMap::new(), outputs: Vec::new() };
    task::request(draft, ix, Work::Shell(Box::new(work)), Default::default(), Secrets::default());
    Ok(())
}
