//! A world around one run: virtual time, delegates that answer after ten seconds, and whatever a test scripts.

use crate::timeline::Timeline;
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use windlass_engine::event::Event;
use windlass_engine::{
    ApprovalAnswer, Effect, EffectKey, EntityRef, Found, Input, Interrupt, InterruptKind, NodeId, PolicyAnswer,
    PolicyQuestion, PolicyStatus, PolicyVerdict, Principal, Refusal, Resolution, ResourceId, Run, Start, TaskDraft,
    TaskFinished, TimerKey, apply, effects, project, transition,
};
use windlass_model::approval::{ApprovalAction, Approver};
use windlass_model::pipeline::Pipeline;
use windlass_model::task::Outcome;
use windlass_model::{Failure, FailureType, Json, Millis, RunId, Status, Timestamp};

/// How a task ends.
#[derive(Clone)]
struct Answer {
    after: Millis,
    outcome: Option<Outcome>,
}

pub(crate) struct World {
    pub(crate) run: Run,
    pub(crate) log: Vec<Event>,
    pub(crate) now: Timestamp,
    pub(crate) timeline: Timeline,
    /// Every task that was handed out, in order.
    pub(crate) tasks: Vec<Arc<TaskDraft>>,
    pub(crate) effects: Vec<Effect>,
    keys: BTreeSet<EffectKey>,
    timers: BTreeMap<TimerKey, Timestamp>,
    /// Inputs that will come, by time and order.
    coming: BTreeMap<(Timestamp, u64), Input>,
    order: u64,
    answers: BTreeMap<String, VecDeque<Answer>>,
    entities: BTreeMap<(String, String), Json>,
    policies: BTreeMap<String, PolicyVerdict>,
    /// How long others hold what this run wants.
    pub(crate) busy: Millis,
    /// Workers ignore that they should stop.
    pub(crate) deaf: bool,
    /// Holders of this run wait for each other too.
    pub(crate) fair: bool,
    queue: Vec<ResourceId>,
}

pub(crate) fn run_id() -> RunId {
    "run_01J9ZZZZZZZZZZZZZZZZZZZZZZ".parse().unwrap()
}

pub(crate) fn start(pipeline: Pipeline) -> Start {
    Start {
        run: run_id(),
        document: json!({}),
        pipeline,
        inputs: Json::Null,
        sequence: 16,
        facts: Default::default(),
        trigger: Default::default(),
        started_by: Principal {
            principal: "user:ada@example.com".into(),
            name: "Ada".into(),
            email: Some("ada@example.com".into()),
            person: true,
        },
        settings: Default::default(),
        selected_stages: Vec::new(),
        expression_values: Default::default(),
        mode: Default::default(),
        nonce: "0123456789abcdef0123456789abcdef".into(),
        warnings: Vec::new(),
    }
}

impl World {
    pub(crate) fn new() -> Self {
        Self::of(run_id())
    }

    pub(crate) fn of(run: RunId) -> Self {
        let now = Timestamp::parse("2026-03-02T14:00:00Z").unwrap();
        Self {
            run: Run::new(run),
            log: Vec::new(),
            now,
            timeline: Timeline::new(now),
            tasks: Vec::new(),
            effects: Vec::new(),
            keys: BTreeSet::new(),
            timers: BTreeMap::new(),
            coming: BTreeMap::new(),
            order: 0,
            answers: BTreeMap::new(),
            entities: BTreeMap::new(),
            policies: BTreeMap::new(),
            busy: Millis::ZERO,
            deaf: false,
            fair: false,
            queue: Vec::new(),
        }
    }

    /// The next task of this step fails so.
    pub(crate) fn failing(mut self, step: &str, kind: FailureType, message: &str) -> Self {
        let outcome = Outcome::Failed { failure: Failure::new(kind, message), output: Json::Null };
        self.script(step, Some(outcome), Millis::from_secs(10));
        self
    }

    /// The next task of this step succeeds with this output.
    pub(crate) fn answering(mut self, step: &str, output: Json) -> Self {
        self.script(step, Some(Outcome::Succeeded { output }), Millis::from_secs(10));
        self
    }

    /// The next task of this step takes so long.
    pub(crate) fn taking(mut self, step: &str, secs: u64) -> Self {
        self.script(step, Some(Outcome::Succeeded { output: Json::Null }), Millis::from_secs(secs));
        self
    }

    /// Nobody ever answers the next task of this step.
    pub(crate) fn silent(mut self, step: &str) -> Self {
        self.script(step, None, Millis::ZERO);
        self
    }

    /// Something that is stored: a service, an environment, a connector.
    pub(crate) fn storing(mut self, noun: &str, id: &str, body: Json) -> Self {
        self.entities.insert((noun.to_owned(), fold(id)), body);
        self
    }

    /// What a policy set says.
    pub(crate) fn judging(mut self, set: &str, status: PolicyStatus, message: &str) -> Self {
        let messages = if message.is_empty() { Vec::new() } else { vec![message.to_owned()] };
        let output = json!({ "status": status });
        self.policies.insert(set.to_owned(), PolicyVerdict::Judged { status, messages, output });
        self
    }

    pub(crate) fn script(&mut self, step: &str, outcome: Option<Outcome>, after: Millis) {
        self.answers.entry(step.to_owned()).or_default().push_back(Answer { after, outcome });
    }

    /// Starts a pipeline and lets everything happen that happens by itself.
    pub(crate) fn play(mut self, pipeline: Pipeline) -> Self {
        self.begin(start(pipeline));
        self.settle();
        self
    }

    pub(crate) fn begin(&mut self, start: Start) {
        self.tell(Input::Start(start.share())).unwrap();
    }

    /// Lets time pass until nothing is to come, at most for a simulated year.
    pub(crate) fn settle(&mut self) {
        let end = self.now + Millis::from_mins(366 * 24 * 60);
        self.pass_until(end);
    }

    pub(crate) fn pass(&mut self, secs: u64) {
        let until = self.now + Millis::from_secs(secs);
        self.pass_until(until);
        self.now = until;
    }

    fn pass_until(&mut self, until: Timestamp) {
        loop {
            let input = self.coming.first_key_value().map(|((at, _), _)| *at);
            let timer = self.timers.iter().map(|(key, at)| (*at, key.clone())).min();
            let next = match (input, &timer) {
                (Some(input), Some((timer, _))) => input.min(*timer),
                (Some(input), None) => input,
                (None, Some((timer, _))) => *timer,
                (None, None) => return,
            };
            if next > until {
                return;
            }
            self.now = self.now.max(next);
            if input == Some(next) {
                if let Some((_, input)) = self.coming.pop_first()
                    && let Err(refusal) = self.tell(input)
                {
                    assert!(refusal.is_stale(), "{refusal}");
                }
            } else if let Some((_, key)) = timer {
                self.timers.remove(&key);
                self.tell(Input::TimerFired(key)).unwrap();
            }
        }
    }

    /// Gives one input to the engine and performs what follows.
    pub(crate) fn tell(&mut self, input: Input) -> Result<(), Refusal> {
        let transition = transition(&self.run, input, self.now)?;
        for event in &transition.events {
            apply(&mut self.run, event);
            self.timeline.event(self.now, event);
            self.log.push(event.clone());
            for (index, effect) in effects(&self.run, event).into_iter().enumerate() {
                let index = u32::try_from(index).unwrap();
                let key = EffectKey { run: self.run.id(), seq: self.run.seq(), index };
                assert!(self.keys.insert(key), "two effects with the key {key}");
                self.effects.push(effect.clone());
                self.perform(effect);
            }
        }
        assert_eq!(project(&self.run), project(&transition.run), "the transition's state is the folded one");
        Ok(())
    }

    fn later(&mut self, after: Millis, input: Input) {
        self.order += 1;
        self.coming.insert((self.now + after, self.order), input);
    }

    fn perform(&mut self, effect: Effect) {
        match effect {
            Effect::StartTask(task) => self.work(&task),
            Effect::CancelTask { .. } if self.deaf => {}
            Effect::CancelTask { at, .. } => {
                self.coming.retain(|_, input| !matches!(input, Input::TaskFinished(done) if done.at == at));
                let outcome = Outcome::Aborted { done: String::new() };
                let worker = Some("delegate-1".into());
                self.later(Millis::from_secs(1), Input::TaskFinished(TaskFinished { at, outcome, worker }));
            }
            Effect::SetTimer { timer, at } => {
                self.timers.insert(timer, at);
            }
            Effect::ClearTimer { timer } => {
                self.timers.remove(&timer);
            }
            Effect::AcquireResource { resource } if self.fair => {
                self.queue.push(resource.clone());
                if self.queue.iter().filter(|other| other.key == resource.key).count() == 1 {
                    self.later(Millis::ZERO, Input::ResourceGranted(resource));
                }
            }
            Effect::ReleaseResource { resource } if self.fair => {
                self.queue.retain(|other| *other != resource);
                if let Some(next) = self.queue.iter().find(|other| other.key == resource.key).cloned() {
                    self.later(Millis::ZERO, Input::ResourceGranted(next));
                }
            }
            Effect::AcquireResource { resource } => {
                let busy = self.busy;
                self.later(busy, Input::ResourceGranted(resource));
            }
            Effect::Resolve { at, request, references } => {
                let found = references.iter().map(|reference| self.find(reference)).collect();
                self.later(Millis::ZERO, Input::Resolved(Resolution { at, request, found }));
            }
            Effect::EvaluatePolicy { at, request, question } => {
                let asked = match &question {
                    PolicyQuestion::Sets { sets, .. } => sets[0].as_str(),
                    PolicyQuestion::StepStart { .. } => "onstepstart",
                };
                let verdict = self.policies.get(asked).cloned().unwrap_or_else(|| PolicyVerdict::Unable {
                    failure: Failure::new(FailureType::PolicyEvaluationFailure, "there is no such policy set"),
                });
                self.later(Millis::from_secs(1), Input::PolicyJudged(PolicyAnswer { at, request, verdict }));
            }
            _ => {}
        }
    }

    fn find(&self, reference: &EntityRef) -> Found {
        let id = reference.reference.rsplit('.').next().unwrap_or_default();
        match self.entities.get(&(reference.kind.noun().to_owned(), fold(id))) {
            Some(body) => Found::Entity {
                scope: reference.from.clone(),
                identifier: body["identifier"].as_str().unwrap_or(id).to_owned(),
                version: 1,
                body: body.clone(),
            },
            None => Found::Missing { why: "nothing of that name is stored".into() },
        }
    }

    fn work(&mut self, task: &Arc<TaskDraft>) {
        let step = task.at.node.as_str().rsplit('.').next().unwrap_or_default().to_owned();
        let scripted = self.answers.get_mut(&step).and_then(VecDeque::pop_front);
        let outcome = Some(Outcome::Succeeded { output: Json::Null });
        let Answer { after, outcome } = scripted.unwrap_or(Answer { after: Millis::from_secs(10), outcome });
        self.tasks.push(Arc::clone(task));
        if let Some(outcome) = outcome {
            let worker = Some("delegate-1".into());
            let at = task.at.clone();
            self.later(after, Input::TaskFinished(TaskFinished { at, outcome, worker }));
        }
    }

    pub(crate) fn interrupt(&mut self, kind: InterruptKind) -> Result<(), Refusal> {
        self.tell(Input::Interrupt(Interrupt { kind, by: "Grace".into() }))
    }

    /// A person of one group answers the approval of a step.
    pub(crate) fn answer(
        &mut self,
        step: &str,
        (name, group): (&str, &str),
        action: ApprovalAction,
        inputs: &[(&str, &str)],
    ) -> Result<(), Refusal> {
        let email = format!("{}@example.com", name.to_lowercase());
        let approver = Approver {
            principal: format!("user:{email}"),
            name: name.into(),
            email: Some(email),
            groups: [group.to_owned()].into(),
        };
        let inputs = inputs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let at = self.node(step).at();
        self.tell(Input::ApprovalAnswered(ApprovalAnswer { at, approver, action, comments: String::new(), inputs }))
    }

    /// The node whose path ends so.
    pub(crate) fn node(&self, end: &str) -> &windlass_engine::Node {
        let found: Vec<_> = self.run.nodes().filter(|node| node.id.as_str().ends_with(&format!(".{end}"))).collect();
        assert_eq!(found.len(), 1, "{end} names {} nodes", found.len());
        found[0]
    }

    pub(crate) fn id(&self, end: &str) -> NodeId {
        self.node(end).id.clone()
    }

    /// What the last task of this step was.
    pub(crate) fn task(&self, step: &str) -> &TaskDraft {
        let end = format!(".{step}");
        self.tasks.iter().rev().find(|task| task.at.node.as_str().ends_with(&end)).unwrap()
    }

    pub(crate) fn status(&self) -> Status {
        project(&self.run).unwrap().run.status
    }

    pub(crate) fn timeline(&self) -> String {
        self.timeline.text()
    }
}

/// How look-ups compare names (SEED-03).
fn fold(id: &str) -> String {
    windlass_model::Identifier::folded(id)
}
