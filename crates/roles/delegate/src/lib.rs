//! The delegate: a worker in somebody's network that dials out, takes tasks and reports (kubernetes-deploy §4).
//!
//! It keeps nothing but a work folder. What it has said stays in memory until the server has acknowledged it, so a lost connection
//! loses no result; what it has done is in checkpoints at the server, so a lost delegate loses no work.

mod authorities;
mod config;
mod in_process;
mod opening;
mod outfit;
mod proxies;
mod registration;
mod reporter;
mod running;
mod session;
mod silence;
mod worker;

pub use authorities::{Authorities, BundleError};
pub use config::{Config, ConfigError};
pub use in_process::serve_in_process;
pub use outfit::{Outfit, OutfitError};
pub use proxies::Proxies;
pub use windlass_cluster::Identity;
pub use windlass_render::Hosts;
pub use worker::{Stopped, Worker};
