//! K8sCanaryDeploy with `canaryType: Progressive` (kubernetes-deploy §2.6): two workloads share a fixed number of pods, and the new
//! one takes over phase by phase.

mod back;
pub(crate) mod pace;
mod scalers;

pub(crate) use back::{back, rollback};

use crate::apply::{self, How};
use crate::compare;
use crate::flags;
use crate::objects;
use crate::plan;
use crate::prune;
use crate::release::{History, Meta, Record, Shift, Status, Strategy, Track};
use crate::remove;
use crate::retention;
use crate::session::{New, Session, What};
use crate::steps::rolling::{keep_uids, output};
use crate::stop::{Done, Step, Stop};
use crate::wait;
use pace::{Goal, Move};
use scalers::Scalers;
use std::collections::BTreeSet;
use windlass_cluster::{Address, Json};
use windlass_manifest::canary::progressive;
use windlass_manifest::workload::{self, Step as Asks};
use windlass_manifest::{Object, ObjectKey, scaler, stamp};
use windlass_model::Millis;
use windlass_model::task::kubernetes::CanarySpec;

pub(crate) async fn run(session: &Session<'_>, spec: &CanarySpec) -> Step<Done> {
    let percentage = spec.target_percentage.unwrap_or_default();
    if !(1..=100).contains(&percentage) {
        return Err(Stop::configuration("`targetPercentage` has to be from 1 to 100"));
    }
    let flags = flags::read(&spec.command_flags, "Apply");
    flags.warnings.iter().for_each(|warning| session.log().warn(warning));
    let history = session.history().await?;
    let mut record = match session.resumed(&history).await? {
        Some(record) => record,
        None => match history.shift_of(&session.task.origin.stage_execution) {
            Some(meta) => go_on(session, meta, percentage).await?,
            None => begin(session, spec, &history, flags.force).await?,
        },
    };
    let shift = shift(&record)?.clone();
    if record.meta.status != Status::Succeeded {
        let new = session.cluster.address_of(&shift.new).await?;
        let old = match &shift.old {
            Some(old) => Some(session.cluster.address_of(old).await?),
            None => None,
        };
        put_beside(session, &mut record, &new, flags.force).await?;
        let scalers = Scalers::find(session, &record, old.as_ref()).await?;
        scalers.before(session, percentage).await?;
        let goal = goal(&record, &shift, pace::share(shift.budget, percentage))?;
        session.log().section("Shift");
        session.log().info(format!("{percentage} % of {} pods: {} of them new", shift.budget, goal.wanted));
        let sides = Sides { growing: &new, shrinking: old.as_ref() };
        shift_pods(session, &sides, &goal).await?;
        scalers.after(session, percentage).await?;
        if percentage == 100 {
            complete(session, &history, &mut record, old.as_ref(), flags.force).await?;
        }
        record.meta.shift = Some(Shift { percentage, ..shift.clone() });
    }
    let new = session.cluster.address_of(&shift.new).await?;
    let steady = wait::steady(session, std::slice::from_ref(&new)).await?;
    record.meta.workloads.clone_from(&steady.workloads);
    session.succeed(&mut record.meta).await?;
    if percentage == 100 {
        retention::tidy(session, record.meta.number).await?;
    }
    session.log().section("Wrap Up");
    let name = objects::name(&shift.new);
    session.log().info(format!("{name} has {percentage} % of the pods"));
    let mut out = output(session, &record.meta, &steady, Vec::new());
    out["canaryWorkload"] = name.into();
    out["canaryWorkloadDeployed"] = true.into();
    out["targetPercentage"] = percentage.into();
    out["replicas"] = pace::share(shift.budget, percentage).into();
    Ok(Done::Succeeded(out))
}

fn shift(record: &Record) -> Step<&Shift> {
    let number = record.meta.number;
    let missing = || Stop::configuration(format!("the record of release {number} tells of no progressive canary"));
    record.meta.shift.as_ref().ok_or_else(missing)
}

/// Another phase of what this stage has begun.
async fn go_on(session: &Session<'_>, meta: &Meta, percentage: u32) -> Step<Record> {
    let reached = meta.shift.as_ref().map_or(0, |shift| shift.percentage);
    if percentage < reached {
        let message = format!("an earlier phase of this stage has reached {reached} % already");
        return Err(Stop::configuration(message).hint("phases grow; a rollback step leads back"));
    }
    if meta.is_plain() {
        // It runs alone: nothing is left to do, and its record is that of production.
        return Ok(session.records.load(meta).await?);
    }
    session.take_over(meta).await
}

/// The first phase: renders, finds who has the pods now, and writes the record.
async fn begin(session: &Session<'_>, spec: &CanarySpec, history: &History, force: bool) -> Step<Record> {
    let set = session.render(What::default()).await?;
    let number = history.next_number();
    let manifest_hash = plan::manifest_hash(&set.objects);
    let mut parts = progressive(set.objects, &session.work.target.release, number)?;
    session.tell(&parts.warnings);
    session.log().section("Prepare");
    let previous = history.previous_successful(&session.task.origin.stage_execution);
    let old = match previous.and_then(|number| history.get(number)) {
        // What the last release calls its workload: it may be an earlier progressive canary.
        Some(meta) => meta.resources.iter().find(|resource| resource.managed).map(|resource| resource.key.clone()),
        None => Some(parts.replaced.clone()),
    };
    let mut budget = workload::replicas(&parts.workload).unwrap_or(1);
    let live = match &old {
        Some(old) => {
            let address = session.cluster.address_of(old).await?;
            session.cluster.get(&address).await?.as_ref().and_then(objects::object)
        }
        None => None,
    };
    match live.as_ref().and_then(workload::replicas) {
        Some(replicas) if replicas > 0 => budget = replicas,
        _ => session.log().warn("there is no workload yet: nothing is taken over, the first pods are made"),
    }
    let budget = u32::try_from(budget.max(0)).unwrap_or(u32::MAX);
    workload::set_replicas(&mut parts.workload, budget);
    let shift = Shift {
        budget,
        new: parts.workload.key(),
        old: old.filter(|_| live.is_some()),
        previous: previous.filter(|_| live.is_some()),
        percentage: 0,
    };
    let mut all = parts.config;
    all.push(parts.workload);
    all.extend(parts.scalers);
    let own: BTreeSet<ObjectKey> = all.iter().map(Object::key).collect();
    all.extend(parts.others);
    stamp::stamp(&mut all, &session.release(number), Asks::Deploy);
    session.log().info(format!("Current release number: {number}"));
    session.log().info(format!("{} shares {budget} pods with {}", objects::name(&shift.new), told(&shift)));
    if !spec.skip_dry_run {
        apply::dry_run(session, &all, &[], force).await?;
    }
    session
        .begin(New {
            number,
            strategy: Strategy::Progressive,
            track: Some(Track::Canary),
            resources: plan::resources(&all, &BTreeSet::new(), |object| own.contains(&object.key())),
            objects: all,
            manifest_hash,
            commit: set.commit,
            commits: set.commits,
            previous_successful: previous,
            pruned: Vec::new(),
            undid: None,
            restored: None,
            services: None,
            shift: Some(shift),
        })
        .await
}

fn told(shift: &Shift) -> String {
    shift.old.as_ref().map_or_else(|| "nobody".to_owned(), objects::name)
}

/// The new workload without pods, its configuration, and what is missing around it. What production has is not changed yet.
async fn put_beside(session: &Session<'_>, record: &mut Record, new: &Address, force: bool) -> Step<()> {
    if session.cluster.get(new).await?.is_some() {
        return Ok(());
    }
    let mut set = Vec::new();
    for object in &record.objects {
        let is_own = record.meta.resource(&object.key()).is_some_and(|resource| resource.own);
        let is_scaler = workload::role(object, Asks::Deploy) == workload::Role::Scaler;
        if is_scaler {
            continue;
        }
        let mut object = object.clone();
        if object.key() == record.meta.shift.as_ref().map_or_else(|| object.key(), |shift| shift.new.clone()) && is_own
        {
            workload::set_replicas(&mut object, 0);
        } else if !is_own {
            let address = session.cluster.address(&object.gvk(), object.namespace(), object.name()).await?;
            if session.cluster.get(&address).await?.is_some() {
                continue;
            }
        }
        set.push(object);
    }
    let applied = apply::apply(session, set, How { force, ..How::default() }).await?;
    keep_uids(session, &mut record.meta, &applied).await
}

fn goal(record: &Record, shift: &Shift, wanted: u32) -> Step<Goal> {
    let found = record.objects.iter().find(|object| object.key() == shift.new);
    let workload = found.ok_or_else(|| {
        Stop::configuration(format!("the record of release {} holds no workload", record.meta.number))
    })?;
    let (surge, unavailable) = pace::limits(workload.json(), shift.budget);
    Ok(Goal { budget: shift.budget, surge, unavailable, wanted })
}

/// Who gets pods and who gives them.
pub(super) struct Sides<'a> {
    pub growing: &'a Address,
    pub shrinking: Option<&'a Address>,
}

/// Moves pods until the goal is reached. Each side is waited for before the next move.
pub(super) async fn shift_pods(session: &Session<'_>, sides: &Sides<'_>, goal: &Goal) -> Step<()> {
    loop {
        let growing = session.cluster.scale(sides.growing).await?.unwrap_or_default();
        if growing > 0 {
            wait::steady(session, std::slice::from_ref(sides.growing)).await?;
        }
        let shrinking = match sides.shrinking {
            Some(at) => {
                let wanted = session.cluster.scale(at).await?.unwrap_or_default();
                settled(session, at, wanted).await?;
                wanted
            }
            // Nobody has the rest.
            None => goal.budget.saturating_sub(goal.wanted),
        };
        let (at, from, to) = match pace::next(growing, shrinking, goal) {
            Move::Done => return Ok(()),
            Move::Grow(to) => (sides.growing, growing, to),
            Move::Shrink(to) => match sides.shrinking {
                Some(at) => (at, shrinking, to),
                None => return Ok(()),
            },
        };
        session.cluster.set_scale(at, to).await?;
        session.log().info(format!("{at}: {from} → {to} pods"));
        session.progress.did(format!("scaled {at} to {to}"));
    }
}

/// Waits until a workload has no more pods than it should.
async fn settled(session: &Session<'_>, at: &Address, wanted: u32) -> Step<()> {
    loop {
        let Some(live) = session.cluster.get(at).await? else { return Ok(()) };
        let count = |pointer: &str| live.pointer(pointer).and_then(Json::as_u64).unwrap_or_default();
        let is_seen = count("/status/observedGeneration") >= count("/metadata/generation");
        if is_seen && count("/status/replicas") <= u64::from(wanted) {
            return Ok(());
        }
        session.progress.doing(format!("waiting until {at} has {wanted} pods"));
        session.pause(Millis(500)).await;
    }
}

/// All pods are new: the rest of the set follows, and the old workload goes.
async fn complete(
    session: &Session<'_>,
    history: &History,
    record: &mut Record,
    old: Option<&Address>,
    force: bool,
) -> Step<()> {
    let scalers = compare::scalers(session, &record.objects).await?;
    let how = How { scalers: &scalers, force, ..How::default() };
    let applied = apply::apply(session, record.objects.clone(), how).await?;
    keep_uids(session, &mut record.meta, &applied).await?;
    // From now on it is the release that runs.
    record.meta.track = None;
    let shift = shift(record)?.clone();
    let (Some(old_key), Some(old)) = (&shift.old, old) else { return Ok(()) };
    let Some(previous) = shift.previous.and_then(|number| history.get(number)) else {
        session.log().warn(format!("{old} stays without pods: no release of ours describes it"));
        return Ok(());
    };
    session.log().section("Delete the old workload");
    let of = session.records.load(previous).await?;
    let mut targets = Vec::new();
    let Some(workload) = of.objects.iter().find(|object| object.key() == *old_key) else { return Ok(()) };
    for object in of.objects.iter().filter(|object| object.key() == *old_key || scaler::targets(object, workload)) {
        let is_kept = record.objects.iter().any(|new| new.key() == object.key());
        if !is_kept {
            let uid = previous.resource(&object.key()).and_then(|resource| resource.uid.as_deref());
            targets.extend(prune::own(session, object, uid).await?);
        }
    }
    remove::gone(session, &targets).await?;
    Ok(())
}
