use crate::Common;
use crate::client::Client;
use crate::failure::CliFailure;
use crate::output::{self, Format};
use std::path::PathBuf;
use std::process::ExitCode;
use windlass_diagnostic::Diagnostics;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Files with one or more documents; `-` is standard input.
    #[arg(short, long, required = true, value_name = "FILE")]
    file: Vec<PathBuf>,
    /// Replaces `{{NAME}}` before the text is read.
    #[arg(long, value_name = "NAME=VALUE")]
    set: Vec<String>,
    /// What a document without root key is.
    #[arg(long)]
    kind: Option<String>,
    /// Only check.
    #[arg(long)]
    dry_run: bool,
}

pub(crate) async fn run(common: &Common, args: Args) -> Result<ExitCode, CliFailure> {
    let client = Client::new(common)?;
    let set = super::pairs(&args.set)?;
    for file in &args.file {
        let body = serde_json::json!({
            "file": file.display().to_string(),
            "text": super::read_text(file)?,
            "org": client.org(),
            "project": client.project(),
            "kind": args.kind,
            "set": set,
            "dryRun": args.dry_run,
        });
        let answer = client.post("apply", &body).await?;
        if common.output != Format::Table {
            output::value(common.output, &answer);
            continue;
        }
        if let Ok(diagnostics) = serde_json::from_value::<Diagnostics>(answer["diagnostics"].clone()) {
            for diagnostic in &diagnostics {
                output::line(diagnostic.to_string());
            }
        }
        for saved in answer["saved"].as_array().into_iter().flatten() {
            let [kind, id, change] = ["/kind", "/identifier", "/change"].map(|pointer| output::cell(saved, pointer));
            let dry = if args.dry_run { " (not saved: --dry-run)" } else { "" };
            output::line(format!("{kind}/{id} {change}{dry}"));
        }
    }
    Ok(ExitCode::SUCCESS)
}
