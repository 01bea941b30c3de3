use crate::support::{MANY, World, at, id, on_every_engine, project};
use windlass_model::{Millis, RunId, Status};
use windlass_store::outbox::{Claim, NewEffect};
use windlass_store::runs::{Append, Run, RunEvent, RunFilter, RunNode};
use windlass_store::timers::NewTimer;
use windlass_store::{PageRequest, Scopes, StoreError, Topic, Write};

on_every_engine!(
    a_decision_is_stored_whole,
    a_decision_that_knows_too_little_is_a_conflict,
    of_many_at_once_each_number_is_used_once,
    numbers_of_runs_are_never_given_twice,
    lists_are_filtered_and_read_in_pages,
    appending_wakes_those_who_listen,
);

pub(crate) fn run(world: &World, pipeline: &str, sequence: u64) -> Run {
    Run {
        id: world.run(),
        scope: project("platform"),
        pipeline: id(pipeline),
        sequence,
        status: Status::Running,
        trigger: "manual".into(),
        started_by: "user:ada".into(),
        created_at: at(0),
        started_at: None,
        ended_at: None,
        last_seq: 1,
        body: r#"{"name":"Payment"}"#.into(),
    }
}

fn event(seq: u64, kind: &str) -> RunEvent {
    RunEvent { seq, at: at(seq.cast_signed()), kind: kind.into(), version: 1, body: format!(r#"{{"seq":{seq}}}"#) }
}

fn node(name: &str, position: u64, status: Status) -> RunNode {
    RunNode {
        node: name.into(),
        parent: (position > 0).then(|| "stage".into()),
        position,
        kind: "step".into(),
        identifier: name.into(),
        name: name.into(),
        status,
        attempt: 1,
        started_at: Some(at(1)),
        ended_at: None,
        body: "{}".into(),
    }
}

pub(crate) async fn start(world: &World, run: &Run) {
    let mut write = Write::new();
    write.append_run(Append::new(run.clone(), vec![event(1, "Started")]));
    world.store.write(write).await.unwrap();
}

async fn a_decision_is_stored_whole(world: World) {
    let mut run = run(&world, "payment", 1);
    run.last_seq = 2;
    let mut append = Append::new(run.clone(), vec![event(1, "Started"), event(2, "StageStarted")]);
    append.nodes = vec![node("stage", 0, Status::Running), node("apply", 1, Status::Queued)];
    append.labels = vec![("service".into(), "payment".into())];
    append.effects = vec![NewEffect::of_run(run.id, 2, 0, "StartTask", "{}".into(), at(2))];
    append.timers = vec![NewTimer::of_run(run.id, "timeout", "Timeout", "{}".into(), at(600))];
    let mut write = Write::new();
    write.append_run(append);
    world.store.write(write).await.unwrap();

    let mut next = run.clone();
    (next.last_seq, next.status, next.ended_at) = (3, Status::Success, Some(at(3)));
    let mut append = Append::new(next.clone(), vec![event(3, "Ended")]);
    append.nodes = vec![node("apply", 1, Status::Success)];
    append.labels = vec![("service".into(), "payment".into()), ("environment".into(), "prod".into())];
    append.cancelled_timers = vec![format!("{}/timeout", run.id)];
    let mut write = Write::new();
    write.append_run(append);
    world.store.write(write).await.unwrap();

    let runs = world.store.runs();
    assert_eq!(runs.get(run.id).await.unwrap(), Some(next.clone()));
    assert_eq!(runs.by_sequence(&run.scope, &run.pipeline, 1).await.unwrap(), Some(next));
    let kinds: Vec<_> = runs.log(run.id).await.unwrap().into_iter().map(|e| (e.seq, e.kind)).collect();
    assert_eq!(kinds, [(1, "Started".into()), (2, "StageStarted".into()), (3, "Ended".into())]);
    assert_eq!(runs.events(run.id, 1, 1).await.unwrap(), [event(2, "StageStarted")]);
    let nodes = runs.nodes(run.id).await.unwrap();
    assert_eq!(nodes, [node("stage", 0, Status::Running), node("apply", 1, Status::Success)]);
    let labels = runs.labels(run.id).await.unwrap();
    assert_eq!(labels, [("environment".into(), "prod".into()), ("service".into(), "payment".to_owned())]);
    assert_eq!(world.store.timers().of_run(run.id).await.unwrap(), []);
    assert_eq!(world.store.outbox().count(Some(run.id)).await.unwrap(), 1);
    assert_eq!(runs.open().await.unwrap(), [] as [RunId; 0]);
}

async fn a_decision_that_knows_too_little_is_a_conflict(world: World) {
    let run = run(&world, "payment", 1);
    start(&world, &run).await;
    // The same number again, and a number after one that is not there.
    for seq in [1, 3] {
        let mut stale = run.clone();
        stale.last_seq = seq;
        let mut append = Append::new(stale, vec![event(seq, "Other")]);
        append.effects = vec![NewEffect::of_run(run.id, seq, 0, "Notify", "{}".into(), at(1))];
        let mut write = Write::new();
        write.append_run(append);
        let error = world.store.write(write).await.unwrap_err();
        assert!(matches!(error, StoreError::Conflict { what: "run" }), "{error:?}");
    }
    assert_eq!(world.store.runs().log(run.id).await.unwrap(), [event(1, "Started")]);
    assert_eq!(world.store.outbox().count(None).await.unwrap(), 0, "nothing of a conflict is stored");
}

async fn of_many_at_once_each_number_is_used_once(world: World) {
    let run = run(&world, "payment", 1);
    start(&world, &run).await;
    let appends = (0..MANY).map(|n| {
        let (store, mut run) = (world.store.clone(), run.clone());
        async move {
            run.last_seq = 2;
            let mut write = Write::new();
            write.append_run(Append::new(run, vec![event(2, &format!("Try{n}"))]));
            store.write(write).await
        }
    });
    let outcomes = futures::future::join_all(appends).await;
    assert_eq!(outcomes.iter().filter(|outcome| outcome.is_ok()).count(), 1);
    assert!(outcomes.iter().flat_map(|outcome| outcome.as_ref().err()).all(StoreError::is_conflict));
    assert_eq!(world.store.runs().log(run.id).await.unwrap().len(), 2);
}

async fn numbers_of_runs_are_never_given_twice(world: World) {
    let (scope, pipeline) = (project("platform"), id("payment"));
    let runs = world.store.runs();
    let mut numbers =
        futures::future::try_join_all((0..MANY).map(|_| runs.next_sequence(&scope, &pipeline))).await.unwrap();
    numbers.sort_unstable();
    assert_eq!(numbers, (1..=MANY).collect::<Vec<_>>());
    assert_eq!(runs.next_sequence(&project("other"), &pipeline).await.unwrap(), 1);
}

async fn lists_are_filtered_and_read_in_pages(world: World) {
    let mut all = Vec::new();
    for n in 1..=6_u64 {
        let mut run = run(&world, if n % 2 == 0 { "even" } else { "odd" }, n);
        run.created_at = at(n.cast_signed());
        if n > 4 {
            (run.status, run.ended_at, run.trigger) = (Status::Failed, Some(at(100)), "webhook".into());
        }
        let mut append = Append::new(run.clone(), vec![event(1, "Started")]);
        append.labels = vec![("service".into(), "payment".into()), ("environment".into(), format!("env{}", n % 3))];
        let mut write = Write::new();
        write.append_run(append);
        world.store.write(write).await.unwrap();
        all.push(run);
    }
    let any = RunFilter::default;
    let label = |label: &str, value: &str| (label.to_owned(), value.to_owned());
    let cases: [(RunFilter, &[u64]); 10] = [
        (any(), &[6, 5, 4, 3, 2, 1]),
        (RunFilter { pipeline: Some(id("odd")), ..any() }, &[5, 3, 1]),
        (RunFilter { status: vec![Status::Failed, Status::Aborted], ..any() }, &[6, 5]),
        (RunFilter { open: true, ..any() }, &[4, 3, 2, 1]),
        (RunFilter { trigger: Some("webhook".into()), pipeline: Some(id("even")), ..any() }, &[6]),
        (RunFilter { labels: vec![label("service", "payment"), label("environment", "env1")], ..any() }, &[4, 1]),
        (RunFilter { from: Some(at(2)), to: Some(at(4)), ..any() }, &[3, 2]),
        (RunFilter { scopes: Scopes::At(project("other")), ..any() }, &[]),
        (RunFilter { text: Some("payMENT".into()), started_by: Some("user:ada".into()), ..any() }, &[6, 5, 4, 3, 2, 1]),
        (RunFilter { text: Some("100%".into()), ..any() }, &[]),
    ];
    for (filter, wanted) in cases {
        let mut found = Vec::new();
        let mut page = PageRequest::first(4);
        loop {
            let part = world.store.runs().list(&filter, &page).await.unwrap();
            found.extend(part.items.iter().map(|run| run.sequence));
            match part.next {
                Some(next) => page.after = Some(next),
                None => break,
            }
        }
        assert_eq!(found, wanted, "{filter:?}");
        assert_eq!(world.store.runs().count(&filter).await.unwrap(), wanted.len() as u64, "{filter:?}");
    }
    let open: Vec<_> = all[..4].iter().map(|run| run.id).collect();
    assert_eq!(world.store.runs().open().await.unwrap(), open);
}

async fn appending_wakes_those_who_listen(world: World) {
    let mut changes = world.store.changes();
    let run = run(&world, "payment", 1);
    let mut append = Append::new(run.clone(), vec![event(1, "Started")]);
    append.effects = vec![NewEffect::of_run(run.id, 1, 0, "Notify", "{}".into(), at(1))];
    let mut write = Write::new();
    write.append_run(append);
    world.store.write(write).await.unwrap();
    let limit = Millis::from_secs(20);
    let change = world.clock.timeout(limit, changes.any_of(&[Topic::Outbox])).await.unwrap().unwrap();
    assert!(change.concerns(Topic::Outbox));
    let claim = Claim { holder: "server".into(), now: at(1), until: at(16), limit: 10 };
    let effects = world.store.outbox().claim(&claim).await.unwrap();
    assert_eq!(effects.iter().map(|effect| effect.key.clone()).collect::<Vec<_>>(), [format!("{}/1/0", run.id)]);
}
