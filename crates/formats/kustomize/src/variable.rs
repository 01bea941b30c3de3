//! `vars` (rendering §1.11).

use crate::config::Config;
use crate::error::{Problem, Result};
use crate::fieldspec::{FieldSpec, walk};
use crate::kustomization::Variable;
use crate::object::Object;
use crate::set::Set;
use crate::tree::{Data, Id, Scalar, Tag, Tree, split_smart};
use serde_json::Value as Json;
use std::collections::BTreeMap;
use windlass_yaml::Style;

/// The variables of a kustomization and its bases, by name.
pub(crate) type Variables = BTreeMap<String, Variable>;

/// Adds variables and notes which objects they read.
pub(crate) fn register(set: &mut Set, known: &mut Variables, incoming: &[Variable]) -> Result<()> {
    for variable in incoming {
        let target = variable.target.as_id();
        let matching: Vec<usize> = set.places(|object| {
            object.any_id(|id| {
                // The target does not know whether its kind lives outside of namespaces.
                if target.namespace.is_empty() { target.same_gvkn(id) } else { target.same(id) }
            })
        });
        match matching[..] {
            [] => {}
            [place] => {
                if let Some(object) = set.objects_mut().get_mut(place) {
                    object.history.variables.push(variable.name.clone());
                }
            }
            _ => {
                let what = format!(
                    "found {} resId matches for var {} (unable to disambiguate)",
                    matching.len(),
                    variable.name
                );
                return Err(Problem::Variable
                    .says(what)
                    .at(variable.place.as_ref())
                    .remedy("say more of the object: apiVersion, kind, name and namespace"));
            }
        }
    }
    merge(known, incoming.iter().cloned())
}

pub(crate) fn merge(known: &mut Variables, incoming: impl IntoIterator<Item = Variable>) -> Result<()> {
    for variable in incoming {
        if known.contains_key(&variable.name) {
            let what = format!("var '{}' already encountered", variable.name);
            return Err(Problem::Variable.says(what).at(variable.place.as_ref()).remedy("rename one of the two"));
        }
        known.insert(variable.name.clone(), variable);
    }
    Ok(())
}

/// Replaces `$(NAME)` in the fields that may hold variables. Gives the names that nobody used.
pub(crate) fn resolve(set: &mut Set, variables: &Variables, config: &Config) -> Result<Vec<String>> {
    let mut values: BTreeMap<&str, (Value, bool)> = BTreeMap::new();
    for variable in variables.values() {
        values.insert(&variable.name, (value_of(set, variable)?, false));
    }
    if values.is_empty() {
        return Ok(Vec::new());
    }
    for object in set.objects_mut() {
        for spec in FieldSpec::of(&config.var_reference, object) {
            walk(object, spec, None, &mut |tree, at| replace_in(tree, at, &mut values))?;
        }
    }
    Ok(values.iter().filter(|(_, (_, used))| !used).map(|(name, _)| (*name).to_owned()).collect())
}

/// What a variable stands for.
#[derive(Clone, Debug)]
enum Value {
    Text(String),
    Typed(String, Tag),
    /// A list or mapping, which cannot be put into a text.
    Unusable,
}

fn value_of(set: &Set, variable: &Variable) -> Result<Value> {
    let named = |object: &&Object| object.history.variables.contains(&variable.name);
    let Some(object) = set.objects().iter().find(named) else {
        let what = format!("var '{}' cannot be mapped to a field in the set of known resources", variable.name);
        return Err(Problem::Variable
            .says(what)
            .at(variable.place.as_ref())
            .remedy("its objref names no object of this kustomization"));
    };
    let steps = steps(&variable.field_path);
    let missing = || {
        let what = format!("field specified in var '{}' not found in corresponding resource", variable.name);
        Problem::Variable.says(what).at(variable.place.as_ref())
    };
    let found = crate::transform::lookup(&object.tree, &steps).map_err(|_| missing())?.ok_or_else(missing)?;
    Ok(match object.tree.data(found) {
        Data::Scalar(scalar) => match scalar.tag {
            Tag::Int | Tag::Float | Tag::Bool => match scalar.value() {
                Ok(Json::Bool(b)) => Value::Typed(b.to_string(), Tag::Bool),
                Ok(number @ Json::Number(_)) => {
                    let text = windlass_yaml::to_yaml(&number);
                    Value::Typed(text.trim_end().to_owned(), scalar.tag)
                }
                _ => Value::Text(scalar.text.to_string()),
            },
            _ => Value::Text(scalar.text.to_string()),
        },
        _ => Value::Unusable,
    })
}

/// The steps of a field path, in which `a[0]` is `a` and then the first element.
fn steps(path: &str) -> Vec<String> {
    let mut out = Vec::new();
    for step in split_smart(path) {
        let index = step.strip_suffix(']').and_then(|step| step.rsplit_once('['));
        match index.filter(|(_, index)| !index.is_empty() && index.bytes().all(|b| b.is_ascii_digit())) {
            Some((name, index)) => {
                out.extend(Some(name.to_owned()).filter(|name| !name.is_empty()));
                out.push(index.to_owned());
            }
            None => out.push(step),
        }
    }
    out
}

type Values<'v> = BTreeMap<&'v str, (Value, bool)>;

fn replace_in(tree: &mut Tree, at: Id, values: &mut Values<'_>) -> Result<()> {
    if tree.is_null(at) {
        return Ok(());
    }
    match tree.data(at) {
        Data::Scalar(scalar) => {
            if scalar.is_string() {
                replace(tree, at, values);
            }
        }
        Data::Map(fields) => {
            for value in fields.values().copied().collect::<Vec<_>>() {
                if crate::tree::is_string(tree.scalar(value)) {
                    replace(tree, value, values);
                }
            }
        }
        Data::Seq(items) => {
            for item in items.clone() {
                if !crate::tree::is_string(tree.scalar(item)) {
                    let what = "invalid value type expect a string";
                    return Err(Problem::Variable.says(what).at(tree.node(item).origin.place.as_ref()));
                }
                replace(tree, item, values);
            }
        }
    }
    Ok(())
}

fn replace(tree: &mut Tree, at: Id, values: &mut Values<'_>) {
    let old = tree.text(at).to_owned();
    let (text, tag) = expand(&old, values);
    let changed = text != old;
    tree.node_mut(at).data = Data::Scalar(Scalar { text: text.into(), tag, style: Style::Plain });
    if changed {
        tree.changed(at, "vars", None);
    }
}

/// The text with variables replaced; a text that is nothing but one variable takes its type.
fn expand(text: &str, values: &mut Values<'_>) -> (String, Tag) {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('$') {
        out.push_str(&rest[..at]);
        let behind = &rest[at + 1..];
        let mut chars = behind.chars();
        match chars.next() {
            None => {
                rest = &rest[at..];
                out.push_str(rest);
                return (out, Tag::Str);
            }
            Some('$') => {
                out.push('$');
                rest = &behind[1..];
            }
            Some('(') => match behind.find(')') {
                Some(end) => {
                    let name = &behind[1..end];
                    rest = &behind[end + 1..];
                    match values.get_mut(name) {
                        Some((Value::Typed(value, tag), used)) => {
                            *used = true;
                            if text == format!("$({name})") {
                                return (value.clone(), *tag);
                            }
                            out.push_str(value);
                        }
                        Some((Value::Text(value), used)) => {
                            *used = true;
                            out.push_str(value);
                        }
                        _ => {
                            out.push_str("$(");
                            out.push_str(name);
                            out.push(')');
                        }
                    }
                }
                None => {
                    out.push_str("$(");
                    rest = &behind[1..];
                }
            },
            Some(other) => {
                out.push('$');
                out.push(other);
                rest = &behind[other.len_utf8()..];
            }
        }
    }
    out.push_str(rest);
    (out, Tag::Str)
}

#[cfg(test)]
mod tests {
    use super::{Tag, Value, Values, expand};

    #[test]
    fn variables_in_texts() {
        let mut values: Values<'_> = Values::new();
        values.insert("A", (Value::Text("a".into()), false));
        values.insert("N", (Value::Typed("8".into(), Tag::Int), false));
        for (text, expected) in [
            ("$(A)-$(N)", "a-8"),
            ("$$(A)_$(A)", "$(A)_a"),
            ("$(MISSING)", "$(MISSING)"),
            ("$(A", "$(A"),
            ("x$", "x$"),
            ("$?$!", "$?$!"),
            ("${A}", "${A}"),
        ] {
            assert_eq!(expand(text, &mut values), (expected.to_owned(), Tag::Str), "{text}");
        }
        assert_eq!(expand("$(N)", &mut values), ("8".to_owned(), Tag::Int));
    }
}
