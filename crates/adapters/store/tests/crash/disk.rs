//! A disk that keeps what was synced, and of the rest whatever it pleases: played from a record of what a process did to its files.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Disks write whole sectors, in bytes; a larger piece can arrive in part.
const SECTOR: usize = 512;

/// One thing that the process did, as `recorder.c` wrote it down.
pub(crate) struct Deed<'a> {
    kind: u8,
    descriptor: u32,
    offset: u64,
    bytes: &'a [u8],
}

/// Cuts a record into deeds. What the process did not finish to write down did not happen.
pub(crate) fn deeds(record: &[u8]) -> Vec<Deed<'_>> {
    let mut rest = record;
    let mut deeds = Vec::new();
    while let Some((head, behind)) = rest.split_at_checked(21) {
        let number = |range: std::ops::Range<usize>| u64::from_le_bytes(head[range].try_into().unwrap());
        // What is no write has a length of nothing.
        let length = usize::try_from(number(13..21)).unwrap();
        let Some((bytes, behind)) = behind.split_at_checked(length) else { break };
        let descriptor = u32::from_le_bytes(head[1..5].try_into().unwrap());
        deeds.push(Deed { kind: head[0], descriptor, offset: number(5..13), bytes });
        rest = behind;
    }
    deeds
}

impl Deed<'_> {
    pub(crate) fn is_sync(&self) -> bool {
        self.kind == b's'
    }

    /// What the process said on its standard output.
    pub(crate) fn said(&self) -> Option<&[u8]> {
        (self.kind == b'1').then_some(self.bytes)
    }
}

enum Change {
    Write(usize, Vec<u8>),
    Length(usize),
}

/// A file as it is for the process, and as far as it is on the disk.
#[derive(Default)]
struct File {
    is_there: bool,
    synced: Vec<u8>,
    changes: Vec<Change>,
}

/// What becomes of changes that were not synced.
pub(crate) enum Unsynced<'a> {
    Lost,
    /// Each sector of each change arrives, or does not, as the coin falls.
    Luck(&'a mut dyn FnMut() -> bool),
}

/// The files of one folder.
#[derive(Default)]
pub(crate) struct Disk {
    files: BTreeMap<PathBuf, File>,
    opened: BTreeMap<u32, PathBuf>,
    /// Writes into a file since it was made, by its path.
    pub(crate) writes: BTreeMap<PathBuf, usize>,
}

impl Disk {
    pub(crate) fn take(&mut self, deed: &Deed<'_>) {
        if deed.kind == b'1' {
            return;
        }
        let named = || PathBuf::from(std::str::from_utf8(deed.bytes).unwrap());
        match deed.kind {
            b'o' => {
                self.opened.insert(deed.descriptor, named());
                self.files.entry(named()).or_default();
                assert_eq!(deed.offset, 0, "{} was emptied when it was opened", named().display());
            }
            b'u' => {
                // Whether the name goes from the disk is the disk's affair; here it goes at once.
                self.files.remove(&named());
            }
            kind => {
                let path = &self.opened[&deed.descriptor];
                let file = self.files.entry(path.clone()).or_default();
                let offset = usize::try_from(deed.offset).unwrap();
                match kind {
                    b'w' => {
                        *self.writes.entry(path.clone()).or_default() += 1;
                        file.changes.push(Change::Write(offset, deed.bytes.to_vec()));
                    }
                    b't' => file.changes.push(Change::Length(offset)),
                    b's' => file.sync(),
                    other => panic!("the record has a deed {other}"),
                }
            }
        }
    }

    /// Writes what is on the disk now, from the folder `from` into the folder `to`.
    pub(crate) fn save(&self, from: &Path, to: &Path, unsynced: &mut Unsynced<'_>) {
        for (path, file) in &self.files {
            // What processes share while they run is made anew by the next one; a folder has nothing but names.
            let is_shared = path.to_str().unwrap().ends_with("-shm");
            let content = file.content(unsynced);
            if is_shared || path == from || !file.is_there && content.is_empty() {
                continue;
            }
            std::fs::write(to.join(path.strip_prefix(from).unwrap()), content).unwrap();
        }
    }
}

impl File {
    fn sync(&mut self) {
        self.is_there = true;
        for change in std::mem::take(&mut self.changes) {
            change.on(&mut self.synced, &mut || true);
        }
    }

    fn content(&self, unsynced: &mut Unsynced<'_>) -> Vec<u8> {
        let mut content = self.synced.clone();
        if let Unsynced::Luck(coin) = unsynced {
            self.changes.iter().for_each(|change| change.on(&mut content, coin));
        }
        content
    }
}

impl Change {
    fn on(&self, content: &mut Vec<u8>, arrives: &mut dyn FnMut() -> bool) {
        match self {
            Self::Length(length) => {
                if arrives() {
                    content.resize(*length, 0);
                }
            }
            Self::Write(offset, bytes) => {
                let mut done = 0;
                while done < bytes.len() {
                    let at = offset + done;
                    let end = bytes.len().min(done + SECTOR - at % SECTOR);
                    if arrives() {
                        content.resize(content.len().max(offset + end), 0);
                        content[at..offset + end].copy_from_slice(&bytes[done..end]);
                    }
                    done = end;
                }
            }
        }
    }
}
