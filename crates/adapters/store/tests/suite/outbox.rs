use crate::support::{World, at, on_every_engine};
use windlass_store::outbox::{Claim, Effect, NewEffect};
use windlass_store::{PageRequest, StoreError, Write};

on_every_engine!(
    effects_are_taken_in_order_and_by_one_at_a_time,
    a_lapsed_lease_is_taken_over_and_the_first_holder_is_fenced,
    what_fails_waits_and_at_last_lies_dead,
    of_many_takers_each_effect_goes_to_one,
    leases_of_a_dead_server_are_forgotten,
    what_is_taken_before_it_is_stored_is_nobody_else_s,
);

fn claim(holder: &str, now: i64, limit: u32) -> Claim {
    Claim { holder: holder.into(), now: at(now), until: at(now + 15), limit }
}

async fn put(world: &World, count: u32) -> Vec<String> {
    let run = world.run();
    let mut write = Write::new();
    for index in 0..count {
        write.effect(NewEffect::of_run(
            run,
            9 + u64::from(index / 2),
            index % 2,
            "Notify",
            format!("{{\"n\":{index}}}"),
            at(0),
        ));
    }
    world.store.write(write).await.unwrap();
    (0..count).map(|index| format!("{run}/{}/{}", 9 + index / 2, index % 2)).collect()
}

fn keys(effects: &[Effect]) -> Vec<String> {
    effects.iter().map(|effect| effect.key.clone()).collect()
}

async fn effects_are_taken_in_order_and_by_one_at_a_time(world: World) {
    let all = put(&world, 5).await;
    let outbox = world.store.outbox();
    let first = outbox.claim(&claim("a", 1, 3)).await.unwrap();
    assert_eq!(keys(&first), all[..3], "9/0, 9/1, 10/0: numbers, not texts");
    let second = outbox.claim(&claim("b", 1, 10)).await.unwrap();
    assert_eq!(keys(&second), all[3..]);
    assert!(outbox.claim(&claim("c", 1, 10)).await.unwrap().is_empty());
    assert_eq!(outbox.next_due(at(1)).await.unwrap(), Some(at(16)), "when the leases lapse");

    let mut write = Write::new();
    write.effect_done(&first[0]).effect_done(&first[1]);
    world.store.write(write.clone()).await.unwrap();
    assert_eq!(outbox.count(None).await.unwrap(), 3);
    assert!(world.store.write(write).await.unwrap_err().is_conflict(), "done once");
    // The same effect again: its key is an idempotency key as long as it waits.
    let mut write = Write::new();
    write.effect(NewEffect {
        key: all[4].clone(),
        run: None,
        order: (0, 0),
        kind: "x".into(),
        body: "{}".into(),
        due_at: at(0),
        taken: None,
    });
    assert!(world.store.write(write).await.unwrap_err().is_conflict());
}

async fn a_lapsed_lease_is_taken_over_and_the_first_holder_is_fenced(world: World) {
    put(&world, 1).await;
    let outbox = world.store.outbox();
    let lost = outbox.claim(&claim("a", 1, 1)).await.unwrap().remove(0);
    assert!(outbox.claim(&claim("b", 15, 1)).await.unwrap().is_empty());
    let mine = outbox.claim(&claim("b", 16, 1)).await.unwrap().remove(0);
    assert_eq!((mine.attempts, mine.epoch > lost.epoch), (2, true));
    let mut late = Write::new();
    late.effect_done(&lost);
    let error = world.store.write(late).await.unwrap_err();
    assert!(matches!(error, StoreError::Conflict { what: "effect" }), "{error:?}");
    let mut write = Write::new();
    write.effect_done(&mine);
    world.store.write(write).await.unwrap();
    assert_eq!(outbox.next_due(at(20)).await.unwrap(), None);
}

async fn what_fails_waits_and_at_last_lies_dead(world: World) {
    let key = put(&world, 1).await.remove(0);
    let outbox = world.store.outbox();
    let effect = outbox.claim(&claim("a", 1, 1)).await.unwrap().remove(0);
    let mut write = Write::new();
    write.effect_retry(&effect, at(60), "mail server says 451");
    world.store.write(write).await.unwrap();
    assert_eq!(outbox.next_due(at(2)).await.unwrap(), Some(at(60)));
    assert!(outbox.claim(&claim("a", 59, 1)).await.unwrap().is_empty());
    let effect = outbox.claim(&claim("a", 60, 1)).await.unwrap().remove(0);
    assert_eq!((effect.attempts, effect.error.as_deref()), (2, Some("mail server says 451")));
    let mut write = Write::new();
    write.effect_dead(&effect, "gave up");
    world.store.write(write).await.unwrap();
    assert!(outbox.claim(&claim("a", 9_999, 1)).await.unwrap().is_empty());
    let dead = outbox.dead(&PageRequest::default()).await.unwrap();
    assert_eq!((keys(&dead.items), dead.next, outbox.count(None).await.unwrap()), (vec![key.clone()], None, 0));

    let mut write = Write::new();
    write.effect_revive(&key, at(10_000));
    world.store.write(write).await.unwrap();
    let again = outbox.claim(&claim("a", 10_000, 1)).await.unwrap().remove(0);
    assert_eq!(again.attempts, 1);
}

async fn of_many_takers_each_effect_goes_to_one(world: World) {
    let all = put(&world, 40).await;
    let takers = (0..8).map(|taker| {
        let store = world.store.clone();
        async move { store.outbox().claim(&claim(&format!("server{taker}"), 1, 7)).await.unwrap() }
    });
    let mut taken: Vec<_> = futures::future::join_all(takers).await.iter().flat_map(|effects| keys(effects)).collect();
    taken.extend(keys(&world.store.outbox().claim(&claim("last", 1, 100)).await.unwrap()));
    taken.sort_unstable();
    let mut wanted = all;
    wanted.sort_unstable();
    assert_eq!(taken, wanted);
}

async fn leases_of_a_dead_server_are_forgotten(world: World) {
    let all = put(&world, 2).await;
    world.store.outbox().claim(&claim("dead", 1, 1)).await.unwrap();
    world.store.leases().forget().await.unwrap();
    assert_eq!(keys(&world.store.outbox().claim(&claim("new", 2, 9)).await.unwrap()), all);
}

async fn what_is_taken_before_it_is_stored_is_nobody_else_s(world: World) {
    let mut effect = NewEffect::of_run(world.run(), 1, 0, "resolve", "{}".into(), at(0));
    let mine = effect.take("a", at(15));
    let mut write = Write::new();
    write.effect(effect);
    world.store.write(write).await.unwrap();
    let outbox = world.store.outbox();
    assert!(outbox.claim(&claim("b", 14, 9)).await.unwrap().is_empty());
    assert_eq!(outbox.next_due(at(14)).await.unwrap(), Some(at(15)));
    let theirs = outbox.claim(&claim("b", 15, 9)).await.unwrap().remove(0);
    assert_eq!((theirs.epoch, theirs.attempts), (mine.epoch + 1, mine.attempts + 1));
    assert_eq!(
        Effect { epoch: mine.epoch, attempts: mine.attempts, ..theirs },
        mine,
        "as if it had been taken from the store"
    );
    let mut write = Write::new();
    write.effect_done(&mine);
    assert!(world.store.write(write).await.unwrap_err().is_conflict(), "the first holder is fenced");
}
