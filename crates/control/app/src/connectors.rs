//! Tests of connectors: asked of a delegate that would use them, answered when it has looked (kubernetes-deploy §6.3).

mod again;
mod answer;

pub(crate) use again::keep_tested;
pub use answer::{ConnectorTest, TestError, TestStatus};

use crate::access::{Authorized, StoredDocument};
use crate::delegates::{Ended, StoredTask, end};
use crate::{Answer, App, Failure, fresh};
use windlass_engine::{ConnectionCheck, NodeAttempt, NodeId, connection_check};
use windlass_model::task::{Origin, Task, Work};
use windlass_model::{Failure as StepFailure, FailureType, Millis, RunId, TaskId};
use windlass_store::documents::Document;
use windlass_store::tasks::{NewTask, TaskRow, TaskState};
use windlass_store::{Topic, Write};

/// How long a delegate that is away or busy is waited for, in real time.
const QUEUE: Millis = Millis::from_secs(20);

/// How long an answer is waited for: the delegate's own limit is 30 s.
const PATIENCE: Millis = Millis::from_secs(60);

/// A lost hint costs this much.
const GLANCE: Millis = Millis::from_secs(2);

impl App {
    /// Has a delegate test a connector, and answers with what it found. A connector that does not work is no failure of the test.
    pub async fn test_connector(&self, connector: &Authorized<StoredDocument>) -> Answer<ConnectorTest> {
        let document = &connector.document;
        let body = self.body_of(connector.kind, document)?;
        let reference = document.key.identifier.as_str();
        let check = connection_check(reference, &document.key.scope, &body, fresh::nonce())
            .map_err(|failure| refused(&failure))?;
        let task = self.queue_test(document, check).await?;
        let row = self.tested(task).await?;
        let delegate = match row.delegate {
            Some(delegate) => self.store().delegates().get(delegate).await?.map(|d| (d.id, d.name.to_string())),
            None => None,
        };
        ConnectorTest::of(&row, delegate)
    }

    /// What the last tests of a connector found, the youngest first.
    pub async fn connector_tests(&self, connector: &Authorized<StoredDocument>) -> Answer<Vec<ConnectorTest>> {
        let rows = self.store().tasks().of_node(&node_of(&connector.document), 10).await?;
        let mut tests = Vec::with_capacity(rows.len());
        for row in rows.iter().filter(|row| row.ended_at.is_some()) {
            let delegate = match row.delegate {
                Some(delegate) => self.store().delegates().get(delegate).await?.map(|d| (d.id, d.name.to_string())),
                None => None,
            };
            tests.push(ConnectorTest::of(row, delegate)?);
        }
        Ok(tests)
    }

    async fn queue_test(&self, document: &Document, check: ConnectionCheck) -> Answer<TaskId> {
        let (now, real) = (self.clock().now(), self.clock().real().now());
        let id = TaskId::from_ulid(fresh::ulid(real));
        let scope = &document.key.scope;
        let at = NodeAttempt { node: NodeId::from(node_of(document).as_str()), attempt: 1 };
        let part = |id: Option<&windlass_model::Identifier>| id.map(ToString::to_string).unwrap_or_default();
        let origin = Origin {
            account: self.parts().account.clone(),
            org: part(scope.org()),
            project: part(scope.project()),
            pipeline: String::new(),
            // No run asks: a name that no run has.
            run: RunId::from_ulid(fresh::ulid(real)),
            sequence: 0,
            stage: String::new(),
            stage_execution: String::new(),
            step: at.node.to_string(),
            step_attempt: 1,
            execution_url: String::new(),
        };
        let task = Task {
            id,
            attempt: 1,
            origin,
            log_key: at.node.to_string(),
            // Business time may run faster than the wire.
            deadline: now + Millis::from_mins(24 * 60),
            checkpoint: None,
            secrets: check.secrets,
            work: check.work,
        };
        let (deadline, kind) = (task.deadline, task.work.type_name().to_owned());
        let stored = StoredTask { task, selection: check.selection, at };
        let mut write = Write::new();
        write.queue_task(NewTask {
            id,
            run: None,
            node: node_of(document),
            scope: scope.clone(),
            kind,
            version: Work::VERSION,
            now: real,
            queue_until: real + QUEUE,
            deadline,
            body: serde_json::to_string(&stored).map_err(Failure::internal)?,
        });
        self.store().write(write).await?;
        Ok(id)
    }

    /// Waits for the end of a test. One that takes too long is ended here.
    async fn tested(&self, id: TaskId) -> Answer<TaskRow> {
        let real = self.clock().real();
        let until = real.now() + PATIENCE;
        let mut changes = self.store().changes();
        loop {
            let row = self.store().tasks().get(id).await?;
            let row = row.ok_or_else(|| Failure::internal(format!("the task {id} is not there any more")))?;
            if row.ended_at.is_some() {
                return Ok(row);
            }
            if real.now() >= until {
                let text = format!("no delegate has answered within {PATIENCE}");
                let failure = StepFailure::new(FailureType::Timeout, text);
                match end(self, &row, Ended::failed(TaskState::TimedOut, failure), Write::new()).await {
                    // It ended meanwhile.
                    Err(failure) if failure.code == "STO0001" => continue,
                    other => other?,
                }
            } else {
                let _ = real.timeout(GLANCE, changes.any_of(&[Topic::Tasks])).await;
            }
        }
    }
}

/// Under which the tests of a connector are found.
fn node_of(document: &Document) -> String {
    format!("connector/{}/{}", document.key.scope, document.key.identifier)
}

fn refused(failure: &StepFailure) -> Failure {
    let refused = Failure::invalid("CON0001", failure.message.clone());
    failure.hints.iter().fold(refused, |refused, hint| refused.hint(hint.clone()))
}
