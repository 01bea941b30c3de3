//! The document that tells what images do.
//!
//! ```yaml
//! default: {traffic: {rate: 5}}
//! workloads:
//!   - image: "*/payment-service"
//!     tag: v2.3.1
//!     readiness: {after: 3s}
//!     traffic: {rate: 40, errorRate: 0.04, latency: {median: 45ms, p99: 300ms}}
//!   - image: "*/payment-service"
//!     tag: v2.3.2
//!     pull: {fails: "manifest unknown"}
//! ```
//!
//! The first entry that fits an image counts; its fields stand for themselves and inherit nothing from `default`.

mod read;

use crate::image::{Image, Pattern};
use crate::profile::Profile;
use std::collections::BTreeSet;
use windlass_diagnostic::Diagnostics;
use windlass_yaml::{Options, Reader, Report, parse_one};

/// Names of the metrics that are served.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MetricNames {
    /// Counter with a status label.
    pub requests: String,
    /// Histogram in seconds; `_bucket`, `_sum` and `_count` are added.
    pub duration: String,
    /// The label that holds `200` or `500`.
    pub status_label: String,
}

impl Default for MetricNames {
    fn default() -> Self {
        Self {
            requests: "http_requests_total".to_owned(),
            duration: "http_request_duration_seconds".to_owned(),
            status_label: "status".to_owned(),
        }
    }
}

/// What images do.
#[derive(Clone, Debug, Default)]
pub struct Catalog {
    entries: Vec<Entry>,
    default: Profile,
    pub(crate) names: MetricNames,
    struck: Option<Struck>,
}

/// What happens to images that nobody spared.
#[derive(Clone, Debug)]
struct Struck {
    spared: BTreeSet<String>,
    entries: Vec<Profile>,
    default: Profile,
}

/// One rule. Absent patterns fit everything.
#[derive(Clone, Debug)]
pub struct Entry {
    pub repository: Option<Pattern>,
    pub tag: Option<Pattern>,
    pub namespace: Option<Pattern>,
    pub profile: Profile,
}

impl Catalog {
    /// Reads YAML or JSON. All problems of the document come in one answer.
    pub fn parse(file: &str, text: &str) -> Result<Self, Diagnostics> {
        let document = parse_one(file, text, &Options::DOCUMENT)?;
        let report = Report::default();
        let catalog = read::catalog(&Reader::new(&document.root, &report));
        let (catalog, _) = report.into_diagnostics().into_result(catalog)?;
        Ok(catalog.unwrap_or_default())
    }

    pub fn new(entries: Vec<Entry>, default: Profile) -> Self {
        Self { entries, default, names: MetricNames::default(), struck: None }
    }

    /// The entries, of which the first that fits counts.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// What images do that no entry fits.
    pub fn otherwise(&self) -> &Profile {
        &self.default
    }

    /// Strikes every image with a fault but those that are spared, given as pods name them.
    #[must_use]
    pub fn struck(mut self, spared: BTreeSet<String>, strike: impl Fn(&mut Profile)) -> Self {
        let strike = |profile: &Profile| {
            let mut profile = profile.clone();
            strike(&mut profile);
            profile
        };
        let entries = self.entries.iter().map(|entry| strike(&entry.profile)).collect();
        self.struck = Some(Struck { spared, entries, default: strike(&self.default) });
        self
    }

    /// What a container with this image does in this namespace.
    pub fn profile(&self, namespace: &str, image: &str) -> &Profile {
        let struck = self.struck.as_ref().filter(|struck| !struck.spared.contains(image));
        let image = Image::parse(image);
        let fits = |pattern: &Option<Pattern>, text: &str| pattern.as_ref().is_none_or(|pattern| pattern.fits(text));
        let found = self.entries.iter().position(|entry| {
            fits(&entry.repository, image.repository)
                && fits(&entry.tag, image.tag)
                && fits(&entry.namespace, namespace)
        });
        match (found, struck) {
            (Some(found), None) => &self.entries[found].profile,
            (Some(found), Some(struck)) => &struck.entries[found],
            (None, None) => &self.default,
            (None, Some(struck)) => &struck.default,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use windlass_model::Millis;

    #[test]
    fn a_document_says_what_images_do() {
        let text = r"
metrics: {requests: app_requests_total, statusLabel: code}
default: {traffic: {rate: 5}, memory: {base: 64Mi}}
workloads:
  - image: '*/payment-service'
    tag: v2.3.1
    start: 2s
    pull: {takes: 800ms}
    readiness: {after: 3s, flaps: {ready: 20s, unready: 5s}}
    traffic: {rate: 40, errorRate: 4%, latency: {median: 45ms, p99: 300ms}}
    cpu: {idle: 20m, perRequest: 2m}
    memory: {base: 96Mi, growthPerMinute: 1Mi}
    logs:
      - {when: error, text: 'ERROR payment failed'}
      - {every: 10s, text: 'alive {n}'}
  - {image: '*/payment-service', tag: '/v2\.3\.[23]/', namespace: prod, pull: {fails: manifest unknown}}
  - {image: '*/batch', exit: {after: 5s, code: 3, times: 2}}
  - {image: '*/stuck', readiness: {never: true}}
";
        let catalog = Catalog::parse("workloads.yaml", text).unwrap();
        assert_eq!(catalog.names.requests, "app_requests_total");
        let payment = catalog.profile("prod", "reg.example:5000/company/payment-service:v2.3.1");
        insta::assert_debug_snapshot!(payment, @r#"
        Profile {
            pull: Pull {
                takes: Millis(
                    800,
                ),
                fails: None,
            },
            start_delay: Millis(
                2000,
            ),
            readiness: Readiness {
                after: Some(
                    Millis(
                        3000,
                    ),
                ),
                flaps: Some(
                    Flaps {
                        ready: Millis(
                            20000,
                        ),
                        unready: Millis(
                            5000,
                        ),
                    },
                ),
            },
            exit: None,
            stop_takes: Millis(
                0,
            ),
            traffic: Some(
                Traffic {
                    rate: 40.0,
                    error_rate: 0.04,
                    latency: Latency {
                        median: 0.045,
                        p99: 0.3,
                    },
                },
            ),
            cpu: Cpu {
                idle: 0.02,
                per_request: 0.002,
            },
            memory: Memory {
                base: 100663296.0,
                growth_per_minute: 1048576.0,
            },
            logs: [
                LogTemplate {
                    when: Error,
                    text: "ERROR payment failed",
                },
                LogTemplate {
                    when: Every(
                        Millis(
                            10000,
                        ),
                    ),
                    text: "alive {n}",
                },
            ],
        }
        "#);
        let fails = |namespace, image| catalog.profile(namespace, image).pull.fails.as_deref();
        assert_eq!(fails("prod", "company/payment-service:v2.3.2"), Some("manifest unknown"));
        assert_eq!(fails("dev", "company/payment-service:v2.3.2"), None);
        assert_eq!(catalog.profile("dev", "nginx").traffic.unwrap().rate, 5.0);
        let batch = catalog.profile("dev", "x/batch");
        assert_eq!([0, 1, 2].map(|restarts| batch.exit_of(restarts).map(|exit| exit.code)), [Some(3), Some(3), None]);
        assert_eq!(catalog.profile("dev", "x/stuck").readiness.after, None);
        assert_eq!(batch.readiness.after, Some(Millis::ZERO));
    }

    #[test]
    fn a_fault_strikes_all_images_but_those_that_are_spared() {
        let catalog = Catalog::parse("w.yaml", "workloads: [{image: '*/web', start: 2s}]").unwrap();
        let catalog = catalog.struck(BTreeSet::from(["a/web:v1".to_owned()]), |p| p.pull.fails = Some("gone".into()));
        let of = |image| {
            let profile = catalog.profile("prod", image);
            (profile.start_delay.0, profile.pull.fails.is_some())
        };
        assert_eq!([of("a/web:v1"), of("a/web:v2"), of("b:1")], [(2_000, false), (2_000, true), (0, true)]);
    }

    #[test]
    fn every_problem_is_told_with_its_place() {
        let text = r"
workloads:
  - {image: '/(/', traffic: {rate: -1, errorRate: 2, latency: {median: 1s, p99: 5ms}}}
  - {imag: x, readiness: {after: soon}, memory: {base: 5Xi}, logs: [{text: x}, {every: 0s, text: y}]}
";
        insta::assert_snapshot!(Catalog::parse("w.yaml", text).unwrap_err(), @r"
        w.yaml:3:13: error YAML0023: `(` is not a regular expression: Parsing error at position 7: Opening parenthesis without closing parenthesis at workloads[0].image
        w.yaml:3:36: error YAML0023: expected a number from 0 to 100000, found -1 at workloads[0].traffic.rate
        w.yaml:3:51: error YAML0023: expected a number from 0 to 1, found 2 at workloads[0].traffic.errorRate
        w.yaml:3:63: error YAML0023: p99 (5ms) is below the median (1s) at workloads[0].traffic.latency
        w.yaml:4:6: error YAML0022: nobody reads the key `imag` at workloads[1] (did you mean `image`?)
        w.yaml:4:34: error YAML0023: `soon` is not a duration: write for example `30s`, `10m`, `1h 30m` or `7d`, at most 53w at workloads[1].readiness.after
        w.yaml:4:56: error YAML0023: `5Xi` is not a quantity: write for example `250m` or `64Mi` at workloads[1].memory.base
        w.yaml:4:69: error YAML0021: `when` is missing at workloads[1].logs[0]
        w.yaml:4:88: error YAML0023: expected a length of time above 0 at workloads[1].logs[1].every
        ");
    }
}
