//! Patterns of file names: those of `.helmignore`, and those of `.Files.Glob`.

/// Whether a name matches a pattern; nothing when the pattern is badly written.
pub(crate) fn matches(pattern: &str, name: &str) -> Option<bool> {
    Pattern::new(pattern).map(|pattern| pattern.matches(name))
}

/// A pattern of Go's `filepath.Match`: `*` and `?` stop at a slash.
#[derive(Debug)]
pub(crate) struct Pattern(Vec<Token>);

impl Pattern {
    /// Nothing when it is badly written.
    pub(crate) fn new(pattern: &str) -> Option<Self> {
        tokens(pattern, &Grammar::PATH).map(Self)
    }

    pub(crate) fn matches(&self, name: &str) -> bool {
        run(&self.0, name)
    }
}

/// Patterns for `.Files.Glob`: `**` goes over slashes, `{a,b}` are alternatives. One that is badly written matches everything.
#[derive(Debug)]
pub(crate) struct Glob(Vec<Vec<Token>>);

/// So many alternatives come out of braces.
const MOST_ALTERNATIVES: usize = 256;

impl Glob {
    pub(crate) fn new(pattern: &str) -> Self {
        let everything = || vec![vec![Token::Everything]];
        let read = || {
            let all = alternatives(pattern)?;
            all.iter().map(|one| tokens(one, &Grammar::GLOB)).collect::<Option<Vec<_>>>()
        };
        Self(read().unwrap_or_else(everything))
    }

    pub(crate) fn matches(&self, name: &str) -> bool {
        self.0.iter().any(|tokens| run(tokens, name))
    }
}

#[derive(Clone, Debug)]
enum Token {
    One(char),
    /// `?`
    Any,
    /// `*`
    Stretch,
    /// `**`
    Everything,
    /// `[a-c]`, or what is not in it.
    Class {
        negated: bool,
        ranges: Vec<(char, char)>,
    },
}

struct Grammar {
    double_star: bool,
    negation: char,
}

impl Grammar {
    const PATH: Self = Self { double_star: false, negation: '^' };
    const GLOB: Self = Self { double_star: true, negation: '!' };
}

fn tokens(pattern: &str, grammar: &Grammar) -> Option<Vec<Token>> {
    let mut all = Vec::new();
    let mut rest = pattern.chars().peekable();
    while let Some(c) = rest.next() {
        all.push(match c {
            '*' if grammar.double_star && rest.next_if_eq(&'*').is_some() => Token::Everything,
            '*' => Token::Stretch,
            '?' => Token::Any,
            '\\' => Token::One(rest.next()?),
            '[' => {
                let negated = rest.next_if_eq(&grammar.negation).is_some();
                let mut ranges = Vec::new();
                loop {
                    let first = match rest.next()? {
                        ']' if !ranges.is_empty() => break,
                        ']' | '-' if !grammar.double_star => return None,
                        '\\' => rest.next()?,
                        c => c,
                    };
                    let last = match rest.next_if_eq(&'-') {
                        Some(_) => match rest.next()? {
                            '\\' => rest.next()?,
                            ']' | '-' if !grammar.double_star => return None,
                            c => c,
                        },
                        None => first,
                    };
                    ranges.push((first, last));
                }
                Token::Class { negated, ranges }
            }
            c => Token::One(c),
        });
    }
    Some(all)
}

/// Tries all ways at once: the time is the product of the lengths, never more.
fn run(tokens: &[Token], name: &str) -> bool {
    // Most patterns say how a name begins, and most names begin in another way.
    if matches!(tokens.first(), Some(Token::One(first)) if !name.starts_with(*first)) {
        return false;
    }
    let (mut now, mut next) = (vec![false; tokens.len() + 1], vec![false; tokens.len() + 1]);
    now[0] = true;
    skip_stars(tokens, &mut now);
    for c in name.chars() {
        next.fill(false);
        for (index, token) in tokens.iter().enumerate().filter(|(index, _)| now[*index]) {
            match token {
                Token::Everything => next[index] = true,
                Token::Stretch if c != '/' => next[index] = true,
                Token::Any if c != '/' => next[index + 1] = true,
                Token::One(wanted) if *wanted == c => next[index + 1] = true,
                Token::Class { negated, ranges } if c != '/' => {
                    let inside = ranges.iter().any(|(first, last)| (*first..=*last).contains(&c));
                    next[index + 1] |= inside != *negated;
                }
                _ => {}
            }
        }
        if !next.contains(&true) {
            return false;
        }
        skip_stars(tokens, &mut next);
        std::mem::swap(&mut now, &mut next);
    }
    now[tokens.len()]
}

/// A star may stand for nothing.
fn skip_stars(tokens: &[Token], states: &mut [bool]) {
    for (index, token) in tokens.iter().enumerate() {
        if states[index] && matches!(token, Token::Stretch | Token::Everything) {
            states[index + 1] = true;
        }
    }
}

/// `a{b,c}` as `ab` and `ac`. Nothing when braces do not fit, or there are too many.
fn alternatives(pattern: &str) -> Option<Vec<String>> {
    let mut done = Vec::new();
    let mut work = vec![pattern.to_owned()];
    while let Some(one) = work.pop() {
        let Some((start, end, commas)) = innermost(&one)? else {
            done.push(one);
            if done.len() > MOST_ALTERNATIVES {
                return None;
            }
            continue;
        };
        let mut from = start + 1;
        for to in commas.into_iter().chain([end]) {
            work.push(format!("{}{}{}", &one[..start], &one[from..to], &one[end + 1..]));
            from = to + 1;
        }
        if work.len() > MOST_ALTERNATIVES {
            return None;
        }
    }
    Some(done)
}

/// The first braces without others inside, and the commas in them.
#[allow(clippy::type_complexity)]
fn innermost(pattern: &str) -> Option<Option<(usize, usize, Vec<usize>)>> {
    let mut open: Option<(usize, Vec<usize>)> = None;
    let mut depth = 0usize;
    let mut escaped = false;
    let mut in_class = false;
    let mut found = None;
    for (at, c) in pattern.char_indices() {
        if std::mem::take(&mut escaped) {
            continue;
        }
        match c {
            '\\' => escaped = true,
            '[' => in_class = true,
            ']' => in_class = false,
            '{' if !in_class => {
                depth += 1;
                open = Some((at, Vec::new()));
            }
            ',' if !in_class => {
                if let Some((_, commas)) = &mut open {
                    commas.push(at);
                }
            }
            '}' if !in_class => {
                depth = depth.checked_sub(1)?;
                if let (Some((start, commas)), None) = (open.take(), &found) {
                    found = Some((start, at, commas));
                }
            }
            _ => {}
        }
    }
    if depth > 0 { None } else { Some(found) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn path_patterns() {
        for (pattern, name, wanted) in [
            ("*.txt", "a.txt", Some(true)),
            ("*.txt", "b/a.txt", Some(false)),
            ("a?c", "abc", Some(true)),
            ("[a-c]x", "bx", Some(true)),
            ("[^a-c]x", "bx", Some(false)),
            ("a\\*", "a*", Some(true)),
            ("templates/.?*", "templates/.x", Some(true)),
            ("templates/.?*", "templates/x", Some(false)),
            ("[", "a", None),
            ("[]a]", "a", None),
            ("a\\", "a", None),
        ] {
            assert_eq!(matches(pattern, name), wanted, "{pattern} {name}");
        }
    }

    #[test]
    fn globs() {
        for (pattern, name, wanted) in [
            ("files/**", "files/a/b", true),
            ("files/*", "files/a/b", false),
            ("**.yaml", "a/b.yaml", true),
            ("*.{yaml,yml}", "a.yml", true),
            ("{a,b/{c,d}}", "b/d", true),
            ("[!a]*", "bc", true),
            ("a\\{b", "a{b", true),
            ("{a", "anything/at/all", true),
        ] {
            assert_eq!(Glob::new(pattern).matches(name), wanted, "{pattern} {name}");
        }
    }
}
