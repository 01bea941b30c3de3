//! Types from trees, with every problem in one answer.

use windlass_yaml::{Options, Reader, Report, parse_one};

#[derive(Debug, PartialEq)]
struct Stage {
    id: String,
    kind: u8,
    timeout: u64,
    parallel: bool,
    version: Option<String>,
    weight: Option<i64>,
    steps: Vec<String>,
    tags: Vec<(String, String)>,
}

fn stage(node: Reader) -> Option<Stage> {
    let fields = node.fields()?;
    let id = fields.string("identifier");
    let kind = fields.choice("type", &[("Deployment", 1), ("Approval", 2)]);
    let timeout = fields.parse("timeout", |text| match text.strip_suffix('m') {
        Some(minutes) => minutes.parse::<u64>().map(|m| m * 60).map_err(|e| e.to_string()),
        None => Err(format!("expected a duration such as 10m, found {text:?}")),
    });
    let parallel = fields.opt_bool("parallel");
    let version = fields.opt_string("version");
    let weight = fields.opt_with("weight", |w| w.int_in(0..=100));
    let steps = fields.list("steps", |step| step.fields()?.string("name"));
    let tags = fields.entries("tags", |tag| tag.string());
    fields.finish();
    Some(Stage {
        id: id?,
        kind: kind?,
        timeout: timeout?,
        parallel: parallel.unwrap_or(false),
        version,
        weight,
        steps,
        tags,
    })
}

fn read(text: &str) -> (Option<Stage>, String) {
    let document = parse_one("s.yaml", text, &Options::DOCUMENT).unwrap();
    let report = Report::default();
    let stage = stage(Reader::new(&document.root, &report));
    (stage, report.into_diagnostics().to_string())
}

#[test]
fn a_good_document_is_read() {
    let (stage, problems) = read(
        "identifier: 12\ntype: Approval\ntimeout: 5m\nparallel: 'true'\nversion: 1.10\nweight: '7'\n\
         steps: [{name: a}, {name: b}]\ntags: {x: '', y: yes, z: 0x10}\n",
    );
    assert_eq!(problems, "");
    let stage = stage.unwrap();
    assert_eq!((stage.id.as_str(), stage.kind, stage.timeout, stage.parallel), ("12", 2, 300, true));
    assert_eq!((stage.version.as_deref(), stage.weight), (Some("1.10"), Some(7)));
    assert_eq!(stage.steps, ["a", "b"]);
    let tags = [("x", ""), ("y", "yes"), ("z", "0x10")].map(|(k, v)| (k.to_owned(), v.to_owned()));
    assert_eq!(stage.tags, tags);
}

#[test]
fn every_problem_comes_in_one_answer() {
    let (stage, problems) = read(
        "identifer: x\ntype: deployment\ntimeout: 5\nparallel: maybe\nversion: [1]\nweight: 300\nsteps:\n  - name: a\n  - b\n  - title: c\n\
         tags:\n",
    );
    assert_eq!(stage, None);
    assert_eq!(
        problems.lines().collect::<Vec<_>>(),
        [
            "s.yaml:1:1: error YAML0021: `identifier` is missing",
            "s.yaml:1:1: warning YAML0022: nobody reads the key `identifer` (did you mean `identifier`?)",
            "s.yaml:2:7: error YAML0023: expected one of Deployment, Approval, found the text \"deployment\" at type (did you mean `Deployment`?)",
            "s.yaml:3:10: error YAML0023: expected a duration such as 10m, found \"5\" at timeout",
            "s.yaml:4:11: error YAML0020: expected true or false, found the text \"maybe\" at parallel",
            "s.yaml:5:10: error YAML0020: expected a text, found a list at version",
            "s.yaml:6:9: error YAML0023: expected a whole number from 0 to 100, found 300 at weight",
            "s.yaml:9:5: error YAML0020: expected a mapping, found the text \"b\" at steps[1]",
            "s.yaml:10:5: error YAML0021: `name` is missing at steps[2]",
        ]
    );
}

#[test]
fn a_hostile_document_gets_a_short_answer() {
    let text: String = (0..20_000).map(|i| format!("unknown{i}: 1\n")).collect();
    let (stage, problems) = read(&text);
    assert_eq!(stage, None);
    assert_eq!(problems.lines().count(), 204);
    assert!(problems.ends_with("info YAML0024: 19800 more problems are not listed"), "{problems}");
}
