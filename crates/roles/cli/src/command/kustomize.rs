//! `windlass kustomize build`: the flags, the output and the exit codes of `kustomize` 5.7 (rendering §1).

use super::reach::Reach;
use clap::{Parser, Subcommand, ValueEnum};
use std::ffi::OsString;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use windlass_kustomize::{Built, Compat, LoadRestriction, Options, Reorder};
use windlass_render::disk::DiskFiles;

/// Builds kustomizations in process.
#[derive(Debug, Parser)]
#[command(name = "windlass kustomize", version, about = "Kustomize, built in process")]
struct Cli {
    #[command(subcommand)]
    verb: Verb,
    /// For scripts that give it: errors say where they are without it.
    #[arg(long, global = true, hide = true, num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    stack_trace: Option<bool>,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Print the objects of a kustomization.
    Build(Build),
    /// Print the version whose behaviour counts.
    Version,
}

#[derive(Debug, clap::Args)]
struct Build {
    /// The folder with the kustomization file, or the address of a repository: `https://host/org/repo//folder?ref=v1`.
    #[arg(default_value = ".")]
    path: String,
    /// A file for the output; a folder gets a file for each object.
    #[arg(short, long, value_name = "PATH")]
    output: Option<PathBuf>,
    /// `LoadRestrictionsRootOnly` or `LoadRestrictionsNone`.
    #[arg(long, default_value = "LoadRestrictionsRootOnly", value_name = "RULE")]
    load_restrictor: String,
    /// The order of the objects where the kustomization does not say.
    #[arg(long, value_enum)]
    reorder: Option<Order>,
    /// Let `helmCharts` be rendered.
    #[arg(long, num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    enable_helm: Option<bool>,
    /// Label every object `app.kubernetes.io/managed-by`.
    #[arg(long, num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    enable_managedby_label: Option<bool>,
    /// The version of Kustomize to build as: 5.7 or 5.8.
    #[arg(long, value_enum, default_value = "5.7")]
    compat: Version,
    /// Write where each line of the output comes from, as JSON, instead of the output.
    #[arg(long)]
    explain: bool,
    /// Charts are rendered in process: no program is started.
    #[arg(long, hide = true)]
    helm_command: Option<String>,
    #[arg(long, hide = true, num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    helm_debug: Option<bool>,
    #[arg(long, hide = true, value_delimiter = ',')]
    helm_api_versions: Vec<String>,
    #[arg(long, hide = true)]
    helm_kube_version: Option<String>,
    #[arg(long, hide = true, num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    enable_alpha_plugins: Option<bool>,
    #[arg(long, hide = true, num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    enable_exec: Option<bool>,
    #[arg(long, hide = true, num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    enable_star: Option<bool>,
    #[arg(long, hide = true, num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    network: Option<bool>,
    #[arg(long, hide = true)]
    network_name: Option<String>,
    #[arg(long, hide = true)]
    mount: Vec<String>,
    #[arg(short, long, hide = true)]
    env: Vec<String>,
    #[arg(long, hide = true, num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    as_current_user: Option<bool>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Order {
    Legacy,
    None,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Version {
    #[value(name = "5.7")]
    V57,
    #[value(name = "5.8")]
    V58,
}

/// Reads the arguments behind `windlass kustomize` and does what they say.
pub(crate) fn main(arguments: impl Iterator<Item = OsString>) -> ExitCode {
    let cli = match super::pflag::parse::<Cli>("windlass kustomize", arguments, &[]) {
        Ok(cli) => cli,
        Err(error) => {
            let _ = error.print();
            return ExitCode::from(u8::from(error.use_stderr()));
        }
    };
    let done = match &cli.verb {
        Verb::Build(build) => build.run(),
        Verb::Version => write_out("v5.7.1\n"),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(text) => {
            super::complain(&format!("Error: {text}"));
            ExitCode::FAILURE
        }
    }
}

impl Build {
    fn run(&self) -> Result<(), String> {
        if self.enable_exec == Some(true) || !self.mount.is_empty() || self.network == Some(true) {
            return Err(
                "exec and container functions are not offered: no foreign program runs while manifests are rendered; \
                 use the built-in transformers, or run the function before and commit what it gives"
                    .to_owned(),
            );
        }
        if self.helm_kube_version.is_some() || !self.helm_api_versions.is_empty() {
            return Err(
                "--helm-kube-version and --helm-api-versions are not offered: give `kubeVersion` and `apiVersions` in \
                 the entry of `helmCharts`"
                    .to_owned(),
            );
        }
        let reach = Reach::default();
        let built = windlass_kustomize::build(&DiskFiles, &self.path, &self.options(&reach)?);
        let built = built.map_err(|error| error.to_string())?;
        for warning in &built.warnings {
            super::complain(&format!("# Warning: {warning}"));
        }
        if self.explain {
            return write_out(&explained(&built));
        }
        let written = match &self.output {
            None => write_out(&built.to_yaml()),
            Some(folder) if folder.is_dir() => write_objects(&built, folder),
            Some(file) => write_file(file, &built.to_yaml()),
        };
        // The process ends: to take large trees apart would be for nothing.
        std::mem::forget(built);
        written
    }

    fn options<'r>(&self, reach: &'r Reach) -> Result<Options<'r>, String> {
        let load_restriction = match self.load_restrictor.as_str() {
            "LoadRestrictionsRootOnly" => LoadRestriction::RootOnly,
            "LoadRestrictionsNone" => LoadRestriction::None,
            other => {
                return Err(format!(
                    "illegal flag value --load-restrictor {other}; legal values: [LoadRestrictionsRootOnly LoadRestrictionsNone]"
                ));
            }
        };
        Ok(Options {
            load_restriction,
            reorder: match self.reorder {
                None => Reorder::Unspecified,
                Some(Order::Legacy) => Reorder::Legacy,
                Some(Order::None) => Reorder::None,
            },
            compat: match self.compat {
                Version::V57 => Compat::V5_7,
                Version::V58 => Compat::V5_8,
            },
            enable_helm: self.enable_helm == Some(true),
            managed_by_label: self.enable_managedby_label == Some(true),
            fetch: Some(reach),
            charts: Some(reach),
        })
    }
}

/// Where each line comes from, one JSON object a line.
pub(super) fn explained(built: &Built) -> String {
    let mut text = String::new();
    for line in built.lines() {
        let origin = &line.origin;
        let json = serde_json::json!({
            "line": line.line,
            "file": origin.place.as_ref().map(|place| &place.file),
            "sourceLine": origin.place.as_ref().map(|place| place.line),
            "transformers": origin.transformers(),
        });
        text.push_str(&json.to_string());
        text.push('\n');
    }
    text
}

/// One file for each object, named by group, version, kind and name as the reference does.
pub(super) fn write_objects(built: &Built, folder: &Path) -> Result<(), String> {
    for object in &built.objects {
        let json = object.to_json();
        let text = |pointer: &str| json.pointer(pointer).and_then(serde_json::Value::as_str).unwrap_or_default();
        let version = text("/apiVersion").replace('/', "_");
        let name = format!("{version}_{}_{}.yaml", text("/kind"), text("/metadata/name")).to_lowercase();
        let name = name.replace(['/', '\\'], "_");
        write_file(&folder.join(name), &windlass_yaml::to_yaml(&json))?;
    }
    Ok(())
}

fn write_file(path: &Path, text: &str) -> Result<(), String> {
    std::fs::write(path, text).map_err(|error| format!("cannot write {}: {error}", path.display()))
}

/// Writes to standard output. A reader that has read enough is no error.
pub(super) fn write_out(text: &str) -> Result<(), String> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(format!("cannot write the output: {error}"))
        }
        _ => Ok(()),
    }
}
