//! Puts the files of the example into the binary, so that `windlass demo` needs nothing beside it; and how the binary is linked.

// The rules for what runs in production: a build script asks cargo by variables, and the system by a program.
#![allow(clippy::disallowed_methods)]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The C library that reads packed relocations is this old at least. Without them every process begins with reading 3 MiB of
/// addresses, and keeps them in memory.
const PACKED_SINCE: (u32, u32) = (2, 36);

fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../examples/payment-service");
    println!("cargo:rerun-if-changed={}", root.display());
    let mut files = Vec::new();
    collect(&root, &mut files);
    files.sort();
    let mut code = String::from("pub(crate) const FILES: &[(&str, &str)] = &[\n");
    for file in files {
        let name = file.strip_prefix(&root).unwrap_or(&file).display().to_string();
        let _ = writeln!(code, "    ({name:?}, include_str!({:?})),", file.display().to_string());
    }
    code.push_str("];\n");
    let out = PathBuf::from(std::env::var_os("OUT_DIR").unwrap_or_default()).join("demo_files.rs");
    if let Err(error) = std::fs::write(&out, code) {
        println!("cargo:warning=cannot write {}: {error}", out.display());
        std::process::exit(1);
    }
    pack_relocations();
}

fn pack_relocations() {
    let of = |name: &str| std::env::var(name).unwrap_or_default();
    let is_native = of("HOST") == of("TARGET");
    if is_native && of("CARGO_CFG_TARGET_ENV") == "gnu" && c_library().is_some_and(|version| version >= PACKED_SINCE) {
        println!("cargo:rustc-link-arg-bins=-Wl,-z,pack-relative-relocs");
    }
}

/// `glibc 2.36`
fn c_library() -> Option<(u32, u32)> {
    let output = Command::new("getconf").arg("GNU_LIBC_VERSION").output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let (major, minor) = text.trim().strip_prefix("glibc ")?.split_once('.')?;
    Some((major.parse().ok()?, minor.split('.').next()?.parse().ok()?))
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() { collect(&path, files) } else { files.push(path) }
    }
}
