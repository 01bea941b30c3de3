//! `namePrefix` and `nameSuffix` (rendering §1.8).

use crate::conf::Text;
use crate::error::Result;
use crate::fieldspec::{Create, FieldSpec, apply};
use crate::id::Id;
use crate::set::Set;
use crate::tree::Scalar;

#[derive(Debug)]
pub(crate) struct Affix {
    pub(crate) side: Side,
    pub(crate) text: Text,
    pub(crate) fields: Vec<FieldSpec>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Prefix,
    Suffix,
}

impl Affix {
    pub(crate) fn run(&self, set: &mut Set) -> Result<()> {
        let by = match self.side {
            Side::Prefix => "namePrefix",
            Side::Suffix => "nameSuffix",
        };
        for object in set.objects_mut() {
            if keeps_its_name(&object.original_id()) {
                continue;
            }
            let fields: Vec<&FieldSpec> =
                self.fields.iter().filter(|spec| object.original_id().is_selected(&spec.gvk)).collect();
            for spec in fields {
                if spec.path == "metadata/name" && !self.text.is_empty() {
                    let list = match self.side {
                        Side::Prefix => &mut object.history.prefixes,
                        Side::Suffix => &mut object.history.suffixes,
                    };
                    list.push(self.text.text.clone());
                    object.remember_id();
                }
                apply(object, spec, Create::TEXT, &mut |tree, at| {
                    let old = tree.text(at);
                    let new = match self.side {
                        Side::Prefix => format!("{}{old}", self.text.text),
                        Side::Suffix => format!("{old}{}", self.text.text),
                    };
                    tree.set_scalar(at, Scalar::plain(new))?;
                    tree.changed(at, by, self.text.place.as_ref());
                    Ok(())
                })?;
            }
        }
        Ok(())
    }
}

/// Kinds whose names mean something to others.
fn keeps_its_name(id: &Id<'_>) -> bool {
    match id.kind {
        "CustomResourceDefinition" | "Namespace" => true,
        "APIService" => id.group == "apiregistration.k8s.io",
        _ => false,
    }
}
