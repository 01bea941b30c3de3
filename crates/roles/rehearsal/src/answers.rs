//! Invented people answer what a run asks.

use crate::documents::Known;
use crate::report::{Asked, time};
use crate::world::World;
use std::collections::{BTreeMap, BTreeSet};
use windlass_app::approvals::{ApprovalRow, GivenAnswer, ListApprovals};
use windlass_app::{Failure, Principal};
use windlass_model::approval::InputConstraint;
use windlass_model::id::ApprovalId;
use windlass_model::{ApprovalAction, ApproverInput, Identifier, Millis, RunId, Scope, ScopedRef};
use windlass_store::{PageRequest, Scopes, Write};

/// People read before they answer.
pub(crate) const READING: Millis = Millis::from_mins(1);

/// Nobody waits for more people than these.
const MOST: u32 = 50;

/// The questions of a run.
#[derive(Debug, Default)]
pub(crate) struct Answers {
    seen: BTreeSet<ApprovalId>,
    pub(crate) asked: Vec<Asked>,
}

impl Answers {
    /// Looks for new questions; with `answer` they are answered after a while. True when there was one.
    pub(crate) async fn look(
        &mut self,
        world: &World,
        known: &Known,
        scope: &Scope,
        run: RunId,
        answer: bool,
    ) -> Result<bool, Failure> {
        let list = ListApprovals {
            scopes: Scopes::Within(Scope::Account),
            run: Some(run),
            open: true,
            ..ListApprovals::default()
        };
        let found = world.app.approvals(&world.caller, &list, &PageRequest::first(100)).await?;
        let new: Vec<ApprovalRow> = found.items.into_iter().filter(|row| self.seen.insert(row.id)).collect();
        if new.is_empty() {
            return Ok(false);
        }
        if answer {
            world.clock.sleep(READING).await;
        }
        for row in new {
            let mut asked = describe(&row, known, scope);
            if answer {
                match approve(world, scope, &row).await {
                    Ok(people) => asked.answered_by = people,
                    Err(failure) => asked.problem = Some(failure.message),
                }
            }
            self.asked.push(asked);
        }
        Ok(true)
    }
}

fn describe(row: &ApprovalRow, known: &Known, scope: &Scope) -> Asked {
    let group = |reference: &String| {
        let members = group_of(reference, scope).and_then(|key| known.members.get(&key));
        match members.filter(|members| !members.is_empty()) {
            Some(members) => format!("{reference} ({})", members.join(", ")),
            None => reference.clone(),
        }
    };
    let input = |input: &ApproverInput| {
        let label = input.label.as_deref().unwrap_or(&input.name);
        if input.required { format!("{label} (required)") } else { label.to_owned() }
    };
    Asked {
        step: row.node.clone(),
        asked_at: time(row.asked_at),
        message: row.spec.message.trim().to_owned(),
        groups: row.spec.user_groups.iter().map(group).collect(),
        minimum_count: row.spec.minimum_count,
        inputs: row.spec.inputs.iter().map(input).collect(),
        answered_by: Vec::new(),
        problem: None,
    }
}

fn group_of(reference: &str, scope: &Scope) -> Option<(Scope, Identifier)> {
    let parsed = ScopedRef::parse(reference).ok()?;
    Some((parsed.resolve(scope).ok()?, parsed.id))
}

async fn approve(world: &World, scope: &Scope, row: &ApprovalRow) -> Result<Vec<String>, Failure> {
    let spec = &row.spec;
    let mut people = Vec::new();
    for who in answerers(row) {
        let principal = match who {
            Who::Member { group, number } => {
                let id = format!("user:rehearsal_{}_{number}", group.replace(['.', '-'], "_"));
                if let Some((scope, group)) = group_of(group, scope) {
                    let mut write = Write::new();
                    write.add_member(&scope, &group, &id, world.clock.now());
                    world.app.store().write(write).await?;
                }
                let name = format!("invented member {number} of {group}");
                Principal { id, name, email: None, person: true }
            }
            Who::Account(account) => Principal {
                id: format!("serviceAccount:{}", account.replacen('.', "/", 1)),
                name: format!("service account {account}"),
                email: None,
                person: false,
            },
        };
        people.push(principal.name.clone());
        let inputs = spec.inputs.iter().map(|input| (input.name.clone(), value(input))).collect();
        let comments = "a rehearsal".to_owned();
        let answer = GivenAnswer { action: ApprovalAction::Approve, comments, inputs };
        world.app.answer_approval(&principal, row.id, answer).await?;
    }
    Ok(people)
}

enum Who<'a> {
    Member { group: &'a str, number: u32 },
    Account(&'a str),
}

/// As many as are needed: those that single groups must send, then the groups in turn.
fn answerers(row: &ApprovalRow) -> Vec<Who<'_>> {
    let spec = &row.spec;
    let needed = spec.minimum_count.clamp(1, MOST);
    if spec.user_groups.is_empty() {
        return spec.service_accounts.iter().take(needed as usize).map(|account| Who::Account(account)).collect();
    }
    let mut sent: BTreeMap<&str, u32> = BTreeMap::new();
    let mut people = Vec::new();
    for (group, count) in &spec.minimum_per_group {
        for number in 1..=(*count).min(MOST) {
            sent.insert(group, number);
            people.push(Who::Member { group, number });
        }
    }
    for group in spec.user_groups.iter().cycle() {
        if people.len() >= needed as usize {
            break;
        }
        let number = sent.entry(group).and_modify(|n| *n += 1).or_insert(1);
        people.push(Who::Member { group, number: *number });
    }
    people
}

/// Something that may stand there.
fn value(input: &ApproverInput) -> String {
    if let Some(default) = &input.default_value {
        return default.clone();
    }
    match &input.constraint {
        Some(InputConstraint::OneOf(values) | InputConstraint::ManyOf(values)) => {
            values.first().cloned().unwrap_or_default()
        }
        _ => format!("invented {}", input.name),
    }
}
