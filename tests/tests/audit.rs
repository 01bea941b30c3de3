//! Who did what, when, from where, and whether the trail was touched (pipelines §9.3).

// clippy.toml allows these in test functions; here their helpers need them too.
#![allow(clippy::unwrap_used, clippy::panic)]

use serde_json::Value;
use windlass_tests::{World, until};

const ACCOUNT: [&str; 4] = ["--org", "", "--project", ""];

const DOCUMENTS: &str = "\
pipeline:
  identifier: release
  name: release
  stages:
    - stage:
        identifier: prod
        type: Custom
        spec:
          execution:
            steps:
              - step:
                  identifier: approval
                  type: HarnessApproval
                  timeout: 7d
                  spec:
                    approvers: {userGroups: [team], minimumCount: 1, disallowPipelineExecutor: false}
                    approverInputs: [{name: change_ticket}]
---
userGroup: {identifier: team, name: team, users: [admin]}
";

fn list(world: &World, arguments: &[&str]) -> Vec<Value> {
    let all: Vec<&str> = ["audit", "list", "-o", "json"].iter().chain(arguments).copied().collect();
    world.run(&all).json().as_array().cloned().unwrap()
}

#[test]
fn changes_are_kept_with_before_and_after() {
    let world = World::new();
    world.apply(DOCUMENTS);
    world.apply(&DOCUMENTS.replace("timeout: 7d", "timeout: 1d"));
    let changes = list(&world, &["--resource-type", "PIPELINE", "--resource", "release"]);
    let actions: Vec<_> = changes.iter().map(|one| one["action"].as_str().unwrap()).collect();
    assert_eq!(actions, ["UPDATE", "CREATE"]);
    let detail = &changes[0]["detail"];
    assert!(detail["oldYaml"].as_str().unwrap().contains("timeout: 7d"));
    assert!(detail["newYaml"].as_str().unwrap().contains("timeout: 1d"));
    assert!(
        detail["oldEtag"].as_str().unwrap().starts_with("1-") && detail["newEtag"].as_str().unwrap().starts_with("2-")
    );
    assert_eq!(changes[0]["principal"], "user:admin");
    assert_eq!(detail["from"]["clientIP"], "127.0.0.1");
    assert_eq!(detail["from"]["path"], "/api/v1/apply");
    world.run(&["delete", "pipeline", "release"]).ok();
    assert_eq!(list(&world, &["--action", "delete"])[0]["resource"], "release");
}

#[test]
fn a_run_tells_who_started_it_and_who_approved_with_which_ticket() {
    let world = World::new();
    world.apply(DOCUMENTS);
    let run = world.start_run("release", &[]);
    until("the approval", || {
        (world.run(&["approve", &run, "--input", "change_ticket=CHG-7", "--message", "go"]).code == 0).then_some(())
    });
    let trail = until("the end of the run", || {
        let rows = world.run(&["audit", "run", &run, "-o", "json"]).json();
        let rows = rows.as_array().cloned().unwrap();
        rows.iter().any(|row| row["action"] == "END").then_some(rows)
    });
    let of = |action: &str| trail.iter().find(|row| row["action"] == action).unwrap_or_else(|| panic!("{trail:?}"));
    assert_eq!(of("START")["principal"], "user:admin");
    assert_eq!(of("START")["detail"]["from"]["clientIP"], "127.0.0.1");
    let approved = of("APPROVE");
    assert_eq!(approved["principal"], "user:admin");
    assert!(approved["detail"]["activity"].to_string().contains("CHG-7"), "{approved}");
    assert_eq!(of("END")["principal"], "system:engine");
    let table = world.run(&["audit", "run", &run]).ok();
    assert!(table.contains("APPROVE") && table.contains("CHG-7"), "{table}");
}

#[test]
fn refusals_are_kept_and_auditors_see_them_in_their_scope() {
    let world = World::new();
    world.apply(DOCUMENTS);
    for id in ["eve", "auditor"] {
        world.run(&["user", "create", id, "--email", &format!("{id}@example.com")]).ok();
    }
    let key = |id: &str| world.run(&["api-key", "create", "test", "--user", id]).ok().trim().to_owned();
    let (eve, auditor) = (key("eve"), key("auditor"));
    world.run(&["--token", &eve, "delete", "pipeline", "release"]).fails(1);
    let denied = list(&world, &["--action", "DENIED", "--actor", "user:eve"]);
    assert_eq!(denied.len(), 1, "{denied:?}");
    assert_eq!((denied[0]["result"].as_str(), denied[0]["resource"].as_str()), (Some("denied"), Some("release")));
    assert_eq!(denied[0]["detail"]["permission"], "core_pipeline_delete");

    world.run(&["--token", &eve, "audit", "list"]).fails(3);
    world.apply("role: {identifier: auditor, name: auditor, permissions: [core_audit_view]}\n");
    world.run(&["role", "bind", "auditor", "--user", "auditor"]).ok();
    let seen = world.run(&["--token", &auditor, "audit", "list", "-o", "json"]).json();
    let scopes: Vec<_> = seen.as_array().unwrap().iter().map(|row| row["scope"]["level"].clone()).collect();
    assert!(!scopes.is_empty() && scopes.iter().all(|level| level == "project"), "{seen}");
    // The chain is of the whole account.
    world.run(&["--token", &auditor, "audit", "verify"]).fails(3);
    world.run(&["--token", &auditor, "get", "pipeline", "release"]).fails(1);
}

#[test]
fn the_chain_is_sealed_verified_and_exported() {
    let world = World::new();
    world.apply(DOCUMENTS);
    let verify = |extra: &[&str]| {
        let all: Vec<&str> = ACCOUNT.iter().chain(&["audit", "verify", "-o", "json"]).chain(extra).copied().collect();
        world.run(&all).json()
    };
    let first = until("the seal", || {
        let verified = verify(&[]);
        assert_eq!(verified["intact"], true, "{verified}");
        (verified["records"].as_u64() >= Some(3)).then_some(verified)
    });
    let head = first["head"].as_str().unwrap();
    world.apply(&DOCUMENTS.replace("7d", "1d"));
    assert_eq!(verify(&["--head", head])["intact"], true);
    let (position, hash) = head.split_once(':').unwrap();
    let other = format!("{position}:{}", hash.chars().rev().collect::<String>());
    let broken = world.run(&["--org", "", "--project", "", "audit", "verify", "--head", &other]);
    assert_eq!(broken.code, 1);
    assert!(broken.out.contains("BROKEN"), "{}", broken.out);

    let exported = world.run(&["--org", "", "--project", "", "audit", "export"]).ok();
    let rows: Vec<Value> = exported.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    for (index, row) in rows.iter().enumerate() {
        assert_eq!(row["position"], index as u64 + 1);
        if index > 0 {
            assert_eq!(row["previous"], rows[index - 1]["hash"]);
        }
    }
    assert!(rows.len() as u64 >= first["records"].as_u64().unwrap());
    let rest = world.run(&["--org", "", "--project", "", "audit", "export", "--after", position]).ok();
    assert_eq!(rest.lines().count(), rows.len() - position.parse::<usize>().unwrap());
}
