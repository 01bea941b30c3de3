//! Regular expressions. Their time is linear in the text.

mod pattern;

use super::convert::texts;
use crate::function::Parameter::{Int, Text};
use crate::function::{Arguments, Function};
use crate::value::{List, NO_TEXTS, Value};
use regex::{Regex, RegexBuilder};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::pure("regexMatch", &[Text, Text], matches_or_not),
    Function::pure("mustRegexMatch", &[Text, Text], matches),
    Function::pure("regexFind", &[Text, Text], find),
    Function::pure("mustRegexFind", &[Text, Text], find),
    Function::pure("regexFindAll", &[Text, Text, Int], find_all),
    Function::pure("mustRegexFindAll", &[Text, Text, Int], find_all),
    Function::pure("regexReplaceAll", &[Text, Text, Text], |a| {
        let with = go_replacement(&a.text(2));
        Ok(compiled(&a.text(0))?.replace_all(&a.text(1), with.as_str()).as_ref().into())
    }),
    Function::pure("mustRegexReplaceAll", &[Text, Text, Text], |a| {
        let with = go_replacement(&a.text(2));
        Ok(compiled(&a.text(0))?.replace_all(&a.text(1), with.as_str()).as_ref().into())
    }),
    Function::pure("regexReplaceAllLiteral", &[Text, Text, Text], |a| {
        Ok(compiled(&a.text(0))?.replace_all(&a.text(1), regex::NoExpand(&a.text(2))).as_ref().into())
    }),
    Function::pure("mustRegexReplaceAllLiteral", &[Text, Text, Text], |a| {
        Ok(compiled(&a.text(0))?.replace_all(&a.text(1), regex::NoExpand(&a.text(2))).as_ref().into())
    }),
    Function::pure("regexSplit", &[Text, Text, Int], split),
    Function::pure("mustRegexSplit", &[Text, Text, Int], split),
    Function::pure("regexQuoteMeta", &[Text], |a| Ok(quoted(&a.text(0)).into())),
];

fn compiled(pattern: &str) -> Result<Regex, String> {
    let bad = |problem: String| format!("`{pattern}` is no regular expression: {problem}");
    let translated = pattern::translated(pattern).map_err(bad)?;
    let built = RegexBuilder::new(&translated).size_limit(1 << 20).build();
    built.map_err(|problem| bad(problem.to_string()))
}

/// Without `must` nothing matches what is no expression, as in the reference; one that is too large is an error all the same.
fn matches_or_not(arguments: &Arguments) -> Result<Value, String> {
    match compiled(&arguments.text(0)) {
        Err(problem) if !problem.contains("size limit") => Ok(false.into()),
        _ => matches(arguments),
    }
}

fn matches(arguments: &Arguments) -> Result<Value, String> {
    Ok(compiled(&arguments.text(0))?.is_match(&arguments.text(1)).into())
}

fn find(arguments: &Arguments) -> Result<Value, String> {
    let text = arguments.text(1);
    Ok(compiled(&arguments.text(0))?.find(&text).map_or("", |found| found.as_str()).into())
}

fn find_all(arguments: &Arguments) -> Result<Value, String> {
    let text = arguments.text(1);
    let most = usize::try_from(arguments.int(2)).unwrap_or(usize::MAX);
    let expression = compiled(&arguments.text(0))?;
    let all: Vec<String> = expression.find_iter(&text).take(most).map(|found| found.as_str().to_owned()).collect();
    Ok(if all.is_empty() { Value::List(List::of(&NO_TEXTS, Vec::new())) } else { texts(all) })
}

/// Go counts an empty match at the start as none, and gives no piece for it.
fn split(arguments: &Arguments) -> Result<Value, String> {
    let (pattern, text, most) = (arguments.text(0), arguments.text(1), arguments.int(2));
    let expression = compiled(&pattern)?;
    if most == 0 {
        return Ok(Value::List(List::of(&NO_TEXTS, Vec::new())));
    }
    if !pattern.is_empty() && text.is_empty() {
        return Ok(texts(vec![String::new()]));
    }
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    let (mut pieces, mut start, mut end) = (Vec::new(), 0, 0);
    for found in expression.find_iter(&text).take(most) {
        if pieces.len() == most - 1 {
            break;
        }
        end = found.start();
        if found.end() != 0 {
            pieces.push(text[start..end].to_owned());
        }
        start = found.end();
    }
    if end != text.len() {
        pieces.push(text[start..].to_owned());
    }
    Ok(texts(pieces))
}

/// Go and Rust read `$1x` alike: the group named `1x`. An unknown group is nothing in both.
fn go_replacement(text: &str) -> String {
    text.to_owned()
}

/// Go quotes fewer characters than Rust does.
fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if r"\.+*?()|[]{}^$".contains(c) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}
