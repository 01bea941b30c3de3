//! The Rust API: seeding, reverting, and opening again.

use crate::support::{ada, app, change, noon, world};
use windlass_clock::Clock;
use windlass_git_sim::{Changes, GitSim, NewCommit, Options, RepoError};

#[tokio::test]
async fn commits_are_the_same_run_after_run() {
    let (one, two) = (world().await, world().await);
    let commit = change("main", "second", &[("a \"b\" \\ ü", "x"), ("deploy/app.yaml", "kind: Job\n")]);
    let ids = [one.repo().commit(&commit).await.unwrap(), two.repo().commit(&commit).await.unwrap()];
    assert_eq!(ids[0], ids[1]);
    let info = one.repo().info(&ids[0]).await.unwrap();
    assert_eq!((info.message.as_str(), info.author.clone(), info.authored), ("second", ada(), noon()));
    assert_eq!((info.added, info.modified), (vec!["a \"b\" \\ ü".to_owned()], vec!["deploy/app.yaml".to_owned()]));
    assert_eq!(&one.repo().read("main", "a \"b\" \\ ü").await.unwrap()[..], b"x");
}

#[tokio::test]
async fn a_folder_becomes_a_commit() {
    let world = world().await;
    let folder = world.folder.path().join("seed");
    std::fs::create_dir_all(folder.join("base/.git")).unwrap();
    std::fs::write(folder.join("base/.git/config"), "no").unwrap();
    std::fs::write(folder.join("base/app.yaml"), "kind: Service\n").unwrap();
    std::fs::write(folder.join("run.sh"), "#!/bin/sh\n").unwrap();
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(folder.join("run.sh"), std::fs::Permissions::from_mode(0o755)).unwrap();
    let changes = Changes::default().folder(&folder).unwrap().delete("deploy");
    world.repo().commit(&NewCommit { changes, ..change("main", "seed", &[]) }).await.unwrap();
    let clone = world.clone("read", "clone").await;
    let (_, files) = world.git(&clone, &["ls-tree", "-r", "--format=%(objectmode) %(path)", "HEAD"]).await;
    assert_eq!(files, "100644 base/app.yaml\n100755 run.sh\n100644 values.yaml\n");
}

#[tokio::test]
async fn a_revert_undoes_one_commit_and_keeps_later_ones() {
    let world = world().await;
    let repo = world.repo();
    let bad = repo.commit(&change("main", "replicas", &[("values.yaml", "replicas: 9\n")])).await.unwrap();
    repo.commit(&change("main", "other", &[("other", "1")])).await.unwrap();
    let undo = repo.revert("main", &bad, &ada(), noon()).await.unwrap();
    assert_eq!(&repo.read("main", "values.yaml").await.unwrap()[..], b"replicas: 1\n");
    assert_eq!(&repo.read("main", "other").await.unwrap()[..], b"1");
    assert_eq!(repo.info(&undo).await.unwrap().message, format!("Revert \"replicas\"\n\nThis reverts commit {bad}."));
    // The same lines have changed since: nothing is guessed.
    repo.commit(&change("main", "again", &[("values.yaml", "replicas: 5\n")])).await.unwrap();
    assert!(matches!(repo.revert("main", &bad, &ada(), noon()).await, Err(RepoError::Conflict { .. })));
}

#[tokio::test]
async fn what_cannot_be_is_refused_with_its_reason() {
    let world = world().await;
    let repo = world.repo();
    for (commit, want) in [
        (change("a..b", "m", &[]), "`a..b` is not a branch or tag name that Git allows"),
        (
            change("main", "m", &[("../x", "")]),
            "`../x` is not a path inside a repository: relative, `/` between parts, without `.`, `..` or `.git`",
        ),
        (
            NewCommit { author: windlass_git_sim::Person::new("a\n", "b"), ..change("main", "m", &[]) },
            "`a\n` cannot be the name or address of an author: no line breaks, `<` or `>`",
        ),
    ] {
        assert_eq!(repo.commit(&commit).await.unwrap_err().to_string(), want);
    }
    for revision in ["nothing", "main~1", "--help", ":/first", "HEAD^{tree}", ""] {
        assert!(matches!(repo.resolve(revision).await, Err(RepoError::NoSuchRevision { .. })), "{revision}");
    }
    assert!(matches!(repo.read("main", "no/file").await, Err(RepoError::NoSuchFile { .. })));
    assert!(matches!(world.sim.create_repo(&app()).await, Err(RepoError::Exists(_))));
    assert!(matches!(repo.create_branch("main", "main").await, Err(RepoError::Moved { .. })));
}

#[tokio::test]
async fn two_hundred_commits_at_once_all_land() {
    let world = world().await;
    let tasks: Vec<_> = (0..20)
        .map(|i| {
            let repo = world.repo();
            tokio::spawn(async move {
                for j in 0..10 {
                    let file = format!("{i}/{j}");
                    repo.commit(&change("main", &file, &[(&file, "x")])).await.unwrap();
                }
            })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
    let tip = world.repo().resolve("main").await.unwrap();
    assert_eq!(world.repo().history(&tip, 1_000).await.unwrap().len(), 201);
}

#[tokio::test]
async fn a_folder_of_repositories_is_opened_again() {
    let world = world().await;
    let tip = world.repo().resolve("main").await.unwrap();
    let again = GitSim::open(world.folder.path().join("repos"), Options::new(Clock::system())).unwrap();
    assert_eq!(again.repo_names(), [app()]);
    assert_eq!(again.repo(&app()).unwrap().resolve("main").await.unwrap(), tip);
}
