use crate::support::{World, lines, on_every_kind, shown};
use windlass_logs::{AppendError, Appended, HISTORY, LONGEST_LINE, Line, LineError, LogError, MOST_LINES};

on_every_kind!(
    lines_are_numbered_over_all_attempts,
    a_chunk_whose_answer_was_lost_is_not_doubled,
    what_cannot_be_taken_is_told,
    long_lines_are_cut,
    the_oldest_lines_go,
);

const KEY: &str = "accountId:a/orgId:default/projectId:p/pipelineId:x/runSequence:1/level0:pipeline";

async fn lines_are_numbered_over_all_attempts(world: World) {
    world.logs.begin(KEY).await.unwrap();
    for (attempt, seq, texts) in [(1, 1, &["a", "b"][..]), (1, 2, &["c"]), (2, 1, &["again"])] {
        world.logs.append(KEY, attempt, seq, &lines(texts)).await.unwrap();
    }
    world.logs.begin(KEY).await.unwrap();
    assert_eq!(shown(&world.all(KEY).await), "0:a 1:b 2:c 3:again");
    assert_eq!(shown(&world.logs.read(KEY, 1).await.unwrap()), "1:b 2:c 3:again");
    assert_eq!(shown(&world.logs.read(KEY, 4).await.unwrap()), "");
    let summary = world.logs.summary(KEY).await.unwrap();
    assert_eq!((summary.lines, summary.first, summary.closed_at), (4, 0, None));
}

async fn a_chunk_whose_answer_was_lost_is_not_doubled(world: World) {
    world.logs.begin(KEY).await.unwrap();
    assert_eq!(world.logs.append(KEY, 1, 1, &lines(&["a"])).await.unwrap(), Appended::At(0));
    assert_eq!(world.logs.append(KEY, 1, 1, &lines(&["a"])).await.unwrap(), Appended::Before);
    let early = world.logs.append(KEY, 1, 3, &lines(&["c"])).await.unwrap_err();
    assert!(matches!(early, AppendError::Gap { seq: 3, next: 2 }), "{early:?}");
    assert_eq!(world.logs.append(KEY, 1, 2, &lines(&["b"])).await.unwrap(), Appended::At(1));
    assert_eq!(world.logs.append(KEY, 1, 1, &lines(&["a"])).await.unwrap(), Appended::Before);
    assert_eq!(shown(&world.all(KEY).await), "0:a 1:b");
}

async fn what_cannot_be_taken_is_told(world: World) {
    let unknown = world.logs.append("nothing", 1, 1, &lines(&["a"])).await.unwrap_err();
    assert!(matches!(unknown, AppendError::Unknown { .. }), "{unknown:?}");
    let unknown = world.logs.read("nothing", 0).await.unwrap_err();
    assert!(matches!(unknown, LogError::Unknown { .. }), "{unknown:?}");
    world.logs.begin(KEY).await.unwrap();
    // A last chunk often has no lines left: it counts all the same.
    assert_eq!(world.logs.append(KEY, 1, 1, &[]).await.unwrap(), Appended::At(0));
    assert_eq!(world.logs.append(KEY, 1, 1, &[]).await.unwrap(), Appended::Before);
    let gap = world.logs.append(KEY, 1, 3, &[]).await.unwrap_err();
    assert!(matches!(gap, AppendError::Gap { seq: 3, next: 2 }), "{gap:?}");
    let many = world.logs.append(KEY, 1, 1, &vec![lines(&["x"]).remove(0); MOST_LINES + 1]).await.unwrap_err();
    assert!(matches!(many, AppendError::Line(LineError::ChunkTooLarge { .. })), "{many:?}");
    let large = world.logs.append(KEY, 1, 1, &vec![lines(&[&"x".repeat(60_000)]).remove(0); 20]).await.unwrap_err();
    assert!(matches!(large, AppendError::Line(LineError::ChunkTooLarge { lines: 20, .. })), "{large:?}");
    world.logs.close(KEY).await.unwrap();
    let closed = world.logs.append(KEY, 1, 2, &lines(&["late"])).await.unwrap_err();
    assert!(matches!(closed, AppendError::Closed), "{closed:?}");
    assert_eq!(world.all(KEY).await, []);
}

async fn long_lines_are_cut(world: World) {
    world.logs.begin(KEY).await.unwrap();
    // The cut falls into a character of two bytes.
    let long = format!("{}ß and more", "x".repeat(LONGEST_LINE - 1));
    let strange = "NUL \0, line\nbreak, \u{1b}[31mred\u{1b}[0m, \"quotes\" ✓";
    world.logs.append(KEY, 1, 1, &lines(&[&long, strange])).await.unwrap();
    let kept = world.all(KEY).await;
    assert_eq!(kept[0].out, format!("{}… (11 bytes more)", "x".repeat(LONGEST_LINE - 1)));
    assert_eq!(kept[1].out, strange);
}

async fn the_oldest_lines_go(world: World) {
    world.logs.begin(KEY).await.unwrap();
    let chunk: Vec<Line> = (0..16).map(|_| lines(&[&"x".repeat(60_000)]).remove(0)).collect();
    for seq in 1..=8 {
        world.logs.append(KEY, 1, seq, &chunk).await.unwrap();
    }
    let summary = world.logs.summary(KEY).await.unwrap();
    assert_eq!((summary.lines, summary.first, summary.is_complete()), (128, 32, false));
    assert!(summary.bytes > HISTORY);
    let kept = world.all(KEY).await;
    assert_eq!((kept.len(), kept[0].pos, kept[95].pos), (96, 32, 127), "positions never change");
    world.logs.close(KEY).await.unwrap();
    assert_eq!(world.all(KEY).await, kept);
}
