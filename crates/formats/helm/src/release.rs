use crate::capabilities::Capabilities;
use crate::error::HelmError;
use windlass_gotemplate::{Limits, Map, Value};

/// How a chart is rendered: the flags of `helm template`.
#[derive(Clone, Debug)]
pub struct Options {
    pub release_name: String,
    pub namespace: String,
    pub capabilities: Capabilities,
    /// `.Release.IsUpgrade` and not `.Release.IsInstall`.
    pub is_upgrade: bool,
    pub revision: i64,
    pub include_crds: bool,
    /// Hooks of kind `test` are left out of the text.
    pub skip_tests: bool,
    /// All hooks are left out of the text.
    pub no_hooks: bool,
    /// Only files that one of these patterns names, from the chart's folder on.
    pub show_only: Vec<String>,
    pub skip_schema_validation: bool,
    /// Notes of charts inside are notes too.
    pub subchart_notes: bool,
    pub limits: Limits,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            release_name: "release-name".to_owned(),
            namespace: "default".to_owned(),
            capabilities: Capabilities::default(),
            is_upgrade: false,
            revision: 1,
            include_crds: false,
            skip_tests: false,
            no_hooks: false,
            show_only: Vec::new(),
            skip_schema_validation: false,
            subchart_notes: false,
            limits: Limits::default(),
        }
    }
}

const LONGEST_NAME: usize = 53;

impl Options {
    /// # Errors
    /// A name that no release may have.
    pub(crate) fn check(&self) -> Result<(), HelmError> {
        let name = &self.release_name;
        let is_edge = |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
        let is_label = |label: &str| {
            let bytes = label.as_bytes();
            is_edge(bytes.first()) && is_edge(bytes.last()) && bytes.iter().all(|b| is_edge(Some(b)) || *b == b'-')
        };
        if name.len() <= LONGEST_NAME && name.split('.').all(is_label) {
            return Ok(());
        }
        Err(HelmError::ReleaseName(name.clone()))
    }

    /// `.Release`
    pub(crate) fn release(&self) -> Map {
        let map = Map::new();
        let set = |name: &str, value: Value| map.set(name.into(), value);
        set("Name", self.release_name.as_str().into());
        set("Namespace", self.namespace.as_str().into());
        set("IsUpgrade", self.is_upgrade.into());
        set("IsInstall", (!self.is_upgrade).into());
        set("Revision", Value::Int(self.revision));
        set("Service", "Helm".into());
        map
    }
}
