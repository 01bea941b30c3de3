use crate::clear::Clear;
use std::collections::BTreeMap;

/// Environment variables of the worker whose names start with a prefix that its operator chose.
///
/// Roles read the environment and hand it in; a later change of the environment is not seen.
#[derive(Clone, Debug, Default)]
pub struct EnvironmentStore {
    values: BTreeMap<String, Clear>,
}

impl EnvironmentStore {
    /// Keeps the variables that start with `prefix`, which must not be empty: the whole environment is nobody's secret store.
    pub fn new(prefix: &str, variables: impl IntoIterator<Item = (String, String)>) -> Option<Self> {
        if prefix.is_empty() {
            return None;
        }
        let values = variables.into_iter().filter(|(name, _)| name.starts_with(prefix));
        Some(Self { values: values.map(|(name, value)| (name, Clear::from(value))).collect() })
    }

    pub(crate) fn get(&self, variable: &str) -> Option<Clear> {
        self.values.get(variable).cloned()
    }
}
