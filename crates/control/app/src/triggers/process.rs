//! Matches a stored event: every trigger that fits starts a run, every other says why not.

use super::delivery::delivery;
use super::judge::Refused;
use super::receive::{ANONYMOUS, Source};
use super::stored::Stored;
use super::{ABORT_KEY, custom, github, status};
use crate::fresh::derived;
use crate::runs::Submission;
use crate::{Answer, App, Failure, FailureKind};
use std::collections::BTreeMap;
use windlass_document::entity::{Authentication, TriggerSource};
use windlass_engine::{Input, Interrupt, InterruptKind, TriggerContext};
use windlass_model::id::EventId;
use windlass_model::{Json, RunId, Timestamp};
use windlass_store::runs::RunFilter;
use windlass_store::trigger_events::{TriggerEvent, TriggerOutcome};
use windlass_store::{PageRequest, Write, outbox};

/// The effect of a received event.
pub(crate) const EFFECT: &str = "matchEvent";

/// How often an event is matched anew when the server itself is at fault.
const ATTEMPTS: u32 = 12;

/// Matches an event. Whoever does it for the second time goes on where the first one stopped.
pub(crate) async fn process(app: &App, taken: &outbox::Effect, done: Write) -> Answer<()> {
    let id: EventId = serde_json::from_str(&taken.body).map_err(Failure::internal)?;
    let event = app.store().trigger_events().get(id).await?.filter(|event| event.status == status::QUEUED);
    let Some(event) = event else {
        app.store().write(done).await?;
        return Ok(());
    };
    match context(&event) {
        Err(refused) => app.close_event(id, refused.status, &refused.why, done).await,
        Ok((source, context)) => match app.match_event(&event, &source, &context, &done).await {
            Err(failure) if taken.attempts >= ATTEMPTS && !failure.is_store_conflict() => {
                app.close_event(id, status::EXCEPTION, &failure.to_string(), done).await
            }
            matched => matched,
        },
    }
}

/// The event as expressions see it.
fn context(event: &TriggerEvent) -> Result<(Source, TriggerContext), Refused> {
    let source = Source::parse(&event.source);
    let source = source.ok_or_else(|| Refused::new(status::EXCEPTION, format!("`{}` is no source", event.source)))?;
    let headers: BTreeMap<String, String> = serde_json::from_str(&event.headers).unwrap_or_default();
    let payload = custom::payload_of(&event.payload);
    let context = match &source {
        Source::Custom { .. } => custom::context(payload, headers),
        Source::Github => {
            if !payload.is_object() {
                return Err(Refused::new(status::INVALID_PAYLOAD, "GitHub must send `application/json`"));
            }
            let kind = headers.get("x-github-event").cloned().unwrap_or_default();
            github::context(&kind, payload, headers)
        }
    };
    Ok((source, context))
}

impl App {
    async fn close_event(&self, event: EventId, status: &str, message: &str, mut done: Write) -> Answer<()> {
        done.event_status(event, status, message);
        self.store().write(done).await?;
        Ok(())
    }

    /// Lets every trigger look at the event. What the last one makes of it is stored together with the end of the event.
    async fn match_event(
        &self,
        event: &TriggerEvent,
        source: &Source,
        context: &TriggerContext,
        done: &Write,
    ) -> Answer<()> {
        let mut outcomes = self.store().trigger_events().outcomes(event.id).await?;
        let mut open = self.aimed_at(&event.scope, source).await?;
        open.retain(|Stored { key, .. }| {
            !outcomes.iter().any(|o| o.scope == key.scope && o.pipeline == key.pipeline && o.trigger == key.trigger)
        });
        let Some(last) = open.pop() else {
            let (status, message) = match nearest(outcomes.iter()) {
                Some(outcome) => (outcome.status.as_str(), outcome.message.as_str()),
                None => (status::NO_TRIGGER, "there is no trigger for this event"),
            };
            return self.close_event(event.id, status, message, done.clone()).await;
        };
        for trigger in &open {
            outcomes.push(self.try_trigger(event, trigger, context, &|_| Write::new()).await?);
        }
        let close = |outcome: &TriggerOutcome| {
            let mut write = done.clone();
            let nearest = nearest(outcomes.iter().chain([outcome])).unwrap_or(outcome);
            write.event_status(event.id, &nearest.status, &nearest.message);
            write
        };
        self.try_trigger(event, &last, context, &close).await?;
        Ok(())
    }

    /// Starts what one trigger wants, and stores what came of it in the same transaction, `along` with it.
    async fn try_trigger(
        &self,
        event: &TriggerEvent,
        trigger: &Stored,
        context: &TriggerContext,
        along: &impl Fn(&TriggerOutcome) -> Write,
    ) -> Answer<TriggerOutcome> {
        let key = &trigger.key;
        let outcome = |status: &str, message: String, run: Option<RunId>| TriggerOutcome {
            event: event.id,
            scope: key.scope.clone(),
            pipeline: key.pipeline.clone(),
            trigger: key.trigger.clone(),
            at: self.clock().now(),
            status: status.to_owned(),
            message,
            run,
        };
        let stored = |outcome: &TriggerOutcome| {
            let mut write = along(outcome);
            write.trigger_outcome(outcome);
            write
        };
        let refused = match self.start_by(event, trigger, context, &outcome, &stored).await? {
            Ok(started) => return Ok(started),
            Err(refused) => outcome(refused.status, refused.why, None),
        };
        self.store().write(stored(&refused)).await?;
        Ok(refused)
    }

    async fn start_by(
        &self,
        event: &TriggerEvent,
        trigger: &Stored,
        context: &TriggerContext,
        outcome: &impl Fn(&str, String, Option<RunId>) -> TriggerOutcome,
        stored: &impl Fn(&TriggerOutcome) -> Write,
    ) -> Answer<Result<TriggerOutcome, Refused>> {
        if let Err(refused) = self.authentic(event, trigger).await? {
            return Ok(Err(refused));
        }
        let delivery = delivery(event, trigger);
        if let Some(before) = self.delivered_before(delivery.as_ref()).await? {
            let why = format!("the sender sent this before, and {before} was started by it");
            return Ok(Err(Refused::new(status::DID_NOT_EXECUTE, why)));
        }
        let run = run_of(event, trigger);
        let wanted = match self.consider(trigger, context, Some(run)).await? {
            Ok(wanted) => wanted,
            Err(refused) => return Ok(Err(refused)),
        };
        if let Some(key) = wanted.trigger.properties.get(ABORT_KEY).and_then(Json::as_str)
            && let Err(refused) = self.replace(key, run, &trigger.key.trigger).await?
        {
            return Ok(Err(refused));
        }
        let started = match self.prepare(wanted).await {
            Ok(start) => {
                let along = |started: &crate::runs::start::Started| {
                    let message = format!("{} started", started.run);
                    let mut write = stored(&outcome(status::REQUESTED, message, Some(run)));
                    if let Some(delivery) = &delivery {
                        write.answered(&delivery.answered(run, self.clock().real().now()));
                    }
                    Ok(write)
                };
                self.begin(start, along).await
            }
            Err(failure) => Err(failure),
        };
        match started {
            Ok(started) => {
                let message = format!("{} started", started.run);
                Ok(Ok(outcome(status::REQUESTED, message, Some(run))))
            }
            // Not the fault of the event: again, later.
            Err(failure) if may_pass(&failure) => Err(failure),
            Err(failure) => Ok(Err(Refused::start(&failure))),
        }
    }

    /// Whether the sender showed what this trigger demands.
    async fn authentic(&self, event: &TriggerEvent, stored: &Stored) -> Answer<Result<(), Refused>> {
        let Ok(trigger) = &stored.trigger else { return Ok(Ok(())) };
        let no = |why: &str| Ok(Err(Refused::new(status::NOT_AUTHENTICATED, why)));
        match &trigger.source {
            TriggerSource::Github { connector, repo, .. } => {
                if let Err(refused) = self.of_repository(event, stored, connector, repo.as_deref()).await? {
                    return Ok(Err(refused));
                }
                match &trigger.webhook_secret {
                    Some(secret) => self.signed(event, stored, secret).await,
                    None if trigger.authentication == Authentication::None => Ok(Ok(())),
                    None => no("the trigger has no `encryptedWebhookSecretIdentifier`: nobody can tell who sent this"),
                }
            }
            _ if trigger.authentication == Authentication::None => Ok(Ok(())),
            _ if event.sender.starts_with(ANONYMOUS) => no("the trigger demands an API key, and none was sent"),
            _ => Ok(Ok(())),
        }
    }

    /// Whether a GitHub event is about the trigger's repository.
    async fn of_repository(
        &self,
        event: &TriggerEvent,
        stored: &Stored,
        connector: &str,
        repo: Option<&str>,
    ) -> Answer<Result<(), Refused>> {
        use crate::documents::Lookup;
        use windlass_document::Kind;
        let document = match self.find_document(Kind::Connector, connector, &stored.key.scope, None).await? {
            Lookup::Found(document) => document,
            Lookup::Missing { why } => return Ok(Err(Refused::new(status::NO_REPO_MATCH, why))),
        };
        let body = self.body_of(Kind::Connector, &document)?;
        let address = body.pointer("/spec/url").and_then(Json::as_str).unwrap_or_default();
        let payload = custom::payload_of(&event.payload);
        if github::is_of(&payload, address, repo) {
            return Ok(Ok(()));
        }
        let other = payload.pointer("/repository/html_url").and_then(Json::as_str).unwrap_or("another repository");
        Ok(Err(Refused::new(status::NO_REPO_MATCH, format!("the event is about {other}, not {address}"))))
    }

    /// Aborts what an older event of the same pull request or branch started. A newer one that came first wins.
    async fn replace(
        &self,
        key: &str,
        run: RunId,
        trigger: &windlass_model::Identifier,
    ) -> Answer<Result<(), Refused>> {
        let filter =
            RunFilter { labels: vec![(ABORT_KEY.to_owned(), key.to_owned())], open: true, ..RunFilter::default() };
        let open = self.store().runs().list(&filter, &PageRequest::first(PageRequest::LARGEST)).await?;
        if let Some(newer) = open.items.iter().find(|other| other.id > run) {
            let why = format!("{} was started by a newer event of the same pull request or branch", newer.id);
            return Ok(Err(Refused::new(status::DID_NOT_EXECUTE, why)));
        }
        for older in open.items.iter().filter(|other| other.id < run) {
            let interrupt = Interrupt { kind: InterruptKind::AbortAll, by: format!("trigger {trigger}") };
            match self.submit(older.id, Input::Interrupt(interrupt), Write::new()).await? {
                Submission::Done | Submission::Refused(_) => {}
            }
        }
        Ok(Ok(()))
    }
}

/// What came nearest to a run.
fn nearest<'o>(outcomes: impl Iterator<Item = &'o TriggerOutcome>) -> Option<&'o TriggerOutcome> {
    outcomes.max_by_key(|outcome| status::nearness(&outcome.status))
}

/// The run that an event starts by a trigger: always the same one.
fn run_of(event: &TriggerEvent, trigger: &Stored) -> RunId {
    let millis = i64::try_from(event.id.ulid().timestamp_ms()).unwrap_or_default();
    let key = &trigger.key;
    let words = [event.id.to_string(), key.scope.to_string(), key.pipeline.to_string(), key.trigger.to_string()];
    let words: Vec<&str> = ["trigger"].into_iter().chain(words.iter().map(String::as_str)).collect();
    RunId::from_ulid(derived(Timestamp::from_millis(millis), &words))
}

/// Whether trying again may help.
fn may_pass(failure: &Failure) -> bool {
    matches!(failure.kind, FailureKind::Unavailable | FailureKind::Internal) || failure.is_store_conflict()
}
