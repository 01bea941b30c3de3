//! The part of JSONPath that printer columns use: names, indexes, `[*]` and `[?(@.a=="b")]`.

use serde_json::Value;

/// Everything at `path`, which may begin with a dot. A path that is not understood finds nothing.
pub(super) fn find<'a>(value: &'a Value, path: &str) -> Vec<&'a Value> {
    let mut here = vec![value];
    let mut rest = path.trim().trim_start_matches('{').trim_end_matches('}').trim_start_matches('$');
    while !rest.is_empty() {
        let (step, after) = match rest.as_bytes()[0] {
            b'.' => {
                let body = &rest[1..];
                let end = body.find(['.', '[']).unwrap_or(body.len());
                (Step::Name(body[..end].to_owned()), &body[end..])
            }
            b'[' => {
                let Some(end) = closing(rest) else { return Vec::new() };
                let Some(step) = bracket(&rest[1..end]) else { return Vec::new() };
                (step, &rest[end + 1..])
            }
            _ => {
                let end = rest.find(['.', '[']).unwrap_or(rest.len());
                (Step::Name(rest[..end].to_owned()), &rest[end..])
            }
        };
        here = here.into_iter().flat_map(|v| step.apply(v)).collect();
        rest = after;
    }
    here
}

enum Step {
    Name(String),
    Index(i64),
    All,
    /// Items whose field has this value.
    Where(String, Value),
}

impl Step {
    fn apply<'a>(&self, value: &'a Value) -> Vec<&'a Value> {
        match (self, value) {
            (Step::Name(name), _) if name.is_empty() => vec![value],
            (Step::Name(name), Value::Object(map)) => map.get(name).into_iter().collect(),
            (Step::Index(i), Value::Array(items)) => {
                let at = if *i < 0 { i64::try_from(items.len()).unwrap_or(0) + i } else { *i };
                usize::try_from(at).ok().and_then(|at| items.get(at)).into_iter().collect()
            }
            (Step::All, Value::Array(items)) => items.iter().collect(),
            (Step::All, Value::Object(map)) => map.values().collect(),
            (Step::Where(path, wanted), Value::Array(items)) => {
                items.iter().filter(|item| find(item, path).first() == Some(&wanted)).collect()
            }
            _ => Vec::new(),
        }
    }
}

/// The place of the bracket that closes the first one, quotes respected.
fn closing(text: &str) -> Option<usize> {
    let (mut depth, mut quote) = (0, None);
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (Some(q), _) if c == q => quote = None,
            (Some(_), _) => {}
            (None, '\'' | '"') => quote = Some(c),
            (None, '[') => depth += 1,
            (None, ']') => {
                depth -= 1;
                if depth == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
    }
    None
}

fn bracket(text: &str) -> Option<Step> {
    let text = text.trim();
    if text == "*" {
        return Some(Step::All);
    }
    if let Ok(index) = text.parse() {
        return Some(Step::Index(index));
    }
    if let Some(name) = unquote(text) {
        return Some(Step::Name(name));
    }
    let condition = text.strip_prefix("?(")?.strip_suffix(')')?;
    let (path, wanted) = condition.split_once("==")?;
    let wanted = wanted.trim();
    let wanted = match unquote(wanted) {
        Some(text) => Value::from(text),
        None => serde_json::from_str(wanted).ok()?,
    };
    Some(Step::Where(path.trim().strip_prefix('@')?.to_owned(), wanted))
}

fn unquote(text: &str) -> Option<String> {
    let inner = |q: char| text.strip_prefix(q)?.strip_suffix(q);
    inner('\'').or_else(|| inner('"')).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn columns_find_their_values() {
        let object = json!({"spec": {"size": 3, "a.b": 1}, "status": {"conditions": [
            {"type": "Ready", "status": "True"}, {"type": "Synced", "status": "False"}]}});
        for (path, found) in [
            (".spec.size", json!([3])),
            (".spec['a.b']", json!([1])),
            (".status.conditions[?(@.type==\"Ready\")].status", json!(["True"])),
            (".status.conditions[?(@.type=='Synced')].status", json!(["False"])),
            (".status.conditions[*].type", json!(["Ready", "Synced"])),
            (".status.conditions[-1].type", json!(["Synced"])),
            (".nothing.here", json!([])),
            (".spec[", json!([])),
        ] {
            assert_eq!(json!(find(&object, path)), found, "{path}");
        }
    }
}
