use crate::support::{World, at, on_every_engine};
use windlass_model::Timestamp;
use windlass_store::Write;
use windlass_store::outbox::Claim;
use windlass_store::timers::NewTimer;

on_every_engine!(
    timers_fire_in_order_of_business_time,
    setting_a_timer_again_voids_who_took_it,
    a_named_lease_fences_its_former_holder,
);

fn timer(world: &World, key: &str, due_at: Timestamp) -> NewTimer {
    NewTimer { key: key.into(), run: Some(world.run()), kind: "Timeout".into(), body: "{}".into(), due_at }
}

fn claim(now: i64) -> Claim {
    Claim { holder: "server".into(), now: at(now), until: at(now + 15), limit: 10 }
}

async fn timers_fire_in_order_of_business_time(world: World) {
    let mut write = Write::new();
    for (key, due) in [("c", 300), ("a", 100), ("b", 200), ("never", 400)] {
        write.timer(timer(&world, key, at(due)));
    }
    write.timer_cancel("never").timer_cancel("was never there");
    world.store.write(write).await.unwrap();
    let timers = world.store.timers();
    assert_eq!(timers.next_due(at(0)).await.unwrap(), Some(at(100)));
    // Business time may be far from the real time of leases.
    let due = timers.claim(at(250), &claim(1)).await.unwrap();
    assert_eq!(due.iter().map(|timer| timer.key.as_str()).collect::<Vec<_>>(), ["a", "b"]);
    assert_eq!(timers.next_due(at(1)).await.unwrap(), Some(at(300)));
    assert_eq!(timers.next_due(at(16)).await.unwrap(), Some(at(100)), "the lease lapsed");
    let mut write = Write::new();
    write.timer_fired(&due[0]).timer_fired(&due[1]);
    world.store.write(write).await.unwrap();
    assert_eq!(timers.claim(at(999), &claim(99)).await.unwrap().len(), 1);
}

async fn setting_a_timer_again_voids_who_took_it(world: World) {
    let run = world.run();
    let first = NewTimer::of_run(run, "deadline", "Timeout", "{}".into(), at(100));
    let mut write = Write::new();
    write.timer(first.clone());
    world.store.write(write).await.unwrap();
    let taken = world.store.timers().claim(at(100), &claim(1)).await.unwrap().remove(0);
    let mut write = Write::new();
    write.timer(NewTimer { due_at: at(500), body: "later".into(), ..first });
    world.store.write(write).await.unwrap();
    let mut fired = Write::new();
    fired.timer_fired(&taken);
    assert!(world.store.write(fired).await.unwrap_err().is_conflict());
    let left = world.store.timers().of_run(run).await.unwrap();
    assert_eq!((left.len(), left[0].due_at, left[0].body.as_str()), (1, at(500), "later"));
    let mut write = Write::new();
    write.timers_drop(run);
    world.store.write(write).await.unwrap();
    assert!(world.store.timers().of_run(run).await.unwrap().is_empty());
}

async fn a_named_lease_fences_its_former_holder(world: World) {
    let leases = world.store.leases();
    let mut first = leases.take("sealer", "a", at(0), at(15)).await.unwrap().unwrap();
    assert_eq!(leases.take("sealer", "b", at(14), at(30)).await.unwrap(), None);
    leases.renew(&mut first, at(20)).await.unwrap();
    assert_eq!(leases.take("sealer", "b", at(19), at(30)).await.unwrap(), None);
    let second = leases.take("sealer", "b", at(20), at(35)).await.unwrap().unwrap();
    assert_eq!((second.epoch, second.holder.as_str()), (first.epoch + 1, "b"));
    assert!(leases.renew(&mut first, at(40)).await.unwrap_err().is_conflict());

    let mut write = Write::new();
    write.fence(&first).timer(timer(&world, "late", at(1)));
    assert!(world.store.write(write).await.unwrap_err().is_conflict());
    let mut write = Write::new();
    write.fence(&second).timer(timer(&world, "fine", at(1)));
    world.store.write(write).await.unwrap();
    assert_eq!(world.store.timers().claim(at(1), &claim(1)).await.unwrap().len(), 1, "the fenced write left nothing");

    leases.release(first).await.unwrap();
    assert_eq!(leases.get("sealer").await.unwrap().unwrap(), second, "releasing what was lost changes nothing");
    leases.release(second).await.unwrap();
    assert_eq!(leases.take("sealer", "c", at(21), at(30)).await.unwrap().unwrap().epoch, 3);
}
