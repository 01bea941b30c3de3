//! Instructions of the hot paths of rendering, counted by valgrind and held against the counts that are kept.
//!
//! A count is the same whatever else the machine does, so that it shows what a change costs where a time would not. It depends on the
//! compiler: with another one nothing is compared.

#![allow(clippy::disallowed_methods, reason = "a helper of developers starts cargo, rustc and valgrind")]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use windlass_bench_inputs::{chart, overlay, write};

const KEPT: &str = "bench/instructions.txt";

/// How much more than the kept count is still the same: other processors take other paths through the same library.
const ROOM: f64 = 1.10;

/// What is counted: an example of a crate, and its arguments in the folder of the inputs.
struct HotPath {
    name: &'static str,
    package: &'static str,
    example: &'static str,
    arguments: &'static [&'static str],
}

const HOT_PATHS: [HotPath; 3] = [
    HotPath { name: "yaml", package: "windlass-yaml", example: "rewrite", arguments: &["base.yaml"] },
    HotPath { name: "kustomize", package: "windlass-kustomize", example: "build", arguments: &["overlay/overlay"] },
    HotPath { name: "chart", package: "windlass-helm", example: "helm-template", arguments: &["shop", "chart"] },
];

/// Counts, and compares or keeps. A machine that cannot count is told so, and nothing fails.
#[allow(clippy::print_stdout)]
pub(crate) fn check(root: &Path, accept: bool) -> Result<(), Vec<String>> {
    if Command::new("valgrind").arg("--version").output().is_err() {
        println!("skipped: valgrind is not installed");
        return Ok(());
    }
    let one = |what: &'static str| move |error: std::io::Error| vec![format!("cannot {what}: {error}")];
    let target = target(root);
    let folder = target.join("instructions");
    inputs(&folder).map_err(one("write the inputs"))?;
    build(root, &target)?;
    let mut now = Counts { compiler: compiler().map_err(one("ask rustc for its version"))?, counts: BTreeMap::new() };
    for path in &HOT_PATHS {
        let count = count(path, &target, &folder)?;
        now.counts.insert(path.name.to_owned(), count);
    }
    let file = root.join(KEPT);
    if accept {
        std::fs::write(&file, now.to_text()).map_err(one("keep the counts"))?;
    }
    let kept = Counts::of(&std::fs::read_to_string(&file).map_err(one("read the counts that are kept"))?);
    let (told, grown) = compared(&kept, &now);
    println!("{told}");
    if grown.is_empty() { Ok(()) } else { Err(grown) }
}

/// This program lies in the folder of its profile.
fn target(root: &Path) -> PathBuf {
    let this = std::env::current_exe().ok();
    let target = this.as_deref().and_then(|this| this.parent()?.parent());
    target.map_or_else(|| root.join("target"), Path::to_path_buf)
}

fn inputs(folder: &Path) -> std::io::Result<()> {
    if folder.exists() {
        std::fs::remove_dir_all(folder)?;
    }
    let overlay = overlay(41);
    write(&overlay, &folder.join("overlay"))?;
    write(&chart(), &folder.join("chart"))?;
    let base = overlay.iter().filter(|(path, _)| path.starts_with("base/service"));
    let documents: Vec<&str> = base.map(|(_, text)| text.as_str()).collect();
    std::fs::write(folder.join("base.yaml"), documents.join("---\n"))
}

fn build(root: &Path, target: &Path) -> Result<(), Vec<String>> {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args(["build", "--release", "--quiet"]).current_dir(root).env("CARGO_TARGET_DIR", target);
    for path in &HOT_PATHS {
        cargo.args(["--package", path.package, "--example", path.example]);
    }
    match cargo.status() {
        Ok(status) if status.success() => Ok(()),
        _ => Err(vec!["the examples do not build".to_owned()]),
    }
}

/// The compiler and what it compiles for.
fn compiler() -> std::io::Result<String> {
    let told = Command::new("rustc").arg("-vV").output()?;
    let told = String::from_utf8_lossy(&told.stdout);
    let host = told.lines().find_map(|line| line.strip_prefix("host: ")).unwrap_or_default();
    Ok(format!("{} {host}", told.lines().next().unwrap_or_default()))
}

fn count(path: &HotPath, target: &Path, folder: &Path) -> Result<u64, Vec<String>> {
    let out = folder.join(format!("{}.callgrind", path.name));
    let ran = Command::new("valgrind")
        .args(["--tool=callgrind", "--quiet"])
        .arg(format!("--callgrind-out-file={}", out.display()))
        .arg(target.join("release/examples").join(path.example))
        .args(path.arguments)
        .current_dir(folder)
        .output();
    let failed = |why: &str| vec![format!("{}: {why}", path.name)];
    let ran = ran.map_err(|error| failed(&error.to_string()))?;
    if !ran.status.success() {
        return Err(failed(&String::from_utf8_lossy(&ran.stderr)));
    }
    let text = std::fs::read_to_string(&out).map_err(|error| failed(&error.to_string()))?;
    totals(&text).ok_or_else(|| failed("valgrind tells no total"))
}

/// The total of what callgrind wrote.
fn totals(text: &str) -> Option<u64> {
    let mut lines = text.lines().rev();
    lines.find_map(|line| line.strip_prefix("totals: ").or_else(|| line.strip_prefix("summary: ")))?.trim().parse().ok()
}

/// Instructions by hot path, and what compiled them.
#[derive(Debug, Default, PartialEq, Eq)]
struct Counts {
    compiler: String,
    counts: BTreeMap<String, u64>,
}

impl Counts {
    fn of(text: &str) -> Self {
        let mut lines = text.lines().filter(|line| !line.starts_with('#'));
        let compiler = lines.next().unwrap_or_default().to_owned();
        let pair = |line: &str| line.split_once(' ').and_then(|(name, n)| Some((name.to_owned(), n.parse().ok()?)));
        Self { compiler, counts: lines.filter_map(pair).collect() }
    }

    fn to_text(&self) -> String {
        let mut text =
            "# Instructions of rendering: `make instructions` compares, `make instructions ACCEPT=1` keeps new ones.\n"
                .to_owned();
        let _ = writeln!(text, "{}", self.compiler);
        for (name, count) in &self.counts {
            let _ = writeln!(text, "{name} {count}");
        }
        text
    }
}

/// What to tell, and what costs more than it may.
fn compared(kept: &Counts, now: &Counts) -> (String, Vec<String>) {
    let mut told = format!("{}\n", now.compiler);
    let mut grown = Vec::new();
    let comparable = kept.compiler == now.compiler;
    for (name, count) in &now.counts {
        let known = kept.counts.get(name).copied();
        let ratio = known.map(|known| *count as f64 / known as f64);
        let change = ratio.map_or_else(|| "new".to_owned(), |ratio| format!("{:+.1} %", (ratio - 1.0) * 100.0));
        let _ = writeln!(told, "{name:<10} {count:>12} {change}");
        if comparable && ratio.is_none_or(|ratio| ratio > ROOM) {
            grown.push(format!("{name}: {count} instructions, {change} against {KEPT}"));
        }
    }
    if !comparable {
        let _ = writeln!(told, "not compared: those of {KEPT} are of {}", kept.compiler);
    }
    (told.trim_end().to_owned(), grown)
}

#[cfg(test)]
mod tests {
    use super::{Counts, compared, totals};

    fn counts(compiler: &str, chart: u64) -> Counts {
        Counts { compiler: compiler.to_owned(), counts: [("chart".to_owned(), chart)].into() }
    }

    #[test]
    fn counts_are_kept_as_text() {
        let counts = counts("rustc 1", 7);
        assert_eq!(Counts::of(&counts.to_text()), counts);
        assert_eq!(totals("events: Ir\nsummary: 12\n\ntotals: 34\n"), Some(34));
    }

    #[test]
    fn what_grows_by_more_than_a_tenth_fails() {
        for (kept, now, fails) in [(100, 110, false), (100, 111, true), (100, 50, false)] {
            assert_eq!(!compared(&counts("rustc 1", kept), &counts("rustc 1", now)).1.is_empty(), fails, "{now}");
        }
        assert_eq!(
            compared(&Counts { compiler: "rustc 1".into(), ..Counts::default() }, &counts("rustc 1", 1)).1.len(),
            1
        );
    }

    #[test]
    fn another_compiler_is_told_and_not_blamed() {
        let (told, grown) = compared(&counts("rustc 1", 100), &counts("rustc 2", 300));
        assert_eq!(grown, [""; 0]);
        assert!(told.contains("not compared: those of bench/instructions.txt are of rustc 1"), "{told}");
    }
}
