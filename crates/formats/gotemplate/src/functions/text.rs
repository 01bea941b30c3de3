//! Texts.

mod case;
mod cut;

use super::convert::{strings, texts};
use crate::function::Parameter::{Any, Int, Text};
use crate::function::{Arguments, Function};
use crate::print;
use crate::value::{Map, TEXT_MAP, Value};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::pure("quote", &[], |a| joined(a, windlass_gofmt::quoted)).and(Any),
    Function::pure("squote", &[], |a| joined(a, |text| format!("'{text}'"))).and(Any),
    Function::pure("cat", &[], |a| joined(a, str::to_owned)).and(Any),
    Function::pure("upper", &[Text], |a| Ok(a.text(0).to_uppercase().into())),
    Function::pure("lower", &[Text], |a| Ok(a.text(0).to_lowercase().into())),
    Function::pure("title", &[Text], |a| Ok(titled(&a.text(0)))),
    Function::pure("untitle", &[Text], |a| Ok(untitled(&a.text(0)))),
    Function::pure("trim", &[Text], |a| Ok(a.text(0).trim().into())),
    Function::pure("trimAll", &[Text, Text], |a| Ok(a.text(1).trim_matches(|c| a.text(0).contains(c)).into())),
    Function::pure("trimall", &[Text, Text], |a| Ok(a.text(1).trim_matches(|c| a.text(0).contains(c)).into())),
    Function::pure("trimSuffix", &[Text, Text], |a| {
        let text = a.text(1);
        Ok(text.strip_suffix(&*a.text(0)).unwrap_or(&text).into())
    }),
    Function::pure("trimPrefix", &[Text, Text], |a| {
        let text = a.text(1);
        Ok(text.strip_prefix(&*a.text(0)).unwrap_or(&text).into())
    }),
    Function::pure("nospace", &[Text], |a| Ok(without_space(&a.text(0)).into())),
    Function::pure("initials", &[Text], |a| {
        // The reference takes the first byte of a word for a character.
        let is_space = |byte: u8| char::from(byte).is_whitespace();
        let words = a.bytes(0).split(|byte| is_space(*byte)).filter_map(|word| word.first());
        Ok(words.map(|byte| char::from(*byte)).collect::<String>().into())
    }),
    Function::pure("contains", &[Text, Text], |a| Ok(a.text(1).contains(&*a.text(0)).into())),
    Function::pure("hasPrefix", &[Text, Text], |a| Ok(a.text(1).starts_with(&*a.text(0)).into())),
    Function::pure("hasSuffix", &[Text, Text], |a| Ok(a.text(1).ends_with(&*a.text(0)).into())),
    Function::pure("replace", &[Text, Text, Text], replace),
    Function::pure("repeat", &[Int, Text], repeat),
    Function::pure("trunc", &[Int, Text], cut::trunc),
    Function::pure("substr", &[Int, Int, Text], cut::substr),
    Function::pure("abbrev", &[Int, Text], |a| {
        Ok(Value::text_of(&cut::abbrev(a.bytes(1), usize::try_from(a.int(0)).unwrap_or(0))))
    }),
    Function::pure("abbrevboth", &[Int, Int, Text], |a| {
        Ok(Value::text_of(&cut::abbrev_both(a.bytes(2), a.int(0), a.int(1))))
    }),
    Function::pure("wrap", &[Int, Text], |a| Ok(Value::text_of(&cut::wrapped(&a.text(1), a.int(0), "", false)))),
    Function::pure("wrapWith", &[Int, Text, Text], |a| {
        let (width, line_break, text) = (a.int(0), a.text(1), a.text(2));
        let lines = text.len() / usize::try_from(width).unwrap_or(1).max(1) + 1;
        fits(text.len() + lines.saturating_mul(line_break.len()))?;
        Ok(Value::text_of(&cut::wrapped(&text, width, &line_break, true)))
    }),
    Function::pure("hello", &[], |_| Ok("Hello!".into())),
    Function::pure("indent", &[Int, Text], |a| indented(a).map(Value::from)),
    Function::pure("nindent", &[Int, Text], |a| indented(a).map(|text| format!("\n{text}").into())),
    Function::pure("splitList", &[Text, Text], |a| Ok(pieces(&a.text(1), &a.text(0), usize::MAX))),
    Function::pure("split", &[Text, Text], |a| Ok(numbered(pieces(&a.text(1), &a.text(0), usize::MAX)))),
    Function::pure("splitn", &[Text, Int, Text], |a| {
        Ok(numbered(pieces(&a.text(2), &a.text(0), usize::try_from(a.int(1)).unwrap_or(usize::MAX))))
    }),
    Function::pure("plural", &[Text, Text, Int], |a| Ok(a.value(if a.int(2) == 1 { 0 } else { 1 }))),
    Function::pure("snakecase", &[Text], |a| Ok(case::lower(&a.text(0), '_').into())),
    Function::pure("kebabcase", &[Text], |a| Ok(case::lower(&a.text(0), '-').into())),
    Function::pure("camelcase", &[Text], |a| Ok(case::pascal(&a.text(0)).into())),
    Function::pure("swapcase", &[Text], |a| Ok(case::swapped(&a.text(0)).into())),
    Function::pure("base", &[Text], |a| Ok(base(&a.text(0)).into())),
    Function::pure("osBase", &[Text], |a| Ok(base(&a.text(0)).into())),
    Function::pure("dir", &[Text], |a| Ok(dir(&a.text(0)).into())),
    Function::pure("osDir", &[Text], |a| Ok(dir(&a.text(0)).into())),
    Function::pure("clean", &[Text], |a| Ok(clean(&a.text(0)).into())),
    Function::pure("osClean", &[Text], |a| Ok(clean(&a.text(0)).into())),
    Function::pure("ext", &[Text], |a| Ok(extension(&a.text(0)).into())),
    Function::pure("osExt", &[Text], |a| Ok(extension(&a.text(0)).into())),
    Function::pure("isAbs", &[Text], |a| Ok(a.text(0).starts_with('/').into())),
    Function::pure("osIsAbs", &[Text], |a| Ok(a.text(0).starts_with('/').into())),
];

/// All that is not null, each by `one`, with spaces between.
fn joined(arguments: &Arguments, one: impl Fn(&str) -> String) -> Result<Value, String> {
    let all: Result<Vec<String>, String> = arguments
        .iter()
        .filter(|value| !value.is_nil())
        .map(|value| print::plain(value).map(|text| one(&text)))
        .collect();
    Ok(all?.join(" ").into())
}

/// Capitals behind everything that is no letter, no digit and no `_`.
fn titled(text: &str) -> Value {
    let mut out = String::with_capacity(text.len());
    let mut inside = false;
    for c in text.chars() {
        out.push(if inside { c } else { case::upper(c) });
        inside = if c.is_ascii() { c == '_' || c.is_ascii_alphanumeric() } else { !c.is_whitespace() };
    }
    out.into()
}

/// Small letters behind white space.
fn untitled(text: &str) -> Value {
    let mut out = String::with_capacity(text.len());
    let mut inside = false;
    for c in text.chars() {
        out.push(if inside { c } else { case::small(c) });
        inside = !c.is_whitespace();
    }
    out.into()
}

fn fits(length: usize) -> Result<(), String> {
    if length > print::MOST { Err(format!("the text is larger than {} bytes", print::MOST)) } else { Ok(()) }
}

fn replace(arguments: &Arguments) -> Result<Value, String> {
    let (old, new, text) = (arguments.text(0), arguments.text(1), arguments.text(2));
    let places = if old.is_empty() { text.chars().count() + 1 } else { text.matches(&*old).count() };
    if text.len() + places.saturating_mul(new.len()) > print::MOST {
        return Err(format!("the text is larger than {} bytes", print::MOST));
    }
    Ok(text.replace(&*old, &new).into())
}

/// The library takes each byte for a character, unless there is nothing to leave out.
fn without_space(text: &str) -> String {
    let is_space = |byte: &u8| matches!(byte, b'\t'..=b'\r' | b' ' | 0x85 | 0xa0);
    if !text.as_bytes().iter().any(is_space) {
        return text.to_owned();
    }
    text.bytes().filter(|byte| !is_space(byte)).map(char::from).collect()
}

fn repeat(arguments: &Arguments) -> Result<Value, String> {
    let text = arguments.text(1);
    let count = usize::try_from(arguments.int(0)).map_err(|_| "a text cannot be repeated less than 0 times")?;
    if count.saturating_mul(text.len()) > print::MOST {
        return Err(format!("the text is larger than {} bytes", print::MOST));
    }
    Ok(text.repeat(count).into())
}

/// Spaces before every line, also before empty ones.
fn indented(arguments: &Arguments) -> Result<String, String> {
    let text = arguments.text(1);
    let width = usize::try_from(arguments.int(0)).map_err(|_| "the indentation is less than 0")?;
    let lines = text.matches('\n').count() + 1;
    if text.len() + lines.saturating_mul(width) > print::MOST {
        return Err(format!("the text is larger than {} bytes", print::MOST));
    }
    let pad = " ".repeat(width);
    Ok(format!("{pad}{}", text.replace('\n', &format!("\n{pad}"))))
}

fn pieces(text: &str, separator: &str, most: usize) -> Value {
    let all: Vec<String> = if separator.is_empty() && most == 0 {
        Vec::new()
    } else if separator.is_empty() {
        let mut all: Vec<String> = text.chars().take(most.saturating_sub(1)).map(String::from).collect();
        let taken: usize = all.iter().map(String::len).sum();
        all.extend((taken < text.len()).then(|| text[taken..].to_owned()));
        all
    } else {
        text.splitn(most, separator).map(str::to_owned).collect()
    };
    texts(all)
}

/// `_0`, `_1`, …
fn numbered(list: Value) -> Value {
    let map = Map::of(&TEXT_MAP);
    for (index, piece) in strings(&list).unwrap_or_default().into_iter().enumerate() {
        map.set(format!("_{index}").into(), piece.into());
    }
    Value::Map(map)
}

fn base(path: &str) -> &str {
    let trimmed = path.trim_end_matches('/');
    match (path.is_empty(), trimmed.is_empty()) {
        (true, _) => ".",
        (_, true) => "/",
        _ => trimmed.rsplit('/').next().unwrap_or(trimmed),
    }
}

fn extension(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or_default();
    name.rfind('.').map_or("", |at| &name[at..])
}

fn dir(path: &str) -> String {
    clean(path.rfind('/').map_or("", |at| &path[..=at]))
}

/// A path without `.`, `..` and double slashes.
fn clean(path: &str) -> String {
    let rooted = path.starts_with('/');
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            ".." if rooted => {}
            part => parts.push(part),
        }
    }
    let joined = parts.join("/");
    match (rooted, joined.is_empty()) {
        (true, _) => format!("/{joined}"),
        (false, true) => ".".to_owned(),
        _ => joined,
    }
}
