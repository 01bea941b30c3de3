//! The strategic merge named `kustomize` (rendering §1.7).
//!
//! It knows `$patch` and leaves `$retainKeys` and `$setElementOrder` alone. Where the reference's own steps show in the
//! result (the order of lists, elements without their key), the steps are the same here.

use super::merge_list::{is_blank, merge_list};
use crate::error::{Problem, Result};
use crate::schema::{Field, Schema, Type};
use crate::tree::{Data, Id, Kind, Scalar, Tag, Tree};
use std::collections::BTreeSet;

pub(super) const DIRECTIVE: &str = "$patch";

/// What a directive says of a mapping or list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Directive {
    Merge,
    Replace,
    Delete,
}

/// Merges a patch into the root of a tree. Nothing is left when the patch deletes the object.
pub(crate) fn merge(tree: &mut Tree, patch: &Tree, schema: &Schema) -> Result<bool> {
    let root = tree.root;
    let patch = tree.import(patch, patch.root);
    let mut merger = Merger { tree, schema };
    let merged = merger.node(Some(root), Some(patch), &Field::default(), 0)?;
    Ok(merged.is_some())
}

pub(super) struct Merger<'t> {
    pub(super) tree: &'t mut Tree,
    pub(super) schema: &'t Schema,
}

/// What stands at a place after the merge; nothing when the place is cleared.
pub(super) type Merged = Option<Id>;

/// Results that are nested deeper are refused.
const DEEPEST: usize = 256;

impl Merger<'_> {
    fn missing(&self, id: Option<Id>) -> bool {
        id.is_none_or(|id| self.tree.is_null(id))
    }

    /// Merges two nodes of which one may be missing.
    pub(super) fn node(&mut self, dest: Option<Id>, patch: Option<Id>, field: &Field, depth: usize) -> Result<Merged> {
        if depth > DEEPEST {
            return Err(Problem::Limit.says(format!("the patch is nested deeper than {DEEPEST} levels")));
        }
        let given = [dest, patch].into_iter().flatten().filter(|id| !self.tree.is_null(*id));
        let mut kind = None;
        for id in given {
            let kind = *kind.get_or_insert_with(|| self.tree.kind(id));
            self.tree.expect(id, kind)?;
        }
        match kind {
            Some(Kind::Scalar) => Ok(patch.or(dest)),
            Some(Kind::Seq) => match &field.merge {
                Some(keys) => self.list(dest, patch, keys, field.of.as_ref(), depth),
                None => Ok(patch.or(dest)),
            },
            Some(Kind::Map) | None => {
                let embedded = match &field.of {
                    Some(_) => None,
                    None => self.embedded(dest).or_else(|| self.embedded(patch)),
                };
                self.map(dest, patch, embedded.as_ref().or(field.of.as_ref()), depth)
            }
        }
    }

    /// The type of an object inside another one, or of the whole.
    fn embedded(&self, id: Option<Id>) -> Option<Type> {
        let id = id?;
        let text = |name| self.tree.get(id, name).map(|field| self.tree.text(field)).filter(|text| !text.is_empty());
        self.schema.of_kind(text("apiVersion")?, text("kind")?)
    }

    fn map(&mut self, dest: Option<Id>, patch: Option<Id>, of: Option<&Type>, depth: usize) -> Result<Merged> {
        let Some(into) = self.visit_map(dest, patch)? else { return Ok(None) };
        if patch.is_none() {
            return self.unpatched(into, of, depth);
        }
        let mut names: BTreeSet<Box<str>> = BTreeSet::new();
        for id in [Some(into), patch].into_iter().flatten() {
            names.extend(self.tree.fields(id).into_iter().flatten().map(|(name, _)| name.clone()));
        }
        for name in names {
            let mine = self.tree.get(into, &name);
            let theirs = patch.and_then(|patch| self.tree.get(patch, &name));
            let field = of.map(|of| of.field(&name)).unwrap_or_default();
            match self.node(mine, theirs, &field, depth + 1)? {
                Some(value) if self.keeps_null(mine, theirs, value) => {}
                Some(value) => {
                    self.tree.set_field(into, &name, value)?;
                }
                None => {
                    self.tree.clear(into, &name);
                }
            }
        }
        Ok(Some(into))
    }

    /// A mapping that the patch does not speak of: its lists are merged with nothing, and its texts may get quotes. Most of an object is
    /// so, and no name of a field is copied.
    fn unpatched(&mut self, into: Id, of: Option<&Type>, depth: usize) -> Result<Merged> {
        let Some(fields) = self.tree.fields(into) else { return Ok(Some(into)) };
        let mut order: Vec<usize> = (0..fields.len()).collect();
        order.sort_unstable_by_key(|at| fields.at(*at).map(|(name, _)| name));
        let mut gone: Vec<Box<str>> = Vec::new();
        for at in order {
            let Some((name, value)) = self.tree.fields(into).and_then(|fields| fields.at(at)) else { continue };
            let field = of.map(|of| of.field(name)).unwrap_or_default();
            match self.node(Some(value), None, &field, depth + 1)? {
                Some(merged) if merged == value => self.tree.quote_if_ambiguous(value),
                merged => {
                    let name =
                        self.tree.fields(into).and_then(|fields| fields.at(at)).map(|(name, _)| Box::<str>::from(name));
                    let Some(name) = name else { continue };
                    match merged {
                        Some(merged) => {
                            self.tree.set_field(into, &name, merged)?;
                        }
                        None => gone.push(name),
                    }
                }
            }
        }
        for name in gone {
            self.tree.clear(into, &name);
        }
        Ok(Some(into))
    }

    /// A null that was written down stays when the patch does not speak of it.
    fn keeps_null(&self, mine: Option<Id>, theirs: Option<Id>, value: Id) -> bool {
        theirs.is_none() && mine == Some(value) && self.tree.is_null(value)
    }

    /// The mapping that takes the fields of the patch.
    fn visit_map(&mut self, dest: Option<Id>, patch: Option<Id>) -> Result<Merged> {
        if self.missing(dest) {
            if let Some(patch) = patch
                && self.directive(patch).is_ok_and(|directive| directive == Directive::Delete)
            {
                return Ok(None);
            }
            let written = dest.filter(|dest| patch.is_none() && !self.tree.text(*dest).is_empty());
            return Ok(written.or(patch));
        }
        let Some(patch) = patch else { return Ok(dest) };
        if self.tree.is_null(patch) {
            return Ok(None);
        }
        Ok(match self.directive(patch)? {
            Directive::Delete => None,
            Directive::Replace => Some(patch),
            Directive::Merge => dest,
        })
    }

    fn list(
        &mut self,
        dest: Option<Id>,
        patch: Option<Id>,
        keys: &[String],
        of: Option<&Type>,
        depth: usize,
    ) -> Result<Merged> {
        let into = match (dest.filter(|_| !self.missing(dest)), patch) {
            (None, patch) => patch,
            (Some(dest), None) => Some(dest),
            (Some(_), Some(patch)) if self.tree.is_null(patch) => None,
            (Some(dest), Some(patch)) => match self.directive(patch)? {
                Directive::Delete => None,
                Directive::Replace => Some(patch),
                Directive::Merge => Some(dest),
            },
        };
        match into {
            Some(into) => merge_list(self, into, patch, keys, of, depth),
            None => Ok(None),
        }
    }

    /// Takes the directive out of a mapping or list of the patch.
    fn directive(&mut self, id: Id) -> Result<Directive> {
        match self.tree.data(id) {
            Data::Scalar(_) => Ok(Directive::Merge),
            Data::Map(_) => {
                let Some(said) = self.tree.get(id, DIRECTIVE) else { return Ok(Directive::Merge) };
                let directive = self.named(said)?;
                self.tree.clear(id, DIRECTIVE);
                Ok(directive)
            }
            Data::Seq(items) => {
                let items = items.clone();
                let first = items.iter().find_map(|item| Some((*item, self.tree.get(*item, DIRECTIVE)?)));
                // With other keys beside it, it is about that element.
                let alone = |(item, _): &(Id, Id)| self.tree.fields(*item).is_some_and(|fields| fields.len() == 1);
                let Some((_, said)) = first.filter(alone) else { return Ok(Directive::Merge) };
                let directive = self.named(said)?;
                let text = self.tree.text(said).to_owned();
                let kept = |item: &Id| {
                    let same = self.tree.get(*item, DIRECTIVE).is_some_and(|said| self.tree.text(said) == text);
                    !same && !is_blank(self, *item)
                };
                let kept: Vec<Id> = items.iter().copied().filter(kept).collect();
                self.tree.node_mut(id).data = Data::Seq(kept);
                Ok(directive)
            }
        }
    }

    fn named(&self, said: Id) -> Result<Directive> {
        match self.tree.text(said) {
            "merge" => Ok(Directive::Merge),
            "replace" => Ok(Directive::Replace),
            "delete" => Ok(Directive::Delete),
            other => Err(Problem::Patch
                .says(format!("unknown patch strategy '{other}'"))
                .at(self.tree.node(said).origin.place.as_ref())
                .remedy("`$patch` is one of merge, replace and delete")),
        }
    }

    /// A list without elements, for what is put together.
    pub(super) fn new_list(&mut self, like: Id) -> Id {
        let origin = self.tree.node(like).origin.clone();
        self.tree.push(Data::Seq(Vec::new()), origin)
    }

    pub(super) fn new_text(&mut self, text: &str) -> Id {
        self.tree.push(Data::Scalar(Scalar::tagged(text, Tag::None)), crate::tree::Origin::default())
    }
}
