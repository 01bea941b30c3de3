use crate::support::{World, at, on_every_engine};
use windlass_store::log_chunks::{LogChunk, NewChunk, Taken};

on_every_engine!(
    a_chunk_is_taken_once,
    the_oldest_chunks_go,
    attempts_write_beside_each_other,
    a_closed_log_takes_nothing_and_can_be_settled,
);

fn chunk(attempt: u32, seq: u64, body: &str) -> NewChunk {
    NewChunk { key: "a/b".into(), attempt, seq, lines: 2, body: body.into() }
}

async fn append(world: &World, new: &NewChunk) -> Taken {
    world.store.log_chunks().append(new, 100).await.unwrap()
}

async fn read(world: &World, from: u64) -> String {
    let chunks = world.store.log_chunks().read("a/b", from, 100).await.unwrap();
    let shown = chunks.iter().map(|chunk| format!("{}:{}", chunk.position, String::from_utf8_lossy(&chunk.body)));
    shown.collect::<Vec<_>>().join(" ")
}

async fn a_chunk_is_taken_once(world: World) {
    assert_eq!(append(&world, &chunk(1, 1, "x")).await, Taken::Unknown);
    world.store.log_chunks().open("a/b", at(0)).await.unwrap();
    assert_eq!(append(&world, &chunk(1, 2, "y")).await, Taken::Gap { next: 1 });
    assert_eq!(append(&world, &chunk(1, 1, "x\0")).await, Taken::At(0));
    assert_eq!(append(&world, &chunk(1, 1, "x\0")).await, Taken::Before);
    assert_eq!(append(&world, &chunk(1, 3, "z")).await, Taken::Gap { next: 2 });
    // Sent twice at the same time.
    let twice = futures::future::join(append(&world, &chunk(1, 2, "y")), append(&world, &chunk(1, 2, "y"))).await;
    assert!(matches!(twice, (Taken::At(2), Taken::Before) | (Taken::Before, Taken::At(2))), "{twice:?}");
    world.store.log_chunks().open("a/b", at(9)).await.unwrap();
    assert_eq!(read(&world, 0).await, "0:x\0 2:y", "opening again keeps what is there");
    assert_eq!(read(&world, 1).await, "0:x\0 2:y");
    assert_eq!(read(&world, 2).await, "2:y");
    assert_eq!(read(&world, 4).await, "");
}

async fn the_oldest_chunks_go(world: World) {
    world.store.log_chunks().open("a/b", at(0)).await.unwrap();
    for seq in 1..=10 {
        append(&world, &chunk(1, seq, &format!("{seq:030}"))).await;
    }
    let stream = world.store.log_chunks().stream("a/b").await.unwrap().unwrap();
    assert_eq!((stream.lines, stream.bytes, stream.first), (20, 300, 12));
    assert_eq!(world.store.log_chunks().read("a/b", 0, 100).await.unwrap().len(), 4, "100 bytes and where they begin");
    assert_eq!(append(&world, &chunk(1, 3, "again")).await, Taken::Before, "gone is not forgotten");
    assert_eq!(append(&world, &chunk(1, 11, &"x".repeat(500))).await, Taken::At(20));
    assert_eq!(world.store.log_chunks().read("a/b", 0, 100).await.unwrap().len(), 1, "the last chunk stays");
}

async fn attempts_write_beside_each_other(world: World) {
    world.store.log_chunks().open("a/b", at(0)).await.unwrap();
    for (attempt, seq, body) in [(1, 1, "a1"), (2, 1, "b1"), (1, 2, "a2"), (2, 2, "b2")] {
        assert!(matches!(append(&world, &chunk(attempt, seq, body)).await, Taken::At(_)));
    }
    assert_eq!(read(&world, 0).await, "0:a1 2:b1 4:a2 6:b2");
}

async fn a_closed_log_takes_nothing_and_can_be_settled(world: World) {
    let logs = world.store.log_chunks();
    assert_eq!(logs.close("a/b", at(1)).await.unwrap(), None);
    logs.open("a/b", at(0)).await.unwrap();
    append(&world, &chunk(1, 1, "x")).await;
    let seen = logs.stream("a/b").await.unwrap().unwrap();
    assert!(logs.settle(&seen, "blob", 2, 0).await.unwrap_err().is_conflict(), "still open");
    assert_eq!(logs.close("a/b", at(5)).await.unwrap().unwrap().closed_at, Some(at(5)));
    assert_eq!(logs.close("a/b", at(6)).await.unwrap().unwrap().closed_at, Some(at(5)));
    assert_eq!(append(&world, &chunk(1, 1, "x")).await, Taken::Before);
    assert_eq!(append(&world, &chunk(1, 2, "y")).await, Taken::Closed);
    assert_eq!(logs.unsettled(10).await.unwrap().len(), 1);
    logs.settle(&seen, "blob", 2, 0).await.unwrap();
    assert_eq!((logs.unsettled(10).await.unwrap().len(), read(&world, 0).await.as_str()), (0, ""));
    assert_eq!(logs.stream("a/b").await.unwrap().unwrap().blob.as_deref(), Some("blob"));
    assert_eq!(logs.older(at(0), 10).await.unwrap().len(), 0);
    assert_eq!(logs.older(at(1), 10).await.unwrap().len(), 1);
    let chunks = || vec![LogChunk { position: 0, lines: 2, body: b"x".to_vec() }];
    assert!(!logs.reopen("a/b", None, Vec::new()).await.unwrap(), "its lines are in the blob");
    assert!(logs.reopen("a/b", Some("blob"), chunks()).await.unwrap());
    assert!(!logs.reopen("a/b", Some("blob"), chunks()).await.unwrap(), "it is open");
    assert_eq!(append(&world, &chunk(2, 1, "y")).await, Taken::At(2));
    assert_eq!(read(&world, 0).await, "0:x 2:y");
    logs.remove("a/b").await.unwrap();
    assert_eq!(logs.stream("a/b").await.unwrap(), None);
}
