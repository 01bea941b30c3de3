//! Objects into the cluster, stage by stage (kubernetes-deploy §1.8).

mod one;

use crate::compare::{Compared, Verdict, compare};
use crate::objects;
use crate::session::Session;
use crate::stop::{Step, Stop};
use serde_json::json;
use std::collections::BTreeMap;
use windlass_cluster::{Address, Json};
use windlass_manifest::health::{self, JsonSelect, Related, Settings};
use windlass_manifest::order::{self, Stage};
use windlass_manifest::{Object, ObjectKey};
use windlass_model::Millis;
use windlass_model::failure::{Failure, FailureType};

/// What became of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    Created,
    Configured,
    Recreated,
    Unchanged,
}

impl Change {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Configured => "configured",
            Self::Recreated => "recreated",
            Self::Unchanged => "unchanged",
        }
    }
}

/// An object that is in the cluster as it was wanted.
#[derive(Clone, Debug)]
pub(crate) struct Applied {
    pub key: ObjectKey,
    pub address: Address,
    pub change: Change,
    pub live: Json,
}

impl Applied {
    pub(crate) fn uid(&self) -> Option<&str> {
        objects::uid(&self.live)
    }

    /// For outputs.
    pub(crate) fn told(&self) -> Json {
        json!({"kind": self.key.kind, "namespace": self.key.namespace, "name": self.key.name, "group": self.key.group,
            "change": self.change.name()})
    }
}

/// What an apply works with.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct How<'h> {
    pub scalers: &'h [Object],
    /// What dry runs of this task have told already.
    pub known: Option<&'h BTreeMap<ObjectKey, Compared>>,
    /// Immutable fields are changed by deleting and creating.
    pub force: bool,
    /// What is not there is not made: jobs of an earlier release do not run again.
    pub only_existing_jobs: bool,
}

/// Objects of the first two stages are waited for at most so long.
const SETTLE: Millis = Millis::from_secs(60);

/// Applies a set in its order. What is as it should be is not touched.
pub(crate) async fn apply(session: &Session<'_>, set: Vec<Object>, how: How<'_>) -> Step<Vec<Applied>> {
    session.log().section("Apply");
    let mut applied = Vec::with_capacity(set.len());
    for (stage, objects) in order::stages(set) {
        let missing: Vec<Object> = objects
            .iter()
            .filter(|object| match how.known.and_then(|known| known.get(&object.key())) {
                Some(compared) => matches!(compared.verdict, Verdict::Unchecked(_)),
                None => true,
            })
            .cloned()
            .collect();
        let now = compare(session, &missing, how.scalers, how.force).await?;
        for object in objects {
            let key = object.key();
            let compared = now.get(&key).or_else(|| how.known.and_then(|known| known.get(&key)));
            let Some(compared) = compared else { continue };
            if how.only_existing_jobs && compared.live.is_none() && object.is("batch", "Job") {
                session.log().info(format!("{} is gone; jobs do not run again", key.in_namespace()));
                continue;
            }
            let one = one::apply(session, &object, compared, &how).await?;
            let line = format!("{} {}", one.change.name(), key.in_namespace());
            session.log().info(&line);
            if one.change != Change::Unchanged {
                session.progress.did(line);
            }
            applied.push(one);
        }
        if stage == Stage::First {
            settle(session, &applied).await?;
            session.cluster.refresh_discovery().await?;
        }
    }
    Ok(applied)
}

/// Waits until definitions are established and namespaces active: what follows needs them.
async fn settle(session: &Session<'_>, applied: &[Applied]) -> Step<()> {
    let waits = |one: &&Applied| {
        one.change != Change::Unchanged && matches!(&*one.key.kind, "CustomResourceDefinition" | "Namespace")
    };
    let began = session.now();
    for one in applied.iter().filter(waits) {
        loop {
            let live = session.cluster.get(&one.address).await?.unwrap_or_default();
            let now = session.cluster.now().to_jiff();
            let verdict = health::assess(&live, &Related::default(), &Settings::default(), &JsonSelect, now);
            if verdict.is_ready() {
                break;
            }
            if session.now().since(began) > SETTLE {
                let message = format!("{} is not ready after {SETTLE}: {verdict}", one.key.in_namespace());
                return Err(Failure::new(FailureType::Timeout, message).into());
            }
            session.progress.doing(format!("waiting for {}: {verdict}", one.key.in_namespace()));
            session.pause(Millis::from_secs(1)).await;
        }
    }
    Ok(())
}

/// Asks the server by dry runs whether it would take everything (`skipDryRun: false`), and tells what would change.
pub(crate) async fn dry_run(
    session: &Session<'_>,
    set: &[Object],
    scalers: &[Object],
    force: bool,
) -> Step<BTreeMap<ObjectKey, Compared>> {
    let compared = compare(session, set, scalers, force).await.map_err(|stop| {
        let mut stop: Box<Stop> = stop;
        stop.failure.message = format!("the dry run was refused: {}", stop.failure.message);
        stop
    })?;
    let count = |wanted: fn(&Verdict) -> bool| compared.values().filter(|one| wanted(&one.verdict)).count();
    session.log().info(format!(
        "Dry run: {} to create, {} to change, {} unchanged",
        count(|v| matches!(v, Verdict::Created(_) | Verdict::Unchecked(_))),
        count(|v| matches!(v, Verdict::Configured(_) | Verdict::Recreated)),
        count(|v| *v == Verdict::Unchanged)
    ));
    for one in compared.values() {
        if let Verdict::Unchecked(reason) = &one.verdict {
            session.log().info(format!("{} was not checked: {reason}", one.object.key().in_namespace()));
        }
    }
    Ok(compared)
}
