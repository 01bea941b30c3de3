//! The reference as a library: a program that renders folders one after the other, built by the ordinary Go client.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The modules of kustomize 5.7.1.
const MODULES: &str = "\
module reference

go 1.22

require (
	sigs.k8s.io/kustomize/api v0.20.1
	sigs.k8s.io/kustomize/kyaml v0.20.1
)
";

/// Its schema is global, so that it renders one at a time.
const PROGRAM: &str = r#"package main

import (
	"fmt"
	"os"
	"path/filepath"

	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
)

func main() {
	root, out := os.Args[1], os.Args[2]
	disk := filesys.MakeFsOnDisk()
	options := krusty.MakeDefaultOptions()
	options.Reorder = krusty.ReorderOptionUnspecified
	for _, target := range os.Args[3:] {
		objects, err := krusty.MakeKustomizer(options).Run(disk, filepath.Join(root, target))
		check(err)
		text, err := objects.AsYaml()
		check(err)
		folder := filepath.Join(out, target)
		check(os.MkdirAll(folder, 0o755))
		check(os.WriteFile(filepath.Join(folder, "manifests.yaml"), text, 0o644))
	}
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
"#;

/// Builds it below the target folder, where the next measurement finds it. Tells why there is none.
pub(super) fn build() -> Option<PathBuf> {
    let this = std::env::current_exe().unwrap();
    let folder = this.parent().and_then(Path::parent).unwrap().join("reference-library");
    std::fs::create_dir_all(&folder).unwrap();
    for (file, text) in [("go.mod", MODULES), ("main.go", PROGRAM)] {
        std::fs::write(folder.join(file), text).unwrap();
    }
    for line in [&["mod", "tidy"][..], &["build", "-o", "reference", "."]] {
        let ran = Command::new("go").args(line).env("GOFLAGS", "-mod=mod").current_dir(&folder).output();
        let why = match ran {
            Ok(ran) if ran.status.success() => continue,
            Ok(ran) => String::from_utf8_lossy(&ran.stderr).trim().to_owned(),
            Err(error) => error.to_string(),
        };
        println!("skipped: the reference as a library, since `go {}` fails: {why}", line.join(" "));
        return None;
    }
    Some(folder.join("reference"))
}
