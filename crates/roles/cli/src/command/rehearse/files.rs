//! What a rehearsal is told by files and by live clusters.

use super::pretend;
use crate::command::read_text;
use crate::failure::CliFailure;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use windlass_manifest::object::expand_lists;
use windlass_model::Json;
use windlass_rehearsal::{Source, Text, read_live};

pub(super) fn documents(paths: &[PathBuf]) -> Result<Vec<Text>, CliFailure> {
    let mut texts = Vec::new();
    for path in paths {
        let files = if path.is_dir() { in_folder(path)? } else { vec![path.clone()] };
        for file in files {
            texts.push(Text { file: file.display().to_string(), text: read_text(&file)? });
        }
    }
    Ok(texts)
}

fn in_folder(folder: &Path) -> Result<Vec<PathBuf>, CliFailure> {
    let failed = |error: std::io::Error| CliFailure::usage(format!("cannot read {}: {error}", folder.display()));
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let is_yaml = path.extension().is_some_and(|extension| extension == "yaml" || extension == "yml");
        if is_yaml && path.is_file() {
            files.push(path);
        }
    }
    if files.is_empty() {
        return Err(CliFailure::usage(format!("{} holds no .yaml or .yml files", folder.display())));
    }
    files.sort();
    Ok(files)
}

pub(super) fn repositories(given: &[String]) -> Result<Vec<(String, PathBuf)>, CliFailure> {
    let folder = |text: &String| {
        // An address may hold a `=`, a folder rarely does.
        let (url, folder) = text
            .rsplit_once('=')
            .filter(|(url, folder)| !url.is_empty() && !folder.is_empty())
            .ok_or_else(|| CliFailure::usage(format!("--repository {text}")).hint("write --repository URL=FOLDER"))?;
        let path = PathBuf::from(folder);
        if !path.is_dir() {
            return Err(CliFailure::usage(format!("{folder} is not a folder")));
        }
        Ok((url.to_owned(), path))
    };
    given.iter().map(folder).collect()
}

pub(super) fn seeds(given: &[String]) -> Result<BTreeMap<String, Vec<Json>>, CliFailure> {
    let mut seeds: BTreeMap<String, Vec<Json>> = BTreeMap::new();
    for text in given {
        let (connector, file) = pretend::pair("--cluster", text, "CONNECTOR=FILE")?;
        let path = Path::new(file);
        let unreadable = |problems| CliFailure::usage(format!("{file} cannot be used")).problems(problems);
        let documents = windlass_manifest::parse::documents(file, &read_text(path)?).map_err(unreadable)?;
        let objects = seeds.entry(connector.to_owned()).or_default();
        for (document, _) in documents {
            objects.extend(expand_lists(document).map_err(unreadable)?);
        }
    }
    Ok(seeds)
}

pub(super) async fn live(given: &str, namespaces: &[String]) -> Result<(String, Vec<Json>), CliFailure> {
    let (connector, place) = pretend::pair("--live", given, "CONNECTOR=KUBECONFIG[#CONTEXT]")?;
    let (kubeconfig, context) = match place.split_once('#') {
        Some((kubeconfig, context)) => (kubeconfig, Some(context.to_owned())),
        None => (place, None),
    };
    let source = Source { kubeconfig: kubeconfig.into(), context, namespaces: namespaces.to_vec() };
    let objects = read_live(connector, &source).await.map_err(|error| {
        CliFailure::unreachable(pretend::chain(&error))
            .hint("name the namespaces you may read with --live-namespace; nothing is written to a live cluster")
    })?;
    Ok((connector.to_owned(), objects))
}
