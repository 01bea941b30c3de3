//! Looking at the audit trail, proving it, and taking it elsewhere.

use crate::access::{Authorized, Caller, Permission, Resource, StoredRun};
use crate::{Answer, App, Failure};
use schemars::JsonSchema;
use serde::Serialize;
use windlass_model::{Json, RunId, Scope, Timestamp};
use windlass_store::audit::seal::Broken;
use windlass_store::audit::{AuditEntry, AuditFilter, AuditSeal};
use windlass_store::{Page, PageRequest, Scopes};

/// Which records somebody asks for. Everything that is given must hold.
#[derive(Clone, Debug, Default)]
pub struct AuditQuery {
    pub scope: Scope,
    pub principal: Option<String>,
    pub actions: Vec<String>,
    pub resource_kind: Option<String>,
    pub resource: Option<String>,
    /// Everything about a run and its nodes.
    pub run: Option<RunId>,
    pub from: Option<Timestamp>,
    /// Before this moment.
    pub to: Option<Timestamp>,
}

/// A record as people and programs see it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditRow {
    pub id: String,
    pub at: Timestamp,
    pub scope: Scope,
    pub principal: String,
    pub action: String,
    pub resource_type: String,
    pub resource: String,
    /// `success` or `denied`.
    pub result: String,
    /// Before and after, from where, and what belongs to the action.
    pub detail: Json,
    /// Its place in the chain; missing for a moment after it was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub previous: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hash: Option<String>,
}

impl From<AuditEntry> for AuditRow {
    fn from(entry: AuditEntry) -> Self {
        let AuditEntry { record, seal } = entry;
        let detail: Json = serde_json::from_str(&record.body).unwrap_or(Json::Null);
        let result = detail["result"].as_str().unwrap_or("success").to_owned();
        Self {
            id: record.id.to_string(),
            at: record.at,
            scope: record.scope,
            principal: record.principal,
            action: record.action,
            resource_type: record.resource_kind,
            resource: record.resource,
            result,
            detail,
            position: seal.map(|seal| seal.position),
            previous: seal.map(|seal| hex(&seal.previous)),
            hash: seal.map(|seal| hex(&seal.hash)),
        }
    }
}

/// What came of checking the chain.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Verified {
    pub intact: bool,
    /// Sealed records that were checked.
    pub records: u64,
    /// The end of the chain: kept elsewhere, it proves later that nothing before it was written anew.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub head: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

impl App {
    /// Records, the youngest first: of the scope and of those inside that the caller may audit. A wider scope does not appear.
    pub async fn audit(
        &self,
        by: &Caller,
        _: &Authorized<Resource>,
        query: &AuditQuery,
        page: &PageRequest,
    ) -> Answer<Page<AuditRow>> {
        let filter = AuditFilter {
            scopes: Scopes::Within(query.scope.clone()),
            principal: query.principal.clone(),
            actions: query.actions.clone(),
            resource_kind: query.resource_kind.clone(),
            resource: query.run.map(|run| run.to_string()).or_else(|| query.resource.clone()),
            parts_too: query.run.is_some(),
            from: query.from,
            to: query.to,
        };
        let found = self.store().audit().list(&filter, page).await?;
        let sees = |scope: &Scope| {
            by.may(Permission::AuditView, &Resource::any(Permission::AuditView.resource(), scope.clone()))
        };
        let items: Vec<AuditRow> =
            found.items.into_iter().filter(|entry| sees(&entry.record.scope)).map(AuditRow::from).collect();
        Ok(Page { items, next: found.next })
    }

    /// Everything about a run, the oldest first: who started it and with what, who approved, what policies said, how it ended.
    pub async fn audit_of_run(&self, run: &Authorized<StoredRun>) -> Answer<Vec<AuditRow>> {
        let filter = AuditFilter { resource: Some(run.id.to_string()), parts_too: true, ..AuditFilter::default() };
        let mut page = PageRequest::first(PageRequest::LARGEST);
        let mut rows = Vec::new();
        loop {
            let found = self.store().audit().list(&filter, &page).await?;
            rows.extend(found.items.into_iter().map(AuditRow::from));
            match found.next {
                Some(next) => page.after = Some(next),
                None => break,
            }
        }
        rows.reverse();
        Ok(rows)
    }

    /// Reads the whole chain. `kept` is an earlier end of the chain, as [`Verified::head`] told it.
    pub async fn verify_audit(&self, _: &Authorized<Resource>, kept: Option<&str>) -> Answer<Verified> {
        let kept = kept.map(read_head).transpose()?;
        let checked = self.store().audit().verify(kept.as_ref()).await?;
        let head = self.store().audit().head().await?;
        let head = head.map(|seal| format!("{}:{}", seal.position, hex(&seal.hash)));
        Ok(match checked {
            Ok(records) => Verified { intact: true, records, head, problem: None },
            Err(broken) => {
                let records = match &broken {
                    Broken::Missing { position }
                    | Broken::Unlinked { position, .. }
                    | Broken::Changed { position, .. }
                    | Broken::Rewritten { position } => position - 1,
                    Broken::Short { found, .. } => *found,
                };
                Verified { intact: false, records, head, problem: Some(broken.to_string()) }
            }
        })
    }

    /// Sealed records in the order of the chain, from after a position on.
    pub async fn export_audit(&self, _: &Authorized<Resource>, page: &PageRequest) -> Answer<Page<AuditRow>> {
        Ok(self.store().audit().export(page).await?.map(AuditRow::from))
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// `POSITION:HASH`.
fn read_head(text: &str) -> Answer<AuditSeal> {
    let wrong = || {
        let text = format!("`{text}` is not an end of the chain");
        Failure::invalid("AUD0001", text).hint("write it as `windlass audit verify` printed it: POSITION:HASH")
    };
    let (position, digits) = text.split_once(':').ok_or_else(wrong)?;
    let position = position.parse().map_err(|_| wrong())?;
    let mut hash = [0_u8; 32];
    if digits.len() != 64 || !digits.is_ascii() {
        return Err(wrong());
    }
    for (byte, at) in hash.iter_mut().zip((0..64).step_by(2)) {
        *byte = u8::from_str_radix(&digits[at..at + 2], 16).map_err(|_| wrong())?;
    }
    Ok(AuditSeal { position, previous: [0; 32], hash })
}
