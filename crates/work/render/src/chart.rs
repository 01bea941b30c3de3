//! Charts, whose objects are deployed like any others (kubernetes-deploy §1.5, rendering §3).

use crate::bridge::{Bridge, Own};
use crate::cache::{Kept, Key, KeyMaker, Made};
use crate::chart_source::{self, Wanted};
use crate::error::RenderError;
use crate::files::is_skipped;
use crate::outside::{of_charts, of_commit};
use crate::patches::below;
use crate::rendered::RenderedFile;
use crate::renderer::Rendering;
use crate::store::{self, clean};
use crate::tree::{Tree, chart_of, complete};
use crate::waits::Waits;
use crate::{fill, flags, values};
use std::sync::Arc;
use windlass_helm::{Chart, HelmError, Isolated, Options, Rendered, Sources, Values};
use windlass_model::task::source::{ChartRepository, ChartSource, Store, StoredFile};

/// A chart, and everything that it depends on.
struct Loaded {
    chart: Arc<Chart>,
    key: KeyMaker,
    own: Own,
}

impl Rendering<'_> {
    pub(crate) async fn chart(&mut self) -> Result<(), RenderError> {
        let wanted = self.main.chart.clone().unwrap_or_default();
        let (mut options, mut sources) = (self.options(), Sources::default());
        // Flags that are not understood are told before anything is fetched.
        flags::template(&wanted.flags, &mut options, &mut sources)?;
        let Loaded { chart, key, own } = self.load(&wanted).await?;
        let raw = self.values(Some(&chart)).await?;
        sources.files = values::texts(&raw, &self.context())?;
        if let Some(only) = self.request.only {
            options.show_only.extend(only.iter().map(|path| clean(path)));
        }
        let texts = sources.files.iter().flat_map(|(name, text)| [name, text]);
        let target = self.request.target;
        let place = [&target.release, &target.namespace];
        let key = key.parts(texts).parts(&wanted.flags).parts(&options.show_only).parts(place).key();
        if self.made_before(key) {
            return Ok(());
        }
        let render = Render { chart, options, sources, keep_skipped: self.request.only.is_some() };
        self.run(key, render, own).await
    }

    async fn run(&mut self, key: Key, render: Render, own: Own) -> Result<(), RenderError> {
        let waits = Waits::of(self.outside);
        let bridge = Bridge::new(self.outside.clone(), waits.clone(), own, self.pins.all());
        let (made, told) = waits.build(move || render.run(bridge)).await?;
        let from = |line| format!("{}: {line}", self.main.identifier);
        self.out.fetched.extend(told.into_iter().map(from));
        self.made(key, made);
        Ok(())
    }

    fn options(&self) -> Options {
        let target = self.request.target;
        Options {
            release_name: target.release.clone(),
            namespace: target.namespace.clone(),
            limits: windlass_helm::Limits { output: fill::MOST_RENDERED, ..windlass_helm::Limits::default() },
            ..Options::default()
        }
    }

    async fn load(&mut self, wanted: &ChartSource) -> Result<Loaded, RenderError> {
        let main = self.main;
        match &main.store {
            Store::Git { paths, .. } => {
                let [folder] = paths.as_slice() else {
                    let message = format!("`{}` names several paths: a chart is one `folderPath`", main.identifier);
                    return Err(RenderError::Service(message));
                };
                let inner = below(&clean(folder), &wanted.sub_chart);
                let inner = inner.ok_or_else(|| {
                    RenderError::Service(format!("`subChartPath` {} leads out of the chart", wanted.sub_chart))
                })?;
                self.in_git(&inner).await
            }
            Store::Charts { repository } => self.in_repository(repository, wanted).await,
            Store::Files { files } => self.in_files(files, wanted),
            Store::Inline { .. } | Store::Inherit { .. } => Err(RenderError::Service(format!(
                "`{}`: a chart is a folder or an archive: keep it in Git, in a repository of charts or in the file store",
                main.identifier
            ))),
        }
    }

    async fn in_git(&mut self, folder: &str) -> Result<Loaded, RenderError> {
        let main = self.main;
        let Store::Git { repository, reference, .. } = &main.store else { return Err(RenderError::Interrupted) };
        let failed = |error| RenderError::Fetch { manifest: main.identifier.clone(), source: error };
        let pin = self.pins.of(main);
        let found = self.outside.locate(repository, reference, pin.as_deref()).await.map_err(failed)?;
        self.pins.hold(main, &found.commit);
        self.out.commit = Some(found.commit.clone());
        let key = || of_commit("chart of folder", repository, &found).part(folder);
        let chart = match self.outside.cache.get(key().key()) {
            Some(Kept::Chart(chart)) => chart,
            _ => {
                let snapshot = self.outside.folder(repository, &found, folder).await.map_err(failed)?;
                let inner = folder.to_owned();
                let loading = windlass_clock::apart(move || chart_of(&Tree::of(&snapshot.files), &inner));
                let chart = loading.await.map_err(|_| RenderError::Interrupted)?;
                let chart = Arc::new(chart.map_err(|error| self.broken(folder, error))?);
                self.outside.cache.put(key().key(), Kept::Chart(Arc::clone(&chart)));
                chart
            }
        };
        let from = store::told(repository, &found.commit);
        self.tell(&chart, &format!("{folder} of {from}"));
        let git = Some((repository.clone(), found.commit.clone(), folder.to_owned()));
        Ok(Loaded { chart, key: key(), own: Own { git, ..Own::default() } })
    }

    async fn in_repository(
        &mut self,
        repository: &ChartRepository,
        wanted: &ChartSource,
    ) -> Result<Loaded, RenderError> {
        let named = Wanted { repository, name: &wanted.name, version: &wanted.version, named: false };
        let place = named.place();
        let pinned = self.pins.at(&place).map(str::to_owned);
        let pulled =
            chart_source::pull(self.outside, &named, pinned.as_deref()).await.map_err(|error| match error {
                RenderError::Chart { source, .. } => {
                    RenderError::Chart { manifest: self.main.identifier.clone(), source }
                }
                other => other,
            })?;
        self.pins.hold_at(&place, &pulled.pin);
        self.tell(&pulled.chart, &repository.url);
        let key = of_charts("chart of repository", repository).part(&wanted.name);
        let key = key.part(&pulled.pin).part(&wanted.sub_chart);
        let chart = match clean(&wanted.sub_chart).as_str() {
            "" => pulled.chart,
            path => Arc::new(inner(&pulled.chart, path).ok_or_else(|| {
                RenderError::Service(format!("the chart {} holds no chart {path}", pulled.chart.name()))
            })?),
        };
        Ok(Loaded { chart, key, own: Own { charts: Some(repository.clone()), ..Own::default() } })
    }

    fn in_files(&mut self, files: &[StoredFile], wanted: &ChartSource) -> Result<Loaded, RenderError> {
        let mut tree = Tree::default();
        files.iter().for_each(|file| tree.insert(&file.path, file.content.as_bytes()));
        let root = store::roots(&self.main.store).into_iter().next().unwrap_or_default();
        let folder = below(&root, &wanted.sub_chart).unwrap_or_default();
        let chart = Arc::new(chart_of(&tree, &folder).map_err(|error| self.broken(&folder, error))?);
        self.tell(&chart, "the file store");
        let parts = files.iter().flat_map(|file| [&file.path, &file.content]);
        let key = KeyMaker::new("chart of files").parts(parts).part(&wanted.sub_chart);
        Ok(Loaded { chart, key, own: Own::default() })
    }

    fn broken(&self, folder: &str, error: HelmError) -> RenderError {
        let chart = if folder.is_empty() { self.main.identifier.clone() } else { folder.to_owned() };
        RenderError::Helm { chart, source: Box::new(error) }
    }

    fn tell(&mut self, chart: &Chart, from: &str) {
        let line = format!("{}: chart {} {} from {from}", self.main.identifier, chart.name(), chart.metadata.version);
        self.out.fetched.push(line);
    }
}

/// A chart inside of another one, by a path such as `charts/inner`.
fn inner(chart: &Chart, path: &str) -> Option<Chart> {
    let names = path.split('/').filter(|part| *part != "charts");
    let found =
        names.into_iter().try_fold(chart, |chart, name| chart.dependencies.iter().find(|one| one.name() == name));
    found.cloned()
}

/// One rendering, ready for a thread of its own.
struct Render {
    chart: Arc<Chart>,
    options: Options,
    sources: Sources,
    /// Files that a step names count whatever their first line says.
    keep_skipped: bool,
}

impl Render {
    fn run(self, bridge: Bridge) -> Result<(Made, Vec<String>), RenderError> {
        let failed = |error| RenderError::Helm { chart: self.chart.name().to_owned(), source: Box::new(error) };
        let mut whole = None;
        if self.chart.check_dependencies().is_err() {
            let mut chart = Chart::clone(&self.chart);
            complete(&mut chart, &bridge).map_err(failed)?;
            whole = Some(chart);
        }
        let chart = whole.as_ref().unwrap_or(&self.chart);
        let none = |path: &str| Err(format!("{path} is not read"));
        let values = Values::merge(&self.sources, &none).map_err(failed)?;
        let rendered = windlass_helm::template(chart, &values, &self.options, &Isolated, None).map_err(failed)?;
        let (remotes, told) = bridge.finish();
        let notes = self.notes(&rendered);
        let files = self.files(chart, &rendered);
        fill::check_size(&files)?;
        Ok((Made { files, notes, remotes, ..Made::default() }, told))
    }

    /// One file for each template, so that problems have a place; hooks are objects like any others.
    fn files(&self, chart: &Chart, rendered: &Rendered) -> Vec<RenderedFile> {
        let own = chart.templates.iter().filter(|file| !self.keep_skipped && is_skipped(&file.data));
        let skipped: Vec<String> = own.map(|file| format!("{}/{}", chart.name(), file.name)).collect();
        let mut files: Vec<RenderedFile> = Vec::new();
        for document in rendered.text.split("---\n# Source: ").skip(1) {
            let (source, text) = document.split_once('\n').unwrap_or((document, ""));
            if skipped.iter().any(|skipped| skipped == source) {
                continue;
            }
            match files.iter_mut().find(|file| file.path == source) {
                Some(file) => {
                    file.text.push_str("---\n");
                    file.text.push_str(text);
                }
                None => files.push(RenderedFile { path: source.to_owned(), text: text.to_owned() }),
            }
        }
        files
    }

    fn notes(&self, rendered: &Rendered) -> Vec<String> {
        let mut notes = rendered.warnings.clone();
        if !self.options.no_hooks && !rendered.hooks.is_empty() {
            let count = rendered.hooks.len();
            notes.push(format!(
                "{count} hooks of the chart are applied like any other object; the Template flag --no-hooks leaves them out"
            ));
        }
        if !self.options.include_crds && !rendered.crds.is_empty() {
            let count = rendered.crds.len();
            notes.push(format!(
                "{count} files of crds/ are left out, as `helm template` does; the Template flag --include-crds brings them"
            ));
        }
        notes
    }
}
