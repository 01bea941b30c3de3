use crate::support::{MANY, World, at, on_every_engine};
use windlass_store::Write;
use windlass_store::resources::ResourceClaim;

on_every_engine!(
    first_come_first_served,
    asking_twice_is_asking_once,
    a_grant_is_listed_until_it_was_told,
    of_many_at_once_one_holds_it_and_each_gets_it_in_turn,
);

async fn request(world: &World, key: &str, holder: &str, now: i64) -> ResourceClaim {
    let mut write = Write::new();
    let claim = write.request_resource(key, holder, None, at(now));
    world.store.write(write).await.unwrap().one(claim).unwrap()
}

async fn release(world: &World, key: &str, holder: &str, now: i64) {
    let mut write = Write::new();
    write.release_resource(key, holder, at(now));
    world.store.write(write).await.unwrap();
}

async fn queue(world: &World, key: &str) -> String {
    let queue = world.store.resources().queue(key).await.unwrap();
    let shown = queue
        .iter()
        .map(|claim| if claim.granted_at.is_some() { format!("[{}]", claim.holder) } else { claim.holder.clone() });
    shown.collect::<Vec<_>>().join(" ")
}

async fn first_come_first_served(world: World) {
    assert_eq!(request(&world, "prod", "a", 1).await.granted_at, Some(at(1)));
    assert_eq!(request(&world, "prod", "b", 2).await.granted_at, None);
    assert_eq!(request(&world, "prod", "c", 3).await.granted_at, None);
    assert_eq!(request(&world, "other", "c", 3).await.granted_at, Some(at(3)));
    assert_eq!(queue(&world, "prod").await, "[a] b c");
    release(&world, "prod", "b", 4).await;
    assert_eq!(queue(&world, "prod").await, "[a] c", "who waits may leave");
    request(&world, "prod", "d", 5).await;
    release(&world, "prod", "a", 6).await;
    assert_eq!(queue(&world, "prod").await, "[c] d");
    release(&world, "prod", "a", 7).await;
    assert_eq!(queue(&world, "prod").await, "[c] d", "leaving twice is leaving once");
    release(&world, "prod", "c", 8).await;
    release(&world, "prod", "d", 9).await;
    assert_eq!(queue(&world, "prod").await, "");
    assert_eq!(request(&world, "prod", "e", 10).await.granted_at, Some(at(10)));
}

async fn asking_twice_is_asking_once(world: World) {
    request(&world, "prod", "a", 1).await;
    request(&world, "prod", "b", 2).await;
    assert_eq!(request(&world, "prod", "a", 3).await.granted_at, Some(at(1)));
    assert_eq!(request(&world, "prod", "b", 3).await.requested_at, at(2));
    assert_eq!(queue(&world, "prod").await, "[a] b");
}

async fn a_grant_is_listed_until_it_was_told(world: World) {
    let run = world.run();
    let mut write = Write::new();
    let claim = write.request_resource("prod", "a", Some(run), at(1));
    write.resource_told("prod", "a");
    world.store.write(write).await.unwrap().one(claim).unwrap();
    request(&world, "prod", "b", 2).await;
    let resources = world.store.resources();
    assert!(resources.untold(10).await.unwrap().is_empty());
    // Who waits is told so once.
    assert_eq!(
        resources.waiting_untold(10).await.unwrap().iter().map(|claim| &*claim.holder).collect::<Vec<_>>(),
        ["b"]
    );
    let mut write = Write::new();
    write.resource_wait_told("prod", "b");
    world.store.write(write).await.unwrap();
    assert!(resources.waiting_untold(10).await.unwrap().is_empty());
    release(&world, "prod", "a", 3).await;
    let untold = resources.untold(10).await.unwrap();
    assert_eq!((untold.len(), untold[0].holder.as_str(), untold[0].granted_at), (1, "b", Some(at(3))));
    let mut write = Write::new();
    write.resource_told("prod", "b");
    world.store.write(write).await.unwrap();
    assert!(resources.untold(10).await.unwrap().is_empty());
    assert!(resources.of_run(run).await.unwrap().is_empty());
}

async fn of_many_at_once_one_holds_it_and_each_gets_it_in_turn(world: World) {
    let names: Vec<_> = (0..MANY).map(|n| format!("h{n:02}")).collect();
    futures::future::join_all(names.iter().map(|name| request(&world, "prod", name, 1))).await;
    for left in (1..=names.len()).rev() {
        let queue = world.store.resources().queue("prod").await.unwrap();
        let held: Vec<_> = queue.iter().filter(|claim| claim.granted_at.is_some()).collect();
        assert_eq!((queue.len(), held.len()), (left, 1));
        assert_eq!(held[0].holder, queue[0].holder, "the first in line");
        // Two leave at once: the holder, and somebody who waits.
        let holder = held[0].holder.clone();
        futures::future::join(release(&world, "prod", &holder, 2), release(&world, "prod", "nobody", 2)).await;
    }
}
