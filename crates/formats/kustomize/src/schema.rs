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
    builtin: Cell<Builtins>,
}

#[derive(Debug)]
enum Chosen {
    Builtin,
    /// A custom one, and what had become of the built-in one before it.
    Custom(Rc<Custom>, Builtins),
}

/// What became of the built-in schema: the reference reads it when it is needed, and what is read last wins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Builtins {
    #[default]
    Unneeded,
    /// Somebody asked where an unknown kind lives: it is read at the next need, behind a custom one.
    Awaited,
    Read,
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
            let _ = self.chosen.set(Chosen::Custom(Rc::new(Custom::read(file, text)?), self.builtin.get()));
        }
        Ok(())
    }

    pub(crate) fn is_cluster_scoped(&self, api_version: &str, kind: &str) -> bool {
        builtin::is_cluster_scoped(api_version, kind).unwrap_or_else(|| match self.chosen.get() {
            Some(Chosen::Custom(custom, _)) => custom.is_cluster_scoped(api_version, kind),
            _ => {
                if self.builtin.get() == Builtins::Unneeded {
                    self.builtin.set(Builtins::Awaited);
                }
                false
            }
        })
    }

    /// The type of a kind of objects.
    pub(crate) fn of_kind(&self, api_version: &str, kind: &str) -> Option<Type> {
        let builtin = || Builtin::get().of_kind(api_version, kind).map(Type::Builtin);
        let Some(Chosen::Custom(custom, before)) = self.chosen.get() else {
            self.builtin.set(Builtins::Read);
            return builtin();
        };
        let own = || custom.of_kind(api_version, kind).map(|at| Type::Custom(Rc::clone(custom), at));
        match before {
            Builtins::Unneeded => own(),
            Builtins::Awaited => builtin().or_else(own),
            Builtins::Read => own().or_else(builtin),
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
