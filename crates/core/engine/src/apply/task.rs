use super::on;
use crate::event::{TaskEnded, TaskMoved, TaskRequested};
use crate::node::Wait;
use crate::run::Run;
use std::sync::Arc;
use windlass_model::Status;
use windlass_model::task::Outcome;

pub(super) fn requested(run: &mut Run, e: &TaskRequested) {
    on(run, &e.task.at.node, |node| {
        node.wait = Wait::Task;
        node.status = Status::TaskWaiting;
        node.touched = true;
    });
}

pub(super) fn moved(run: &mut Run, e: &TaskMoved) {
    on(run, &e.node, |node| {
        node.worker = e.worker.as_deref().map(Arc::from);
        node.reason = Some(e.why.as_str().into());
        if node.wait == Wait::Task {
            node.status = if e.worker.is_some() { Status::Running } else { Status::TaskWaiting };
        }
    });
}

pub(super) fn ended(run: &mut Run, e: &TaskEnded) {
    on(run, &e.node, |node| {
        node.go_on();
        node.reason = None;
        if let Some(worker) = &e.worker {
            node.worker = Some(worker.as_str().into());
        }
        let output = match &*e.outcome {
            Outcome::Succeeded { output } | Outcome::Skipped { output, .. } | Outcome::Failed { output, .. } => output,
            Outcome::Aborted { .. } | Outcome::Interrupted { .. } => &windlass_model::Json::Null,
        };
        node.output = (!output.is_null()).then(|| Arc::new(output.clone()));
        node.outcome = Some(Arc::clone(&e.outcome));
    });
}
