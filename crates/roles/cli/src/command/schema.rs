use crate::Common;
use crate::failure::CliFailure;
use crate::output::{self, Format};
use std::path::PathBuf;
use std::process::ExitCode;
use windlass_document::Kind;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// `pipeline`, `service`, …
    #[arg(required_unless_present = "out")]
    kind: Option<String>,
    /// Write the schemas of all kinds into this folder, one file each.
    #[arg(long, value_name = "DIR", conflicts_with = "kind")]
    out: Option<PathBuf>,
}

pub(crate) fn run(_: &Common, args: Args) -> Result<ExitCode, CliFailure> {
    if let Some(folder) = args.out {
        let failed = |path: &std::path::Path, error: std::io::Error| {
            CliFailure::failed(format!("cannot write {}: {error}", path.display()))
        };
        std::fs::create_dir_all(&folder).map_err(|error| failed(&folder, error))?;
        for kind in Kind::all() {
            let path = folder.join(format!("{}.schema.json", kind.noun()));
            let text = serde_json::to_string_pretty(&windlass_document::schema(kind)).unwrap_or_default();
            std::fs::write(&path, text + "\n").map_err(|error| failed(&path, error))?;
            output::line(path.display().to_string());
        }
        return Ok(ExitCode::SUCCESS);
    }
    let word = args.kind.unwrap_or_default();
    let Some(kind) = Kind::parse(&word) else {
        let known: Vec<&str> = Kind::all().map(Kind::noun).collect();
        let near = windlass_diagnostic::nearest(&word, known.iter().copied());
        let hint =
            near.map_or_else(|| format!("there are {}", known.join(", ")), |near| format!("did you mean `{near}`?"));
        return Err(CliFailure::usage(format!("there is no kind `{word}`")).hint(hint));
    };
    output::value(Format::Json, &windlass_document::schema(kind));
    Ok(ExitCode::SUCCESS)
}
