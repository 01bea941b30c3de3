//! From stores to objects: what a service deploys, fetched, filled in and read (kubernetes-deploy §1.3–1.6).
//!
//! [`Renderer`] fetches the files of a service from Git, from the server or from the task itself, pins each repository to one
//! commit, merges values, fills in templates, and gives back texts with their places. [`Rendered::objects`] makes them the
//! objects of a deployment. Kinds of manifests that are not there yet are refused by name.

pub mod catalogue;
mod charts;
mod choice;
mod context;
pub mod disk;
mod error;
mod files;
mod fill;
mod images;
mod layers;
mod pins;
mod rendered;
mod renderer;
mod store;
mod values;

pub use charts::DiskCharts;
pub use error::RenderError;
pub use rendered::{Rendered, RenderedFile};
pub use renderer::{Renderer, Request};
