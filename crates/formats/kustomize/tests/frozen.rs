//! Small builds and what the reference printed for them, kept in `data/frozen.txt`.
//!
//! Each case is a line `== name`, its files behind lines `-- path`, and the output behind `=> output`. The output was
//! printed by the reference, and nothing here prints it anew.

use windlass_kustomize::{MemoryFiles, Options, build};

const CASES: &str = include_str!("data/frozen.txt");

#[test]
fn the_frozen_sample() {
    let mut count = 0;
    for case in CASES.split("\n== ").skip(1) {
        let (name, rest) = case.split_once('\n').expect("a name");
        let (files, expected) = rest.split_once("\n=> output\n").expect("an output");
        let files: MemoryFiles = files
            .split("-- ")
            .skip(1)
            .filter_map(|file| file.split_once('\n'))
            .map(|(path, text)| (format!("/{path}"), format!("{text}\n")))
            .collect();
        let built = build(&files, "/root", &Options::default()).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(built.to_yaml().trim_end(), expected.trim_end(), "{name}");
        count += 1;
    }
    assert!(count >= 10, "only {count} cases");
}
