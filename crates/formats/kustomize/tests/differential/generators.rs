//! `configMapGenerator`, `secretGenerator` and `generatorOptions`.

use crate::objects::{Known, NAMESPACES};
use crate::project::{Maker, known};

const CONTENTS: [&[u8]; 9] = [
    b"one\ntwo\n",
    b"no end",
    b"",
    b"tab\there\n",
    b" lead\n",
    b"\xff\xfe\x00binary",
    b"crlf\r\nlines\r\n",
    b"a text that is longer than fifty-two bytes, so that its base64 form has more than seventy characters\n",
    b"trailing space \nand more\n\n\n",
];

const ENVIRONMENTS: [&str; 5] = [
    "# comment\nE1=1\n  E2 = two \nE3\n",
    "\u{feff}E1=bom\r\nE2=\"quoted\"\r\n",
    "E1=a=b\n\n\n   # indented comment\nE2='single'\n",
    "E1=no newline at the end",
    "E1=\nE2=$(VAR_A)\nexport E3=x\n",
];

pub(crate) fn generators(maker: &mut Maker<'_>, all: &[Known]) {
    let (mut content, mut environment) = (None, None);
    for (field, kind, chance) in [("configMapGenerator", "ConfigMap", 30), ("secretGenerator", "Secret", 22)] {
        if !maker.random.percent(chance) {
            continue;
        }
        maker.k.push_str(&format!("{field}:\n"));
        let mut names = Vec::new();
        for _ in 0..1 + maker.random.below(2) {
            let (name, text) = entry(maker, kind, all, &mut content, &mut environment);
            if !names.contains(&name) {
                maker.k.push_str(&text);
                names.push(name);
            }
        }
    }
    if maker.random.percent(14) {
        maker.k.push_str(maker.random.pick(&[
            "generatorOptions: {disableNameSuffixHash: true}\n",
            "generatorOptions: {labels: {all: 'true', gen: all}, annotations: {note: x}}\n",
            "generatorOptions: {immutable: true}\n",
            "generatorOptions: {immutable: true, disableNameSuffixHash: true, labels: {app: all}, annotations: {note: 'y'}}\n",
        ]));
    }
    if let Some(content) = content {
        maker.file("data.txt", content);
    }
    if let Some(environment) = environment {
        maker.file("vars.env", environment);
    }
}

fn entry(
    maker: &mut Maker<'_>,
    kind: &str,
    all: &[Known],
    content: &mut Option<&'static [u8]>,
    environment: &mut Option<&'static str>,
) -> (String, String) {
    let random = &mut *maker.random;
    let there = known(random, all, |known| known.kind == kind).filter(|_| random.percent(30));
    let name = match there {
        Some(there) => there.name.clone(),
        None => format!("gen-{}-{}", maker.at.replace('/', "-"), random.below(3)),
    };
    let mut k = format!("- name: {name}\n");
    if there.is_some() {
        k.push_str(&format!("  behavior: {}\n", random.pick(&["merge", "replace"])));
    } else {
        k.push_str(random.sometimes(10, "  behavior: create\n"));
    }
    if let Some(namespace) = there.and_then(|there| there.namespace.as_ref()) {
        k.push_str(&format!("  namespace: {namespace}\n"));
    } else if there.is_none() && random.percent(15) {
        k.push_str(&format!("  namespace: {}\n", random.pick(&NAMESPACES)));
    }
    random.maybe(
        70,
        &mut k,
        &[
            "  literals: [a=1, 'b=\"quoted\"', c=x=y, 'd=']\n",
            "  literals:\n  - a=true\n  - z10=ten\n  - z2=two\n  - \"b='single'\"\n  - 'c=\"closed\"'\n",
            "  literals:\n  - |\n    a=several\n    lines\n  - b= spaces \n  - 'c=\"'\n",
            "  literals: ['a=<&>', 'b=é', 'c=\"\"', \"d=''\", 'e=yes']\n",
        ],
    );
    if random.percent(40) {
        let all = CONTENTS;
        content.get_or_insert_with(|| all[random.below(all.len())]);
        k.push_str(random.pick(&[
            "  files: [data.txt]\n",
            "  files: [other=data.txt]\n",
            "  files: [data.txt, again=./data.txt]\n",
        ]));
    }
    if random.percent(30) {
        environment.get_or_insert_with(|| random.pick(&ENVIRONMENTS));
        k.push_str(random.pick(&["  envs: [vars.env]\n", "  env: vars.env\n"]));
    }
    random.maybe(
        35,
        &mut k,
        &[
            "  options:\n    labels: {gen: 'yes'}\n    disableNameSuffixHash: true\n",
            "  options:\n    labels: {gen: 'yes', app: web}\n    annotations: {note: mine}\n",
            "  options: {immutable: true, disableNameSuffixHash: false}\n",
            "  options: {annotations: {kustomize.config.k8s.io/x: 'y'}, disableNameSuffixHash: true}\n",
        ],
    );
    if kind == "Secret" && random.percent(30) {
        k.push_str("  type: kubernetes.io/tls\n");
    }
    (name, k)
}
