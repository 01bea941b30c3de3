//! The metrics of health sources.

use super::progress::Progress;
use super::prometheus::{Found, Prometheus, QueryError, by_pod, step};
use super::sides::Side;
use super::watch::Watch;
use std::collections::BTreeSet;
use windlass_analysis::control::{Comparison, Control};
use windlass_analysis::{Data, Metric, Observed, Reading, Series, Sides, Window};
use windlass_clock::Clock;
use windlass_http::Client;
use windlass_model::task::verify::{HealthSource, MetricQuery, VerifyWork};
use windlass_model::{Failure, Millis, Timestamp};

/// What all queries of a verification have in common.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sources<'a> {
    pub client: &'a Client,
    pub clock: &'a Clock,
    pub work: &'a VerifyWork,
}

impl<'a> Sources<'a> {
    fn all(&self) -> impl Iterator<Item = (Prometheus<'a>, &'a MetricQuery)> + use<'a> {
        let (client, clock, work) = (self.client, self.clock, self.work);
        work.health_sources.iter().flat_map(move |source| {
            let HealthSource::Prometheus { identifier, url, headers, basic_auth, metrics } = source;
            let server = Prometheus { client, clock, identifier, url, headers, basic_auth: basic_auth.as_ref() };
            metrics.iter().map(move |metric| (server, metric))
        })
    }

    /// What the metrics are called in the report.
    pub(super) fn names(&self) -> Vec<String> {
        let mut taken = BTreeSet::new();
        let name = |(server, query): (Prometheus<'_>, &MetricQuery)| match taken.insert(query.name.clone()) {
            true => query.name.clone(),
            false => format!("{} ({}/{})", query.name, server.identifier, query.identifier),
        };
        self.all().map(name).collect()
    }

    /// Asks everything once: a wrong query or password shows now, not after the whole duration.
    pub(super) async fn check(&self, now: Timestamp) -> Result<(), Failure> {
        for (server, query) in self.all() {
            let over = Window { from: now - Millis::from_mins(1), until: now };
            let asked = server.range(&query.query, over, Millis::from_secs(15)).await;
            asked.map_err(|error| error.to_failure(server.identifier, &query.name))?;
        }
        Ok(())
    }

    /// The values of both sides as they are known now.
    pub(super) async fn observed(&self, progress: &Progress, comparison: &Comparison, pods: &Pods) -> Vec<Observed> {
        let mut observed = Vec::new();
        for ((server, query), name) in self.all().zip(self.names()) {
            let step = step(&query.query, self.work.duration);
            let data = match Self::sides(server, query, step, progress, comparison, pods).await {
                Ok(Ok(sides)) => Data::Readings(sides),
                Ok(Err(why)) => Data::Missing(why),
                Err(error) => Data::Missing(error.shown()),
            };
            observed.push(Observed { metric: Metric { name, ..Metric::from(query) }, data });
        }
        observed
    }

    async fn sides(
        server: Prometheus<'_>,
        query: &MetricQuery,
        step: Millis,
        progress: &Progress,
        comparison: &Comparison,
        pods: &Pods,
    ) -> Result<Result<Sides<Reading>, String>, QueryError> {
        let same_time = matches!(comparison.control, Control::StablePods | Control::BaselinePods);
        let found = server.range(&query.query, comparison.test, step).await?;
        let before = match comparison.control {
            Control::Before => server.range(&query.query, comparison.control_window, step).await?,
            _ => Vec::new(),
        };
        let of = |found: Vec<Found>, belongs: &dyn Fn(&str) -> bool| -> Result<Vec<Series<Reading>>, String> {
            by_pod(found, query, !same_time, belongs, |pod| progress.watch.ready_at(pod))
        };
        Ok((|| {
            let test = of(found.clone(), &|pod| pods.test.contains(pod))?;
            if test.is_empty() && !found.is_empty() {
                let label = &query.instance_label;
                return Err(format!(
                    "none of the {} series has a pod of the release in its label `{label}`",
                    found.len()
                ));
            }
            let control = match comparison.control {
                Control::StablePods | Control::BaselinePods => of(found, &|pod| pods.control.contains(pod))?,
                // Whichever pods there were.
                Control::Before => of(before, &|_| true)?,
                Control::Stored | Control::Thresholds | Control::None => Vec::new(),
            };
            Ok(Sides { test, control })
        })())
    }
}

/// The names of all pods that were seen on each side.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Pods {
    pub test: BTreeSet<String>,
    pub control: BTreeSet<String>,
}

impl Pods {
    pub(super) fn seen(watch: &Watch) -> Self {
        let side = |side: Side| watch.on(side).map(str::to_owned).collect();
        Self { test: side(Side::Test), control: side(Side::Control) }
    }
}
