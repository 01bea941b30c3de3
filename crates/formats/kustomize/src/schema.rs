//! Which lists a strategic merge goes into, and which kinds live outside of namespaces (rendering §1.16).

mod builtin;
mod custom;

use crate::error::Result;
use builtin::{Builtin, TypeId};
use custom::Custom;
use std::cell::{Cell, OnceCell};
use std::rc::Rc;
use std::sync::Arc;

/// The schema of a build. The first custom one that is set stays.
#[derive(Debug, Default)]
pub(crate) struct Schema {
    chosen: OnceCell<Chosen>,
    /// Whether the built-in one was looked at before: the reference reads it then, and a custom one only adds to it.
    builtin_is_read: Cell<bool>,
}

#[derive(Debug)]
enum Chosen {
    Builtin,
    Custom(Rc<Custom>),
}

/// The type of a node, on the way down from the kind of an object.
#[derive(Clone, Debug)]
pub(crate) enum Type {
    Builtin(TypeId),
    Custom(Rc<Custom>, custom::At),
}

/// What is known of a field.
#[derive(Clone, Debug, Default)]
pub(crate) struct Field {
    /// The type of the value, or of the elements of a list.
    pub(crate) of: Option<Type>,
    /// The keys by which elements are matched, when the list is merged; empty for scalars.
    pub(crate) merge: Option<Arc<[String]>>,
}

impl Schema {
    /// Chooses the built-in schema by its version.
    pub(crate) fn choose_builtin(&self) {
        let _ = self.chosen.set(Chosen::Builtin);
    }

    /// Chooses an OpenAPI document.
    pub(crate) fn choose(&self, file: &str, text: &str) -> Result<()> {
        if self.chosen.get().is_none() {
            let _ = self.chosen.set(Chosen::Custom(Rc::new(Custom::read(file, text)?)));
        }
        Ok(())
    }

    pub(crate) fn is_cluster_scoped(&self, api_version: &str, kind: &str) -> bool {
        if builtin::is_cluster_scoped(api_version, kind) {
            return true;
        }
        match self.chosen.get() {
            Some(Chosen::Custom(custom)) => custom.is_cluster_scoped(api_version, kind),
            _ => false,
        }
    }

    /// The type of a kind of objects.
    pub(crate) fn of_kind(&self, api_version: &str, kind: &str) -> Option<Type> {
        match self.chosen.get() {
            Some(Chosen::Custom(custom)) => {
                let own = custom.of_kind(api_version, kind).map(|at| Type::Custom(Rc::clone(custom), at));
                own.or_else(|| {
                    let builtin = || Builtin::get().of_kind(api_version, kind).map(Type::Builtin);
                    self.builtin_is_read.get().then(builtin).flatten()
                })
            }
            _ => {
                self.builtin_is_read.set(true);
                Builtin::get().of_kind(api_version, kind).map(Type::Builtin)
            }
        }
    }
}

impl Type {
    pub(crate) fn field(&self, name: &str) -> Field {
        match self {
            Self::Builtin(id) => Builtin::get().field(*id, name),
            Self::Custom(custom, at) => custom.field(custom, at, name),
        }
    }
}
