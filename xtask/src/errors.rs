//! Error codes of the source against their pages in `docs/errors`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

const FOLDER: &str = "docs/errors";
const INDEX: &str = "README.md";

/// What the codes with this prefix are about, in the order of the index.
const FAMILIES: &[(&str, &str)] = &[
    ("YAML", "Reading YAML"),
    ("DOC", "Documents"),
    ("SEED", "Pipelines: what is tolerated although the vendor's format says otherwise"),
    ("EXPR", "Expressions"),
    ("INPUT", "Runtime inputs"),
    ("START", "Starting a run"),
    ("RUN", "Runs"),
    ("STEP", "Steps"),
    ("APR", "Approvals"),
    ("TRG", "Triggers and webhooks"),
    ("POL", "Policies"),
    ("OBJ", "Kubernetes objects"),
    ("KUST", "Kustomize"),
    ("TPL", "Go templates"),
    ("REN", "Rendering"),
    ("API", "The HTTP API"),
    ("ACL", "Roles, resource groups, assignments"),
    ("SET", "Settings"),
    ("USR", "Users"),
    ("KEY", "API keys"),
    ("SEC", "Secrets"),
    ("CON", "Connectors"),
    ("DLG", "Delegates"),
    ("AUD", "The audit trail"),
    ("STO", "The database"),
];

/// Sections that every page has.
const SECTIONS: &[&str] = &["```text", "## Why", "## What to do"];

/// How many codes there are, or everything that is wrong.
pub(crate) fn check(root: &Path) -> Result<usize, Vec<String>> {
    let codes = codes_of_source(root);
    let (pages, mut problems) = pages(root);
    for (code, file) in &codes {
        if !pages.contains_key(code) {
            problems.push(format!("{code} ({}) has no page: write {FOLDER}/{code}.md", file.display()));
        }
    }
    for code in pages.keys().filter(|code| !codes.contains_key(*code)) {
        problems.push(format!("{FOLDER}/{code}.md: nothing in the source has this code"));
    }
    problems.extend(pages.keys().filter(|code| family(code).is_none()).map(|code| format!("{code} is of no family")));
    let written = std::fs::read_to_string(root.join(FOLDER).join(INDEX)).unwrap_or_default();
    if written != index(&pages) {
        problems.push(format!("{FOLDER}/{INDEX} is not up to date: run `cargo xtask errors`"));
    }
    if problems.is_empty() { Ok(codes.len()) } else { Err(problems) }
}

/// Writes the index from the titles of the pages.
pub(crate) fn write_index(root: &Path) -> std::io::Result<()> {
    std::fs::write(root.join(FOLDER).join(INDEX), index(&pages(root).0))
}

/// Every code, with the first file that holds it.
fn codes_of_source(root: &Path) -> BTreeMap<String, PathBuf> {
    let mut codes = BTreeMap::new();
    let rooms = folders(&root.join("crates")).into_iter().flat_map(|floor| folders(&floor));
    for file in rooms.flat_map(|room| rust_files(&room.join("src"))) {
        let text = std::fs::read_to_string(&file).unwrap_or_default();
        let known = file.strip_prefix(root).unwrap_or(&file);
        for code in codes_of(&text) {
            codes.entry(code).or_insert_with(|| known.to_owned());
        }
    }
    codes
}

/// Text literals that are a code and nothing else. What stands below `#[cfg(test)]` speaks of codes and makes none.
fn codes_of(text: &str) -> BTreeSet<String> {
    let text = text.split("#[cfg(test)]").next().unwrap_or_default();
    text.split('"').filter(|literal| is_code(literal)).map(str::to_owned).collect()
}

/// `YAML0003`, `SEED-12`; the standards of the internet are none.
fn is_code(text: &str) -> bool {
    let digits = text.trim_start_matches(|c: char| c.is_ascii_uppercase());
    let letters = text.len() - digits.len();
    let (digits, wanted) = match digits.strip_prefix('-') {
        Some(digits) if text.starts_with("SEED-") => (digits, 2),
        Some(_) => return false,
        None => (digits, 4),
    };
    (2..=6).contains(&letters)
        && !text.starts_with("RFC")
        && digits.len() == wanted
        && digits.bytes().all(|b| b.is_ascii_digit())
}

/// The titles of all pages, and what is wrong with them.
fn pages(root: &Path) -> (BTreeMap<String, String>, Vec<String>) {
    let (mut pages, mut problems) = (BTreeMap::new(), Vec::new());
    for entry in std::fs::read_dir(root.join(FOLDER)).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let Some(code) = name.strip_suffix(".md").filter(|_| name != INDEX) else { continue };
        let text = std::fs::read_to_string(entry.path()).unwrap_or_default();
        let title = text.lines().next().and_then(|line| line.strip_prefix(&format!("# {code}: ")));
        match title {
            Some(title) if is_code(code) => drop(pages.insert(code.to_owned(), title.to_owned())),
            _ => problems.push(format!("{FOLDER}/{name}: the first line must be `# {code}: what happened`")),
        }
        let missing = SECTIONS.iter().filter(|section| !text.lines().any(|line| line == **section));
        problems.extend(missing.map(|section| format!("{FOLDER}/{name}: `{section}` is missing")));
    }
    (pages, problems)
}

fn family(code: &str) -> Option<&'static str> {
    let prefix = code.trim_end_matches(|c: char| c.is_ascii_digit() || c == '-');
    FAMILIES.iter().find(|(known, _)| *known == prefix).map(|(known, _)| *known)
}

fn index(pages: &BTreeMap<String, String>) -> String {
    let mut out = String::from(
        "# Error codes\n\nEvery message of Windlass that a person may have to act upon has a code, and every code has a page: what \
         happened, why, and what to do.\n\nThis list is made by `cargo xtask errors` from the titles of the pages.\n",
    );
    for (prefix, about) in FAMILIES {
        let rows: Vec<_> = pages.iter().filter(|(code, _)| family(code) == Some(prefix)).collect();
        if rows.is_empty() {
            continue;
        }
        out.push_str(&format!("\n## {prefix}: {about}\n\n| code | what happened |\n|---|---|\n"));
        for (code, title) in rows {
            out.push_str(&format!("| [{code}]({code}.md) | {} |\n", title.replace('|', "\\|")));
        }
    }
    out
}

fn folders(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut found: Vec<PathBuf> = entries.filter(|path| path.is_dir()).collect();
    found.sort();
    found
}

/// Rust files of a folder, those of tests aside.
fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut files: Vec<PathBuf> = entries
        .filter(|path| path.is_file() && path.extension().is_some_and(|e| e == "rs"))
        .filter(|path| path.file_stem().is_some_and(|stem| stem != "tests"))
        .collect();
    files.sort();
    let inner = folders(folder).into_iter().filter(|path| path.file_name().is_some_and(|name| name != "tests"));
    files.extend(inner.flat_map(|path| rust_files(&path)));
    files
}

#[cfg(test)]
mod tests {
    use super::{codes_of, family, index, is_code};
    use std::collections::BTreeMap;

    #[test]
    fn codes_are_told_from_other_texts() {
        for code in ["YAML0003", "SEED-12", "API0500", "INPUT0001"] {
            assert!(is_code(code), "{code}");
            assert!(family(code).is_some(), "{code}");
        }
        for other in
            ["", "YAML", "yaml0003", "YAML003", "YAML00031", "SEED-123", "X-12", "A0001", "SHA-12", "2026", "RFC3339"]
        {
            assert!(!is_code(other), "{other}");
        }
    }

    #[test]
    fn tests_of_a_file_make_no_codes() {
        let text = "error(\"DOC0001\", \"see DOC0002\");\n#[cfg(test)]\nmod tests { \"DOC0003\" }";
        assert_eq!(codes_of(text).into_iter().collect::<Vec<_>>(), ["DOC0001"]);
    }

    #[test]
    fn the_index_is_in_the_order_of_families() {
        let pages = [("API0001", "not signed in"), ("YAML0002", "a | b"), ("YAML0001", "no YAML")];
        let pages: BTreeMap<String, String> = pages.map(|(code, title)| (code.to_owned(), title.to_owned())).into();
        let text = index(&pages);
        let rows: Vec<&str> = text.lines().filter(|line| line.starts_with("| [")).collect();
        assert_eq!(
            rows,
            [
                "| [YAML0001](YAML0001.md) | no YAML |",
                "| [YAML0002](YAML0002.md) | a \\| b |",
                "| [API0001](API0001.md) | not signed in |",
            ]
        );
    }
}
