use crate::files::{Charts, Fetch};
use std::fmt;

/// How a build is made.
#[derive(Clone, Copy, Default)]
pub struct Options<'a> {
    pub load_restriction: LoadRestriction,
    pub reorder: Reorder,
    /// The version whose behaviour counts.
    pub compat: Compat,
    /// Whether `helmCharts` may be used.
    pub enable_helm: bool,
    /// Whether every object gets the label `app.kubernetes.io/managed-by`.
    pub managed_by_label: bool,
    /// Brings repositories and files from the network; without it addresses are refused.
    pub fetch: Option<&'a dyn Fetch>,
    /// Renders charts; without it they are refused.
    pub charts: Option<&'a dyn Charts>,
}

impl fmt::Debug for Options<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options")
            .field("load_restriction", &self.load_restriction)
            .field("reorder", &self.reorder)
            .field("compat", &self.compat)
            .finish_non_exhaustive()
    }
}

/// Which files a kustomization may name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LoadRestriction {
    /// Those in its own folder and below.
    #[default]
    RootOnly,
    /// Any, but for clones of repositories.
    None,
}

/// The order of the output when the kustomization does not say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reorder {
    /// As objects came.
    None,
    Legacy,
    /// Nothing was said, which means legacy.
    #[default]
    Unspecified,
}

/// A version of the reference.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Compat {
    #[default]
    V5_7,
    V5_8,
}

impl Compat {
    pub(crate) fn version(self) -> &'static str {
        match self {
            Self::V5_7 => "v5.7.1",
            Self::V5_8 => "v5.8.1",
        }
    }
}
