use super::{Look, Verdict, pod};

pub(super) fn assess(look: &Look<'_>) -> Verdict {
    if let Some(waiting) = look.not_observed() {
        return waiting;
    }
    if look.text(&["spec", "updateStrategy", "type"]) == Some("OnDelete") {
        return Verdict::ready_with("pods are updated when somebody deletes them (OnDelete)");
    }
    let name = look.name();
    let wanted = look.status("desiredNumberScheduled");
    let (updated, available) = (look.status("updatedNumberScheduled"), look.status("numberAvailable"));
    let waiting = if updated < wanted {
        format!("{name}: {updated} of {wanted} nodes have the new pod")
    } else if available < wanted {
        format!("{name}: {available} of {wanted} pods are available")
    } else {
        return Verdict::ready();
    };
    pod::first_failure(look).unwrap_or_else(|| pod::with_trouble(look, waiting))
}
