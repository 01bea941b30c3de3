/// How much one rendering may do before it is refused (decisions, "Rendering").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Nodes and commands carried out; what functions make counts one step for 64 bytes.
    pub steps: u64,
    /// Templates within each other.
    pub depth: usize,
    /// Bytes of the result, and of every text on the way to it.
    pub output: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { steps: 10_000_000, depth: 1_000, output: 64 << 20 }
    }
}

/// What happens at a key that a map does not have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MissingKey {
    /// `missingkey=zero`: null; going on below it is an error, as below a null that was written.
    #[default]
    Zero,
    /// `missingkey=default`: no value, and what is below it is no value either.
    Default,
    /// `missingkey=error`.
    Error,
}

/// Whose functions templates may name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dialect {
    /// Manifests of a deployment: what depends on chance, on the moment or on the outside is refused where it is named.
    #[default]
    Manifests,
    /// Helm's charts: such a function may be named, and what it asks for comes from the [`crate::World`], or is refused when it
    /// is called.
    Helm,
}

/// How templates are carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    pub dialect: Dialect,
    pub missing_key: MissingKey,
    /// What is printed where there is no value. Go prints `<no value>`; manifests want nothing (kubernetes-deploy §1.5).
    pub no_value: &'static str,
}

impl Default for Options {
    fn default() -> Self {
        Self { dialect: Dialect::Manifests, missing_key: MissingKey::Zero, no_value: "" }
    }
}

impl Options {
    /// As the program `text/template` does by itself.
    pub const GO: Self = Self { dialect: Dialect::Manifests, missing_key: MissingKey::Default, no_value: "<no value>" };

    /// As Helm renders charts. The words `<no value>` are nothing, also where a chart wrote them.
    pub const HELM: Self = Self { dialect: Dialect::Helm, missing_key: MissingKey::Zero, no_value: "<no value>" };
}
