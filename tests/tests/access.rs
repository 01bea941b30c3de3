//! Who may do what: people, programs, groups, roles (pipelines §9).

// clippy.toml allows these in test functions; here their helpers need them too.
#![allow(clippy::unwrap_used)]

use std::io::Write as _;
use std::process::Stdio;
use windlass_tests::{Ran, World};

const PIPELINE: &str = "\
pipeline:
  identifier: hello
  name: hello
  orgIdentifier: default
  projectIdentifier: platform
  stages:
    - stage:
        identifier: greet
        type: Custom
        spec: {execution: {steps: [{step: {identifier: first, type: Wait, spec: {duration: 1s}}}]}}
";

const PASSWORD: &str = "correct horse battery staple";

struct Office {
    world: World,
}

impl Office {
    fn new() -> Self {
        let world = World::new();
        world.apply(PIPELINE);
        Self { world }
    }

    /// A person with an API key.
    fn person(&self, id: &str) -> String {
        self.world.run(&["user", "create", id, "--email", &format!("{id}@example.com")]).ok();
        self.world.run(&["api-key", "create", "test", "--user", id]).ok().trim().to_owned()
    }

    fn as_who(&self, token: &str, arguments: &[&str]) -> Ran {
        let mut all = vec!["--token", token];
        all.extend(arguments);
        self.world.run(&all)
    }

    /// Runs a command line with a text on standard input and a profile of its own.
    fn with_input(&self, profile: &str, arguments: &[&str], input: &str) -> (i32, String) {
        let mut command = self.world.command();
        command.env("WINDLASS_CONFIG", self.world.folder().join(profile)).args(arguments);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        let text = [output.stdout, output.stderr].concat();
        (output.status.code().unwrap(), String::from_utf8_lossy(&text).into_owned())
    }

    fn login(&self, profile: &str, user: &str, password: &str) -> (i32, String) {
        let url = self.world.url();
        self.with_input(profile, &["login", &url, "--user", user, "--password-stdin"], &format!("{password}\n"))
    }
}

#[test]
fn a_role_lets_in_and_taking_it_away_shuts_out() {
    let office = Office::new();
    let ada = office.person("ada");
    let hidden = office.as_who(&ada, &["get", "pipeline", "hello"]).fails(1);
    assert!(hidden.contains("there is no pipeline `hello`") && hidden.contains("or you may not see it"), "{hidden}");
    assert!(hidden.contains("core_pipeline_view in project:default/platform is held by user admin"), "{hidden}");
    let missing = office.as_who(&ada, &["get", "pipeline", "helo"]).fails(1);
    assert_eq!(missing.replace("helo", "hello"), hidden, "what is hidden and what is not there read alike");

    assert!(office.world.run(&["role", "bind", "_project_viewer", "--user", "ada"]).ok().contains("created"));
    assert!(office.world.run(&["role", "bind", "_project_viewer", "--user", "ada"]).ok().contains("unchanged"));
    assert!(office.as_who(&ada, &["get", "pipeline", "hello"]).ok().contains("identifier: hello"));
    let denied = office.as_who(&ada, &["pipeline", "run", "hello"]).fails(3);
    assert!(
        denied.contains("core_pipeline_execute is missing for PIPELINE hello in project:default/platform"),
        "{denied}"
    );
    assert!(denied.contains("in none of the roles _project_viewer"), "{denied}");
    let why = office.as_who(&ada, &["role", "check", "core_pipeline_execute", "hello"]);
    assert_eq!(why.code, 1);
    assert!(why.out.starts_with("no: "), "{}", why.out);

    office.world.run(&["role", "bind", "_pipeline_executor", "--user", "ada"]).ok();
    office.as_who(&ada, &["pipeline", "run", "hello", "--watch"]).ok();
    assert!(office.as_who(&ada, &["role", "check", "core_pipeline_execute", "hello"]).ok().starts_with("yes: "));
    office.world.run(&["role", "unbind", "_pipeline_executor", "--user", "ada"]).ok();
    office.world.run(&["role", "unbind", "_project_viewer", "--user", "ada"]).ok();
    office.as_who(&ada, &["get", "pipeline", "hello"]).fails(1);
    let nothing = office.as_who(&ada, &["get", "pipelines"]).fails(3);
    assert!(nothing.contains("core_pipeline_view is missing"), "{nothing}");
}

#[test]
fn groups_custom_roles_and_resource_groups_grant_what_they_say() {
    let office = Office::new();
    let bob = office.person("bob");
    office.world.apply(&PIPELINE.replace("hello", "other"));
    office.world.apply(
        "\
userGroup: {identifier: operators, name: operators, users: [Bob@Example.com]}
---
role: {identifier: runner, name: runner, permissions: [core_pipeline_view, core_pipeline_execute]}
---
resourceGroup:
  identifier: only_hello
  name: only hello
  resourceFilter: {resources: [{resourceType: PIPELINE, identifiers: [hello]}]}
---
roleAssignment:
  identifier: operators_run_hello
  name: operators run hello
  roleIdentifier: runner
  resourceGroupIdentifier: only_hello
  principal: {type: USER_GROUP, identifier: operators}
",
    );
    office.as_who(&bob, &["pipeline", "run", "hello"]).ok();
    office.as_who(&bob, &["pipeline", "run", "other"]).fails(1);
    let list = office.as_who(&bob, &["get", "pipelines", "-o", "json"]).json();
    assert_eq!(list.as_array().unwrap().iter().map(|p| &p["identifier"]).collect::<Vec<_>>(), ["hello"]);
    let me = office.as_who(&bob, &["whoami"]).ok();
    assert!(me.contains("group operators of project:default/platform") && me.contains("role runner"), "{me}");
    // Out of the group, out of the role.
    office.world.apply("userGroup: {identifier: operators, name: operators, users: []}\n");
    office.as_who(&bob, &["pipeline", "run", "hello"]).fails(1);
}

#[test]
fn documents_that_grant_nonsense_are_refused() {
    let world = World::new();
    for (text, told) in [
        ("role: {identifier: r, name: r, permissions: [core_pipeline_vew]}\n", "did you mean `core_pipeline_view`?"),
        (
            "roleAssignment: {identifier: a, name: a, roleIdentifier: nobody, resourceGroupIdentifier: _all_project_level_resources, principal: {type: USER, identifier: admin}}\n",
            "role `nobody` is neither built in nor saved",
        ),
        (
            "roleAssignment: {identifier: a, name: a, roleIdentifier: _account_admin, resourceGroupIdentifier: _all_project_level_resources, principal: {type: USER, identifier: admin}}\n",
            "cannot be assigned at project level",
        ),
    ] {
        world.file("bad.yaml", text);
        let refused = world.run(&["apply", "-f", "bad.yaml"]).fails(1);
        assert!(refused.contains(told), "{refused}");
    }
}

#[test]
fn nobody_gives_away_what_they_do_not_have() {
    let office = Office::new();
    let eve = office.person("eve");
    office.world.apply("role: {identifier: hr, name: hr, permissions: [core_user_manage, core_user_view, core_role_edit, core_role_view]}\n");
    office.world.run(&["role", "bind", "hr", "--user", "eve"]).ok();
    let refused = office.as_who(&eve, &["role", "bind", "_project_admin", "--user", "eve"]).fails(3);
    assert!(refused.contains("nobody gives away what they do not have"), "{refused}");
    office.world.file("mine.yaml", "role: {identifier: hr, name: hr, permissions: [core_pipeline_delete]}\n");
    let refused = office.as_who(&eve, &["apply", "-f", "mine.yaml"]).fails(3);
    assert!(refused.contains("core_pipeline_delete"), "{refused}");
    // The administrator's own assignment stays.
    let kept = office.world.run(&["--org", "", "--project", "", "delete", "role-assignment", "administrator"]).fails(1);
    assert!(kept.contains("kept by the platform"), "{kept}");
}

#[test]
fn a_password_opens_a_session_until_it_ends() {
    let office = Office::new();
    let create = ["user", "create", "ada", "--email", "ada@example.com", "--password-stdin"];
    let (code, told) = office.with_input("profile.json", &create, "short\n");
    assert!(code == 1 && told.contains("12 to 1024 characters"), "{told}");
    assert_eq!(office.with_input("profile.json", &create, &format!("{PASSWORD}\n")).0, 0);
    let (code, told) = office.login("ada.json", "ada@example.com", PASSWORD);
    assert!(code == 0 && told.contains("Signed in as ada"), "{told}");
    assert!(office.with_input("ada.json", &["whoami"], "").1.contains("user:ada"));
    let (code, told) =
        office.with_input("ada.json", &["user", "password", "--password-stdin"], "wrong\nanother long secret\n");
    assert!(code == 3 && told.contains("the old password is wrong"), "{told}");
    let both = format!("{PASSWORD}\nanother long secret\n");
    assert_eq!(office.with_input("ada.json", &["user", "password", "--password-stdin"], &both).0, 0);
    // Everywhere signed out, and the old password is gone.
    assert_eq!(office.with_input("ada.json", &["whoami"], "").0, 3);
    assert_eq!(office.login("ada.json", "ada", PASSWORD).0, 3);
    assert_eq!(office.login("ada.json", "ada", "another long secret").0, 0);
    assert_eq!(office.with_input("ada.json", &["logout"], "").0, 0);
    assert_eq!(office.with_input("ada.json", &["whoami"], "").0, 3);
    office.world.run(&["user", "disable", "ada"]).ok();
    assert_eq!(office.login("ada.json", "ada", "another long secret").0, 3);
}

#[test]
fn guessing_locks_an_account() {
    let office = Office::new();
    let create = ["user", "create", "ada", "--email", "ada@example.com", "--password-stdin"];
    assert_eq!(office.with_input("profile.json", &create, &format!("{PASSWORD}\n")).0, 0);
    office.world.run(&["--org", "", "--project", "", "setting", "set", "auth.lockAfter", "2"]).ok();
    let wrong = office.login("ada.json", "ada", "wrong wrong wrong");
    let unknown = office.login("ada.json", "nobody", "wrong wrong wrong");
    assert_eq!(wrong, unknown, "the answer does not tell who there is");
    assert_eq!(office.login("ada.json", "ada", "wrong again").0, 3);
    assert_eq!(office.login("ada.json", "ada", PASSWORD).0, 3, "locked");
    let tried = office
        .world
        .run(&["--org", "", "--project", "", "audit", "list", "--action", "UNSUCCESSFUL_LOGIN", "-o", "json"])
        .json();
    assert_eq!(tried.as_array().map(Vec::len), Some(2), "{tried}");
}

#[test]
fn keys_open_until_they_are_revoked_and_belong_to_somebody() {
    let office = Office::new();
    let (ada, bob) = (office.person("ada"), office.person("bob"));
    // One's own, without any role.
    let own = office.as_who(&ada, &["api-key", "create", "laptop", "--user", "ada"]).ok().trim().to_owned();
    assert!(office.as_who(&own, &["whoami"]).ok().contains("user:ada"));
    office.as_who(&bob, &["api-key", "create", "theft", "--user", "ada"]).fails(1);
    let id = own.split('.').nth(2).unwrap();
    office.as_who(&bob, &["api-key", "revoke", id]).fails(1);
    office.as_who(&ada, &["api-key", "revoke", id]).ok();
    office.as_who(&own, &["whoami"]).fails(3);
    // A program of a project, with a role of its own.
    office.world.run(&["service-account", "create", "ci"]).ok();
    let key = office.world.run(&["api-key", "create", "ci", "--service-account", "ci"]).ok().trim().to_owned();
    assert!(key.starts_with("sat."), "{key}");
    office.as_who(&key, &["pipeline", "run", "hello"]).fails(1);
    office.world.run(&["role", "bind", "_pipeline_executor", "--service-account", "ci"]).ok();
    office.as_who(&key, &["pipeline", "run", "hello"]).ok();
    office.world.run(&["service-account", "delete", "ci"]).ok();
    office.as_who(&key, &["whoami"]).fails(3);
}

#[test]
fn starting_a_run_needs_access_to_what_it_uses() {
    let office = Office::new();
    let ada = office.person("ada");
    office.world.apply(
        "\
environment: {identifier: prod, name: prod, type: Production}
---
service: {identifier: payment, name: payment, serviceDefinition: {type: Kubernetes, spec: {}}}
---
infrastructureDefinition: {identifier: main, name: main, environmentRef: prod, deploymentType: Kubernetes, type: KubernetesDirect, spec: {connectorRef: cluster, namespace: pay, releaseName: pay}}
---
pipeline:
  identifier: deploy
  name: deploy
  stages:
    - stage:
        identifier: prod
        type: Deployment
        failureStrategies: [{onFailure: {errors: [AllErrors], action: {type: MarkAsFailure}}}]
        spec:
          deploymentType: Kubernetes
          service: {serviceRef: payment}
          environment: {environmentRef: prod, infrastructureDefinitions: [{identifier: main}]}
          execution: {steps: [{step: {identifier: wait, type: Wait, spec: {duration: 1s}}}]}
---
role: {identifier: runner, name: runner, permissions: [core_pipeline_view, core_pipeline_execute, core_service_view, core_service_access]}
",
    );
    office.world.run(&["role", "bind", "runner", "--user", "ada"]).ok();
    let refused = office.as_who(&ada, &["pipeline", "run", "deploy"]).fails(3);
    assert!(refused.contains("core_environment_access is missing for the environment `prod`"), "{refused}");
    assert!(!refused.contains("core_service_access"), "{refused}");
    office.world.run(&["setting", "set", "access.checkReferences", "false"]).ok();
    office.as_who(&ada, &["pipeline", "run", "deploy"]).ok();
}

#[test]
fn people_are_not_documents() {
    let world = World::new();
    world.file("ada.yaml", "user: {identifier: ada, name: Ada, email: ada@example.com}\n");
    let refused = world.run(&["apply", "-f", "ada.yaml"]).fails(1);
    assert!(refused.contains("windlass user create"), "{refused}");
}
