//! The files of a chart, told apart by their names (rendering §3.1).

use crate::archive::{self, ArchiveLimits};
use crate::chart::{Chart, File, Lock, Metadata};
use crate::decode;
use crate::error::{FileProblem, HelmError};
use crate::values::Table;
use std::collections::BTreeMap;

/// Charts within each other.
const DEEPEST: usize = 32;

/// What a chart may still take, with all charts inside of it.
pub(crate) struct Allowance {
    pub limits: ArchiveLimits,
    pub depth: usize,
}

impl Allowance {
    pub(crate) fn new(limits: ArchiveLimits) -> Self {
        Self { limits, depth: 0 }
    }

    fn take(&mut self, files: &[File]) {
        let size: u64 = files.iter().map(|file| file.data.len() as u64).sum();
        self.limits.total = self.limits.total.saturating_sub(size);
        self.limits.files = self.limits.files.saturating_sub(files.len());
    }
}

/// The chart that files make, whose names start at its folder.
pub(crate) fn chart(files: Vec<File>, allowance: &mut Allowance) -> Result<Chart, HelmError> {
    if allowance.depth >= DEEPEST {
        return Err(HelmError::Limit(format!("more than {DEEPEST} charts within each other")));
    }
    let metadata = files.iter().rev().find(|file| file.name == "Chart.yaml").map(metadata).transpose()?;
    let mut sorted = Sorted { metadata, ..Sorted::default() };
    for file in files {
        sorted.add(file)?;
    }
    let Some(mut metadata) = sorted.metadata else {
        return Err(HelmError::Metadata("Chart.yaml file is missing".to_owned()));
    };
    metadata.validate()?;
    let mut chart = Chart {
        metadata,
        lock: sorted.lock,
        templates: sorted.templates,
        values: sorted.values,
        schema: sorted.schema,
        files: sorted.files,
        dependencies: Vec::new(),
        warnings: sorted.warnings,
    };
    allowance.depth += 1;
    for (name, files) in sorted.subcharts {
        if name.starts_with(['_', '.']) {
            continue;
        }
        let subchart = inner(&name, files, &chart, allowance).map_err(|source| HelmError::Subchart {
            name: name.clone(),
            chart: chart.name().to_owned(),
            source: Box::new(source),
        })?;
        chart.dependencies.push(subchart);
    }
    allowance.depth -= 1;
    Ok(chart)
}

/// A chart in `charts/`: a packed one, or a folder.
fn inner(name: &str, files: Vec<File>, parent: &Chart, allowance: &mut Allowance) -> Result<Chart, HelmError> {
    if extension(name) == ".tgz" {
        let Some(packed) = files.into_iter().next() else { return Err(HelmError::Archive("no files".to_owned())) };
        if packed.name != name {
            let problem =
                format!("error unpacking subchart tar in {}: expected {name}, got {}", parent.name(), packed.name);
            return Err(HelmError::Archive(problem));
        }
        let files = archive::unpack(&packed.data, &allowance.limits)?;
        allowance.take(&files);
        return chart(files, allowance);
    }
    let inside = files.into_iter().filter_map(|file| {
        let name = file.name.split_once('/')?.1.to_owned();
        Some(File { name, ..file })
    });
    chart(inside.collect(), allowance)
}

#[derive(Default)]
struct Sorted {
    metadata: Option<Metadata>,
    lock: Option<Lock>,
    values: Table,
    schema: Option<String>,
    templates: Vec<File>,
    files: Vec<File>,
    subcharts: BTreeMap<String, Vec<File>>,
    warnings: Vec<String>,
}

impl Sorted {
    fn add(&mut self, file: File) -> Result<(), HelmError> {
        match &*file.name {
            "Chart.yaml" => {}
            "Chart.lock" => self.lock = Some(lock(&file)?),
            "values.yaml" => {
                let text = file.text()?;
                self.values = decode::table(text).map_err(|problem| problem.in_file(&*file.name))?.unwrap_or_default();
            }
            "values.schema.json" => self.schema = Some(file.text()?.to_owned()),
            "requirements.yaml" => {
                let old = self.is_old();
                let metadata = self.metadata.get_or_insert_default();
                metadata.read_over(file.text()?).map_err(|problem| problem.in_file(&*file.name))?;
                self.keep_if_old(old, file, "Dependencies are handled in Chart.yaml since apiVersion \"v2\"");
            }
            "requirements.lock" => {
                self.lock = Some(lock(&file)?);
                self.metadata.get_or_insert_default();
                let old = self.is_old();
                self.keep_if_old(old, file, "Dependency locking is handled in Chart.lock since apiVersion \"v2\"");
            }
            name if name.starts_with("templates/") => self.templates.push(file),
            name => match name.strip_prefix("charts/") {
                Some(inside) if extension(name) != ".prov" => {
                    let folder = inside.split('/').next().unwrap_or(inside).to_owned();
                    let inside = File { name: inside.to_owned(), data: file.data };
                    self.subcharts.entry(folder).or_default().push(inside);
                }
                _ => self.files.push(file),
            },
        }
        Ok(())
    }

    fn is_old(&self) -> bool {
        self.metadata.as_ref().is_some_and(|metadata| metadata.api_version == "v1")
    }

    /// Charts of the first version hold their requirements as files too.
    fn keep_if_old(&mut self, old: bool, file: File, warning: &str) {
        if old {
            self.files.push(file);
        } else {
            self.warnings.push(format!("{warning}: {} is read all the same", file.name));
        }
    }
}

fn metadata(file: &File) -> Result<Metadata, HelmError> {
    let mut metadata = Metadata::default();
    metadata.read_over(file.text()?).map_err(|problem| problem.in_file("Chart.yaml"))?;
    if metadata.api_version.is_empty() {
        metadata.api_version = "v1".to_owned();
    }
    Ok(metadata)
}

fn lock(file: &File) -> Result<Lock, HelmError> {
    Lock::read(file.text()?).map_err(|problem: FileProblem| problem.in_file(&*file.name))
}

/// The end of a name from its last dot.
pub(crate) fn extension(name: &str) -> &str {
    let base = name.rsplit('/').next().unwrap_or(name);
    base.rfind('.').map_or("", |at| &base[at..])
}
