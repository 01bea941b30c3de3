//! What goes into a statement and what comes out of a row.

mod give;
mod take;

pub(crate) use take::{FromValue, Wrong};

use crate::error::Malformed;
use windlass_model::{Identifier, Scope};

/// The four kinds of value both databases share. Truth values are the integers 0 and 1.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Value {
    Null,
    Int(i64),
    Text(String),
    Bytes(Vec<u8>),
}

impl Value {
    pub(crate) const fn kind(&self) -> &'static str {
        match self {
            Self::Null => "nothing",
            Self::Int(_) => "a number",
            Self::Text(_) => "text",
            Self::Bytes(_) => "bytes",
        }
    }
}

/// One row, read from left to right.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    values: std::vec::IntoIter<Value>,
    column: usize,
}

impl Row {
    pub(crate) fn new(values: Vec<Value>) -> Self {
        Self { values: values.into_iter(), column: 0 }
    }

    /// About how much room it takes.
    pub(crate) fn bytes(&self) -> usize {
        let content = |value: &Value| match value {
            Value::Null | Value::Int(_) => 0,
            Value::Text(text) => text.len(),
            Value::Bytes(bytes) => bytes.len(),
        };
        self.values.as_slice().iter().map(|value| size_of::<Value>() + content(value)).sum()
    }

    /// The next column.
    pub(crate) fn take<T: FromValue>(&mut self) -> Result<T, Malformed> {
        self.column += 1;
        let value = self.values.next().unwrap_or(Value::Null);
        T::from_value(value).map_err(|wrong| Malformed {
            column: self.column,
            wanted: wrong.wanted,
            found: wrong.found,
        })
    }

    /// The next two columns, `org` and `project`.
    pub(crate) fn scope(&mut self) -> Result<Scope, Malformed> {
        let org = self.take::<Perhaps<Identifier>>()?.0;
        let project = self.take::<Perhaps<Identifier>>()?.0;
        let column = self.column;
        Scope::of(org, project).ok_or(Malformed {
            column,
            wanted: "a scope",
            found: "a project without organization".into(),
        })
    }
}

/// What a row becomes.
pub(crate) trait Record: Sized {
    fn read(row: &mut Row) -> Result<Self, Malformed>;
}

/// The whole row is one value.
impl<T: FromValue> Record for T {
    fn read(row: &mut Row) -> Result<Self, Malformed> {
        row.take()
    }
}

/// An optional part of a key: the empty text stands for nothing, since keys hold no nulls.
pub(crate) struct Perhaps<T>(pub(crate) Option<T>);

/// `org` and `project` of a scope as they stand in keys.
pub(crate) fn scope_values(scope: &Scope) -> [Value; 2] {
    [Perhaps(scope.org()).into(), Perhaps(scope.project()).into()]
}

/// The values `$1, $2, …` of a statement. `scope: x` stands for two of them.
macro_rules! values {
    (@ $list:ident) => {};
    (@ $list:ident scope: $scope:expr $(, $($rest:tt)*)?) => {
        $list.extend($crate::value::scope_values($scope));
        $($crate::value::values!(@ $list $($rest)*);)?
    };
    (@ $list:ident $value:expr $(, $($rest:tt)*)?) => {
        $list.extend([$crate::value::Value::from($value)]);
        $($crate::value::values!(@ $list $($rest)*);)?
    };
    ($($all:tt)*) => {{
        #[allow(unused_mut)]
        let mut list = Vec::<$crate::value::Value>::new();
        $crate::value::values!(@ list $($all)*);
        list
    }};
}
pub(crate) use values;
