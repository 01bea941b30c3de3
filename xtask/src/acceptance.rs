//! docs/acceptance.md: what the specifications demand, and the tests that prove it. Each test must be there.

use std::collections::BTreeMap;
use std::path::Path;

const TABLE: &str = "docs/acceptance.md";

/// How many tests the tables name, or those that are gone.
pub(crate) fn check(root: &Path) -> Result<usize, Vec<String>> {
    let text = std::fs::read_to_string(root.join(TABLE)).map_err(|e| vec![format!("cannot read {TABLE}: {e}")])?;
    let (named, mut problems) = named(&text);
    let mut files: BTreeMap<&str, Option<String>> = BTreeMap::new();
    for test in &named {
        let source = files.entry(test.file).or_insert_with(|| std::fs::read_to_string(root.join(test.file)).ok());
        match source {
            None => problems.push(format!("{TABLE}:{}: there is no file {}", test.line, test.file)),
            Some(source) if !is_test(source, test.name) => {
                problems.push(format!("{TABLE}:{}: {} has no test `{}`", test.line, test.file, test.name));
            }
            Some(_) => {}
        }
    }
    if problems.is_empty() { Ok(named.len()) } else { Err(problems) }
}

#[derive(Debug, PartialEq, Eq)]
struct Named<'t> {
    line: usize,
    file: &'t str,
    name: &'t str,
}

/// The tests of all rows, each written `path/to/file.rs::name`, and the rows that name none.
fn named(text: &str) -> (Vec<Named<'_>>, Vec<String>) {
    let (mut tests, mut problems) = (Vec::new(), Vec::new());
    for (number, line) in text.lines().enumerate() {
        let is_row = line.starts_with('|') && !line.starts_with("|-") && !line.starts_with("| ---");
        // The headline of a table says what its second column is.
        if !is_row || line.contains("| Test |") {
            continue;
        }
        let spans = line.split('`').skip(1).step_by(2);
        let found: Vec<_> = spans
            .filter_map(|span| span.split_once(".rs::").map(|(file, name)| (&span[..file.len() + 3], name)))
            .map(|(file, name)| Named { line: number + 1, file, name })
            .collect();
        if found.is_empty() {
            problems.push(format!("{TABLE}:{}: the row names no test", number + 1));
        }
        tests.extend(found);
    }
    if tests.is_empty() && problems.is_empty() {
        problems.push(format!("{TABLE} names no test"));
    }
    (tests, problems)
}

/// Whether a source holds a test of this name: a function below an attribute of a test, or one of a `proptest!` block.
fn is_test(source: &str, name: &str) -> bool {
    let wanted = format!("fn {name}(");
    let mut attributes = String::new();
    for line in source.lines().map(str::trim) {
        if line.starts_with("#[") {
            attributes.push_str(line);
        } else if line.starts_with("//") || line.is_empty() {
            // Comments may stand between an attribute and its function.
        } else {
            let bare = line.trim_start_matches("pub ").trim_start_matches("async ");
            if bare.starts_with(&wanted) {
                return attributes.contains("test");
            }
            attributes.clear();
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::{Named, is_test, named};

    #[test]
    fn rows_name_tests() {
        let text = "text `x.rs::not_a_row`\n\n| Rule | Test |\n|---|---|\n| a | `a/b.rs::one`, `a/b.rs::two` |\n";
        let (tests, problems) = named(text);
        assert_eq!(problems, [""; 0]);
        let at = |name| Named { line: 5, file: "a/b.rs", name };
        assert_eq!(tests, [at("one"), at("two")]);
        let (_, problems) = named("| Rule | Test |\n|---|---|\n| a | later |\n");
        assert_eq!(problems, ["docs/acceptance.md:3: the row names no test"]);
        assert_eq!(named("nothing").1, ["docs/acceptance.md names no test"]);
    }

    #[test]
    fn a_test_is_a_function_that_is_run() {
        let source =
            "#[test]\n/// Why.\nfn one() {}\nfn helper() {}\nproptest! {\n    #[test]\n    fn law(a in 0..9) {}\n}\n";
        for (name, wanted) in [("one", true), ("helper", false), ("law", true), ("on", false)] {
            assert_eq!(is_test(source, name), wanted, "{name}");
        }
    }
}
