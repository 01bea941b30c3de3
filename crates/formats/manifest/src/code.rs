//! The codes of this crate. Each has a page in `docs/errors`.

/// A document that is not an object.
pub const NOT_AN_OBJECT: &str = "OBJ0001";
/// An object without apiVersion, kind or name.
pub const MISSING: &str = "OBJ0002";
/// A field of the metadata that has the wrong type.
pub const BAD_METADATA: &str = "OBJ0003";
/// `generateName` where objects must keep their names.
pub const GENERATE_NAME: &str = "OBJ0004";
/// The same object twice.
pub const DUPLICATE: &str = "OBJ0005";
/// A namespace other than that of the infrastructure, where the setting forbids it.
pub const NAMESPACE: &str = "OBJ0006";
/// A kind that neither the cluster nor the set knows.
pub const UNKNOWN_KIND: &str = "OBJ0007";
/// A namespace on an object that lives in none.
pub const CLUSTER_SCOPED: &str = "OBJ0008";
/// More objects, or lists nested deeper, than are taken.
pub const TOO_MUCH: &str = "OBJ0009";
/// A placeholder for the image tag that was left, or stands where it may not (pipelines §11, decisions "Placeholder tag").
pub const PLACEHOLDER: &str = "SEED-38";
/// Not the one managed workload that the strategy needs.
pub const ONE_WORKLOAD: &str = "OBJ0010";
/// Services of which it is not clear which one is primary.
pub const SERVICES: &str = "OBJ0011";
/// Something that the strategy does, and that the author should know.
pub const STRATEGY: &str = "OBJ0012";
