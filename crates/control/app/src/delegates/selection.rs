//! Which delegate gets a task, and why no other (kubernetes-deploy §4.3, pipelines §4.9).

use super::declines::Declined;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use windlass_diagnostic::nearest;
use windlass_model::id::DelegateId;
use windlass_model::selector::DelegateSelection;
use windlass_model::{Scope, Timestamp};

/// Stands for every tag. Only a rehearsal's delegate carries it: no worker that registers gets it.
pub const EVERY_TAG: &str = "*";

/// Where a delegate is, as this replica of the server sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Connected to this replica and heard of lately.
    Here,
    /// Connected to another replica, which heard of it lately and offers it tasks.
    Elsewhere,
    Nowhere,
}

/// A delegate as the choice sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    pub id: DelegateId,
    pub name: String,
    pub scope: Scope,
    /// Without the name, which is a tag too.
    pub tags: Vec<String>,
    pub draining: bool,
    pub reach: Reach,
    /// Task types with the highest version understood.
    pub tasks: Vec<(String, u32)>,
    pub running: u32,
    pub capacity: u32,
    pub seen_at: Timestamp,
}

/// What came of the choice. Kept with the task and shown to people.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "selection", rename_all = "camelCase")]
pub enum Selection {
    /// These, best first.
    #[serde(rename_all = "camelCase")]
    Eligible { order: Vec<DelegateId>, why: String, excluded: Vec<String> },
    /// The best is connected to another replica: that one offers the task.
    #[serde(rename_all = "camelCase")]
    Elsewhere { excluded: Vec<String> },
    /// Somebody fits, and is away or busy now: wait.
    #[serde(rename_all = "camelCase")]
    Wait { why: String, excluded: Vec<String> },
    /// Nobody registered fits: fail at once.
    #[serde(rename_all = "camelCase")]
    Nobody { why: String, excluded: Vec<String> },
}

/// What delegates have answered to offers of this task so far.
#[derive(Clone, Debug, Default)]
pub struct Asked {
    /// Did not answer in time: is asked last.
    pub silent: Option<DelegateId>,
    /// Said no: each is asked last, and only after its pause.
    pub declined: BTreeMap<DelegateId, Declined>,
    /// The replicas to which better ones are connected had time enough: who is connected here comes first.
    pub impatient: bool,
    /// Real time.
    pub now: Timestamp,
}

/// Chooses. `scope` is where the run lives.
pub fn select(
    candidates: &[Candidate],
    wanted: &DelegateSelection,
    scope: &Scope,
    (kind, version): (&str, u32),
    asked_before: &Asked,
) -> Selection {
    let mut fits = Vec::new();
    let mut excluded = Vec::new();
    for candidate in candidates {
        match misfit(candidate, wanted, scope, kind, version) {
            Some(why) => excluded.push(format!("{}: {why}", candidate.name)),
            None => fits.push(candidate),
        }
    }
    let asked = asked_for(wanted);
    if fits.is_empty() {
        return Selection::Nobody { why: nobody(candidates, wanted, &asked), excluded };
    }
    let mut able: Vec<&Candidate> = Vec::new();
    for candidate in fits {
        let why = if candidate.draining {
            Some("is draining".to_owned())
        } else if candidate.reach == Reach::Nowhere {
            Some(format!("was last heard of at {}", candidate.seen_at))
        } else if candidate.running >= candidate.capacity {
            Some(format!("runs {} of {} tasks", candidate.running, candidate.capacity))
        } else {
            let pausing = asked_before.declined.get(&candidate.id).filter(|no| asked_before.now < no.ask_again());
            pausing.map(|no| format!("declined ({}) and is asked again soon", no.reason))
        };
        match why {
            Some(why) => excluded.push(format!("{}: {why}", candidate.name)),
            None => able.push(candidate),
        }
    }
    if able.is_empty() {
        return Selection::Wait { why: format!("every delegate {asked} is away or busy"), excluded };
    }
    let sticky = |c: &Candidate| wanted.sticky.as_deref() != Some(&c.id.to_string());
    able.sort_by_key(|c| {
        let unwilling = asked_before.silent == Some(c.id) || asked_before.declined.contains_key(&c.id);
        let far = asked_before.impatient && c.reach == Reach::Elsewhere;
        (far, unwilling, sticky(c), u64::from(c.running) * 1_000 / u64::from(c.capacity.max(1)), c.id)
    });
    let best = able[0];
    if best.reach == Reach::Elsewhere {
        return Selection::Elsewhere { excluded };
    }
    able.retain(|candidate| candidate.reach == Reach::Here);
    let why = if !sticky(best) {
        format!("{} {asked}, and served this stage before", best.name)
    } else if able.len() == 1 {
        format!("{} is the only one {asked}", best.name)
    } else {
        format!("{} is the least busy of {} {asked}", best.name, able.len())
    };
    Selection::Eligible { order: able.iter().map(|c| c.id).collect(), why, excluded }
}

fn asked_for(wanted: &DelegateSelection) -> String {
    let mut tags = wanted.selectors.clone();
    tags.extend(wanted.connector.iter().filter(|c| !wanted.selectors.contains(c)).cloned());
    if tags.is_empty() {
        "that may serve this project".to_owned()
    } else {
        format!("with the tags {}", tags.join(", "))
    }
}

/// Why this delegate can never have the task as things stand.
fn misfit(
    candidate: &Candidate,
    wanted: &DelegateSelection,
    scope: &Scope,
    kind: &str,
    version: u32,
) -> Option<String> {
    if !candidate.scope.contains(scope) {
        return Some(format!("belongs to {}", candidate.scope));
    }
    let lacks =
        |tags: &[String]| -> Vec<String> { tags.iter().filter(|tag| !carries(candidate, tag)).cloned().collect() };
    let missing = lacks(&wanted.selectors);
    if !missing.is_empty() {
        return Some(format!("lacks the tag {}", missing.join(", ")));
    }
    let missing = lacks(&wanted.connector);
    if !missing.is_empty() {
        return Some(format!("lacks the tag {} that the connector demands", missing.join(", ")));
    }
    match candidate.tasks.iter().find(|(name, _)| name == kind) {
        None => Some(format!("does not know tasks of type {kind}")),
        Some((_, known)) if *known < version => {
            Some(format!("knows version {known} of {kind} tasks, {version} is needed"))
        }
        Some(_) => None,
    }
}

fn carries(candidate: &Candidate, tag: &str) -> bool {
    candidate.name.eq_ignore_ascii_case(tag)
        || candidate.tags.iter().any(|t| t == EVERY_TAG || t.eq_ignore_ascii_case(tag))
}

fn nobody(candidates: &[Candidate], wanted: &DelegateSelection, asked: &str) -> String {
    if candidates.is_empty() {
        return "no delegate is registered: start one with `windlass delegate`".to_owned();
    }
    let mut why = format!("no registered delegate {asked}");
    let known: Vec<&str> =
        candidates.iter().flat_map(|c| c.tags.iter().map(String::as_str).chain([c.name.as_str()])).collect();
    let unknown =
        wanted.selectors.iter().chain(&wanted.connector).find(|s| !known.iter().any(|k| k.eq_ignore_ascii_case(s)));
    if let Some(unknown) = unknown {
        match nearest(unknown, known.iter().copied()) {
            Some(near) => why.push_str(&format!("; nobody carries `{unknown}`, did you mean `{near}`?")),
            None => why.push_str(&format!("; nobody carries `{unknown}`")),
        }
    }
    why
}

#[cfg(test)]
mod tests {
    use super::{Asked, Candidate, Declined, Reach, Selection, select};
    use std::collections::BTreeMap;
    use windlass_model::selector::DelegateSelection;
    use windlass_model::{Scope, Timestamp};

    fn candidate(n: u8, name: &str, tags: &[&str]) -> Candidate {
        Candidate {
            id: windlass_model::id::DelegateId::from_ulid(ulid::Ulid::from_bytes([n; 16])),
            name: name.into(),
            scope: Scope::Account,
            tags: tags.iter().map(|t| (*t).to_owned()).collect(),
            draining: false,
            reach: Reach::Here,
            tasks: vec![("kubernetes".into(), 1)],
            running: 0,
            capacity: 4,
            seen_at: Timestamp::from_secs(0),
        }
    }

    fn wanted(selectors: &[&str]) -> DelegateSelection {
        DelegateSelection { selectors: selectors.iter().map(|s| (*s).to_owned()).collect(), ..Default::default() }
    }

    fn choose(candidates: &[Candidate], wanted: &DelegateSelection) -> Selection {
        let scope = Scope::Project { org: "default".parse().unwrap(), project: "platform".parse().unwrap() };
        select(candidates, wanted, &scope, ("kubernetes", 1), &Asked::default())
    }

    #[test]
    fn all_selectors_must_fit_and_case_does_not_matter() {
        let delegates = [candidate(1, "int", &["int-stable", "euw1"]), candidate(2, "prod", &["prod", "euw1"])];
        let Selection::Eligible { order, excluded, .. } = choose(&delegates, &wanted(&["PROD", "euw1"])) else {
            panic!()
        };
        assert_eq!(order, [delegates[1].id]);
        assert_eq!(excluded, ["int: lacks the tag PROD"]);
    }

    #[test]
    fn the_delegate_of_a_rehearsal_carries_every_tag() {
        let delegates = [candidate(1, "rehearsal", &[super::EVERY_TAG])];
        let mut wanted = wanted(&["prod", "euw1"]);
        wanted.connector = vec!["delegate-prod-euw1".into()];
        assert!(matches!(choose(&delegates, &wanted), Selection::Eligible { .. }));
    }

    #[test]
    fn nobody_who_fits_fails_with_the_nearest_tag() {
        let delegates = [candidate(1, "harness-delegate-int-euw1", &["int-stable"])];
        let Selection::Nobody { why, .. } = choose(&delegates, &wanted(&["harness-delegate-int-euw2"])) else {
            panic!()
        };
        assert!(why.contains("did you mean `harness-delegate-int-euw1`?"), "{why}");
    }

    #[test]
    fn a_busy_one_is_waited_for_and_the_least_busy_comes_first() {
        let mut delegates = [candidate(1, "a", &[]), candidate(2, "b", &[])];
        delegates[0].running = 3;
        let Selection::Eligible { order, .. } = choose(&delegates, &wanted(&[])) else { panic!() };
        assert_eq!(order, [delegates[1].id, delegates[0].id]);
        delegates[0].running = 4;
        delegates[1].reach = Reach::Nowhere;
        assert!(matches!(choose(&delegates, &wanted(&[])), Selection::Wait { .. }));
    }

    /// Every replica looks at every task, and only the one that holds the best delegate offers it.
    #[test]
    fn the_best_is_left_to_the_replica_that_holds_it_for_a_while() {
        let mut delegates = [candidate(1, "a", &[]), candidate(2, "b", &[])];
        delegates[0].running = 3;
        delegates[1].reach = Reach::Elsewhere;
        assert!(matches!(choose(&delegates, &wanted(&[])), Selection::Elsewhere { .. }));
        let asked = Asked { impatient: true, ..Asked::default() };
        let chosen = select(&delegates, &wanted(&[]), &Scope::Account, ("kubernetes", 1), &asked);
        let Selection::Eligible { order, .. } = chosen else { panic!("{chosen:?}") };
        assert_eq!(order, [delegates[0].id], "never one that this replica cannot ask");
        let chosen = select(&delegates[1..], &wanted(&[]), &Scope::Account, ("kubernetes", 1), &asked);
        assert!(matches!(chosen, Selection::Elsewhere { .. }), "nobody has to be told to wait: {chosen:?}");
        delegates[1].running = 4;
        assert!(matches!(choose(&delegates[1..], &wanted(&[])), Selection::Wait { .. }));
    }

    #[test]
    fn one_that_did_not_answer_is_asked_last_and_again_when_it_is_alone() {
        let mut delegates = [candidate(1, "a", &[]), candidate(2, "b", &[])];
        delegates[1].running = 3;
        let scope = Scope::Account;
        let order = |delegates: &[Candidate]| {
            let asked = Asked { silent: Some(delegates[0].id), ..Asked::default() };
            match select(delegates, &wanted(&[]), &scope, ("kubernetes", 1), &asked) {
                Selection::Eligible { order, .. } => order,
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(order(&delegates), [delegates[1].id, delegates[0].id]);
        assert_eq!(order(&delegates[..1]), [delegates[0].id]);
    }

    /// An offer is never followed by the same offer at once: a delegate that says no is asked last, and only after a pause.
    #[test]
    fn one_that_declined_is_asked_last_and_only_after_a_pause() {
        let delegates = [candidate(1, "a", &[]), candidate(2, "b", &[])];
        let no = |at: i64| Declined { times: 1, reason: "runs 4 tasks already".into(), at: Timestamp::from_secs(at) };
        let choose = |delegates: &[Candidate], declined: &[(usize, i64)], now: i64| {
            let declined: BTreeMap<_, _> = declined.iter().map(|(n, at)| (delegates[*n].id, no(*at))).collect();
            let asked = Asked { declined, now: Timestamp::from_secs(now), ..Asked::default() };
            select(delegates, &wanted(&[]), &Scope::Account, ("kubernetes", 1), &asked)
        };
        let order = |selection: Selection| match selection {
            Selection::Eligible { order, .. } => order,
            other => panic!("{other:?}"),
        };
        let (a, b) = (delegates[0].id, delegates[1].id);
        assert_eq!(order(choose(&delegates, &[(0, 10)], 11)), [b], "a pauses");
        assert_eq!(order(choose(&delegates, &[(0, 10)], 12)), [b, a], "and is asked last from then on");
        let Selection::Wait { why, excluded } = choose(&delegates, &[(0, 10), (1, 11)], 11) else { panic!() };
        assert_eq!(why, "every delegate that may serve this project is away or busy");
        assert_eq!(excluded[0], "a: declined (runs 4 tasks already) and is asked again soon");
        assert_eq!(order(choose(&delegates[..1], &[(0, 10)], 12)), [a], "alone, it is asked again");
    }

    #[test]
    fn a_connector_that_acts_as_its_delegate_is_not_outvoted() {
        let delegates = [candidate(1, "int", &["blue"]), candidate(2, "prod", &["blue", "prod"])];
        let mut wanted = wanted(&["blue"]);
        wanted.connector = vec!["prod".into()];
        let Selection::Eligible { order, .. } = choose(&delegates, &wanted) else { panic!() };
        assert_eq!(order, [delegates[1].id]);
    }

    #[test]
    fn a_delegate_serves_its_own_scope_only() {
        let mut other = candidate(1, "other", &[]);
        other.scope = Scope::Org { org: "elsewhere".parse().unwrap() };
        assert!(matches!(choose(&[other], &wanted(&[])), Selection::Nobody { .. }));
    }
}
