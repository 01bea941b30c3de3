//! The charts inside the reference's own module, where the module cache has it: rendered here and by the program `HELM`.
//!
//! `MODULES` names the cache (`go env GOMODCACHE`). Charts are read there and never copied.
#![allow(clippy::unwrap_used)]

#[path = "support/arguments.rs"]
mod arguments;

use std::path::{Path, PathBuf};

const MODULE: &str = "helm.sh/helm/v3@v3.22.0";

fn charts(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() && !path.is_symlink() {
            charts(&path, found);
        } else if name == "Chart.yaml" {
            found.push(folder.to_owned());
        } else if name.ends_with(".tgz") {
            found.push(path);
        }
    }
}

#[test]
#[allow(clippy::disallowed_methods, reason = "the reference is started when somebody names it")]
fn charts_of_the_module() {
    let (Some(helm), Some(modules)) = (std::env::var_os("HELM"), std::env::var_os("MODULES")) else {
        println!("skipped: HELM and MODULES name no program and no module cache");
        return;
    };
    let module = Path::new(&modules).join(MODULE);
    if !module.is_dir() {
        println!("skipped: the module cache has no {MODULE}");
        return;
    }
    let mut all = Vec::new();
    charts(&module, &mut all);
    let (mut rendered, mut refused, mut random, mut wrong) = (0, 0, 0, Vec::new());
    for chart in &all {
        let output = std::process::Command::new(&helm)
            .args(["template", "rel", "--kube-version", "1.34.0"])
            .arg(chart)
            .env("TZ", "UTC")
            .output()
            .unwrap();
        let arguments = ["rel", &chart.to_string_lossy(), "--kube-version", "1.34.0"].map(str::to_owned);
        let ours = arguments::run(Path::new(""), &arguments);
        let name = chart.strip_prefix(&module).unwrap().display();
        match (ours, output.status.success()) {
            (Ok(ours), true) if ours.text == String::from_utf8_lossy(&output.stdout) => rendered += 1,
            (Ok(_), true) => wrong.push(format!("{name}: another text")),
            (Err(_), false) => refused += 1,
            // Rule 2 of `docs/compatibility/helm.md`: their result is another one each time.
            (Err(problem), true) if problem.contains("nobody offers it to this rendering") => random += 1,
            (Err(problem), true) => wrong.push(format!("{name}: we refuse it: {problem}")),
            (Ok(_), false) => {
                let why = String::from_utf8_lossy(&output.stderr).into_owned();
                wrong.push(format!("{name}: the reference refuses it: {}", why.trim()));
            }
        }
    }
    println!(
        "{} charts of {MODULE}: {rendered} rendered alike, {refused} refused by both, {random} use chance",
        all.len()
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(rendered > 30, "only {rendered} charts");
}
