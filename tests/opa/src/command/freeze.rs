use serde_json::json;
use std::path::PathBuf;
use std::process::ExitCode;
use windlass_test_opa::{Answer, Compared, Error, Opa, functions, policies};

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The file of the sample.
    #[arg(long, default_value = "crates/core/policy/tests/opa.jsonl")]
    into: PathBuf,
    /// Inputs for each shipped policy.
    #[arg(long, default_value_t = 30)]
    inputs: usize,
    /// Calls of functions.
    #[arg(long, default_value_t = 500)]
    calls: usize,
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// Writes what OPA answered, one line for each question. What differs, by a rule or without, is left out.
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Error> {
    let mut opa = Opa::start(&super::build()?)?;
    let mut lines = String::new();
    let mut add = |one: &Compared, what: &str, name: &str| {
        // To the letter: the test that reads this does not know that 1.0 is 1.
        if one.opa == one.ours {
            let value = if let Answer::Value(value) = &one.opa { Some(value) } else { None };
            let (input, now) = (&one.question.input, one.question.now);
            lines += &format!("{}\n", json!({what: name, "input": input, "now": now, "value": value}));
        }
    };
    for one in policies(&mut opa, arguments.inputs, arguments.seed)? {
        add(&one, "policy", one.name.rsplit('/').next().unwrap_or_default());
    }
    for one in functions(&mut opa, arguments.calls, arguments.seed)? {
        add(&one, "call", one.expression());
    }
    std::fs::write(&arguments.into, &lines).map_err(|source| Error::File { path: arguments.into.clone(), source })?;
    println!("{} answers in {}", lines.lines().count(), arguments.into.display());
    Ok(ExitCode::SUCCESS)
}
