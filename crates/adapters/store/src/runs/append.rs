//! One decision about a run, put into a write.

use super::{Run, RunEvent, RunNode, run_columns};
use crate::Write;
use crate::changes::Change;
use crate::outbox::NewEffect;
use crate::sql::{Statement, inserts};
use crate::timers::NewTimer;
use crate::value::{Perhaps, Value, values};
use windlass_model::RunId;

/// What one decision adds to a run.
#[derive(Clone, Debug)]
pub struct Append {
    /// The run as it is after the events; `last_seq` is the number of the last one.
    pub run: Run,
    /// At least one. The first has number 1 in a new run, else one more than the last that was loaded.
    pub events: Vec<RunEvent>,
    /// The nodes that changed, each once.
    pub nodes: Vec<RunNode>,
    /// What the run deals with now, besides what is known already: `("service", "payment")`.
    pub labels: Vec<(String, String)>,
    pub effects: Vec<NewEffect>,
    pub timers: Vec<NewTimer>,
    /// Keys.
    pub cancelled_timers: Vec<String>,
}

impl Append {
    /// Events and nothing else.
    pub fn new(run: Run, events: Vec<RunEvent>) -> Self {
        Self {
            run,
            events,
            nodes: Vec::new(),
            labels: Vec::new(),
            effects: Vec::new(),
            timers: Vec::new(),
            cancelled_timers: Vec::new(),
        }
    }
}

impl Write {
    /// Adds a decision about a run. Conflict when the run has events that the decision did not know.
    pub fn append_run(&mut self, append: Append) -> &mut Self {
        let Append { run, events, nodes, labels, effects, timers, cancelled_timers } = append;
        let id = run.id;
        let known = events.first().map_or(run.last_seq, |event| event.seq.saturating_sub(1));
        if known == 0 {
            self.push(numbered(&run)).push(insert(&run));
        } else {
            self.push(update(&run, known));
        }
        let events =
            events.into_iter().map(|event| values![id, event.seq, event.at, event.kind, event.version, event.body]);
        self.statements.extend(inserts("run", EVENT, "", events));
        self.statements.extend(inserts(
            "run node",
            NODE,
            NODE_KNOWN,
            nodes.into_iter().map(|node| node_values(id, node)),
        ));
        let labels = labels.into_iter().map(|(label, value)| values![label, value, id]);
        self.statements.extend(inserts("run label", LABEL, " ON CONFLICT (label, value, run_id) DO NOTHING", labels));
        for effect in effects {
            self.effect(effect);
        }
        for key in cancelled_timers {
            self.timer_cancel(&key);
        }
        for timer in timers {
            self.timer(timer);
        }
        self.announce(Change::run(id))
    }
}

/// The numbers of a pipeline's runs go on from this one. Where the number is stored already, nothing is locked: the runs of a pipeline
/// would wait for each other's commits.
fn numbered(run: &Run) -> Statement {
    Statement::new(
        "run sequence",
        "INSERT INTO run_sequence (org, project, pipeline, last) SELECT $1, $2, $3, CAST($4 AS BIGINT)
         WHERE NOT EXISTS (SELECT 1 FROM run_sequence WHERE org = $1 AND project = $2 AND pipeline = $3 AND last >= $4)
         ON CONFLICT (org, project, pipeline) DO UPDATE SET last = excluded.last WHERE run_sequence.last < excluded.last",
        values![scope: &run.scope, &run.pipeline, run.sequence],
    )
}

fn insert(run: &Run) -> Statement {
    Statement::new(
        "run",
        concat!(
            "INSERT INTO run (",
            run_columns!(),
            ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)"
        ),
        values![
            run.id,
            scope: &run.scope,
            &run.pipeline,
            run.sequence,
            run.status,
            &run.trigger,
            &run.started_by,
            run.created_at,
            run.started_at,
            run.ended_at,
            run.last_seq,
            &run.body
        ],
    )
}

fn update(run: &Run, known: u64) -> Statement {
    let mut row = values![run.id, known, run.status, run.started_at, run.last_seq, &run.body];
    let sql = match run.ended_at {
        // A run that has ended stays so. Not to name the column spares every other decision the index of open runs.
        None => "UPDATE run SET status = $3, started_at = $4, last_seq = $5, body = $6 WHERE id = $1 AND last_seq = $2",
        Some(ended_at) => {
            row.extend(values![ended_at]);
            "UPDATE run SET status = $3, started_at = $4, last_seq = $5, body = $6, ended_at = $7
             WHERE id = $1 AND last_seq = $2"
        }
    };
    Statement::new("run", sql, row).one()
}

const EVENT: &str = "INSERT INTO run_event (run_id, seq, at, kind, version, body)";

const LABEL: &str = "INSERT INTO run_label (label, value, run_id)";

const NODE: &str = "INSERT INTO run_node
    (run_id, node, parent, position, kind, identifier, name, status, attempt, started_at, ended_at, body)";

const NODE_KNOWN: &str = " ON CONFLICT (run_id, node) DO UPDATE SET
    parent = excluded.parent, position = excluded.position, kind = excluded.kind,
    identifier = excluded.identifier, name = excluded.name, status = excluded.status, attempt = excluded.attempt,
    started_at = excluded.started_at, ended_at = excluded.ended_at, body = excluded.body";

fn node_values(run: RunId, node: RunNode) -> Vec<Value> {
    values![
        run,
        node.node,
        Perhaps(node.parent),
        node.position,
        node.kind,
        node.identifier,
        node.name,
        node.status,
        node.attempt,
        node.started_at,
        node.ended_at,
        node.body
    ]
}
