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

/// How templates are carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    pub missing_key: MissingKey,
    /// What is printed where there is no value. Go prints `<no value>`; manifests want nothing (kubernetes-deploy §1.5).
    pub no_value: &'static str,
}

impl Default for Options {
    fn default() -> Self {
        Self { missing_key: MissingKey::Zero, no_value: "" }
    }
}

impl Options {
    /// As the program `text/template` does by itself.
    pub const GO: Self = Self { missing_key: MissingKey::Default, no_value: "<no value>" };
}
