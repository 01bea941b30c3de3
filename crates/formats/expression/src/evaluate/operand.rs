use crate::Value;

/// A value on its way through an expression.
#[derive(Clone, Debug)]
pub(crate) struct Operand {
    pub(crate) value: Value,
    pub(crate) standing: Standing,
}

/// What is known about where an [`Operand`] came from.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Standing {
    /// Final.
    Known,
    /// Written by an author and reached by this path: texts in it may hold expressions that were not evaluated yet.
    Raw(String),
    /// Null because there is nothing; already noted.
    Absent,
}

impl Operand {
    pub(crate) fn known(value: Value) -> Self {
        Self { value, standing: Standing::Known }
    }

    pub(crate) fn absent() -> Self {
        Self { value: Value::Null, standing: Standing::Absent }
    }

    pub(crate) fn is_absent(&self) -> bool {
        self.standing == Standing::Absent
    }

    /// A part of it, reached by `key`.
    pub(crate) fn part(&self, value: Value, key: &str) -> Self {
        let standing = match &self.standing {
            Standing::Raw(path) => Standing::Raw(crate::scope::spell_key(path, key)),
            other => other.clone(),
        };
        Self { value, standing }
    }
}
