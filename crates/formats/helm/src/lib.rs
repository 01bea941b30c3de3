//! Helm's charts, rendered as `helm template` of Helm 3.22 renders them, to the byte (rendering §3 and its corrections).
//!
//! [`Chart::load`] reads the files of a folder, [`Chart::load_archive`] a packed chart; [`Values`] merges what people set;
//! [`template`] renders. Nothing here reads files, the network, the clock or chance: what a chart needs from outside comes
//! through [`World`], [`Fetch`] and [`PostRender`].

mod archive;
mod capabilities;
mod chart;
mod context;
mod decode;
mod dependency;
mod error;
mod files;
mod ignore;
mod manifest;
mod pattern;
mod release;
mod render;
mod schema;
mod values;

pub use archive::ArchiveLimits;
pub use capabilities::{Capabilities, HelmVersion, KubeVersion};
pub use chart::{Chart, Dependency, File, Lock, Maintainer, Metadata};
pub use dependency::Fetch;
pub use error::{FileProblem, HelmError};
pub use manifest::{Document, Hook};
pub use release::Options;
pub use render::{PostRender, Rendered, template};
pub use values::{Sources, Table, Values};
pub use windlass_gotemplate::{Isolated, Limits, World};
