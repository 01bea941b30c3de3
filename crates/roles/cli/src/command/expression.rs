use crate::Common;
use crate::failure::CliFailure;
use crate::output::{self, Format};
use std::path::PathBuf;
use std::process::ExitCode;
use windlass_expression::{Condition, Evaluator, Template, Tree, Value};
use windlass_yaml::{NumberStyle, Options};

#[derive(Debug, clap::Subcommand)]
pub(crate) enum Verb {
    /// Evaluate a text with expressions in it: `'<+pipeline.variables.env>-<+trigger.payload.tag>'`.
    Eval(Args),
}

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[arg(value_name = "EXPR")]
    text: String,
    /// A file with what expressions see, as JSON or YAML: `pipeline: {variables: {env: int}}`.
    #[arg(long, value_name = "FILE")]
    context: Option<PathBuf>,
    /// Read it as a condition: the result is true or false.
    #[arg(long)]
    condition: bool,
    /// Show what every part saw.
    #[arg(long)]
    explain: bool,
}

pub(crate) fn run(common: &Common, verb: Verb) -> Result<ExitCode, CliFailure> {
    let Verb::Eval(args) = verb;
    let tree = match &args.context {
        None => serde_json::Value::Object(serde_json::Map::new()),
        Some(path) => {
            let text = super::read_text(path)?;
            let read = windlass_yaml::parse_one(path.display().to_string(), &text, &Options::DOCUMENT);
            let problems = |found| CliFailure::failed("the context cannot be read").problems(found);
            read.map_err(problems)?.root.to_json(NumberStyle::KeepText)
        }
    };
    // What comes from outside is data: expressions in it are not evaluated (pipelines §3.3).
    let tree = Tree::new(tree).outside("trigger.payload").outside("trigger.headers");
    let evaluator = Evaluator::new(&tree, windlass_clock::Clock::system().now().to_jiff());
    let explanation = if args.condition {
        evaluator.explain_condition(&Condition::parse(&args.text))
    } else {
        evaluator.explain(&Template::parse(&args.text))
    };
    let failed = explanation.result.is_err();
    match (common.output, &explanation.result) {
        (Format::Json | Format::Yaml, _) => {
            output::value(common.output, &serde_json::to_value(&explanation).unwrap_or_default());
        }
        (Format::Table, _) if args.explain => output::line(explanation.to_string()),
        (Format::Table, Ok(value)) => output::line(match value {
            Value::String(text) => text.to_string(),
            other => other.to_shown_json().to_string(),
        }),
        (Format::Table, Err(error)) => {
            return Err(CliFailure::failed(error.to_string()).hint("--explain shows what each part saw"));
        }
    }
    Ok(if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}
