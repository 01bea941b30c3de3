//! The schema as text, one line for each resource, type and field.
//!
//! ```text
//! version apps/v1
//! resource deployments deployment Deployment namespaced short=deploy categories=all verbs=create,delete,…
//!   sub scale autoscaling/v1/Scale get,patch,update
//! type io.k8s.api.core.v1.PodSpec struct
//!   containers! [@io.k8s.api.core.v1.Container default={}] list=map:name patch=merge key=name
//!   restartPolicy string enum=Always|Never|OnFailure
//! ```
//!
//! `!` marks required fields, `@` a named type, `[…]` a list and `{…}` a map of what stands inside, `~` a blank in a value.

mod read;
mod write;

pub(super) use read::read;
pub(super) use write::write;

use super::Format;

const HEADER: &str = "\
# Facts about the kinds and types of Kubernetes 1.34, generated from discovery and OpenAPI documents. Do not edit:
# cargo run -p windlass-manifest --example gen-schema -- FOLDER
";

const SCALARS: [(&str, Format); 12] = [
    ("bool", Format::Boolean),
    ("string", Format::String),
    ("text", Format::OtherString),
    ("bytes", Format::Bytes),
    ("time", Format::DateTime),
    ("int", Format::Integer),
    ("int32", Format::Int32),
    ("int64", Format::Int64),
    ("number", Format::Number),
    ("double", Format::Double),
    ("int-or-string", Format::IntOrString),
    ("quantity", Format::Quantity),
];
