//! Which folders of a catalogue are rendered.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use windlass_kustomize::NAMES;
use windlass_yaml::{NumberStyle, Options, Token};

/// The fields that name other folders.
const LISTS: [&str; 3] = ["resources", "bases", "components"];

/// How deep a catalogue goes.
const DEEPEST: usize = 64;

/// The folders below `root`, relative to it, that are to be rendered: kustomizations that no other one of them uses.
///
/// # Errors
/// When a folder cannot be read.
pub fn targets(root: &Path) -> Result<Vec<String>, String> {
    let root = root.canonicalize().map_err(|error| format!("cannot read {}: {error}", root.display()))?;
    let found = found(&root)?;
    let mut used = BTreeSet::new();
    let mut components = BTreeSet::new();
    for (folder, file) in &found.kustomizations {
        let text = crate::disk::read_file(file)?;
        let uses = Uses::of(&String::from_utf8_lossy(&text));
        used.extend(uses.folders.iter().filter_map(|path| found.folder(&root, folder, path)));
        if uses.is_component {
            components.insert(folder);
        }
    }
    let targets = found.kustomizations.keys().filter(|folder| !components.contains(folder) && !used.contains(*folder));
    Ok(targets.filter_map(|folder| folder.strip_prefix(&root).ok()?.to_str().map(str::to_owned)).collect())
}

/// What a walk through a catalogue found. Links are not followed, so that every path is the real one.
#[derive(Default)]
struct Found {
    /// The kustomization files by their folders.
    kustomizations: BTreeMap<PathBuf, PathBuf>,
    has_links: bool,
}

fn found(root: &Path) -> Result<Found, String> {
    let mut all = Found::default();
    let mut folders = vec![(root.to_owned(), 0)];
    while let Some((folder, depth)) = folders.pop() {
        let failed = |error: std::io::Error| format!("cannot read {}: {error}", folder.display());
        if depth > DEEPEST {
            return Err(format!("{} lies deeper than {DEEPEST} folders", folder.display()));
        }
        for entry in std::fs::read_dir(&folder).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let name = entry.file_name();
            let kind = entry.file_type().map_err(failed)?;
            all.has_links |= kind.is_symlink();
            if kind.is_dir() && name != ".git" {
                folders.push((entry.path(), depth + 1));
            } else if NAMES.iter().any(|known| name == *known) {
                all.kustomizations.insert(folder.clone(), entry.path());
            }
        }
    }
    Ok(all)
}

impl Found {
    /// The kustomization that a path of another one leads to.
    fn folder(&self, root: &Path, from: &Path, path: &str) -> Option<PathBuf> {
        let mut real = from.to_owned();
        // Builds take `..` out of a path before they look whether anything lies there.
        for component in Path::new(path).components() {
            match component {
                Component::CurDir => {}
                Component::ParentDir => {
                    real.pop();
                }
                part => real.push(part),
            }
        }
        if self.kustomizations.contains_key(&real) {
            return Some(real);
        }
        if self.has_links || !real.starts_with(root) { real.canonicalize().ok() } else { None }
    }
}

/// What a kustomization file says of other folders.
#[derive(Debug, Default, PartialEq, Eq)]
struct Uses {
    folders: Vec<String>,
    is_component: bool,
}

impl Uses {
    /// A file that cannot be read uses nothing; its own rendering says what is wrong.
    fn of(text: &str) -> Self {
        Self::scanned(text).unwrap_or_else(|| Self::parsed(text))
    }

    /// From the tokens alone; nothing when that does not do.
    fn scanned(text: &str) -> Option<Self> {
        let mut uses = Self::default();
        let (mut depth, mut documents) = (0, 0);
        let mut key: Option<String> = None;
        let mut names = false;
        let read = windlass_yaml::scan(&Arc::from("kustomization"), text, &Options::CONTROL, |token| {
            match token {
                Token::List(_) | Token::Mapping(_) => {
                    depth += 1;
                    if depth == 2 {
                        let listed = key.as_deref().is_some_and(|name| LISTS.contains(&name));
                        names = listed && matches!(token, Token::List(_));
                    }
                }
                Token::End => {
                    depth -= 1;
                    if depth == 1 {
                        key = None;
                    }
                }
                Token::Scalar(text, ..) => match (depth, &key) {
                    (1, None) => key = Some(text.into()),
                    (1, Some(name)) => {
                        uses.is_component |= name == "kind" && text == "Component";
                        key = None;
                    }
                    (2, _) if names => uses.folders.push(text.into()),
                    _ => {}
                },
                Token::DocumentEnd => documents += 1,
            }
            true
        });
        (read && documents < 2).then_some(uses)
    }

    fn parsed(text: &str) -> Self {
        let documents = windlass_yaml::parse("kustomization", text, &Options::CONTROL);
        let Some(root) = documents.ok().and_then(|documents| documents.into_iter().next()) else {
            return Self::default();
        };
        let json = root.root.to_json(NumberStyle::Typed);
        let list = |name: &str| {
            let items = json.get(name).and_then(serde_json::Value::as_array).into_iter().flatten();
            items.filter_map(|item| item.as_str().map(str::to_owned)).collect::<Vec<_>>()
        };
        Self {
            folders: LISTS.iter().flat_map(|name| list(name)).collect(),
            is_component: json.get("kind").and_then(serde_json::Value::as_str) == Some("Component"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_tell_what_the_tree_tells() {
        for text in [
            "resources: [a, ../b]\nkind: Component\n",
            "resources:\n- a\n- ../b\nnamePrefix: x-\npatches:\n- target: {kind: Component}\n  path: c\nbases: [d]\n",
            "kind: Kustomization\nlabels:\n- pairs: {kind: Component, resources: x}\ncomponents: []\n",
            "resources: a\n",
            "resources: {a: b}\nbases: [[c], d]\n",
            "",
        ] {
            let mut scanned = Uses::scanned(text).unwrap();
            let mut parsed = Uses::parsed(text);
            parsed.folders.sort();
            scanned.folders.sort();
            assert_eq!(scanned, parsed, "{text}");
        }
        assert_eq!(Uses::scanned("a: &x [b]\nresources: *x\n"), None);
        assert_eq!(Uses::scanned("a: b\n---\nresources: [c]\n"), None);
    }

    #[test]
    fn folders_are_found_by_name_and_through_links() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        let write = |path: &str, text: &str| {
            let path = root.join(path).join("kustomization.yaml");
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        write("base", "resources: [map.yaml]\n");
        write("shop/prod", "resources: [../../base, ./../int/../../one]\n");
        write("one", "");
        write("two", "resources: [link]\n");
        write("three", "");
        assert_eq!(targets(root).unwrap(), ["shop/prod", "three", "two"]);
        std::os::unix::fs::symlink("../three", root.join("two/link")).unwrap();
        std::fs::create_dir(root.join("shop/int")).unwrap();
        assert_eq!(targets(root).unwrap(), ["shop/prod", "two"]);
    }
}
