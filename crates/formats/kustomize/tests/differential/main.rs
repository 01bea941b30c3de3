//! Random kustomizations, built here and by the reference, when the variable `KUSTOMIZE` names its program.
//!
//! `KUSTOMIZE_SEEDS=from..to` chooses the seeds. Without the program the seeds are built here alone: nothing may panic.

#![allow(clippy::expect_used, clippy::unwrap_used, reason = "tests may fail by panic, their helpers too")]

mod kustomizations;
mod objects;
mod random;

use kustomizations::{FIELDS, Files, project};
use random::Random;
use std::collections::BTreeMap;
use std::path::Path;
use windlass_kustomize::{MemoryFiles, Options, build};

/// Seeds that are always tried.
const SEEDS: std::ops::Range<u64> = 0..300;

fn ours(files: &Files) -> Result<String, String> {
    let memory: MemoryFiles = files.iter().map(|(path, text)| (format!("/{path}"), text.as_str())).collect();
    match build(&memory, "/root", &Options::default()) {
        Ok(built) => {
            let lines = built.lines();
            let text = built.to_yaml();
            let values = text.lines().count();
            assert!(lines.iter().all(|line| line.line >= 1 && line.line <= values), "a line outside of the text");
            Ok(text)
        }
        Err(error) => Err(error.to_string()),
    }
}

#[test]
fn nothing_panics() {
    for seed in SEEDS {
        let _ = ours(&project(&mut Random::new(seed)));
    }
}

#[test]
fn the_reference_agrees() {
    let Some(program) = std::env::var_os("KUSTOMIZE") else {
        println!("skipped: KUSTOMIZE does not name the reference");
        return;
    };
    let seeds = std::env::var_os("KUSTOMIZE_SEEDS").and_then(|text| {
        let (from, to) = text.to_str()?.split_once("..")?;
        Some(from.parse().ok()?..to.parse().ok()?)
    });
    let folder = std::env::temp_dir().join(format!("windlass-kustomize-{}", std::process::id()));
    let (mut accepted, mut total, mut wrong) = (0_usize, 0_usize, Vec::new());
    let mut used: BTreeMap<&str, usize> = BTreeMap::new();
    let mut refused: BTreeMap<String, usize> = BTreeMap::new();
    for seed in seeds.unwrap_or(SEEDS) {
        let files = project(&mut Random::new(seed));
        write(&folder, &files);
        let theirs = reference(Path::new(&program), &folder.join("root"));
        for field in FIELDS {
            let named = |text: &str| text.lines().any(|line| line.starts_with(&format!("{field}:")));
            let found = files.iter().any(|(path, text)| path.ends_with("kustomization.yaml") && named(text));
            *used.entry(field).or_default() += usize::from(found);
        }
        total += 1;
        if let Err(why) = &theirs {
            *refused.entry(stem(why)).or_default() += 1;
        }
        accepted += usize::from(theirs.is_ok());
        if std::env::var_os("KUSTOMIZE_KEEP").is_some() {
            write(&std::env::temp_dir().join(format!("seed-{seed}")), &files);
        }
        match (ours(&files), theirs) {
            (Ok(ours), Ok(theirs)) if ours == theirs => {}
            (Err(_), Err(_)) => {}
            (ours, theirs) => wrong.push(format!("seed {seed}: {}", describe(ours, theirs))),
        }
    }
    let _ = std::fs::remove_dir_all(&folder);
    println!("{total} kustomizations, {accepted} accepted by the reference, {} different", wrong.len());
    let rare: Vec<_> = used.iter().filter(|(_, count)| **count * 20 < total).collect();
    println!("fields in fewer than 5 % of them: {rare:?}");
    println!("refused because of: {refused:#?}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn write(folder: &Path, files: &Files) {
    let _ = std::fs::remove_dir_all(folder);
    for (path, text) in files {
        let path = folder.join(path);
        std::fs::create_dir_all(path.parent().expect("a file is in a folder")).expect("a folder for tests");
        std::fs::write(path, text).expect("a file for tests");
    }
}

#[allow(clippy::disallowed_methods, reason = "the reference is a program that only this comparison starts")]
fn reference(program: &Path, folder: &Path) -> Result<String, String> {
    let output = std::process::Command::new(program).arg("build").arg(folder).output().expect("the reference starts");
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    Err(String::from_utf8_lossy(&output.stderr).into_owned())
}

/// The innermost part of an error, without names.
fn stem(error: &str) -> String {
    let line = error.lines().rfind(|line| line.starts_with("Error: ")).unwrap_or_default();
    let inner = line.rsplit(": ").find(|part| part.len() > 20).unwrap_or(line);
    inner.split(['\'', '"', '[']).next().unwrap_or_default().chars().take(70).collect()
}

fn describe(ours: Result<String, String>, theirs: Result<String, String>) -> String {
    match (ours, theirs) {
        (Ok(ours), Ok(theirs)) => {
            let (mut a, mut b) = (theirs.lines(), ours.lines());
            for number in 1.. {
                match (a.next(), b.next()) {
                    (None, None) => break,
                    (a, b) if a == b => {}
                    (a, b) => return format!("line {number}: the reference says {a:?}, we say {b:?}"),
                }
            }
            "different line ends".into()
        }
        (Err(ours), Ok(_)) => format!("we refuse it: {ours}"),
        (Ok(_), Err(theirs)) => {
            let line = theirs.lines().rfind(|line| line.starts_with("Error: ")).unwrap_or(&theirs);
            format!("the reference refuses it: {line}")
        }
        (Err(_), Err(_)) => String::new(),
    }
}
