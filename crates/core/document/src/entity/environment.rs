//! Environments and monitored services.

use super::head;
use crate::common::{self, code};
use windlass_diagnostic::Diagnostic;
use windlass_yaml::Reader;

pub(crate) fn read(reader: &Reader<'_>) -> Option<()> {
    let fields = reader.fields()?;
    head(&fields);
    let kind = fields.choice("type", &[("Production", ()), ("PreProduction", ())]);
    common::variables(&fields);
    fields.known(&["overrides"]);
    fields.finish();
    kind
}

/// What to ask a monitoring system about a service in an environment (kubernetes-deploy §3).
pub(crate) fn monitored_service(reader: &Reader<'_>) -> Option<()> {
    let fields = reader.fields()?;
    head(&fields);
    fields.opt_string("type");
    let service = fields.string("serviceRef");
    let environment = fields.string("environmentRef");
    let sources = fields.required("sources");
    fields.known(&["notificationRuleRefs", "dependencies"]);
    fields.finish();
    let fields = sources?.fields()?;
    fields.list("healthSources", |source| {
        let fields = source.fields()?;
        fields.string("identifier");
        fields.opt_string("name");
        if let Some(kind) = fields.required("type")
            && let Some(word) = kind.string()
            && word != "Prometheus"
        {
            kind.report(
                Diagnostic::warning(code::UNSUPPORTED, format!("health sources of type {word} cannot be asked yet"))
                    .remedy("only Prometheus is asked; the others are kept"),
            );
        }
        fields.required("spec");
        fields.known(&["version"]);
        fields.finish();
        Some(())
    });
    fields.known(&["changeSources"]);
    fields.finish();
    service.and(environment).map(drop)
}
