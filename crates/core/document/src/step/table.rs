use std::collections::BTreeMap;
use std::sync::LazyLock;

/// A type of step that documents may name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepType {
    pub name: &'static str,
    /// Whether it runs here. Others are kept, shown, and refused at run by name.
    pub runs: bool,
    /// What it does, in a line.
    pub summary: &'static str,
}

static TYPES: LazyLock<BTreeMap<&'static str, StepType>> = LazyLock::new(|| {
    include_str!("types.tsv")
        .lines()
        .filter_map(|line| {
            let mut columns = line.split('\t');
            let (name, runs, summary) = (columns.next()?, columns.next()?, columns.next()?);
            Some((name, StepType { name, runs: runs == "runs", summary }))
        })
        .collect()
});

/// Every known type, by name.
pub fn step_types() -> impl Iterator<Item = &'static StepType> {
    TYPES.values()
}

pub fn step_type(name: &str) -> Option<&'static StepType> {
    TYPES.get(name)
}

#[cfg(test)]
mod tests {
    use super::{step_type, step_types};
    use crate::step::keys_of;

    #[test]
    fn what_runs_says_what_it_reads() {
        assert!(step_types().count() > 250);
        for step in step_types() {
            assert_eq!(keys_of(step.name).is_some(), step.runs, "{}", step.name);
            assert!(!step.summary.is_empty(), "{}", step.name);
        }
        assert!(step_type("K8sApply").is_some_and(|t| t.runs));
        assert!(step_type("TerraformApply").is_some_and(|t| !t.runs));
    }
}
