//! Which scopes a list covers.

use crate::sql::Query;
use crate::value::scope_values;
use windlass_model::Scope;

/// Which scopes a list covers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scopes {
    /// This one only.
    At(Scope),
    /// This one and everything inside of it.
    Within(Scope),
    /// This one and every wider one: what can be referred to from here.
    VisibleFrom(Scope),
}

impl Default for Scopes {
    /// Everything.
    fn default() -> Self {
        Self::Within(Scope::Account)
    }
}

impl Scopes {
    /// Adds the condition on `org` and `project` to a query.
    pub(crate) fn narrow(&self, query: &mut Query) {
        match self {
            Self::At(scope) => {
                query.push(" AND org = ? AND project = ?", scope_values(scope).to_vec());
            }
            Self::Within(scope) => {
                query.and("org = ?", scope.org()).and("project = ?", scope.project());
            }
            Self::VisibleFrom(scope) => {
                let condition = " AND (org = '' OR (org = ? AND (project = '' OR project = ?)))";
                query.push(condition, scope_values(scope).to_vec());
            }
        }
    }
}
