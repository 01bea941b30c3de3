//! The schemas for editors say what the reader reads.

// clippy.toml allows these in test functions; here their helpers need them too.
#![allow(clippy::unwrap_used)]

use serde_json::Value;
use windlass_document::step::{keys_of, step_types};
use windlass_document::{Kind, read, schema};
use windlass_model::{Identifier, Scope};

fn project() -> Scope {
    let id = |text: &str| Identifier::parse(text).unwrap();
    Scope::Project { org: id("default"), project: id("platform") }
}

/// Whether the reader says that it does not know a key.
fn unknown(text: &str, key: &str, kind: Kind) -> bool {
    let scope = project().outwards().find(|scope| kind.can_live_in(scope)).unwrap();
    let (_, problems) = read("x.yaml", text, &scope, Some(kind));
    problems
        .iter()
        .any(|one| *one.code == *windlass_yaml::code::UNKNOWN_KEY && one.message.contains(&format!("`{key}`")))
}

#[test]
fn every_key_of_a_schema_is_read() {
    for kind in Kind::all() {
        let root = kind.words().root;
        let schema = schema(kind);
        let body = &schema["properties"][root];
        for key in body["properties"].as_object().unwrap().keys() {
            let text = format!("{root}: {{identifier: x, name: x, {key}: x}}");
            assert!(!unknown(&text, key, kind), "{kind}: {key}");
        }
        assert!(unknown(&format!("{root}: {{identifier: x, name: x, nonsense: x}}"), "nonsense", kind), "{kind}");
        for key in body["required"].as_array().into_iter().flatten() {
            assert!(body["properties"].get(key.as_str().unwrap()).is_some(), "{kind}: {key}");
        }
    }
}

#[test]
fn every_key_of_a_pipeline_s_parts_is_read() {
    let schema = schema(Kind::Pipeline);
    let keys = |part: &str| -> Vec<String> {
        schema["$defs"][part]["properties"].as_object().unwrap().keys().cloned().collect()
    };
    let stage = |inside: &str| format!("pipeline: {{identifier: x, name: x, stages: [{{stage: {{{inside}}}}}]}}");
    let step =
        |inside: &str| stage(&format!("identifier: s, type: Custom, spec: {{execution: {{steps: [{inside}]}}}}"));
    for key in keys("stage") {
        assert!(!unknown(&stage(&format!("{key}: x")), &key, Kind::Pipeline), "stage: {key}");
    }
    for key in keys("step") {
        assert!(!unknown(&step(&format!("{{step: {{{key}: x}}}}")), &key, Kind::Pipeline), "step: {key}");
    }
    for key in keys("group") {
        assert!(!unknown(&step(&format!("{{stepGroup: {{{key}: x}}}}")), &key, Kind::Pipeline), "group: {key}");
    }
    for key in keys("strategy") {
        let text = step(&format!("{{step: {{strategy: {{{key}: x}}}}}}"));
        assert!(!unknown(&text, &key, Kind::Pipeline), "strategy: {key}");
    }
}

#[test]
fn every_step_that_runs_has_its_spec() {
    let schema = schema(Kind::Pipeline);
    let specs = schema["$defs"]["step"]["allOf"].as_array().unwrap();
    let of = |name: &str| specs.iter().find(|one| one["if"]["properties"]["type"]["const"] == name);
    for step in step_types() {
        assert_eq!(of(step.name).is_some(), step.runs, "{}", step.name);
        let Some(spec) = of(step.name) else { continue };
        let properties = &spec["then"]["properties"]["spec"]["anyOf"][0]["properties"];
        for key in keys_of(step.name).unwrap() {
            assert!(properties.get(key.name).is_some(), "{}: {}", step.name, key.name);
        }
    }
}

#[test]
fn every_reference_leads_somewhere() {
    fn walk(json: &Value, root: &Value) {
        match json {
            Value::Object(fields) => {
                if let Some(target) = fields.get("$ref").and_then(Value::as_str) {
                    assert!(root.pointer(target.trim_start_matches('#')).is_some(), "{target}");
                }
                fields.values().for_each(|inner| walk(inner, root));
            }
            Value::Array(items) => items.iter().for_each(|inner| walk(inner, root)),
            _ => {}
        }
    }
    for kind in Kind::all() {
        let schema = schema(kind);
        walk(&schema, &schema);
    }
}

/// What a schema says against a document.
fn wrong(kind: Kind, text: &str) -> Vec<String> {
    let schema = schema(kind);
    let validator = jsonschema::validator_for(&schema).unwrap();
    let document = windlass_yaml::parse_one("x.yaml", text, &windlass_yaml::Options::DOCUMENT).unwrap();
    let json = document.root.to_json(windlass_yaml::NumberStyle::Typed);
    validator.iter_errors(&json).map(|error| format!("{}: {error}", error.instance_path())).collect()
}

#[test]
fn connectors_and_triggers_are_known_by_their_type() {
    let good = [
        (
            Kind::Connector,
            "connector: {identifier: c, name: c, type: K8sCluster, spec: {credential: {type: InheritFromDelegate}, delegateSelectors: [prod]}}",
        ),
        (
            Kind::Connector,
            "connector: {identifier: c, name: c, type: K8sCluster, spec: {credential: {type: ManualConfig, spec: {masterUrl: 'https://k8s', auth: {type: ServiceAccount, spec: {serviceAccountTokenRef: tok}}}}}}",
        ),
        (
            Kind::Connector,
            "connector: {identifier: c, name: c, type: Git, spec: {url: 'https://git', connectionType: Repo, type: Http, spec: {usernameRef: user, passwordRef: token}}}",
        ),
        (
            Kind::Connector,
            "connector: {identifier: c, name: c, type: Git, spec: {url: 'https://git', type: Ssh, spec: {sshKeyRef: key}}}",
        ),
        (
            Kind::Connector,
            "connector: {identifier: c, name: c, type: Github, spec: {url: 'https://git', type: Account, validationRepo: deploy, authentication: {type: Http, spec: {type: UsernameToken, spec: {username: bot, tokenRef: pat}}}}}",
        ),
        (
            Kind::Connector,
            "connector: {identifier: c, name: c, type: DockerRegistry, spec: {dockerRegistryUrl: 'https://r', auth: {type: Anonymous}}}",
        ),
        (Kind::Connector, "connector: {identifier: c, name: c, type: Jira, spec: {jiraUrl: 'https://j', whatever: 1}}"),
        (
            Kind::Trigger,
            "trigger: {identifier: t, name: t, pipelineIdentifier: p, source: {type: Webhook, spec: {type: Custom, spec: {payloadConditions: [{key: a, operator: Equals, value: b}]}}}}",
        ),
        (
            Kind::Trigger,
            "trigger: {identifier: t, name: t, pipelineIdentifier: p, source: {type: Webhook, spec: {type: Github, spec: {type: PullRequest, spec: {connectorRef: git, actions: [Open], autoAbortPreviousExecutions: true}}}}}",
        ),
        (
            Kind::Trigger,
            "trigger: {identifier: t, name: t, pipelineIdentifier: p, source: {type: Scheduled, spec: {type: Cron, spec: {expression: '* * * * *'}}}}",
        ),
    ];
    for (kind, text) in good {
        assert_eq!(wrong(kind, text), Vec::<String>::new(), "{text}");
    }
    let bad = [
        (
            Kind::Connector,
            "connector: {identifier: c, name: c, type: K8sCluster, spec: {credential: {type: InheritFromDelegate}, masterUrl: x}}",
            "masterUrl",
        ),
        (
            Kind::Connector,
            "connector: {identifier: c, name: c, type: K8sCluster, spec: {credential: {type: ManualConfig, spec: {masterUrl: x, auth: {type: ServiceAccount, spec: {token: tok}}}}}}",
            "token",
        ),
        (
            Kind::Connector,
            "connector: {identifier: c, name: c, type: Git, spec: {url: x, type: Http, spec: {username: a, usernameRef: b, passwordRef: c}}}",
            "/connector/spec/spec",
        ),
        (
            Kind::Connector,
            "connector: {identifier: c, name: c, type: Git, spec: {url: x, type: Http, repo: y}}",
            "repo",
        ),
        (Kind::Connector, "connector: {identifier: c, name: c, type: Prometheus, spec: {uri: x}}", "url"),
        (Kind::Connector, "connector: {identifier: c, name: c, type: Kubernetes, spec: {}}", "/connector/type"),
        (
            Kind::Trigger,
            "trigger: {identifier: t, name: t, source: {type: Webhook, spec: {type: Custom, spec: {payloadCondition: []}}}}",
            "payloadCondition",
        ),
        (
            Kind::Trigger,
            "trigger: {identifier: t, name: t, source: {type: Webhook, spec: {type: Custom, spec: {payloadConditions: [{key: a, operator: Like}]}}}}",
            "operator",
        ),
        (
            Kind::Trigger,
            "trigger: {identifier: t, name: t, source: {type: Webhook, spec: {type: Github, spec: {type: Push, spec: {repo: x}}}}}",
            "connectorRef",
        ),
    ];
    for (kind, text, about) in bad {
        let found = wrong(kind, text);
        assert!(found.iter().any(|one| one.contains(about)), "{text}: {found:?}");
    }
}

/// What people copy from is what editors accept.
#[test]
fn the_examples_keep_to_the_schemas() {
    fn files(folder: &std::path::Path, found: &mut Vec<std::path::PathBuf>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                files(&path, found);
            } else if path.extension().is_some_and(|end| end == "yaml") {
                found.push(path);
            }
        }
    }
    let mut found = Vec::new();
    files(
        std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../examples/payment-service/setup")),
        &mut found,
    );
    let mut seen = 0;
    for path in found {
        let text = std::fs::read_to_string(&path).unwrap();
        let documents = windlass_yaml::parse("x.yaml", &text, &windlass_yaml::Options::DOCUMENT).unwrap();
        for document in documents {
            let json = document.root.to_json(windlass_yaml::NumberStyle::Typed);
            let Some(kind) = Kind::all().find(|kind| json.get(kind.words().root).is_some()) else { continue };
            let schema = schema(kind);
            let validator = jsonschema::validator_for(&schema).unwrap();
            let wrong: Vec<String> =
                validator.iter_errors(&json).map(|error| format!("{}: {error}", error.instance_path())).collect();
            assert_eq!(wrong, Vec::<String>::new(), "{}", path.display());
            seen += 1;
        }
    }
    assert!(seen > 10, "{seen} documents");
}
