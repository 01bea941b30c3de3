//! Results for people and for programs.

use serde_json::Value;

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Format {
    Table,
    Json,
    Yaml,
}

/// Writes a line to standard output. A reader that went away ends the program quietly.
#[allow(clippy::print_stdout)]
pub(crate) fn line(text: impl AsRef<str>) {
    use std::io::Write as _;
    if writeln!(std::io::stdout().lock(), "{}", text.as_ref()).is_err() {
        std::process::exit(0);
    }
}

/// A value as JSON or YAML.
pub(crate) fn value(format: Format, value: &Value) {
    match format {
        // JSON is YAML: programs that asked for YAML read it, people rarely ask for it here.
        Format::Json | Format::Yaml | Format::Table => line(serde_json::to_string_pretty(value).unwrap_or_default()),
    }
}

/// A table: columns as wide as their widest cell.
pub(crate) fn table(head: &[&str], rows: &[Vec<String>]) {
    let mut widths: Vec<usize> = head.iter().map(|h| h.chars().count()).collect();
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let print = |cells: Vec<&str>| {
        let last = cells.len().saturating_sub(1);
        let mut text = String::new();
        for (i, cell) in cells.into_iter().enumerate() {
            text.push_str(cell);
            if i < last {
                let pad = widths[i].saturating_sub(cell.chars().count()) + 2;
                text.extend(std::iter::repeat_n(' ', pad));
            }
        }
        line(text.trim_end());
    };
    print(head.to_vec());
    for row in rows {
        print(row.iter().map(String::as_str).collect());
    }
}

/// What was found on the way, one line each.
pub(crate) fn warnings(found: &Value) {
    if let Ok(found) = serde_json::from_value::<windlass_diagnostic::Diagnostics>(found.clone()) {
        for warning in &found {
            line(format!("  {warning}"));
        }
    }
}

/// Rows of an answer: a table of these columns, each with its pointer, or the rows themselves for programs.
pub(crate) fn rows(format: Format, columns: &[(&str, &str)], items: &[Value]) {
    if format != Format::Table {
        return value(format, &Value::from(items));
    }
    let head: Vec<&str> = columns.iter().map(|(name, _)| *name).collect();
    let cells = |row: &Value| columns.iter().map(|(_, pointer)| short(row, pointer)).collect();
    table(&head, &items.iter().map(cells).collect::<Vec<Vec<String>>>());
}

/// A text below `pointer`, or a dash.
pub(crate) fn cell(row: &Value, pointer: &str) -> String {
    match row.pointer(pointer) {
        None | Some(Value::Null) => "-".to_owned(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    }
}

/// A cell for a table: lists joined, times in UTC.
pub(crate) fn short(row: &Value, pointer: &str) -> String {
    match row.pointer(pointer) {
        Some(Value::Array(items)) => {
            items.iter().map(|i| i.as_str().map_or_else(|| i.to_string(), str::to_owned)).collect::<Vec<_>>().join(",")
        }
        // A scope, as people write it.
        Some(Value::Object(scope)) if pointer.ends_with("scope") || pointer.ends_with("origin") => {
            let part = |name: &str| scope.get(name).and_then(Value::as_str);
            match (part("org"), part("project")) {
                (Some(org), Some(project)) => format!("{org}/{project}"),
                (Some(org), None) => org.to_owned(),
                _ => "account".to_owned(),
            }
        }
        Some(Value::Number(micros)) if pointer.ends_with("At") || pointer.ends_with("/at") => {
            micros.as_i64().map_or_else(|| "-".to_owned(), |m| windlass_model::Timestamp::from_micros(m).to_string())
        }
        _ => cell(row, pointer),
    }
}
