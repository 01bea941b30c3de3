//! Services: manifests, artifacts, variables (kubernetes-deploy §1.1–1.3).

mod manifest;
mod store;

use super::head;
use crate::common::{self, code};
use windlass_diagnostic::Diagnostic;
use windlass_yaml::Reader;

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
    manifest::all(&fields);
    if let Some(artifacts) = fields.opt("artifacts") {
        self::artifacts(&artifacts);
    }
    if let Some(hooks) = fields.opt("hooks") {
        let problem = Diagnostic::warning(code::UNSUPPORTED, "hooks around fetching and rendering are not run");
        hooks.report(
            problem.remedy("charts that a chart needs are fetched without them; do the rest before the commit"),
        );
    }
    fields.known(&["configFiles", "imagePlaceholder", "imageMap", "resolveDigest"]);
    fields.finish();
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
