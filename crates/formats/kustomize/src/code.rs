//! The codes of this crate. Each has a page in `docs/errors`.

/// A file, folder or address that cannot be read.
pub const LOAD: &str = "KUST0001";
/// A file outside the folder that may name it.
pub const SECURITY: &str = "KUST0002";
/// A kustomization that leads to itself.
pub const CYCLE: &str = "KUST0003";
/// A kustomization file that nobody understands.
pub const KUSTOMIZATION: &str = "KUST0004";
/// Text that is not YAML, or not an object.
pub const MALFORMED: &str = "KUST0005";
/// Two objects with one id.
pub const IDENTITY: &str = "KUST0006";
/// A ConfigMap or Secret that cannot be generated.
pub const GENERATOR: &str = "KUST0007";
/// A patch that cannot be read, finds nothing or does not fit.
pub const PATCH: &str = "KUST0008";
/// A field path that leads nowhere.
pub const FIELD: &str = "KUST0009";
/// A name that could mean several objects.
pub const REFERENCE: &str = "KUST0010";
/// A replacement without source or target.
pub const REPLACEMENT: &str = "KUST0011";
/// A variable that is defined twice or means nothing.
pub const VARIABLE: &str = "KUST0012";
/// A plugin that does not exist or is not offered.
pub const PLUGIN: &str = "KUST0013";
/// A chart that cannot be rendered.
pub const CHART: &str = "KUST0014";
/// More than a build may hold.
pub const LIMIT: &str = "KUST0015";
