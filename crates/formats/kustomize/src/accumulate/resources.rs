//! Files, folders and addresses that a kustomization names (rendering §1.3).

use super::{Accumulated, Target};
use crate::conf::Text;
use crate::error::{KustomizeError, Problem, Result, Within};
use crate::loader::{LoadFailure, text};
use crate::note;
use crate::object::Object;
use crate::objects;

/// Why an entry is no file.
enum NoFile {
    /// Nothing else can be tried.
    Final(Box<KustomizeError>),
    /// It may be a folder.
    PerhapsFolder(Box<KustomizeError>),
}

impl Target<'_> {
    pub(super) fn resources(&self, all: &mut Accumulated, paths: &[Text]) -> Result<()> {
        for path in paths {
            self.resource(all, path).place(path.place.as_ref())?;
        }
        Ok(())
    }

    fn resource(&self, all: &mut Accumulated, path: &Text) -> Result<()> {
        let no_file = match self.file(all, path) {
            Ok(()) => return Ok(()),
            Err(NoFile::Final(error)) => return Err(error),
            Err(NoFile::PerhapsFolder(error)) => error,
        };
        let loader = match self.loader.below(path) {
            Ok(loader) => loader,
            Err(error) => return Err(both(&no_file, error)),
        };
        let target = self.child(loader, path, false).map_err(|error| both(&no_file, error))?;
        let root = &target.loader.root;
        let made =
            target.accumulate(Accumulated::default()).within(|| format!("recursed accumulation of path '{root}'"))?;
        all.merge(made).within(|| format!("recursed merging from path '{root}'"))
    }

    fn file(&self, all: &mut Accumulated, path: &Text) -> std::result::Result<(), NoFile> {
        let doing = || format!("accumulating resources from '{}'", path.text);
        let (name, bytes) = self.loader.load(path).map_err(|failure| match failure {
            LoadFailure::Http(error) => NoFile::Final(error.within(doing())),
            // A file that is there and may not be read is no folder either.
            LoadFailure::Other(error) if error.problem == Problem::Security => NoFile::Final(error.within(doing())),
            LoadFailure::Other(error) => NoFile::PerhapsFolder(error.within(doing())),
        })?;
        let mut read = || -> Result<()> {
            let text = text(&name, &bytes)?;
            let mut made = objects::read(&name, &text, &self.schema).within(doing)?;
            if let Some(note) = &self.note {
                let text = note.below(path).text();
                for object in &mut made {
                    object.tree.annotate(note::ORIGIN, &text)?;
                }
            }
            all.set.append_all(made).within(|| format!("merging resources from '{}'", path.text))
        };
        read().map_err(NoFile::Final)
    }

    /// The configurations of plugins: objects in the text itself, or in files and folders.
    pub(super) fn plugin_configs(&self, entries: &[Text]) -> Result<Vec<Object>> {
        let mut all = Accumulated::default();
        let mut paths = Vec::new();
        for entry in entries {
            let Ok(mut inline) = objects::read_inline(entry.place.as_ref(), entry, &self.schema) else {
                paths.push(entry.clone());
                continue;
            };
            if let Some(note) = &self.note {
                let text = note.below(&self.kustomization.file).text();
                for object in &mut inline {
                    note::set(object, note::ORIGIN, Some(text.clone()))?;
                }
            }
            all.set.append_all(inline).within(|| "configuring external plugin".into())?;
        }
        self.resources(&mut all, &paths)?;
        Ok(all.set.into_objects())
    }
}

/// An entry that is neither a file nor a folder: both reasons, since either may be the one.
fn both(no_file: &KustomizeError, no_folder: Box<KustomizeError>) -> Box<KustomizeError> {
    let why = format!("accumulation err='{}'", no_file.chain());
    no_folder.within(why)
}
