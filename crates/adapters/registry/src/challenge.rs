//! `WWW-Authenticate`: how a registry wants to be signed in to.

/// The first scheme of a header that we know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Challenge {
    Basic,
    /// A token from `realm`.
    Bearer {
        realm: String,
        service: Option<String>,
        scope: Option<String>,
    },
}

/// Reads a header such as `Bearer realm="https://auth.example/token",service="registry.example"`.
pub fn parse(header: &str) -> Option<Challenge> {
    let (scheme, rest) = header.trim().split_once([' ', '\t']).unwrap_or((header.trim(), ""));
    if scheme.eq_ignore_ascii_case("basic") {
        return Some(Challenge::Basic);
    }
    if !scheme.eq_ignore_ascii_case("bearer") {
        return None;
    }
    let parameters = parameters(rest);
    let find = |name: &str| parameters.iter().find(|(key, _)| key == name).map(|(_, value)| value.clone());
    Some(Challenge::Bearer { realm: find("realm")?, service: find("service"), scope: find("scope") })
}

/// `a="b", c=d` with escapes in quotes; what is not understood ends the list.
fn parameters(text: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some((name, after)) = rest.split_once('=') {
        let name = name.trim_matches([' ', '\t', ',']).to_ascii_lowercase();
        let (value, after) = match after.strip_prefix('"') {
            Some(quoted) => {
                let mut value = String::new();
                let mut end = quoted.len();
                let mut characters = quoted.char_indices();
                while let Some((at, c)) = characters.next() {
                    match c {
                        '"' => {
                            end = at + 1;
                            break;
                        }
                        '\\' => value.extend(characters.next().map(|(_, c)| c)),
                        _ => value.push(c),
                    }
                }
                (value, &quoted[end..])
            }
            None => {
                let end = after.find(',').unwrap_or(after.len());
                (after[..end].trim().to_owned(), &after[end..])
            }
        };
        found.push((name, value));
        rest = after;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{Challenge, parse};

    #[test]
    fn challenges_are_read() {
        let bearer = |realm: &str, service: Option<&str>| {
            Some(Challenge::Bearer { realm: realm.into(), service: service.map(str::to_owned), scope: None })
        };
        for (header, wanted) in [
            ("Basic realm=\"x\"", Some(Challenge::Basic)),
            ("basic", Some(Challenge::Basic)),
            (
                "Bearer realm=\"https://auth.example/token\",service=\"registry.example\"",
                bearer("https://auth.example/token", Some("registry.example")),
            ),
            ("bearer  Service=plain , realm=\"a\\\"b,c\"", bearer("a\"b,c", Some("plain"))),
            ("Bearer realm=\"never closed", bearer("never closed", None)),
            ("Bearer service=\"no realm\"", None),
            ("Negotiate", None),
            ("", None),
        ] {
            assert_eq!(parse(header), wanted, "{header}");
        }
    }
}
