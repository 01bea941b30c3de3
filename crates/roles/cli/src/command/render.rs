//! `windlass render`: objects from whatever makes them (rendering §1, §3).

use super::helm::{self, ValueFlags};
use super::kustomize::{explained, write_out};
use super::pretend;
use super::reach::Reach;
use crate::Common;
use crate::failure::CliFailure;
use crate::output::Format;
use indicatif::{ProgressBar, ProgressStyle};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use windlass_helm::Isolated;
use windlass_kustomize::{Options, build};
use windlass_render::catalogue::{self, Done};
use windlass_render::disk::DiskFiles;

#[derive(Debug, clap::Args)]
#[command(after_help = "`windlass kustomize build` and `windlass helm template` take the flags of those tools.")]
pub(crate) struct Args {
    /// A folder with a kustomization file, or a chart.
    #[arg(required_unless_present = "all")]
    path: Option<PathBuf>,
    #[command(flatten)]
    values: ValueFlags,
    /// The release's name, for charts.
    #[arg(long, default_value = "release-name", value_name = "NAME")]
    name: String,
    /// The release's namespace, for charts.
    #[arg(short, long, default_value = "default")]
    namespace: String,
    /// Tell where each line of the output comes from, as JSON, instead of the output.
    #[arg(long)]
    explain: bool,
    /// Render every kustomization below this folder that no other one uses; only what changed since the last time.
    #[arg(long, value_name = "ROOT", requires = "out", conflicts_with_all = ["path", "explain"])]
    all: Option<PathBuf>,
    /// The folder that gets `<folder>/manifests.yaml` for each of them.
    #[arg(long, value_name = "DIR", requires = "all")]
    out: Option<PathBuf>,
}

pub(crate) fn run(common: &Common, args: &Args) -> Result<ExitCode, CliFailure> {
    match (&args.path, &args.all, &args.out) {
        (Some(path), ..) => one(common, args, path),
        (None, Some(root), Some(out)) => all(root, out),
        _ => Err(CliFailure::usage("give a path, or --all ROOT --out DIR")),
    }
}

fn options(reach: &Reach) -> Options<'_> {
    Options { enable_helm: true, fetch: Some(reach), charts: Some(reach), ..Options::default() }
}

fn one(common: &Common, args: &Args, path: &Path) -> Result<ExitCode, CliFailure> {
    let failed = |text: String| CliFailure::failed(text);
    if path.join("Chart.yaml").is_file() || path.is_file() {
        return chart(common, args, path);
    }
    let reach = Reach::default();
    let built = build(&DiskFiles, &path.to_string_lossy(), &options(&reach));
    let built = built.map_err(|error| failed(error.to_string()))?;
    for warning in &built.warnings {
        super::complain(&warning.to_string());
    }
    let text = match common.output {
        _ if args.explain => explained(&built),
        Format::Json => {
            let objects: Vec<_> = built.objects.iter().map(windlass_kustomize::BuiltObject::to_json).collect();
            format!("{}\n", serde_json::to_string_pretty(&objects).unwrap_or_default())
        }
        Format::Yaml | Format::Table => built.to_yaml(),
    };
    write_out(&text).map_err(failed)?;
    Ok(ExitCode::SUCCESS)
}

fn chart(common: &Common, args: &Args, path: &Path) -> Result<ExitCode, CliFailure> {
    let failed = |text: String| CliFailure::failed(text);
    if args.explain {
        return Err(CliFailure::usage(
            "--explain is for kustomizations: the output of a chart names the template of each object",
        ));
    }
    let chart = helm::load(path).map_err(failed)?;
    let values = args.values.merged().map_err(failed)?;
    let options = windlass_helm::Options {
        release_name: args.name.clone(),
        namespace: args.namespace.clone(),
        ..windlass_helm::Options::default()
    };
    let rendered = windlass_helm::template(&chart, &values, &options, &Isolated, None);
    let rendered = rendered.map_err(|error| failed(pretend::chain(&error)))?;
    for warning in &rendered.warnings {
        super::complain(warning);
    }
    let text = match common.output {
        Format::Json => {
            let documents = windlass_yaml::parse("output", &rendered.text, &windlass_yaml::Options::OBJECTS);
            let documents =
                documents.map_err(|problems| failed("the output is no YAML".to_owned()).problems(problems))?;
            let objects: Vec<_> =
                documents.iter().map(|document| document.root.to_json(windlass_yaml::NumberStyle::Typed)).collect();
            format!("{}\n", serde_json::to_string_pretty(&objects).unwrap_or_default())
        }
        Format::Yaml | Format::Table => rendered.text,
    };
    write_out(&text).map_err(failed)?;
    Ok(ExitCode::SUCCESS)
}

fn all(root: &Path, out: &Path) -> Result<ExitCode, CliFailure> {
    let failed = |text: String| CliFailure::failed(text);
    let targets = catalogue::targets(root).map_err(failed)?;
    if targets.is_empty() {
        return Err(failed(format!("there is no kustomization below {}", root.display())));
    }
    // Not drawn where nobody looks.
    let bar = ProgressBar::new(targets.len() as u64);
    if let Ok(style) = ProgressStyle::with_template("{bar:40} {pos}/{len} {msg}") {
        bar.set_style(style);
    }
    let told = |target: &str, done: &Done| {
        bar.set_message(target.to_owned());
        bar.inc(1);
        if let Done::Failed(why) = done {
            bar.suspend(|| super::complain(&format!("error: {target}: {why}")));
        }
    };
    let reach = Reach::default();
    let done = catalogue::render(root, out, &targets, &|| options(&reach), "helm", &told).map_err(failed)?;
    bar.finish_and_clear();
    let count = |wanted: fn(&Done) -> bool| done.iter().filter(|(_, done)| wanted(done)).count();
    let rendered = count(|done| *done == Done::Rendered);
    let unchanged = count(|done| *done == Done::Unchanged);
    let broken = done.len() - rendered - unchanged;
    crate::output::line(format!("{rendered} rendered, {unchanged} unchanged, {broken} failed in {}", out.display()));
    Ok(if broken == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
