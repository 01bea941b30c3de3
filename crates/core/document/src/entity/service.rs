//! Services: manifests, artifacts, variables (kubernetes-deploy §1.1–1.3).

use super::head;
use crate::common::{self, code};
use windlass_diagnostic::Diagnostic;
use windlass_yaml::{Fields, Reader};

pub(crate) fn read(reader: &Reader<'_>) -> Option<()> {
    let fields = reader.fields()?;
    head(&fields);
    fields.opt_bool("gitOpsEnabled");
    let definition_reader = fields.required("serviceDefinition");
    fields.finish();
    definition(&definition_reader?);
    Some(())
}

/// `serviceDefinition`, of a service or inline in a stage.
pub(crate) fn definition(reader: &Reader<'_>) {
    let Some(fields) = reader.fields() else { return };
    if let Some(kind) = fields.required("type")
        && let Some(word) = kind.string()
        && word != "Kubernetes"
    {
        kind.report(
            Diagnostic::warning(code::UNSUPPORTED, format!("services of type {word} cannot be deployed here"))
                .remedy("the service is kept; only Kubernetes services can be deployed"),
        );
    }
    let spec = fields.required("spec");
    fields.finish();
    let Some(fields) = spec.and_then(|s| s.fields()) else { return };
    common::variables(&fields);
    manifests(&fields);
    if let Some(artifacts) = fields.opt("artifacts") {
        self::artifacts(&artifacts);
    }
    fields.known(&["configFiles", "hooks", "manifestConfigurations", "imagePlaceholder", "imageMap", "resolveDigest"]);
    fields.finish();
}

const MAIN: &[&str] = &["K8sManifest", "HelmChart", "Kustomize", "OpenshiftTemplate"];
const MORE: &[&str] =
    &["Values", "KustomizePatches", "OpenshiftParam", "HelmRepoOverride", "ReleaseRepo", "DeploymentRepo"];

fn manifests(fields: &Fields<'_>) {
    let mut main: Option<String> = None;
    fields.list("manifests", |item| {
        let outer = item.fields()?;
        let manifest = outer.required("manifest");
        outer.finish();
        let manifest = manifest?;
        let fields = manifest.fields()?;
        let identifier = fields.opt_string("identifier").unwrap_or_else(|| "manifest".to_owned());
        let kind = fields.opt("type").and_then(|t| {
            let word = t.string()?;
            if !MAIN.contains(&word.as_str()) && !MORE.contains(&word.as_str()) {
                let known = MAIN.iter().chain(MORE).copied();
                t.report(
                    Diagnostic::error(code::TYPE, format!("`{word}` is not a type of manifest"))
                        .nearest_of(&word, known),
                );
            }
            Some(word)
        });
        let spec = fields.required("spec");
        fields.finish();
        if kind.as_deref().is_none_or(|k| MAIN.contains(&k)) {
            if let Some(first) = &main {
                let problem = format!("a service has one main manifest: `{first}` and `{identifier}` both are");
                manifest.report(Diagnostic::error(code::CHOICE, problem));
            }
            main = Some(identifier);
        }
        if let Some(store) = spec?.fields().and_then(|s| {
            s.known(&[
                "valuesPaths",
                "optionalValuesYaml",
                "skipResourceVersioning",
                "enableDeclarativeRollback",
                "configVersioning",
                "chartName",
                "chartVersion",
                "subChartPath",
                "helmVersion",
                "commandFlags",
                "overlayConfiguration",
                "patchesPaths",
                "pluginPath",
                "paramsPaths",
                "connectorRef",
                "type",
            ]);
            let store = s.required("store");
            s.finish();
            store
        }) {
            self::store(&store);
        }
        Some(())
    });
}

/// Where files come from (kubernetes-deploy §1.3).
pub(crate) fn store(reader: &Reader<'_>) {
    const GIT: &[&str] = &["Git", "Github", "GitLab", "Bitbucket", "AzureRepo"];
    const LATER: &[&str] = &[
        "HarnessCode",
        "Http",
        "OciHelmChart",
        "S3",
        "Gcs",
        "CustomRemote",
        "InheritFromManifest",
        "Artifactory",
        "S3Url",
    ];
    let Some(fields) = reader.fields() else { return };
    let kind = fields.required("type").and_then(|t| Some((t.string()?, t)));
    let spec = fields.required("spec");
    fields.finish();
    let (Some((word, at)), Some(spec)) = (kind, spec) else { return };
    if GIT.contains(&word.as_str()) {
        git(&spec);
    } else if LATER.contains(&word.as_str()) {
        let problem = format!("files from a store of type {word} cannot be fetched yet");
        at.report(
            Diagnostic::warning(code::UNSUPPORTED, problem).remedy("the step that needs them fails by this name"),
        );
    } else if !["Harness", "Inline"].contains(&word.as_str()) {
        let known = GIT.iter().chain(LATER).copied().chain(["Harness", "Inline"]);
        at.report(Diagnostic::error(code::TYPE, format!("`{word}` is not a type of store")).nearest_of(&word, known));
    }
}

fn git(spec: &Reader<'_>) {
    let Some(fields) = spec.fields() else { return };
    fields.required("connectorRef").and_then(|r| r.string());
    fields.opt_string("repoName");
    let fetch = fields
        .opt("gitFetchType")
        .and_then(|f| f.choice(&[("Branch", "branch"), ("Commit", "commitId"), ("Tag", "tag")]));
    let given: Vec<&str> = ["branch", "commitId", "tag"].into_iter().filter(|key| fields.opt(key).is_some()).collect();
    let paths = ["paths", "folderPath"].into_iter().filter(|key| fields.opt(key).is_some()).count();
    fields.finish();
    if fetch.is_none() {
        spec.report(Diagnostic::info("SEED-36", "`gitFetchType` is not given; it counts as Branch"));
    }
    let wanted = fetch.unwrap_or("branch");
    if given != [wanted] {
        spec.report(Diagnostic::error(
            code::CHOICE,
            format!("exactly `{wanted}` says what to fetch; found {}", list(&given)),
        ));
    }
    if paths != 1 {
        spec.report(Diagnostic::error(
            code::CHOICE,
            "exactly one of `paths` and `folderPath` says which files to fetch",
        ));
    }
}

fn list(words: &[&str]) -> String {
    if words.is_empty() { "nothing".to_owned() } else { words.join(", ") }
}

fn artifacts(reader: &Reader<'_>) {
    let Some(fields) = reader.fields() else { return };
    if let Some(primary) = fields.opt("primary").and_then(|p| p.fields()) {
        primary.known(&["primaryArtifactRef"]);
        let sources = primary.list("sources", |source| {
            let fields = source.fields()?;
            let identifier = fields.string("identifier");
            fields.known(&["type", "spec", "name", "template"]);
            fields.finish();
            identifier
        });
        let reference = primary.opt("primaryArtifactRef").and_then(|r| Some((r.string()?, r)));
        if let Some((text, at)) = reference {
            if text.starts_with("<+input>") && sources.len() == 1 {
                at.report(Diagnostic::info("SEED-37", format!("the only artifact source `{}` is chosen", sources[0])));
            } else if !text.contains("<+") && !sources.is_empty() && !sources.contains(&text) {
                let known = sources.iter().map(String::as_str);
                let problem = format!("no artifact source is called `{text}`");
                at.report(Diagnostic::error(code::CHOICE, problem).nearest_of(&text, known));
            }
        }
        primary.known(&["type", "spec"]);
        primary.finish();
    }
    fields.known(&["sidecars"]);
    fields.finish();
}
