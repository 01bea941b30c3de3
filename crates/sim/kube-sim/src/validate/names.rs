//! The forms of names, labels and keys, with the words the API uses when one is wrong.

const SUBDOMAIN: &str = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const LABEL: &str = "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const LABEL_1035: &str = "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
const QUALIFIED: &str = "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const LABEL_VALUE: &str = "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
const CONFIG_KEY: &str = "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";

pub(crate) const PORT_RANGE: &str = "must be between 1 and 65535, inclusive";
pub(crate) const PERCENT: &str = "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')";

fn too_long(max: usize) -> String {
    format!("must be no more than {max} bytes")
}

fn is_label(text: &str) -> bool {
    let alphanumeric = |c: u8| c.is_ascii_lowercase() || c.is_ascii_digit();
    let bytes = text.as_bytes();
    matches!((bytes.first(), bytes.last()), (Some(&a), Some(&b)) if alphanumeric(a) && alphanumeric(b))
        && bytes.iter().all(|&c| alphanumeric(c) || c == b'-')
}

/// What is wrong with a name of several labels (most kinds).
pub(crate) fn subdomain(name: &str) -> Vec<String> {
    let mut out = Vec::new();
    if name.len() > 253 {
        out.push(too_long(253));
    }
    if !name.split('.').all(is_label) {
        out.push(SUBDOMAIN.to_owned());
    }
    out
}

/// What is wrong with a single label (namespaces, ports).
pub(crate) fn label(name: &str) -> Vec<String> {
    let mut out = Vec::new();
    if name.len() > 63 {
        out.push(too_long(63));
    }
    if !is_label(name) {
        out.push(LABEL.to_owned());
    }
    out
}

/// What is wrong with a label that starts with a letter (services).
pub(crate) fn label_1035(name: &str) -> Vec<String> {
    let mut out = Vec::new();
    if name.len() > 63 {
        out.push(too_long(63));
    }
    if !is_label(name) || !name.starts_with(|c: char| c.is_ascii_lowercase()) {
        out.push(LABEL_1035.to_owned());
    }
    out
}

/// What is wrong with a name that is part of a path (RBAC).
pub(crate) fn path_segment(name: &str) -> Vec<String> {
    let mut out = Vec::new();
    if name == "." || name == ".." {
        out.push(format!("may not be '{name}'"));
    }
    for bad in ["/", "%"] {
        if name.contains(bad) {
            out.push(format!("may not contain '{bad}'"));
        }
    }
    out
}

fn is_qualified_part(text: &str) -> bool {
    let bytes = text.as_bytes();
    matches!((bytes.first(), bytes.last()), (Some(a), Some(b)) if a.is_ascii_alphanumeric() && b.is_ascii_alphanumeric())
        && bytes.iter().all(|c| c.is_ascii_alphanumeric() || matches!(c, b'-' | b'_' | b'.'))
}

/// What is wrong with a key of labels, annotations or taints.
pub(crate) fn qualified_name(key: &str) -> Vec<String> {
    let mut out = Vec::new();
    let parts: Vec<&str> = key.split('/').collect();
    let name = match parts.as_slice() {
        [name] => name,
        [prefix, name] => {
            if prefix.is_empty() {
                out.push("prefix part must be non-empty".to_owned());
            } else {
                out.extend(subdomain(prefix).into_iter().map(|e| format!("prefix part {e}")));
            }
            name
        }
        _ => {
            let with_prefix = QUALIFIED.replacen("must consist", "a qualified name must consist", 1);
            return vec![format!(
                "{with_prefix} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
            )];
        }
    };
    if name.is_empty() {
        out.push("name part must be non-empty".to_owned());
    } else if name.len() > 63 {
        out.push(format!("name part {}", too_long(63)));
    }
    if !is_qualified_part(name) {
        out.push(format!("name part {QUALIFIED}"));
    }
    out
}

/// What is wrong with the value of a label.
pub(crate) fn label_value(value: &str) -> Vec<String> {
    let mut out = Vec::new();
    if value.len() > 63 {
        out.push(too_long(63));
    }
    if !value.is_empty() && !is_qualified_part(value) {
        out.push(LABEL_VALUE.to_owned());
    }
    out
}

/// What is wrong with a key of a ConfigMap or Secret.
pub(crate) fn config_key(key: &str) -> Vec<String> {
    let mut out = Vec::new();
    if key.len() > 253 {
        out.push(too_long(253));
    }
    if key.is_empty() || !key.bytes().all(|c| c.is_ascii_alphanumeric() || matches!(c, b'-' | b'_' | b'.')) {
        out.push(CONFIG_KEY.to_owned());
    }
    if key == "." || key == ".." {
        out.push(format!("must not be '{key}'"));
    } else if key.starts_with("..") {
        out.push("must not start with '..'".to_owned());
    }
    out
}

/// What is wrong with the name of a port.
pub(crate) fn port_name(name: &str) -> Vec<String> {
    let mut out = Vec::new();
    if name.len() > 15 {
        out.push("must be no more than 15 characters".to_owned());
    }
    if !name.bytes().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == b'-') {
        out.push("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)".to_owned());
    }
    if !name.bytes().any(|c| c.is_ascii_lowercase()) {
        out.push("must contain at least one letter (a-z)".to_owned());
    }
    if name.contains("--") {
        out.push("must not contain consecutive hyphens".to_owned());
    }
    if name.starts_with('-') || name.ends_with('-') {
        out.push("must not begin or end with a hyphen".to_owned());
    }
    out
}

/// What is wrong with the name of an environment variable.
pub(crate) fn variable(name: &str) -> Vec<String> {
    if name.bytes().all(|c| (0x20..0x7f).contains(&c) && c != b'=') {
        return Vec::new();
    }
    vec!["a valid environment variable name must consist only of printable ASCII characters other than '='".to_owned()]
}

/// The number before the percent sign.
pub(crate) fn percent(text: &str) -> Option<i64> {
    let digits = text.strip_suffix('%')?;
    if digits.is_empty() || !digits.bytes().all(|c| c.is_ascii_digit()) {
        return None;
    }
    digits.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn good_and_bad_names() {
        for name in ["a", "a-b", "a.b.c", "9x", &"a".repeat(253)] {
            assert_eq!(subdomain(name), Vec::<String>::new(), "{name}");
        }
        for name in ["", "A", "-a", "a-", "a..b", "a_b", &"a".repeat(254)] {
            assert!(!subdomain(name).is_empty(), "{name}");
        }
        assert!(label_1035("9x")[0].starts_with("a DNS-1035 label"));
        assert!(qualified_name("a b")[0].starts_with("name part must consist"));
        assert!(qualified_name("x.y/z").is_empty() && !qualified_name("/z").is_empty());
        assert!(label_value("").is_empty() && !label_value("-").is_empty());
        assert!(config_key("a.b-C_9").is_empty() && !config_key("a/b").is_empty());
    }
}
