use super::{Look, Verdict, pod};

pub(super) fn assess(look: &Look<'_>) -> Verdict {
    let name = look.name();
    if let Some(waiting) = look.not_observed() {
        return waiting;
    }
    if look.text(&["spec", "updateStrategy", "type"]) == Some("OnDelete") {
        return Verdict::ready_with("pods are updated when somebody deletes them (OnDelete)");
    }
    let replicas = look.int(&["spec", "replicas"]).unwrap_or(1);
    let partition = look.int(&["spec", "updateStrategy", "rollingUpdate", "partition"]).unwrap_or(0);
    let to_update = replicas.saturating_sub(partition).max(0);
    let (total, updated, ready) =
        (look.status("replicas"), look.status("updatedReplicas"), look.status("readyReplicas"));
    let revisions = [&["status", "currentRevision"], &["status", "updateRevision"]].map(|path| look.text(path));
    let waiting = if updated < to_update {
        format!("{name}: {updated} of {to_update} pods are updated")
    } else if ready != replicas {
        format!("{name}: {ready} of {replicas} pods are ready")
    } else if total > replicas {
        format!("{name}: {} pods are still to be removed", total.saturating_sub(replicas))
    } else if partition == 0 && replicas > 0 && revisions[0] != revisions[1] {
        format!("{name}: the old revision has not been given up yet")
    } else {
        return Verdict::ready();
    };
    pod::first_failure(look).unwrap_or_else(|| pod::with_trouble(look, waiting))
}
