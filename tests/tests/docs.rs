//! The documents speak of commands that exist, and their first steps work as written.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a scenario")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use windlass_tests::{World, send};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Every document for people, with its name.
fn documents() -> Vec<(String, String)> {
    let mut folders = vec![root().join("docs"), root().join("examples")];
    let mut files = vec![root().join("README.md")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            match path.extension().and_then(|e| e.to_str()) {
                _ if path.is_dir() => folders.push(path),
                Some("md") => files.push(path),
                _ => {}
            }
        }
    }
    files.sort();
    let name = |path: &Path| path.strip_prefix(root()).unwrap().display().to_string();
    files.iter().map(|path| (name(path), std::fs::read_to_string(path).unwrap())).collect()
}

/// Blocks of code in these languages.
fn blocks(text: &str, languages: &[&str]) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut inside: Option<bool> = None;
    for line in text.lines() {
        match (line.trim_start().strip_prefix("```"), inside) {
            (Some(language), None) => {
                let wanted = languages.contains(&language.trim());
                inside = Some(wanted);
                if wanted {
                    found.push(String::new());
                }
            }
            (Some(_), Some(_)) => inside = None,
            (None, Some(true)) => {
                let block = found.last_mut().unwrap();
                block.push_str(line);
                block.push('\n');
            }
            (None, _) => {}
        }
    }
    found
}

/// Command lines of `windlass` in blocks for a shell, and in single backticks.
fn commands(text: &str) -> BTreeSet<Vec<String>> {
    let mut lines: Vec<String> = Vec::new();
    for block in blocks(text, &["sh", "console", "bash", "ini"]) {
        lines.extend(block.replace("\\\n", " ").lines().map(str::to_owned));
    }
    let quoted = text.lines().filter(|line| !line.trim_start().starts_with("```"));
    lines.extend(quoted.flat_map(|line| line.split('`').skip(1).step_by(2)).map(str::to_owned));
    lines.iter().filter_map(|line| command(line)).collect()
}

/// What follows `windlass` where a command begins, up to a comment or a pipe.
fn command(line: &str) -> Option<Vec<String>> {
    let line = line.trim().trim_start_matches("$ ").trim_start_matches("ExecStart=");
    let line = line.split(" #").next()?.split(['|', '>', '&', ';', '…']).next()?;
    let mut words = line.split_whitespace().skip_while(|word| word.contains('=') && !word.starts_with('-'));
    let program = words.next()?;
    (program == "windlass" || program.ends_with("/windlass")).then(|| words.map(str::to_owned).collect())
}

/// The helps of a command line, asked once each.
struct Helps<'w> {
    world: &'w World,
    known: BTreeMap<Vec<String>, String>,
}

impl Helps<'_> {
    fn of(&mut self, path: &[String]) -> String {
        if !self.known.contains_key(path) {
            let arguments: Vec<&str> = path.iter().map(String::as_str).chain(["--help"]).collect();
            self.known.insert(path.to_vec(), self.world.run(&arguments).ok());
        }
        self.known[path].clone()
    }

    /// What is wrong with a command line; nothing when all its verbs and flags exist.
    fn check(&mut self, words: &[String]) -> Result<(), String> {
        let mut path: Vec<String> = Vec::new();
        let mut help = self.of(&path);
        let mut words = words.iter().peekable();
        while let Some(word) = words.next() {
            if word == "--" {
                break;
            }
            if let Some(flag) = word.strip_prefix('-').map(|_| word.split('=').next().unwrap_or(word)) {
                let line = help.lines().find(|line| line.split([' ', ',']).any(|part| part == flag));
                let Some(line) = line else {
                    return Err(format!("`{flag}` is no flag of `windlass {}`", path.join(" ")));
                };
                if line.contains(" <") && !word.contains('=') {
                    words.next();
                }
            } else if verbs(&help).contains(word.as_str()) {
                path.push(word.clone());
                help = self.of(&path);
            } else if help.lines().any(|line| line.starts_with("Usage:") && line.ends_with("<COMMAND>")) {
                return Err(format!("`{word}` is no command of `windlass {}`", path.join(" ")));
            }
        }
        Ok(())
    }
}

fn verbs(help: &str) -> BTreeSet<&str> {
    let list = help.split_once("Commands:\n").map_or("", |(_, rest)| rest);
    let rows = list.lines().take_while(|line| !line.is_empty());
    let verb = |line: &'_ str| line.starts_with("  ") && !line.starts_with("   ");
    rows.filter(|line| verb(line)).filter_map(|line| line.split_whitespace().next()).collect()
}

#[test]
fn every_command_in_the_documents_exists() {
    let world = World::new();
    let mut helps = Helps { world: &world, known: BTreeMap::new() };
    let (mut count, mut wrong) = (0, Vec::new());
    for (name, text) in documents() {
        for words in commands(&text) {
            count += 1;
            if let Err(why) = helps.check(&words) {
                wrong.push(format!("{name}: `windlass {}`: {why}", words.join(" ")));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count > 30, "only {count} commands were found");
}

#[test]
fn every_route_in_the_documents_exists() {
    let world = World::new();
    let text = std::fs::read_to_string(root().join("docs/api.md")).unwrap();
    let routes: Vec<(&str, &str)> = text
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split('`').next()?.split_once(' '))
        .filter(|(_, path)| !path.contains("{kind}"))
        .collect();
    assert!(routes.len() > 30, "only {} routes were found", routes.len());
    for (method, path) in routes {
        // Whoever did not sign in learns that there is a door, not what is behind it.
        let reply = send(method, &format!("{}{path}", world.url()), &[("content-type", "application/json")], "{}");
        assert!(![404, 405].contains(&reply.status), "{method} {path}: {} {}", reply.status, reply.body);
    }
}

#[test]
fn the_check_finds_what_does_not_exist() {
    let world = World::new();
    let mut helps = Helps { world: &world, known: BTreeMap::new() };
    let mut check = |line: &str| helps.check(&command(line).unwrap());
    assert_eq!(check("$ windlass --org default pipeline run hello --input who=you --watch"), Ok(()));
    assert_eq!(check("DELEGATE_TOKEN=x windlass delegate --name a # a comment"), Ok(()));
    assert!(check("windlass pipeline rum hello").unwrap_err().contains("`rum` is no command"));
    assert!(check("windlass pipeline run hello --imputs x").unwrap_err().contains("`--imputs` is no flag"));
    assert_eq!(command("windlassd --help"), None);
}

#[test]
fn the_first_steps_work_as_written() {
    let text = std::fs::read_to_string(root().join("docs/getting-started.md")).unwrap();
    let hello = blocks(&text, &["yaml"]).into_iter().next().expect("the first document");
    let world = World::new();
    // In the text the project is chosen later: the token is of the account.
    let mut create = world.command();
    create
        .args(["delegate", "token", "create", "playground"])
        .env_remove("WINDLASS_ORG")
        .env_remove("WINDLASS_PROJECT");
    let token = String::from_utf8(create.output().unwrap().stdout).unwrap();
    let mut delegate = world.join_delegate("playground", "playground", token.trim(), &[]);
    world.file("hello.yaml", &hello);
    let saved = world.run(&["apply", "-f", "hello.yaml"]).ok();
    for line in saved.lines() {
        assert!(text.contains(line), "the document does not show `{line}`");
    }
    let run = ["--project", "playground", "pipeline", "run", "hello", "--input", "who=you", "--watch"];
    let told = world.run(&run).ok();
    assert!(told.contains("✓ hello #1 Success") && told.contains("✓ Say hello  ShellScript"), "{told}");
    // What the text says about mistakes.
    world.file("hello.yaml", &hello.replace("type: ShellScript", "type: ShelScript"));
    let refused = world.run(&["apply", "-f", "hello.yaml"]).fails(1);
    assert!(refused.contains("DOC0005") && refused.contains("did you mean `ShellScript`?"), "{refused}");
    delegate.kill();
}

#[test]
fn the_deployment_of_the_first_steps_works_as_written() {
    let text = std::fs::read_to_string(root().join("docs/getting-started.md")).unwrap();
    let documents = blocks(&text, &["yaml"]);
    let world = World::new();
    let cluster =
        ["kube-sim", "--listen", "127.0.0.1:0", "--admin-token", "playground", "--kubeconfig", "cluster.kubeconfig"];
    let mut cluster = world.start("cluster", &cluster);
    cluster.says("kubeconfig cluster.kubeconfig");
    for document in &documents {
        world.apply(document);
    }
    let token = world.run(&["--project", "playground", "delegate", "token", "create", "playground"]).ok();
    let mut delegate =
        world.join_delegate("delegate", "playground", token.trim(), &["--kubeconfig", "cluster.kubeconfig"]);
    let windlass = |arguments: &[&str]| world.run(&[&["--project", "playground"], arguments].concat()).ok();
    windlass(&["pipeline", "run", "ship", "--input", "tag=v1", "--watch"]);
    let told = windlass(&["pipeline", "run", "ship", "--input", "tag=v2", "--watch"]);
    assert!(told.contains("✓ ship #2 Success"), "{told}");
    let runs: serde_json::Value = serde_json::from_str(&windlass(&["run", "list", "-o", "json"])).unwrap();
    let latest = runs[0]["id"].as_str().or(runs[0]["run"].as_str()).expect("the id of a run");
    let back: serde_json::Value = serde_json::from_str(&windlass(&["run", "rollback", latest, "-o", "json"])).unwrap();
    let shown = world.ended(back["run"].as_str().expect("the run that goes back"));
    assert_eq!(shown["run"]["status"], "Success", "{shown}");
    delegate.kill();
    cluster.kill();
}
