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

/// The links of delegates (`adapters/link` has its own tests), GitHub's webhooks and manual interventions, which answer as those
/// beside them, and the description itself.
const ELSEWHERE: &[&str] = &["/delegate-service/", "/gateway/ng/api/webhook", "/manualIntervention/", "/openapi.json"];

/// Other names of what stands below `/gateway/pipeline/api`.
const ALIASES: &[&str] = &["/pipeline/api/", "/ng/api/", "/gateway/ng/api/webhook/"];

/// What does not stand below `/api/v1`.
const OUTSIDE: &[&str] = &["/readyz", "/webhook/", "/gateway/"];

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
        let root = if OUTSIDE.iter().any(|outside| template.starts_with(outside)) { "" } else { "/api/v1" };
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

    /// Asks one of the vendor's paths.
    #[track_caller]
    fn asks_vendor(&self, key: &str, method: &str, template: &str, path: &str, body: &Value) -> Value {
        const PREFIX: &str = "/gateway/pipeline/api";
        let place = "accountIdentifier=windlass&orgIdentifier=default&projectIdentifier=platform";
        let path = format!("{PREFIX}{path}{}{place}", if path.contains('?') { '&' } else { '?' });
        let answer = self.asks_as(key, method, &format!("{PREFIX}{template}"), &path, body);
        assert_eq!(answer["status"], "SUCCESS", "{answer}");
        answer["data"].clone()
    }

    fn understands_webhooks_of_the_vendor(&self, event: &str, token: &str, payload: &Value) {
        let asks = |method: &str, template: &str, path: &str, body: &Value| {
            self.asks_vendor(&self.key, method, template, path, body)
        };
        let path = format!("/webhook/triggerExecutionDetails/{event}");
        let told = asks("GET", "/webhook/triggerExecutionDetails/{event}", &path, &Value::Null);
        assert!(told["executionDetails"]["pipelineExecutionSummary"].is_object(), "{told}");
        let path = format!("/webhook/triggerProcessingDetails?eventId={event}");
        let again = asks("GET", "/webhook/triggerProcessingDetails", &path, &Value::Null);
        assert_eq!(again["webhookProcessingDetails"], told["webhookProcessingDetails"]);
        // Nothing fits this one, and that is told later.
        let (aim, other) = ("pipelineIdentifier=payment_service_cd&triggerIdentifier=on_build", json!({}));
        asks("POST", "/webhook/custom", &format!("/webhook/custom?{aim}"), &other);
        asks("POST", "/webhook/custom/v2", &format!("/webhook/custom/v2?{aim}"), &other);
        asks("POST", "/webhook/custom/{token}/v3", &format!("/webhook/custom/{token}/v3"), payload);
    }

    /// `run` asks for an approval.
    fn understands_people_of_the_vendor(&self, landscape: &Landscape, approver: &str, run: &str) {
        let asks =
            |key, method, template, path: &str, body: &Value| self.asks_vendor(key, method, template, path, body);
        landscape.reaches(run, "ApprovalWaiting");
        let path = format!("/approvals/{run}/harness/activity");
        asks(approver, "POST", "/approvals/{id}/harness/activity", &path, &json!({"action": "REJECT"}));
        assert_eq!(landscape.world.ended(run)["run"]["status"], "ApprovalRejected");

        let retried = |run: &str| {
            let path = format!("/pipeline/execute/retry/payment_service_cd?planExecutionId={run}");
            let told = asks(&self.key, "POST", "/pipeline/execute/retry/{pipeline}", &path, &Value::Null);
            let run = told["planExecution"]["uuid"].as_str().unwrap().to_owned();
            landscape.reaches(&run, "ApprovalWaiting");
            run
        };
        let next = retried(run);
        let path = format!("/approvals/execution/{next}");
        asks(approver, "POST", "/approvals/execution/{execution}", &path, &json!({"action": "REJECT"}));
        landscape.world.ended(&next);

        let next = retried(&next);
        let shown = landscape.world.shown(&next);
        let stage = shown["nodes"].as_array().unwrap().iter().find(|node| node["type"] == "Deployment").unwrap();
        let stage = stage["node"].as_str().unwrap();
        let path = format!("/pipeline/execute/interrupt/{next}/{stage}?interruptType=AbortAll");
        asks(&self.key, "PUT", "/pipeline/execute/interrupt/{execution}/{node}", &path, &Value::Null);
        landscape.world.ended(&next);

        let next = retried(&next);
        let path = format!("/pipeline/execute/interrupt/{next}?interruptType=AbortAll");
        let told = asks(&self.key, "PUT", "/pipeline/execute/interrupt/{execution}", &path, &Value::Null);
        assert_eq!(told["planExecutionId"], next.as_str());
        assert_eq!(landscape.world.ended(&next)["run"]["status"], "Aborted");
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
                let is_seen_to =
                    ELSEWHERE.iter().any(|one| path.contains(one)) || ALIASES.iter().any(|one| path.starts_with(one));
                if has_json && !self.read.borrow().contains(&name) && !is_seen_to {
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
    let url = url["url"].as_str().unwrap();
    let url = &url[url.find("/webhook/").unwrap()..];
    reader.asks("POST", "/webhook/{token}", url, &payload);
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
    reader.understands_webhooks_of_the_vendor(event, url.trim_start_matches("/webhook/"), &payload);
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
    let again = reader.asks("POST", "/runs/{id}/retry", &format!("/runs/{run}/retry"), &empty);
    reader.understands_people_of_the_vendor(&landscape, &chloe, again["run"].as_str().unwrap());
    reader.has_read_all();
}
