//! What was fetched and rendered before, by content and bounded in bytes.

use crate::bridge::Remote;
use crate::rendered::RenderedFile;
use sha2::{Digest as _, Sha256};
use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use windlass_diagnostic::Diagnostics;
use windlass_git::Snapshot;
use windlass_helm::Chart;

/// Everything that a result depends on, as one hash. Secrets go in too: what one reader may see another may not find.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Key([u8; 32]);

/// Makes a key from parts that cannot run into each other.
pub(crate) struct KeyMaker(Sha256);

impl KeyMaker {
    pub(crate) fn new(kind: &str) -> Self {
        Self(Sha256::new()).part(kind)
    }

    #[must_use]
    pub(crate) fn part(mut self, part: impl AsRef<[u8]>) -> Self {
        let part = part.as_ref();
        self.0.update((part.len() as u64).to_be_bytes());
        self.0.update(part);
        self
    }

    #[must_use]
    pub(crate) fn parts<P: AsRef<[u8]>>(self, parts: impl IntoIterator<Item = P>) -> Self {
        let mut all = self;
        let mut count = 0u64;
        for part in parts {
            all = all.part(part);
            count += 1;
        }
        all.part(count.to_be_bytes())
    }

    pub(crate) fn key(self) -> Key {
        Key(self.0.finalize().into())
    }
}

/// A result of rendering.
#[derive(Clone, Debug, Default)]
pub(crate) struct Made {
    pub files: Vec<RenderedFile>,
    pub warnings: Diagnostics,
    /// For the log.
    pub notes: Vec<String>,
    /// What was fetched on the way. The result counts only where that would be the same again.
    pub remotes: Vec<Remote>,
}

/// One kept thing.
#[derive(Clone)]
pub(crate) enum Kept {
    Files(Arc<Snapshot>),
    Chart(Arc<Chart>),
    Made(Arc<Made>),
}

impl Kept {
    fn bytes(&self) -> usize {
        const OVERHEAD: usize = 200;
        match self {
            Self::Files(snapshot) => snapshot.files.iter().map(|file| file.bytes.len() + OVERHEAD).sum(),
            // Values and metadata are held as trees, which take more than their text.
            Self::Chart(chart) => chart_bytes(chart) * 2,
            Self::Made(made) => made.files.iter().map(|file| file.text.len() + OVERHEAD).sum(),
        }
    }
}

fn chart_bytes(chart: &Chart) -> usize {
    let own = chart.templates.iter().chain(&chart.files).map(|file| file.data.len() + 200).sum::<usize>();
    let values = serde_json::to_vec(&chart.values).map_or(0, |text| text.len() * 4);
    own + values + chart.dependencies.iter().map(chart_bytes).sum::<usize>()
}

/// Keeps what was used last.
pub(crate) struct Cache {
    most: usize,
    inner: Mutex<Inner>,
    counts: Arc<Ledger>,
}

#[derive(Default)]
struct Inner {
    entries: HashMap<Key, (Kept, usize, u64)>,
    by_use: BTreeMap<u64, Key>,
    bytes: usize,
    uses: u64,
}

/// Bytes that a delegate keeps (architecture §10: it has 64 MiB for everything).
pub(crate) const MOST_BYTES: usize = 16 << 20;

impl Cache {
    pub(crate) fn new(most: usize, counts: Arc<Ledger>) -> Self {
        Self { most, inner: Mutex::default(), counts }
    }

    pub(crate) fn get(&self, key: Key) -> Option<Kept> {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        inner.uses += 1;
        let now = inner.uses;
        let (kept, before) = {
            let (kept, _, used) = inner.entries.get_mut(&key)?;
            (kept.clone(), std::mem::replace(used, now))
        };
        inner.by_use.remove(&before);
        inner.by_use.insert(now, key);
        self.counts.hits.fetch_add(1, Ordering::Relaxed);
        Some(kept)
    }

    /// Keeps a thing; the ones used longest ago go. One that would take the room of all others is not kept.
    pub(crate) fn put(&self, key: Key, kept: Kept) {
        let bytes = kept.bytes();
        if bytes > self.most / 2 {
            return;
        }
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        inner.remove(key);
        inner.uses += 1;
        let now = inner.uses;
        inner.entries.insert(key, (kept, bytes, now));
        inner.by_use.insert(now, key);
        inner.bytes += bytes;
        while inner.bytes > self.most {
            let Some((_, oldest)) = inner.by_use.first_key_value() else { break };
            let oldest = *oldest;
            inner.remove(oldest);
        }
    }
}

impl Inner {
    fn remove(&mut self, key: Key) {
        if let Some((_, bytes, used)) = self.entries.remove(&key) {
            self.by_use.remove(&used);
            self.bytes -= bytes;
        }
    }
}

impl fmt::Debug for Cache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cache").field("most", &self.most).finish_non_exhaustive()
    }
}

/// What a renderer has done so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Questions to repositories and addresses outside.
    pub fetches: u64,
    /// Kustomizations, charts and sets of templates that were rendered.
    pub renders: u64,
    /// Things that were there already.
    pub hits: u64,
}

#[derive(Debug, Default)]
pub(crate) struct Ledger {
    pub(crate) fetches: AtomicU64,
    pub(crate) renders: AtomicU64,
    hits: AtomicU64,
}

impl Ledger {
    pub(crate) fn counts(&self) -> Counts {
        let of = |number: &AtomicU64| number.load(Ordering::Relaxed);
        Counts { fetches: of(&self.fetches), renders: of(&self.renders), hits: of(&self.hits) }
    }

    pub(crate) fn asked(&self) {
        self.fetches.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn rendered(&self) {
        self.renders.fetch_add(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(bytes: usize) -> Kept {
        let file = RenderedFile { path: "a".into(), text: "x".repeat(bytes - 200) };
        Kept::Made(Arc::new(Made { files: vec![file], ..Made::default() }))
    }

    #[test]
    fn what_was_used_longest_ago_goes() {
        let cache = Cache::new(3_000, Arc::default());
        let key = |n: &str| KeyMaker::new("t").part(n).key();
        for name in ["a", "b", "c"] {
            cache.put(key(name), made(1_000));
        }
        assert!(cache.get(key("a")).is_some());
        cache.put(key("d"), made(1_000));
        assert!(cache.get(key("b")).is_none(), "it was used longest ago");
        for name in ["a", "c", "d"] {
            assert!(cache.get(key(name)).is_some(), "{name}");
        }
        cache.put(key("large"), made(1_600));
        assert!(cache.get(key("large")).is_none(), "it would take the room of all others");
        cache.put(key("a"), made(500));
        assert_eq!(cache.inner.lock().unwrap().bytes, 2_500);
        assert_eq!(cache.counts.counts().hits, 4);
    }

    #[test]
    fn parts_do_not_run_into_each_other() {
        let key = |parts: &[&str]| KeyMaker::new("t").parts(parts).key();
        assert_ne!(key(&["ab", "c"]), key(&["a", "bc"]));
        assert_ne!(key(&["a"]), key(&["a", ""]));
        assert_eq!(key(&["a", "b"]), key(&["a", "b"]));
    }
}
