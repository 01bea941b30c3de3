//! Manifests and values of a service, for the worker (kubernetes-deploy §1.1–1.4).

use super::connector::Connector;
use crate::draft::Draft;
use crate::effect::{EntityKind, EntityRef};
use crate::nodes::NodeIx;
use crate::resolve::{Eyes, Sealer, Trouble};
use windlass_model::task::source::{
    ChartSource, ConfigVersioning, GitReference, ManifestKind, ManifestSource, Overlay, Store, StoredFile,
};
use windlass_model::{Failure, FailureType, Json, Scope};

/// A manifest as it is written, and where: references in it count from there.
#[derive(Clone, Debug)]
pub(crate) struct Written<'m> {
    pub manifest: &'m Json,
    pub from: Scope,
    /// 0 for the service itself; overrides stand above (kubernetes-deploy §1.4).
    pub layer: u8,
}

struct Reading<'d> {
    draft: &'d Draft,
    ix: NodeIx,
    eyes: &'d Eyes<'d>,
    written: &'d Written<'d>,
    identifier: String,
}

/// Reads one manifest. What a node has looked up is looked up by it; its expressions are seen with these eyes.
pub(crate) fn resolve(
    draft: &Draft,
    ix: NodeIx,
    eyes: &Eyes<'_>,
    written: &Written<'_>,
) -> Result<ManifestSource, Trouble> {
    let manifest = written.manifest.get("manifest").unwrap_or(written.manifest);
    let text = |key: &str| manifest.get(key).and_then(Json::as_str).unwrap_or_default();
    let identifier = if text("identifier").is_empty() { "manifest" } else { text("identifier") }.to_owned();
    let reading = Reading { draft, ix, eyes, written, identifier };
    let kind = match text("type") {
        "K8sManifest" => ManifestKind::K8sManifest,
        "Values" => ManifestKind::Values,
        "Kustomize" => ManifestKind::Kustomize,
        "KustomizePatches" => ManifestKind::KustomizePatches,
        "HelmChart" => ManifestKind::HelmChart,
        other => return Err(reading.wrong(format!("type `{other}` cannot be deployed yet"))),
    };
    let empty = Json::Null;
    let spec = manifest.get("spec").unwrap_or(&empty);
    Ok(ManifestSource {
        kind,
        store: reading.store(spec)?,
        values_paths: reading.texts(spec.get("valuesPaths"), "valuesPaths")?,
        optional_values: flag(spec, "optionalValuesYaml"),
        skip_versioning: flag(spec, "skipResourceVersioning"),
        declarative_rollback: flag(spec, "enableDeclarativeRollback"),
        config_versioning: match spec.get("configVersioning").and_then(Json::as_str) {
            Some("hash") => Some(ConfigVersioning::Hash),
            Some("number") => Some(ConfigVersioning::Number),
            Some("none") => Some(ConfigVersioning::None),
            _ => None,
        },
        layer: written.layer,
        overlay: (kind == ManifestKind::Kustomize).then(|| reading.overlay(spec)).transpose()?,
        chart: (kind == ManifestKind::HelmChart).then(|| reading.chart(spec)).transpose()?,
        identifier: reading.identifier,
    })
}

fn flag(spec: &Json, key: &str) -> bool {
    match spec.get(key) {
        Some(Json::Bool(value)) => *value,
        Some(Json::String(text)) => text.eq_ignore_ascii_case("true"),
        _ => false,
    }
}

impl Reading<'_> {
    fn wrong(&self, why: impl std::fmt::Display) -> Trouble {
        Failure::new(FailureType::ConfigurationFailure, format!("manifest `{}`: {why}", self.identifier)).into()
    }

    fn text(&self, text: &str, what: &str) -> Result<String, Trouble> {
        self.eyes.text(text, &format!("manifest `{}`, {what}", self.identifier))
    }

    /// A list, or one text.
    fn texts(&self, json: Option<&Json>, what: &str) -> Result<Vec<String>, Trouble> {
        match json {
            Some(Json::Array(items)) => items.iter().filter_map(Json::as_str).map(|one| self.text(one, what)).collect(),
            Some(Json::String(one)) => Ok(vec![self.text(one, what)?]),
            _ => Ok(Vec::new()),
        }
    }

    fn store(&self, spec: &Json) -> Result<Store, Trouble> {
        let store = spec.get("store").ok_or_else(|| self.wrong("`store` is missing"))?;
        let kind = store.get("type").and_then(Json::as_str).unwrap_or_default();
        let empty = Json::Null;
        let inner = store.get("spec").unwrap_or(&empty);
        match kind {
            "Git" | "Github" | "GitLab" | "Bitbucket" | "AzureRepo" => self.git(inner),
            "Inline" => {
                let content = inner.get("content").and_then(Json::as_str).unwrap_or_default();
                Ok(Store::Inline { content: self.text(content, "content")? })
            }
            "Harness" => self.files(inner),
            "InheritFromManifest" => Ok(Store::Inherit { paths: self.texts(inner.get("paths"), "paths")? }),
            "Http" => self.charts(inner.get("connectorRef"), ""),
            "OciHelmChart" => match inner.pointer("/config/type").and_then(Json::as_str) {
                Some("Generic") => {
                    let path = inner.get("basePath").and_then(Json::as_str).unwrap_or_default();
                    self.charts(inner.pointer("/config/spec/connectorRef"), &self.text(path, "basePath")?)
                }
                other => {
                    let kind = other.unwrap_or_default();
                    Err(self.wrong(format!("registries of type `{kind}` cannot be signed in to yet: use Generic")))
                }
            },
            other => Err(self.wrong(format!("files from a store of type `{other}` cannot be fetched yet"))),
        }
    }

    fn git(&self, spec: &Json) -> Result<Store, Trouble> {
        let reference = spec.get("connectorRef").and_then(Json::as_str).unwrap_or_default();
        let reference = self.text(reference, "connectorRef")?;
        let optional = |key: &str| match spec.get(key) {
            Some(Json::String(text)) if !text.is_empty() => self.text(text, key).map(Some),
            Some(Json::Number(number)) => Ok(Some(number.to_string())),
            _ => Ok(None),
        };
        let wanted =
            EntityRef { kind: EntityKind::Connector, reference: reference.clone(), from: self.written.from.clone() };
        let found = self.draft[self.ix].entity(&wanted)?;
        let connector = Connector { reference: &reference, scope: found.scope, body: found.body };
        let repository = connector.repository(&Sealer::of(&self.draft.run), optional("repoName")?.as_deref())?;
        // Without a word about it the vendor fetches a branch (SEED-36).
        let reference = match (optional("branch")?, optional("commitId")?, optional("tag")?) {
            (Some(branch), None, None) => GitReference::Branch(branch),
            (None, Some(commit), None) => GitReference::Commit(commit),
            (None, None, Some(tag)) => GitReference::Tag(tag),
            _ => return Err(self.wrong("exactly one of `branch`, `commitId` and `tag` must have a value")),
        };
        let mut paths = self.texts(spec.get("paths"), "paths")?;
        paths.extend(self.texts(spec.get("folderPath"), "folderPath")?);
        if paths.is_empty() {
            return Err(self.wrong("`paths` is empty"));
        }
        Ok(Store::Git { repository, reference, paths })
    }

    fn charts(&self, reference: Option<&Json>, path: &str) -> Result<Store, Trouble> {
        let reference = self.text(reference.and_then(Json::as_str).unwrap_or_default(), "connectorRef")?;
        let wanted =
            EntityRef { kind: EntityKind::Connector, reference: reference.clone(), from: self.written.from.clone() };
        let found = self.draft[self.ix].entity(&wanted)?;
        let connector = Connector { reference: &reference, scope: found.scope, body: found.body };
        Ok(Store::Charts { repository: connector.charts(&Sealer::of(&self.draft.run), path)? })
    }

    /// What of a kustomization is built (kubernetes-deploy §1.2).
    fn overlay(&self, spec: &Json) -> Result<Overlay, Trouble> {
        if spec.get("pluginPath").and_then(Json::as_str).is_some_and(|path| !path.is_empty()) {
            return Err(
                self.wrong("`pluginPath`: plugins are programs, and none is started while manifests are rendered")
            );
        }
        let folder = spec.pointer("/overlayConfiguration/kustomizeYamlFolderPath");
        Ok(Overlay {
            folder: self.texts(folder, "kustomizeYamlFolderPath")?.into_iter().next(),
            patches: self.texts(spec.get("patchesPaths"), "patchesPaths")?,
            flags: self.flags(spec, "Build")?,
        })
    }

    /// Which chart is rendered (kubernetes-deploy §1.2).
    fn chart(&self, spec: &Json) -> Result<ChartSource, Trouble> {
        if spec.get("helmVersion").and_then(Json::as_str) == Some("V2") {
            return Err(self.wrong("charts are not rendered as Helm 2 does it: set `helmVersion: V3`"));
        }
        let text = |key: &str| match spec.get(key) {
            Some(Json::String(text)) => self.text(text, key),
            Some(Json::Number(number)) => Ok(number.to_string()),
            _ => Ok(String::new()),
        };
        Ok(ChartSource {
            name: text("chartName")?,
            version: text("chartVersion")?,
            sub_chart: text("subChartPath")?,
            flags: self.flags(spec, "Template")?,
        })
    }

    /// The flags of one command.
    fn flags(&self, spec: &Json, command: &str) -> Result<Vec<String>, Trouble> {
        let all = spec.get("commandFlags").and_then(Json::as_array).into_iter().flatten();
        let own = all.filter(|flag| flag.get("commandType").and_then(Json::as_str) == Some(command));
        let texts = own.filter_map(|flag| flag.get("flag")?.as_str());
        texts.map(|text| self.text(text, "commandFlags")).collect()
    }

    fn files(&self, spec: &Json) -> Result<Store, Trouble> {
        let paths = self.texts(spec.get("files"), "files")?;
        let references: Vec<_> = paths
            .iter()
            .map(|path| EntityRef { kind: EntityKind::Files, reference: path.clone(), from: self.written.from.clone() })
            .collect();
        let node = &self.draft[self.ix];
        node.need(&references)?;
        let mut files: Vec<StoredFile> = Vec::new();
        for reference in &references {
            let found = node.entity(reference)?;
            let read: Vec<StoredFile> =
                serde_json::from_value(found.body.clone()).map_err(|error| self.wrong(error))?;
            files.extend(read);
        }
        Ok(Store::Files { files })
    }
}
