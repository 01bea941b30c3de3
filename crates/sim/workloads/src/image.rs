//! Image references and patterns for them.

use fancy_regex::Regex;

/// An image reference in its parts. Nothing is added: `nginx` stays `nginx`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Image<'a> {
    /// Registry and path: `registry.example:5000/team/app`.
    pub repository: &'a str,
    /// `latest` when the reference has neither tag nor digest, empty when it has only a digest.
    pub tag: &'a str,
    /// `sha256:…`, or empty.
    pub digest: &'a str,
}

impl<'a> Image<'a> {
    pub fn parse(reference: &'a str) -> Self {
        let (rest, digest) = reference.split_once('@').unwrap_or((reference, ""));
        // A colon before the last slash belongs to the port of the registry.
        let name = rest.rfind('/').map_or(0, |slash| slash + 1);
        match rest[name..].rfind(':') {
            Some(colon) => Self { repository: &rest[..name + colon], tag: &rest[name + colon + 1..], digest },
            None => Self { repository: rest, tag: if digest.is_empty() { "latest" } else { "" }, digest },
        }
    }
}

/// A text pattern: a glob with `*` and `?`, or a regular expression between slashes. Both fit the whole text.
#[derive(Clone, Debug)]
pub enum Pattern {
    Glob(String),
    Regex(Regex),
}

/// Why a text is no pattern.
#[derive(Debug, thiserror::Error)]
#[error("`{text}` is not a regular expression: {reason}")]
pub struct PatternError {
    text: String,
    reason: String,
}

impl Pattern {
    pub fn parse(text: &str) -> Result<Self, PatternError> {
        match text.strip_prefix('/').and_then(|rest| rest.strip_suffix('/')) {
            Some(expression) => whole(expression)
                .map(Self::Regex)
                .map_err(|error| PatternError { text: expression.to_owned(), reason: error.to_string() }),
            None => Ok(Self::Glob(text.to_owned())),
        }
    }

    /// A regular expression that fits the same whole texts, for tools that know nothing else.
    pub fn expression(&self) -> String {
        match self {
            Self::Regex(regex) => regex.as_str().to_owned(),
            Self::Glob(glob) => {
                let part = |c: char| match c {
                    '*' => ".*".to_owned(),
                    '?' => ".".to_owned(),
                    c if c.is_alphanumeric() || "/_-".contains(c) => c.to_string(),
                    c => format!("\\{c}"),
                };
                format!("^(?:{})$", glob.chars().map(part).collect::<String>())
            }
        }
    }

    pub fn fits(&self, text: &str) -> bool {
        match self {
            Self::Glob(glob) => glob_fits(glob.as_bytes(), text.as_bytes()),
            // An expression that gives up after its limit of steps fits nothing.
            Self::Regex(regex) => regex.is_match(text).unwrap_or(false),
        }
    }
}

/// Compiles an expression that must fit a whole text, with a limit of steps.
pub(crate) fn whole(expression: &str) -> Result<Regex, Box<fancy_regex::Error>> {
    fancy_regex::RegexBuilder::new(&format!("^(?:{expression})$")).backtrack_limit(100_000).build().map_err(Box::new)
}

/// `*` stands for any text, `?` for one character. Linear but for one star that is tried again.
fn glob_fits(pattern: &[u8], text: &[u8]) -> bool {
    let (mut p, mut t) = (0, 0);
    let mut star = None;
    while t < text.len() {
        match pattern.get(p) {
            Some(b'*') => {
                star = Some((p, t));
                p += 1;
            }
            Some(byte) if *byte == b'?' || *byte == text[t] => (p, t) = (p + 1, t + 1),
            _ => match star {
                Some((at, taken)) => {
                    star = Some((at, taken + 1));
                    (p, t) = (at + 1, taken + 1);
                }
                None => return false,
            },
        }
    }
    pattern[p..].iter().all(|byte| *byte == b'*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_fall_into_their_parts() {
        for (text, repository, tag, digest) in [
            ("nginx", "nginx", "latest", ""),
            ("nginx:1.27", "nginx", "1.27", ""),
            ("reg.example:5000/team/app", "reg.example:5000/team/app", "latest", ""),
            ("reg.example:5000/team/app:v2.3.0", "reg.example:5000/team/app", "v2.3.0", ""),
            ("app@sha256:ab", "app", "", "sha256:ab"),
            ("app:v1@sha256:ab", "app", "v1", "sha256:ab"),
            ("", "", "latest", ""),
        ] {
            assert_eq!(Image::parse(text), Image { repository, tag, digest }, "{text}");
        }
    }

    #[test]
    fn patterns_fit_whole_texts() {
        for (pattern, text, fits) in [
            ("v2.3.*", "v2.3.1", true),
            ("v2.3.*", "xv2.3.1", false),
            ("*/payment-service", "registry.example/company/payment-service", true),
            ("payment-?", "payment-10", false),
            ("/v2\\.3\\.[12]/", "v2.3.2", true),
            ("/v2\\.3\\.[12]/", "v2.3.21", false),
            ("/a|b/", "ab", false),
            ("/(a+)+b/", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaac", false),
        ] {
            let pattern = Pattern::parse(pattern).unwrap();
            assert_eq!(pattern.fits(text), fits, "{pattern:?} {text}");
            let expression = Regex::new(&pattern.expression()).unwrap();
            assert_eq!(expression.is_match(text).unwrap_or(false), fits, "{expression} {text}");
        }
        assert!(Pattern::parse("/(/").is_err());
    }
}
