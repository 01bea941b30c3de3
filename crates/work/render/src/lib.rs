//! From stores to objects: what a service deploys, fetched, filled in and read (kubernetes-deploy §1.3–1.6).
//!
//! [`Renderer`] fetches the files of a service from Git, from repositories of charts, from the server or from the task itself,
//! pins everything to one commit or version, merges values, and makes manifests of templates, kustomizations and charts.
//! [`Rendered::objects`] makes them the objects of a deployment. What was fetched and rendered once is kept by content.

mod bridge;
mod cache;
pub mod catalogue;
mod chart;
mod chart_source;
mod charts;
mod choice;
mod context;
pub mod disk;
mod error;
mod files;
mod fill;
mod flags;
mod growing;
mod images;
mod kustomization;
mod layers;
pub mod local;
mod outside;
mod patches;
mod pins;
mod plain;
pub mod provenance;
mod rendered;
mod renderer;
mod store;
mod tree;
mod values;
mod waits;

pub use cache::Counts;
pub use charts::{ChartsBeside, template_chart};
pub use error::RenderError;
pub use outside::Hosts;
pub use rendered::{Rendered, RenderedFile};
pub use renderer::{Renderer, Request};
