use super::Value;
use std::fmt;

/// Go's type of a list, a map or a struct, as far as templates can tell types apart.
pub struct Type {
    pub name: &'static str,
    /// What a key gives that is not there.
    pub element: Element,
    /// The list or map was never made: JSON and YAML say `null`.
    pub is_nil: bool,
    /// The result of a method; nothing when there is no such method.
    pub methods: Option<Methods>,
    /// The methods belong to pointers. A copy that a function gets is of this type, which has none.
    pub copied: Option<&'static Type>,
}

/// What a list or map holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Element {
    Any,
    Text,
    Bytes,
}

/// Carries a method out: the value, the name, the arguments.
pub type Methods = fn(&Value, &str, &[Value]) -> Option<Result<Value, String>>;

impl Type {
    pub const fn new(name: &'static str) -> Self {
        Self { name, element: Element::Any, is_nil: false, methods: None, copied: None }
    }

    #[must_use]
    pub const fn of(mut self, element: Element) -> Self {
        self.element = element;
        self
    }

    #[must_use]
    pub const fn nil(mut self) -> Self {
        self.is_nil = true;
        self
    }

    #[must_use]
    pub const fn copied_as(mut self, copy: &'static Type) -> Self {
        self.copied = Some(copy);
        self
    }

    #[must_use]
    pub const fn with(mut self, methods: Methods) -> Self {
        self.methods = Some(methods);
        self
    }

    /// Maps that functions take where they want `map[string]interface {}`: Go converts a named type of that shape.
    pub(crate) fn is_plain_map(&self) -> bool {
        matches!(self.name, "map[string]interface {}" | "chartutil.Values")
    }
}

impl fmt::Debug for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// What lists are made of nothing special.
pub static LIST: Type = Type::new("[]interface {}");
/// `splitList`, `keys`, `sortAlpha`.
pub static TEXTS: Type = Type::new("[]string").of(Element::Text);
/// A list that was never made: `rest` of an empty one.
pub static NO_ITEMS: Type = Type::new("[]interface {}").nil();
/// `regexFindAll` that found nothing.
pub static NO_TEXTS: Type = Type::new("[]string").of(Element::Text).nil();
/// `until`.
pub static INTS: Type = Type::new("[]int");
/// `chunk`.
pub static LISTS: Type = Type::new("[][]interface {}");
/// What maps are that hold anything.
pub static MAP: Type = Type::new("map[string]interface {}");
/// `split`.
pub static TEXT_MAP: Type = Type::new("map[string]string").of(Element::Text);
