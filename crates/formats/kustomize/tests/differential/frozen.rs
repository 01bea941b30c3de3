//! Kustomizations with the reference's answers, for the test that runs without it.

use crate::Compared;
use std::path::Path;

/// Longer ones teach no more.
const LONGEST: usize = 8_000;

/// One JSON object in a line: the seed, the files, and the text or that there was none.
pub(crate) fn write(path: &Path, all: &[Compared]) {
    let mut out = String::new();
    for compared in all {
        let Ok(files) = compared
            .files
            .iter()
            .map(|(path, content)| Ok((path.clone(), serde_json::Value::from(std::str::from_utf8(content)?))))
            .collect::<Result<serde_json::Map<_, _>, std::str::Utf8Error>>()
        else {
            continue;
        };
        let answer = compared.theirs.as_ref().ok();
        let line = serde_json::json!({ "seed": compared.seed, "files": files, "text": answer });
        let line = line.to_string();
        if line.len() <= LONGEST {
            out.push_str(&line);
            out.push('\n');
        }
    }
    std::fs::write(path, out).expect("the frozen sample is written");
}
