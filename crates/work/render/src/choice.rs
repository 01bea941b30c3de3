//! Which manifest is the main one, and which of its files a step means.

use crate::error::RenderError;
use crate::store::{self, clean};
use windlass_model::task::source::{ManifestKind, ManifestSource, ServiceSource, Store};

/// Exactly one main manifest (kubernetes-deploy §1.2, mixing rule).
pub(crate) fn main_manifest(source: &ServiceSource) -> Result<&ManifestSource, RenderError> {
    let is_main = |entry: &&ManifestSource| {
        matches!(entry.kind, ManifestKind::K8sManifest | ManifestKind::Kustomize | ManifestKind::HelmChart)
    };
    let mut all = source.manifests.iter().filter(is_main);
    let main = match (all.next(), all.next()) {
        (Some(first), Some(second)) => {
            return Err(RenderError::Service(format!(
                "`{}` and `{}` are both main manifests; a service has one",
                first.identifier, second.identifier
            )));
        }
        (Some(main), None) => main,
        (None, _) => {
            let what = "the service has no main manifest (type K8sManifest, Kustomize or HelmChart)";
            return Err(RenderError::Service(what.to_owned()));
        }
    };
    let patches = source.manifests.iter().find(|entry| entry.kind == ManifestKind::KustomizePatches);
    match patches {
        Some(patches) if main.kind != ManifestKind::Kustomize => Err(RenderError::Service(format!(
            "`{}` is a KustomizePatches manifest, and `{}` is no kustomization",
            patches.identifier, main.identifier
        ))),
        _ => Ok(main),
    }
}

/// The paths of files that a step names: relative to the folder of the manifests, and not that folder itself
/// (kubernetes-deploy §2.4).
pub(crate) fn named_files(main: &ManifestSource, only: &[String]) -> Result<Vec<String>, RenderError> {
    if let Store::Inline { .. } = main.store {
        let message = format!("`{}` is written in the service: it has no files to name", main.identifier);
        return Err(RenderError::Service(message));
    }
    let roots = store::roots(&main.store);
    let folder = roots.first().cloned().unwrap_or_default();
    // A folder that was given as one file stands for the folder around it.
    let folder = if roots.len() == 1 && (folder.ends_with(".yaml") || folder.ends_with(".yml")) {
        folder.rsplit_once('/').map_or(String::new(), |(parent, _)| parent.to_owned())
    } else {
        folder
    };
    let within = |path: &String| {
        let path = clean(path);
        if path.is_empty() || path == folder {
            let message = format!("`filePaths` names the folder of `{}` itself; name files in it", main.identifier);
            return Err(RenderError::Service(message));
        }
        if path.split('/').any(|part| part == "..") {
            let message = format!("`filePaths` names {path}, which leads out of the folder of `{}`", main.identifier);
            return Err(RenderError::Service(message));
        }
        let below = path.strip_prefix(&folder).is_some_and(|rest| rest.starts_with('/'));
        Ok(if folder.is_empty() || below { path } else { format!("{folder}/{path}") })
    };
    only.iter().map(within).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use windlass_model::task::source::StoredFile;

    fn files(paths: &[&str]) -> ManifestSource {
        let files = paths.iter().map(|path| StoredFile { path: (*path).into(), content: String::new() }).collect();
        ManifestSource { identifier: "main".into(), store: Store::Files { files }, ..ManifestSource::default() }
    }

    #[test]
    fn steps_name_files_below_the_folder() {
        let main = files(&["/k8s/a.yaml", "/k8s/jobs/b.yaml"]);
        let named = |path: &str| named_files(&main, &[path.to_owned()]).map(|paths| paths.concat());
        assert_eq!(named("a.yaml").unwrap(), "k8s/a.yaml");
        assert_eq!(named("./jobs/b.yaml").unwrap(), "k8s/jobs/b.yaml");
        assert_eq!(named("k8s/a.yaml").unwrap(), "k8s/a.yaml");
        for bad in ["", "/", "k8s", "../secrets.yaml"] {
            assert!(named(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn one_main_manifest() {
        let with = |kinds: &[ManifestKind]| {
            let manifests = kinds.iter().map(|kind| ManifestSource { kind: *kind, ..files(&["a.yaml"]) }).collect();
            let source = ServiceSource { manifests, ..ServiceSource::default() };
            main_manifest(&source).map(|main| main.kind).map_err(|error| error.to_string())
        };
        for main in [ManifestKind::K8sManifest, ManifestKind::Kustomize, ManifestKind::HelmChart] {
            assert_eq!(with(&[ManifestKind::Values, main]), Ok(main));
        }
        for (kinds, wanted) in [
            (&[][..], "the service has no main manifest (type K8sManifest, Kustomize or HelmChart)"),
            (
                &[ManifestKind::K8sManifest, ManifestKind::HelmChart][..],
                "`main` and `main` are both main manifests; a service has one",
            ),
            (
                &[ManifestKind::K8sManifest, ManifestKind::KustomizePatches][..],
                "`main` is a KustomizePatches manifest, and `main` is no kustomization",
            ),
        ] {
            assert_eq!(with(kinds), Err(wanted.to_owned()));
        }
    }
}
