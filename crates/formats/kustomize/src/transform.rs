//! What changes the objects of a kustomization (rendering §1.2).

mod affix;
mod hash;
mod image;
mod json_patch;
mod json_pointer;
mod labels;
mod merge;
mod merge_list;
mod namespace;
mod patch;
mod replacement;
mod replacement_path;
mod replicas;
mod value_add;
mod values;

pub(crate) use affix::{Affix, Side};
pub(crate) use hash::hash_names;
pub(crate) use image::ImageTag;
pub(crate) use labels::{Labels, Target as LabelTarget};
pub(crate) use namespace::{Namespace, SubjectMode};
pub(crate) use patch::{JsonPatch6902, PatchFile, StrategicPatches};
pub(crate) use replacement::Replacements;
pub(crate) use replacement_path::lookup;
pub(crate) use replicas::ReplicaCount;
pub(crate) use value_add::ValueAdd;
pub(crate) use values::merge_values;

use crate::error::Result;
use crate::options::Compat;
use crate::set::Set;

/// A transformer with everything that it needs.
#[derive(Debug)]
pub(crate) enum Transformer {
    StrategicPatches(StrategicPatches),
    Patch(Box<PatchFile>),
    Namespace(Namespace),
    Affix(Affix),
    Labels(Labels),
    JsonPatch(Box<JsonPatch6902>),
    Replicas(ReplicaCount),
    Image(ImageTag),
    Replacements(Replacements),
    ValueAdd(ValueAdd),
    Hash,
}

impl Transformer {
    pub(crate) fn run(&self, set: &mut Set, compat: Compat) -> Result<()> {
        match self {
            Self::StrategicPatches(it) => it.run(set),
            Self::Patch(it) => it.run(set, compat),
            Self::Namespace(it) => it.run(set, compat),
            Self::Affix(it) => it.run(set),
            Self::Labels(it) => it.run(set),
            Self::JsonPatch(it) => it.run(set),
            Self::Replicas(it) => it.run(set),
            Self::Image(it) => it.run(set),
            Self::Replacements(it) => it.run(set, compat),
            Self::ValueAdd(it) => it.run(set, compat),
            Self::Hash => hash_names(set),
        }
    }
}
