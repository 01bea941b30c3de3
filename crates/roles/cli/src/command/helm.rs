//! `windlass helm template`: the flags, the output and the exit codes of `helm` 3.22 (rendering §3).

mod random;
mod source;
mod verify;
mod without_effect;

use super::kustomize::write_out;
use super::pretend::chain;
use clap::{Parser, Subcommand};
use random::Chance;
use source::SourceFlags;
use std::ffi::OsString;
use std::mem::ManuallyDrop;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use windlass_helm::{Capabilities, Chart, Isolated, KubeVersion, Options, Rendered, Sources, Values, World};
use windlass_render::disk::{read_file, read_folder};

/// Renders charts in process.
#[derive(Debug, Parser)]
#[command(name = "windlass helm", version, about = "Helm charts, rendered in process")]
struct Cli {
    #[command(subcommand)]
    verb: Verb,
    #[arg(short, long, global = true, default_value = "default")]
    namespace: String,
    #[arg(long, global = true, hide = true, num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    debug: Option<bool>,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Print the objects of a chart.
    Template(Box<Template>),
    /// Print the version whose behaviour counts.
    Version {
        #[arg(long)]
        short: bool,
    },
}

#[derive(Debug, clap::Args)]
pub(super) struct Template {
    /// `[NAME] CHART`: the release's name, and a folder, a packed chart, its address, `oci://…`, or a name with `--repo`.
    #[arg(num_args = 1..=2, required = true, value_names = ["NAME", "CHART"])]
    name_and_chart: Vec<String>,
    #[command(flatten)]
    pub(super) values: ValueFlags,
    /// The version of Kubernetes that the chart is told.
    #[arg(long, value_name = "VERSION")]
    kube_version: Option<String>,
    /// Versions of the API that the chart is told besides the built-in ones.
    #[arg(short, long, value_delimiter = ',', value_name = "VERSIONS")]
    api_versions: Vec<String>,
    /// Print the chart's CRDs too.
    #[arg(long)]
    include_crds: bool,
    #[arg(long, hide = true)]
    skip_crds: bool,
    /// Leave tests out.
    #[arg(long)]
    skip_tests: bool,
    /// Leave hooks out.
    #[arg(long)]
    no_hooks: bool,
    /// Only the files of these templates.
    #[arg(short, long, value_name = "PATH")]
    show_only: Vec<String>,
    /// Set `.Release.IsUpgrade`.
    #[arg(long)]
    is_upgrade: bool,
    /// A folder that gets a file for each template.
    #[arg(long, value_name = "DIR")]
    output_dir: Option<PathBuf>,
    /// Put the release's name into the output folder's name.
    #[arg(long)]
    release_name: bool,
    /// The name is made from the chart's and the time.
    #[arg(short, long)]
    generate_name: bool,
    #[arg(long)]
    skip_schema_validation: bool,
    #[arg(long)]
    render_subchart_notes: bool,
    /// Let templates use chance (`randAlphaNum`, `uuidv4`).
    #[arg(long)]
    allow_random: bool,
    #[arg(long, hide = true)]
    dry_run: Option<String>,
    #[arg(long, hide = true)]
    validate: bool,
    /// Fetch the charts that the chart lists and does not hold.
    #[arg(long)]
    dependency_update: bool,
    #[command(flatten)]
    source: SourceFlags,
    #[arg(long, hide = true)]
    name_template: Option<String>,
    #[arg(long, hide = true)]
    post_renderer: Option<String>,
    #[arg(long, hide = true)]
    post_renderer_args: Vec<String>,
    #[arg(long, hide = true)]
    registry_config: Option<PathBuf>,
    #[arg(long, hide = true)]
    repository_config: Option<PathBuf>,
    #[arg(long, hide = true)]
    enable_dns: bool,
}

/// Where values come from.
#[derive(Debug, clap::Args)]
pub(super) struct ValueFlags {
    /// A values file; later ones win.
    #[arg(short = 'f', long, value_delimiter = ',', value_name = "FILE")]
    values: Vec<String>,
    /// `a.b=1,c={x,y}`
    #[arg(long, value_name = "VALUES")]
    set: Vec<String>,
    /// The same, all values are texts.
    #[arg(long, value_name = "VALUES")]
    set_string: Vec<String>,
    /// The same, all values are paths of files.
    #[arg(long, value_name = "VALUES")]
    set_file: Vec<String>,
    /// The same, all values are JSON.
    #[arg(long, value_name = "VALUES")]
    set_json: Vec<String>,
    /// One value, taken as it is.
    #[arg(long, value_name = "VALUE")]
    set_literal: Vec<String>,
}

/// Reads the arguments behind `windlass helm` and does what they say.
pub(crate) fn main(arguments: impl Iterator<Item = OsString>) -> ExitCode {
    let cli = match super::pflag::parse::<Cli>("windlass helm", arguments, &without_effect::FLAGS) {
        Ok(cli) => cli,
        Err(error) => {
            let _ = error.print();
            return ExitCode::from(u8::from(error.use_stderr()));
        }
    };
    let done = match &cli.verb {
        Verb::Template(template) => template.run(&cli.namespace),
        Verb::Version { short: true } => write_out("v3.22.0\n"),
        Verb::Version { short: false } => write_out("version.BuildInfo{Version:\"v3.22.0\"}\n"),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(text) => {
            super::complain(&format!("Error: {text}"));
            ExitCode::FAILURE
        }
    }
}

impl Template {
    fn run(&self, namespace: &str) -> Result<(), String> {
        self.refuse()?;
        let (name, path) = match self.name_and_chart.as_slice() {
            [chart] => (None, chart),
            [name, chart] => (Some(name.clone()), chart),
            _ => return Err("give `[NAME] CHART`".to_owned()),
        };
        let chart = self.source.chart(path, self.dependency_update)?;
        let name = match (name, self.generate_name) {
            (Some(_), true) => return Err("cannot set --generate-name and also specify a name".to_owned()),
            (Some(name), false) => name,
            (None, true) => format!("{}-{}", chart.name(), Chance::seconds()),
            (None, false) => "release-name".to_owned(),
        };
        let options = self.options(name, namespace)?;
        let world: &dyn World = if self.allow_random { &Chance } else { &Isolated };
        let values = self.values.merged()?;
        let rendered = windlass_helm::template(&chart, &values, &options, world, None).map_err(|e| chain(&e))?;
        // The process ends behind this: its memory goes back as a whole.
        let (_, rendered) = (ManuallyDrop::new((chart, values)), ManuallyDrop::new(rendered));
        for warning in &rendered.warnings {
            super::complain(warning);
        }
        match &self.output_dir {
            None => write_out(&rendered.text),
            Some(folder) if self.release_name => write_files(&rendered, &folder.join(&options.release_name)),
            Some(folder) => write_files(&rendered, folder),
        }
    }

    /// What the reference does and this does not, with what to do instead.
    fn refuse(&self) -> Result<(), String> {
        let refused = [
            (self.validate, "--validate asks a cluster: apply with a dry run instead (`K8sDryRun`)"),
            (
                self.dry_run.as_deref() == Some("server"),
                "--dry-run=server asks a cluster: apply with a dry run instead",
            ),
            (self.name_template.is_some(), "--name-template is not offered: give the name"),
            (
                self.post_renderer.is_some() || !self.post_renderer_args.is_empty(),
                "--post-renderer is not offered: no foreign program runs while charts are rendered; pipe the output",
            ),
            (
                self.registry_config.is_some(),
                "--registry-config is not offered: give --username and --password (HELM_PASSWORD)",
            ),
            (
                self.repository_config.is_some(),
                "--repository-config is not offered: repositories of `helm repo add` are not read; give --repo URL",
            ),
            (self.enable_dns, "--enable-dns is not offered: what a chart renders to must not depend on the network"),
        ];
        refused.iter().find(|(given, _)| *given).map_or(Ok(()), |(_, why)| Err((*why).to_owned()))
    }

    fn options(&self, release_name: String, namespace: &str) -> Result<Options, String> {
        let mut capabilities = Capabilities::default();
        if let Some(version) = &self.kube_version {
            capabilities.kube_version = KubeVersion::parse(version).map_err(|error| error.to_string())?;
        }
        capabilities.api_versions.extend(self.api_versions.iter().cloned());
        Ok(Options {
            release_name,
            namespace: namespace.to_owned(),
            capabilities,
            is_upgrade: self.is_upgrade,
            include_crds: self.include_crds && !self.skip_crds,
            skip_tests: self.skip_tests,
            no_hooks: self.no_hooks,
            show_only: self.show_only.clone(),
            skip_schema_validation: self.skip_schema_validation,
            subchart_notes: self.render_subchart_notes,
            ..Options::default()
        })
    }
}

impl ValueFlags {
    pub(super) fn merged(&self) -> Result<Values, String> {
        let text = |path: &str| {
            if path == "-" {
                return std::io::read_to_string(std::io::stdin()).map_err(|error| error.to_string());
            }
            let bytes = read_file(Path::new(path))?;
            String::from_utf8(bytes).map_err(|_| format!("{path} is not text in UTF-8"))
        };
        let sources = Sources {
            files: self.values.iter().map(|path| Ok((path.clone(), text(path)?))).collect::<Result<_, String>>()?,
            json: self.set_json.clone(),
            set: self.set.clone(),
            string: self.set_string.clone(),
            file: self.set_file.clone(),
            literal: self.set_literal.clone(),
        };
        Values::merge(&sources, &text).map_err(|error| error.to_string())
    }
}

/// A chart from its folder or archive.
pub(super) fn load(path: &Path) -> Result<Chart, String> {
    if path.is_dir() {
        return Chart::load(read_folder(path)?).map_err(|error| chain(&error));
    }
    if !path.exists() {
        return Err(format!("path \"{}\" not found", path.display()));
    }
    Chart::load_archive(&read_file(path)?).map_err(|error| chain(&error))
}

/// One file for each template below a folder, as the reference writes them.
fn write_files(rendered: &Rendered, folder: &Path) -> Result<(), String> {
    use std::fmt::Write as _;
    let mut files: std::collections::BTreeMap<&str, String> = std::collections::BTreeMap::new();
    for document in rendered.documents.iter().chain(&rendered.hooks) {
        let text = files.entry(&document.source).or_default();
        let _ = writeln!(text, "---\n# Source: {}\n{}", document.source, document.text);
    }
    for (source, text) in files {
        let inside = Path::new(source).components().all(|part| matches!(part, std::path::Component::Normal(_)));
        if !inside {
            return Err(format!("the template {source} would be written outside of {}", folder.display()));
        }
        let path = folder.join(source);
        let failed = |error: std::io::Error| format!("cannot write {}: {error}", path.display());
        path.parent().map_or(Ok(()), std::fs::create_dir_all).map_err(failed)?;
        std::fs::write(&path, text).map_err(failed)?;
        write_out(&format!("wrote {}\n", path.display()))?;
    }
    Ok(())
}
