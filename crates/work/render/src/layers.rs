//! The values of a service, from all who have a say, weakest first (kubernetes-deploy §1.4).

use crate::error::RenderError;
use crate::files;
use crate::pins::Pins;
use crate::store::{self, Raw};
use windlass_git::Repositories;
use windlass_model::task::source::{ManifestKind, ManifestSource, ServiceSource, Store};

/// Where values come from, and what is learned on the way.
#[derive(Debug)]
pub(crate) struct Layers<'l, 'p> {
    pub repositories: &'l Repositories,
    pub pins: &'l mut Pins<'p>,
    pub fetched: &'l mut Vec<String>,
}

impl Layers<'_, '_> {
    /// Values files by strength: defaults, listed files, Values entries, override layers, the step's own.
    pub(crate) async fn files(
        &mut self,
        main: &ManifestSource,
        source: &ServiceSource,
        overrides: &[ManifestSource],
    ) -> Result<Vec<Raw>, RenderError> {
        let mut all = Vec::new();
        for path in files::default_values(&store::roots(&main.store)) {
            let is_listed = main.values_paths.iter().any(|listed| store::clean(listed) == path);
            if !is_listed {
                all.extend(self.optional(main, &path).await?);
            }
        }
        for path in &main.values_paths {
            all.extend(self.one(main, path).await?);
        }
        let mut entries: Vec<&ManifestSource> =
            source.manifests.iter().filter(|entry| entry.kind == ManifestKind::Values).collect();
        entries.sort_by_key(|entry| entry.layer);
        for entry in entries.into_iter().chain(overrides) {
            all.extend(self.entry(entry).await?);
        }
        Ok(all)
    }

    /// All files of a Values entry.
    async fn entry(&mut self, entry: &ManifestSource) -> Result<Vec<Raw>, RenderError> {
        let paths = match &entry.store {
            Store::Git { paths, .. } if entry.optional_values => paths.clone(),
            _ => return self.fetch(entry, None).await,
        };
        let mut found = Vec::new();
        for path in &paths {
            found.extend(self.optional(entry, path).await?);
        }
        Ok(found)
    }

    async fn one(&mut self, main: &ManifestSource, path: &str) -> Result<Vec<Raw>, RenderError> {
        if main.optional_values { self.optional(main, path).await } else { self.fetch(main, Some(path)).await }
    }

    /// A file whose absence is no failure.
    async fn optional(&mut self, source: &ManifestSource, path: &str) -> Result<Vec<Raw>, RenderError> {
        match self.fetch(source, Some(path)).await {
            Err(error) if error.is_absent_file() => Ok(Vec::new()),
            found => found,
        }
    }

    async fn fetch(&mut self, source: &ManifestSource, path: Option<&str>) -> Result<Vec<Raw>, RenderError> {
        let pin = self.pins.of(source);
        let paths = path.map(|path| [path.to_owned()]);
        let paths = paths.as_ref().map(|paths| &paths[..]);
        let fetched = store::fetch(self.repositories, source, pin.as_deref(), paths).await?;
        if let Some(commit) = &fetched.commit {
            self.pins.hold(source, commit);
        }
        let what = match path {
            Some(path) => path.to_owned(),
            None => format!("{} files", fetched.files.len()),
        };
        self.fetched.push(format!("{}: values, {what} from {}", source.identifier, fetched.from));
        Ok(fetched.files.into_iter().filter(|file| file.named || files::is_yaml(&file.path)).collect())
    }
}
