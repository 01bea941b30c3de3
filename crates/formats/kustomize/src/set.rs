//! The objects of a kustomization, in order.

use crate::error::{Problem, Result};
use crate::history::Behavior;
use crate::id::Id;
use crate::note;
use crate::object::Object;
use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};

/// Objects, with an index of their ids while nobody changes them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Set {
    objects: Vec<Object>,
    index: Option<Index>,
}

#[derive(Clone, Debug, Default)]
struct Index {
    state: RandomState,
    places: HashMap<u64, Vec<usize>>,
}

impl Set {
    pub(crate) fn objects(&self) -> &[Object] {
        &self.objects
    }

    /// The objects, to change them.
    pub(crate) fn objects_mut(&mut self) -> &mut Vec<Object> {
        self.index = None;
        &mut self.objects
    }

    pub(crate) fn into_objects(self) -> Vec<Object> {
        self.objects
    }

    fn index(&mut self) -> &mut Index {
        self.index.get_or_insert_with(|| {
            let mut index = Index::default();
            for (place, object) in self.objects.iter().enumerate() {
                index.add(&object.id(), place);
            }
            index
        })
    }

    /// Adds objects; two with one id are refused.
    pub(crate) fn append_all(&mut self, objects: impl IntoIterator<Item = Object>) -> Result<()> {
        objects.into_iter().try_for_each(|object| self.append(object))
    }

    pub(crate) fn append(&mut self, object: Object) -> Result<()> {
        self.index();
        let id = object.id();
        let Some(index) = &mut self.index else { return Ok(()) };
        if let Some(other) = index.find(&id).find(|place| self.objects.get(*place).is_some_and(|o| o.id().same(&id))) {
            let what = format!("may not add resource with an already registered id: {id}");
            let error = Problem::Identity.says(what).at(object.place());
            return Err(match self.objects.get(other).and_then(Object::place) {
                Some(first) => {
                    error.remedy(format!("it is there already, from {first}; rename or remove one of the two"))
                }
                None => error.remedy("rename or remove one of the two"),
            });
        }
        index.add(&id, self.objects.len());
        self.objects.push(object);
        Ok(())
    }

    /// Objects of which the present id or a former one is the same as `id`.
    pub(crate) fn matching_any(&self, id: &Id<'_>) -> Vec<usize> {
        self.places(|object| object.any_id(|other| id.same(other)))
    }

    pub(crate) fn places(&self, passes: impl Fn(&Object) -> bool) -> Vec<usize> {
        let kept = self.objects.iter().enumerate().filter(|(_, object)| !object.is_empty() && passes(object));
        kept.map(|(place, _)| place).collect()
    }

    /// Adds what a generator made, or brings it together with what is there (rendering §1.5).
    pub(crate) fn absorb(&mut self, mut made: Object) -> Result<()> {
        let behavior = made.history.behavior.unwrap_or(Behavior::Unspecified);
        let matches = self.matching_any(&made.id());
        let id = made.id().to_string();
        let refuse = |what: String| Problem::Generator.says(what).at(made.place());
        let place = match matches[..] {
            [] if matches!(behavior, Behavior::Merge | Behavior::Replace) => {
                return Err(refuse(format!("id {id} does not exist; cannot merge or replace"))
                    .remedy("generate it in the base, or use the behavior create"));
            }
            [] => return self.append(made),
            [place] => place,
            _ => return Err(refuse(format!("found multiple objects that could accept merge of {id}"))),
        };
        let Some(old) = self.objects.get(place) else { return Ok(()) };
        if !matches!(behavior, Behavior::Merge | Behavior::Replace) {
            let what = format!(
                "id {id} exists; can not use behavior: '{}', behavior must be merge or replace",
                behavior.name()
            );
            return Err(refuse(what).remedy("set the behavior to merge or replace"));
        }
        made.take_metadata_of(old)?;
        if behavior == Behavior::Merge {
            made.take_data_of(old, "data")?;
            made.take_data_of(old, "binaryData")?;
            let origin = old.tree.meta_map("annotations").find(|(key, _)| *key == note::ORIGIN);
            if let Some((_, origin)) = origin {
                note::set(&mut made, note::ORIGIN, Some(origin.to_owned()))?;
            }
        }
        // A patch may have made another kind of the old object, which was found by its former id.
        let now = made.id();
        let is_there = self.objects.get(place).is_some_and(|old| old.id().same(&now));
        if !is_there {
            let what = format!("cannot find resource with id {now} to replace");
            return Err(Problem::Generator.says(what).at(made.place()).remedy("its kind was changed below"));
        }
        if let Some(slot) = self.objects_mut().get_mut(place) {
            *slot = made;
        }
        Ok(())
    }

    /// Leaves out what became empty.
    pub(crate) fn drop_empty(&mut self) {
        if self.objects.iter().any(Object::is_empty) {
            self.objects_mut().retain(|object| !object.is_empty());
        }
    }
}

impl Index {
    fn hash(&self, id: &Id<'_>) -> u64 {
        self.state.hash_one(id.key())
    }

    fn add(&mut self, id: &Id<'_>, place: usize) {
        let hash = self.hash(id);
        self.places.entry(hash).or_default().push(place);
    }

    fn find(&self, id: &Id<'_>) -> impl Iterator<Item = usize> {
        self.places.get(&self.hash(id)).into_iter().flatten().copied()
    }
}
