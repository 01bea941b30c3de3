//! Whether connectors work is seen by a delegate that would use them, and told without their secrets (kubernetes-deploy §6.3).
#![allow(clippy::unwrap_used, clippy::panic, reason = "a scenario")]

use windlass_tests::{Process, World};

const GIT_TOKEN: &str = "git-canary-5b1e90";
const CLUSTER_TOKEN: &str = "cluster-canary-77af21";
const WRONG: &str = "wrong-canary-3c88d0";

struct Outside {
    world: World,
    _processes: Vec<Process>,
}

fn secret(name: &str, value: &str) -> String {
    format!(
        "secret: {{identifier: {name}, name: {name}, orgIdentifier: default, projectIdentifier: platform, type: SecretText, \
         spec: {{secretManagerIdentifier: harnessSecretManager, valueType: Inline, value: {value}}}}}\n---\n"
    )
}

fn connector(name: &str, kind: &str, spec: &str) -> String {
    format!(
        "connector: {{identifier: {name}, name: {name}, orgIdentifier: default, projectIdentifier: platform, type: {kind}, \
         spec: {spec}}}\n---\n"
    )
}

impl Outside {
    /// A forge and a cluster with connectors to them, good ones and bad ones.
    fn new() -> Self {
        let world = World::new();
        world.file("repo/deployment.yaml", "kind: Deployment\n");
        let token = format!("bot:read={GIT_TOKEN}");
        let git_arguments =
            ["git-sim", "--listen", "127.0.0.1:0", "--repository", "acme/deploy=repo", "--token", &token];
        let mut git = world.start("git-sim", &git_arguments);
        let forge = git.says("git-sim serves ").split(',').next().unwrap().to_owned();
        let mut cluster =
            world.start("kube-sim", &["kube-sim", "--listen", "127.0.0.1:0", "--admin-token", CLUSTER_TOKEN]);
        let api = cluster.says("serves https://");
        let api = api.split([',', ' ']).next().unwrap();
        let git_of = |token: &str| {
            format!(
                "{{url: '{forge}/acme/deploy.git', connectionType: Repo, type: Http, spec: {{username: bot, passwordRef: {token}}}}}"
            )
        };
        let cluster_of = |token: &str| {
            format!(
                "{{credential: {{type: ManualConfig, spec: {{masterUrl: 'http://{api}', auth: {{type: ServiceAccount, \
                 spec: {{serviceAccountTokenRef: {token}}}}}}}}}}}"
            )
        };
        let documents = [
            secret("git_token", GIT_TOKEN),
            secret("cluster_token", CLUSTER_TOKEN),
            secret("wrong_token", WRONG),
            connector("git", "Git", &git_of("git_token")),
            connector("git_refused", "Git", &git_of("wrong_token")),
            connector("git_nowhere", "Git", &git_of("git_token").replace("acme/deploy", "acme/nothing")),
            connector("cluster", "K8sCluster", &cluster_of("cluster_token")),
            connector("cluster_refused", "K8sCluster", &cluster_of("wrong_token")),
            connector("tickets", "Jira", "{jiraUrl: 'http://jira.test'}"),
            connector("far", "Git", &git_of("git_token").replace("{url", "{delegateSelectors: [moon], url")),
        ];
        world.apply(documents.concat().trim_end_matches("---\n"));
        std::fs::remove_file(world.folder().join("document.yaml")).unwrap();
        let delegate = world.start_delegate("edge", &[]);
        Self { world, _processes: vec![git, cluster, delegate] }
    }

    fn test(&self, connector: &str) -> serde_json::Value {
        let ran = self.world.run(&["connector", "test", connector, "-o", "json"]);
        let found: serde_json::Value = serde_json::from_str(&ran.out).unwrap_or_else(|e| panic!("{e}: {ran:?}"));
        assert_eq!(ran.code == 0, found["status"] == "SUCCESS", "{ran:?}");
        found
    }
}

#[test]
fn connectors_are_tested_where_they_will_be_used() {
    let outside = Outside::new();
    for good in ["git", "cluster"] {
        let found = outside.test(good);
        assert_eq!((&found["status"], &found["delegate"]), (&"SUCCESS".into(), &"edge".into()), "{found}");
        assert!(found["testedAt"].is_i64() && found["details"].is_object(), "{found}");
    }
    for (bad, reason) in [("git_refused", "auth"), ("git_nowhere", "not-found"), ("cluster_refused", "auth")] {
        let found = outside.test(bad);
        let error = &found["errors"][0];
        assert_eq!((&found["status"], &error["reason"]), (&"FAILURE".into(), &reason.into()), "{bad}: {found}");
        assert!(!error["hint"].as_str().unwrap().is_empty(), "{found}");
    }
    let told = outside.world.run(&["connector", "test", "git_refused"]);
    assert_eq!(told.code, 1);
    assert!(told.out.contains("git_refused: FAILURE, tested by edge") && told.out.contains("hint: "), "{}", told.out);

    let far = outside.test("far");
    assert_eq!(far["errors"][0]["reason"], "delegate", "{far}");
    assert!(far["errorSummary"].as_str().unwrap().contains("moon"), "{far}");
    let refused = outside.world.run(&["connector", "test", "tickets"]).fails(1);
    assert!(refused.contains("[CON0001]") && refused.contains("`Jira`"), "{refused}");
    let unknown = outside.world.run(&["connector", "test", "gitt"]).fails(1);
    assert!(unknown.contains("did you mean `git`?"), "{unknown}");

    // What was found is kept, and nothing of it is a secret.
    let past = outside.world.run(&["connector", "test", "git_refused", "--past"]).ok();
    assert_eq!(past.matches("FAILURE").count(), 2, "{past}");
    let nowhere = outside.world.folder();
    for canary in [GIT_TOKEN, CLUSTER_TOKEN, WRONG] {
        let found = holding(nowhere, canary);
        assert!(found.is_empty(), "{canary} in {found:?}");
        for told in [&told.out, &past, &refused] {
            assert!(!told.contains(canary), "{told}");
        }
    }
}

/// Every file below a folder that holds a text.
fn holding(folder: &std::path::Path, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(holding(&path, text));
        } else if std::fs::read(&path).unwrap_or_default().windows(text.len()).any(|w| w == text.as_bytes()) {
            found.push(path.display().to_string());
        }
    }
    found
}
