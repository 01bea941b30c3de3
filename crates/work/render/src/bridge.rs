//! Between builds, which ask and wait, and the network: what kustomizations and charts name elsewhere.

use crate::chart_source::{self, Wanted};
use crate::disk::read_folder;
use crate::error::chain;
use crate::outside::{Outside, authority};
use crate::tree::{Tree, chart_of, complete};
use crate::waits::Waits;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use windlass_git::Reference;
use windlass_helm::{ArchiveLimits, Chart, Dependency, FileProblem, HelmError};
use windlass_http::Request;
use windlass_kustomize::{Checkout, Fetch, GitSource, HttpError};
use windlass_model::task::source::{ChartRepository, GitAuth, GitReference, GitRepository};

/// Charts that lie beside charts that lie beside charts.
const DEEPEST: usize = 20;

/// Something that came from elsewhere, and what it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Remote {
    /// A place and the commit or digest behind it, as pins write them.
    Pinned(String, String),
    /// An address whose content may change at any time.
    Changing,
}

/// What is known of the manifest for which is fetched.
#[derive(Clone, Debug, Default)]
pub(crate) struct Own {
    /// Its repository, commit and folder: what lies beside it, and who may read it.
    pub git: Option<(GitRepository, String, String)>,
    pub charts: Option<ChartRepository>,
    /// A chart of this machine.
    pub disk: Option<PathBuf>,
}

/// Fetches for one rendering.
pub(crate) struct Bridge {
    /// Charts beside charts, so far.
    depth: usize,
    outside: Outside,
    waits: Waits,
    own: Own,
    pinned: BTreeMap<String, String>,
    remotes: Mutex<Vec<Remote>>,
    told: Mutex<Vec<String>>,
    clones: AtomicUsize,
}

impl Bridge {
    pub(crate) fn new(outside: Outside, waits: Waits, own: Own, pinned: BTreeMap<String, String>) -> Self {
        let (remotes, told) = (Mutex::default(), Mutex::default());
        Self { depth: 0, outside, waits, own, pinned, remotes, told, clones: AtomicUsize::new(1) }
    }

    /// What was fetched, and the lines about it.
    pub(crate) fn finish(self) -> (Vec<Remote>, Vec<String>) {
        let remotes = self.remotes.into_inner().unwrap_or_else(PoisonError::into_inner);
        (remotes, self.told.into_inner().unwrap_or_else(PoisonError::into_inner))
    }

    fn pin(&self, place: &str) -> Option<String> {
        let made = self.remotes.lock().unwrap_or_else(PoisonError::into_inner).iter().find_map(|remote| match remote {
            Remote::Pinned(known, pin) if known == place => Some(pin.clone()),
            _ => None,
        });
        made.or_else(|| self.pinned.get(place).cloned())
    }

    fn hold(&self, remote: Remote, told: String) {
        let mut remotes = self.remotes.lock().unwrap_or_else(PoisonError::into_inner);
        if !remotes.contains(&remote) {
            remotes.push(remote);
            drop(remotes);
            self.told.lock().unwrap_or_else(PoisonError::into_inner).push(told);
        }
    }

    async fn check_out(&self, source: &GitSource) -> Result<Checkout, String> {
        if source.clone.starts_with("file://") {
            return Err("file:// repositories are not cloned: name the folder itself".to_owned());
        }
        self.outside.check(&source.clone)?;
        // The connector's credentials are for its host, and for no other.
        let own = self.own.git.as_ref().filter(|(own, ..)| authority(&own.url) == authority(&source.clone));
        let same_way = |own: &GitRepository| own.url.starts_with("http") == source.clone.starts_with("http");
        let own = own.filter(|(own, ..)| same_way(own));
        let auth = own.map_or(GitAuth::Anonymous, |(own, ..)| own.auth.clone());
        let connector = own.map_or_else(String::new, |(own, ..)| own.connector.clone());
        let repository = GitRepository { connector, url: source.clone.clone(), auth };
        let place = format!("{} ref {}", source.clone, source.reference);
        let told = |error: windlass_git::GitError| chain(&error);
        let pinned = self.pin(&place);
        let wanted = match &pinned {
            Some(commit) => GitReference::Commit(commit.clone()),
            None => {
                self.outside.ledger.asked();
                self.outside.repositories.named(&repository, &source.reference).await.map_err(told)?
            }
        };
        let reference = self.outside.locate(&repository, &wanted, pinned.as_deref()).await.map_err(told)?;
        let snapshot = self.outside.folder(&repository, &reference, "").await.map_err(told)?;
        let short = snapshot.commit.get(..10).unwrap_or(&snapshot.commit);
        self.hold(Remote::Pinned(place, snapshot.commit.clone()), format!("{} at {short}", source.clone));
        // Two clones never lie in one folder: where they do, one would seem to hold the other.
        let number = self.clones.fetch_add(1, Ordering::Relaxed);
        let name = source.clone.trim_end_matches(".git").rsplit(['/', ':']).next().unwrap_or_default();
        let root = format!("/{name}@{short}-{number}");
        let files: Arc<dyn windlass_kustomize::Files> = Arc::new(Tree::below(&root, &snapshot.files));
        Ok(Checkout { files, root })
    }

    async fn address(&self, url: &str) -> Result<Arc<[u8]>, HttpError> {
        let other = HttpError::Other;
        self.outside.check(url).map_err(other)?;
        let network = self.outside.network().map_err(|why| other(format!("cannot fetch '{url}': {why}")))?;
        let request = Request::get(url).map_err(|error| other(error.to_string()))?;
        self.outside.ledger.asked();
        let answer = network.client.send(&request).await.map_err(|error| other(chain(&error)))?;
        if !answer.status.is_success() {
            return Err(HttpError::Status(answer.status.as_u16()));
        }
        self.hold(Remote::Changing, url.to_owned());
        Ok(answer.body.to_vec().into())
    }

    /// A chart of a repository that something names.
    pub(crate) fn pull(&self, repo: &str, name: &str, version: &str) -> Result<Arc<Chart>, String> {
        if repo.starts_with('@') || repo.starts_with("alias:") || !repo.contains("://") {
            return Err(format!(
                "`{repo}` names a repository of somebody's own list, which is not read here: write its address"
            ));
        }
        self.outside.check(repo)?;
        let own = self.own.charts.as_ref().filter(|own| authority(&own.url) == authority(repo));
        let repository = ChartRepository {
            connector: own.map_or_else(String::new, |own| own.connector.clone()),
            url: repo.to_owned(),
            username: own.and_then(|own| own.username.clone()),
            password: own.and_then(|own| own.password.clone()),
        };
        let wanted = Wanted { repository: &repository, name, version, named: true };
        let pinned = self.pin(&wanted.place());
        let pulled = self.waits.answer(chart_source::pull(&self.outside, &wanted, pinned.as_deref()));
        let pulled = pulled.map_err(|error| chain(&error))?;
        self.hold(Remote::Pinned(wanted.place(), pulled.pin), pulled.from);
        Ok(pulled.chart)
    }

    /// A chart beside the one that names it: `file://../common`.
    fn beside(&self, path: &str) -> Result<Chart, String> {
        if let Some(folder) = &self.own.disk {
            let folder = folder.join(path);
            let mut chart = Chart::load(read_folder(&folder)?).map_err(|error| chain(&error))?;
            let own = Own { disk: Some(folder), ..self.own.clone() };
            self.complete_below(&mut chart, own)?;
            return Ok(chart);
        }
        let Some((repository, commit, folder)) = &self.own.git else {
            return Err(format!("`file://{path}` lies beside the chart, and a packed chart has nothing beside it"));
        };
        let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
        for part in path.split('/') {
            match part {
                "" | "." => {}
                ".." => {
                    parts.pop().ok_or_else(|| format!("`file://{path}` leads out of the repository"))?;
                }
                part => parts.push(part),
            }
        }
        let inner = parts.join("/");
        let reference = Reference { commit: commit.clone(), name: None };
        let found = self.outside.folder(repository, &reference, &inner);
        let snapshot = self.waits.answer(found).map_err(|error| chain(&error))?;
        let mut chart = chart_of(&Tree::of(&snapshot.files), &inner).map_err(|error| chain(&error))?;
        let own = Own { git: Some((repository.clone(), commit.clone(), inner)), ..self.own.clone() };
        self.complete_below(&mut chart, own)?;
        Ok(chart)
    }

    /// What a chart beside this one needs in turn lies beside that.
    fn complete_below(&self, chart: &mut Chart, own: Own) -> Result<(), String> {
        let mut below = Self::new(self.outside.clone(), self.waits.clone(), own, self.pinned.clone());
        below.depth = self.depth + 1;
        if below.depth > DEEPEST {
            return Err(format!("charts beside charts are nested deeper than {DEEPEST} levels: does one name itself?"));
        }
        complete(chart, &below).map_err(|error| chain(&error))?;
        let (remotes, told) = below.finish();
        for (remote, told) in remotes.into_iter().zip(told) {
            self.hold(remote, told);
        }
        Ok(())
    }
}

impl Fetch for Bridge {
    fn git(&self, source: &GitSource) -> Result<Checkout, String> {
        self.waits.answer(self.check_out(source))
    }

    fn http(&self, url: &str) -> Result<Arc<[u8]>, HttpError> {
        self.waits.answer(self.address(url))
    }
}

impl windlass_helm::Fetch for Bridge {
    fn fetch(&self, dependency: &Dependency, _: &str) -> Result<Vec<u8>, String> {
        Err(format!("{} is not handed out packed", dependency.name))
    }

    fn chart(&self, dependency: &Dependency, version: &str, _: ArchiveLimits) -> Result<Chart, HelmError> {
        let repository = dependency.repository.as_str();
        let found = match repository.strip_prefix("file://") {
            Some(path) => self.beside(path),
            None if repository.is_empty() => Err("it names no `repository`: put the chart into charts/".to_owned()),
            None => self.pull(repository, &dependency.name, version).map(|chart| Chart::clone(&chart)),
        };
        found.map_err(|problem| HelmError::Fetch { name: dependency.name.clone(), source: FileProblem::Text(problem) })
    }
}

impl std::fmt::Debug for Bridge {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Bridge").field("outside", &self.outside).finish_non_exhaustive()
    }
}
