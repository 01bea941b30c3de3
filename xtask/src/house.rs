//! Who may use whom: `xtask/floors.toml` against the manifests of all crates.

use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

#[derive(Deserialize)]
struct Floors {
    floors: Vec<String>,
    /// Floor → floors above it that it must not know, with the reason.
    #[serde(default)]
    strangers: BTreeMap<String, BTreeMap<String, String>>,
    /// `floor/room -> floor/room` with the reason.
    #[serde(default)]
    edges: BTreeMap<String, String>,
}

#[derive(Deserialize)]
struct Manifest {
    package: Package,
    #[serde(default)]
    dependencies: BTreeMap<String, toml::Value>,
    #[serde(default, rename = "build-dependencies")]
    build_dependencies: BTreeMap<String, toml::Value>,
}

#[derive(Deserialize)]
struct Package {
    name: String,
}

/// How many rooms there are, or everything that is wrong. Tests may use what they like: only what a crate is built from counts.
pub(crate) fn check(root: &Path) -> Result<usize, Vec<String>> {
    let read =
        |path: &Path| std::fs::read_to_string(path).map_err(|e| vec![format!("cannot read {}: {e}", path.display())]);
    let text = read(&root.join("xtask/floors.toml"))?;
    let floors: Floors = toml::from_str(&text).map_err(|e| vec![format!("xtask/floors.toml: {e}")])?;
    let mut problems = Vec::new();
    let mut rooms: BTreeMap<String, (String, Manifest)> = BTreeMap::new();
    for floor in list(&root.join("crates")) {
        if !floors.floors.contains(&floor) {
            problems.push(format!("crates/{floor} is no floor"));
        }
        for room in list(&root.join("crates").join(&floor)) {
            let path = root.join("crates").join(&floor).join(&room).join("Cargo.toml");
            let manifest: Manifest = match toml::from_str(&read(&path)?) {
                Ok(manifest) => manifest,
                Err(error) => {
                    problems.push(format!("{}: {error}", path.display()));
                    continue;
                }
            };
            rooms.insert(manifest.package.name.clone(), (format!("{floor}/{room}"), manifest));
        }
    }
    let mut graph: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (from, manifest) in rooms.values() {
        for dependency in manifest.dependencies.keys().chain(manifest.build_dependencies.keys()) {
            let Some((to, _)) = rooms.get(dependency) else { continue };
            graph.entry(from).or_default().insert(to);
            if let Some(why) = forbidden(&floors, from, to) {
                problems.push(format!("{from} uses {to}: {why}"));
            }
        }
    }
    if let Some(cycle) = cycle(&graph) {
        problems.push(format!("rooms use each other in a circle: {}", cycle.join(" -> ")));
    }
    if problems.is_empty() { Ok(rooms.len()) } else { Err(problems) }
}

fn list(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let folders = entries.filter(|e| e.path().is_dir());
    let mut names: Vec<String> = folders.map(|e| e.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// Why one room may not use the other; nothing when it may.
fn forbidden(floors: &Floors, from: &str, to: &str) -> Option<String> {
    if floors.edges.contains_key(&format!("{from} -> {to}")) {
        return None;
    }
    let floor = |room: &str| room.split('/').next().unwrap_or_default().to_owned();
    let level = |name: &str| floors.floors.iter().position(|f| f == name);
    let (from, to) = (floor(from), floor(to));
    if let Some(reason) = floors.strangers.get(&from).and_then(|s| s.get(&to)) {
        return Some(format!("{from} does not know {to}: {reason}"));
    }
    match (level(&from), level(&to)) {
        // Languages build on each other freely; their order is a matter of circles only.
        _ if from == to && from == "formats" => None,
        _ if from == to => Some("rooms of one floor need a reason in xtask/floors.toml".to_owned()),
        (Some(low), Some(high)) if high < low => None,
        _ => Some(format!("{to} is below {from}")),
    }
}

fn cycle(graph: &BTreeMap<&str, BTreeSet<&str>>) -> Option<Vec<String>> {
    fn visit<'a>(
        room: &'a str,
        graph: &BTreeMap<&'a str, BTreeSet<&'a str>>,
        path: &mut Vec<&'a str>,
        done: &mut BTreeSet<&'a str>,
    ) -> Option<Vec<String>> {
        if let Some(at) = path.iter().position(|r| *r == room) {
            let mut circle: Vec<String> = path[at..].iter().map(|r| (*r).to_owned()).collect();
            circle.push(room.to_owned());
            return Some(circle);
        }
        if !done.insert(room) {
            return None;
        }
        path.push(room);
        let found = graph.get(room).into_iter().flatten().find_map(|next| visit(next, graph, path, done));
        path.pop();
        found
    }
    let mut done = BTreeSet::new();
    graph.keys().find_map(|room| visit(room, graph, &mut Vec::new(), &mut done))
}

#[cfg(test)]
mod tests {
    use super::{Floors, cycle, forbidden};
    use std::collections::{BTreeMap, BTreeSet};

    fn floors() -> Floors {
        toml::from_str(
            r#"
            floors = ["formats", "core", "work", "control"]
            [strangers]
            control = { work = "messages only" }
            [edges]
            "core/engine -> core/model" = "words"
            "#,
        )
        .unwrap()
    }

    #[test]
    fn data_flows_downwards() {
        let floors = floors();
        assert_eq!(forbidden(&floors, "core/engine", "formats/yaml"), None);
        assert_eq!(forbidden(&floors, "core/engine", "core/model"), None);
        assert_eq!(forbidden(&floors, "formats/a", "formats/b"), None);
        assert!(forbidden(&floors, "formats/yaml", "core/model").unwrap().contains("below"));
        assert!(forbidden(&floors, "core/model", "core/engine").unwrap().contains("reason"));
        assert!(forbidden(&floors, "control/app", "work/deploy").unwrap().contains("messages only"));
    }

    #[test]
    fn circles_are_found() {
        let graph =
            BTreeMap::from([("a", BTreeSet::from(["b"])), ("b", BTreeSet::from(["c"])), ("c", BTreeSet::from(["b"]))]);
        assert_eq!(cycle(&graph).unwrap(), ["b", "c", "b"]);
        let graph = BTreeMap::from([("a", BTreeSet::from(["b", "c"])), ("b", BTreeSet::from(["c"]))]);
        assert_eq!(cycle(&graph), None);
    }
}
