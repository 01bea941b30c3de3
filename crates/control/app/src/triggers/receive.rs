//! A payload comes in: authenticated, stored, answered with its id. Nothing is matched yet (pipelines §7.2).

use super::stored::Stored;
use super::{EFFECT, status};
use crate::access::Permission;
use crate::{Answer, App, Failure, FailureKind, Principal, fresh};
use std::collections::BTreeMap;
use windlass_document::entity::Authentication;
use windlass_model::id::EventId;
use windlass_model::{Identifier, Scope};
use windlass_store::outbox::NewEffect;
use windlass_store::trigger_events::{TriggerEvent, TriggerKey};
use windlass_store::{Scopes, TokenHash, Write};

/// The largest payload, in bytes.
pub(super) const LARGEST: usize = 1024 * 1024;
/// The most bytes of headers that are kept.
const HEADERS: usize = 16 * 1024;
/// Headers that are never kept.
const CREDENTIALS: &[&str] = &["authorization", "cookie", "proxy-authorization", "x-api-key"];

/// To whom a payload is addressed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Address {
    /// `/webhook/{token}`: one trigger.
    Token(String),
    /// Custom triggers of a project: one, those of a pipeline, or all.
    Custom { scope: Scope, pipeline: Option<Identifier>, trigger: Option<Identifier> },
    /// GitHub's one address: every trigger whose repository it is.
    Github,
}

/// What came in.
#[derive(Clone, Debug)]
pub struct Received {
    pub address: Address,
    /// The API key, if one was sent.
    pub key: Option<String>,
    /// Where it came from.
    pub peer: String,
    /// Names in lower case.
    pub headers: BTreeMap<String, String>,
    pub body: Vec<u8>,
}

/// Which triggers look at an event; kept with it as its source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Source {
    Github,
    Custom { pipeline: Option<Identifier>, trigger: Option<Identifier> },
}

impl Source {
    /// `github`, `custom`, `custom/payment/on_build`.
    fn text(&self) -> String {
        match self {
            Self::Github => "github".to_owned(),
            Self::Custom { pipeline: None, .. } => "custom".to_owned(),
            Self::Custom { pipeline: Some(pipeline), trigger: None } => format!("custom/{pipeline}"),
            Self::Custom { pipeline: Some(pipeline), trigger: Some(trigger) } => format!("custom/{pipeline}/{trigger}"),
        }
    }

    pub(super) fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split('/');
        match parts.next()? {
            "github" => Some(Self::Github),
            "custom" => {
                let mut part = || parts.next().map(Identifier::parse).transpose().ok();
                Some(Self::Custom { pipeline: part()?, trigger: part()? })
            }
            _ => None,
        }
    }
}

/// What begins the sender of an event that showed no API key.
pub(super) const ANONYMOUS: &str = "address:";

impl App {
    /// Stores a payload and answers with its id.
    pub async fn receive(&self, received: Received) -> Answer<EventId> {
        let Received { address, key, peer, headers, body } = received;
        if body.len() > LARGEST {
            let text = format!("a payload has at most {} KiB, and this one has {}", LARGEST / 1024, body.len() / 1024);
            return Err(Failure::new(FailureKind::Limited, "TRG0002", text));
        }
        let is_json = headers.get("content-type").is_some_and(|kind| kind.contains("json"));
        if is_json && let Err(error) = serde_json::from_slice::<serde::de::IgnoredAny>(&body) {
            return Err(Failure::invalid("TRG0001", format!("the body is not JSON: {error}")));
        }
        let (scope, source) = self.target(&address).await?;
        let triggers = self.aimed_at(&scope, &source).await?;
        let sender = match key {
            None => Ok(format!("{ANONYMOUS}{peer}")),
            Some(key) => match self.authenticate(&key).await {
                Ok(by) => self.may_send(by, &scope, &source, &triggers).await,
                Err(failure) => Err(failure),
            },
        };
        let sender = match sender {
            Err(failure) => Err(failure),
            Ok(sender) if !sender.starts_with(ANONYMOUS) || source == Source::Github => Ok(sender),
            Ok(sender) if triggers.iter().any(is_open) => Ok(sender),
            Ok(_) => Err(Failure::unauthenticated("this webhook demands an API key")
                .hint("send the header `x-api-key`, or set `authentication: None` on the trigger")),
        };
        let now = self.clock().now();
        let id = EventId::from_ulid(fresh::ulid(self.clock().real().now()));
        let mut event = TriggerEvent {
            id,
            scope,
            source: source.text(),
            received_at: now,
            sender: format!("{ANONYMOUS}{peer}"),
            headers: serde_json::to_string(&kept(headers)).map_err(Failure::internal)?,
            payload: Vec::new(),
            status: status::NOT_AUTHENTICATED.to_owned(),
            message: String::new(),
        };
        let mut write = Write::new();
        match sender {
            Ok(sender) => {
                let (payload, status) = (body, status::QUEUED.to_owned());
                write.receive_event(&TriggerEvent { sender, payload, status, ..event });
                let real = self.clock().real().now();
                let mut effect = NewEffect {
                    key: format!("event/{id}"),
                    run: None,
                    order: (0, 0),
                    kind: EFFECT.to_owned(),
                    body: serde_json::to_string(&id).map_err(Failure::internal)?,
                    due_at: real,
                    taken: None,
                };
                let handful = self.hands().take([&mut effect], real);
                write.effect(effect);
                self.store().write(write).await?;
                self.hands().give(handful);
                Ok(id)
            }
            Err(failure) if triggers.is_empty() => Err(failure),
            // Who owns the trigger sees that somebody knocked; what they brought is not kept.
            Err(failure) => {
                event.message = failure.message.clone();
                write.receive_event(&event);
                self.store().write(write).await?;
                Err(failure)
            }
        }
    }

    async fn target(&self, address: &Address) -> Answer<(Scope, Source)> {
        match address {
            Address::Github => Ok((Scope::Account, Source::Github)),
            Address::Custom { scope, pipeline, trigger } => {
                Ok((scope.clone(), Source::Custom { pipeline: pipeline.clone(), trigger: trigger.clone() }))
            }
            Address::Token(token) => {
                let known = self.store().webhook_tokens().find(TokenHash::of(token)).await?;
                let known = known.ok_or_else(|| Failure::not_found("there is no webhook at this address"))?;
                let TriggerKey { scope, pipeline, trigger } = known.trigger;
                Ok((scope, Source::Custom { pipeline: Some(pipeline), trigger: Some(trigger) }))
            }
        }
    }

    /// The triggers that look at events of a source.
    pub(super) async fn aimed_at(&self, scope: &Scope, source: &Source) -> Answer<Vec<Stored>> {
        match source {
            Source::Github => {
                let all = self.triggers(Scopes::Within(scope.clone()), None, None).await?;
                Ok(all.into_iter().filter(Stored::is_github).collect())
            }
            Source::Custom { pipeline, trigger } => {
                let named = trigger.as_ref().map(Identifier::as_str);
                let all = self.triggers(Scopes::At(scope.clone()), pipeline.as_ref(), named).await?;
                Ok(all.into_iter().filter(Stored::is_custom).collect())
            }
        }
    }
}

fn is_open(stored: &Stored) -> bool {
    stored.trigger.as_ref().is_ok_and(|trigger| trigger.authentication == Authentication::None)
}

impl App {
    /// Whoever shows a key must be allowed to execute one of the pipelines that the payload is for. What forges send is judged by
    /// its signature.
    async fn may_send(&self, by: Principal, scope: &Scope, source: &Source, triggers: &[Stored]) -> Answer<String> {
        let id = by.id.clone();
        let Source::Custom { pipeline, .. } = source else { return Ok(id) };
        let caller = self.caller(by).await?;
        let mut pipelines: Vec<&Identifier> = triggers.iter().map(|trigger| &trigger.key.pipeline).collect();
        pipelines.extend(pipeline);
        pipelines.sort();
        pipelines.dedup();
        let mut refused = None;
        for pipeline in pipelines {
            match caller.pipeline(Permission::PipelineExecute, scope, pipeline).await {
                Ok(_) => return Ok(id),
                Err(failure) => refused = refused.or(Some(failure)),
            }
        }
        match refused {
            Some(failure) => Err(failure),
            None => caller.authorize_any(Permission::PipelineExecute, scope).await.map(|_| id),
        }
    }
}

fn kept(headers: BTreeMap<String, String>) -> BTreeMap<String, String> {
    let mut room = HEADERS;
    let mut fits = |name: &str, value: &str| {
        let size = name.len() + value.len();
        room >= size && {
            room -= size;
            true
        }
    };
    headers
        .into_iter()
        .filter(|(name, _)| !CREDENTIALS.contains(&name.as_str()))
        .filter(|(name, value)| fits(name, value))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{Source, kept};

    #[test]
    fn sources_round_trip() {
        for text in ["github", "custom", "custom/pay", "custom/pay/on_build"] {
            assert_eq!(Source::parse(text).map(|s| s.text()).as_deref(), Some(text));
        }
        assert_eq!(Source::parse("other"), None);
    }

    #[test]
    fn credentials_are_not_kept_and_headers_are_bounded() {
        let headers = [("authorization", "Bearer x"), ("x-api-key", "pat.x"), ("x-kind", "build")]
            .map(|(name, value)| (name.to_owned(), value.to_owned()));
        assert_eq!(kept(headers.into()).into_keys().collect::<Vec<_>>(), ["x-kind"]);
        let many = (0..100).map(|at| (format!("x-{at}"), "v".repeat(1_000))).collect();
        assert!(kept(many).len() < 20);
    }
}
