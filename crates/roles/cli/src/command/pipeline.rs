use crate::Common;
use crate::client::Client;
use crate::failure::CliFailure;
use crate::output::{self, Format};
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Debug, clap::Subcommand)]
pub(crate) enum Verb {
    /// Start a pipeline.
    Run(RunArgs),
}

#[derive(Debug, clap::Args)]
pub(crate) struct RunArgs {
    pipeline: String,
    /// Values of pipeline variables.
    #[arg(short, long, value_name = "NAME=VALUE")]
    input: Vec<String>,
    /// A file with values: `name: value` of variables, an input set, or a sparse pipeline; `-` is standard input. `--input` wins.
    #[arg(long, value_name = "FILE", alias = "input-file")]
    inputs: Option<PathBuf>,
    /// Run these stages only.
    #[arg(long, value_name = "STAGE")]
    stage: Vec<String>,
    /// Show the run as it goes, until it ends.
    #[arg(short, long)]
    watch: bool,
}

pub(crate) async fn run(common: &Common, verb: Verb) -> Result<ExitCode, CliFailure> {
    let Verb::Run(args) = verb;
    let client = Client::new(common)?;
    let input_yaml = args.inputs.as_deref().map(super::read_text).transpose()?;
    let body = serde_json::json!({
        "inputs": super::pairs(&args.input)?,
        "inputYaml": input_yaml,
        "stages": args.stage,
    });
    let started = client.post(&format!("pipelines/{}/runs", args.pipeline), &body).await?;
    let run = output::cell(&started, "/run");
    if args.watch {
        return super::run::watch(common, &client, &run).await;
    }
    match common.output {
        Format::Table => {
            output::line(format!("{run} started: {}", output::cell(&started, "/url")));
            output::warnings(&started["warnings"]);
        }
        format => output::value(format, &started),
    }
    Ok(ExitCode::SUCCESS)
}
