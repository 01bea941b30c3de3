//! `windlass rehearse`: the pipeline of the example to production, with a fault, in virtual time.

use crate::figure::{Budget, Report};
use std::path::Path;
use std::time::Instant;
use windlass_tests::World;

pub(crate) fn measure(report: &mut Report) {
    let world = World::bare();
    for (what, fault) in [("good", None), ("whose image cannot be pulled", Some("image-pull"))] {
        let samples = (0..report.times)
            .map(|_| {
                let start = Instant::now();
                let ran = world.run(&line(fault).iter().map(String::as_str).collect::<Vec<_>>());
                assert_eq!(ran.code, i32::from(fault.is_some()), "{}{}", ran.out, ran.err);
                start.elapsed().as_secs_f64()
            })
            .collect();
        report.tell(&format!("rehearsal of a release {what}"), "s", Some(Budget::AtMost(3.0)), samples);
    }
}

fn line(fault: Option<&str>) -> Vec<String> {
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/payment-service");
    let at = |path: &str| example.join(path).display().to_string();
    let mut line = vec!["rehearse".to_owned()];
    for (flag, value) in [
        ("-f", at("setup")),
        ("-f", at("pipeline.yaml")),
        ("--pipeline", "payment-service_cd".to_owned()),
        ("--set", "SERVICE_NAME=payment-service".to_owned()),
        ("--set", "ARCHETYPE=api".to_owned()),
        ("--set", "TEAM=payments_team".to_owned()),
        ("--set", "GIT_URL=https://git.example".to_owned()),
        ("--set", "PROMETHEUS_URL=https://metrics.example".to_owned()),
        ("--setting", "manifests.placeholderTag=PLACEHOLDER_TAG".to_owned()),
        ("--setting", "compat.blueGreenAsHealthCheck=true".to_owned()),
        ("--repository", format!("https://git.example/acme/platform-catalog={}", at("repositories/platform-catalog"))),
        ("--cluster", format!("k8s_prod_euw1={}", at("clusters/prod.yaml"))),
        ("--workloads", at("workloads.yaml")),
        ("--at", "2026-03-02T10:30:00Z".to_owned()),
        ("-i", "imageTag=v2.3.4".to_owned()),
        ("-i", "targetEnvironment=prod".to_owned()),
        ("-i", "targetRegion=euw1".to_owned()),
        ("--deployed", "imageTag=v2.3.0".to_owned()),
    ] {
        line.extend([flag.to_owned(), value]);
    }
    line.extend(fault.into_iter().flat_map(|fault| ["--fault".to_owned(), fault.to_owned()]));
    line
}
