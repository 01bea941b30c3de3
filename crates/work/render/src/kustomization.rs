//! Kustomizations (kubernetes-deploy §1.5, rendering §1).

use crate::bridge::{Bridge, Own};
use crate::cache::{Key, KeyMaker, Made};
use crate::error::RenderError;
use crate::growing::{Growing, Source};
use crate::outside::of_commit;
use crate::patches::{self, below};
use crate::rendered::RenderedFile;
use crate::renderer::Rendering;
use crate::store::{self, clean};
use crate::tree::Tree;
use crate::waits::Waits;
use crate::{fill, flags, values};
use windlass_diagnostic::{Diagnostics, nearest};
use windlass_git::Reference;
use windlass_kustomize::{NAMES, Options};
use windlass_model::task::source::{ManifestKind, Overlay, Store};

/// Makes the files on the thread that builds.
type MakeTree = Box<dyn FnOnce() -> Growing + Send>;

/// Files that builds read, and what they are.
struct Files {
    tree: MakeTree,
    /// Everything that the files depend on.
    key: KeyMaker,
    /// The store's folder.
    folder: String,
    own: Own,
}

impl Rendering<'_> {
    pub(crate) async fn kustomization(&mut self) -> Result<(), RenderError> {
        let overlay = self.main.overlay.clone().unwrap_or_default();
        // Flags that are not understood are told before anything is fetched.
        flags::build(&overlay.flags, &mut Options::default())?;
        let files = self.kustomize_files(&overlay).await?;
        let targets = self.targets(&overlay, &files.folder)?;
        let patches = self.patches(&overlay).await?;
        if self.request.source.manifests.iter().any(|entry| entry.kind == ManifestKind::Values) {
            let note = "a kustomization reads no values: give patches (KustomizePatches) instead";
            self.out.notes.push(note.to_owned());
        }
        let texts = patches.iter().flat_map(|(path, text)| [path, text]);
        let key = files.key.parts(&targets).parts(texts).parts(&overlay.flags).key();
        if self.made_before(key) {
            return Ok(());
        }
        let build = Build { targets, patches, flags: overlay.flags, manifest: self.main.identifier.clone() };
        self.build(key, build, files.tree, files.own).await
    }

    async fn build(&mut self, key: Key, build: Build, tree: MakeTree, own: Own) -> Result<(), RenderError> {
        let waits = Waits::of(self.outside);
        let bridge = Bridge::new(self.outside.clone(), waits.clone(), own, self.pins.all());
        let (made, told) = waits.build(move || deep(move || build.run(tree(), bridge))).await?;
        let from = |line| format!("{}: {line}", self.main.identifier);
        self.out.fetched.extend(told.into_iter().map(from));
        self.made(key, made);
        Ok(())
    }

    async fn kustomize_files(&mut self, overlay: &Overlay) -> Result<Files, RenderError> {
        let main = self.main;
        match &main.store {
            Store::Git { repository, reference, paths } => {
                let [folder] = paths.as_slice() else {
                    let message =
                        format!("`{}` names several paths: a kustomization is one `folderPath`", main.identifier);
                    return Err(RenderError::Service(message));
                };
                let folder = clean(folder);
                // Without a word about the kustomization in it, what it names may lie anywhere.
                let scope = if overlay.folder.is_some() { folder.clone() } else { String::new() };
                let failed = |error| RenderError::Fetch { manifest: main.identifier.clone(), source: error };
                let pin = self.pins.of(main);
                let found = self.outside.locate(repository, reference, pin.as_deref()).await.map_err(failed)?;
                self.pins.hold(main, &found.commit);
                self.out.commit = Some(found.commit.clone());
                let from = store::told(repository, &found.commit);
                self.out.fetched.push(format!("{}: files from {from}", main.identifier));
                let key = of_commit("kustomize", repository, &Reference { name: None, ..found.clone() }).part(&scope);
                let own =
                    Own { git: Some((repository.clone(), found.commit.clone(), folder.clone())), ..Own::default() };
                let (outside, waits) = (self.outside.clone(), Waits::of(self.outside));
                let source = Source { outside, waits, repository: repository.clone(), reference: found, scope };
                Ok(Files { tree: Box::new(move || Growing::of(source)), key, folder, own })
            }
            Store::Files { files } => {
                let size: usize = files.iter().map(|file| file.content.len()).sum();
                if size > store::MOST_BYTES {
                    return Err(RenderError::Service(format!("`{}` holds {size} bytes", main.identifier)));
                }
                let parts = files.iter().flat_map(|file| [&file.path, &file.content]);
                let key = KeyMaker::new("kustomize files").parts(parts);
                let folder = store::roots(&main.store).into_iter().next().unwrap_or_default();
                self.out.fetched.push(format!("{}: {} files from the file store", main.identifier, files.len()));
                let files = files.clone();
                let tree = Box::new(move || {
                    let mut tree = Tree::default();
                    files.iter().for_each(|file| tree.insert(&file.path, file.content.as_bytes()));
                    Growing::whole(tree)
                });
                Ok(Files { tree, key, folder, own: Own::default() })
            }
            _ => Err(RenderError::Service(format!(
                "`{}`: a kustomization is a folder: keep it in a Git repository or in the file store",
                main.identifier
            ))),
        }
    }

    /// The folders that are built: the kustomization of the service, or those that a step names.
    fn targets(&self, overlay: &Overlay, folder: &str) -> Result<Vec<String>, RenderError> {
        let out = |path: &str| {
            RenderError::Service(format!("`{path}` leads out of the repository of `{}`", self.main.identifier))
        };
        let one = |path: &str| below(folder, path).ok_or_else(|| out(path));
        match (self.request.only, &overlay.folder) {
            (Some(only), _) => only.iter().map(|path| one(path)).collect(),
            (None, Some(path)) => Ok(vec![one(path)?]),
            (None, None) => Ok(vec![folder.to_owned()]),
        }
    }

    /// Patches of the manifest, of the service, of overrides, and of the step.
    async fn patches(&mut self, overlay: &Overlay) -> Result<Vec<(String, String)>, RenderError> {
        let (main, source, overrides) = (self.main, self.request.source, self.request.overrides);
        let mut raw = Vec::new();
        for path in &overlay.patches {
            let pin = self.pins.of(main);
            let paths = [path.clone()];
            let fetched = store::fetch(self.outside, main, pin.as_deref(), Some(&paths)).await?;
            raw.extend(fetched.files);
        }
        raw.extend(self.layers(None).entries(ManifestKind::KustomizePatches, main, source, overrides).await?);
        Ok(values::texts(&raw, &self.context())?)
    }
}

/// One build, ready for a thread of its own.
struct Build {
    targets: Vec<String>,
    patches: Vec<(String, String)>,
    flags: Vec<String>,
    manifest: String,
}

impl Build {
    fn run(self, mut tree: Growing, bridge: Bridge) -> Result<(Made, Vec<String>), RenderError> {
        let built = self.built(&mut tree, &bridge);
        // What could not be brought is the reason for what is missing.
        if let Some(source) = tree.problem() {
            return Err(RenderError::Fetch { manifest: self.manifest, source });
        }
        let (files, warnings) = built?;
        fill::check_size(&files)?;
        let (remotes, told) = bridge.finish();
        Ok((Made { files, warnings, remotes, notes: Vec::new() }, told))
    }

    fn built(&self, tree: &mut Growing, bridge: &Bridge) -> Result<(Vec<RenderedFile>, Diagnostics), RenderError> {
        let mut files = Vec::new();
        let mut warnings = Diagnostics::new();
        for target in &self.targets {
            if !tree.has_folder(target) {
                let known = folders(tree.tree());
                let near = nearest(target, known.iter().map(String::as_str)).map(|near| format!("; there is {near}"));
                let near = near.unwrap_or_default();
                let message = format!("`{}` has no folder {target}{near}", self.manifest);
                return Err(RenderError::Service(message));
            }
            patches::add(tree.tree(), target, &self.patches)?;
            let mut options =
                Options { enable_helm: true, fetch: Some(bridge), charts: Some(bridge), ..Options::default() };
            flags::build(&self.flags, &mut options)?;
            let built = windlass_kustomize::build(&*tree, &format!("/{target}"), &options);
            let built = built.map_err(|source| RenderError::Kustomize { manifest: self.manifest.clone(), source })?;
            warnings.append(built.warnings.clone());
            files.push(RenderedFile { path: format!("kustomize build /{target}"), text: built.to_yaml() });
        }
        Ok((files, warnings))
    }
}

/// Folders with a kustomization.
fn folders(tree: &Tree) -> Vec<String> {
    let folder = |path: String| {
        let (folder, name) = path.rsplit_once('/')?;
        NAMES.contains(&name).then(|| folder.to_owned())
    };
    tree.paths().into_iter().filter_map(folder).collect()
}

/// Kustomizations lie within each other: the stack of an ordinary thread is too small for the deepest that are allowed.
fn deep<T: Send>(work: impl FnOnce() -> Result<T, RenderError> + Send) -> Result<T, RenderError> {
    const STACK: usize = 16 << 20;
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work);
        thread.map_err(|_| RenderError::Interrupted)?.join().map_err(|_| RenderError::Interrupted)?
    })
}
