//! Infrastructure definitions (pipelines §1.3, SEED-32, SEED-34).

use super::head;
use crate::common::{self, code};
use windlass_diagnostic::Diagnostic;
use windlass_yaml::Reader;

pub(crate) fn read(reader: &Reader<'_>) -> Option<()> {
    let fields = reader.fields()?;
    head(&fields);
    let environment = fields.string("environmentRef");
    if fields.opt_string("deploymentType").is_none() {
        reader.report(Diagnostic::warning("SEED-34", "`deploymentType` is missing; it counts as Kubernetes"));
    }
    if let Some(kind) = fields.opt("type") {
        if let Some(word) = kind.string()
            && word != "KubernetesDirect"
        {
            kind.report(
                Diagnostic::warning(
                    code::UNSUPPORTED,
                    format!("infrastructures of type {word} cannot be deployed to here"),
                )
                .remedy("use KubernetesDirect with a connector"),
            );
        }
    } else {
        reader.report(Diagnostic::warning("SEED-34", "`type` is missing; it counts as KubernetesDirect"));
    }
    fields.opt_bool("allowSimultaneousDeployments");
    common::variables(&fields);
    let spec = fields.required("spec");
    fields.finish();
    spec_of(&spec?);
    environment.map(drop)
}

fn spec_of(reader: &Reader<'_>) {
    let Some(fields) = reader.fields() else { return };
    for name in ["connectorRef", "namespace", "releaseName"] {
        // What an example leaves out may come from the stage's `inputs`.
        if let Some(value) = fields.opt(name)
            && let Some(text) = value.string()
        {
            common::input(&value, None);
            if name == "namespace" && !text.contains("<+") && !is_label(&text) {
                let problem = format!("`{text}` is not a namespace: small letters, digits and `-`, at most 63");
                value.report(Diagnostic::error(windlass_yaml::code::BAD_VALUE, problem));
            }
        }
    }
    if let Some(selectors) = fields.opt("delegateSelectors") {
        common::selectors(&selectors);
        selectors.report(
            Diagnostic::warning("SEED-32", "`delegateSelectors` is no field of an infrastructure for the vendor")
                .remedy("it counts here, weaker than the pipeline's and stronger than the connector's"),
        );
    }
    fields.known(&["provisioner"]);
    fields.finish();
}

fn is_label(text: &str) -> bool {
    let inner = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    !text.is_empty() && text.len() <= 63 && text.chars().all(inner) && !text.starts_with('-') && !text.ends_with('-')
}
