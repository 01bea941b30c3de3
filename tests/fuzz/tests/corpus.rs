//! What fuzzing begins with, and what it has found, holds in every ordinary test.

use std::path::Path;
use windlass_test_fuzz::{chart, expression, kustomization, link, log, rego, template, webhook, yaml};

type Target = fn(&[u8]);

const TARGETS: [(&str, Target); 9] = [
    ("chart", chart),
    ("expression", expression),
    ("kustomization", kustomization),
    ("link", link),
    ("log", log),
    ("rego", rego),
    ("template", template),
    ("webhook", webhook),
    ("yaml", yaml),
];

#[test]
fn every_seed_holds() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
    let folders = std::fs::read_dir(&corpus).unwrap().count();
    assert_eq!(folders, TARGETS.len(), "each target has its folder of seeds, and no folder is left out");
    for (name, target) in TARGETS {
        let seeds: Vec<_> = std::fs::read_dir(corpus.join(name)).unwrap().map(|seed| seed.unwrap().path()).collect();
        assert!(!seeds.is_empty(), "{name} has no seeds");
        for seed in seeds {
            println!("{}", seed.display());
            target(&std::fs::read(&seed).unwrap());
        }
    }
}
