//! The door of the engine.

use crate::draft::Draft;
use crate::event::Event;
use crate::input::Input;
use crate::inputs;
use crate::refusal::Refusal;
use crate::run::Run;
use windlass_model::Timestamp;

/// What follows from an input: the events, in order. Nothing is changed.
///
/// The same run, input and time give the same events.
pub fn decide(run: &Run, input: Input, now: Timestamp) -> Result<Vec<Event>, Refusal> {
    transition(run, input, now).map(|transition| transition.events)
}

/// A decision together with the state it leads to.
#[derive(Clone, Debug)]
pub struct Transition {
    pub events: Vec<Event>,
    /// `run` with every event applied: to be kept once the events are committed, or thrown away.
    pub run: Run,
}

/// [`decide`], without the need to apply the events a second time.
pub fn transition(run: &Run, input: Input, now: Timestamp) -> Result<Transition, Refusal> {
    let mut draft = Draft::new(run, now);
    inputs::handle(&mut draft, input)?;
    draft.settle();
    Ok(draft.finish())
}
