use crate::support::{World, lines, on_every_kind, shared, shown};
use futures::StreamExt as _;
use std::pin::pin;
use windlass_logs::{Blobs, LogError, Logs, TailItem};
use windlass_model::Millis;
use windlass_store::Store;

on_every_kind!(
    a_tail_yields_what_is_there_and_what_comes,
    a_tail_from_a_position_begins_there,
    many_tail_one_log,
    a_closed_log_is_yielded_and_ends,
    a_log_that_is_not_there_is_told,
);

/// Reads a tail to its end.
async fn collect(logs: Logs, key: &str, from: u64) -> String {
    let mut tail = pin!(logs.tail(key, from));
    let mut all = Vec::new();
    while let Some(item) = tail.next().await {
        match item.unwrap() {
            TailItem::Lines(lines) => all.extend(lines),
            TailItem::Closed => {
                assert!(tail.next().await.is_none(), "nothing follows");
                return shown(&all);
            }
        }
    }
    panic!("the tail ended without saying that the log is closed");
}

async fn a_tail_yields_what_is_there_and_what_comes(world: World) {
    world.logs.begin("k").await.unwrap();
    world.logs.append("k", 1, 1, &lines(&["a"])).await.unwrap();
    let mut tail = pin!(world.logs.tail("k", 0));
    let limit = Millis::from_secs(30);
    for (seq, text) in [(2, "b"), (3, "c"), (4, "d")] {
        let Some(Ok(TailItem::Lines(before))) = world.clock.timeout(limit, tail.next()).await.unwrap() else {
            panic!("no lines")
        };
        assert_eq!(before.len(), 1);
        world.logs.append("k", 1, seq, &lines(&[text])).await.unwrap();
    }
    let (rest, closed) = futures::future::join(tail.next(), world.logs.close("k")).await;
    assert_eq!(rest.unwrap().unwrap(), TailItem::Lines(world.logs.read("k", 3).await.unwrap()));
    assert_eq!(closed.unwrap().lines, 4);
    assert_eq!(world.clock.timeout(limit, tail.next()).await.unwrap().unwrap().unwrap(), TailItem::Closed);
    assert!(tail.next().await.is_none());
}

async fn a_tail_from_a_position_begins_there(world: World) {
    world.logs.begin("k").await.unwrap();
    world.logs.append("k", 1, 1, &lines(&["a", "b", "c"])).await.unwrap();
    let write = async {
        world.logs.append("k", 1, 2, &lines(&["d"])).await.unwrap();
        world.logs.close("k").await.unwrap();
    };
    let (from_2, from_9, ()) =
        futures::future::join3(collect(world.logs.clone(), "k", 2), collect(world.logs.clone(), "k", 9), write).await;
    assert_eq!((from_2.as_str(), from_9.as_str()), ("2:c 3:d", ""));
}

async fn many_tail_one_log(world: World) {
    world.logs.begin("k").await.unwrap();
    let tails = futures::future::join_all((0..20).map(|_| collect(world.logs.clone(), "k", 0)));
    let write = async {
        for seq in 1..=50 {
            world.logs.append("k", 1, seq, &lines(&["x"])).await.unwrap();
            // Let the tails look in between.
            tokio::task::yield_now().await;
        }
        world.logs.close("k").await.unwrap();
    };
    let (tails, ()) = futures::future::join(tails, write).await;
    let wanted = (0..50).map(|pos| format!("{pos}:x")).collect::<Vec<_>>().join(" ");
    assert!(tails.iter().all(|tail| *tail == wanted), "each line once and in order, for everybody");
}

async fn a_closed_log_is_yielded_and_ends(world: World) {
    world.logs.begin("k").await.unwrap();
    world.logs.append("k", 1, 1, &lines(&["a"])).await.unwrap();
    world.logs.close("k").await.unwrap();
    assert_eq!(collect(world.logs.clone(), "k", 0).await, "0:a");
}

async fn a_log_that_is_not_there_is_told(world: World) {
    let mut tail = pin!(world.logs.tail("nothing", 0));
    assert!(matches!(tail.next().await, Some(Err(LogError::Unknown { .. }))));
    assert!(tail.next().await.is_none());
}

#[test]
fn a_tail_follows_what_is_appended_at_another_server() {
    shared(async |world| {
        let other = Store::open(&world.database, world.clock).await.unwrap();
        let other = Logs::open(other, Blobs::none(), world.clock);
        world.logs.begin("k").await.unwrap();
        let write = async {
            for seq in 1..=20 {
                world.logs.append("k", 1, seq, &lines(&["x"])).await.unwrap();
            }
            world.logs.close("k").await.unwrap();
        };
        let tail = world.clock.timeout(Millis::from_secs(60), collect(other, "k", 18));
        let (tail, ()) = futures::future::join(tail, write).await;
        assert_eq!(tail.unwrap(), "18:x 19:x");
    });
}
