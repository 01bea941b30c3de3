//! Who asks for deployments, answers questions and changes their mind.

use crate::documents::GROUP;
use crate::history::History;
use crate::plan::{Answer, By, Order};
use crate::server::{Process, Server};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};
use windlass_app::access::Permission::{PipelineExecute, PipelineView};
use windlass_app::access::{Caller, Verb};
use windlass_app::approvals::{GivenAnswer, ListApprovals};
use windlass_app::documents::ApplyRequest;
use windlass_app::runs::idempotency::IdempotencyKey;
use windlass_app::runs::interrupt::Command;
use windlass_app::runs::start::RunRequest;
use windlass_app::triggers::{Address, Received};
use windlass_app::{ADMIN, App, Failure, FailureKind, Principal};
use windlass_clock::Clock;
use windlass_document::Kind;
use windlass_model::id::EventId;
use windlass_model::{ApprovalAction, Identifier, Millis, RunId, Scope};
use windlass_store::{PageRequest, Scopes, Write};

/// Between two tries.
const AGAIN: Millis = Millis::from_secs(1);

/// What became of orders. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct Desk(Arc<Mutex<Papers>>);

#[derive(Clone, Debug, Default)]
pub struct Papers {
    /// Orders that are acknowledged or refused.
    pub settled: BTreeSet<usize>,
    /// Acknowledged webhooks, and whose they are.
    pub events: BTreeMap<EventId, usize>,
    /// Runs that were begun by hand.
    pub runs: BTreeMap<RunId, usize>,
    /// Approvals somebody has dealt with.
    dealt_with: BTreeSet<String>,
}

impl Desk {
    pub fn papers(&self) -> Papers {
        self.0.lock().unwrap().clone()
    }
}

pub fn scope() -> Scope {
    Scope::Project { org: "default".parse().unwrap(), project: "platform".parse().unwrap() }
}

fn person(name: &str) -> Principal {
    Principal { id: format!("user:{name}"), name: name.to_owned(), email: None, person: true }
}

/// The administrator.
pub async fn admin(app: &App) -> Caller {
    app.caller(person(ADMIN)).await.unwrap()
}

/// Saves the documents, and puts somebody into the group that is asked.
pub async fn furnish(app: &App, text: &str) {
    let request =
        ApplyRequest { file: "all.yaml", text, scope: scope(), kind: None, set: BTreeMap::new(), dry_run: false };
    app.apply(&admin(app).await, request).await.unwrap();
    let mut write = Write::new();
    let group = Identifier::parse(GROUP).unwrap();
    write.add_member(&scope(), &group, "user:ann", app.clock().now());
    app.store().write(write).await.unwrap();
}

/// Everybody who deals with the server from outside. Cheap to clone.
#[derive(Clone, Debug)]
pub struct People {
    pub server: Server,
    pub clock: Clock,
    pub history: History,
    pub desk: Desk,
    pub orders: Arc<Vec<Order>>,
}

impl People {
    pub fn begin(&self) {
        for number in 0..self.orders.len() {
            let people = self.clone();
            tokio::spawn(async move { people.order(number).await });
        }
        let people = self.clone();
        tokio::spawn(async move { people.answer_all().await });
    }

    async fn order(&self, number: usize) {
        let order = &self.orders[number];
        self.clock.sleep(order.at).await;
        let mut is_unheard = order.is_unheard;
        loop {
            let process = self.server.up().await;
            let asked = async {
                match order.by {
                    By::Webhook => self.send(&process, number).await,
                    By::Hand => self.start(&process, number).await,
                }
            };
            match process.asked(asked).await {
                Some(Ok(())) if is_unheard => {
                    self.history.note(format_args!("the answer to order {number} is lost"));
                    is_unheard = false;
                }
                Some(Ok(())) => break,
                // The server is at fault, or somebody was faster: again.
                Some(Err(failure)) if failure.kind == FailureKind::Unavailable => {}
                Some(Err(failure)) => {
                    self.history.wrong(format_args!("order {number} is refused: {}", windlass_app::chain(&failure)));
                    break;
                }
                None => {}
            }
            self.clock.sleep(AGAIN).await;
        }
        self.desk.0.lock().unwrap().settled.insert(number);
        if let Some(after) = order.abort {
            self.clock.sleep(after).await;
            self.abort(number).await;
        }
    }

    async fn send(&self, process: &Process, number: usize) -> Result<(), Failure> {
        let order = &self.orders[number];
        let pipeline = Identifier::parse(order.strategy.pipeline()).unwrap();
        let mut payload = json!(order.inputs());
        payload["pipeline"] = json!(pipeline.as_str());
        let trigger = Some(Identifier::parse("on_build").unwrap());
        let received = Received {
            address: Address::Custom { scope: scope(), pipeline: Some(pipeline), trigger },
            key: None,
            peer: "192.0.2.1".to_owned(),
            headers: BTreeMap::from([("content-type".to_owned(), "application/json".to_owned())]),
            body: payload.to_string().into_bytes(),
        };
        let event = process.app.receive(received).await?;
        self.history.note(format_args!("order {number} is event {event}"));
        self.desk.0.lock().unwrap().events.insert(event, number);
        Ok(())
    }

    async fn start(&self, process: &Process, number: usize) -> Result<(), Failure> {
        let order = &self.orders[number];
        let caller = process.app.caller(person(ADMIN)).await?;
        let name = order.strategy.pipeline();
        let seen = caller.document(Verb::View, Kind::Pipeline, &scope(), None, name).await?;
        let pipeline = caller.authorize(PipelineExecute, seen.into_inner()).await?;
        let key = IdempotencyKey::new(&format!("order-{number}"), &[name.as_bytes()])?;
        let request = RunRequest { inputs: order.inputs(), idempotency: Some(key), ..RunRequest::default() };
        let started = process.app.start_run(&caller, &pipeline, request).await?;
        self.history.note(format_args!("order {number} is {}", started.run));
        let before = self.desk.0.lock().unwrap().runs.insert(started.run, number);
        if before.is_some_and(|before| before != number) {
            self.history.wrong(format_args!("{} is two orders", started.run));
        }
        Ok(())
    }

    /// The runs of an order, as far as there are any yet.
    async fn runs_of(&self, process: &Process, number: usize) -> Result<Vec<RunId>, Failure> {
        let papers = self.desk.papers();
        let mut runs: Vec<RunId> = papers.runs.iter().filter(|(_, of)| **of == number).map(|(run, _)| *run).collect();
        for event in papers.events.iter().filter(|(_, of)| **of == number).map(|(event, _)| *event) {
            let outcomes = process.app.store().trigger_events().outcomes(event).await?;
            runs.extend(outcomes.into_iter().filter_map(|outcome| outcome.run));
        }
        Ok(runs)
    }

    async fn abort(&self, number: usize) {
        for _ in 0..600 {
            let process = self.server.up().await;
            let asked = async {
                let runs = self.runs_of(&process, number).await?;
                for run in &runs {
                    let caller = process.app.caller(person(ADMIN)).await?;
                    let stored = caller.stored_run(PipelineView, *run).await?;
                    let stored = caller.authorize(PipelineExecute, stored.into_inner()).await?;
                    match process.app.interrupt(&caller, &stored, Command::Abort).await {
                        Ok(()) => self.history.note(format_args!("{run} is aborted")),
                        Err(failure) if failure.kind == FailureKind::Unavailable => return Err(failure),
                        // It has ended already.
                        Err(_) => {}
                    }
                }
                Ok::<_, Failure>(!runs.is_empty())
            };
            if let Some(Ok(true)) = process.asked(asked).await {
                return;
            }
            self.clock.sleep(AGAIN).await;
        }
    }

    async fn answer_all(&self) {
        loop {
            let process = self.server.up().await;
            let asked = async {
                let caller = process.app.caller(person(ADMIN)).await?;
                let list =
                    ListApprovals { scopes: Scopes::Within(Scope::Account), open: true, ..ListApprovals::default() };
                process.app.approvals(&caller, &list, &PageRequest::first(100)).await
            };
            if let Some(Ok(found)) = process.asked(asked).await {
                for row in found.items {
                    let id = row.id.to_string();
                    if self.desk.0.lock().unwrap().dealt_with.insert(id) {
                        let people = self.clone();
                        tokio::spawn(async move { people.answer(row.run, row.id).await });
                    }
                }
            }
            self.clock.sleep(Millis::from_secs(3)).await;
        }
    }

    async fn answer(&self, run: RunId, approval: windlass_model::id::ApprovalId) {
        loop {
            let process = self.server.up().await;
            let number = process.asked(self.order_of(&process, run)).await;
            let Some(Ok(Some(number))) = number else {
                self.clock.sleep(AGAIN).await;
                continue;
            };
            let (action, delay) = match self.orders[number].answer {
                Answer::Never => return,
                Answer::Approve(delay) => (ApprovalAction::Approve, delay),
                Answer::Reject(delay) => (ApprovalAction::Reject, delay),
            };
            self.clock.sleep(delay).await;
            loop {
                let process = self.server.up().await;
                let given = GivenAnswer { action, comments: "simulated".to_owned(), inputs: BTreeMap::new() };
                let ann = person("ann");
                match process.asked(process.app.answer_approval(&ann, approval, given)).await {
                    Some(Err(failure)) if failure.kind == FailureKind::Unavailable => {}
                    // Refused: answered already, by the call whose answer was lost, or nobody asks any more.
                    Some(_) => return,
                    None => {}
                }
                self.clock.sleep(AGAIN).await;
            }
        }
    }

    async fn order_of(&self, process: &Process, run: RunId) -> Result<Option<usize>, Failure> {
        for number in 0..self.orders.len() {
            if self.runs_of(process, number).await?.contains(&run) {
                return Ok(Some(number));
            }
        }
        Ok(None)
    }
}
