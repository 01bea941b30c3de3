//! What images do, as data, and the metrics of the pods that run them.
//!
//! A [`Catalog`] says what containers do by their image: how long they take to pull, start and become ready, whether they
//! crash, how many requests they serve, how many of those fail, how long they take. A [`Fleet`] puts together when which pod
//! ran and served, from any API server, real or simulated. A [`MetricsServer`] answers Prometheus queries about it. In a
//! simulated cluster [`SimulatedImages`] make the pods behave as the catalogue says.
//!
//! Nothing is measured or stored: a counter is a function of the seed, the pod and the time, with the noise of real traffic.
//! So the same rehearsal gives the same numbers, and ten minutes of traffic cost nothing when the clock is virtual.

mod api;
mod arrivals;
mod catalog;
mod chance;
mod fleet;
mod follow;
mod image;
mod labels;
mod latency;
mod logs;
mod profile;
mod promql;
mod readings;
mod series;
mod simulated;

pub use api::{MetricsServer, SharedFleet};
pub use catalog::{Catalog, Entry, MetricNames};
pub use fleet::Fleet;
pub use follow::ApiServer;
pub use image::{Image, Pattern, PatternError};
pub use labels::{Labels, Matcher, Test};
pub use logs::Line;
pub use profile::{Cpu, Exit, Flaps, Latency, LogMoment, LogTemplate, Memory, Profile, Pull, Readiness, Traffic};
pub use promql::QueryError;
pub use series::exposition;
pub use simulated::SimulatedImages;
