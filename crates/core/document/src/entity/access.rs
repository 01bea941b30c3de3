//! Roles, resource groups, role assignments, service accounts and variables (pipelines §9.1). Permissions and resource types
//! are checked against the table of the access room.

use super::head;
use crate::Kind;
use crate::common::code;
use windlass_diagnostic::Diagnostic;
use windlass_yaml::Reader;

pub(crate) fn read(kind: Kind, reader: &Reader<'_>) -> Option<()> {
    let fields = reader.fields()?;
    head(&fields);
    match kind {
        Kind::Role => {
            if let Some(id) = fields.opt("identifier").and_then(|i| Some((i.string()?, i)))
                && id.0.starts_with('_')
            {
                id.1.report(Diagnostic::error(code::IDENTIFIER, "`_` at the start belongs to built-in roles"));
            }
            fields.list("permissions", |p| p.string());
            fields.known(&["allowedScopeLevels"]);
        }
        Kind::ResourceGroup => {
            fields.known(&["allowedScopeLevels", "color"]);
            fields.list("includedScopes", |scope| {
                let fields = scope.fields()?;
                fields.known(&[
                    "accountId",
                    "accountIdentifier",
                    "orgId",
                    "orgIdentifier",
                    "projectId",
                    "projectIdentifier",
                ]);
                let filter = [("EXCLUDING_CHILD_SCOPES", ()), ("INCLUDING_CHILD_SCOPES", ())];
                fields.opt_choice("filter", &filter);
                fields.finish();
                Some(())
            });
            fields.required("resourceFilter");
        }
        Kind::RoleAssignment => {
            fields.string("roleIdentifier");
            fields.string("resourceGroupIdentifier");
            fields.opt_bool("disabled");
            if let Some(principal) = fields.required("principal").and_then(|principal| principal.fields()) {
                principal.string("identifier");
                let kinds = ["USER", "USER_GROUP", "SERVICE_ACCOUNT", "API_KEY", "SERVICE"].map(|k| (k, ()));
                principal.choice("type", &kinds);
                principal.known(&["scopeLevel"]);
                principal.finish();
            }
            fields.known(&["managed"]);
        }
        _ => {
            fields.opt_string("email");
        }
    }
    fields.finish();
    Some(())
}

pub(crate) fn variable(reader: &Reader<'_>) -> Option<()> {
    let fields = reader.fields()?;
    head(&fields);
    fields.choice("type", &[("String", ())]);
    let value = fields.required("spec").and_then(|spec| {
        let spec = spec.fields()?;
        spec.opt_choice("valueType", &[("FIXED", ())]);
        let value = spec.string("fixedValue");
        spec.finish();
        value
    });
    fields.finish();
    value.map(drop)
}
