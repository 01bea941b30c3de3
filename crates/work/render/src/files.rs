//! Which files of a main manifest are deployed.

use crate::store::{Raw, clean};

/// On its first line it keeps a file out of deployments; K8sApply may still name it (kubernetes-deploy §1.3 rule 3).
const SKIP: &str = "# harness.io/skip-file-for-deploy";

/// Files that hold manifests: those that were named, and YAML of folders, without values files and skipped ones.
pub(crate) fn manifests(files: Vec<Raw>, paths: &[String], values_paths: &[String]) -> Vec<Raw> {
    let is_values = |file: &Raw| {
        let listed = values_paths.iter().any(|path| clean(path) == file.path);
        // The default values file lies at the root of the manifests.
        listed || (!file.named && default_values(paths).contains(&file.path))
    };
    files
        .into_iter()
        .filter(|file| (file.named || is_yaml(&file.path)) && !is_values(file) && !is_skipped(file.text.as_bytes()))
        .collect()
}

pub(crate) fn is_yaml(path: &str) -> bool {
    path.ends_with(".yaml") || path.ends_with(".yml")
}

pub(crate) fn is_skipped(content: &[u8]) -> bool {
    content.split(|byte| *byte == b'\n').next().is_some_and(|line| line.trim_ascii_end() == SKIP.as_bytes())
}

/// Where a `values.yaml` that nobody listed may lie: in the folder of the manifests, and beside a folder `templates`
/// (kubernetes-deploy §1.4, rule 1). Weakest first.
pub(crate) fn default_values(paths: &[String]) -> Vec<String> {
    let mut found = Vec::new();
    for path in paths.iter().map(|path| clean(path)).filter(|path| !is_yaml(path)) {
        let beside = match path.rsplit_once('/') {
            Some((parent, "templates")) => Some(format!("{parent}/values.yaml")),
            None if path == "templates" => Some("values.yaml".to_owned()),
            _ => None,
        };
        let inside = if path.is_empty() { "values.yaml".to_owned() } else { format!("{path}/values.yaml") };
        for candidate in beside.into_iter().chain([inside]) {
            if !found.contains(&candidate) {
                found.push(candidate);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(path: &str, text: &str, named: bool) -> Raw {
        Raw { path: path.into(), text: text.into(), named }
    }

    fn strings(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|text| (*text).to_owned()).collect()
    }

    #[test]
    fn folders_give_yaml_and_names_give_anything() {
        let files = vec![
            raw("k8s/a.yaml", "kind: A", false),
            raw("k8s/values.yaml", "a: 1", false),
            raw("k8s/prod-values.yaml", "a: 1", false),
            raw("k8s/readme.md", "x", false),
            raw("k8s/b.yml", "# harness.io/skip-file-for-deploy \nkind: B", false),
            raw("k8s/c.yml", "kind: C\n# harness.io/skip-file-for-deploy", false),
            raw("other/d.tpl", "kind: D", true),
        ];
        let kept = manifests(files, &strings(&["k8s", "other/d.tpl"]), &strings(&["./k8s/prod-values.yaml"]));
        let names: Vec<&str> = kept.iter().map(|file| file.path.as_str()).collect();
        assert_eq!(names, ["k8s/a.yaml", "k8s/c.yml", "other/d.tpl"]);
    }

    #[test]
    fn where_default_values_lie() {
        for (paths, wanted) in [
            (&["k8s/templates"][..], &["k8s/values.yaml", "k8s/templates/values.yaml"][..]),
            (&["templates/"], &["values.yaml", "templates/values.yaml"]),
            (&["k8s"], &["k8s/values.yaml"]),
            (&[""], &["values.yaml"]),
            (&["a/b.yaml"], &[]),
        ] {
            assert_eq!(default_values(&strings(paths)), wanted, "{paths:?}");
        }
    }
}
