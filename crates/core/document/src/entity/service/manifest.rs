//! Manifests and values of a service (kubernetes-deploy §1.1, §1.2).

use super::store;
use crate::common::code;
use windlass_diagnostic::Diagnostic;
use windlass_yaml::{Fields, Reader};

const MAIN: &[&str] = &["K8sManifest", "HelmChart", "Kustomize", "OpenshiftTemplate"];
const MORE: &[&str] =
    &["Values", "KustomizePatches", "OpenshiftParam", "HelmRepoOverride", "ReleaseRepo", "DeploymentRepo"];

/// Commands of Helm that flags may be for; only those for `Template` count here.
const HELM_COMMANDS: &[&str] = &[
    "Fetch",
    "Template",
    "Pull",
    "Install",
    "Upgrade",
    "Rollback",
    "History",
    "Delete",
    "Uninstall",
    "List",
    "Add",
    "Update",
    "Version",
    "Test",
];

/// The list of a service, and which of several charts is the main one.
pub(super) fn all(fields: &Fields<'_>) {
    let mut main: Vec<(String, bool)> = Vec::new();
    let primary = fields.opt("manifestConfigurations").and_then(|r| {
        let inner = r.fields()?;
        let reference = inner.opt("primaryManifestRef").and_then(|r| Some((r.string()?, r)));
        inner.finish();
        reference
    });
    fields.list("manifests", |item| {
        let outer = item.fields()?;
        let manifest = outer.required("manifest");
        outer.finish();
        let manifest = manifest?;
        let (identifier, kind) = one(&manifest)?;
        let is_chart = kind.as_deref() == Some("HelmChart");
        if kind.as_deref().is_none_or(|kind| MAIN.contains(&kind)) {
            // Several charts need somebody who chooses; everything else excludes each other.
            let chosen = primary.is_some() && is_chart;
            if let Some((first, _)) = main.iter().find(|(_, chart)| !(chosen && *chart)) {
                let problem = format!("a service has one main manifest: `{first}` and `{identifier}` both are");
                let remedy = "`manifestConfigurations.primaryManifestRef` chooses among several charts";
                let problem = Diagnostic::error(code::CHOICE, problem);
                manifest.report(if is_chart { problem.remedy(remedy) } else { problem });
            }
            main.push((identifier, is_chart));
        }
        Some(())
    });
    if let Some((word, at)) = primary
        && !word.contains("<+")
        && !main.iter().any(|(identifier, _)| *identifier == word)
    {
        let known = main.iter().map(|(identifier, _)| identifier.as_str());
        at.report(Diagnostic::error(code::CHOICE, format!("no chart is called `{word}`")).nearest_of(&word, known));
    }
}

/// A manifest: its identifier and type.
fn one(manifest: &Reader<'_>) -> Option<(String, Option<String>)> {
    let fields = manifest.fields()?;
    let identifier = fields.opt_string("identifier").unwrap_or_else(|| "manifest".to_owned());
    let kind = fields.opt("type").and_then(|t| {
        let word = t.string()?;
        if !MAIN.contains(&word.as_str()) && !MORE.contains(&word.as_str()) {
            let known = MAIN.iter().chain(MORE).copied();
            t.report(
                Diagnostic::error(code::TYPE, format!("`{word}` is not a type of manifest")).nearest_of(&word, known),
            );
        }
        Some((word, t))
    });
    let spec = fields.required("spec");
    fields.finish();
    let spec = spec.and_then(|spec| spec.fields());
    let word = kind.as_ref().map_or("K8sManifest", |(word, _)| word.as_str());
    if let (Some((word, at)), true) = (&kind, ["OpenshiftTemplate", "OpenshiftParam"].contains(&word)) {
        at.report(
            Diagnostic::warning(code::UNSUPPORTED, format!("{word} manifests cannot be rendered"))
                .remedy("the step that needs it fails by this name; use Kustomize, a chart or plain manifests"),
        );
    }
    if let Some(spec) = spec {
        self::spec(word, &spec);
        spec.finish();
    }
    Some((identifier, kind.map(|(word, _)| word)))
}

fn spec(kind: &str, fields: &Fields<'_>) {
    match kind {
        "K8sManifest" => fields.known(&["valuesPaths", "optionalValuesYaml"]),
        "HelmChart" => chart(fields),
        "Kustomize" => kustomization(fields),
        "Values" => fields.known(&["optionalValuesYaml"]),
        "OpenshiftTemplate" => fields.known(&["paramsPaths"]),
        "HelmRepoOverride" => fields.known(&["connectorRef", "type"]),
        _ => {}
    }
    if MAIN.contains(&kind) {
        for flag in ["skipResourceVersioning", "enableDeclarativeRollback"] {
            fields.known(&[flag]);
        }
        fields.known(&["configVersioning"]);
    }
    let at = if kind == "HelmRepoOverride" { fields.opt("store") } else { fields.required("store") };
    if let Some(at) = at {
        store::store(&at, kind);
    }
}

fn chart(fields: &Fields<'_>) {
    fields.known(&["valuesPaths", "optionalValuesYaml", "chartVersion", "subChartPath"]);
    if let Some(version) = fields.opt("helmVersion")
        && let Some(word) = version.string()
    {
        match word.as_str() {
            "V3" | "V380" => {}
            "V4" => version.report(Diagnostic::info(code::UNSUPPORTED, "charts are rendered as Helm 3 renders them")),
            "V2" => version.report(
                Diagnostic::warning(code::UNSUPPORTED, "charts are not rendered as Helm 2 does it")
                    .remedy("the step that needs it fails by this name; use V3"),
            ),
            other => version.report(
                Diagnostic::error(windlass_yaml::code::BAD_VALUE, format!("`{other}` is not a version of Helm"))
                    .nearest_of(other, ["V2", "V3", "V380", "V4"]),
            ),
        }
    }
    let kind = fields.opt("store").and_then(|s| s.fields()).and_then(|s| s.opt_string("type"));
    if kind.as_deref().is_some_and(|kind| ["Http", "OciHelmChart"].contains(&kind)) {
        fields.required("chartName").and_then(|name| name.string());
    } else {
        fields.known(&["chartName"]);
    }
    flags(fields, HELM_COMMANDS);
}

fn kustomization(fields: &Fields<'_>) {
    if let Some(overlay) = fields.opt("overlayConfiguration").and_then(|r| r.fields()) {
        overlay.opt_string("kustomizeYamlFolderPath");
        overlay.finish();
    }
    fields.known(&["patchesPaths"]);
    if let Some(plugin) = fields.opt("pluginPath")
        && plugin.string().is_some_and(|path| !path.is_empty())
    {
        plugin.report(
            Diagnostic::warning(
                code::UNSUPPORTED,
                "plugins are programs: none is started while manifests are rendered",
            )
            .remedy("use the built-in generators and transformers"),
        );
    }
    flags(fields, &["Build"]);
}

/// Flags of command lines. Those that cannot be understood are told when the manifest is rendered.
fn flags(fields: &Fields<'_>, commands: &[&'static str]) {
    fields.list("commandFlags", |item| {
        let inner = item.fields()?;
        if let Some(at) = inner.required("commandType")
            && let Some(word) = at.string()
            && !commands.contains(&word.as_str())
        {
            at.report(
                Diagnostic::error(
                    windlass_yaml::code::BAD_VALUE,
                    format!("`{word}` is not a command that takes flags here"),
                )
                .nearest_of(&word, commands.iter().copied()),
            );
        }
        inner.opt_string("flag");
        inner.finish();
        Some(())
    });
}
