//! The adapter against a pretend forge over real HTTP.
#![allow(clippy::unwrap_used)]

use std::path::Path;
use std::time::Duration;
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;
use windlass_clock::Clock;
use windlass_exec::{Argument, Environment, Program};
use windlass_git::{GitError, Limits, Options, Repositories};
use windlass_git_sim::{Changes, Door, Fault, FaultAnswer, GitSim, NewCommit, Person, RepoName, Right, Token};
use windlass_model::Timestamp;
use windlass_model::failure::FailureType;
use windlass_model::task::source::{GitAuth, GitReference, GitRepository};

const TOKEN: &str = "ghp_canary_0123456789";

struct Forge {
    sim: GitSim,
    name: RepoName,
    folder: TempDir,
    repositories: Repositories,
    _serving: tokio::task::JoinHandle<std::io::Result<()>>,
}

impl Forge {
    async fn new() -> Self {
        Self::with(Limits::default(), Clock::system()).await
    }

    async fn with(limits: Limits, clock: Clock) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let sim = GitSim::open(folder.path().join("forge"), windlass_git_sim::Options::new(clock)).unwrap();
        let name = RepoName::new("acme", "deploy").unwrap();
        sim.create_repo(&name).await.unwrap();
        sim.add_token(Token::new("bot", TOKEN).on_org("acme", Right::Read));
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let serving = sim.clone();
        let _serving = tokio::spawn(async move { serving.serve(listener).await });
        while sim.public_url() != url {
            tokio::task::yield_now().await;
        }
        let options = Options { limits, ..Options::new(folder.path().join("work"), clock) };
        let repositories = Repositories::open(options).unwrap();
        Self { sim, name, folder, repositories, _serving }
    }

    async fn commit(&self, changes: Changes) -> String {
        let commit = NewCommit {
            branch: "main".into(),
            message: "change".into(),
            author: Person::new("A", "a@example"),
            when: Timestamp::from_secs(1_700_000_000),
            changes,
        };
        self.sim.repo(&self.name).unwrap().commit(&commit).await.unwrap().to_string()
    }

    fn repository(&self, token: &str) -> GitRepository {
        GitRepository {
            connector: "account.git".into(),
            url: format!("{}/acme/deploy.git", self.sim.public_url()),
            auth: GitAuth::Http { username: String::new(), password: token.into() },
        }
    }

    async fn read(&self, pinned: Option<&str>, paths: &[&str]) -> Result<(String, Vec<(String, String)>), GitError> {
        let paths: Vec<String> = paths.iter().map(|p| (*p).to_owned()).collect();
        let main = GitReference::Branch("main".into());
        let snapshot = self.repositories.snapshot(&self.repository(TOKEN), &main, pinned, &paths).await?;
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        Ok((snapshot.commit, snapshot.files.into_iter().map(|f| (f.path, text(f.bytes))).collect()))
    }
}

fn pairs(files: &[(String, String)]) -> Vec<(&str, &str)> {
    files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect()
}

#[tokio::test]
async fn files_and_folders_of_one_commit() {
    let forge = Forge::new().await;
    let first = forge
        .commit(
            Changes::default()
                .write("k8s/b.yaml", "b1")
                .write("k8s/sub/a.yaml", "a1")
                .write("values.yaml", "v1")
                .write("big/x", "x"),
        )
        .await;
    let second = forge.commit(Changes::default().write("k8s/b.yaml", "b2")).await;
    let (commit, files) = forge.read(None, &["values.yaml", "k8s", "k8s/b.yaml"]).await.unwrap();
    assert_eq!(commit, second);
    assert_eq!(pairs(&files), [("values.yaml", "v1"), ("k8s/b.yaml", "b2"), ("k8s/sub/a.yaml", "a1")]);
    let (commit, files) = forge.read(Some(&first), &["./k8s/b.yaml"]).await.unwrap();
    assert_eq!((commit, pairs(&files)), (first.clone(), vec![("k8s/b.yaml", "b1")]));
    let all = forge.read(Some(&first), &[]).await.unwrap().1;
    assert_eq!(all.len(), 4);
}

#[tokio::test]
async fn a_pinned_commit_needs_the_server_once() {
    let forge = Forge::new().await;
    let commit = forge.commit(Changes::default().write("k8s/a.yaml", "a")).await;
    forge.read(Some(&commit), &["k8s"]).await.unwrap();
    forge.sim.set_faults(vec![Fault {
        door: Some(Door::Fetch),
        repo: None,
        after: 0,
        times: None,
        latency_millis: 0,
        answer: Some(FaultAnswer::Status(503)),
    }]);
    assert_eq!(forge.read(Some(&commit), &["k8s"]).await.unwrap().1.len(), 1);
    let clock = Clock::system();
    let error = forge.read(None, &["k8s"]).await.unwrap_err();
    assert_eq!(error.failure_type(), FailureType::Connectivity, "{error}");
    assert!(clock.monotonic() > Duration::from_secs(2), "it was tried again");
}

#[tokio::test]
async fn names_that_are_missing_come_with_their_neighbours() {
    let forge = Forge::new().await;
    forge.commit(Changes::default().write("k8s/deployment.yaml", "d").write("k8s/service.yaml", "s")).await;
    let error = forge.read(None, &["k8s/deploymnt.yaml"]).await.unwrap_err().to_string();
    assert!(error.ends_with("has no k8s/deploymnt.yaml; there is k8s/deployment.yaml"), "{error}");
    let error = forge.read(None, &["k9s/x/y.yaml"]).await.unwrap_err().to_string();
    assert!(error.ends_with("has no k9s/x/y.yaml; there is k8s"), "{error}");
    let gone = forge.read(Some(&"1".repeat(40)), &["k8s"]).await.unwrap_err();
    assert_eq!(gone.failure_type(), FailureType::ConfigurationFailure, "{gone}");
    let branch = GitReference::Branch("mian".into());
    let error = forge.repositories.resolve(&forge.repository(TOKEN), &branch).await.unwrap_err().to_string();
    assert!(error.ends_with("has no branch `mian`; there is main"), "{error}");
    assert!(matches!(forge.read(None, &["../x"]).await, Err(GitError::BadPath { .. })));
}

#[tokio::test]
async fn credentials_are_refused_by_kind_and_never_shown() {
    let forge = Forge::new().await;
    forge.commit(Changes::default().write("a", "a")).await;
    let main = GitReference::Branch("main".into());
    let refused = forge.repositories.resolve(&forge.repository("wrong_token_x"), &main).await.unwrap_err();
    assert_eq!(refused.failure_type(), FailureType::Authentication, "{refused}");
    let mut missing = forge.repository(TOKEN);
    missing.url = missing.url.replace("deploy", "other");
    let missing = forge.repositories.resolve(&missing, &main).await.unwrap_err();
    assert_eq!(missing.failure_type(), FailureType::Authorization, "{missing}");
    forge.read(None, &["a"]).await.unwrap();
    assert!(!refused.to_string().contains("wrong_token_x"));
    assert_eq!(files_with(forge.folder.path().join("work").as_path(), TOKEN), Vec::<String>::new());
}

/// The files below a folder that hold a text.
fn files_with(folder: &Path, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files_with(&path, text));
        } else if std::fs::read(&path).unwrap().windows(text.len()).any(|window| window == text.as_bytes()) {
            found.push(path.display().to_string());
        }
    }
    found
}

#[tokio::test]
async fn too_much_is_refused_before_it_is_read() {
    let forge = Forge::with(Limits { bytes: 10, ..Limits::default() }, Clock::system()).await;
    forge.commit(Changes::default().write("a", "12345678").write("b", "1234")).await;
    assert!(forge.read(None, &["a"]).await.is_ok());
    assert!(matches!(forge.read(None, &["a", "b"]).await, Err(GitError::TooLarge { .. })));
}

/// Adds an entry that the pretend forge's own commits cannot hold.
async fn add_special(forge: &Forge, mode: &str, path: &str, content: &str) {
    let repo = forge.sim.repo(&forge.name).unwrap().path().to_owned();
    let git = |args: Vec<String>, stdin: &str| {
        let environment = Environment::clean(&repo)
            .with("GIT_INDEX_FILE", repo.join("special.index").to_string_lossy())
            .with("GIT_AUTHOR_NAME", "a")
            .with("GIT_AUTHOR_EMAIL", "a@b")
            .with("GIT_COMMITTER_NAME", "a")
            .with("GIT_COMMITTER_EMAIL", "a@b");
        let program = Program::new("git", environment, &repo)
            .args(args.into_iter().map(Argument::visible))
            .stdin(stdin.as_bytes().to_vec());
        async move {
            let finished = program.run(&Clock::system(), &CancellationToken::new()).await.unwrap();
            assert!(finished.success(), "{}", finished.stderr.text());
            finished.stdout.text().trim().to_owned()
        }
    };
    let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
    let id = if mode == "160000" { "1".repeat(40) } else { git(words("hash-object -w --stdin"), content).await };
    git(words("read-tree main"), "").await;
    git(vec!["update-index".into(), "--add".into(), "--cacheinfo".into(), format!("{mode},{id},{path}")], "").await;
    let tree = git(words("write-tree"), "").await;
    let commit = git(words(&format!("commit-tree {tree} -p main -m special")), "").await;
    git(words(&format!("update-ref refs/heads/main {commit}")), "").await;
}

#[tokio::test]
async fn links_lead_to_files_of_the_same_commit_only() {
    let forge = Forge::new().await;
    forge.commit(Changes::default().write("shared/a.yaml", "a").write("k8s/own.yaml", "o")).await;
    add_special(&forge, "120000", "k8s/link.yaml", "../shared/a.yaml").await;
    add_special(&forge, "120000", "folder", "shared").await;
    let files = forge.read(None, &["k8s", "folder"]).await.unwrap().1;
    assert_eq!(pairs(&files), [("k8s/link.yaml", "a"), ("k8s/own.yaml", "o"), ("folder/a.yaml", "a")]);
    for (path, target) in [("out", "../../etc/passwd"), ("abs", "/etc/passwd"), ("loop", "loop")] {
        add_special(&forge, "120000", path, target).await;
        assert!(matches!(forge.read(None, &[path]).await, Err(GitError::Link { .. })), "{path}");
    }
    add_special(&forge, "160000", "sub/module", "").await;
    assert!(matches!(forge.read(None, &["sub"]).await, Err(GitError::Submodule { .. })));
}

/// A program `git` that writes down what it is called with, and then is git.
fn witness(folder: &Path) -> std::path::PathBuf {
    use std::os::unix::fs::PermissionsExt;
    let bin = folder.join("bin");
    std::fs::create_dir_all(&bin).unwrap();
    let script = format!(
        "#!/bin/sh\necho \"$@\" >> '{}'\nPATH=/usr/local/bin:/usr/bin:/bin exec git \"$@\"\n",
        folder.join("calls").display()
    );
    std::fs::write(bin.join("git"), script).unwrap();
    std::fs::set_permissions(bin.join("git"), std::fs::Permissions::from_mode(0o755)).unwrap();
    bin
}

#[tokio::test]
async fn no_argument_and_no_file_holds_a_token_or_an_address() {
    let mut forge = Forge::new().await;
    forge.commit(Changes::default().write("a", "a")).await;
    let bin = witness(forge.folder.path());
    let path = format!("{}:/usr/local/bin:/usr/bin:/bin", bin.display());
    let work = forge.folder.path().join("witnessed");
    let mut options = Options::new(&work, Clock::system());
    options.environment.insert("PATH".into(), path);
    forge.repositories = Repositories::open(options).unwrap();
    forge.read(None, &["a"]).await.unwrap();
    let calls = std::fs::read_to_string(forge.folder.path().join("calls")).unwrap();
    assert!(calls.lines().any(|call| call.contains("ls-remote")) && calls.lines().any(|call| call.contains("fetch")));
    assert!(!calls.contains(TOKEN) && !calls.contains("127.0.0.1"), "{calls}");
    assert_eq!(files_with(&work, TOKEN), Vec::<String>::new());
}

#[tokio::test]
async fn two_organisations_each_with_its_own_token() {
    let forge = Forge::new().await;
    let first = forge.commit(Changes::default().write("a", "of acme")).await;
    let other = RepoName::new("globex", "deploy").unwrap();
    forge.sim.create_repo(&other).await.unwrap();
    forge.sim.add_token(Token::new("robot", "ghp_globex_9876543210").on_org("globex", Right::Read));
    let commit = NewCommit {
        branch: "main".into(),
        message: "m".into(),
        author: Person::new("G", "g@example"),
        when: Timestamp::from_secs(1_700_000_000),
        changes: Changes::default().write("a", "of globex"),
    };
    forge.sim.repo(&other).unwrap().commit(&commit).await.unwrap();
    let main = GitReference::Branch("main".into());
    let repository = |organisation: &str, token: &str| {
        let mut repository = forge.repository(token);
        repository.url = repository.url.replace("acme", organisation);
        repository
    };
    let read = |repository: GitRepository, pinned: Option<String>| {
        let (forge, main) = (&forge, &main);
        async move { forge.repositories.file(&repository, main, pinned.as_deref(), "a").await }
    };
    let text =
        |found: Result<(String, windlass_git::File), GitError>| String::from_utf8(found.unwrap().1.bytes).unwrap();
    assert_eq!(text(read(repository("acme", TOKEN), None).await), "of acme");
    assert_eq!(text(read(repository("globex", "ghp_globex_9876543210"), None).await), "of globex");
    // What one token brought into the cache is not for another, pinned or not.
    for pinned in [None, Some(first)] {
        let refused = read(repository("acme", "ghp_globex_9876543210"), pinned).await.unwrap_err();
        let kind = refused.failure_type();
        assert!(matches!(kind, FailureType::Authentication | FailureType::Authorization), "{refused}");
    }
}

#[tokio::test]
async fn one_file_at_a_branch_a_tag_and_a_commit() {
    let forge = Forge::new().await;
    let first = forge.commit(Changes::default().write("k8s/a.yaml", "1")).await;
    let second = forge.commit(Changes::default().write("k8s/a.yaml", "2")).await;
    forge.sim.repo(&forge.name).unwrap().create_tag("v1", &first).await.unwrap();
    let read = |wanted: GitReference| {
        let forge = &forge;
        async move { forge.repositories.file(&forge.repository(TOKEN), &wanted, None, "/k8s/a.yaml").await.unwrap() }
    };
    for (wanted, commit, text) in [
        (GitReference::Branch("main".into()), &second, "2"),
        (GitReference::Tag("v1".into()), &first, "1"),
        (GitReference::Commit("v1".into()), &first, "1"),
        (GitReference::Commit(first.clone()), &first, "1"),
        (GitReference::Commit(first.to_uppercase()), &first, "1"),
        (GitReference::Commit(second[..8].to_owned()), &second, "2"),
    ] {
        let (found, file) = read(wanted.clone()).await;
        assert_eq!((&found, file.bytes.as_slice(), &*file.path), (commit, text.as_bytes(), "k8s/a.yaml"), "{wanted:?}");
    }
    let main = GitReference::Branch("main".into());
    let repository = forge.repository(TOKEN);
    let folder = forge.repositories.file(&repository, &main, None, "k8s").await.unwrap_err();
    assert!(matches!(folder, GitError::Folder { .. }), "{folder}");
    for pinned in ["--upload-pack=touch /tmp/x", "main", "", "HEAD~1"] {
        let error = forge.repositories.file(&repository, &main, Some(pinned), "k8s/a.yaml").await.unwrap_err();
        assert!(matches!(error, GitError::BadCommit { .. }), "{pinned}: {error}");
    }
    let offered = forge.repositories.advertised(&repository).await.unwrap();
    assert_eq!((offered.branches.get("main"), offered.tags.get("v1")), (Some(&second), Some(&first)));
}

#[tokio::test]
async fn links_do_not_multiply() {
    let forge = Forge::new().await;
    forge.commit(Changes::default().write("c/file", "x")).await;
    for (level, below) in [("b", "c"), ("a", "b")] {
        for n in 0..16 {
            add_special(&forge, "120000", &format!("{level}/{n}"), &format!("../{below}")).await;
        }
    }
    assert_eq!(forge.read(None, &["b"]).await.unwrap().1.len(), 16);
    let error = forge.read(None, &["a"]).await.unwrap_err();
    assert!(matches!(error, GitError::TooManyLinks { .. }), "{error}");
}

#[test]
fn git_stops_virtual_time() {
    let runtime = windlass_clock::virtual_runtime().unwrap();
    runtime.block_on(async {
        let clock = Clock::simulated(Timestamp::from_secs(1_700_000_000));
        let forge = Forge::with(Limits::default(), clock).await;
        forge.commit(Changes::default().write("a", "a")).await;
        assert_eq!(forge.read(None, &["a"]).await.unwrap().1.len(), 1);
    });
}
