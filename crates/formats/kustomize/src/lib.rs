//! Kustomize, rendered in process (rendering §1).
//!
//! [`build`] is a function from files to objects: it reads them through [`Files`], repositories and addresses through
//! [`Fetch`], charts through [`Charts`], and touches nothing else. The text of the result is that of the reference, byte for
//! byte, and every value knows where it was written and what changed it.
//!
//! ```
//! use windlass_kustomize::{MemoryFiles, Options, build};
//!
//! let files: MemoryFiles = [
//!     ("/app/kustomization.yaml", "namePrefix: dev-\nresources: [map.yaml]\n"),
//!     ("/app/map.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\n"),
//! ]
//! .into_iter()
//! .collect();
//! let built = build(&files, "/app", &Options::default()).unwrap();
//! assert_eq!(built.to_yaml(), "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: dev-settings\n");
//! ```

mod accumulate;
mod build;
mod built;
mod chart;
pub mod code;
mod conf;
mod config;
mod crd;
mod error;
mod fieldspec;
mod files;
mod generate;
mod git_url;
mod history;
mod id;
mod kustomization;
mod loader;
mod note;
mod object;
mod objects;
mod options;
mod plugin;
mod reference;
mod schema;
mod selector;
mod set;
mod sort;
mod transform;
mod tree;
mod variable;

pub use build::build;
pub use built::{Built, BuiltObject, Line};
pub use error::{KustomizeError, Problem};
pub use files::{ChartRequest, Charts, Checkout, Fetch, Files, GitSource, HttpError, MemoryFiles, Resolved};
pub use kustomization::NAMES;
pub use options::{Compat, LoadRestriction, Options, Reorder};
pub use tree::{Change, Origin};
