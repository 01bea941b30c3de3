//! K8sDryRun (kubernetes-deploy §2.4): what would be sent, checked by the server; nothing is changed.

use crate::apply;
use crate::compare;
use crate::plan;
use crate::session::{Session, What};
use crate::steps::rolling;
use crate::stop::{Done, Step};
use serde_json::json;
use windlass_cluster::Json;
use windlass_manifest::workload::Step as Asks;
use windlass_manifest::{Object, parse};
use windlass_model::task::kubernetes::DryRunSpec;

/// The longest text that an output holds.
const MOST: usize = 5 << 20;
/// What stands for a value of a Secret.
const MASK: &str = "++++";

pub(crate) async fn run(session: &Session<'_>, spec: &DryRunSpec) -> Step<Done> {
    let set = session.render(What::default()).await?;
    let mut all = set.objects;
    let history = session.records.history().await?;
    let number = history.next_number();
    let versioning = plan::versioning(&session.work.source, number);
    rolling::process(session, &mut all, &history, (number, versioning), Asks::Deploy).await?;
    let scalers = compare::scalers(session, &all).await?;
    let compared = apply::dry_run(session, &all, &scalers, false).await?;
    let text = parse::to_text(&masked(&all));
    let text = if text.len() > MOST { format!("# {} bytes: too long to be kept\n", text.len()) } else { text };
    if spec.encrypt_yaml_output {
        session.log().info("the resolved manifests are not shown: encryptYamlOutput");
    } else {
        session.log().section("Manifests");
        session.log().info(&text);
    }
    let shown: Json = if spec.encrypt_yaml_output { MASK.into() } else { text.into() };
    Ok(Done::Succeeded(json!({
        "manifestDryRun": shown,
        "k8s": {"ManifestDryRun": shown},
        "objects": compared.len(),
        "commit": set.commit,
        "commits": set.commits,
    })))
}

/// Values of Secrets are never shown.
fn masked(all: &[Object]) -> Vec<Object> {
    let mut out = all.to_vec();
    for object in out.iter_mut().filter(|object| object.is("", "Secret")) {
        for part in ["data", "stringData"] {
            for value in object.json_mut().get_mut(part).and_then(Json::as_object_mut).into_iter().flatten() {
                *value.1 = MASK.into();
            }
        }
    }
    out
}
