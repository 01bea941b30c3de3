use crate::error::HelmError;
use windlass_gotemplate::{Field, List, Struct, Type, Value};

/// What charts may know about the cluster and about Helm (rendering §3.4).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Capabilities {
    pub kube_version: KubeVersion,
    /// Such as `apps/v1`, or `apps/v1/Deployment` when somebody said so.
    pub api_versions: Vec<String>,
    pub helm_version: HelmVersion,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KubeVersion {
    /// With a `v`.
    pub version: String,
    pub major: String,
    pub minor: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HelmVersion {
    pub version: String,
    pub git_commit: String,
    pub git_tree_state: String,
    pub go_version: String,
}

impl Default for Capabilities {
    /// Kubernetes 1.34 with the groups that the reference knows by itself.
    fn default() -> Self {
        let kube_version = KubeVersion { version: "v1.34.0".to_owned(), major: "1".to_owned(), minor: "34".to_owned() };
        Self {
            kube_version,
            api_versions: BUILT_IN.iter().map(|&name| name.to_owned()).collect(),
            helm_version: HelmVersion::default(),
        }
    }
}

impl Default for HelmVersion {
    fn default() -> Self {
        Self {
            version: "v3.22.0".to_owned(),
            git_commit: String::new(),
            git_tree_state: "clean".to_owned(),
            go_version: String::new(),
        }
    }
}

impl KubeVersion {
    /// `1.34`, `v1.34.2`, `v1.34.2-gke.1`: what stands behind the numbers does not count.
    ///
    /// # Errors
    /// When there are less than two numbers.
    pub fn parse(text: &str) -> Result<Self, HelmError> {
        let bad = || HelmError::KubeVersion(text.to_owned());
        let plain = text.trim_start();
        let plain = plain.strip_prefix('v').unwrap_or(plain);
        let end = plain.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(plain.len());
        let mut numbers: Vec<&str> = plain[..end].split('.').collect();
        while numbers.len() > 1 && numbers.last().is_some_and(|number| number.is_empty()) {
            numbers.pop();
        }
        let is_number = |number: &str| {
            !number.is_empty() && number.parse::<u64>().is_ok() && (number == "0" || !number.starts_with('0'))
        };
        if numbers.len() < 2 || !numbers.iter().all(|number| is_number(number)) {
            return Err(bad());
        }
        Ok(Self {
            version: format!("v{}", numbers.join(".")),
            major: numbers[0].to_owned(),
            minor: numbers[1].to_owned(),
        })
    }
}

static CAPABILITIES: Type = Type::new("*chartutil.Capabilities");
static KUBE_VERSION: Type = Type::new("chartutil.KubeVersion").with(kube_version).copied_as(&KUBE_VERSION_COPY);
static KUBE_VERSION_COPY: Type = Type::new("chartutil.KubeVersion");
static VERSION_SET: Type = Type::new("chartutil.VersionSet").of(windlass_gotemplate::Element::Text).with(version_set);
static BUILD_INFO: Type = Type::new("version.BuildInfo");

impl Capabilities {
    /// As templates see them.
    pub(crate) fn value(&self) -> Value {
        let text = |name, key, text: &str| Field { name, key, is_optional: false, value: text.into() };
        let kube = &self.kube_version;
        let kube = vec![
            text("Version", "Version", &kube.version),
            text("Major", "Major", &kube.major),
            text("Minor", "Minor", &kube.minor),
        ];
        let helm = &self.helm_version;
        let mut helm = vec![
            text("Version", "version", &helm.version),
            text("GitCommit", "git_commit", &helm.git_commit),
            text("GitTreeState", "git_tree_state", &helm.git_tree_state),
            text("GoVersion", "go_version", &helm.go_version),
        ];
        helm.iter_mut().for_each(|field| field.is_optional = true);
        let versions = self.api_versions.iter().map(|name| Value::text(name.as_str())).collect();
        let field = |name, value| Field { name, key: name, is_optional: false, value };
        Value::Struct(Struct::new(
            &CAPABILITIES,
            vec![
                field("KubeVersion", Value::Struct(Struct::new(&KUBE_VERSION, kube))),
                field("APIVersions", Value::List(List::of(&VERSION_SET, versions))),
                field("HelmVersion", Value::Struct(Struct::new(&BUILD_INFO, helm))),
            ],
        ))
    }
}

fn kube_version(value: &Value, method: &str, _: &[Value]) -> Option<Result<Value, String>> {
    match (value, method) {
        (Value::Struct(of), "String" | "GitVersion") => of.get("Version").cloned().map(Ok),
        _ => None,
    }
}

fn version_set(value: &Value, method: &str, arguments: &[Value]) -> Option<Result<Value, String>> {
    let (Value::List(list), "Has") = (value, method) else { return None };
    Some(match arguments {
        [Value::Text(wanted)] => Ok(list.iter().any(|known| known.as_str() == Some(wanted)).into()),
        [_] => Err("wrong type for value; expected string".to_owned()),
        other => Err(format!("wrong number of args for Has: want 1 got {}", other.len())),
    })
}

/// What the reference's client library knows, in its order.
const BUILT_IN: [&str; 57] = [
    "v1",
    "admissionregistration.k8s.io/v1",
    "admissionregistration.k8s.io/v1alpha1",
    "admissionregistration.k8s.io/v1beta1",
    "internal.apiserver.k8s.io/v1alpha1",
    "apps/v1",
    "apps/v1beta1",
    "apps/v1beta2",
    "authentication.k8s.io/v1",
    "authentication.k8s.io/v1alpha1",
    "authentication.k8s.io/v1beta1",
    "authorization.k8s.io/v1",
    "authorization.k8s.io/v1beta1",
    "autoscaling/v1",
    "autoscaling/v2",
    "batch/v1",
    "batch/v1beta1",
    "certificates.k8s.io/v1",
    "certificates.k8s.io/v1beta1",
    "certificates.k8s.io/v1alpha1",
    "coordination.k8s.io/v1alpha2",
    "coordination.k8s.io/v1beta1",
    "coordination.k8s.io/v1",
    "discovery.k8s.io/v1",
    "discovery.k8s.io/v1beta1",
    "events.k8s.io/v1",
    "events.k8s.io/v1beta1",
    "extensions/v1beta1",
    "flowcontrol.apiserver.k8s.io/v1",
    "flowcontrol.apiserver.k8s.io/v1beta1",
    "flowcontrol.apiserver.k8s.io/v1beta2",
    "flowcontrol.apiserver.k8s.io/v1beta3",
    "lifecycle.k8s.io/v1alpha1",
    "networking.k8s.io/v1",
    "networking.k8s.io/v1beta1",
    "node.k8s.io/v1",
    "node.k8s.io/v1alpha1",
    "node.k8s.io/v1beta1",
    "policy/v1",
    "policy/v1beta1",
    "rbac.authorization.k8s.io/v1",
    "rbac.authorization.k8s.io/v1beta1",
    "rbac.authorization.k8s.io/v1alpha1",
    "resource.k8s.io/v1",
    "resource.k8s.io/v1beta2",
    "resource.k8s.io/v1beta1",
    "resource.k8s.io/v1alpha3",
    "scheduling.k8s.io/v1alpha3",
    "scheduling.k8s.io/v1beta1",
    "scheduling.k8s.io/v1",
    "storage.k8s.io/v1beta1",
    "storage.k8s.io/v1",
    "storage.k8s.io/v1alpha1",
    "storagemigration.k8s.io/v1",
    "storagemigration.k8s.io/v1beta1",
    "apiextensions.k8s.io/v1beta1",
    "apiextensions.k8s.io/v1",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_clusters() {
        for (text, wanted) in [
            ("1.34", Some("v1.34")),
            ("v1.34.2", Some("v1.34.2")),
            ("v1.34.2-gke.1", Some("v1.34.2")),
            ("1", None),
            ("v", None),
            ("1.034", None),
        ] {
            assert_eq!(KubeVersion::parse(text).ok().map(|version| version.version).as_deref(), wanted, "{text}");
        }
    }
}
