//! A whole tree of kustomizations, rendered into a folder: in parallel, and only what changed.
//!
//! What a rendering read is remembered by content in the output folder, so that the next one renders nothing that would come out
//! the same. Windlass' own version is part of it: another program may render otherwise.

mod noticing;
mod remembered;
mod seen;

pub use remembered::Memory;
pub use seen::Disk;

use noticing::Noticing;
use seen::Seen;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicUsize, Ordering};
use windlass_kustomize::{Options, build};

/// The names of kustomization files.
const NAMES: [&str; 3] = ["kustomization.yaml", "kustomization.yml", "Kustomization"];

/// Where the objects of a kustomization go, below its folder's name.
pub const OUTPUT: &str = "manifests.yaml";

/// How deep a catalogue goes.
const DEEPEST: usize = 64;

/// The folders below `root`, relative to it, that are to be rendered: kustomizations that no other one of them uses.
///
/// # Errors
/// When a folder cannot be read.
pub fn targets(root: &Path) -> Result<Vec<String>, String> {
    let mut found = BTreeMap::new();
    let mut folders = vec![(root.to_owned(), 0)];
    while let Some((folder, depth)) = folders.pop() {
        let failed = |error: std::io::Error| format!("cannot read {}: {error}", folder.display());
        if depth > DEEPEST {
            return Err(format!("{} lies deeper than {DEEPEST} folders", folder.display()));
        }
        for entry in std::fs::read_dir(&folder).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let name = entry.file_name();
            // Links lead to folders that are found by their own names.
            let is_folder = entry.file_type().map_err(failed)?.is_dir();
            if is_folder && name != ".git" {
                folders.push((entry.path(), depth + 1));
            } else if NAMES.iter().any(|known| name == *known) {
                found.insert(folder.clone(), entry.path());
            }
        }
    }
    let mut used = BTreeSet::new();
    let mut components = BTreeSet::new();
    for (folder, file) in &found {
        let text = crate::disk::read_file(file)?;
        let uses = Uses::of(&String::from_utf8_lossy(&text));
        used.extend(uses.folders.iter().filter_map(|path| folder.join(path).canonicalize().ok()));
        if uses.is_component {
            components.insert(folder.clone());
        }
    }
    let is_target = |folder: &&PathBuf| {
        !components.contains(*folder) && !folder.canonicalize().is_ok_and(|folder| used.contains(&folder))
    };
    let relative = |folder: &PathBuf| folder.strip_prefix(root).ok()?.to_str().map(str::to_owned);
    Ok(found.keys().filter(is_target).filter_map(relative).collect())
}

/// What a kustomization file says of other folders.
#[derive(Default)]
struct Uses {
    folders: Vec<String>,
    is_component: bool,
}

impl Uses {
    /// A file that cannot be read uses nothing; its own rendering says what is wrong.
    fn of(text: &str) -> Self {
        let documents = windlass_yaml::parse("kustomization", text, &windlass_yaml::Options::CONTROL);
        let Some(root) = documents.ok().and_then(|documents| documents.into_iter().next()) else {
            return Self::default();
        };
        let json = root.root.to_json(windlass_yaml::NumberStyle::Typed);
        let list = |name: &str| {
            let items = json.get(name).and_then(serde_json::Value::as_array).into_iter().flatten();
            items.filter_map(|item| item.as_str().map(str::to_owned)).collect::<Vec<_>>()
        };
        Self {
            folders: ["resources", "bases", "components"].iter().flat_map(|name| list(name)).collect(),
            is_component: json.get("kind").and_then(serde_json::Value::as_str) == Some("Component"),
        }
    }
}

/// What became of a target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Done {
    /// Its output was written.
    Rendered,
    /// Nothing that it reads has changed.
    Unchanged,
    /// It cannot be rendered; what was there before stays.
    Failed(String),
}

/// Renders targets of `root` into `out` with all cores. `also` names whatever of the options makes a difference; `told` hears of each
/// target, from any thread.
///
/// # Errors
/// When the output folder cannot be used.
pub fn render<'o>(
    root: &Path,
    out: &Path,
    targets: &[String],
    options: &(dyn Fn() -> Options<'o> + Sync),
    also: &str,
    told: &(dyn Fn(&str, &Done) + Sync),
) -> Result<Vec<(String, Done)>, String> {
    let memory = Memory::read(out, also);
    let disk = Disk::default();
    let next = AtomicUsize::new(0);
    let results = Mutex::new(Vec::new());
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    std::thread::scope(|scope| {
        for _ in 0..threads.min(targets.len()) {
            // Deep kustomizations need room.
            let work = std::thread::Builder::new().stack_size(16 << 20).spawn_scoped(scope, || {
                let options = options();
                while let Some(target) = targets.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let (done, seen) = one(root, out, target, &options, &disk, &memory);
                    told(target, &done);
                    results.lock().unwrap_or_else(PoisonError::into_inner).push((target.clone(), done, seen));
                }
            });
            drop(work);
        }
    });
    let mut results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    results.sort_by(|a, b| a.0.cmp(&b.0));
    let kept = results.iter().filter_map(|(target, _, seen)| Some((target.as_str(), seen.as_ref()?)));
    memory.write(out, kept)?;
    Ok(results.into_iter().map(|(target, done, _)| (target, done)).collect())
}

fn one(
    root: &Path,
    out: &Path,
    target: &str,
    options: &Options<'_>,
    disk: &Disk,
    memory: &Memory,
) -> (Done, Option<Seen>) {
    let file = out.join(target).join(OUTPUT);
    if let Some(seen) = memory.of(target).filter(|seen| file.is_file() && seen.holds(disk)) {
        return (Done::Unchanged, Some(seen.clone()));
    }
    let recorder = disk.recorder();
    let path = root.join(target);
    let noticing = Noticing::new(options);
    let built = match build(&recorder, &path.to_string_lossy(), &noticing.options(options)) {
        Ok(built) => built,
        Err(error) => return (Done::Failed(error.to_string()), None),
    };
    match replace(&file, &built.to_yaml()) {
        // What lies elsewhere may change without a trace here: such a target is rendered anew each time.
        Ok(()) => (Done::Rendered, (!noticing.has_fetched()).then(|| recorder.seen())),
        Err(error) => (Done::Failed(format!("cannot write {}: {error}", file.display())), None),
    }
}

/// Writes a file so that a reader sees the old or the new one.
fn replace(file: &Path, text: &str) -> std::io::Result<()> {
    let folder = file.parent().unwrap_or(file);
    std::fs::create_dir_all(folder)?;
    let mut new = tempfile::NamedTempFile::new_in(folder)?;
    std::io::Write::write_all(&mut new, text.as_bytes())?;
    let permissions = std::os::unix::fs::PermissionsExt::from_mode(0o644);
    new.as_file().set_permissions(permissions)?;
    new.persist(file).map_err(|error| error.error)?;
    Ok(())
}
