//! The plugin `ValueAddTransformer` (rendering §1.17).

use super::namespace::{Namespace, SubjectMode};
use crate::conf::Text;
use crate::error::{Problem, Result};
use crate::kustomization::ValueAddTarget;
use crate::options::Compat;
use crate::selector::ObjectSelector;
use crate::set::Set;
use crate::tree::{Id, Kind, Scalar, Tree};

#[derive(Debug)]
pub(crate) struct ValueAdd {
    pub(crate) value: Text,
    pub(crate) targets: Vec<ValueAddTarget>,
}

impl ValueAdd {
    pub(crate) fn check(&self) -> Result<()> {
        let refuse = |what: String| Err(Problem::Plugin.says(what).at(self.value.place.as_ref()));
        if self.targets.is_empty() {
            return refuse("must specify at least one target".into());
        }
        for target in &self.targets {
            if target.field_path.is_empty() {
                return refuse("fieldPath cannot be empty".into());
            }
            if target.position < 0 {
                return refuse(format!("value of FilePathPosition ({}) cannot be negative", target.position));
            }
        }
        Ok(())
    }

    pub(crate) fn run(&self, set: &mut Set, _: Compat) -> Result<()> {
        for target in &self.targets {
            let places = match &target.selector {
                None => (0..set.objects().len()).collect(),
                Some(selector) => ObjectSelector::new(selector)?.select(set)?,
            };
            for place in places {
                let Some(object) = set.objects_mut().get_mut(place) else { continue };
                if target.field_path == "metadata/namespace" {
                    let namespace = Namespace {
                        namespace: self.value.clone(),
                        fields: Vec::new(),
                        unset_only: false,
                        subjects: SubjectMode::DefaultOnly,
                    };
                    namespace.transform(object)?;
                } else {
                    self.add(&mut object.tree, target)?;
                }
            }
        }
        Ok(())
    }

    fn add(&self, tree: &mut Tree, target: &ValueAddTarget) -> Result<()> {
        let steps = crate::tree::split_path(&target.field_path, '/');
        let steps: Vec<&str> = steps.iter().map(|step| step.trim()).filter(|step| !step.is_empty()).collect();
        let Some((last, before)) = steps.split_last() else { return Ok(()) };
        let mut at = tree.root;
        for step in before {
            at = get_or_create(tree, at, step, Kind::Map)?;
        }
        let at = get_or_create(tree, at, last, Kind::Scalar)?;
        tree.expect(at, Kind::Scalar)?;
        let value = match usize::try_from(target.position) {
            Ok(position) if position > 0 => insert(tree.text(at), position - 1, &self.value),
            _ => self.value.text.clone(),
        };
        tree.set_scalar(at, Scalar::plain(value))?;
        tree.changed(at, "transformers", self.value.place.as_ref());
        Ok(())
    }
}

/// A step of a path: a key, or a number for an element of a list.
fn get_or_create(tree: &mut Tree, at: Id, step: &str, kind: Kind) -> Result<Id> {
    match (step.parse::<usize>(), tree.items(at)) {
        (Ok(index), Some(items)) => items.get(index).copied().ok_or_else(|| {
            Problem::Field.says(format!("index {index} specified but only {} elements found", items.len()))
        }),
        _ => tree.get_or_create(at, step, kind),
    }
}

/// Puts a part into a path of files.
fn insert(path: &str, position: usize, part: &str) -> String {
    if part.is_empty() {
        return path.to_owned();
    }
    let absolute = path.starts_with('/');
    let mut parts: Vec<&str> = path.trim_start_matches('/').split('/').collect();
    if parts == [""] {
        parts.clear();
    }
    parts.insert(position.min(parts.len()), part);
    format!("{}{}", if absolute { "/" } else { "" }, parts.join("/"))
}
