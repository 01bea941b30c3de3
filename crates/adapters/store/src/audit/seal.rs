//! The chain: each sealed record's hash covers the record and the hash before it.
//!
//! Changing, removing or inserting a sealed record breaks every hash after it. Who keeps the last hash somewhere else also notices
//! when the end of the chain was cut off or all of it written anew.

use super::{Audit, AuditEntry, AuditRecord, AuditSeal, columns};
use crate::Write;
use crate::error::StoreError;
use crate::leases::Lease;
use crate::page::PageRequest;
use crate::sql::Statement;
use crate::value::values;
use sha2::{Digest, Sha256};

/// Records that are sealed in one transaction.
const PIECE: u32 = 500;

/// What is wrong with a chain.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Broken {
    #[error("record {position} of the audit trail is missing")]
    Missing { position: u64 },
    #[error("record {position} of the audit trail ({id}) does not follow from the one before it")]
    Unlinked { position: u64, id: String },
    #[error("record {position} of the audit trail ({id}) was changed after it was sealed")]
    Changed { position: u64, id: String },
    #[error("the audit trail ends at record {found}, and {wanted} were there before")]
    Short { found: u64, wanted: u64 },
    #[error("record {position} of the audit trail is not the one whose hash was kept")]
    Rewritten { position: u64 },
}

impl Audit<'_> {
    /// The end of the chain; `None` while nothing is sealed. Worth keeping somewhere else.
    pub async fn head(&self) -> Result<Option<AuditSeal>, StoreError> {
        let sql = concat!("SELECT ", columns!(), " FROM audit WHERE position = (SELECT max(position) FROM audit)");
        let last: Option<AuditEntry> = self.0.one(Statement::new("audit record", sql, values![])).await?;
        Ok(last.and_then(|entry| entry.seal))
    }

    /// Seals what waits, and answers with how many records that were. Conflict when `lease` is not held any more.
    pub async fn seal(&self, lease: &Lease) -> Result<u64, StoreError> {
        let mut sealed = 0;
        loop {
            let piece = self.seal_piece(lease).await?;
            sealed += piece;
            if piece < u64::from(PIECE) {
                return Ok(sealed);
            }
        }
    }

    async fn seal_piece(&self, lease: &Lease) -> Result<u64, StoreError> {
        let sql = concat!("SELECT ", columns!(), " FROM audit WHERE position IS NULL ORDER BY id LIMIT $1");
        let waiting: Vec<AuditEntry> = self.0.all(Statement::new("audit record", sql, values![PIECE])).await?;
        if waiting.is_empty() {
            return Ok(0);
        }
        let mut last = self.head().await?;
        let mut write = Write::new();
        write.fence(lease);
        for entry in &waiting {
            let seal = next(last, &entry.record);
            // Two sealers cannot both take a place: the position is unique, and the lease is checked besides.
            write.push(
                Statement::new(
                    "audit record",
                    "UPDATE audit SET position = $2, previous = $3, hash = $4 WHERE id = $1 AND position IS NULL",
                    values![entry.record.id, seal.position, seal.previous.as_slice(), seal.hash.as_slice()],
                )
                .one(),
            );
            last = Some(seal);
        }
        self.0.write(write).await?;
        Ok(waiting.len() as u64)
    }

    /// Reads the whole chain and answers with what is wrong first, if anything. `kept` is a seal that was noted earlier elsewhere.
    pub async fn verify(&self, kept: Option<&AuditSeal>) -> Result<Result<u64, Broken>, StoreError> {
        let mut request = PageRequest::first(PageRequest::LARGEST);
        let mut last: Option<AuditSeal> = None;
        loop {
            let page = self.export(&request).await?;
            for entry in &page.items {
                match check(last, entry, kept) {
                    Ok(seal) => last = Some(seal),
                    Err(broken) => return Ok(Err(broken)),
                }
            }
            match page.next {
                Some(next) => request.after = Some(next),
                None => break,
            }
        }
        let found = last.map_or(0, |seal| seal.position);
        Ok(match kept {
            Some(kept) if kept.position > found => Err(Broken::Short { found, wanted: kept.position }),
            _ => Ok(found),
        })
    }
}

/// The place after `last`.
fn next(last: Option<AuditSeal>, record: &AuditRecord) -> AuditSeal {
    let previous = last.map_or([0; 32], |seal| seal.hash);
    AuditSeal { position: last.map_or(0, |seal| seal.position) + 1, previous, hash: hash(&previous, record) }
}

fn check(last: Option<AuditSeal>, entry: &AuditEntry, kept: Option<&AuditSeal>) -> Result<AuditSeal, Broken> {
    let wanted = next(last, &entry.record);
    let position = wanted.position;
    let found = entry.seal.filter(|seal| seal.position == position).ok_or(Broken::Missing { position })?;
    let id = || entry.record.id.to_string();
    if found.previous != wanted.previous {
        Err(Broken::Unlinked { position, id: id() })
    } else if found.hash != wanted.hash {
        Err(Broken::Changed { position, id: id() })
    } else if kept.is_some_and(|kept| kept.position == position && kept.hash != found.hash) {
        Err(Broken::Rewritten { position })
    } else {
        Ok(found)
    }
}

/// SHA-256 over the hash before and every field, each led by its length so that no two records look alike.
fn hash(previous: &[u8; 32], record: &AuditRecord) -> [u8; 32] {
    let mut hasher = Sha256::new();
    hasher.update(previous);
    let fields = [
        record.id.to_string(),
        record.at.micros().to_string(),
        record.scope.to_string(),
        record.principal.clone(),
        record.action.clone(),
        record.resource_kind.clone(),
        record.resource.clone(),
        record.body.clone(),
    ];
    for field in &fields {
        hasher.update((field.len() as u64).to_be_bytes());
        hasher.update(field.as_bytes());
    }
    hasher.finalize().into()
}
