//! Edits keep what they do not touch.

use serde_json::{Value, json};
use windlass_yaml::{EditError, Editor, Options, Path};

const TEXT: &str = "\
# The service.
service: # who
  name:   payment   # never changes
  image: 'repo/app:1'   # tag
  replicas: 3

  # How it starts.
  command:
  - run # first
  # the port
  - --port
  - \"8080\"
  script: |
    one

    two

  labels: {app: pay, tier: web}  # flow
  empty:
  env:
    - name: A
      value: 1
    # about B
    - name: B
      value: 2
tail: end
";

type Change<'c> = &'c dyn Fn(&mut Editor) -> Result<(), EditError>;

/// The lines that an edit removed and added.
fn changed(text: &str, change: Change) -> String {
    let mut editor = Editor::new("s.yaml", text, &Options::DOCUMENT).unwrap();
    change(&mut editor).unwrap_or_else(|e| panic!("{e}"));
    let (old, new): (Vec<_>, Vec<_>) = (text.lines().collect(), editor.text().lines().collect());
    let same_start = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let rest = old.len().min(new.len()) - same_start;
    let same_end = old.iter().rev().zip(new.iter().rev()).take(rest).take_while(|(a, b)| a == b).count();
    let removed = old[same_start..old.len() - same_end].iter().map(|line| format!("-{line}"));
    let added = new[same_start..new.len() - same_end].iter().map(|line| format!("+{line}"));
    removed.chain(added).collect::<Vec<_>>().join("\n")
}

fn set(path: &str, value: Value) -> impl Fn(&mut Editor) -> Result<(), EditError> {
    let path = Path::parse(path).unwrap();
    move |editor| editor.set(0, &path, &value)
}

fn insert(path: &str, value: Value) -> impl Fn(&mut Editor) -> Result<(), EditError> {
    let path = Path::parse(path).unwrap();
    move |editor| editor.insert(0, &path, &value)
}

fn remove(path: &str) -> impl Fn(&mut Editor) -> Result<(), EditError> {
    let path = Path::parse(path).unwrap();
    move |editor| editor.remove(0, &path)
}

#[test]
fn scalars_change_in_place() {
    let table: [(&str, Value, &str); 13] = [
        (
            "service.name",
            json!("billing"),
            "-  name:   payment   # never changes\n+  name:   billing   # never changes",
        ),
        ("service.name", json!("yes"), "-  name:   payment   # never changes\n+  name:   \"yes\"   # never changes"),
        (
            "service.name",
            json!("a\nb\n"),
            "-  name:   payment   # never changes\n+  name:   |   # never changes\n+    a\n+    b",
        ),
        ("service.image", json!("repo/app:2"), "-  image: 'repo/app:1'   # tag\n+  image: 'repo/app:2'   # tag"),
        ("service.image", json!("it's"), "-  image: 'repo/app:1'   # tag\n+  image: 'it''s'   # tag"),
        ("service.replicas", json!(1.5), "-  replicas: 3\n+  replicas: 1.5"),
        ("service.replicas", json!(null), "-  replicas: 3\n+  replicas: null"),
        ("service.command[0]", json!("stop"), "-  - run # first\n+  - stop # first"),
        ("service.command[2]", json!("9090"), "-  - \"8080\"\n+  - \"9090\""),
        ("service.script", json!("three"), "-  script: |\n-    one\n-\n-    two\n+  script: three"),
        ("service.script", json!("three\nfour\n"), "-    one\n-\n-    two\n+    three\n+    four"),
        (
            "service.labels.app",
            json!("x y"),
            "-  labels: {app: pay, tier: web}  # flow\n+  labels: {app: \"x y\", tier: web}  # flow",
        ),
        ("service.empty", json!(7), "-  empty:\n+  empty: 7"),
    ];
    for (path, value, expected) in table {
        assert_eq!(changed(TEXT, &set(path, value)), expected, "{path}");
    }
}

#[test]
fn collections_change_in_place() {
    let table: [(&str, Value, &str); 8] = [
        (
            "service.command",
            json!("run"),
            "-  command:\n-  - run # first\n-  # the port\n-  - --port\n-  - \"8080\"\n+  command: run",
        ),
        (
            "service.labels",
            json!({"a": {"b": 1}}),
            "-  labels: {app: pay, tier: web}  # flow\n+  labels:  # flow\n+    a:\n+      b: 1",
        ),
        ("service.empty", json!(["a", "b"]), "+  - a\n+  - b"),
        (
            "service.env[0]",
            json!({"x": 1, "z": [2]}),
            "-    - name: A\n-      value: 1\n+    - x: 1\n+      z:\n+      - 2",
        ),
        ("service.env[0].extra", json!("z"), "+      extra: z"),
        (
            "service.labels.new",
            json!("z"),
            "-  labels: {app: pay, tier: web}  # flow\n+  labels: {app: pay, tier: web, new: z}  # flow",
        ),
        ("service.more", json!({"a": 1}), "+  more:\n+    a: 1"),
        ("service.empty.below", json!(true), "+    below: true"),
    ];
    for (path, value, expected) in table {
        assert_eq!(changed(TEXT, &set(path, value)), expected, "{path}");
    }
}

#[test]
fn items_come_and_keys_go() {
    let table: [(&str, Change, &str); 13] = [
        ("first", &insert("service.command[0]", json!("pre")), "+  - pre"),
        ("middle", &insert("service.command[1]", json!("x")), "+  - x"),
        ("last", &insert("service.command[3]", json!("x")), "+  - x"),
        ("mapping", &insert("service.env[1]", json!({"name": "C"})), "+    - name: C"),
        ("flow", &set("service.labels", json!([])), "-  labels: {app: pay, tier: web}  # flow\n+  labels: []  # flow"),
        ("key", &remove("service.replicas"), "-  replicas: 3"),
        ("empty", &remove("service.empty"), "-  empty:"),
        ("block", &remove("service.script"), "-  script: |\n-    one\n-\n-    two"),
        ("item", &remove("service.command[1]"), "-  - --port"),
        ("compact", &remove("service.env[0].name"), "-    - name: A\n-      value: 1\n+    - value: 1"),
        ("mapping item", &remove("service.env[0]"), "-    - name: A\n-      value: 1"),
        (
            "in flow",
            &remove("service.labels.app"),
            "-  labels: {app: pay, tier: web}  # flow\n+  labels: {tier: web}  # flow",
        ),
        (
            "end of flow",
            &remove("service.labels.tier"),
            "-  labels: {app: pay, tier: web}  # flow\n+  labels: {app: pay}  # flow",
        ),
    ];
    for (what, change, expected) in table {
        assert_eq!(changed(TEXT, change), expected, "{what}");
    }
    assert_eq!(changed("a:\n  b: 1 # c\n", &remove("a.b")), "-a:\n-  b: 1 # c\n+a: {}");
    assert_eq!(changed("a:\n- 1\nb: 2\n", &remove("a[0]")), "-a:\n-- 1\n+a: []");
    assert_eq!(changed("- a: 1\n  # about b\n  b: 2\n", &remove("[0].a")), "-- a: 1\n+-");
    assert_eq!(changed("a: []\n", &insert("a[0]", json!({"b": 1}))), "-a: []\n+a:\n+- b: 1");
    assert_eq!(changed("a: 1\n", &remove("a")), "-a: 1\n+{}");
}

#[test]
fn line_breaks_and_ends_of_text_are_respected() {
    let edited = |text: &str, change: Change| {
        let mut editor = Editor::new("", text, &Options::DOCUMENT).unwrap();
        change(&mut editor).unwrap();
        editor.into_text()
    };
    assert_eq!(edited("a: 1\r\nb: 2\r\n", &set("a", json!({"x": 1}))), "a:\r\n  x: 1\r\nb: 2\r\n");
    assert_eq!(edited("a: 1", &set("b", json!(2))), "a: 1\nb: 2");
    assert_eq!(edited("a: 1", &set("a", json!("x\ny\n"))), "a: \"x\\ny\\n\"");
    // A line break behind `x` would be one more in the value of `a`.
    let mut editor = Editor::new("", "a: |\n  x", &Options::DOCUMENT).unwrap();
    assert!(matches!(set("b", json!(2))(&mut editor), Err(EditError::Layout { .. })));
    assert_eq!(edited("a: 1\n---\nb: 2\n", &|e| e.set(1, &Path::parse("b").unwrap(), &json!(3))), "a: 1\n---\nb: 3\n");
    assert_eq!(edited("a:\n  # why\n  b: 1\n", &set("a", json!("x\ny\n"))), "a: \"x\\ny\\n\"\n  # why\n");
}

#[test]
fn what_is_shared_or_absent_is_refused() {
    let text = "base: &b {x: 1}\nuse: *b\nmore:\n  <<: *b\n  y: 2\nodd: [1 # c\n ]\n";
    let refused = |change: Change| {
        let mut editor = Editor::new("", text, &Options::DOCUMENT).unwrap();
        let error = change(&mut editor).unwrap_err();
        assert_eq!(editor.text(), text);
        error.to_string()
    };
    assert_eq!(
        refused(&set("use.x", json!(2))),
        "use.x is shared through the anchor &b: change it where it is written"
    );
    assert_eq!(refused(&remove("more.x")), "more.x comes through `<<`: change it where it is written");
    assert_eq!(refused(&set("base", json!(2))), "base is shared through the anchor &b: change it where it is written");
    assert_eq!(refused(&set("base.x", json!(2))), "base.x cannot be changed in place: rewrite this part by hand");
    assert_eq!(refused(&set("none.x", json!(2))), "nothing is at none");
    assert_eq!(refused(&set("more.y.z", json!(2))), "more.y.z cannot be changed within the number 2");
    assert_eq!(refused(&insert("odd[1]", json!(2))), "odd[1] cannot be changed in place: rewrite this part by hand");
    assert_eq!(refused(&insert("odd[7]", json!(2))), "nothing is at odd[7]");
    assert_eq!(refused(&|e| e.remove(3, &Path::default())), "the text has no document number 3");
    let mut editor = Editor::new("", text, &Options::DOCUMENT).unwrap();
    editor.set(0, &Path::parse("use").unwrap(), &json!({"x": 9})).unwrap();
    assert!(editor.text().contains("use:\n  x: 9\n"), "an alias can be replaced by a value of its own");
}
