//! The reference's own cases, when they stand beside the checkout: all pass but those that are listed with their reason.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "tests may fail by panic, their helpers too"
)]

#[path = "support/origins.rs"]
mod origins;
mod support;

use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::path::Path;
use support::{Disk, material};
use windlass_kustomize::{
    Built, Compat, Files, KustomizeError, LoadRestriction, Options, Problem, Reorder, Resolved, build,
};

/// Cases that do not pass, one in a line: its name, a colon and the reason.
const KNOWN: &str = include_str!("data/known-differences.txt");

/// The disk, but for the kustomization that the case starts at: the originals ran in the order of the files.
struct Case<'a> {
    start: String,
    text: &'a str,
}

impl Files for Case<'_> {
    fn resolve(&self, path: &str) -> Option<Resolved> {
        Disk.resolve(path)
    }

    fn read(&self, path: &str) -> Result<std::sync::Arc<[u8]>, String> {
        if path == self.start { Ok(self.text.as_bytes().into()) } else { Disk.read(path) }
    }
}

fn run(folder: &Path, case: &Json, compat: Compat) -> Result<Built, Box<KustomizeError>> {
    let option = |name: &str| case["options"][name].as_str().unwrap_or_default();
    let input = folder.join("input");
    let start = match case["path"].as_str().unwrap_or_default().trim_matches('/') {
        "" | "." => input,
        path => input.join(path),
    };
    let names = ["kustomization.yaml", "kustomization.yml", "Kustomization"];
    let file = names.iter().map(|name| start.join(name)).find(|file| file.is_file());
    let mut text = file.as_ref().map(|file| std::fs::read_to_string(file).unwrap()).unwrap_or_default();
    let reorder = option("Reorder");
    if !text.contains("sortOptions") && !reorder.contains("Unspecified") {
        let order = if reorder.contains("Legacy") { "legacy" } else { "fifo" };
        text = format!("{}\nsortOptions:\n  order: {order}\n", text.trim_end());
    }
    let start_file = file.and_then(|file| file.canonicalize().ok());
    let files = Case { start: start_file.map(|f| f.display().to_string()).unwrap_or_default(), text: &text };
    let restriction =
        if option("LoadRestrictions").contains("None") { LoadRestriction::None } else { LoadRestriction::RootOnly };
    let options = Options {
        load_restriction: restriction,
        reorder: Reorder::Unspecified,
        compat,
        managed_by_label: option("AddManagedbyLabel") == "True",
        ..Options::default()
    };
    build(&files, start.to_str().unwrap(), &options)
}

/// The part of an expected error that does not depend on how files are named.
fn stem(expected: &str) -> &str {
    let text = expected.split_once(": ").map_or("", |(_, text)| text).trim();
    text.split('\'').next().unwrap_or_default()
}

fn judge(folder: &Path, case: &Json) -> Result<(), String> {
    // What needs a newer version is asked of the newer one.
    let compat = if case["reference_v5_7"] == "match" { Compat::V5_7 } else { Compat::V5_8 };
    let result = run(folder, case, compat);
    if case["kind"] == "err" {
        let expected = std::fs::read_to_string(folder.join("expected-error.txt")).unwrap_or_default();
        return match result {
            Ok(_) => Err("no error".into()),
            Err(error) if error.chain().contains(stem(&expected)) => Ok(()),
            // Programs and containers are refused by name.
            Err(error) if case["options"]["plugins"] == "True" && error.problem == Problem::Plugin => Ok(()),
            Err(error) => Err(format!("another error: {error}\nexpected: {expected}")),
        };
    }
    let expected = std::fs::read_to_string(folder.join("expected.yaml")).unwrap();
    match result {
        Err(error) => Err(format!("error: {error}")),
        Ok(built) => {
            // `--explain` knows of every value where it was written, whether the text is as expected or not.
            origins::check(&built).unwrap_or_else(|why| panic!("{}: {why}", folder.display()));
            let (expected, text) = (expected.trim_matches('\n'), built.to_yaml());
            let text = text.trim_matches('\n');
            if text == expected { Ok(()) } else { Err(difference(expected, text)) }
        }
    }
}

/// The first lines that differ.
fn difference(expected: &str, found: &str) -> String {
    let (mut a, mut b) = (expected.lines(), found.lines());
    for number in 1.. {
        match (a.next(), b.next()) {
            (None, None) => break,
            (a, b) if a == b => {}
            (a, b) => return format!("line {number}: expected {a:?}, found {b:?}"),
        }
    }
    "different line ends".into()
}

#[test]
fn the_cases_of_the_reference() {
    let Some(all) = material("cases/kustomize") else {
        println!("skipped: the cases are not beside the checkout");
        return;
    };
    let known: BTreeMap<&str, &str> =
        KNOWN.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once(": ")).collect();
    let mut folders: Vec<_> = std::fs::read_dir(all).unwrap().map(|entry| entry.unwrap().path()).collect();
    folders.sort();
    let (mut passed, mut wrong) = (0, Vec::new());
    for folder in &folders {
        let name = folder.file_name().unwrap().to_str().unwrap();
        let case: Json = serde_json::from_str(&std::fs::read_to_string(folder.join("case.json")).unwrap()).unwrap();
        match (judge(folder, &case), known.get(name)) {
            (Ok(()), None) => passed += 1,
            (Ok(()), Some(_)) => wrong.push(format!("{name} passes and is listed as one that does not")),
            (Err(_), Some(_)) => {}
            (Err(why), None) => wrong.push(format!("{name} ({}): {why}", case["reference_v5_7"])),
        }
    }
    println!("{passed} of {} cases pass, {} are listed with their reason", folders.len(), known.len());
    assert!(wrong.is_empty(), "{} cases:\n{}", wrong.len(), wrong.join("\n"));
}
