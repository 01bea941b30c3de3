//! Texts.

use super::convert::{strings, texts};
use crate::function::Parameter::{Any, Int, Text};
use crate::function::{Arguments, Function};
use crate::print;
use crate::value::{Map, Value};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::pure("quote", &[], |a| joined(a, print::quoted)).and(Any),
    Function::pure("squote", &[], |a| joined(a, |text| format!("'{text}'"))).and(Any),
    Function::pure("cat", &[], |a| joined(a, str::to_owned)).and(Any),
    Function::pure("upper", &[Text], |a| Ok(a.text(0).to_uppercase().into())),
    Function::pure("lower", &[Text], |a| Ok(a.text(0).to_lowercase().into())),
    Function::pure("title", &[Text], |a| Ok(each_word(&a.text(0), |first| first.to_uppercase().collect()))),
    Function::pure("untitle", &[Text], |a| Ok(each_word(&a.text(0), |first| first.to_lowercase().collect()))),
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
    Function::pure("nospace", &[Text], |a| Ok(a.text(0).split_whitespace().collect::<String>().into())),
    Function::pure("initials", &[Text], |a| {
        Ok(a.text(0).split_whitespace().filter_map(|word| word.chars().next()).collect::<String>().into())
    }),
    Function::pure("contains", &[Text, Text], |a| Ok(a.text(1).contains(&*a.text(0)).into())),
    Function::pure("hasPrefix", &[Text, Text], |a| Ok(a.text(1).starts_with(&*a.text(0)).into())),
    Function::pure("hasSuffix", &[Text, Text], |a| Ok(a.text(1).ends_with(&*a.text(0)).into())),
    Function::pure("replace", &[Text, Text, Text], replace),
    Function::pure("repeat", &[Int, Text], repeat),
    Function::pure("trunc", &[Int, Text], |a| Ok(truncated(&a.text(1), a.int(0)).into())),
    Function::pure("substr", &[Int, Int, Text], substr),
    Function::pure("abbrev", &[Int, Text], abbrev),
    Function::pure("indent", &[Int, Text], |a| indented(a).map(Value::from)),
    Function::pure("nindent", &[Int, Text], |a| indented(a).map(|text| format!("\n{text}").into())),
    Function::pure("splitList", &[Text, Text], |a| Ok(pieces(&a.text(1), &a.text(0), usize::MAX))),
    Function::pure("split", &[Text, Text], |a| Ok(numbered(pieces(&a.text(1), &a.text(0), usize::MAX)))),
    Function::pure("splitn", &[Text, Int, Text], |a| {
        Ok(numbered(pieces(&a.text(2), &a.text(0), usize::try_from(a.int(1)).unwrap_or(usize::MAX))))
    }),
    Function::pure("plural", &[Text, Text, Int], |a| Ok(a.value(if a.int(2) == 1 { 0 } else { 1 }))),
    Function::pure("snakecase", &[Text], |a| Ok(words(&a.text(0)).join("_").into())),
    Function::pure("kebabcase", &[Text], |a| Ok(words(&a.text(0)).join("-").into())),
    Function::pure("camelcase", &[Text], |a| {
        Ok(words(&a.text(0)).iter().map(|word| capital(word)).collect::<String>().into())
    }),
    Function::pure("swapcase", &[Text], |a| Ok(a.text(0).chars().flat_map(swapped).collect::<String>().into())),
    Function::pure("base", &[Text], |a| Ok(base(&a.text(0)).into())),
    Function::pure("dir", &[Text], |a| Ok(dir(&a.text(0)).into())),
    Function::pure("clean", &[Text], |a| Ok(clean(&a.text(0)).into())),
    Function::pure("ext", &[Text], |a| {
        let text = a.text(0);
        let name = text.rsplit('/').next().unwrap_or_default();
        Ok(name.rfind('.').map_or("", |at| &name[at..]).into())
    }),
    Function::pure("isAbs", &[Text], |a| Ok(a.text(0).starts_with('/').into())),
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

fn each_word(text: &str, first: impl Fn(char) -> String) -> Value {
    let mut out = String::with_capacity(text.len());
    let mut inside = false;
    for c in text.chars() {
        let is_word = c.is_alphanumeric() || c == '_' || c == '\'';
        if is_word && !inside {
            out.push_str(&first(c));
        } else {
            out.push(c);
        }
        inside = is_word;
    }
    out.into()
}

fn replace(arguments: &Arguments) -> Result<Value, String> {
    let (old, new, text) = (arguments.text(0), arguments.text(1), arguments.text(2));
    let places = if old.is_empty() { text.chars().count() + 1 } else { text.matches(&*old).count() };
    if text.len() + places.saturating_mul(new.len()) > print::MOST {
        return Err(format!("the text is larger than {} bytes", print::MOST));
    }
    Ok(text.replace(&*old, &new).into())
}

fn repeat(arguments: &Arguments) -> Result<Value, String> {
    let text = arguments.text(1);
    let count = usize::try_from(arguments.int(0)).map_err(|_| "a text cannot be repeated less than 0 times")?;
    if count.saturating_mul(text.len()) > print::MOST {
        return Err(format!("the text is larger than {} bytes", print::MOST));
    }
    Ok(text.repeat(count).into())
}

/// The end of a piece in bytes, moved down to where a character starts: Go would cut it in two.
fn boundary(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

fn truncated(text: &str, count: i64) -> &str {
    match usize::try_from(count) {
        Ok(count) => &text[..boundary(text, count)],
        Err(_) => {
            let keep = usize::try_from(count.unsigned_abs()).unwrap_or(usize::MAX);
            let from = text.len().saturating_sub(keep);
            let from = (from..=text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len());
            &text[from..]
        }
    }
}

/// From start to end; a negative start is 0, a negative end the end of the text.
fn substr(arguments: &Arguments) -> Result<Value, String> {
    let text = arguments.text(2);
    let (start, end) = (usize::try_from(arguments.int(0)), usize::try_from(arguments.int(1)));
    let end = boundary(&text, end.unwrap_or(usize::MAX));
    let start = boundary(&text, start.unwrap_or(0));
    Ok(text.get(start..end).unwrap_or_default().into())
}

fn abbrev(arguments: &Arguments) -> Result<Value, String> {
    let text = arguments.text(1);
    let width = usize::try_from(arguments.int(0)).unwrap_or(0);
    if width < 4 || text.chars().count() <= width {
        return Ok(Value::Text(text));
    }
    Ok(format!("{}...", text.chars().take(width - 3).collect::<String>()).into())
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
    let all: Vec<String> = if separator.is_empty() {
        text.chars().map(String::from).collect()
    } else {
        text.splitn(most, separator).map(str::to_owned).collect()
    };
    texts(all)
}

/// `_0`, `_1`, …
fn numbered(list: Value) -> Value {
    let map = Map::new();
    for (index, piece) in strings(&list).unwrap_or_default().into_iter().enumerate() {
        map.set(format!("_{index}").into(), piece.into());
    }
    Value::Map(map)
}

/// The words of a name in any of the usual spellings, in lower case.
fn words(text: &str) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    let mut word = String::new();
    let chars: Vec<char> = text.chars().collect();
    for (index, c) in chars.iter().copied().enumerate() {
        let before = index.checked_sub(1).and_then(|index| chars.get(index)).copied();
        let after = chars.get(index + 1).copied();
        if !c.is_alphanumeric() {
            all.extend((!word.is_empty()).then(|| std::mem::take(&mut word)));
            continue;
        }
        let starts = c.is_uppercase()
            && (before.is_some_and(|before| before.is_lowercase() || before.is_numeric())
                || (before.is_some_and(char::is_uppercase) && after.is_some_and(char::is_lowercase)));
        if starts && !word.is_empty() {
            all.push(std::mem::take(&mut word));
        }
        word.extend(c.to_lowercase());
    }
    all.extend((!word.is_empty()).then_some(word));
    all
}

fn capital(word: &str) -> String {
    let mut rest = word.chars();
    rest.next().map(|first| first.to_uppercase().collect::<String>() + rest.as_str()).unwrap_or_default()
}

fn swapped(c: char) -> Vec<char> {
    if c.is_uppercase() { c.to_lowercase().collect() } else { c.to_uppercase().collect() }
}

fn base(path: &str) -> &str {
    let trimmed = path.trim_end_matches('/');
    match (path.is_empty(), trimmed.is_empty()) {
        (true, _) => ".",
        (_, true) => "/",
        _ => trimmed.rsplit('/').next().unwrap_or(trimmed),
    }
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
