//! Answers of queries that are asked all the time about what changes rarely: documents, settings, people, keys.
//!
//! Only where this process is the only one that writes. Then every change passes by here, and an answer holds until a statement
//! about its noun is stored: whoever reads after a write was confirmed reads what it wrote.

use crate::sql::Statement;
use crate::value::{Row, Value};
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// The nouns whose answers are kept. A statement that changes one of their tables must carry its noun.
const NOUNS: [&str; 7] = ["document", "setting", "user", "API key", "webhook token", "group member", "delegate"];

/// The most bytes of all answers of one noun. Beyond it they are all dropped: what is asked often is soon there again.
const ROOM: usize = 4 * 1024 * 1024;

/// The most bytes of one answer: long lists are asked for rarely.
const LARGEST: usize = 256 * 1024;

#[derive(Debug, Default)]
pub(crate) struct Kept([Mutex<Answers>; NOUNS.len()]);

#[derive(Debug, Default)]
struct Answers {
    /// By text and values.
    known: HashMap<(String, Vec<Value>), Vec<Row>>,
    bytes: usize,
    /// How often the noun has changed.
    changes: u64,
}

/// What a query led to.
pub(crate) enum Asked {
    Known(Vec<Row>),
    /// To be asked, and then kept.
    Unknown(Ticket),
    /// To be asked each time.
    Passing,
}

/// The right to keep an answer, as long as nothing has changed since the question.
pub(crate) struct Ticket {
    noun: usize,
    question: (String, Vec<Value>),
    changes: u64,
}

impl Kept {
    pub(crate) fn ask(&self, statement: &Statement) -> Asked {
        let Some(noun) = noun(statement) else { return Asked::Passing };
        let question = (statement.sql.sqlite().to_owned(), statement.values.clone());
        let answers = self.0[noun].lock().unwrap_or_else(PoisonError::into_inner);
        match answers.known.get(&question) {
            Some(rows) => Asked::Known(rows.clone()),
            None => Asked::Unknown(Ticket { noun, question, changes: answers.changes }),
        }
    }

    /// Keeps an answer, unless it may be old already.
    pub(crate) fn keep(&self, ticket: Ticket, rows: &[Row]) {
        let Ticket { noun, question, changes } = ticket;
        let bytes = question.0.len() + rows.iter().map(Row::bytes).sum::<usize>();
        let mut answers = self.0[noun].lock().unwrap_or_else(PoisonError::into_inner);
        if answers.changes != changes || bytes > LARGEST {
            return;
        }
        if answers.bytes + bytes > ROOM {
            answers.known.clear();
            answers.bytes = 0;
        }
        answers.bytes += bytes;
        answers.known.insert(question, rows.to_vec());
    }

    /// Drops what these statements may have changed. To be called when they are stored and before anybody hears of it.
    pub(crate) fn forget<'a>(&self, statements: impl IntoIterator<Item = &'a Statement>) {
        let mut changed = [false; NOUNS.len()];
        for noun in statements.into_iter().filter_map(noun) {
            changed[noun] = true;
        }
        for (answers, _) in self.0.iter().zip(changed).filter(|(_, changed)| *changed) {
            let mut answers = answers.lock().unwrap_or_else(PoisonError::into_inner);
            answers.known.clear();
            answers.bytes = 0;
            answers.changes += 1;
        }
    }
}

fn noun(statement: &Statement) -> Option<usize> {
    NOUNS.iter().position(|noun| *noun == statement.what)
}

#[cfg(test)]
mod tests {
    use super::{Asked, Kept, LARGEST};
    use crate::sql::Statement;
    use crate::value::{Row, Value};

    fn question(what: &'static str) -> Statement {
        Statement::new(what, "SELECT 1", vec![Value::Int(1)])
    }

    fn answer() -> Vec<Row> {
        vec![Row::new(vec![Value::Text("a".into())])]
    }

    fn ticket(kept: &Kept, what: &'static str) -> super::Ticket {
        match kept.ask(&question(what)) {
            Asked::Unknown(ticket) => ticket,
            _ => panic!("`{what}` is not asked for the first time"),
        }
    }

    #[test]
    fn an_answer_holds_until_its_noun_changes() {
        let kept = Kept::default();
        kept.keep(ticket(&kept, "document"), &answer());
        kept.forget(&[question("run"), question("setting")]);
        assert!(matches!(kept.ask(&question("document")), Asked::Known(rows) if rows.len() == 1));
        kept.forget(&[question("run"), question("document")]);
        ticket(&kept, "document");
    }

    #[test]
    fn an_answer_from_before_a_change_is_not_kept() {
        let kept = Kept::default();
        let asked = ticket(&kept, "document");
        kept.forget(&[question("document")]);
        kept.keep(asked, &answer());
        ticket(&kept, "document");
    }

    #[test]
    fn runs_and_long_answers_are_read_each_time() {
        let kept = Kept::default();
        assert!(matches!(kept.ask(&question("run")), Asked::Passing));
        kept.keep(ticket(&kept, "setting"), &[Row::new(vec![Value::Text("x".repeat(LARGEST))])]);
        ticket(&kept, "setting");
    }
}
