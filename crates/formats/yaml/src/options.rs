/// Which table turns unquoted text into values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Schema {
    /// YAML 1.2 core: pipelines and every other document of the platform.
    Core,
    /// The rules by which Kubernetes objects are read (rendering §0.2).
    Objects,
    /// The rules of kustomization files, YAML patches, charts, values and `fromYaml`: `yes`, `on` and `y` are booleans,
    /// as values and as keys; dates stay text (rendering, correction a).
    Control,
}

/// How much of a text is read before it is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of the text as it came.
    pub bytes: usize,
    /// Characters of the text after each alias is replaced by what it stands for.
    pub expanded: usize,
    /// Scalars, lists and mappings after each alias is replaced. A node takes about a hundred bytes.
    pub nodes: usize,
    /// Lists and mappings within each other.
    pub depth: usize,
}

impl Limits {
    /// What a document of the platform may hold (pipelines, "Global facts": 3 MiB).
    pub const DOCUMENT: Self = Self { bytes: 3 << 20, expanded: 3 << 20, nodes: 300_000, depth: 100 };

    /// What a file of manifests, a chart or a values file may hold.
    pub const MANIFESTS: Self = Self { bytes: 32 << 20, expanded: 32 << 20, nodes: 1_000_000, depth: 100 };
}

/// How a text is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    pub schema: Schema,
    pub limits: Limits,
    pub repeated_keys: RepeatedKeys,
}

/// What becomes of a mapping with the same key twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RepeatedKeys {
    Refused,
    /// The later one counts, as it does for the reference in kustomization files.
    LastCounts,
}

impl Options {
    /// A pipeline, or another document of the platform.
    pub const DOCUMENT: Self =
        Self { schema: Schema::Core, limits: Limits::DOCUMENT, repeated_keys: RepeatedKeys::Refused };
    /// Kubernetes objects.
    pub const OBJECTS: Self =
        Self { schema: Schema::Objects, limits: Limits::MANIFESTS, repeated_keys: RepeatedKeys::Refused };
    /// Kustomization files, YAML patches, charts and values.
    pub const CONTROL: Self =
        Self { schema: Schema::Control, limits: Limits::MANIFESTS, repeated_keys: RepeatedKeys::Refused };
}
