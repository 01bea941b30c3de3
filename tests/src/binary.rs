use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;

/// The binary under test: the one that `WINDLASS_BIN` names, else built from this tree with this test's profile.
pub(crate) fn windlass() -> &'static PathBuf {
    static BINARY: OnceLock<PathBuf> = OnceLock::new();
    BINARY.get_or_init(|| {
        if let Ok(path) = std::env::var("WINDLASS_BIN") {
            return path.into();
        }
        // Tests lie in `deps`, other programs beside the binary.
        let this = std::env::current_exe().unwrap();
        let folder = this.parent().unwrap();
        let target = if folder.ends_with("deps") { folder.parent().unwrap() } else { folder };
        let release = target.ends_with("release");
        let mut build = Command::new(env!("CARGO"));
        build.args(["build", "--quiet", "--package", "windlass", "--bin", "windlass"]);
        if release {
            build.arg("--release");
        }
        build.env("CARGO_TARGET_DIR", target.parent().unwrap()).current_dir(env!("CARGO_MANIFEST_DIR"));
        assert!(build.status().unwrap().success(), "the binary does not build");
        target.join("windlass")
    })
}
