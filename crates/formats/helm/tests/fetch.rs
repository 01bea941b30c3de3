//! Charts that are listed and missing, and what stands between rendering and use.
#![allow(clippy::unwrap_used)]

use flate2::Compression;
use flate2::write::GzEncoder;
use std::collections::BTreeMap;
use windlass_helm::{
    ArchiveLimits, Chart, Dependency, Fetch, HelmError, Isolated, Options, PostRender, Values, template,
};

const PARENT: &str = r#"apiVersion: v2
name: p
version: 1.0.0
dependencies:
- name: c
  version: ">=1.0 <2"
  repository: file://../c
  condition: c.enabled
  tags: [a, b]
  import-values: [{child: x, parent: y}]
  alias: d
"#;

/// As the reference wrote it for this chart.
const LOCK: &str = "dependencies:
- name: c
  repository: file://../c
  version: 1.2.3
digest: sha256:fe4b57425c39ccff217733b5cc44c785101f00a64613d3ea060d20d13f179cd4
generated: \"2026-11-21T00:00:00Z\"
";

fn chart(files: &[(&str, &str)]) -> Chart {
    let files: BTreeMap<String, Vec<u8>> =
        files.iter().map(|(name, text)| ((*name).to_owned(), text.as_bytes().to_vec())).collect();
    Chart::load(files).unwrap()
}

struct Shelf(&'static str);

impl Fetch for Shelf {
    fn fetch(&self, dependency: &Dependency, version: &str) -> Result<Vec<u8>, String> {
        if version != "1.2.3" {
            return Err(format!("{version} is not on the shelf"));
        }
        let text = format!("apiVersion: v2\nname: {}\nversion: {}\n", dependency.name, self.0);
        let mut builder = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
        for (name, text) in [("c/Chart.yaml", text.as_str()), ("c/templates/a.yaml", "kind: A\n")] {
            let mut header = tar::Header::new_gnu();
            header.set_size(text.len() as u64);
            builder.append_data(&mut header, name, text.as_bytes()).unwrap();
        }
        Ok(builder.into_inner().unwrap().finish().unwrap())
    }
}

#[test]
fn missing_charts_are_fetched_in_the_locked_version() {
    let mut parent = chart(&[("Chart.yaml", PARENT), ("Chart.lock", LOCK)]);
    let render = |chart: &Chart| template(chart, &Values::default(), &Options::default(), &Isolated, None);
    assert!(matches!(render(&parent), Err(HelmError::MissingDependencies(names)) if names == ["c"]));
    parent.complete(&Shelf("1.2.3"), ArchiveLimits::default()).unwrap();
    assert_eq!(render(&parent).unwrap().text, "---\n# Source: p/charts/d/templates/a.yaml\nkind: A\n");
}

#[test]
fn what_does_not_fit_is_refused() {
    let limits = ArchiveLimits::default();
    let changed = PARENT.replace("<2", "<3");
    let mut outdated = chart(&[("Chart.yaml", &changed), ("Chart.lock", LOCK)]);
    assert!(matches!(outdated.complete(&Shelf("1.2.3"), limits), Err(HelmError::OutdatedLock)));
    let mut wrong = chart(&[("Chart.yaml", PARENT), ("Chart.lock", LOCK)]);
    assert!(matches!(wrong.complete(&Shelf("9.9.9"), limits), Err(HelmError::Fetch { .. })));
    let mut unlocked = chart(&[("Chart.yaml", PARENT)]);
    assert!(matches!(unlocked.complete(&Shelf("1.2.3"), limits), Err(HelmError::Fetch { .. })));
}

struct Shout;

impl PostRender for Shout {
    fn run(&self, manifests: &str) -> Result<String, String> {
        if manifests.contains("quiet") { Err("it is quiet".to_owned()) } else { Ok(manifests.to_uppercase()) }
    }
}

#[test]
fn a_post_renderer_sees_objects_and_no_hooks() {
    let hook = "kind: Job\nmetadata: {name: j, annotations: {helm.sh/hook: pre-install}}\n";
    let files = [("Chart.yaml", "apiVersion: v2\nname: c\nversion: 1.0.0\n"), ("templates/h.yaml", hook)];
    let render = |object: &'static str| {
        let chart = chart(&[files[0], files[1], ("templates/a.yaml", object)]);
        template(&chart, &Values::default(), &Options::default(), &Isolated, Some(&Shout))
    };
    let text = render("kind: A").unwrap().text;
    assert!(
        text.starts_with("---\n# SOURCE: C/TEMPLATES/A.YAML\nKIND: A\n---\n# Source: c/templates/h.yaml\n"),
        "{text}"
    );
    assert!(matches!(render("kind: quiet"), Err(HelmError::PostRender(problem)) if problem == "it is quiet"));
}
