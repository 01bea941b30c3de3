//! What runs below a node, and what it waits for.

use crate::event::Ending;
use crate::id::ResourceId;
use crate::plan::Section;
use std::collections::BTreeMap;
use std::sync::Arc;
use windlass_model::approval::ApprovalActivity;
use windlass_model::pipeline::Action;
use windlass_model::{ApprovalSpec, Failure, Status, Timestamp};

/// The part of a node that has children.
#[derive(Clone, Debug, Default)]
pub(crate) struct Container {
    pub section: Section,
    /// The entry of the section's list that runs or ran last.
    pub item: Option<usize>,
    /// Set when nothing new may start below.
    pub ending: Option<Ending>,
    /// Why the rollback section began.
    pub rollback: Option<Arc<str>>,
}

/// What a node waits for.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) enum Wait {
    /// Nothing: it goes on within the same decision, or its children run.
    #[default]
    Nothing,
    Inputs(Arc<BTreeMap<String, String>>),
    Resource(ResourceId),
    Barrier(Arc<str>),
    Lookup {
        request: u32,
    },
    /// Somebody has to start it.
    Start {
        until: Timestamp,
    },
    Policy {
        request: u32,
    },
    Task,
    /// Asked to stop: once it has, it ends with `status`, or fails when there is a failure.
    Cancel {
        status: Status,
        failure: Option<Arc<Failure>>,
    },
    Approval(Arc<Approval>),
    Time {
        until: Timestamp,
    },
    Retry {
        until: Timestamp,
    },
    Intervention {
        until: Timestamp,
        on_timeout: Arc<Action>,
    },
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Approval {
    pub spec: Arc<ApprovalSpec>,
    pub activities: Vec<ApprovalActivity>,
}
