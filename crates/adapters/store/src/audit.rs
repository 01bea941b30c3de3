//! Who did what: rows that are only ever added, and sealed into a hash chain afterwards (pipelines §9.3, architecture §5).
//!
//! A row comes in with the transaction of what it tells about, and without a place in the chain, so that writers do not wait for
//! each other. One sealer under a lease gives rows their place: see [`seal`].

pub mod seal;

use crate::changes::{Change, Topic};
use crate::error::{Malformed, StoreError};
use crate::page::{Page, PageRequest};
use crate::scopes::Scopes;
use crate::sql::{Query, Statement};
use crate::value::{Record, Row, values};
use crate::{Store, Write};
use windlass_model::id::AuditId;
use windlass_model::{Scope, Timestamp};

/// One thing somebody did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditRecord {
    pub id: AuditId,
    pub at: Timestamp,
    pub scope: Scope,
    /// Who.
    pub principal: String,
    /// `CREATE`, `UPDATE`, `LOGIN`, … (pipelines §9.3)
    pub action: String,
    pub resource_kind: String,
    pub resource: String,
    /// JSON: before and after, from where, request. Holds no secret.
    pub body: String,
}

/// A record with its place in the chain, once it has one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditEntry {
    pub record: AuditRecord,
    pub seal: Option<AuditSeal>,
}

/// A place in the chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AuditSeal {
    /// Counts from 1 without gaps.
    pub position: u64,
    /// The hash at the position before; zeros at the first.
    pub previous: [u8; 32],
    pub hash: [u8; 32],
}

macro_rules! columns {
    () => {
        "id, at, org, project, principal, action, resource_kind, resource, body, position, previous, hash"
    };
}
use columns;

impl Record for AuditEntry {
    fn read(row: &mut Row) -> Result<Self, Malformed> {
        let record = AuditRecord {
            id: row.take()?,
            at: row.take()?,
            scope: row.scope()?,
            principal: row.take()?,
            action: row.take()?,
            resource_kind: row.take()?,
            resource: row.take()?,
            body: row.take()?,
        };
        let seal = (row.take::<Option<u64>>()?, row.take::<Option<[u8; 32]>>()?, row.take::<Option<[u8; 32]>>()?);
        let seal = match seal {
            (Some(position), Some(previous), Some(hash)) => Some(AuditSeal { position, previous, hash }),
            _ => None,
        };
        Ok(Self { record, seal })
    }
}

/// Which records a list shows. Everything that is given must hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AuditFilter {
    pub scopes: Scopes,
    pub principal: Option<String>,
    /// Any of these; empty for all.
    pub actions: Vec<String>,
    pub resource_kind: Option<String>,
    pub resource: Option<String>,
    /// With `resource`: also what is below it, as `run_…/node` is below `run_…`.
    pub parts_too: bool,
    pub from: Option<Timestamp>,
    /// Before this moment.
    pub to: Option<Timestamp>,
}

#[derive(Clone, Copy, Debug)]
pub struct Audit<'a>(&'a Store);

impl Store {
    pub fn audit(&self) -> Audit<'_> {
        Audit(self)
    }
}

impl Audit<'_> {
    /// Records, the youngest first, sealed or not.
    pub async fn list(&self, filter: &AuditFilter, page: &PageRequest) -> Result<Page<AuditEntry>, StoreError> {
        let mut query = Query::new(concat!("SELECT ", columns!(), " FROM audit WHERE 1 = 1"), values![]);
        filter.narrow(&mut query);
        if let Some(cursor) = &page.after {
            let after: AuditId = cursor.parse().map_err(|_| StoreError::BadCursor { cursor: cursor.clone() })?;
            query.push(" AND id < ?", values![after]);
        }
        query.push(" ORDER BY id DESC LIMIT ?", values![page.size() + 1]);
        let items = self.0.all(query.finish("audit record")).await?;
        Ok(Page::cut(items, page.size(), |entry: &AuditEntry| entry.record.id.to_string()))
    }

    /// Sealed records in the order of the chain, for export: what was read once never changes and nothing comes before it.
    pub async fn export(&self, page: &PageRequest) -> Result<Page<AuditEntry>, StoreError> {
        let after: u64 = match &page.after {
            Some(cursor) => cursor.parse().map_err(|_| StoreError::BadCursor { cursor: cursor.clone() })?,
            None => 0,
        };
        let sql = concat!("SELECT ", columns!(), " FROM audit WHERE position > $1 ORDER BY position LIMIT $2");
        let items = self.0.all(Statement::new("audit record", sql, values![after, page.size() + 1])).await?;
        Ok(Page::cut(items, page.size(), |entry: &AuditEntry| {
            entry.seal.map_or_else(String::new, |seal| seal.position.to_string())
        }))
    }
}

impl AuditFilter {
    fn narrow(&self, query: &mut Query) {
        self.scopes.narrow(query);
        query.and("principal = ?", self.principal.as_deref());
        if !self.actions.is_empty() {
            query.push(" AND action IN (", values![]);
            for (index, action) in self.actions.iter().enumerate() {
                query.push(if index == 0 { "?" } else { ", ?" }, values![action]);
            }
            query.push(")", values![]);
        }
        query.and("resource_kind = ?", self.resource_kind.as_deref());
        match (&self.resource, self.parts_too) {
            (Some(resource), true) => {
                // `0` is what follows `/`.
                let (from, to) = (format!("{resource}/"), format!("{resource}0"));
                query.push(" AND (resource = ? OR (resource >= ? AND resource < ?))", values![resource, from, to]);
            }
            (resource, _) => {
                query.and("resource = ?", resource.as_deref());
            }
        }
        query.and("at >= ?", self.from).and("at < ?", self.to);
    }
}

impl Write {
    /// Adds a record to the trail.
    pub fn audit(&mut self, record: &AuditRecord) -> &mut Self {
        self.push(Statement::new(
            "audit record",
            "INSERT INTO audit (id, at, org, project, principal, action, resource_kind, resource, body)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
            values![
                record.id,
                record.at,
                scope: &record.scope,
                &record.principal,
                &record.action,
                &record.resource_kind,
                &record.resource,
                &record.body
            ],
        ))
        .announce(Change::of(Topic::Audit))
    }
}
