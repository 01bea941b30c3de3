//! Reads the documents of a file and prints them as the writer does: `cargo run --release --example rewrite -- FILE`.

use std::io::Write;
use std::process::ExitCode;
use windlass_yaml::{NumberStyle, Options, parse, to_yaml_documents};

fn main() -> ExitCode {
    let file = std::env::args().nth(1).unwrap_or_default();
    let complain = |why: &dyn std::fmt::Display| {
        let _ = writeln!(std::io::stderr(), "{file}: {why}");
        ExitCode::FAILURE
    };
    let text = match std::fs::read_to_string(&file) {
        Ok(text) => text,
        Err(error) => return complain(&error),
    };
    let documents = match parse(file.as_str(), &text, &Options::OBJECTS) {
        Ok(documents) => documents,
        Err(problems) => return complain(&problems),
    };
    let values: Vec<_> = documents.iter().map(|document| document.root.to_json(NumberStyle::Typed)).collect();
    let written = std::io::stdout().write_all(to_yaml_documents(&values).as_bytes());
    if written.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
