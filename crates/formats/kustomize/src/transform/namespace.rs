//! `namespace` (rendering §1.8).

use crate::conf::Text;
use crate::error::{Problem, Result, Within};
use crate::fieldspec::{Create, FieldSpec, apply, walk};
use crate::object::Object;
use crate::options::Compat;
use crate::set::Set;
use crate::tree::{Id, Kind, Scalar, Tree};
use std::collections::HashMap;
use std::sync::LazyLock;

static METADATA: LazyLock<FieldSpec> = LazyLock::new(|| FieldSpec::everywhere("metadata/namespace"));

#[derive(Debug)]
pub(crate) struct Namespace {
    pub(crate) namespace: Text,
    pub(crate) fields: Vec<FieldSpec>,
    pub(crate) unset_only: bool,
    pub(crate) subjects: SubjectMode,
}

/// Which subjects of role bindings get the namespace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum SubjectMode {
    #[default]
    DefaultOnly,
    AllServiceAccounts,
    None,
}

impl SubjectMode {
    pub(crate) fn of(text: &str) -> Result<Self> {
        match text {
            "" | "defaultOnly" => Ok(Self::DefaultOnly),
            "allServiceAccounts" => Ok(Self::AllServiceAccounts),
            "none" => Ok(Self::None),
            _ => Err(Problem::Plugin.says(format!(
                "invalid value {text:?} for setRoleBindingSubjects: must be one of \"defaultOnly\", \"none\" or \"allServiceAccounts\""
            ))),
        }
    }
}

impl Namespace {
    pub(crate) fn run(&self, set: &mut Set, compat: Compat) -> Result<()> {
        if self.namespace.is_empty() {
            return Ok(());
        }
        for object in set.objects_mut() {
            let helms = object.history.from_helm && compat >= Compat::V5_8;
            if object.is_empty() || helms {
                continue;
            }
            object.remember_id();
            self.transform(object)?;
        }
        refuse_conflicts(set)
    }

    /// One object, without a look at the others.
    pub(crate) fn transform(&self, object: &mut Object) -> Result<()> {
        if !object.id().cluster {
            apply(object, &METADATA, Create::TEXT, &mut |tree, at| self.set(tree, at))?;
        }
        let binding = matches!(object.kind(), "RoleBinding" | "ClusterRoleBinding");
        if binding {
            self.set_subjects(object).within(|| "setting namespace on (cluster)role binding subjects".into())?;
        }
        let core = object.api_version() == "v1";
        for spec in FieldSpec::of(&self.fields, object) {
            let special = match spec.path.as_str() {
                "metadata/namespace" => true,
                "metadata/name" => !core,
                "subjects/namespace" => binding && matches!(&*spec.gvk.kind, "RoleBinding" | "ClusterRoleBinding"),
                _ => false,
            };
            if special {
                continue;
            }
            walk(object, spec, Create::TEXT, &mut |tree, at| self.set(tree, at))
                .within(|| "namespace transformation failed".into())?;
        }
        Ok(())
    }

    fn set(&self, tree: &mut Tree, at: Id) -> Result<()> {
        if self.unset_only && tree.kind(at) == Kind::Scalar && !tree.is_null(at) && !tree.text(at).is_empty() {
            return Ok(());
        }
        tree.set_scalar(at, Scalar::string(self.namespace.text.as_str()))?;
        tree.changed(at, "namespace", self.namespace.place.as_ref());
        Ok(())
    }

    fn set_subjects(&self, object: &mut Object) -> Result<()> {
        let tree = &mut object.tree;
        let (field, wanted) = match self.subjects {
            SubjectMode::None => return Ok(()),
            SubjectMode::DefaultOnly => ("name", "default"),
            SubjectMode::AllServiceAccounts => ("kind", "ServiceAccount"),
        };
        let Some(subjects) = tree.find(&["subjects"]).filter(|id| !tree.is_null(*id)) else { return Ok(()) };
        tree.expect(subjects, Kind::Seq)?;
        for subject in tree.items(subjects).unwrap_or_default().to_vec() {
            let Some(found) = tree.get(subject, field).filter(|id| !tree.is_null(*id)) else { continue };
            tree.expect(found, Kind::Scalar)?;
            if tree.text(found) == wanted {
                let namespace = tree.get_or_create(subject, "namespace", Kind::Scalar)?;
                self.set(tree, namespace)?;
            }
        }
        Ok(())
    }
}

fn refuse_conflicts(set: &Set) -> Result<()> {
    let mut seen: HashMap<_, &Object> = HashMap::with_capacity(set.objects().len());
    for object in set.objects() {
        if let Some(other) = seen.insert(object.id().key(), object) {
            let what = format!("namespace transformation produces ID conflict: {}", object.id());
            let error = Problem::Identity.says(what).at(object.place());
            return Err(match other.place() {
                Some(first) => error.remedy(format!("the other one is from {first}; rename one of the two")),
                None => error.remedy("rename one of the two"),
            });
        }
    }
    Ok(())
}
