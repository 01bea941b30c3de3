//! The engine of a run: what follows from what happened (architecture §5).
//!
//! [`decide`] holds every rule and does nothing; [`apply`] changes the state and holds no rule; [`effects`] says what
//! must happen outside. The log of events is the truth of a run: folding [`apply`] over it gives the [`Run`], and
//! [`project`] gives the rows that people look at.
//!
//! What an embedder promises:
//! - the events of one input are stored in one transaction, together with their effects, before any effect is
//!   performed;
//! - effects are performed at least once; [`EffectKey`] tells repetitions apart;
//! - effects of one decision count in their order: a timer that it sets and clears is cleared, one that it clears and
//!   sets is set;
//! - every answer comes back as an [`Input`]. A repeated or late one is refused as [stale](Refusal::is_stale) and may
//!   be dropped; a timer that is [too early](Refusal::TooEarly) is kept.
//!
//! Nothing here reads a clock or draws a random number: `now` and the nonce of [`Start`] come in from outside. After a
//! crash the embedder folds the log again, performs what its outbox still holds, and goes on.

mod apply;
pub mod code;
mod decide;
mod deployment;
mod draft;
mod effect;
mod effects;
pub mod event;
mod flow;
mod id;
mod input;
mod inputs;
mod lookup;
mod node;
mod nodes;
mod places;
mod plan;
mod project;
mod refusal;
mod resolve;
mod resources;
mod resume;
mod run;
pub mod runtime_inputs;
mod scope;
mod settings;
mod start;
mod steps;

pub use apply::apply;
pub use decide::{Transition, decide, transition};
pub use deployment::connection::{ConnectionCheck, connection_check};
pub use deployment::{ConnectorFacts, EnvironmentFacts, InfrastructureFacts, ServiceFacts};
pub use effect::{
    ApprovalOutcome, Deployed, Effect, EffectKey, EntityKind, EntityRef, Notice, NoticeKind, PolicyQuestion, TaskDraft,
};
pub use effects::effects;
pub use event::{Event, EventError};
pub use id::{NodeAttempt, NodeId, Purpose, ResourceId, ResourceKind, TimerKey};
pub use input::{
    ApprovalAnswer, Choice, ExecutionInputs, Found, Input, Interrupt, InterruptKind, PolicyAnswer, PolicyStatus,
    PolicyVerdict, Progress, Resolution, ResourceBusy, TaskFinished,
};
pub use node::{Instance, Node, NodeRunInfo, PastAttempt, Preview, SeenExpression, Warning};
pub use project::{NodeRow, Projection, RunRow, project, project_node, project_run, touched};
pub use refusal::Refusal;
pub use resume::{CopiedNode, retry, rollback};
pub use run::Run;
pub use settings::Settings;
pub use start::{
    AccountFacts, Facts, Mode, OrgFacts, Principal, ProjectFacts, Start, TriggerContext, TriggerType, VariableFacts,
};
