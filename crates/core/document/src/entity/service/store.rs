//! Where files come from (kubernetes-deploy §1.3).

use crate::common::code;
use windlass_diagnostic::Diagnostic;
use windlass_yaml::Reader;

const GIT: &[&str] = &["Git", "Github", "GitLab", "Bitbucket", "AzureRepo"];
/// Repositories of charts.
const CHARTS: &[&str] = &["Http", "OciHelmChart"];
const OTHERS: &[&str] = &["Harness", "Inline", "InheritFromManifest"];
const LATER: &[&str] = &["HarnessCode", "S3", "Gcs", "CustomRemote", "Artifactory", "S3Url"];

/// A store of a manifest of a type.
pub(super) fn store(reader: &Reader<'_>, manifest: &str) {
    let Some(fields) = reader.fields() else { return };
    let kind = fields.required("type").and_then(|t| Some((t.string()?, t)));
    let spec = fields.required("spec");
    fields.finish();
    let (Some((word, at)), Some(spec)) = (kind, spec) else { return };
    let only_for = |what: &str| {
        let problem = format!("a store of type {word} is for {what}, not for a {manifest} manifest");
        at.report(Diagnostic::error(code::CHOICE, problem));
    };
    match word.as_str() {
        word if GIT.contains(&word) => git(&spec),
        word if CHARTS.contains(&word) && manifest != "HelmChart" => only_for("charts"),
        "Http" => http(&spec),
        "OciHelmChart" => oci(&spec),
        "InheritFromManifest" if !["Values", "KustomizePatches"].contains(&manifest) => only_for("values and patches"),
        "InheritFromManifest" => {
            if let Some(fields) = spec.fields() {
                fields.required("paths");
                fields.finish();
            }
        }
        word if LATER.contains(&word) => {
            let problem = format!("files from a store of type {word} cannot be fetched yet");
            at.report(
                Diagnostic::warning(code::UNSUPPORTED, problem).remedy("the step that needs them fails by this name"),
            );
        }
        word if OTHERS.contains(&word) => {}
        word => {
            let known = [GIT, CHARTS, OTHERS, LATER].concat();
            at.report(
                Diagnostic::error(code::TYPE, format!("`{word}` is not a type of store")).nearest_of(word, known),
            );
        }
    }
}

fn http(spec: &Reader<'_>) {
    let Some(fields) = spec.fields() else { return };
    fields.required("connectorRef").and_then(|r| r.string());
    fields.finish();
}

fn oci(spec: &Reader<'_>) {
    let Some(fields) = spec.fields() else { return };
    fields.opt_string("basePath");
    let config = fields.required("config");
    fields.finish();
    let Some(config) = config.and_then(|config| config.fields()) else { return };
    let kind = config.required("type").and_then(|t| Some((t.string()?, t)));
    let inner = config.required("spec");
    config.finish();
    match kind {
        Some((word, _)) if word == "Generic" => {
            if let Some(inner) = inner {
                http(&inner);
            }
        }
        Some((word, at)) if ["ECR", "GAR"].contains(&word.as_str()) => {
            let problem = format!("registries of type {word} cannot be signed in to yet");
            at.report(
                Diagnostic::warning(code::UNSUPPORTED, problem)
                    .remedy("use Generic with an OciHelmRepo connector that holds user and password"),
            );
        }
        Some((word, at)) => at.report(
            Diagnostic::error(code::TYPE, format!("`{word}` is not a type of registry"))
                .nearest_of(&word, ["Generic", "ECR", "GAR"]),
        ),
        None => {}
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
