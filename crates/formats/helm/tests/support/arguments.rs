//! Flags of `helm template`, for tests and examples.
#![allow(dead_code, reason = "each user takes what it needs")]

use std::collections::BTreeMap;
use std::path::Path;
use windlass_helm::{Chart, HelmError, Isolated, KubeVersion, Options, Rendered, Sources, Values};

/// Renders what the arguments say, `NAME CHART [flags]`. Paths start at `folder`.
pub(crate) fn run(folder: &Path, arguments: &[String]) -> Result<Rendered, String> {
    let mut options = Options::default();
    let mut sources = Sources::default();
    let mut positional = Vec::new();
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let mut value = || rest.next().cloned().ok_or_else(|| format!("{argument} wants a value"));
        match argument.as_str() {
            "--include-crds" => options.include_crds = true,
            "--skip-tests" => options.skip_tests = true,
            "--no-hooks" => options.no_hooks = true,
            "--is-upgrade" => options.is_upgrade = true,
            "--skip-schema-validation" => options.skip_schema_validation = true,
            "--kube-version" => options.capabilities.kube_version = KubeVersion::parse(&value()?).map_err(explained)?,
            "-a" => options.capabilities.api_versions.extend(value()?.split(',').map(str::to_owned)),
            "-n" => options.namespace = value()?,
            "-s" => options.show_only.push(value()?),
            "-f" => {
                let path = value()?;
                let text =
                    std::fs::read_to_string(folder.join(&path)).map_err(|problem| format!("{path}: {problem}"))?;
                sources.files.push((path, text));
            }
            "--set" => sources.set.push(value()?),
            "--set-string" => sources.string.push(value()?),
            "--set-json" => sources.json.push(value()?),
            "--set-file" => sources.file.push(value()?),
            "--set-literal" => sources.literal.push(value()?),
            flag if flag.starts_with('-') => return Err(format!("unknown flag {flag}")),
            _ => positional.push(argument.clone()),
        }
    }
    let [name, path] = <[String; 2]>::try_from(positional).map_err(|_| "expected NAME and CHART".to_owned())?;
    options.release_name = name;
    let read = |path: &str| std::fs::read_to_string(folder.join(path)).map_err(|problem| format!("{path}: {problem}"));
    let values = Values::merge(&sources, &read).map_err(explained)?;
    let chart = load(&folder.join(&path))?;
    windlass_helm::template(&chart, &values, &options, &Isolated, None).map_err(explained)
}

pub(crate) fn load(path: &Path) -> Result<Chart, String> {
    if path.is_file() {
        let bytes = std::fs::read(path).map_err(|problem| problem.to_string())?;
        return Chart::load_archive(&bytes).map_err(explained);
    }
    let mut files = BTreeMap::new();
    walk(path, "", &mut files).map_err(|problem| format!("{}: {problem}", path.display()))?;
    Chart::load(files).map_err(explained)
}

fn walk(folder: &Path, prefix: &str, files: &mut BTreeMap<String, Vec<u8>>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        let path = entry.path();
        if path.is_dir() {
            walk(&path, &format!("{name}/"), files)?;
        } else {
            files.insert(name, std::fs::read(&path)?);
        }
    }
    Ok(())
}

pub(crate) fn explained(problem: HelmError) -> String {
    let mut text = problem.to_string();
    let mut cause = std::error::Error::source(&problem);
    while let Some(inner) = cause {
        text.push_str(&format!(": {inner}"));
        cause = inner.source();
    }
    text
}
