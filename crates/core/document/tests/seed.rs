//! The user's own pipeline template, where its folder stands beside the checkout (pipelines §11.9 item 1).

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use windlass_document::{Entity, Kind, read, substitute};
use windlass_model::Scope;

fn seed(name: &str) -> Option<String> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../../shared/cases/seed-004").join(name);
    let text = std::fs::read_to_string(&path).ok();
    if text.is_none() {
        println!("skipped: {name} of the original design is not beside this checkout");
    }
    text
}

fn project() -> Scope {
    Scope::Project { org: "default".parse().unwrap(), project: "platform".parse().unwrap() }
}

#[test]
fn acceptance_1_the_template_imports_without_errors() {
    let Some(template) = seed("pipeline-template.yaml") else { return };
    let values = [("SERVICE_NAME", "payment-service"), ("ARCHETYPE", "api"), ("TEAM", "payments_team")];
    let values: BTreeMap<_, _> = values.map(|(k, v)| (k.to_owned(), v.to_owned())).into();
    let text = substitute("template.yaml", &template, &values).unwrap();
    let (documents, problems) = read("template.yaml", &text, &Scope::Account, None);
    assert!(!problems.has_errors(), "{problems}");

    let kinds: Vec<_> =
        documents.iter().map(|d| (d.kind, d.header.identifier.as_str().to_owned(), d.derived)).collect();
    assert_eq!(
        kinds,
        [
            (Kind::Pipeline, "payment_service_cd".to_owned(), false),
            (Kind::Trigger, "app_image_trigger".to_owned(), true),
        ]
    );
    assert_eq!(documents[0].text, text, "the author's text is kept byte for byte");
    assert_eq!(documents[0].header.alias.as_deref(), Some("payment-service_cd"));
    let codes: BTreeSet<&str> = problems.iter().map(|d| d.code.as_ref()).filter(|c| c.starts_with("SEED")).collect();
    for code in [
        "SEED-02", "SEED-04", "SEED-06", "SEED-07", "SEED-08", "SEED-10", "SEED-30", "SEED-31", "SEED-32", "SEED-40",
        "SEED-41", "SEED-42", "SEED-43", "SEED-44", "SEED-47", "SEED-48", "SEED-50", "SEED-53", "SEED-54", "SEED-55",
        "SEED-70", "SEED-71",
    ] {
        assert!(codes.contains(code), "{code} is missing in\n{problems}");
    }
    for problem in &problems {
        assert!(problem.place.is_some(), "{problem}");
    }
    let Entity::Pipeline(pipeline) = &documents[0].entity else { panic!() };
    assert_eq!(pipeline.stages().count(), 1);
}

#[test]
fn the_infrastructure_definitions_import_without_root_key() {
    let Some(text) = seed("infrastructure-definitions.yaml") else { return };
    // The design shows three documents in one block without separators.
    for part in text.split("\n\n") {
        let (documents, problems) = read("infra.yaml", part, &project(), None);
        assert!(!problems.has_errors(), "{problems}");
        assert_eq!(documents[0].kind, Kind::Infrastructure);
        assert!(documents[0].header.parent.is_some());
        assert!(problems.iter().any(|d| d.code == "SEED-34"));
    }
}
