//! The strategic merge named `kustomize` (rendering §1.7).
//!
//! It knows `$patch` and leaves `$retainKeys` and `$setElementOrder` alone. Where the reference's own steps show in the
//! result (the order of lists, elements without their key), the steps are the same here.

use super::merge_list::{is_blank, merge_list};
use crate::error::{Problem, Result};
use crate::schema::{Field, Schema, Type};
use crate::tree::{Data, Id, Kind, Scalar, Tag, Tree};

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
        // Fields by their names, each by its place: most of an object is left alone, and no name of it need be copied. Fields that
        // go are taken out in the end, so that places stay.
        let mut gone: Vec<Box<str>> = Vec::new();
        for (source, place) in self.places(into, patch) {
            let Some((name, value)) = self.tree.fields(source).and_then(|fields| fields.at(place)) else { continue };
            let mine = Some(value).filter(|_| source == into);
            let theirs = if mine.is_none() { Some(value) } else { patch.and_then(|patch| self.tree.get(patch, name)) };
            if theirs.is_none() && self.tree.kind(value) == Kind::Scalar {
                self.tree.quote_if_ambiguous(value);
                continue;
            }
            let field = of.map(|of| of.field(name)).unwrap_or_default();
            let merged = self.node(mine, theirs, &field, depth + 1)?;
            if merged.is_some() && merged == mine && theirs.is_none() {
                continue;
            }
            let name =
                self.tree.fields(source).and_then(|fields| fields.at(place)).map(|(name, _)| Box::<str>::from(name));
            let Some(name) = name else { continue };
            match merged.filter(|value| !self.tree.is_null(*value)) {
                Some(value) => {
                    self.tree.set_field(into, &name, value)?;
                }
                None => gone.push(name),
            }
        }
        for name in gone {
            self.tree.clear(into, &name);
        }
        Ok(Some(into))
    }

    /// Where the fields of a mapping and those that a patch adds to it stand, by their names.
    fn places(&self, into: Id, patch: Option<Id>) -> Vec<(Id, usize)> {
        let Some(own) = self.tree.fields(into) else { return Vec::new() };
        let added = patch.and_then(|patch| Some((patch, self.tree.fields(patch)?))).filter(|(patch, _)| *patch != into);
        let added = added.into_iter().flat_map(|(patch, fields)| {
            let new = fields.keys().enumerate().filter(|(_, name)| own.get(name).is_none());
            new.map(move |(place, _)| (patch, place))
        });
        let mut all: Vec<(Id, usize)> = (0..own.len()).map(|place| (into, place)).chain(added).collect();
        let name = |(source, place): &(Id, usize)| self.tree.fields(*source).and_then(|fields| fields.at(*place));
        all.sort_unstable_by(|a, b| name(a).map(|(name, _)| name).cmp(&name(b).map(|(name, _)| name)));
        all
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
