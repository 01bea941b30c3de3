//! What is asked often is answered from an index, however much is stored.

use crate::migrate::{self, Part};
use crate::outbox::Claim;
use crate::page::PageRequest;
use crate::runs::RunFilter;
use crate::scopes::Scopes;
use crate::sql::Statement;
use crate::{outbox, runs, timers};
use rusqlite::Connection;
use windlass_model::{Identifier, Scope, Status, Timestamp};

/// How SQLite answers a statement, one step a line.
fn plan(connection: &Connection, statement: &Statement) -> String {
    let mut explained = connection.prepare(&format!("EXPLAIN QUERY PLAN {}", statement.sql.sqlite())).unwrap();
    // Values do not matter to the plan and are left out.
    let mut steps = explained.raw_query();
    let mut plan = String::new();
    while let Some(step) = steps.next().unwrap() {
        plan.push_str(&step.get::<_, String>(3).unwrap());
        plan.push('\n');
    }
    plan
}

#[test]
fn often_asked_questions_use_an_index() {
    let mut connection = Connection::open_in_memory().unwrap();
    let now = Timestamp::default();
    migrate::sqlite(&mut connection, Part::Everything, now).unwrap();
    let claim = Claim { holder: "a".into(), now, until: now, limit: 10 };
    let id = |text: &str| Identifier::parse(text).unwrap();
    let project = Scope::Project { org: id("default"), project: id("platform") };
    let list = |filter: RunFilter| runs::select(&filter, &PageRequest::default()).unwrap();
    let any = RunFilter::default;
    let label = |label: &str| (label.to_owned(), "x".to_owned());
    let cases = [
        ("take effects", outbox::take(&claim), "SEARCH outbox USING INDEX outbox_due"),
        ("next effect", outbox::next(now), "SCAN outbox USING INDEX outbox_due"),
        ("take timers", timers::take(now, &claim), "SEARCH timer USING INDEX timer_due"),
        ("next timer", timers::next(now), "SCAN timer USING INDEX timer_due"),
        ("all runs", list(any()), "SCAN run USING INDEX sqlite_autoindex_run_1"),
        ("a project's runs", list(RunFilter { scopes: Scopes::At(project.clone()), ..any() }), "INDEX run_of_project"),
        (
            "a pipeline's runs",
            list(RunFilter { scopes: Scopes::At(project), pipeline: Some(id("payment")), ..any() }),
            "INDEX run_of_pipeline",
        ),
        ("open runs", list(RunFilter { status: vec![Status::ApprovalWaiting], ..any() }), "INDEX run_open"),
        (
            "runs of a service in an environment",
            list(RunFilter { labels: vec![label("service"), label("environment")], ..any() }),
            "SEARCH first USING PRIMARY KEY (label=? AND value=?)",
        ),
        (
            "open runs with a label",
            list(RunFilter { labels: vec![label("key")], open: true, ..any() }),
            "INDEX run_open",
        ),
    ];
    for (what, statement, wanted) in cases {
        let plan = plan(&connection, &statement);
        assert!(plan.contains(wanted), "{what}: {plan}");
        assert!(!plan.contains("TEMP B-TREE"), "{what} sorts: {plan}");
    }
}
