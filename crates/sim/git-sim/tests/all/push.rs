//! Writing with the git program.

use crate::support::{app, world};
use windlass_git_sim::GitSim;

#[tokio::test]
async fn rights_decide_about_a_push() {
    let world = world().await;
    let reader = world.clone("read", "reader").await;
    let (ok, text) = world.push(&reader, "a", "main").await;
    assert!(!ok && text.contains("Permission to company/app.git denied to rita"), "{text}");

    let writer = world.clone("write", "writer").await;
    let (ok, text) = world.push(&writer, "b", "main").await;
    assert!(ok, "{text}");
    let repo = world.repo();
    assert_eq!(&repo.read("main", "b").await.unwrap()[..], b"changed\n");

    // The second one behind: git's own rule, with git's own words.
    let late = world.clone("write", "late").await;
    world.git(&late, &["reset", "-q", "--hard", "HEAD~1"]).await;
    let (ok, text) = world.push(&late, "c", "main").await;
    assert!(!ok && text.contains("non-fast-forward"), "{text}");
    let (ok, text) = world.git(&late, &["push", "-q", "--force", "origin", "HEAD:main"]).await;
    assert!(ok, "{text}");
    assert!(repo.read("main", "b").await.is_err());

    let (ok, text) = world.git(&late, &["push", "-q", "origin", "HEAD:topic", "HEAD:refs/tags/v1"]).await;
    assert!(ok, "{text}");
    let names = async || repo.branches().await.unwrap().into_iter().map(|branch| branch.name).collect::<Vec<_>>();
    assert_eq!(names().await, ["main", "topic"]);
    assert_eq!(repo.tags().await.unwrap()[0].name, "v1");
    let (ok, text) = world.git(&late, &["push", "-q", "origin", ":topic"]).await;
    assert!(ok, "{text}");
    assert_eq!(names().await, ["main"]);
}

#[tokio::test]
async fn a_protected_branch_takes_no_push_but_of_an_administrator() {
    let world = world().await;
    world.sim.protect_branch(&app(), "main").unwrap();
    let before = world.repo().resolve("main").await.unwrap();
    let clone = world.clone("write", "writer").await;
    let (ok, text) = world.push(&clone, "a", "main").await;
    assert!(!ok, "{text}");
    assert!(text.contains("remote: error: GH006: Protected branch update failed for refs/heads/main."), "{text}");
    assert!(text.contains("[remote rejected] HEAD -> main (protected branch hook declined)"), "{text}");
    // Together with an allowed ref: nothing of it is done.
    let (ok, text) = world.git(&clone, &["push", "origin", "HEAD:main", "HEAD:topic"]).await;
    assert!(!ok && text.contains("HEAD -> topic (pre-receive hook declined)"), "{text}");
    let branches = world.repo().branches().await.unwrap();
    assert_eq!((branches.len(), &branches[0].commit), (1, &before));
    let (ok, text) = world.git(&clone, &["push", "-q", "origin", "HEAD:topic"]).await;
    assert!(ok, "{text}");
    let (ok, text) = world.git(&clone, &["push", "-q", &world.url("admin"), "HEAD:main"]).await;
    assert!(ok, "{text}");
    assert_ne!(world.repo().resolve("main").await.unwrap(), before);
}

#[tokio::test]
async fn a_large_push_comes_in_chunks_and_too_large_a_push_is_refused() {
    let mut options = windlass_git_sim::Options::new(windlass_clock::Clock::system());
    options.pack_limit = 3 << 20;
    let world = {
        let mut world = world().await;
        let sim = GitSim::open(world.folder.path().join("repos"), options).unwrap();
        sim.add_token(windlass_git_sim::Token::new("ada", "admin").everywhere(windlass_git_sim::Right::Admin));
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        world.address = listener.local_addr().unwrap().to_string();
        let server = sim.clone();
        tokio::spawn(async move { server.serve(listener).await });
        world.sim = sim;
        world
    };
    let clone = world.clone("admin", "clone").await;
    // Bytes that do not compress: 2 MiB is more than the client sends in one piece (1 MiB).
    let mut noise = 1u32;
    let mut random = |length: usize| -> Vec<u8> {
        let mut next = || {
            noise = noise.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (noise >> 24) as u8
        };
        (0..length).map(|_| next()).collect()
    };
    std::fs::write(clone.join("two"), random(2 << 20)).unwrap();
    let (ok, text) = world.push(&clone, "a", "main").await;
    assert!(ok, "{text}");
    assert_eq!(world.repo().read("main", "two").await.unwrap().len(), 2 << 20);
    std::fs::write(clone.join("four"), random(4 << 20)).unwrap();
    let (ok, text) = world.push(&clone, "b", "main").await;
    assert!(!ok, "{text}");
    assert!(world.repo().read("main", "four").await.is_err());
}

#[tokio::test]
async fn a_tree_that_reaches_into_the_git_folder_is_refused() {
    let world = world().await;
    let clone = world.clone("write", "clone").await;
    std::fs::write(clone.join("evil"), "[core]\n").unwrap();
    let (_, blob) = world.git(&clone, &["hash-object", "-w", "evil"]).await;
    // `git mktree` does not look at names: this is what an attacker sends.
    let list = clone.join("list");
    for name in [".git", ".."] {
        std::fs::write(&list, format!("100644 blob {}\t{name}\n", blob.trim())).unwrap();
        let (ok, text) = world.git(&clone, &["-c", "alias.mk=!git mktree < list", "mk"]).await;
        assert!(ok, "{text}");
        let (ok, commit) = world.git(&clone, &["commit-tree", "-m", "evil", text.trim()]).await;
        assert!(ok, "{commit}");
        let (ok, text) = world.git(&clone, &["push", "origin", &format!("{}:refs/heads/evil", commit.trim())]).await;
        assert!(!ok, "{name}: {text}");
    }
    assert_eq!(world.repo().branches().await.unwrap().len(), 1);
}
