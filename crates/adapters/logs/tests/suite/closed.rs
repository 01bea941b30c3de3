use crate::support::{World, at, lines, on_every_kind, shown};
use windlass_logs::{AppendError, Appended, Blobs, LARGEST_UPLOAD, LineError, LogError, Logs};
use windlass_store::Store;
use windlass_store::log_chunks::LogStream;

on_every_kind!(
    a_closed_log_reads_as_before,
    an_upload_takes_the_place_of_what_was_streamed,
    old_logs_are_removed,
    what_a_stopped_server_left_is_finished,
    a_later_attempt_goes_on_with_a_closed_log,
);

fn files(world: &World) -> usize {
    let Some(folder) = &world.folder else { return 0 };
    let folders = std::fs::read_dir(folder).unwrap().flatten();
    folders.filter_map(|entry| std::fs::read_dir(entry.path()).ok()).map(Iterator::count).sum()
}

async fn a_closed_log_reads_as_before(world: World) {
    world.logs.begin("k").await.unwrap();
    world.logs.append("k", 1, 1, &lines(&["a", "b"])).await.unwrap();
    world.logs.append("k", 1, 2, &lines(&["c\nd"])).await.unwrap();
    let before = world.all("k").await;
    let closed = world.logs.close("k").await.unwrap();
    assert!(closed.closed_at.is_some() && closed.is_complete());
    assert_eq!(world.logs.close("k").await.unwrap().closed_at, closed.closed_at);
    assert_eq!(world.all("k").await, before);
    assert_eq!(shown(&world.logs.read("k", 2).await.unwrap()), "2:c\nd");
    assert_eq!(files(&world), usize::from(world.folder.is_some()));
    assert!(matches!(world.logs.close("nothing").await, Err(LogError::Unknown { .. })));
    world.logs.begin("empty").await.unwrap();
    assert_eq!(world.logs.close("empty").await.unwrap().lines, 0);
    assert_eq!(world.all("empty").await, []);
}

async fn an_upload_takes_the_place_of_what_was_streamed(world: World) {
    world.logs.begin("k").await.unwrap();
    world.logs.append("k", 1, 1, &lines(&["a"])).await.unwrap();
    let text = concat!(
        r#"{"level":"info","pos":7,"out":"one","time":"2026-03-02T14:00:00.123456Z","args":{"step":"x"}}"#,
        "\n\n",
        r#"{"out":"two","time":"2026-03-02T15:00:00+01:00","new":"field"}"#,
        "\n"
    );
    let summary = world.logs.upload("k", text.as_bytes()).await.unwrap();
    assert_eq!((summary.lines, summary.is_complete()), (2, true));
    let kept = world.all("k").await;
    assert_eq!(shown(&kept), "0:one 1:two");
    assert_eq!(
        (kept[0].args["step"].as_str(), kept[0].time),
        ("x", windlass_model::Timestamp::from_micros(kept[1].time.micros() + 123_456))
    );
    assert_eq!(
        serde_json::to_string(&kept[0]).unwrap(),
        r#"{"level":"info","pos":0,"out":"one","time":"2026-03-02T14:00:00.123456Z","args":{"step":"x"}}"#
    );
    world.logs.upload("k", text.as_bytes()).await.unwrap();
    assert_eq!(world.all("k").await, kept, "uploading twice is uploading once");
    assert_eq!(world.logs.upload("never streamed", text.as_bytes()).await.unwrap().lines, 2);

    let bad =
        world.logs.upload("k", b"{\"out\":\"x\",\"time\":\"2026-03-02T14:00:00Z\"}\nnot json\n").await.unwrap_err();
    assert!(matches!(bad, LogError::Line(LineError::NotALine { number: 2, .. })), "{bad:?}");
    let large = world.logs.upload("k", &vec![b' '; LARGEST_UPLOAD + 1]).await.unwrap_err();
    assert!(matches!(large, LogError::Line(LineError::UploadTooLarge { .. })), "{large:?}");
    assert_eq!(world.all("k").await, kept, "a refused upload changes nothing");
}

async fn old_logs_are_removed(world: World) {
    for key in ["open", "closed"] {
        world.logs.begin(key).await.unwrap();
        world.logs.append(key, 1, 1, &lines(&["a"])).await.unwrap();
    }
    world.logs.close("closed").await.unwrap();
    assert_eq!(world.logs.purge(at(-1_000_000)).await.unwrap(), 0);
    assert_eq!(world.logs.purge(world.clock.now() + windlass_model::Millis(1)).await.unwrap(), 2);
    assert!(matches!(world.logs.read("closed", 0).await, Err(LogError::Unknown { .. })));
    assert_eq!(files(&world), 0);
    world.logs.begin("open").await.unwrap();
    assert_eq!(world.all("open").await, [], "nothing of the old one is left");
}

async fn what_a_stopped_server_left_is_finished(world: World) {
    world.logs.begin("k").await.unwrap();
    world.logs.append("k", 1, 1, &lines(&["a", "b"])).await.unwrap();
    // The server stopped between closing the log and moving its lines.
    world.store.log_chunks().close("k", at(5)).await.unwrap();
    assert_eq!(shown(&world.all("k").await), "0:a 1:b");
    let left = usize::from(world.folder.is_some());
    assert_eq!(world.logs.recover().await.unwrap(), left);
    assert_eq!((world.logs.recover().await.unwrap(), files(&world)), (0, left));
    assert_eq!(shown(&world.all("k").await), "0:a 1:b");
}

async fn a_later_attempt_goes_on_with_a_closed_log(world: World) {
    world.logs.begin("k").await.unwrap();
    world.logs.append("k", 1, 1, &lines(&["a", "b"])).await.unwrap();
    let slow = world.logs.close("k").await.unwrap();
    assert!(matches!(world.logs.append("k", 2, 1, &lines(&["c"])).await, Err(AppendError::Closed)));
    assert!(world.logs.reopen("k").await.unwrap());
    assert!(!world.logs.reopen("k").await.unwrap(), "it is open");
    assert_eq!((shown(&world.all("k").await).as_str(), files(&world)), ("0:a 1:b", 0));
    world.logs.append("k", 2, 1, &lines(&["c"])).await.unwrap();
    let closed = world.logs.close("k").await.unwrap();
    assert_eq!((slow.lines, closed.lines), (2, 3));
    assert_eq!(shown(&world.all("k").await), "0:a 1:b 2:c");
    assert_eq!(files(&world), usize::from(world.folder.is_some()));
    let again = world.logs.append("k", 2, 1, &lines(&["c"])).await.unwrap();
    assert_eq!(again, Appended::Before, "its first word came a second time");

    // A server that was slow to settle the shorter log finds it grown.
    let now = world.store.log_chunks().stream("k").await.unwrap().unwrap();
    let seen = LogStream { lines: 2, ..now.clone() };
    assert!(world.store.log_chunks().settle(&seen, "short", 2, 0).await.unwrap_err().is_conflict());
    assert_eq!(world.store.log_chunks().stream("k").await.unwrap(), Some(now));
}

#[test]
fn closed_logs_are_there_after_opening_again_and_damage_is_told() {
    crate::support::file(async |world| {
        world.logs.begin("k").await.unwrap();
        world.logs.append("k", 1, 1, &lines(&["a"])).await.unwrap();
        world.logs.close("k").await.unwrap();
        let World { logs, store, clock, database, folder } = world;
        drop((logs, store));
        let store = Store::open(&database, clock).await.unwrap();
        let logs = Logs::open(store.clone(), Blobs::folder(folder.as_deref().unwrap()).unwrap(), clock);
        assert_eq!(shown(&logs.read("k", 0).await.unwrap()), "0:a");
        let without = Logs::open(store.clone(), Blobs::none(), clock);
        assert!(matches!(without.read("k", 0).await, Err(LogError::NoFolder)));

        let name = store.log_chunks().stream("k").await.unwrap().unwrap().blob.unwrap();
        let path = folder.unwrap().join(name);
        let mut bytes = std::fs::read(&path).unwrap();
        bytes.truncate(bytes.len() / 2);
        std::fs::write(&path, bytes).unwrap();
        let damaged = logs.read("k", 0).await.unwrap_err();
        assert!(matches!(damaged, LogError::Blob { .. } | LogError::Damaged { .. }), "{damaged:?}");
        std::fs::remove_file(&path).unwrap();
        assert!(matches!(logs.read("k", 0).await, Err(LogError::Blob { .. })));
    });
}
