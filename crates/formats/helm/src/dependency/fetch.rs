use crate::archive::ArchiveLimits;
use crate::chart::{Chart, Dependency};
use crate::error::{FileProblem, HelmError};

/// Where charts come from that a chart needs and does not hold.
pub trait Fetch {
    /// The packed chart of a dependency. `version` is what the lock file says, or the constraint of `Chart.yaml`.
    ///
    /// # Errors
    /// Why there is none.
    fn fetch(&self, dependency: &Dependency, version: &str) -> Result<Vec<u8>, String>;

    /// The same chart, loaded. Whoever has it already need not unpack it again.
    ///
    /// # Errors
    /// Why there is none, or it is no chart.
    fn chart(&self, dependency: &Dependency, version: &str, limits: ArchiveLimits) -> Result<Chart, HelmError> {
        let failed = |problem| HelmError::Fetch { name: dependency.name.clone(), source: FileProblem::Text(problem) };
        Chart::load_archive_within(&self.fetch(dependency, version).map_err(failed)?, limits)
    }
}

impl Chart {
    /// Adds the charts that are listed and missing, in the versions of the lock file where there is one.
    ///
    /// # Errors
    /// A lock file for other dependencies; a chart that cannot be fetched, is none, or is another one.
    pub fn complete(&mut self, source: &dyn Fetch, limits: ArchiveLimits) -> Result<(), HelmError> {
        if self.lock.as_ref().is_some_and(|lock| !lock.is_for(&self.metadata)) {
            return Err(HelmError::OutdatedLock);
        }
        for wanted in self.metadata.dependencies.clone().unwrap_or_default() {
            if self.dependencies.iter().any(|chart| chart.name() == wanted.name) {
                continue;
            }
            let locked = self.lock.iter().flat_map(|lock| &lock.dependencies).find(|one| one.name == wanted.name);
            let version = locked.map_or(&*wanted.version, |locked| &*locked.version);
            let failed =
                |problem: String| HelmError::Fetch { name: wanted.name.clone(), source: FileProblem::Text(problem) };
            let chart = source.chart(&wanted, version, limits)?;
            if chart.name() != wanted.name {
                return Err(failed(format!("the chart that came is named {}", chart.name())));
            }
            if !super::is_in_range(version, &chart.metadata.version) {
                return Err(failed(format!(
                    "the chart that came is version {}, not {version}",
                    chart.metadata.version
                )));
            }
            self.dependencies.push(chart);
        }
        Ok(())
    }
}
