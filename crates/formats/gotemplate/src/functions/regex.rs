//! Regular expressions. Their time is linear in the text.

use super::convert::texts;
use crate::function::Parameter::{Int, Text};
use crate::function::{Arguments, Function};
use crate::value::Value;
use regex::{Regex, RegexBuilder};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::pure("regexMatch", &[Text, Text], matches),
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
    let built = RegexBuilder::new(pattern).size_limit(1 << 20).build();
    built.map_err(|problem| format!("`{pattern}` is no regular expression: {problem}"))
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
    Ok(texts(expression.find_iter(&text).take(most).map(|found| found.as_str().to_owned()).collect()))
}

fn split(arguments: &Arguments) -> Result<Value, String> {
    let text = arguments.text(1);
    let expression = compiled(&arguments.text(0))?;
    let owned = |piece: &str| piece.to_owned();
    Ok(match usize::try_from(arguments.int(2)) {
        Ok(most) => texts(expression.splitn(&text, most).map(owned).collect()),
        Err(_) => texts(expression.split(&text).map(owned).collect()),
    })
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
