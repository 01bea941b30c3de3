//! K8sDiff (kubernetes-deploy §2.4): what a rolling deployment would change, object by object. Also what an approval shows.

use crate::compare::{self, Compared, Verdict};
use crate::objects;
use crate::plan;
use crate::prune;
use crate::session::{Session, What};
use crate::steps::rolling;
use crate::stop::{Done, Step};
use serde_json::json;
use std::collections::BTreeSet;
use windlass_cluster::{Json, adopt};
use windlass_manifest::workload::Step as Asks;
use windlass_manifest::{Object, ObjectKey, diff};

/// The longest text that an output holds; the log has all of it.
const MOST: usize = 1 << 20;

pub(crate) async fn run(session: &Session<'_>) -> Step<Done> {
    let set = session.render(What::default()).await?;
    let history = session.records.history().await?;
    let number = history.next_number();
    let mut all = set.objects;
    let versioning = plan::versioning(&session.work.source, number);
    rolling::process(session, &mut all, &history, (number, versioning), Asks::Deploy).await?;
    let scalers = compare::scalers(session, &all).await?;
    let compared = compare::compare(session, &all, &scalers, false).await?;
    let mut told = Told::default();
    for object in &all {
        if let Some(one) = compared.get(&object.key()) {
            told.object(one);
        }
    }
    if let Some(last) = history.last_successful() {
        let current: BTreeSet<ObjectKey> = all.iter().map(Object::key).collect();
        for key in prune::candidates(last, &current, &session.work.settings) {
            let name = objects::name(&key);
            told.text.push_str(&format!("{name} is no longer in the manifests; with pruningEnabled it is deleted\n"));
            told.pruned.push(name);
        }
    }
    session.log().section("Diff");
    session.log().info(if told.text.is_empty() { "No differences" } else { &told.text });
    session.log().info(told.summary());
    if told.text.len() > MOST {
        told.text.truncate(told.text.floor_char_boundary(MOST));
        told.text.push_str("\n… the log has the rest\n");
    }
    Ok(Done::Succeeded(json!({
        "summary": told.summary(),
        "created": told.created.len(),
        "changed": told.changed.len(),
        "unchanged": told.unchanged,
        "pruned": told.pruned.len(),
        "createdResources": told.created,
        "changedResources": told.changed,
        "prunedResources": told.pruned,
        "hasDifferences": !(told.created.is_empty() && told.changed.is_empty() && told.pruned.is_empty()),
        "diff": told.text,
        "commit": set.commit,
        "commits": set.commits,
    })))
}

#[derive(Default)]
struct Told {
    created: Vec<String>,
    changed: Vec<String>,
    pruned: Vec<String>,
    unchanged: usize,
    text: String,
}

impl Told {
    fn object(&mut self, one: &Compared) {
        let name = objects::name(&one.object.key());
        let live = one.live.as_ref();
        let show =
            |after: &Json| objects::object(after).map(|after| diff::unified(live, Some(&after))).unwrap_or_default();
        match &one.verdict {
            Verdict::Unchanged => {
                self.unchanged += 1;
                return;
            }
            Verdict::Created(after) => {
                self.text.push_str(&show(after));
                self.created.push(name);
            }
            Verdict::Unchecked(reason) => {
                self.text.push_str(&diff::unified(None, Some(&one.object)));
                self.text.push_str(&format!("# not checked by the server: {reason}\n"));
                self.created.push(name);
            }
            Verdict::Configured(after) => {
                let text = show(after);
                self.text.push_str(&text);
                if live.is_some_and(|live| adopt::patch(live.json()).is_some()) {
                    self.text
                        .push_str(&format!("# {name} was applied from a client: Windlass takes its fields over\n"));
                }
                self.changed.push(name);
            }
            Verdict::Recreated => {
                self.text.push_str(&diff::unified(live, Some(&one.object)));
                self.text.push_str(&format!("# {name} is deleted and created: an immutable field differs\n"));
                self.changed.push(name);
            }
        }
        if !self.text.ends_with('\n') && !self.text.is_empty() {
            self.text.push('\n');
        }
    }

    fn summary(&self) -> String {
        format!(
            "{} to create, {} to change, {} unchanged, {} no longer in the manifests",
            self.created.len(),
            self.changed.len(),
            self.unchanged,
            self.pruned.len()
        )
    }
}
