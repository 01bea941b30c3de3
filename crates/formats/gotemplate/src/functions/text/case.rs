//! Spellings of names, word by word as the reference finds words.

/// What a word of a name is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Number,
    Upper,
    Alphabet,
    Connector,
    Punctuation,
    Other,
}

/// The first word of a text, and what is left.
fn next_word(text: &str) -> Option<(Kind, &str, &str)> {
    let mut rest = text.chars();
    let first = rest.next()?;
    let split = |end: usize, kind| Some((kind, &text[..end], &text[end..]));
    let while_ =
        |keeps: &dyn Fn(char) -> bool| text.char_indices().find(|(_, c)| !keeps(*c)).map_or(text.len(), |(at, _)| at);
    if is_connector(first) {
        return split(while_(&is_connector), Kind::Connector);
    }
    if is_punctuation(first) {
        return split(while_(&is_punctuation), Kind::Punctuation);
    }
    if first.is_uppercase() {
        let second = rest.next();
        let end = match second {
            // The last of several capitals starts the next word when a small letter follows.
            Some(c) if c.is_uppercase() => {
                let end = while_(&char::is_uppercase);
                let last = text[..end].chars().next_back().map_or(0, char::len_utf8);
                if text[end..].starts_with(is_alphabet) { end - last } else { end }
            }
            Some(c) if is_alphabet(c) => {
                let after = first.len_utf8();
                let small = |c: char| is_alphabet(c) && !c.is_uppercase();
                text[after..].char_indices().find(|(_, c)| !small(*c)).map_or(text.len(), |(at, _)| after + at)
            }
            _ => first.len_utf8(),
        };
        return split(end, Kind::Upper);
    }
    if is_alphabet(first) {
        return split(while_(&|c| is_alphabet(c) && !c.is_uppercase()), Kind::Alphabet);
    }
    if first.is_numeric() {
        return split(while_(&char::is_numeric), Kind::Number);
    }
    let other = |c: char| !(is_connector(c) || is_alphabet(c) || c.is_numeric() || is_punctuation(c));
    split(while_(&other), Kind::Other)
}

fn is_connector(c: char) -> bool {
    c == '-' || c == '_' || c.is_whitespace()
}

/// A letter of a script that has words; Chinese characters stand for themselves.
fn is_alphabet(c: char) -> bool {
    let is_chinese = matches!(c, '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fcc}' | '\u{20000}'..='\u{2b81d}');
    c.is_alphabetic() && !is_chinese
}

/// What Unicode calls punctuation, which `$`, `+` and their like are not.
fn is_punctuation(c: char) -> bool {
    match c {
        '$' | '+' | '<' | '=' | '>' | '^' | '`' | '|' | '~' => false,
        '\u{a1}' | '\u{a7}' | '\u{ab}' | '\u{b6}' | '\u{b7}' | '\u{bb}' | '\u{bf}' => true,
        '\u{2010}'..='\u{2027}' | '\u{2030}'..='\u{205e}' | '\u{3001}'..='\u{3003}' => true,
        c => c.is_ascii_punctuation(),
    }
}

struct Joiner {
    out: String,
    connector: char,
}

impl Joiner {
    fn word(&mut self, kind: Kind, word: &str) {
        if !matches!(kind, Kind::Upper | Kind::Connector) {
            self.out.push_str(word);
            return;
        }
        for c in word.chars() {
            if is_connector(c) {
                self.out.push(self.connector);
            } else {
                self.out.extend(c.to_lowercase());
            }
        }
    }

    /// Words of letters and numbers stay together; gives the word behind them.
    fn run<'t>(&mut self, mut next: Option<(Kind, &'t str, &'t str)>) -> Option<(Kind, &'t str, &'t str)> {
        while let Some((kind @ (Kind::Alphabet | Kind::Number), word, rest)) = next {
            self.word(kind, word);
            next = next_word(rest);
        }
        next
    }

    fn connect_before(&mut self, next: Option<(Kind, &str, &str)>) {
        if next.is_some_and(|(kind, ..)| !matches!(kind, Kind::Punctuation | Kind::Connector)) {
            self.out.push(self.connector);
        }
    }
}

/// `FirstName` as `first_name`, or with another connector.
pub(super) fn lower(text: &str, connector: char) -> String {
    let mut joiner = Joiner { out: String::with_capacity(text.len() + 4), connector };
    let mut current = next_word(text);
    while let Some((kind, word, rest)) = current.filter(|(.., rest)| !rest.is_empty()) {
        if kind != Kind::Connector {
            joiner.word(kind, word);
        }
        let mut next = next_word(rest);
        match kind {
            Kind::Number => {
                next = joiner.run(next);
                joiner.connect_before(next);
            }
            Kind::Connector => joiner.word(kind, word),
            Kind::Punctuation => {}
            _ => match next {
                Some((Kind::Number, number, after)) if !after.is_empty() => {
                    next = next_word(after);
                    if matches!(next, Some((Kind::Alphabet, ..))) {
                        joiner.out.push(connector);
                        joiner.word(Kind::Number, number);
                        next = joiner.run(next);
                    } else {
                        joiner.word(Kind::Number, number);
                    }
                    joiner.connect_before(next);
                }
                Some((Kind::Number, ..)) => {}
                next => joiner.connect_before(next),
            },
        }
        current = next;
    }
    if let Some((kind, word, _)) = current {
        joiner.word(kind, word);
    }
    joiner.out
}

/// `http_server` as `HttpServer`.
pub(super) fn pascal(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let lead = text.chars().take_while(|c| is_connector(*c)).count();
    let mut rest = text.chars().peekable();
    for _ in 0..lead {
        let c = rest.next();
        // A text of connectors only keeps its last one twice.
        out.extend(c);
        if rest.peek().is_none() {
            out.extend(c);
        }
    }
    let Some(first) = rest.next() else { return out };
    let mut after_capital = first.is_uppercase();
    let mut current = upper(first);
    for next in rest {
        let before = std::mem::replace(&mut current, next);
        match (is_connector(next), is_connector(before)) {
            (true, true) => out.push(before),
            (_, true) => {
                after_capital = next.is_uppercase();
                current = upper(next);
            }
            _ => {
                if after_capital {
                    if next.is_uppercase() {
                        current = small(next);
                    } else {
                        after_capital = false;
                    }
                }
                out.push(before);
            }
        }
    }
    out.push(current);
    out
}

/// Letters the other way round; a small one at the start of a word becomes a capital all the same.
pub(super) fn swapped(text: &str) -> String {
    let turn = |c: char| if c.is_uppercase() { small(c) } else { upper(c) };
    text.chars().map(turn).collect()
}

pub(super) fn upper(c: char) -> char {
    one(c.to_uppercase(), c)
}

pub(super) fn small(c: char) -> char {
    one(c.to_lowercase(), c)
}

/// Go maps a character to one character.
fn one(mut mapped: impl Iterator<Item = char>, c: char) -> char {
    match (mapped.next(), mapped.next()) {
        (Some(single), None) => single,
        _ => c,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As the reference spells them.
    #[test]
    fn names() {
        for (text, wanted) in [
            ("FirstName", "first_name"),
            ("HTTPServer", "http_server"),
            ("NoHTTPS", "no_https"),
            ("GO_PATH", "go_path"),
            ("GO PATH", "go_path"),
            ("GO-PATH", "go_path"),
            ("http2xx", "http_2xx"),
            ("HTTP20xOK", "http_20x_ok"),
            ("Duration2m3s", "duration_2m3s"),
            ("Bld4Floor3rd", "bld4_floor_3rd"),
            (" _-_ ", "_____"),
            ("a1b2c3d", "a_1b2c3d"),
            ("A//B%%2c", "a//b%%2c"),
            ("", ""),
        ] {
            assert_eq!(lower(text, '_'), wanted, "{text}");
        }
        for (text, wanted) in [
            ("some_words", "SomeWords"),
            ("http_server", "HttpServer"),
            ("no_https", "NoHttps"),
            ("_complex__case_", "_Complex_Case_"),
            ("some words", "SomeWords"),
            ("GOLANG_IS_GREAT", "GolangIsGreat"),
        ] {
            assert_eq!(pascal(text), wanted, "{text}");
        }
    }
}
