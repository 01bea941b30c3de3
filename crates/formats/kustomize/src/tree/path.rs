//! Paths to fields.

/// The steps of a path. `\` before the delimiter makes it part of a step; one delimiter at the start means nothing.
pub(crate) fn split_path(path: &str, delimiter: char) -> Vec<String> {
    let mut parts: Vec<&str> = path.split(delimiter).collect();
    if parts.len() > 1 && parts[0].is_empty() {
        parts.remove(0);
    }
    if !path.contains('\\') {
        return parts.into_iter().map(str::to_owned).collect();
    }
    let mut out: Vec<String> = Vec::with_capacity(parts.len());
    for part in parts {
        match out.last_mut() {
            Some(last) if last.ends_with('\\') => {
                last.pop();
                last.push(delimiter);
                last.push_str(part);
            }
            _ => out.push(part.to_owned()),
        }
    }
    out
}

/// The steps of a path in which `[name=a.b]` and `[key.with.dots]` are one step.
pub(crate) fn split_smart(path: &str) -> Vec<String> {
    let mut out = Vec::new();
    let mut parts = split_path(path, '.').into_iter().peekable();
    while let Some(part) = parts.next() {
        if !part.starts_with('[') || part.ends_with(']') {
            out.push(part);
            continue;
        }
        let mut bracketed = part;
        for next in parts.by_ref() {
            bracketed.push('.');
            bracketed.push_str(&next);
            if next.ends_with(']') {
                break;
            }
        }
        if bracketed.contains('=') {
            out.push(bracketed);
        } else {
            out.push(bracketed.trim_matches(['[', ']']).to_owned());
        }
    }
    out
}

/// Whether a step means elements of a list: `[name=value]`.
pub(crate) fn is_index(step: &str) -> bool {
    step.len() >= 2 && step.starts_with('[') && step.ends_with(']')
}

/// `[name=value]` is `name` and `value`; `[=value]` has no name.
pub(crate) fn split_index(step: &str) -> Option<(&str, &str)> {
    let inner = step.strip_suffix(']').unwrap_or(step);
    inner.strip_prefix('[').unwrap_or(inner).split_once('=')
}

#[cfg(test)]
mod tests {
    use super::{split_path, split_smart};

    #[test]
    fn steps() {
        assert_eq!(split_path("a/b[]/c", '/'), ["a", "b[]", "c"]);
        assert_eq!(split_path(r"/a/b\/c/d\/e", '/'), ["a", "b/c", "d/e"]);
        assert_eq!(split_path("", '/'), [""]);
        assert_eq!(split_smart("spec.[name=a.b.].x"), ["spec", "[name=a.b.]", "x"]);
        assert_eq!(split_smart("m.[a.b/c.d]"), ["m", "a.b/c.d"]);
        assert_eq!(split_smart("m.[name=a.[b.c"), ["m", "[name=a.[b.c"]);
        assert_eq!(split_smart(r"a\.b"), ["a.b"]);
    }
}
