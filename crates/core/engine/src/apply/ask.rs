use super::on;
use crate::event::{
    ApprovalActed, ApprovalOpened, InputsReceived, InputsRequested, PolicyAnswered, PolicyRequested, PreviewMade,
    PreviewRequested, PreviewStopped, ReferencesRequested, ReferencesResolved,
};
use crate::lookup::Lookup;
use crate::node::{Approval, Preview, Wait};
use crate::run::Run;
use std::sync::Arc;
use windlass_model::{Failure, FailureType, Status};

pub(super) fn references_requested(run: &mut Run, e: &ReferencesRequested) {
    on(run, &e.node, |node| {
        node.wait = Wait::Lookup { request: e.request };
        node.asked = e.references.as_slice().into();
    });
}

pub(super) fn references_resolved(run: &mut Run, e: &ReferencesResolved) {
    on(run, &e.node, |node| {
        node.go_on();
        let references = std::mem::replace(&mut node.asked, Arc::from([]));
        node.lookups.push(Lookup { references, found: Arc::clone(&e.found) });
    });
}

pub(super) fn policy_requested(run: &mut Run, e: &PolicyRequested) {
    on(run, &e.node, |node| {
        node.wait = Wait::Policy { request: e.request };
        node.status = Status::AsyncWaiting;
    });
}

pub(super) fn policy_answered(run: &mut Run, e: &PolicyAnswered) {
    on(run, &e.node, |node| {
        node.go_on();
        node.verdicts.push(e.verdict.clone());
    });
}

pub(super) fn inputs_requested(run: &mut Run, e: &InputsRequested) {
    on(run, &e.node, |node| {
        node.wait = Wait::Inputs(Arc::new(e.inputs.clone()));
        node.status = Status::InputWaiting;
    });
}

pub(super) fn inputs_received(run: &mut Run, e: &InputsReceived) {
    on(run, &e.node, |node| {
        node.go_on();
        node.inputs = Some(Arc::new(e.values.clone()));
    });
}

pub(super) fn approval_opened(run: &mut Run, e: &ApprovalOpened) {
    on(run, &e.node, |node| {
        node.wait = Wait::Approval(Arc::new(Approval { spec: Arc::clone(&e.spec), activities: Vec::new() }));
        node.status = Status::ApprovalWaiting;
    });
}

pub(super) fn approval_acted(run: &mut Run, e: &ApprovalActed) {
    on(run, &e.node, |node| {
        if let Wait::Approval(approval) = &mut node.wait {
            Arc::make_mut(approval).activities.push(e.activity.clone());
        }
        node.activities.push(e.activity.clone());
    });
}

pub(super) fn preview_requested(run: &mut Run, e: &PreviewRequested) {
    on(run, &e.task.at.node, |node| node.preview = Some(Arc::new(Preview::Asked)));
}

pub(super) fn preview_made(run: &mut Run, e: &PreviewMade) {
    on(run, &e.node, |node| node.preview = Some(Arc::clone(&e.preview)));
}

pub(super) fn preview_stopped(run: &mut Run, e: &PreviewStopped) {
    let failure = Failure::new(FailureType::Unknown, e.why.clone());
    on(run, &e.node, |node| node.preview = Some(Arc::new(Preview::Failed { failure })));
}
