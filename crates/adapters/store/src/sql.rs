//! Statements: one SQL text with `$n` for both databases.

use crate::value::Value;
use std::borrow::Cow;

/// The text of a statement, once, or once for each database where they differ.
#[derive(Clone, Debug)]
pub(crate) enum Sql {
    Both(Cow<'static, str>),
    Each { sqlite: &'static str, postgres: &'static str },
}

impl Sql {
    pub(crate) fn sqlite(&self) -> &str {
        match self {
            Self::Both(text) => text,
            Self::Each { sqlite, .. } => sqlite,
        }
    }

    pub(crate) fn postgres(&self) -> &str {
        match self {
            Self::Both(text) => text,
            Self::Each { postgres, .. } => postgres,
        }
    }
}

impl From<&'static str> for Sql {
    fn from(text: &'static str) -> Self {
        Self::Both(Cow::Borrowed(text))
    }
}

/// A text whose subquery passes over rows that another server is just taking. SQLite has one writer and needs no word for it.
/// The subquery belongs into a materialized `WITH`: PostgreSQL may run it more than once elsewhere, and take more than was asked.
macro_rules! claiming {
    ($before:expr, $after:expr) => {
        $crate::sql::Sql::Each {
            sqlite: concat!($before, $after),
            postgres: concat!($before, " FOR UPDATE SKIP LOCKED", $after),
        }
    };
}
pub(crate) use claiming;

/// How many rows a statement has to change, so that the write it belongs to may stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Expect {
    Any,
    Exactly(u64),
}

/// One statement with its values.
#[derive(Clone, Debug)]
pub(crate) struct Statement {
    /// The noun, for messages: "run".
    pub(crate) what: &'static str,
    pub(crate) sql: Sql,
    pub(crate) values: Vec<Value>,
    pub(crate) expect: Expect,
}

impl Statement {
    pub(crate) fn new(what: &'static str, sql: impl Into<Sql>, values: Vec<Value>) -> Self {
        Self { what, sql: sql.into(), values, expect: Expect::Any }
    }

    /// Fails the write with a conflict unless exactly one row was changed.
    pub(crate) fn one(mut self) -> Self {
        self.expect = Expect::Exactly(1);
        self
    }
}

/// A query that grows with the filters that are given.
pub(crate) struct Query {
    text: String,
    values: Vec<Value>,
}

impl Query {
    /// Begins with a text that already has a `WHERE` clause.
    pub(crate) fn new(text: &str, values: Vec<Value>) -> Self {
        Self { text: text.to_owned(), values }
    }

    /// Adds text; each `?` in it becomes the number of the next value.
    pub(crate) fn push(&mut self, text: &str, values: Vec<Value>) -> &mut Self {
        let mut values = values.into_iter();
        for piece in text.split_inclusive('?') {
            match piece.strip_suffix('?') {
                Some(piece) => {
                    self.values.extend(values.next());
                    self.text.push_str(piece);
                    self.text.push('$');
                    self.text.push_str(&self.values.len().to_string());
                }
                None => self.text.push_str(piece),
            }
        }
        self
    }

    /// Adds ` AND text` when there is a value.
    pub(crate) fn and(&mut self, text: &str, value: Option<impl Into<Value>>) -> &mut Self {
        if let Some(value) = value {
            self.text.push_str(" AND ");
            self.push(text, vec![value.into()]);
        }
        self
    }

    pub(crate) fn finish(self, what: &'static str) -> Statement {
        Statement::new(what, Sql::Both(Cow::Owned(self.text)), self.values)
    }
}

/// Rows that one statement inserts. Each number of rows is a text of its own, which every connection prepares once.
const ROWS: usize = 8;

/// Inserts rows of one table, up to eight by one statement: `head VALUES (…), (…) tail`. A row with a key of another one among them
/// is an error, or one of them is not stored, as `tail` says.
pub(crate) fn inserts(
    what: &'static str,
    head: &'static str,
    tail: &'static str,
    mut rows: impl Iterator<Item = Vec<Value>>,
) -> impl Iterator<Item = Statement> {
    std::iter::from_fn(move || {
        let mut query = Query::new(head, Vec::new());
        let mut separator = " VALUES (";
        for row in rows.by_ref().take(ROWS) {
            for value in row {
                query.push(separator, Vec::new()).push("?", vec![value]);
                separator = ", ";
            }
            separator = "), (";
        }
        let any = !query.values.is_empty();
        query.push(")", Vec::new()).push(tail, Vec::new());
        any.then(|| query.finish(what))
    })
}

/// A pattern for `LIKE … ESCAPE '\'` that finds `text` anywhere.
pub(crate) fn containing(text: &str) -> String {
    let mut pattern = String::with_capacity(text.len() + 2);
    pattern.push('%');
    for character in text.chars() {
        if matches!(character, '%' | '_' | '\\') {
            pattern.push('\\');
        }
        pattern.push(character);
    }
    pattern.push('%');
    pattern
}

#[cfg(test)]
mod tests {
    use super::{Query, containing, inserts};
    use crate::value::values;

    #[test]
    fn queries_number_their_values() {
        let mut query = Query::new("SELECT 1 FROM run WHERE org = $1", values!["default"]);
        query.and("status = ?", Some("Running")).and("pipeline = ?", None::<&str>);
        query.push(" AND (at, id) < (?, ?) LIMIT ?", values![1_i64, "x", 5_u32]);
        let statement = query.finish("run");
        assert_eq!(
            statement.sql.postgres(),
            "SELECT 1 FROM run WHERE org = $1 AND status = $2 AND (at, id) < ($3, $4) LIMIT $5"
        );
        assert_eq!(statement.values.len(), 5);
    }

    #[test]
    fn rows_are_inserted_eight_at_a_time() {
        let rows = |count: i64| (0..count).map(|n| values![n, "x"]);
        let texts = |count| {
            let all = inserts("row", "INSERT INTO t (a, b)", " ON CONFLICT DO NOTHING", rows(count));
            all.map(|s| (s.sql.postgres().to_owned(), s.values.len())).collect::<Vec<_>>()
        };
        assert_eq!(texts(0), []);
        assert_eq!(texts(2), [("INSERT INTO t (a, b) VALUES ($1, $2), ($3, $4) ON CONFLICT DO NOTHING".to_owned(), 4)]);
        let sizes: Vec<usize> = texts(17).into_iter().map(|(_, values)| values).collect();
        assert_eq!(sizes, [16, 16, 2]);
    }

    #[test]
    fn patterns_take_text_literally() {
        assert_eq!(containing(r"50%_a\b"), r"%50\%\_a\\b%");
    }
}
