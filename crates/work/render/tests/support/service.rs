//! What is deployed in tests, and where to.

use windlass_model::task::ClusterTarget;
use windlass_model::task::cluster::{ClusterAccess, EnvironmentType};
use windlass_model::task::source::{Artifact, ManifestSource, ServiceSource};

/// A service with an image and these variables.
pub(crate) fn service(manifests: Vec<ManifestSource>, variables: &[(&str, &str)]) -> ServiceSource {
    ServiceSource {
        manifests,
        variables: variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
        artifact: Some(Artifact {
            identifier: "img".into(),
            kind: "DockerRegistry".into(),
            image_path: "acme/shop".into(),
            tag: "v2.3.0".into(),
            image: "registry.example/acme/shop:v2.3.0".into(),
        }),
        ..ServiceSource::default()
    }
}

pub(crate) fn target() -> ClusterTarget {
    ClusterTarget {
        connector: "account.prod".into(),
        access: ClusterAccess::Inherit,
        namespace: "payments".into(),
        release: "release-1".into(),
        service: "shop".into(),
        environment: "prod".into(),
        environment_type: EnvironmentType::Production,
        infrastructure: "euw1".into(),
    }
}
