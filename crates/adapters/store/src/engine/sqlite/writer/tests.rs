//! What happens to a group when one of it, or the disk, fails.

use super::{Decision, Kept, commit};
use crate::engine::sqlite::connection;
use crate::error::StoreError;
use crate::sql::Statement;
use crate::value::values;
use crate::write::Answer;
use rusqlite::Connection;
use tokio::sync::oneshot;

type Reply = oneshot::Receiver<Result<Vec<Answer>, StoreError>>;

fn database() -> Connection {
    let connection = Connection::open_in_memory().unwrap();
    connection::prepare(&connection).unwrap();
    connection.execute_batch("CREATE TABLE item (id BIGINT PRIMARY KEY, body BLOB)").unwrap();
    connection
}

fn decision(statements: Vec<Statement>) -> (Decision, Reply) {
    let (reply, answer) = oneshot::channel();
    (Decision { statements, reply }, answer)
}

fn insert(id: i64, size: usize) -> Statement {
    Statement::new("item", "INSERT INTO item (id, body) VALUES ($1, $2)", values![id, vec![0_u8; size]])
}

fn ids(connection: &Connection) -> Vec<i64> {
    let mut statement = connection.prepare("SELECT id FROM item ORDER BY id").unwrap();
    statement.query_map([], |row| row.get(0)).unwrap().collect::<Result<_, _>>().unwrap()
}

/// Commits a group and answers with how each fared.
fn outcome(connection: &Connection, decisions: Vec<Vec<Statement>>) -> Vec<Result<usize, StoreError>> {
    let (group, replies): (Vec<_>, Vec<_>) = decisions.into_iter().map(decision).unzip();
    commit(connection, &Kept::default(), group);
    replies.into_iter().map(|mut reply| reply.try_recv().unwrap().map(|answers| answers.len())).collect()
}

#[test]
fn a_decision_fails_alone_and_whole() {
    let connection = database();
    let outcome = outcome(
        &connection,
        vec![vec![insert(1, 1)], vec![insert(2, 1), insert(3, 1), insert(1, 1)], vec![insert(2, 1), insert(4, 1)]],
    );
    assert!(matches!(outcome[..], [Ok(1), Err(StoreError::Conflict { what: "item" }), Ok(2)]), "{outcome:?}");
    assert_eq!(ids(&connection), [1, 2, 4], "3 went with its decision");
}

#[test]
fn a_wrong_count_is_a_conflict() {
    let connection = database();
    let delete = |id: i64| Statement::new("item", "DELETE FROM item WHERE id = $1", values![id]).one();
    let outcome =
        outcome(&connection, vec![vec![insert(1, 1), delete(7)], vec![insert(1, 1), delete(1), insert(8, 1)]]);
    assert!(matches!(outcome[..], [Err(StoreError::Conflict { .. }), Ok(3)]), "{outcome:?}");
    assert_eq!(ids(&connection), [8]);
}

#[test]
fn a_failed_commit_fails_every_decision_of_the_group() {
    let mut connection = database();
    connection.commit_hook(Some(|| true)).unwrap();
    let failed = outcome(&connection, vec![vec![insert(1, 1)], vec![insert(2, 1)]]);
    assert!(failed.iter().all(Result::is_err), "{failed:?}");
    assert_eq!(ids(&connection), [0; 0]);
    connection.commit_hook(None::<fn() -> bool>).unwrap();
    let after = outcome(&connection, vec![vec![insert(1, 1)], vec![insert(2, 1)]]);
    assert!(after.iter().all(Result::is_ok), "{after:?}");
}

#[test]
fn a_full_disk_refuses_the_one_that_does_not_fit() {
    let connection = database();
    connection.pragma_update(None, "max_page_count", 30).unwrap();
    let outcome = outcome(&connection, vec![vec![insert(1, 100)], vec![insert(2, 1_000_000)], vec![insert(3, 100)]]);
    assert!(matches!(outcome[..], [Ok(1), Err(StoreError::Full { .. }), Ok(1)]), "{outcome:?}");
    assert_eq!(ids(&connection), [1, 3]);
}

#[test]
fn a_transaction_that_sqlite_gives_up_is_done_again_without_the_culprit() {
    let connection = database();
    // `OR ROLLBACK` does what SQLite does by itself after a failed write to the disk: the whole transaction is gone.
    let bad = Statement::new("item", "INSERT OR ROLLBACK INTO item (id) VALUES ($1)", values![1_i64]);
    let outcome = outcome(&connection, vec![vec![insert(1, 1)], vec![insert(2, 1), bad], vec![insert(3, 1)]]);
    assert!(matches!(outcome[..], [Ok(1), Err(StoreError::Conflict { .. }), Ok(1)]), "{outcome:?}");
    assert_eq!(ids(&connection), [1, 3]);
    assert!(connection.is_autocommit());
}

#[test]
fn values_are_found_by_number_whatever_their_order() {
    let connection = database();
    let swapped = Statement::new("item", "INSERT INTO item (body, id) VALUES ($2, $1)", values![5_i64, vec![1_u8]]);
    let missing = Statement::new("item", "INSERT INTO item (body, id) VALUES ($2, $1)", values![6_i64]);
    let outcome = outcome(&connection, vec![vec![swapped], vec![missing]]);
    assert!(matches!(outcome[..], [Ok(1), Err(StoreError::Refused { .. })]), "{outcome:?}");
    assert_eq!(ids(&connection), [5]);
}
