use crate::support::{World, at, on_every_engine, project};
use windlass_model::TaskId;
use windlass_model::id::DelegateId;
use windlass_store::tasks::{NewTask, TaskRow, TaskState};
use windlass_store::{PageRequest, StoreError, Write};

on_every_engine!(
    a_task_goes_its_way,
    of_two_who_accept_one_gets_it,
    a_silent_delegates_task_goes_to_another_from_its_checkpoint,
    a_late_result_counts_until_a_new_attempt_begins,
    what_runs_out_of_time_is_found,
    asking_to_stop_reaches_whoever_has_it,
);

fn delegate(world: &World) -> DelegateId {
    DelegateId::from_ulid(world.ulid())
}

async fn queue(world: &World) -> TaskId {
    let id = world.task();
    let mut write = Write::new();
    write.queue_task(NewTask {
        id,
        run: Some(world.run()),
        node: "deploy.apply".into(),
        scope: project("platform"),
        kind: "kubernetes".into(),
        version: 1,
        now: at(0),
        queue_until: at(600),
        deadline: at(1_000),
        body: r#"{"type":"kubernetes"}"#.into(),
    });
    world.store.write(write).await.unwrap();
    id
}

/// Stores one step of a task.
async fn step(world: &World, step: impl FnOnce(&mut Write)) -> Result<(), StoreError> {
    let mut write = Write::new();
    step(&mut write);
    world.store.write(write).await.map(|_| ())
}

async fn get(world: &World, task: TaskId) -> TaskRow {
    world.store.tasks().get(task).await.unwrap().unwrap()
}

/// Brings a task to a delegate that runs it until 60.
async fn running(world: &World, task: TaskId, attempt: u32, delegate: DelegateId) {
    let go = |write: &mut Write| {
        write.offer_task(task, attempt, delegate, "{}", at(1), at(6)).accept_task(task, attempt, delegate, at(60));
        write.start_task(task, attempt, delegate, at(2));
    };
    step(world, go).await.unwrap();
}

async fn a_task_goes_its_way(world: World) {
    let (task, me, other) = (queue(&world).await, delegate(&world), delegate(&world));
    let tasks = world.store.tasks();
    assert_eq!(tasks.waiting(at(0), 10).await.unwrap().len(), 1);
    step(&world, |w| _ = w.offer_task(task, 1, other, r#"{"why":"least loaded"}"#, at(1), at(6))).await.unwrap();
    assert!(tasks.waiting(at(5), 10).await.unwrap().is_empty());
    assert!(step(&world, |w| _ = w.offer_task(task, 1, me, "{}", at(5), at(10))).await.unwrap_err().is_conflict());
    assert_eq!(tasks.waiting(at(6), 10).await.unwrap().len(), 1, "nobody answered");
    step(&world, |w| _ = w.offer_task(task, 1, me, r#"{"why":"next"}"#, at(6), at(11))).await.unwrap();
    assert!(step(&world, |w| _ = w.accept_task(task, 1, other, at(60))).await.unwrap_err().is_conflict());
    step(&world, |w| _ = w.decline_task(task, 1, me)).await.unwrap();
    assert_eq!(get(&world, task).await.state, TaskState::Queued);
    step(&world, |w| _ = w.offer_task(task, 1, me, r#"{"why":"again"}"#, at(7), at(12))).await.unwrap();
    step(&world, |w| _ = w.accept_task(task, 1, me, at(60))).await.unwrap();
    step(&world, |w| _ = w.accept_task(task, 1, me, at(61))).await.unwrap();
    step(&world, |w| _ = w.start_task(task, 1, me, at(8))).await.unwrap();
    step(&world, |w| _ = w.start_task(task, 1, me, at(9))).await.unwrap();
    assert_eq!(tasks.of_delegate(me).await.unwrap().len(), 1);
    step(&world, |w| _ = w.checkpoint_task(task, 1, me, 1, r#"{"applied":2}"#)).await.unwrap();
    step(&world, |w| _ = w.finish_task(task, 1, me, TaskState::Succeeded, r#"{"ok":1}"#, at(20))).await.unwrap();
    let again = step(&world, |w| _ = w.finish_task(task, 1, me, TaskState::Failed, "{}", at(21))).await;
    assert!(matches!(again, Err(StoreError::Conflict { what: "task" })), "a result counts once: {again:?}");

    let done = get(&world, task).await;
    assert_eq!((done.state, done.started_at, done.ended_at), (TaskState::Succeeded, Some(at(8)), Some(at(20))));
    assert_eq!((done.selection.as_str(), done.result.as_deref()), (r#"{"why":"again"}"#, Some(r#"{"ok":1}"#)));
    assert!(tasks.of_delegate(me).await.unwrap().is_empty());
    assert_eq!(tasks.of_run(done.run.unwrap()).await.unwrap(), [done]);
}

async fn of_two_who_accept_one_gets_it(world: World) {
    let (task, me) = (queue(&world).await, delegate(&world));
    step(&world, |w| _ = w.offer_task(task, 1, me, "{}", at(1), at(6))).await.unwrap();
    // The offer lapsed and went on while the first answer was on its way.
    let next = delegate(&world);
    step(&world, |w| _ = w.offer_task(task, 1, next, "{}", at(6), at(11))).await.unwrap();
    let answers = futures::future::join(
        step(&world, |w| _ = w.accept_task(task, 1, me, at(60))),
        step(&world, |w| _ = w.accept_task(task, 1, next, at(60))),
    )
    .await;
    assert!(matches!(answers, (Err(StoreError::Conflict { .. }), Ok(()))), "{answers:?}");
    assert_eq!(get(&world, task).await.delegate, Some(next));
}

async fn a_silent_delegates_task_goes_to_another_from_its_checkpoint(world: World) {
    let (task, first, second) = (queue(&world).await, delegate(&world), delegate(&world));
    running(&world, task, 1, first).await;
    step(&world, |w| _ = w.checkpoint_task(task, 1, first, 2, "half")).await.unwrap();
    step(&world, |w| _ = w.checkpoint_task(task, 1, first, 1, "a quarter, and late")).await.unwrap();
    let tasks = world.store.tasks();
    step(&world, |w| _ = w.note_task(task, 1, first, 4, "two of three")).await.unwrap();
    step(&world, |w| _ = w.note_task(task, 1, first, 3, "one of three, and late")).await.unwrap();
    let notes = || async { tasks.notes(get(&world, task).await.run.unwrap()).await.unwrap() };
    assert_eq!(notes().await.into_iter().map(|row| row.note).collect::<Vec<_>>(), ["two of three"]);
    assert_eq!(tasks.renew(first, &[(task, 1), (world.task(), 1)], at(70)).await.unwrap(), [task]);
    assert!(tasks.silent(at(69)).await.unwrap().is_empty());
    assert_eq!(tasks.silent(at(70)).await.unwrap().len(), 1);
    assert!(step(&world, |w| _ = w.lose_task(task, 1, at(69))).await.unwrap_err().is_conflict(), "it was heard of");
    step(&world, |w| _ = w.lose_task(task, 1, at(70))).await.unwrap();
    assert_eq!(get(&world, task).await.state, TaskState::Lost);
    step(&world, |w| _ = w.requeue_task(task, 1, at(71), at(600))).await.unwrap();
    let queued = get(&world, task).await;
    assert_eq!((queued.state, queued.attempt, queued.delegate), (TaskState::Queued, 2, None));
    assert_eq!(queued.checkpoint.as_deref(), Some("half"));
    assert_eq!((queued.note, notes().await.len()), (None, 0), "what the first one said is no news any more");
    running(&world, task, 2, second).await;

    // The first one comes back: nothing it says about its attempt counts any more.
    assert!(tasks.renew(first, &[(task, 1)], at(100)).await.unwrap().is_empty());
    assert!(step(&world, |w| _ = w.checkpoint_task(task, 1, first, 3, "more")).await.unwrap_err().is_conflict());
    let late = step(&world, |w| _ = w.finish_task(task, 1, first, TaskState::Succeeded, "{}", at(90))).await;
    assert!(late.unwrap_err().is_conflict());
    step(&world, |w| _ = w.finish_task(task, 2, second, TaskState::Succeeded, "{}", at(95))).await.unwrap();
}

async fn a_late_result_counts_until_a_new_attempt_begins(world: World) {
    let (task, me) = (queue(&world).await, delegate(&world));
    running(&world, task, 1, me).await;
    step(&world, |w| _ = w.lose_task(task, 1, at(60))).await.unwrap();
    step(&world, |w| _ = w.finish_task(task, 1, me, TaskState::Succeeded, "{}", at(65))).await.unwrap();
    assert!(step(&world, |w| _ = w.requeue_task(task, 1, at(66), at(600))).await.unwrap_err().is_conflict());
    assert_eq!(get(&world, task).await.state, TaskState::Succeeded);
}

async fn what_runs_out_of_time_is_found(world: World) {
    let (waiting, started) = (queue(&world).await, queue(&world).await);
    running(&world, started, 1, delegate(&world)).await;
    let overdue = async |real, business| {
        let rows = world.store.tasks().overdue(at(real), at(business)).await.unwrap();
        rows.iter().map(|task| task.id).collect::<Vec<_>>()
    };
    assert!(overdue(599, 999).await.is_empty());
    assert_eq!(overdue(600, 999).await, [waiting], "nobody took it; who runs it may go on");
    assert_eq!(overdue(0, 1_000).await, [waiting, started]);
    step(&world, |w| _ = w.end_task(waiting, 1, TaskState::TimedOut, Some("{}"), at(600))).await.unwrap();
    assert_eq!(overdue(600, 1_000).await, [started]);
    let timed_out = world.store.tasks().list(Some(TaskState::TimedOut), &PageRequest::first(1)).await.unwrap();
    assert_eq!((timed_out.items[0].id, timed_out.next), (waiting, None));
}

async fn asking_to_stop_reaches_whoever_has_it(world: World) {
    let (task, me) = (queue(&world).await, delegate(&world));
    step(&world, |w| _ = w.offer_task(task, 1, me, "{}", at(1), at(6))).await.unwrap();
    step(&world, |w| _ = w.cancel_task(task, at(2))).await.unwrap();
    step(&world, |w| _ = w.cancel_task(task, at(3))).await.unwrap();
    assert_eq!(get(&world, task).await.cancel_at, Some(at(2)));
    let late = step(&world, |w| _ = w.accept_task(task, 1, me, at(60))).await;
    assert!(late.unwrap_err().is_conflict(), "nobody begins what is to be stopped");
    step(&world, |w| _ = w.end_task(task, 1, TaskState::Aborted, None, at(4))).await.unwrap();
    assert!(step(&world, |w| _ = w.cancel_task(task, at(5))).await.unwrap_err().is_conflict());
}
