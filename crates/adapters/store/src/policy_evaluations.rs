//! What policies said, kept as evidence (pipelines §8.2).

use crate::error::{Malformed, StoreError};
use crate::page::{Page, PageRequest};
use crate::scopes::Scopes;
use crate::sql::{Query, Statement};
use crate::value::{Perhaps, Record, Row, values};
use crate::{Store, Write};
use windlass_model::{RunId, Scope, Timestamp};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicyEvaluation {
    /// Sorts by time.
    pub id: String,
    pub scope: Scope,
    /// `onsave`, `onrun` or `onstep`.
    pub action: String,
    /// What was looked at: `pipeline`, …
    pub subject_kind: String,
    pub subject: String,
    pub run: Option<RunId>,
    pub node: Option<String>,
    /// `pass`, `warning` or `error`.
    pub status: String,
    pub at: Timestamp,
    /// JSON: sets, policies, messages.
    pub body: String,
}

macro_rules! columns {
    () => {
        "id, org, project, action, subject_kind, subject, run_id, node, status, at, body"
    };
}

impl Record for PolicyEvaluation {
    fn read(row: &mut Row) -> Result<Self, Malformed> {
        Ok(Self {
            id: row.take()?,
            scope: row.scope()?,
            action: row.take()?,
            subject_kind: row.take()?,
            subject: row.take()?,
            run: row.take()?,
            node: row.take::<Perhaps<String>>()?.0,
            status: row.take()?,
            at: row.take()?,
            body: row.take()?,
        })
    }
}

/// Which evaluations a list shows. Everything that is given must hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PolicyEvaluationFilter {
    pub scopes: Scopes,
    pub action: Option<String>,
    pub subject_kind: Option<String>,
    pub subject: Option<String>,
    pub run: Option<RunId>,
    pub status: Option<String>,
}

#[derive(Clone, Copy, Debug)]
pub struct PolicyEvaluations<'a>(&'a Store);

impl Store {
    pub fn policy_evaluations(&self) -> PolicyEvaluations<'_> {
        PolicyEvaluations(self)
    }
}

impl PolicyEvaluations<'_> {
    /// Evaluations, the youngest first.
    pub async fn list(
        &self,
        filter: &PolicyEvaluationFilter,
        page: &PageRequest,
    ) -> Result<Page<PolicyEvaluation>, StoreError> {
        let mut query = Query::new(concat!("SELECT ", columns!(), " FROM policy_evaluation WHERE 1 = 1"), values![]);
        filter.scopes.narrow(&mut query);
        query.and("action = ?", filter.action.as_deref());
        query.and("subject_kind = ?", filter.subject_kind.as_deref()).and("subject = ?", filter.subject.as_deref());
        query.and("run_id = ?", filter.run).and("status = ?", filter.status.as_deref());
        query.and("id < ?", page.after.as_deref());
        query.push(" ORDER BY id DESC LIMIT ?", values![page.size() + 1]);
        let items = self.0.all(query.finish("policy evaluation")).await?;
        Ok(Page::cut(items, page.size(), |evaluation: &PolicyEvaluation| evaluation.id.clone()))
    }
}

impl Write {
    /// Keeps an evaluation. Conflict when its id is there already.
    pub fn policy_evaluation(&mut self, evaluation: &PolicyEvaluation) -> &mut Self {
        let e = evaluation;
        self.push(Statement::new(
            "policy evaluation",
            concat!(
                "INSERT INTO policy_evaluation (",
                columns!(),
                ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)"
            ),
            values![
                &e.id,
                scope: &e.scope,
                &e.action,
                &e.subject_kind,
                &e.subject,
                e.run,
                Perhaps(e.node.as_ref()),
                &e.status,
                e.at,
                &e.body
            ],
        ))
    }
}
