//! Triggers as they are stored.

use crate::documents::Parsed;
use crate::{Answer, App, Failure};
use windlass_document::entity::{Trigger, TriggerSource};
use windlass_document::{Entity, Kind};
use windlass_model::{Identifier, Scope};
use windlass_store::documents::{Document, DocumentFilter};
use windlass_store::trigger_events::TriggerKey;
use windlass_store::{PageRequest, Scopes};

/// A trigger as its text reads.
#[derive(Clone, Debug)]
pub(super) struct Stored {
    pub(super) key: TriggerKey,
    pub(super) name: String,
    /// Who edited it last.
    pub(super) editor: String,
    /// Or why it cannot be read any more.
    pub(super) trigger: Result<Box<Trigger>, String>,
}

impl Stored {
    fn of(document: &Document, parsed: &Parsed) -> Option<Self> {
        let pipeline = document.key.parent.clone()?;
        let entity = parsed.of(Kind::Trigger).and_then(|document| match &document.entity {
            Entity::Trigger(trigger) => Some(trigger.clone()),
            _ => None,
        });
        Some(Self {
            key: TriggerKey { scope: document.key.scope.clone(), pipeline, trigger: document.key.identifier.clone() },
            name: document.name.clone(),
            editor: document.updated_by.clone(),
            trigger: entity.ok_or_else(|| format!("the trigger cannot be read any more: {}", parsed.problems)),
        })
    }

    pub(super) fn is_custom(&self) -> bool {
        self.trigger.as_ref().is_ok_and(|t| matches!(t.source, TriggerSource::Custom { .. }))
    }

    pub(super) fn is_github(&self) -> bool {
        self.trigger.as_ref().is_ok_and(|t| matches!(t.source, TriggerSource::Github { .. }))
    }
}

impl App {
    /// Triggers of these scopes, of one pipeline or of all, of one name or of all; in the order of their names.
    pub(super) async fn triggers(
        &self,
        scopes: Scopes,
        pipeline: Option<&Identifier>,
        named: Option<&str>,
    ) -> Answer<Vec<Stored>> {
        let filter = DocumentFilter {
            kind: Some(Kind::Trigger.words().root.to_owned()),
            scopes,
            parent: pipeline.cloned(),
            ..DocumentFilter::default()
        };
        let wanted = named.map(Identifier::folded);
        let mut page = PageRequest::first(PageRequest::LARGEST);
        let mut found = Vec::new();
        loop {
            let part = self.store().documents().list(&filter, &page).await?;
            let named = part.items.iter().filter(|document| {
                wanted.as_ref().is_none_or(|wanted| Identifier::folded(document.key.identifier.as_str()) == *wanted)
            });
            found.extend(named.filter_map(|document| Stored::of(document, &self.parsed(Kind::Trigger, document))));
            match part.next {
                Some(next) => page.after = Some(next),
                None => return Ok(found),
            }
        }
    }

    /// Names the one trigger that is meant.
    pub(crate) async fn trigger_key(&self, scope: &Scope, pipeline: Option<&str>, id: &str) -> Answer<TriggerKey> {
        Ok(self.trigger(scope, pipeline, id).await?.key)
    }

    /// A trigger by its key.
    pub(super) async fn trigger_of(&self, key: &TriggerKey) -> Answer<Stored> {
        self.trigger(&key.scope, Some(key.pipeline.as_str()), key.trigger.as_str()).await
    }

    /// The one trigger that is meant.
    pub(super) async fn trigger(&self, scope: &Scope, pipeline: Option<&str>, id: &str) -> Answer<Stored> {
        let pipeline = pipeline.map(|p| Identifier::parse(&Identifier::folded(p)));
        let pipeline = pipeline.transpose().map_err(|e| Failure::invalid("API0006", e.to_string()))?;
        let mut found = self.triggers(Scopes::At(scope.clone()), pipeline.as_ref(), Some(id)).await?;
        match (found.pop(), found.is_empty()) {
            (Some(one), true) => Ok(one),
            (None, _) => Err(Failure::not_found(format!("there is no trigger `{id}` in {scope}"))),
            (Some(one), false) => {
                let pipelines: Vec<&str> =
                    found.iter().chain([&one]).map(|trigger| trigger.key.pipeline.as_str()).collect();
                let text = format!("several pipelines have a trigger `{id}`: {}", pipelines.join(", "));
                Err(Failure::invalid("TRG0004", text).hint("say which pipeline"))
            }
        }
    }
}
