//! Field paths of replacements: exact in a source, with expressions in a target (rendering, correction i).

use crate::error::{Problem, Result};
use crate::selector::regex;
use crate::tree::{Data, Fields, Id, Kind, Origin, Scalar, Tag, Tree, is_index, split_index};
use regex::Regex;
use serde_json::Value as Json;
use windlass_yaml::Style;

fn says(what: impl Into<String>) -> Box<crate::KustomizeError> {
    Problem::Replacement.says(what)
}

fn index_parts(step: &str) -> Result<(&str, &str)> {
    split_index(step).ok_or_else(|| says("list path element must contain fieldName=fieldValue for element to match"))
}

/// The value at a path of a source.
pub(crate) fn lookup(tree: &Tree, steps: &[String]) -> Result<Option<Id>> {
    let mut at = tree.root;
    for step in steps.iter().map(|step| step.trim()).filter(|step| !step.is_empty()) {
        let found = match step.parse::<i64>() {
            Ok(index) if index < 0 => return Err(says(format!("array index {index} cannot be negative"))),
            Ok(index) => items(tree, at)?.get(usize::try_from(index).unwrap_or(usize::MAX)).copied(),
            Err(_) if step == "-" => items(tree, at)?.last().copied(),
            Err(_) if step == "*" => return Err(says("wildcard is not supported in PathGetter")),
            Err(_) if is_index(step) => {
                let (name, value) = index_parts(step)?;
                items(tree, at)?.iter().copied().find(|item| match name {
                    "" => tree.text(*item) == value,
                    name => tree.get(*item, name).is_some_and(|field| tree.text(field) == value),
                })
            }
            Err(_) => field(tree, at, step)?,
        };
        let Some(found) = found else { return Ok(None) };
        at = found;
    }
    Ok(Some(at))
}

fn items(tree: &Tree, at: Id) -> Result<&[Id]> {
    tree.expect(at, Kind::Seq)?;
    Ok(tree.items(at).unwrap_or_default())
}

fn field(tree: &Tree, at: Id, name: &str) -> Result<Option<Id>> {
    tree.expect(at, Kind::Map)?;
    Ok(tree.get(at, name))
}

fn is_number(step: &str) -> Option<usize> {
    step.parse().ok()
}

/// What must stand where a path goes on with a step.
fn kind_before(next: Option<&String>, last: Kind) -> Kind {
    match next {
        Some(step) if is_index(step) || is_number(step).is_some() => Kind::Seq,
        Some(step) if !step.is_empty() => Kind::Map,
        _ => last,
    }
}

/// The values at a path of a target; `create` makes what is missing, with a value of that kind at the end.
pub(crate) fn find(tree: &mut Tree, at: Id, steps: &[String], create: Option<Kind>) -> Result<Vec<Id>> {
    let Some((step, rest)) = steps.split_first() else { return Ok(vec![at]) };
    if let Some(index) = is_number(step) {
        return find_at(tree, at, index, rest, create);
    }
    if is_index(step) {
        return find_matching(tree, at, step, rest, create);
    }
    if step == "*" {
        let mut found = Vec::new();
        for item in items(tree, at)?.to_vec() {
            found.extend(find(tree, item, rest, create)?);
        }
        return Ok(found);
    }
    match (field(tree, at, step)?, create) {
        (Some(value), _) => find(tree, value, rest, create),
        (None, None) => Ok(Vec::new()),
        (None, Some(kind)) => {
            let kind = kind_before(rest.first(), kind);
            let value = tree.push(kind.empty(), Origin::default());
            tree.set_field(at, step, value)?;
            find(tree, value, rest, create)
        }
    }
}

fn push_item(tree: &mut Tree, list: Id, item: Id) -> Result<()> {
    tree.expect(list, Kind::Seq)?;
    if let Data::Seq(items) = &mut tree.node_mut(list).data {
        items.push(item);
    }
    Ok(())
}

fn find_at(tree: &mut Tree, at: Id, index: usize, rest: &[String], create: Option<Kind>) -> Result<Vec<Id>> {
    let mut all = items(tree, at)?.to_vec();
    if let Some(kind) = create.filter(|_| all.len() == index) {
        let item = tree.push(kind_before(rest.first(), kind).empty(), Origin::default());
        push_item(tree, at, item)?;
        all.push(item);
    }
    match all.get(index) {
        Some(item) => find(tree, *item, rest, create),
        None => Err(says(format!("index {index} specified but only {} elements found", all.len()))),
    }
}

fn find_matching(tree: &mut Tree, at: Id, step: &str, rest: &[String], create: Option<Kind>) -> Result<Vec<Id>> {
    let (name, pattern) = index_parts(step)?;
    let compiled = regex(pattern).map_err(|_| says(format!("error parsing regexp: {pattern:?}")))?;
    let mut found = matching(tree, at, name, &compiled, rest, create)?;
    if create.is_none() || !found.is_empty() {
        return Ok(found);
    }
    let text = tree.push(Data::Scalar(Scalar::plain(pattern)), Origin::default());
    let item = if name.is_empty() {
        text
    } else {
        let fields: Fields = [(Box::from(name), text)].into_iter().collect();
        tree.push(Data::Map(fields), Origin::default())
    };
    push_item(tree, at, item)?;
    found = matching(tree, at, name, &compiled, rest, create)?;
    if found.is_empty() {
        let what = format!("failed to create element for {step:?}: the new element does not match the expression");
        return Err(says(what));
    }
    Ok(found)
}

fn matching(
    tree: &mut Tree,
    at: Id,
    name: &str,
    pattern: &Regex,
    rest: &[String],
    create: Option<Kind>,
) -> Result<Vec<Id>> {
    let mut found = Vec::new();
    for item in items(tree, at)?.to_vec() {
        if name.is_empty() {
            if pattern.is_match(printed(tree, item)?.trim()) {
                found.push(item);
            }
            continue;
        }
        let Some(value) = tree.get(item, name) else { continue };
        if pattern.is_match(printed(tree, value)?.trim()) {
            found.extend(find(tree, item, rest, create)?);
        }
    }
    Ok(found)
}

/// A value as YAML, with the quotes that it was written with.
fn printed(tree: &Tree, id: Id) -> Result<String> {
    let Some(scalar) = tree.scalar(id) else {
        return Ok(windlass_yaml::to_yaml(&tree.to_json(id)?));
    };
    let text = &*scalar.text;
    Ok(match scalar.style {
        Style::SingleQuoted => format!("'{}'", text.replace('\'', "''")),
        Style::DoubleQuoted => Json::String(text.to_owned()).to_string(),
        _ if scalar.tag == Tag::Str => windlass_yaml::to_yaml(&Json::String(text.to_owned())),
        _ => text.to_owned(),
    })
}
