//! Values and patches in the order of their strength (kubernetes-deploy §1.4).

use crate::error::RenderError;
use crate::files;
use crate::outside::Outside;
use crate::pins::Pins;
use crate::store::{self, Raw};
use windlass_diagnostic::nearest;
use windlass_helm::Chart;
use windlass_model::task::source::{ManifestKind, ManifestSource, ServiceSource, Store};

/// Where values come from, and what is learned on the way.
#[derive(Debug)]
pub(crate) struct Layers<'l, 'p> {
    pub outside: &'l Outside,
    pub pins: &'l mut Pins<'p>,
    pub fetched: &'l mut Vec<String>,
    /// The chart of a repository: what lies beside the main manifest lies in it.
    pub packed: Option<&'l Chart>,
}

impl Layers<'_, '_> {
    /// Values files by strength: defaults, listed files, Values entries, override layers, the step's own.
    pub(crate) async fn values(
        &mut self,
        main: &ManifestSource,
        source: &ServiceSource,
        overrides: &[ManifestSource],
    ) -> Result<Vec<Raw>, RenderError> {
        let mut all = Vec::new();
        // A chart knows its own defaults.
        if main.kind == ManifestKind::K8sManifest {
            for path in files::default_values(&store::roots(&main.store)) {
                let is_listed = main.values_paths.iter().any(|listed| store::clean(listed) == path);
                if !is_listed {
                    all.extend(self.optional(main, &path).await?);
                }
            }
        }
        for path in &main.values_paths {
            all.extend(self.one(main, path).await?);
        }
        all.extend(self.entries(ManifestKind::Values, main, source, overrides).await?);
        Ok(all)
    }

    /// The files of all entries of a kind: those of the service, override layers, the step's own.
    pub(crate) async fn entries(
        &mut self,
        kind: ManifestKind,
        main: &ManifestSource,
        source: &ServiceSource,
        overrides: &[ManifestSource],
    ) -> Result<Vec<Raw>, RenderError> {
        let mut entries: Vec<&ManifestSource> = source.manifests.iter().filter(|entry| entry.kind == kind).collect();
        entries.sort_by_key(|entry| entry.layer);
        let mut all = Vec::new();
        for entry in entries.into_iter().chain(overrides.iter().filter(|entry| entry.kind == kind)) {
            all.extend(self.entry(entry, main).await?);
        }
        Ok(all)
    }

    /// All files of an entry.
    async fn entry(&mut self, entry: &ManifestSource, main: &ManifestSource) -> Result<Vec<Raw>, RenderError> {
        let (from, paths) = match &entry.store {
            Store::Inherit { paths } => (main, paths.clone()),
            Store::Git { paths, .. } if entry.optional_values => (entry, paths.clone()),
            _ => return self.fetch(entry, None).await,
        };
        let mut found = Vec::new();
        for path in &paths {
            let is_optional = entry.optional_values;
            found.extend(if is_optional {
                self.optional(from, path).await?
            } else {
                self.fetch(from, Some(path)).await?
            });
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
        if let (Store::Charts { .. }, Some(chart), Some(path)) = (&source.store, self.packed, path) {
            return packed(source, chart, path).map(|file| vec![file]);
        }
        let pin = self.pins.of(source);
        let paths = path.map(|path| [path.to_owned()]);
        let paths = paths.as_ref().map(|paths| &paths[..]);
        let fetched = store::fetch(self.outside, source, pin.as_deref(), paths).await?;
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

/// A file of a packed chart.
fn packed(source: &ManifestSource, chart: &Chart, path: &str) -> Result<Raw, RenderError> {
    let wanted = store::clean(path);
    if let Some(file) = chart.files.iter().find(|file| file.name == wanted) {
        let text = std::str::from_utf8(&file.data)
            .map_err(|_| RenderError::Service(format!("{path} of `{}` is not text in UTF-8", source.identifier)))?;
        return Ok(Raw { path: wanted, text: text.to_owned(), named: true });
    }
    let near = nearest(&wanted, chart.files.iter().map(|file| file.name.as_str())).map(str::to_owned);
    Err(RenderError::NoFile { manifest: source.identifier.clone(), path: path.to_owned(), nearest: near })
}
