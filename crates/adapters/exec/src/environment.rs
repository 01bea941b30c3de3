use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use zeroize::Zeroizing;

/// The whole environment of a program. It starts with `PATH`, `LANG` and `HOME`; nothing is inherited.
#[derive(Clone, Default)]
pub struct Environment {
    variables: BTreeMap<String, Zeroizing<String>>,
}

/// Where programs are looked for when the operator says nothing else.
const PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

impl Environment {
    /// `home` is where the program may keep files of its own; the worker's home is none of its business.
    pub fn clean(home: &Path) -> Self {
        Self::default().with("PATH", PATH).with("LANG", "C.UTF-8").with("HOME", home.to_string_lossy())
    }

    #[must_use]
    pub fn with(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.variables.insert(name.into(), Zeroizing::new(value.into()));
        self
    }

    /// Takes over variables of another environment by name, such as `HTTPS_PROXY`, where they are set.
    #[must_use]
    pub fn allow(mut self, from: &BTreeMap<String, String>, names: &[&str]) -> Self {
        for name in names {
            if let Some(value) = from.get(*name) {
                self.variables.insert((*name).to_owned(), Zeroizing::new(value.clone()));
            }
        }
        self
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.variables.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }
}

impl fmt::Debug for Environment {
    /// Names only: values may be secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.variables.keys()).finish()
    }
}
