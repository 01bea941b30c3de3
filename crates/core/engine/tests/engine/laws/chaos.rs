//! A world that answers in any order, late, twice, or not at all.

use crate::build::stored;
use crate::timeline::Timeline;
use crate::world::start;
use serde_json::{Value as Json, json};
use std::collections::{BTreeMap, BTreeSet};
use windlass_engine::event::Event;
use windlass_engine::{
    ApprovalAnswer, Choice, Effect, EntityRef, ExecutionInputs, Found, Input, Interrupt, InterruptKind, NodeAttempt,
    NodeId, PolicyAnswer, PolicyStatus, PolicyVerdict, Progress, Refusal, Resolution, ResourceBusy, ResourceId, Run,
    TaskFinished, TimerKey, apply, decide, effects, project, transition,
};
use windlass_model::approval::{ApprovalAction, Approver};
use windlass_model::pipeline::Pipeline;
use windlass_model::task::Outcome;
use windlass_model::{Failure, FailureType, Status, Timestamp};

pub(super) struct Chaos {
    pub(super) run: Run,
    pub(super) log: Vec<Event>,
    now: Timestamp,
    tasks: BTreeMap<NodeAttempt, bool>,
    timers: BTreeMap<TimerKey, Timestamp>,
    approvals: BTreeSet<NodeAttempt>,
    policies: BTreeMap<NodeAttempt, u32>,
    lookups: BTreeMap<NodeAttempt, (u32, Vec<EntityRef>)>,
    wanted: BTreeSet<ResourceId>,
    held: BTreeSet<ResourceId>,
    /// Everything that was ever answered, to be repeated.
    said: Vec<Input>,
    timeline: Timeline,
}

/// What led to a broken law, for the one who has to mend it.
impl Drop for Chaos {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("=====\n{}", self.timeline.text());
        }
    }
}

impl Chaos {
    pub(super) fn new(pipeline: Pipeline) -> Self {
        let start = start(pipeline);
        let now = Timestamp::parse("2026-03-02T14:00:00Z").unwrap();
        let mut chaos = Self {
            run: Run::new(start.run),
            log: Vec::new(),
            now,
            tasks: BTreeMap::new(),
            timers: BTreeMap::new(),
            approvals: BTreeSet::new(),
            policies: BTreeMap::new(),
            lookups: BTreeMap::new(),
            wanted: BTreeSet::new(),
            held: BTreeSet::new(),
            said: Vec::new(),
            timeline: Timeline::new(now),
        };
        assert!(chaos.tell(Input::Start(start.share())), "a pipeline that can run starts");
        chaos
    }

    /// Gives an input; tells whether it was accepted. Every law about a single decision is checked here.
    fn tell(&mut self, input: Input) -> bool {
        let Ok(next) = transition(&self.run, input.clone(), self.now) else { return false };
        assert_eq!(decide(&self.run, input.clone(), self.now), Ok(next.events.clone()), "decisions are deterministic");
        assert!(self.run.ended().is_none(), "nothing follows the end of a run");
        let end = next.events.iter().position(|event| matches!(event, Event::RunFinished(_)));
        assert!(end.is_none_or(|at| at + 1 == next.events.len()), "the end of a run is its last event");
        for event in &next.events {
            self.before(event);
            apply(&mut self.run, event);
            self.log.push(event.clone());
            self.timeline.event(self.now, event);
            self.after(event);
            for effect in effects(&self.run, event) {
                self.perform(effect);
            }
        }
        assert_eq!(project(&self.run), project(&next.run), "the transition's state is the folded one");
        if !matches!(input, Input::Interrupt(_) | Input::Start(_)) {
            let again = decide(&self.run, input.clone(), self.now);
            let repeated_answer = matches!(&input, Input::ApprovalAnswered(_));
            match again {
                Err(Refusal::TooEarly { .. }) => assert!(matches!(input, Input::TimerFired(_))),
                Err(refusal) => assert!(repeated_answer || refusal.is_stale(), "a repetition is stale, not {refusal}"),
                Ok(events) => panic!("a repetition of {input:?} decides {events:?}"),
            }
        }
        self.said.push(input);
        true
    }

    fn before(&self, event: &Event) {
        let (node, parent) = match event {
            Event::NodeStarted(e) => (&e.node, e.parent.as_ref()),
            Event::NodeSkipped(e) => (&e.node, Some(&e.parent)),
            Event::NodeFinished(e) => {
                let node = self.run.node(&e.node).expect("only known nodes finish");
                assert!(node.is_active(), "{} finishes once", e.node);
                assert!(e.status.is_terminal());
                let below = self.run.nodes().filter(|other| e.node.contains(&other.id) && other.is_active());
                assert_eq!(below.count(), 0, "{} ends after everything below it", e.node);
                return;
            }
            _ => return,
        };
        if let Some(parent) = parent {
            let parent = self.run.node(parent).expect("parents are known before their children");
            assert!(parent.is_active(), "{node} starts below {}, which is {}", parent.id, parent.status);
        }
        if let Some(known) = self.run.node(node) {
            assert!(!known.is_active() || matches!(event, Event::NodeStarted(_)), "{node} is skipped while it runs");
        }
    }

    fn after(&self, event: &Event) {
        if let Event::NodeFinished(e) = event {
            let open = self.timers.keys().filter(|timer| timer.of.node == e.node).count();
            assert_eq!(open, 0, "{} ends without timers", e.node);
        }
    }

    fn perform(&mut self, effect: Effect) {
        match effect {
            Effect::StartTask(task) => {
                assert!(self.tasks.insert(task.at.clone(), false).is_none(), "{} has one task", task.at);
                assert!(task.deadline >= self.now, "there is time for the task");
            }
            Effect::CancelTask { at, .. } => {
                self.tasks.insert(at, true);
            }
            Effect::SetTimer { timer, at } => {
                self.timers.insert(timer, at);
            }
            Effect::ClearTimer { timer } => {
                assert!(self.timers.remove(&timer).is_some(), "{timer} was set");
            }
            Effect::OpenApproval { at, .. } => assert!(self.approvals.insert(at)),
            Effect::CloseApproval { at, .. } => assert!(self.approvals.remove(&at), "{at} was open"),
            Effect::EvaluatePolicy { at, request, .. } => {
                self.policies.insert(at, request);
            }
            Effect::Resolve { at, request, references } => {
                self.lookups.insert(at, (request, references));
            }
            Effect::AcquireResource { resource } => assert!(self.wanted.insert(resource)),
            Effect::ReleaseResource { resource } => {
                assert!(self.wanted.remove(&resource) || self.held.remove(&resource), "{resource} was wanted");
            }
            _ => {}
        }
    }

    /// Does one thing after the other, as the choices say.
    pub(super) fn play(&mut self, choices: &[u16]) {
        for choice in choices {
            if self.run.ended().is_some() {
                return;
            }
            let (what, which) = (choice % 16, usize::from(choice / 16));
            match what {
                0..=3 => self.answer_task(which),
                4 => self.move_task(which),
                5 => self.repeat(which),
                6 | 7 => self.next_timer(),
                8 => self.answer_approval(which),
                9 if which.is_multiple_of(2) => self.answer_policy(which),
                9 => self.answer_lookup(which),
                10 => self.grant(which),
                11 => self.give_inputs(which),
                12 => self.interrupt(which),
                13 => self.intervene(which),
                _ => self.now = self.now + windlass_model::Millis::from_secs(which as u64 % 40),
            }
            self.fire_overdue();
        }
    }

    fn answer_task(&mut self, which: usize) {
        let Some(at) = pick(self.tasks.keys(), which).cloned() else { return };
        let failed = |kind| Outcome::Failed { failure: Failure::new(kind, "no"), output: Json::Null };
        let outcome = match which % 7 {
            0 => failed(FailureType::Unknown),
            1 => failed(FailureType::Connectivity),
            2 => Outcome::Skipped { reason: "nothing to do".into(), output: Json::Null },
            3 if self.tasks[&at] => Outcome::Aborted { done: String::new() },
            _ => Outcome::Succeeded { output: json!({"n": which}) },
        };
        // Late answers of tasks that were stopped or forgotten are refused, and that is all.
        self.tell(Input::TaskFinished(TaskFinished { at: at.clone(), outcome, worker: None }));
        self.tasks.remove(&at);
    }

    /// A worker takes a task, or gives it up.
    fn move_task(&mut self, which: usize) {
        let Some(at) = pick(self.tasks.keys(), which).cloned() else { return };
        let (worker, why) = (format!("delegate-{}", which % 3), "free".to_owned());
        let progress = match which % 3 {
            0 => Progress::Waiting { at, why },
            1 => Progress::HandedOver { at, from: worker, why },
            _ => Progress::Assigned { at, worker, why },
        };
        self.tell(Input::TaskProgress(progress));
    }

    fn repeat(&mut self, which: usize) {
        let Some(input) = pick(self.said.iter(), which).cloned() else { return };
        // A worker may take and give up a task again and again; people may pause again, and a step that is tried again wait again.
        if !matches!(input, Input::Interrupt(_) | Input::TaskProgress(_) | Input::ResourceBusy(_)) {
            assert!(!self.tell(input), "nothing happens twice");
        }
    }

    fn next_timer(&mut self) {
        let Some((timer, at)) = self.timers.iter().min_by_key(|(_, at)| **at).map(|(t, at)| (t.clone(), *at)) else {
            return;
        };
        self.now = self.now.max(at);
        self.fire(&timer);
    }

    fn fire_overdue(&mut self) {
        while let Some(timer) = self.timers.iter().find(|(_, at)| **at <= self.now).map(|(timer, _)| timer.clone()) {
            self.fire(&timer);
        }
    }

    fn fire(&mut self, timer: &TimerKey) {
        // The effect of clearing it comes with the decision; a performer would find it gone already.
        assert!(self.tell(Input::TimerFired(timer.clone())), "a timer that is set is answered");
        assert!(self.timers.get(timer).is_none_or(|at| *at > self.now), "{timer} fires once");
    }

    fn answer_approval(&mut self, which: usize) {
        let Some(at) = pick(self.approvals.iter(), which).cloned() else { return };
        let action = if which.is_multiple_of(5) { ApprovalAction::Reject } else { ApprovalAction::Approve };
        let name = ["Ada", "Bob", "Cyn"][which % 3];
        let approver = Approver {
            principal: format!("user:{name}"),
            name: name.into(),
            email: None,
            groups: [if which.is_multiple_of(4) { "x" } else { "g" }.to_owned()].into(),
        };
        let (comments, inputs) = (String::new(), BTreeMap::new());
        self.tell(Input::ApprovalAnswered(ApprovalAnswer { at, approver, action, comments, inputs }));
    }

    fn answer_policy(&mut self, which: usize) {
        let Some((at, request)) = pick(self.policies.iter(), which).map(|(at, request)| (at.clone(), *request)) else {
            return;
        };
        let status = [PolicyStatus::Pass, PolicyStatus::Warning, PolicyStatus::Error][which % 3];
        let verdict = PolicyVerdict::Judged { status, messages: Vec::new(), output: Json::Null };
        self.tell(Input::PolicyJudged(PolicyAnswer { at: at.clone(), request, verdict }));
        self.policies.remove(&at);
    }

    fn answer_lookup(&mut self, which: usize) {
        let Some(at) = pick(self.lookups.keys(), which).cloned() else { return };
        let Some((request, references)) = self.lookups.remove(&at) else { return };
        let found = |reference: &EntityRef| match stored(reference.kind.noun()).filter(|_| which % 40 != 1) {
            Some(body) => Found::Entity {
                scope: reference.from.clone(),
                identifier: body["identifier"].as_str().unwrap_or_default().to_owned(),
                version: 1,
                body,
            },
            None => Found::Missing { why: String::new() },
        };
        let found = references.iter().map(found).collect();
        self.tell(Input::Resolved(Resolution { at, request, found }));
    }

    fn grant(&mut self, which: usize) {
        let Some(resource) = pick(self.wanted.iter(), which).cloned() else { return };
        let taken = self.held.iter().any(|held| (held.kind, &held.key) == (resource.kind, &resource.key));
        // Other runs may have it, too.
        if taken || which % 3 == 1 {
            self.tell(Input::ResourceBusy(ResourceBusy { resource, why: "somebody has it".into() }));
            return;
        }
        if self.tell(Input::ResourceGranted(resource.clone())) && self.wanted.remove(&resource) {
            self.held.insert(resource);
        }
    }

    fn active(&self, status: Status) -> Vec<NodeAttempt> {
        self.run.nodes().filter(|node| node.status == status).map(windlass_engine::Node::at).collect()
    }

    fn give_inputs(&mut self, which: usize) {
        let waiting = self.active(Status::InputWaiting);
        let Some(at) = pick(waiting.iter(), which).cloned() else { return };
        let values = BTreeMap::new();
        self.tell(Input::InputsGiven(ExecutionInputs { at, values, by: "Ada".into() }));
    }

    fn interrupt(&mut self, which: usize) {
        let nodes: Vec<NodeId> = self.run.nodes().filter(|node| node.is_active()).map(|node| node.id.clone()).collect();
        let Some(node) = pick(nodes.iter(), which).cloned() else { return };
        let kind = match which % 12 {
            0 | 1 => InterruptKind::Pause,
            2..=4 => InterruptKind::Resume,
            5 | 6 => InterruptKind::UserMarkedFailure { node },
            7 => InterruptKind::MarkAsSuccess { node },
            8 => InterruptKind::StartStage { node },
            9 if which.is_multiple_of(5) => InterruptKind::AbortAll,
            10 if which.is_multiple_of(5) => InterruptKind::AbortStage { node },
            _ => return,
        };
        self.tell(Input::Interrupt(Interrupt { kind, by: "Grace".into() }));
    }

    fn intervene(&mut self, which: usize) {
        let waiting = self.active(Status::InterventionWaiting);
        let Some(at) = pick(waiting.iter(), which).cloned() else { return };
        let choice = Choice::ALL[which % Choice::ALL.len()];
        self.tell(Input::Interrupt(Interrupt { kind: InterruptKind::Intervene { at, choice }, by: "Grace".into() }));
    }

    /// Answers whatever is open until nothing is: then the run must have ended.
    pub(super) fn drain(&mut self) {
        for _ in 0..5_000 {
            if self.run.ended().is_some() {
                return;
            }
            if self.run.is_paused() {
                self.tell(Input::Interrupt(Interrupt { kind: InterruptKind::Resume, by: "Grace".into() }));
            } else if !self.tasks.is_empty() {
                self.answer_task(4);
            } else if !self.lookups.is_empty() {
                self.answer_lookup(0);
            } else if !self.policies.is_empty() {
                self.answer_policy(0);
            } else if !self.wanted.is_empty() && self.held.is_empty() {
                self.grant(0);
            } else {
                assert!(!self.timers.is_empty(), "{:?} waits for nothing", project(&self.run));
                self.next_timer();
            }
        }
        panic!("the run goes on for ever: {:?}", project(&self.run));
    }

    /// What a run began, it ends.
    pub(super) fn nothing_is_left_behind(&self) {
        let (status, _) = self.run.ended().expect("every run ends");
        assert!(status.is_terminal());
        assert!(self.timers.is_empty(), "timers are cleared: {:?}", self.timers);
        assert!(self.approvals.is_empty(), "approvals are closed: {:?}", self.approvals);
        assert!(self.wanted.is_empty() && self.held.is_empty(), "resources are given back");
        assert!(self.tasks.values().all(|stopped| *stopped), "tasks that nobody wants any more are stopped");
        assert!(self.run.nodes().all(|node| !node.is_active()), "no node is left running");
    }
}

fn pick<T>(mut items: impl Iterator<Item = T> + Clone, which: usize) -> Option<T> {
    let count = items.clone().count();
    if count == 0 { None } else { items.nth(which % count) }
}
