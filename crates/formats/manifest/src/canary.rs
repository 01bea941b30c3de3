//! The canary beside production, as a change of a set of objects (kubernetes-deploy §2.6).

use crate::ObjectKey;
use crate::names::{label_value, suffixed};
use crate::object::Object;
use crate::scaler;
use crate::well_known::{DIRECT_APPLY, RELEASE_NAME, TRACK, VERSION};
use crate::workload::{self, Role, Step};
use crate::{code, field, version};
use windlass_diagnostic::{Diagnostic, Diagnostics};

/// What a canary's objects are called.
pub const SUFFIX: &str = "-canary";

/// A set of objects, taken apart for a canary.
#[derive(Clone, Debug)]
pub struct Canary {
    pub method: Method,
    /// Copies of the ConfigMaps and Secrets, under names of their own.
    pub config: Vec<Object>,
    /// What is applied only where it is missing, so that a canary never changes production.
    pub others: Vec<Object>,
    /// What a canary does not have: scalers and disruption budgets.
    pub left_out: Vec<Object>,
    pub warnings: Diagnostics,
}

/// How some pods get the new version.
#[derive(Clone, Debug)]
pub enum Method {
    /// A copy of the workload beside it.
    Clone(Box<Object>),
    /// A StatefulSet with volumes of its own cannot be copied: the live one is updated above a partition.
    Partition(Box<Object>),
}

/// How many pods a canary gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Selection {
    Count(u32),
    /// Of the primary's pods.
    Percentage(u32),
}

impl Selection {
    /// The number of pods for a base of `base` pods; a percentage rounds up and gives at least one.
    pub fn of(self, base: u32) -> u32 {
        match self {
            Self::Count(count) => count,
            Self::Percentage(percent) => {
                let share = (u64::from(base) * u64::from(percent)).div_ceil(100);
                u32::try_from(share).unwrap_or(u32::MAX).max(1)
            }
        }
    }
}

/// Takes a set apart. The objects have their namespaces, and no versions.
///
/// # Errors
/// When there is not exactly one managed Deployment or StatefulSet.
pub fn canary(objects: Vec<Object>, release: &str, replicas: u32) -> Result<Canary, Diagnostics> {
    let index = only_workload(&objects, &["Deployment", "StatefulSet"])?;
    let mut objects = objects;
    let renamed = version::rename(&mut objects, |_| Some(SUFFIX.to_owned()));
    let mut canary = Canary {
        method: Method::Clone(Box::new(clone_of(&objects, index, release, replicas)?)),
        config: Vec::new(),
        others: Vec::new(),
        left_out: Vec::new(),
        warnings: Diagnostics::new(),
    };
    for (at, object) in objects.into_iter().enumerate() {
        match workload::role(&object, Step::Deploy) {
            _ if at == index => {
                if object.kind() == "StatefulSet" && has_own_volumes(&object) {
                    canary.warnings.push(object.problem(
                        Diagnostic::info(
                            code::STRATEGY,
                            "has volumes of its own: its highest pods are updated in place",
                        ),
                        "spec.volumeClaimTemplates",
                    ));
                    canary.method = Method::Partition(Box::new(object));
                }
            }
            _ if renamed.contains(&at) => canary.config.push(object),
            Role::Scaler | Role::Budget => canary.left_out.push(object),
            _ => canary.others.push(object),
        }
    }
    Ok(canary)
}

fn clone_of(objects: &[Object], index: usize, release: &str, replicas: u32) -> Result<Object, Diagnostics> {
    // The index comes from the same list.
    let mut clone = objects.get(index).cloned().ok_or_else(Diagnostics::new)?;
    let name = suffixed(clone.name(), SUFFIX);
    clone.set_name(name);
    field::set(clone.json_mut(), &["spec", "replicas"], replicas.into());
    for (label, value) in [(TRACK, "canary"), (RELEASE_NAME, &*label_value(release))] {
        clone.set_label(label, value);
        workload::set_selector_label(&mut clone, label, value);
        workload::set_pod_label(&mut clone, label, value);
    }
    Ok(clone)
}

fn has_own_volumes(object: &Object) -> bool {
    !field::list(object.json(), &["spec", "volumeClaimTemplates"]).is_empty()
}

/// A set of objects, taken apart for a progressive canary: two workloads that share their pods.
#[derive(Clone, Debug)]
pub struct Progressive {
    /// Under a name, and with a selector, of its own.
    pub workload: Object,
    /// What the workload is called in the manifests.
    pub replaced: ObjectKey,
    /// Copies of the ConfigMaps and Secrets, under the version's names.
    pub config: Vec<Object>,
    /// Scalers of the workload, pointed to its new name.
    pub scalers: Vec<Object>,
    /// What both share: Services, budgets, roles.
    pub others: Vec<Object>,
    pub warnings: Diagnostics,
}

/// Takes a set apart for the version of release `number`: `web` becomes `web-v5` (kubernetes-deploy §2.6).
///
/// # Errors
/// When there is not exactly one managed Deployment.
pub fn progressive(objects: Vec<Object>, release: &str, number: u64) -> Result<Progressive, Diagnostics> {
    let index = only_workload(&objects, &["Deployment"])?;
    let (version, mut objects) = (format!("v{number}"), objects);
    let renamed = version::rename(&mut objects, |_| Some(format!("-{version}")));
    // The index comes from the same list.
    let original = objects.get(index).cloned().ok_or_else(Diagnostics::new)?;
    let mut workload = original.clone();
    let name = suffixed(original.name(), &format!("-{version}"));
    workload.set_name(&*name);
    for (label, value) in [(VERSION, &*version), (RELEASE_NAME, &*label_value(release))] {
        workload.set_label(label, value);
        workload::set_selector_label(&mut workload, label, value);
        workload::set_pod_label(&mut workload, label, value);
    }
    let (replaced, warnings) = (original.key(), Diagnostics::new());
    let mut out =
        Progressive { workload, replaced, config: Vec::new(), scalers: Vec::new(), others: Vec::new(), warnings };
    for (at, mut object) in objects.into_iter().enumerate() {
        if at == index {
            continue;
        }
        if renamed.contains(&at) {
            out.config.push(object);
        } else if scaler::targets(&object, &original) {
            let own = suffixed(object.name(), &format!("-{version}"));
            object.set_name(own);
            scaler::retarget(&mut object, &name);
            out.scalers.push(object);
        } else {
            out.others.push(object);
        }
    }
    Ok(out)
}

/// The index of the one managed workload, which must be of one of these kinds.
///
/// # Errors
/// Names what was found instead.
pub(crate) fn only_workload(objects: &[Object], kinds: &[&str]) -> Result<usize, Diagnostics> {
    let found: Vec<(usize, &Object)> =
        objects.iter().enumerate().filter(|(_, object)| workload::is_managed(object, Step::Deploy)).collect();
    let expected = format!("exactly one managed {} is needed", kinds.join(" or "));
    let problem = match found[..] {
        [(index, object)] if kinds.contains(&object.kind()) => return Ok(index),
        [] => Diagnostic::error(code::ONE_WORKLOAD, format!("{expected}, the manifests hold none")),
        [(_, object)] => {
            Diagnostic::error(code::ONE_WORKLOAD, format!("{expected}, found {}", object.key().in_namespace()))
        }
        _ => {
            let names: Vec<String> = found.iter().map(|(_, o)| o.key().in_namespace().to_string()).collect();
            Diagnostic::error(code::ONE_WORKLOAD, format!("{expected}, found {}", names.join(", ")))
                .remedy(format!("annotate the others with {DIRECT_APPLY}: \"true\""))
        }
    };
    Err(problem.into())
}
