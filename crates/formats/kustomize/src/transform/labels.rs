//! `labels`, `commonLabels` and `commonAnnotations` (rendering §1.8).

use crate::conf::Texts;
use crate::error::Result;
use crate::fieldspec::{Create, FieldSpec, walk};
use crate::set::Set;
use crate::tree::{Data, Id, Origin, Scalar};

#[derive(Debug)]
pub(crate) struct Labels {
    pub(crate) target: Target,
    pub(crate) pairs: Texts,
    pub(crate) fields: Vec<FieldSpec>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    Labels,
    Annotations,
}

impl Target {
    fn field(self) -> &'static str {
        match self {
            Self::Labels => "labels",
            Self::Annotations => "commonAnnotations",
        }
    }
}

impl Labels {
    pub(crate) fn run(&self, set: &mut Set) -> Result<()> {
        if self.pairs.is_empty() {
            return Ok(());
        }
        for object in set.objects_mut() {
            let fields = FieldSpec::of(&self.fields, object);
            for (key, value) in &self.pairs {
                // One node for all places of the object where the key is new.
                let mut shared: Option<Id> = None;
                for spec in &fields {
                    walk(object, spec, Create::MAP, &mut |tree, at| {
                        let place = value.place.as_ref();
                        match tree.get(at, key) {
                            Some(field) => {
                                let origin = tree.node(field).origin.clone();
                                let id = tree.push(Data::Scalar(Scalar::string(value.text.as_str())), origin);
                                tree.set_field(at, key, id)?;
                                tree.changed(field, self.target.field(), place);
                            }
                            None => {
                                let id = *shared.get_or_insert_with(|| {
                                    let data = Data::Scalar(Scalar::string(value.text.as_str()));
                                    let id = tree.push(data, Origin::at(place));
                                    tree.changed(id, self.target.field(), place);
                                    id
                                });
                                tree.shares = true;
                                tree.set_field(at, key, id)?;
                            }
                        }
                        Ok(())
                    })?;
                }
            }
        }
        Ok(())
    }
}
