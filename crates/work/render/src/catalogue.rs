//! A whole tree of kustomizations, rendered into a folder: in parallel, and only what changed.
//!
//! What a rendering read is remembered by content in the output folder, so that the next one renders nothing that would come out
//! the same. Windlass' own version is part of it: another program may render otherwise.

mod noticing;
mod remembered;
mod resolve;
mod seen;
mod targets;

pub use remembered::Memory;
pub use seen::Disk;
pub use targets::targets;

use noticing::Noticing;
use seen::Seen;
use std::path::Path;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicUsize, Ordering};
use windlass_kustomize::{Options, build};

/// Where the objects of a kustomization go, below its folder's name.
pub const OUTPUT: &str = "manifests.yaml";

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
    let (mut kept, mut told) = (Vec::new(), Vec::with_capacity(results.len()));
    for (target, done, seen) in results {
        kept.extend(seen.map(|seen| (target.clone(), seen)));
        told.push((target, done));
    }
    // What is known already need not be written again.
    if !kept.is_empty() {
        memory.write(out, kept)?;
    }
    Ok(told)
}

/// What became of one, and what it read when it was rendered.
fn one(
    root: &Path,
    out: &Path,
    target: &str,
    options: &Options<'_>,
    disk: &Disk,
    memory: &Memory,
) -> (Done, Option<Seen>) {
    let file = out.join(target).join(OUTPUT);
    if memory.of(target).is_some_and(|seen| file.is_file() && seen.holds(disk)) {
        return (Done::Unchanged, None);
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
