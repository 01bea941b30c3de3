//! Connectors are tested again by themselves: every day, and when a secret of theirs got a new value (kubernetes-deploy §6.3).
//!
//! One replica at a time looks. What it finds is read like any other test; runs never wait for it.

use crate::{Answer, App, fresh};
use windlass_document::Kind;
use windlass_engine::{ConnectionCheck, connection_check};
use windlass_model::{Millis, Timestamp};
use windlass_store::documents::{Document, DocumentFilter};
use windlass_store::{PageRequest, Scopes};

/// The lease of whoever looks.
const NAME: &str = "connector-tests";

/// Between two looks, in real time.
const PERIOD: Millis = Millis::from_mins(10);

/// Longer than a look takes.
const LEASE: Millis = Millis::from_mins(5);

/// How long the outcome of a test counts.
const DAY: Millis = Millis::from_mins(24 * 60);

/// Tests that begin at one look: registries count calls, and delegates have other work.
const AT_ONCE: usize = 100;

pub(crate) async fn keep_tested(app: App) -> Answer<()> {
    let real = app.clock().real();
    loop {
        real.sleep(PERIOD).await;
        let now = real.now();
        if app.store().leases().take(NAME, &app.parts().replica, now, now + LEASE).await?.is_some() {
            app.test_connectors_again().await?;
        }
    }
}

impl App {
    /// Queues a test of each connector that is due; answers with how many. Performers do it from time to time.
    pub async fn test_connectors_again(&self) -> Answer<usize> {
        let kind = Some(Kind::Connector.words().root.to_owned());
        let filter = DocumentFilter { kind, scopes: Scopes::Within(Default::default()), ..Default::default() };
        let (mut page, mut begun) = (PageRequest::first(200), 0);
        loop {
            let found = self.store().documents().list(&filter, &page).await?;
            for document in &found.items {
                let Some(check) = self.due(document).await? else { continue };
                self.queue_test(document, check).await?;
                begun += 1;
                if begun == AT_ONCE {
                    return Ok(begun);
                }
            }
            match found.next {
                Some(next) => page = PageRequest { after: Some(next), ..page },
                None => return Ok(begun),
            }
        }
    }

    /// The test of a connector that has to be tested. What cannot be tested never has.
    async fn due(&self, document: &Document) -> Answer<Option<ConnectionCheck>> {
        let body = self.body_of(Kind::Connector, document)?;
        let reference = document.key.identifier.as_str();
        let check = connection_check(reference, &document.key.scope, &body, fresh::nonce());
        let Ok(check) = check else { return Ok(None) };
        let last = self.store().tasks().of_node(&super::node_of(document), 1).await?.pop().map(|row| row.created_at);
        let now = self.clock().real().now();
        // Who has just saved a connector tests it when they want to.
        let since = last.unwrap_or(document.updated_at);
        let renewed = self.youngest_value(&check).await?.is_some_and(|value| value > since);
        Ok((renewed || since + DAY <= now).then_some(check))
    }

    /// When the last of the secrets that a test opens got its value.
    async fn youngest_value(&self, check: &ConnectionCheck) -> Answer<Option<Timestamp>> {
        let mut youngest = None;
        for binding in &check.secrets.bindings {
            let Some(place) = crate::delegates::place_of(&binding.reference) else { continue };
            let secret = self.store().secrets().get(&place.scope, &place.identifier).await?;
            youngest = youngest.max(secret.map(|secret| secret.updated_at));
        }
        Ok(youngest)
    }
}
