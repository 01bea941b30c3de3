//! `replicas` (rendering §1.9).

use crate::error::{Problem, Result};
use crate::fieldspec::{Create, FieldSpec, walk};
use crate::kustomization::Replica;
use crate::set::Set;
use crate::tree::{Scalar, Tag};

#[derive(Debug)]
pub(crate) struct ReplicaCount {
    pub(crate) replica: Replica,
    pub(crate) fields: Vec<FieldSpec>,
}

impl ReplicaCount {
    pub(crate) fn run(&self, set: &mut Set) -> Result<()> {
        let mut found = false;
        for spec in &self.fields {
            let named =
                set.places(|object| object.any_id(|id| id.name == self.replica.name && id.is_selected(&spec.gvk)));
            for place in named {
                found = true;
                let Some(object) = set.objects_mut().get_mut(place) else { continue };
                if !spec.matches(object) {
                    continue;
                }
                walk(object, spec, Create::INT, &mut |tree, at| {
                    tree.set_scalar(at, Scalar::tagged(self.replica.count.to_string(), Tag::Int))?;
                    tree.changed(at, "replicas", self.replica.place.as_ref());
                    Ok(())
                })?;
            }
        }
        if found {
            return Ok(());
        }
        let kinds: Vec<String> = self.fields.iter().map(|spec| spec.gvk.to_string()).collect();
        let what = format!(
            "resource with name {} does not match a config with the following GVK [{}]",
            self.replica.name,
            kinds.join(" ")
        );
        Err(Problem::Reference
            .says(what)
            .at(self.replica.place.as_ref())
            .remedy("name a Deployment, ReplicaSet, ReplicationController or StatefulSet of this kustomization"))
    }
}
