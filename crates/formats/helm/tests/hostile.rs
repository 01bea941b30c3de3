//! Charts that mean harm end with an error, in bounded time and memory.
#![allow(clippy::unwrap_used)]

use flate2::Compression;
use flate2::write::GzEncoder;
use std::collections::BTreeMap;
use std::io::Write;
use windlass_helm::{ArchiveLimits, Chart, HelmError, Isolated, Limits, Options, Values};

const CHART: &str = "apiVersion: v2\nname: c\nversion: 1.0.0\n";

fn files(all: &[(&str, &[u8])]) -> BTreeMap<String, Vec<u8>> {
    let own = [("Chart.yaml", CHART.as_bytes())];
    own.iter().chain(all).map(|(name, data)| ((*name).to_owned(), data.to_vec())).collect()
}

fn rendered(template: &[u8], values: &str) -> Result<String, HelmError> {
    let chart = Chart::load(files(&[("templates/a.yaml", template), ("values.yaml", values.as_bytes())]))?;
    let limits = Limits { steps: 200_000, output: 4 << 20, ..Limits::default() };
    let options = Options { limits, ..Options::default() };
    windlass_helm::template(&chart, &Values::default(), &options, &Isolated, None).map(|rendered| rendered.text)
}

fn archive(all: &[(&str, &[u8])]) -> Vec<u8> {
    let mut builder = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
    for (name, data) in all {
        let mut header = tar::Header::new_gnu();
        // The library refuses names that lead outside; an attacker does not use it.
        let field = &mut header.as_old_mut().name;
        field[..name.len()].copy_from_slice(name.as_bytes());
        header.set_size(data.len() as u64);
        header.set_mode(0o644);
        header.set_cksum();
        builder.append(&header, *data).unwrap();
    }
    builder.into_inner().unwrap().finish().unwrap()
}

#[test]
fn archives() {
    let bomb = vec![0; 6 << 20];
    for (all, wanted) in [
        (vec![("c/Chart.yaml", CHART.as_bytes()), ("c/../../x", b"x".as_slice())], "parent directory"),
        (vec![("c/Chart.yaml", CHART.as_bytes()), ("c//etc/passwd", b"x")], "absolute paths"),
        (vec![("Chart.yaml", CHART.as_bytes())], "outside the base directory"),
        (vec![("c/Chart.yaml", CHART.as_bytes()), ("c/big", &bomb)], "larger than the maximum file size"),
        (vec![], "no files in chart archive"),
    ] {
        let problem = Chart::load_archive(&archive(&all)).unwrap_err().to_string();
        assert!(problem.contains(wanted), "{problem}");
    }
    for garbage in [b"".as_slice(), b"PK\x03\x04", b"\x1f\x8b\x08\x00garbage", &archive(&[])[..9]] {
        assert!(Chart::load_archive(garbage).is_err());
    }
    let good = archive(&[("c/Chart.yaml", CHART.as_bytes()), ("c/templates/a.yaml", b"kind: A\n")]);
    assert_eq!(Chart::load_archive(&good).unwrap().templates.len(), 1);
    for cut in (0..good.len()).step_by(7) {
        let _ = Chart::load_archive(&good[..cut]);
    }
}

#[test]
fn many_small_files_count_together() {
    let piece = vec![1; 1 << 20];
    let names: Vec<String> = (0..20).map(|index| format!("c/f{index}")).collect();
    let mut all: Vec<(&str, &[u8])> = names.iter().map(|name| (name.as_str(), piece.as_slice())).collect();
    all.push(("c/Chart.yaml", CHART.as_bytes()));
    let limits = ArchiveLimits { total: 8 << 20, ..ArchiveLimits::default() };
    let problem = Chart::load_archive_within(&archive(&all), limits).unwrap_err().to_string();
    assert!(problem.contains("decompressed chart is larger"), "{problem}");
    let limits = ArchiveLimits { files: 3, ..ArchiveLimits::default() };
    let problem = Chart::load_archive_within(&archive(&all), limits).unwrap_err().to_string();
    assert!(problem.contains("more than 3 files"), "{problem}");
}

/// A chart in a chart in a chart: what each unpacks counts for all.
#[test]
fn charts_within_charts_have_an_end() {
    let mut inner = archive(&[("c/Chart.yaml", CHART.as_bytes())]);
    for _ in 0..40 {
        inner = archive(&[("c/Chart.yaml", CHART.as_bytes()), ("c/charts/c.tgz", &inner)]);
    }
    let problem = Chart::load_archive(&inner).unwrap_err();
    let mut text = problem.to_string();
    let mut cause = std::error::Error::source(&problem);
    while let Some(inner) = cause {
        text.push_str(&inner.to_string());
        cause = inner.source();
    }
    assert!(text.contains("charts within each other"), "{text}");
}

/// Eight aliases of a chart with eight aliases, and so on: as in the reference, copies share their entries, and only the
/// first one finds charts for them.
#[test]
fn aliases_of_charts_have_an_end() {
    let mut all: BTreeMap<String, Vec<u8>> = BTreeMap::new();
    let mut folder = String::new();
    for level in 0..20 {
        let mut chart = format!("apiVersion: v2\nname: c{level}\nversion: 1.0.0\ndependencies:\n");
        for alias in 0..8 {
            chart.push_str(&format!("- {{name: c{}, version: '*', repository: '', alias: a{alias}}}\n", level + 1));
        }
        all.insert(format!("{folder}Chart.yaml"), chart.into_bytes());
        folder.push_str(&format!("charts/c{}/", level + 1));
    }
    all.insert(format!("{folder}Chart.yaml"), b"apiVersion: v2\nname: c20\nversion: 1.0.0\n".to_vec());
    let chart = Chart::load(all).unwrap();
    let result = windlass_helm::template(&chart, &Values::default(), &Options::default(), &Isolated, None);
    assert!(result.is_ok(), "{result:?}");
}

#[test]
fn paths_of_folders_stay_inside() {
    for name in ["../x", "/x", "a/../b", "a//b", ""] {
        let problem = Chart::load(files(&[(name, b"x")])).unwrap_err().to_string();
        assert!(problem.contains("outside of it"), "{name}: {problem}");
    }
}

#[test]
fn templates_have_an_end() {
    for (template, values) in [
        ("{{ define \"a\" }}{{ include \"a\" . }}{{ end }}{{ include \"a\" . }}", ""),
        ("{{ define \"a\" }}{{ template \"a\" . }}{{ end }}{{ template \"a\" . }}", ""),
        ("{{ range until 1000000 }}{{ range until 1000000 }}x{{ end }}{{ end }}", ""),
        ("{{ $x := \"x\" }}{{ range until 100 }}{{ $x = print $x $x }}{{ end }}", ""),
        ("{{ tpl .Values.a . }}", "a: '{{ tpl .Values.a . }}'"),
        ("{{ $_ := set .Values \"self\" .Values }}{{ toYaml .Values }}", ""),
        ("{{ $_ := set .Values \"self\" .Values }}{{ .Values }}", ""),
        ("{{ repeat 100000000 \"x\" }}", ""),
        ("{{ regexMatch \"(((a{1000}){1000}){1000})\" \"a\" }}", ""),
        ("a: [[[[", ""),
        ("a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *missing]", ""),
    ] {
        assert!(rendered(template.as_bytes(), values).is_err(), "{template}");
    }
}

#[test]
fn bytes_that_are_no_text() {
    for result in [
        rendered(b"a: \xff", ""),
        Chart::load(files(&[("values.yaml", b"a: \xff")])).map(|_| String::new()),
        Chart::load(BTreeMap::from([("Chart.yaml".to_owned(), b"\xff\xfe".to_vec())])).map(|_| String::new()),
    ] {
        let problem = result.unwrap_err();
        assert!(std::error::Error::source(&problem).unwrap().to_string().contains("no UTF-8"), "{problem}");
    }
}

/// Keys that are no texts become texts, as in the reference.
#[test]
fn keys_of_any_kind() {
    let text = rendered(b"kind: A\nkeys: {{ keys .Values | sortAlpha | join \",\" }}", "1: a\ntrue: b\n1.5: c\n");
    assert_eq!(text.unwrap().lines().last(), Some("keys: 1,1.5,true"));
    assert!(rendered(b"kind: A", "~: d\n").is_err());
}

#[test]
fn every_prefix_of_a_chart_file_is_read_or_refused() {
    let chart = "apiVersion: v2\nname: c\nversion: 1.0.0\ndependencies:\n- name: x\n  import-values: [{child: a}]\nmaintainers: [{name: x}]\n";
    for cut in 0..chart.len() {
        let files = BTreeMap::from([("Chart.yaml".to_owned(), chart.as_bytes()[..cut].to_vec())]);
        let _ = Chart::load(files);
    }
}

#[test]
fn random_bytes_are_no_archive() {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(&[7; 4096]).unwrap();
    assert!(Chart::load_archive(&encoder.finish().unwrap()).is_err());
}
