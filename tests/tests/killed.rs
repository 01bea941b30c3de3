//! SIGKILL for the server or the delegate at sampled moments of a release: it is made, and made once. `KILLS` says how many.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a scenario; its pause is the sample"
)]

use std::time::{Duration, Instant};
use windlass_tests::{Site, node};

const KILLS: u32 = 20;

fn manifests(tag: &str) -> String {
    let labels = "labels: {app: web}";
    format!(
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: settings, {labels}}}\ndata: {{tag: {tag}}}\n---\n\
         apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: web, {labels}}}\nspec:\n  replicas: 3\n  selector: {{matchLabels: {{app: web}}}}\n  \
         template:\n    metadata: {{{labels}}}\n    spec: {{containers: [{{name: app, image: 'registry.example/acme/web:{tag}'}}]}}\n"
    )
}

const STEPS: &[&str] = &[
    "{step: {identifier: canary, name: canary, type: K8sCanaryDeploy, timeout: 10m, spec: {instanceSelection: {type: Count, spec: {count: 1}}}}}",
    "{step: {identifier: gone, name: gone, type: K8sCanaryDelete, timeout: 10m, spec: {}}}",
    "{step: {identifier: deploy, name: deploy, type: K8sRollingDeploy, timeout: 10m, spec: {}}}",
];

/// How often the deployment was changed, and its revision.
fn versions(site: &Site) -> (i64, i64) {
    let web = site.object("apis/apps/v1/namespaces/shop/deployments/web");
    let revision = web["metadata"]["annotations"]["deployment.kubernetes.io/revision"].as_str().unwrap();
    (web["metadata"]["generation"].as_i64().unwrap(), revision.parse().unwrap())
}

#[test]
fn whoever_is_killed_whenever_a_release_is_made_once() {
    let kills = std::env::var("KILLS").map_or(KILLS, |kills| kills.parse().unwrap());
    let mut site = Site::new();
    site.pipeline(STEPS, &[]);
    site.service(&manifests("v1"));
    site.deploys();
    let first = versions(&site);
    site.service(&manifests("v2"));
    let began = Instant::now();
    site.deploys();
    let undisturbed = began.elapsed();
    let second = versions(&site);
    let each = (second.0 - first.0, second.1 - first.1);
    assert_eq!(each.1, 1);
    let mut longest = Duration::ZERO;
    for kill in 0..kills {
        let before = versions(&site);
        let tag = format!("k{kill}");
        site.service(&manifests(&tag));
        let began = Instant::now();
        let run = site.starts();
        std::thread::sleep(undisturbed * (2 * kill + 1) / (2 * kills));
        let victim = if kill % 3 == 2 { "delegate" } else { "server" };
        match victim {
            "delegate" => site.replace_delegate(),
            _ => site.restart_server(),
        }
        let shown = site.ends(&run);
        let what = format!("kill {kill} of the {victim}, {run}: {}", site.world.run(&["run", "logs", &run]).out);
        assert_eq!(shown["run"]["status"], "Success", "{what}\n{shown}");
        assert_eq!(node(&shown, "deploy")["status"], "Success", "{what}");
        site.settles(&[&*tag, &*tag, &*tag]);
        let after = versions(&site);
        assert_eq!((after.0 - before.0, after.1 - before.1), each, "{what}");
        let names: Vec<String> = site
            .objects("apis/apps/v1/namespaces/shop/deployments")
            .iter()
            .map(|one| one["metadata"]["name"].as_str().unwrap().to_owned())
            .collect();
        assert_eq!(names, ["web"], "{what}");
        longest = longest.max(began.elapsed());
    }
    println!("{kills} kills, {kills} survived; a release takes {undisturbed:?}, the longest with a kill {longest:?}");
}
