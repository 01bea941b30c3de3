//! What the API answers is what its description says, to the last field: the good answers of every route, about an installation in
//! which something has happened. Bad requests are the business of `described.rs`.
#![allow(clippy::unwrap_used, reason = "helpers of a scenario")]

use jsonschema::Validator;
use serde_json::{Value, json};
use std::cell::RefCell;
use std::collections::BTreeSet;
use windlass_tests::{Landscape, send};

const TRIGGER: &str = "\
trigger:
  identifier: on_build
  name: on build
  orgIdentifier: default
  projectIdentifier: platform
  pipelineIdentifier: payment_service_cd
  source:
    type: Webhook
    spec:
      type: Custom
      spec:
        payloadConditions:
          - {key: service_name, operator: Equals, value: payment-service}
  inputYaml: |
    pipeline:
      identifier: payment_service_cd
      variables: {imageTag: <+trigger.payload.image_tag>, targetEnvironment: int-stable, targetRegion: euw1}
";

/// The links of delegates (`adapters/link` has its own tests), what is in the vendor's envelope, and the description itself.
const ELSEWHERE: &[&str] = &["/delegate-service/", "/gateway/", "/pipeline/api/", "/webhook", "/openapi.json"];

/// A caller who compares.
struct Reader {
    server: String,
    key: String,
    description: Value,
    read: RefCell<BTreeSet<String>>,
}

impl Reader {
    fn new(landscape: &Landscape) -> Self {
        let server = landscape.world.url();
        let key = landscape.world.run(&["api-key", "create", "reader", "--user", "admin"]).ok().trim().to_owned();
        let mut description = send("GET", &format!("{server}/api/v1/openapi.json"), &[], "").json();
        for schema in description["components"]["schemas"].as_object_mut().unwrap().values_mut() {
            close(schema);
        }
        Self { server, key, description, read: RefCell::default() }
    }

    /// Asks `path`, which is `template` with names in it, and compares the answer.
    #[track_caller]
    fn asks(&self, method: &str, template: &str, path: &str, body: &Value) -> Value {
        self.asks_as(&self.key, method, template, path, body)
    }

    #[track_caller]
    fn asks_as(&self, key: &str, method: &str, template: &str, path: &str, body: &Value) -> Value {
        let scope = if path.contains('?') { "&org=default&project=platform" } else { "?org=default&project=platform" };
        let headers = [("x-api-key", key), ("content-type", "application/json")];
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let root = if template == "/readyz" { "" } else { "/api/v1" };
        let reply = send(method, &format!("{}{root}{path}{scope}", self.server), &headers, &body);
        assert!((200..300).contains(&reply.status), "{method} {path}: {} {}", reply.status, reply.body);
        let operation = &self.description["paths"][&format!("{root}{template}")][method.to_ascii_lowercase()];
        let mut schema =
            operation["responses"][reply.status.to_string()]["content"]["application/json"]["schema"].clone();
        assert!(schema.is_object(), "{method} {template} is not described: {operation}");
        close(&mut schema);
        schema["components"] = self.description["components"].clone();
        let validator: Validator = jsonschema::validator_for(&schema).unwrap();
        let answer = reply.json();
        let problems: Vec<String> =
            validator.iter_errors(&answer).map(|error| format!("{}: {error}", error.instance_path())).collect();
        assert!(problems.is_empty(), "{method} {path}:\n{}\n{answer:#}", problems.join("\n"));
        self.read.borrow_mut().insert(format!("{method} {template}"));
        answer
    }

    #[track_caller]
    fn gets(&self, template: &str, path: &str) -> Value {
        let answer = self.asks("GET", template, path, &Value::Null);
        let items = answer["items"].as_array();
        assert!(items.is_none_or(|items| !items.is_empty()), "{path} should have something in it: {answer}");
        answer
    }

    /// Every route that answers JSON when all goes well was asked.
    fn has_read_all(&self) {
        let mut missing = Vec::new();
        for (path, methods) in self.description["paths"].as_object().unwrap() {
            for (method, operation) in methods.as_object().unwrap() {
                let mut good =
                    operation["responses"].as_object().unwrap().iter().filter(|(status, _)| status.starts_with('2'));
                let has_json = good.any(|(_, answer)| answer["content"]["application/json"].is_object());
                let template = path.strip_prefix("/api/v1").unwrap_or(path);
                let name = format!("{} {template}", method.to_ascii_uppercase());
                if has_json && !self.read.borrow().contains(&name) && !ELSEWHERE.iter().any(|one| path.contains(one)) {
                    missing.push(name);
                }
            }
        }
        assert!(missing.is_empty(), "nobody has asked {missing:?}");
    }
}

/// Nothing may be in an answer that its description does not name.
fn close(schema: &mut Value) {
    match schema {
        Value::Object(object) => {
            object.values_mut().for_each(close);
            if object.get("properties").is_some_and(Value::is_object) && !object.contains_key("additionalProperties") {
                object.insert("unevaluatedProperties".to_owned(), json!(false));
            }
        }
        Value::Array(all) => all.iter_mut().for_each(close),
        _ => {}
    }
}

#[test]
fn what_is_not_described_is_found() {
    let mut schema = json!({ "properties": { "a": { "properties": { "b": {} } } } });
    close(&mut schema);
    let validator = jsonschema::validator_for(&schema).unwrap();
    assert!(validator.is_valid(&json!({ "a": { "b": 1 } })));
    assert!(!validator.is_valid(&json!({ "a": { "b": 1, "c": 2 } })));
}

#[test]
fn every_answer_is_what_the_description_says() {
    let landscape = Landscape::new(&["int-stable", "prod"]);
    landscape.world.apply(TRIGGER);
    landscape.world.run(&["role", "bind", "_project_viewer", "--user", "admin"]).ok();
    let reader = Reader::new(&landscape);
    let (nothing, empty) = (Value::Null, json!({}));

    // What there is before anything happens.
    reader.gets("/readyz", "/readyz");
    reader.gets("/me", "/me");
    reader.gets("/access/roles", "/access/roles");
    reader.gets("/access/permissions", "/access/permissions");
    reader.gets("/access/grants", "/access/grants");
    reader.gets("/access/check", "/access/check?permission=core_pipeline_execute");
    reader.gets("/settings", "/settings");
    reader.gets("/settings/{name}", "/settings/manifests.placeholderTag");
    reader.gets("/{kind}", "/connectors");
    reader.gets("/{kind}/{id}", "/pipelines/payment_service_cd");
    reader.gets("/delegates", "/delegates");
    reader.gets("/delegate-tokens", "/delegate-tokens");
    reader.gets("/api-keys", "/api-keys");

    // What is made and changed.
    let ada = json!({"id": "ada", "email": "ada@example.com", "name": "Ada", "password": "a long enough password"});
    reader.asks("POST", "/users", "/users", &ada);
    reader.asks("PATCH", "/users/{id}", "/users/ada", &json!({"name": "Ada L."}));
    reader.gets("/users", "/users");
    reader.gets("/users/{id}", "/users/ada");
    let login = json!({"user": "ada", "password": "a long enough password"});
    reader.asks("POST", "/login", "/login", &login);
    reader.asks("POST", "/api-keys", "/api-keys", &json!({"name": "second", "user": "ada"}));
    reader.asks("POST", "/delegate-tokens", "/delegate-tokens", &json!({"name": "second"}));
    reader.asks("PUT", "/settings/{name}", "/settings/manifests.placeholderTag", &json!({"value": "TAG"}));
    reader.asks("DELETE", "/settings/{name}", "/settings/manifests.placeholderTag", &nothing);
    reader.asks("POST", "/apply", "/apply", &json!({"text": TRIGGER, "dryRun": true}));
    reader.asks("POST", "/connectors/{id}/test", "/connectors/k8s_int_stable_euw1/test", &empty);
    reader.gets("/connectors/{id}/tests", "/connectors/k8s_int_stable_euw1/tests");

    // A webhook, and the run that it starts.
    let url = reader.gets("/triggers/{id}/url", "/triggers/on_build/url");
    let payload = json!({"service_name": "payment-service", "image_tag": "v2.3.0"});
    reader.asks("POST", "/triggers/{id}/test", "/triggers/on_build/test", &json!({"payload": payload}));
    let headers = [("x-api-key", reader.key.as_str()), ("content-type", "application/json")];
    assert_eq!(send("POST", url["url"].as_str().unwrap(), &headers, &payload.to_string()).status, 200);
    let event = windlass_tests::until("the webhook to start a run", || {
        let event = reader.gets("/trigger-events", "/trigger-events")["items"][0].clone();
        (event["status"] != "QUEUED").then_some(event)
    });
    let event = event["id"].as_str().unwrap();
    let run = reader.gets("/trigger-events/{id}", &format!("/trigger-events/{event}"));
    reader.gets("/triggers/{id}/events", "/triggers/on_build/events");
    let run = run["outcomes"][0]["run"].as_str().unwrap();
    landscape.world.ended(run);
    reader.gets("/runs", "/runs");
    reader.gets("/runs/{id}", &format!("/runs/{run}"));
    reader.gets("/runs/{id}/audit", &format!("/runs/{run}/audit"));
    reader.gets("/runs/{id}/logs", &format!("/runs/{run}/logs"));
    reader.gets("/audit", "/audit");
    reader.gets("/audit/verify", "/audit/verify");
    reader.asks("POST", "/runs/{id}/rollback", &format!("/runs/{run}/rollback"), &empty);

    // One that fails, and what is asked of people.
    let inputs = json!({"imageTag": "v2.4.0", "targetEnvironment": "prod", "targetRegion": "euw1"});
    let start = json!({"inputs": inputs});
    let path = "/pipelines/payment_service_cd/runs";
    let started = reader.asks("POST", "/pipelines/{id}/runs", path, &start);
    let run = started["run"].as_str().unwrap();
    landscape.reaches(run, "ApprovalWaiting");
    reader.gets("/runs/{id}", &format!("/runs/{run}"));
    reader.gets("/approvals", "/approvals");
    reader.gets("/approvals/{id}", &format!("/approvals/{run}"));
    let chloe = landscape.person("chloe");
    let answer = format!("/approvals/{run}/answer");
    reader.asks_as(&chloe, "POST", "/approvals/{id}/answer", &answer, &json!({"action": "REJECT"}));
    let ended = landscape.world.ended(run);
    assert_eq!(ended["run"]["status"], "ApprovalRejected", "{ended}");
    reader.gets("/runs/{id}", &format!("/runs/{run}"));
    reader.asks("POST", "/runs/{id}/retry", &format!("/runs/{run}/retry"), &empty);
    reader.has_read_all();
}
