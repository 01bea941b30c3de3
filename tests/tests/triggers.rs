//! Webhooks: a payload is stored, answered, and then starts what fits (pipelines §7, §11.7, §11.9 item 6).

// clippy.toml allows these in test functions; here their helpers need them too.
#![allow(clippy::unwrap_used)]

use serde_json::{Value, json};
use windlass_tests::{Reply, World, send, until};

const PIPELINE: &str = "\
pipeline:
  identifier: payment
  name: payment
  orgIdentifier: default
  projectIdentifier: platform
  variables:
    - {name: imageTag, type: String, value: <+input>, required: true}
    - {name: targetEnvironment, type: String, value: '<+input>.allowedValues(int-stable,prod)', required: true}
    - {name: targetRegion, type: String, value: <+input>, default: euw1}
  stages:
    - stage:
        identifier: greet
        type: Custom
        spec:
          execution:
            steps:
              - step: {identifier: pause, type: Wait, spec: {duration: 1s}}
---
trigger:
  identifier: on_build
  name: on build
  orgIdentifier: default
  projectIdentifier: platform
  pipelineIdentifier: payment
  source:
    type: Webhook
    spec:
      type: Custom
      spec:
        payloadConditions:
          - {key: service_name, operator: Equals, value: payment-service}
          - {key: target_env, operator: NotNull, value: ''}
  inputYaml: |
    pipeline:
      identifier: payment
      variables:
        imageTag: <+trigger.payload.image_tag>
        targetEnvironment: <+trigger.payload.target_env>
        targetRegion: <+trigger.payload.target_region>
";

struct Hooked {
    world: World,
    key: String,
    url: String,
}

impl Hooked {
    fn new() -> Self {
        let world = World::new();
        world.apply(PIPELINE);
        let key = world.run(&["api-key", "create", "build", "--user", "admin"]).ok().trim().to_owned();
        let url = world.run(&["trigger", "url", "on_build"]).ok().trim().to_owned();
        Self { world, key, url }
    }

    fn post(&self, url: &str, payload: &Value) -> Reply {
        let headers = [("content-type", "application/json"), ("x-api-key", self.key.as_str())];
        send("POST", url, &headers, &payload.to_string())
    }

    /// Sends a payload to the trigger's own address, and answers with the event's id.
    #[track_caller]
    fn sent(&self, payload: &Value) -> String {
        let reply = self.post(&self.url, payload);
        assert_eq!(reply.status, 200, "{}", reply.body);
        let body = reply.json();
        assert_eq!(body["status"], "SUCCESS");
        body["data"]["eventCorrelationId"].as_str().unwrap().to_owned()
    }

    /// Waits until an event is matched.
    #[track_caller]
    fn matched(&self, event: &str) -> Value {
        until("the event to be matched", || {
            let shown = self.world.run(&["trigger", "events", event, "-o", "json"]).json();
            (shown["status"] != "QUEUED").then_some(shown)
        })
    }

    fn runs(&self) -> Vec<Value> {
        self.world.run(&["run", "list", "-o", "json"]).json().as_array().unwrap().clone()
    }
}

fn build() -> Value {
    json!({ "service_name": "payment-service", "image_tag": "v2.3.0", "target_env": "int-stable" })
}

#[test]
fn a_matching_payload_starts_a_run_that_knows_its_event() {
    let hooked = Hooked::new();
    let event = hooked.sent(&build());
    let shown = hooked.matched(&event);
    assert_eq!(shown["status"], "TARGET_EXECUTION_REQUESTED", "{shown}");
    let run = shown["outcomes"][0]["run"].as_str().unwrap();
    let projection = hooked.world.run(&["run", "show", run, "-o", "json"]).json();
    assert_eq!(projection["run"]["trigger"], "WEBHOOK_CUSTOM");
    assert_eq!(projection["run"]["startedBy"], "on_build");
    // What the payload does not say is a warning, and gets its default (SEED-13).
    assert!(projection["run"]["warnings"].to_string().contains("target_region"), "{projection}");
    let path = format!("{}/gateway/pipeline/api/webhook/triggerExecutionDetails/{event}", hooked.world.url());
    let details = send("GET", &path, &[("x-api-key", &hooked.key)], "").json();
    let data = &details["data"];
    assert_eq!(data["webhookProcessingDetails"]["eventFound"], true);
    assert_eq!(data["webhookProcessingDetails"]["triggerIdentifier"], "on_build");
    let summary = &data["executionDetails"]["pipelineExecutionSummary"];
    assert_eq!(summary["planExecutionId"], data["webhookProcessingDetails"]["pipelineExecutionId"]);
    assert_eq!(summary["executionTriggerInfo"]["triggeredBy"]["extraInfo"]["eventCorrelationId"], event.as_str());
}

#[test]
fn a_payload_that_does_not_fit_starts_nothing_and_the_log_tells_why() {
    let hooked = Hooked::new();
    let mut without = build();
    without.as_object_mut().unwrap().remove("target_env");
    let event = hooked.sent(&without);
    let shown = hooked.matched(&event);
    assert_eq!(shown["status"], "NO_MATCHING_TRIGGER_FOR_PAYLOAD_CONDITIONS");
    assert!(shown["message"].as_str().unwrap().contains("`target_env` is not in the event"), "{shown}");
    let mut wrong = build();
    wrong["target_env"] = json!("moon");
    let event = hooked.sent(&wrong);
    let shown = hooked.matched(&event);
    assert_eq!(shown["status"], "INVALID_RUNTIME_INPUT_YAML");
    assert!(shown["message"].as_str().unwrap().contains("`moon` is not one of int-stable, prod"), "{shown}");
    assert!(hooked.runs().is_empty());
    let events = hooked.world.run(&["trigger", "events", "--trigger", "on_build"]).ok();
    assert_eq!(events.lines().count(), 3, "{events}");
}

#[test]
fn what_a_payload_holds_is_never_evaluated() {
    let hooked = Hooked::new();
    let message = "Deploy <+pipeline.variables.imageTag>, <+inputSet.variables[0].value>?";
    let approval = format!(
        "step: {{identifier: ask, type: HarnessApproval, timeout: 1d, spec: {{approvalMessage: '{message}', \
         includePipelineExecutionHistory: false, approvers: {{userGroups: [team], minimumCount: 1, \
         disallowPipelineExecutor: false}}}}}}"
    );
    let step = "step: {identifier: pause, type: Wait, spec: {duration: 1s}}";
    hooked.world.apply(&PIPELINE.replace(step, &approval));
    let mut evil = build();
    evil["image_tag"] = json!("<+pipeline.name>");
    let shown = hooked.matched(&hooked.sent(&evil));
    assert_eq!(shown["status"], "TARGET_EXECUTION_REQUESTED", "{shown}");
    let run = shown["outcomes"][0]["run"].as_str().unwrap();
    let asked = until("the question", || {
        hooked.world.run(&["approval", "list", "--all", "--run", run, "-o", "json"]).json().get(0).cloned()
    });
    assert_eq!(asked["message"], "Deploy <+pipeline.name>, <+pipeline.name>?");
}

#[test]
fn who_shows_no_key_starts_nothing() {
    let hooked = Hooked::new();
    let json = ("content-type", "application/json");
    let none = send("POST", &hooked.url, &[json], &build().to_string());
    assert_eq!(none.status, 401, "{}", none.body);
    let wrong = send("POST", &hooked.url, &[json, ("x-api-key", "pat.x.y.z")], &build().to_string());
    assert_eq!(wrong.status, 401, "{}", wrong.body);
    let unknown = hooked.post(&format!("{}/webhook/whk_0000", hooked.world.url()), &build());
    assert_eq!(unknown.status, 404, "{}", unknown.body);
    let headers = [json, ("x-api-key", hooked.key.as_str())];
    let broken = send("POST", &hooked.url, &headers, "{\"service_name\": ");
    assert_eq!(broken.status, 400, "{}", broken.body);
    let huge = format!("\"{}\"", "x".repeat(1024 * 1024));
    assert_eq!(send("POST", &hooked.url, &headers, &huge).status, 413);
    let events = hooked.world.run(&["trigger", "events", "-o", "json"]).json();
    let statuses: Vec<&str> = events.as_array().unwrap().iter().filter_map(|e| e["status"].as_str()).collect();
    assert_eq!(statuses, ["TRIGGER_AUTHENTICATION_FAILED", "TRIGGER_AUTHENTICATION_FAILED"]);
    assert!(hooked.runs().is_empty());
}

#[test]
fn the_vendors_paths_lead_to_the_same_triggers() {
    let hooked = Hooked::new();
    let token = hooked.url.rsplit('/').next().unwrap();
    let base = hooked.world.url();
    let project = "accountIdentifier=windlass&orgIdentifier=default&projectIdentifier=platform";
    for path in [
        format!("gateway/pipeline/api/webhook/custom/{token}/v3?{project}"),
        format!("gateway/pipeline/api/webhook/custom/v2?{project}"),
        format!("gateway/ng/api/webhook/custom/v2?{project}&pipelineIdentifier=payment&triggerIdentifier=on_build"),
        format!("pipeline/api/webhook/custom?{project}"),
    ] {
        let reply = hooked.post(&format!("{base}/{path}"), &build());
        assert_eq!(reply.status, 200, "{path}: {}", reply.body);
        let data = reply.json()["data"].clone();
        let event = data["eventCorrelationId"].as_str().or(data.as_str()).unwrap().to_owned();
        assert_eq!(hooked.matched(&event)["status"], "TARGET_EXECUTION_REQUESTED", "{path}");
    }
    assert_eq!(hooked.runs().len(), 4);
    let other =
        hooked.post(&format!("{base}/pipeline/api/webhook/custom?{}", project.replace("windlass", "other")), &build());
    assert_eq!(other.status, 400, "{}", other.body);
}

#[test]
fn a_test_tells_what_would_happen() {
    let hooked = Hooked::new();
    hooked.world.file("payload.json", &build().to_string());
    let told = hooked.world.run(&["trigger", "test", "on_build", "-f", "payload.json"]).ok();
    assert!(told.contains("TARGET_EXECUTION_REQUESTED") && told.contains("imageTag = v2.3.0"), "{told}");
    hooked.world.file("payload.json", "{\"service_name\": \"other\"}");
    let told = hooked.world.run(&["trigger", "test", "on_build", "-f", "payload.json"]);
    assert_eq!(told.code, 1);
    assert!(told.out.contains("`service_name` is `other`, and must be Equals `payment-service`"), "{}", told.out);
    assert!(hooked.runs().is_empty());
}

#[test]
fn an_acknowledged_payload_starts_its_run_after_a_crash_and_once() {
    let mut hooked = Hooked::new();
    let mut events = Vec::new();
    for round in 0..3 {
        // The acknowledgement is out; whether the matching had begun is up to the moment.
        events.push(hooked.sent(&build()));
        hooked.world.server().kill();
        assert_eq!(hooked.world.start_server(), None, "round {round}");
    }
    for event in &events {
        assert_eq!(hooked.matched(event)["status"], "TARGET_EXECUTION_REQUESTED");
    }
    let runs = hooked.runs();
    assert_eq!(runs.len(), events.len(), "{runs:?}");
}

#[test]
fn a_saved_trigger_keeps_its_address_and_a_deleted_one_loses_it() {
    let hooked = Hooked::new();
    hooked.world.apply(&PIPELINE.replace("name: on build", "name: on any build"));
    assert_eq!(hooked.world.run(&["trigger", "url", "on_build"]).ok().trim(), hooked.url);
    hooked.world.run(&["delete", "trigger", "on_build", "--parent", "payment"]).ok();
    assert_eq!(hooked.post(&hooked.url, &build()).status, 404);
}

#[test]
fn a_repeated_delivery_starts_one_run_and_the_log_says_which() {
    let hooked = Hooked::new();
    let post = |name: &str, payload: &Value| {
        let headers =
            [("content-type", "application/json"), ("x-api-key", hooked.key.as_str()), ("idempotency-key", name)];
        let reply = send("POST", &hooked.url, &headers, &payload.to_string());
        assert_eq!(reply.status, 200, "{}", reply.body);
        hooked.matched(reply.json()["data"]["eventCorrelationId"].as_str().unwrap())
    };
    let first = post("build-17", &build());
    assert_eq!(first["status"], "TARGET_EXECUTION_REQUESTED");
    let again = post("build-17", &build());
    assert_eq!(again["status"], "TARGET_DID_NOT_EXECUTE", "{again}");
    let run = first["outcomes"][0]["run"].as_str().unwrap();
    assert!(again["message"].as_str().unwrap().contains(run), "{again}");
    assert_eq!(post("build-18", &build())["status"], "TARGET_EXECUTION_REQUESTED");
    assert_eq!(hooked.runs().len(), 2);
    // What started nothing may be sent again: perhaps the trigger was mended meanwhile.
    let mut wrong = build();
    wrong["target_env"] = json!("moon");
    assert_eq!(post("build-19", &wrong)["status"], "INVALID_RUNTIME_INPUT_YAML");
    assert_eq!(post("build-19", &build())["status"], "TARGET_EXECUTION_REQUESTED");
}

const GITHUB: &str = "\
secret: {identifier: hook, name: hook, orgIdentifier: default, projectIdentifier: platform, type: SecretText, spec: {secretManagerIdentifier: harnessSecretManager, valueType: Inline, value: It's a Secret to Everybody}}
---
connector: {identifier: git, name: git, orgIdentifier: default, projectIdentifier: platform, type: Github, spec: {url: 'https://github.com/acme/shop', type: Repo, authentication: {type: Http, spec: {type: Anonymous}}}}
---
trigger:
  identifier: on_push
  name: on push
  orgIdentifier: default
  projectIdentifier: platform
  pipelineIdentifier: payment
  encryptedWebhookSecretIdentifier: hook
  source:
    type: Webhook
    spec:
      type: Github
      spec:
        type: Push
        spec:
          connectorRef: git
          payloadConditions:
            - {key: targetBranch, operator: Equals, value: main}
            - {key: changedFiles, operator: StartsWith, value: deploy/}
  inputYaml: |
    pipeline:
      identifier: payment
      variables:
        imageTag: <+trigger.commitSha>
        targetEnvironment: int-stable
---
trigger:
  identifier: on_request
  name: on request
  orgIdentifier: default
  projectIdentifier: platform
  pipelineIdentifier: payment
  encryptedWebhookSecretIdentifier: hook
  source:
    type: Webhook
    spec:
      type: Github
      spec:
        type: PullRequest
        spec: {connectorRef: git, actions: [Open, Synchronize]}
  inputYaml: |
    pipeline:
      identifier: payment
      variables:
        imageTag: <+trigger.sourceBranch>
        targetEnvironment: int-stable
";

/// HMAC-SHA-256 of a body with the secret above, as GitHub signs.
fn signed(body: &str) -> String {
    use hmac::{Hmac, KeyInit as _, Mac as _};
    let mut mac = Hmac::<sha2::Sha256>::new_from_slice(b"It's a Secret to Everybody").unwrap();
    mac.update(body.as_bytes());
    let hex: String = mac.finalize().into_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
    format!("sha256={hex}")
}

#[test]
fn github_starts_runs_by_signed_pushes_and_pull_requests_and_nobody_else_does() {
    let hooked = Hooked::new();
    hooked.world.apply(GITHUB);
    let url = hooked.world.run(&["trigger", "url", "on_push"]).ok().trim().to_owned();
    let post = |kind: &str, delivery: &str, signature: &str, payload: &Value| {
        let body = payload.to_string();
        let signature = if signature.is_empty() { signed(&body) } else { signature.to_owned() };
        let headers = [
            ("content-type", "application/json"),
            ("x-github-event", kind),
            ("x-github-delivery", delivery),
            ("x-hub-signature-256", signature.as_str()),
        ];
        let reply = send("POST", &url, &headers, &body);
        assert_eq!(reply.status, 200, "{}", reply.body);
        hooked.matched(reply.json()["data"].as_str().unwrap())
    };
    let outcome = |event: &Value, trigger: &str| {
        let outcomes = event["outcomes"].as_array().unwrap();
        let one = outcomes.iter().find(|outcome| outcome["trigger"] == trigger).unwrap();
        one["status"].as_str().unwrap().to_owned()
    };
    let repository =
        json!({"html_url": "https://github.com/acme/shop", "clone_url": "https://github.com/acme/shop.git"});
    let mut push = json!({
        "ref": "refs/heads/main", "after": "1b2c3d", "before": "0a0b0c", "pusher": {"name": "ada"},
        "repository": repository, "commits": [{"added": ["deploy/values.yaml"], "modified": [], "removed": []}],
    });
    let event = post("push", "d-1", "", &push);
    assert_eq!(outcome(&event, "on_push"), "TARGET_EXECUTION_REQUESTED", "{event}");
    assert_eq!(outcome(&event, "on_request"), "NO_MATCHING_TRIGGER_FOR_EVENT_ACTION");
    assert_eq!(outcome(&post("push", "d-1", "", &push), "on_push"), "TARGET_DID_NOT_EXECUTE");
    let forged = post("push", "d-2", &signed("something else"), &push);
    assert_eq!(outcome(&forged, "on_push"), "TRIGGER_AUTHENTICATION_FAILED", "{forged}");
    push["ref"] = json!("refs/heads/feature");
    assert_eq!(outcome(&post("push", "d-3", "", &push), "on_push"), "NO_MATCHING_TRIGGER_FOR_PAYLOAD_CONDITIONS");
    push["repository"] = json!({"html_url": "https://github.com/acme/other"});
    assert_eq!(outcome(&post("push", "d-4", "", &push), "on_push"), "NO_MATCHING_TRIGGER_FOR_REPO");
    let mut request = json!({
        "action": "opened", "repository": repository, "sender": {"login": "ada"},
        "pull_request": {"number": 7, "title": "x", "head": {"ref": "mine", "sha": "1"}, "base": {"ref": "main", "sha": "2"}},
    });
    let event = post("pull_request", "d-5", "", &request);
    assert_eq!(outcome(&event, "on_request"), "TARGET_EXECUTION_REQUESTED", "{event}");
    request["action"] = json!("labeled");
    let event = post("pull_request", "d-6", "", &request);
    assert_eq!(outcome(&event, "on_request"), "NO_MATCHING_TRIGGER_FOR_EVENT_ACTION", "{event}");
    assert_eq!(hooked.runs().len(), 2);
}
