//! Patches that a service brings along for a kustomization (kubernetes-deploy §1.5).
//!
//! Their files are written beside the kustomization and added to its `patches`. A file that holds a part of a kustomization
//! instead of a patch, for example `images`, is added to the field of that name.

use crate::error::RenderError;
use crate::store::clean;
use crate::tree::Tree;
use serde_json::{Map, Value as Json, json};
use windlass_diagnostic::nearest;
use windlass_kustomize::NAMES;
use windlass_yaml::{Editor, NumberStyle, Options, Path, to_yaml};

/// Lists of a kustomization that a file of patches may add to.
const PARTS: &[&str] =
    &["images", "replicas", "patches", "labels", "configMapGenerator", "secretGenerator", "replacements"];

/// Adds patches, as texts with their expressions resolved, to the kustomization of a folder.
pub(crate) fn add(tree: &mut Tree, folder: &str, patches: &[(String, String)]) -> Result<(), RenderError> {
    if patches.is_empty() {
        return Ok(());
    }
    let at = |name: &str| format!("{folder}/{name}");
    let Some(file) = NAMES.iter().map(|name| at(name)).find(|path| tree.get(path).is_some()) else {
        // The build itself tells it best.
        return Ok(());
    };
    let bytes = tree.get(&file).unwrap_or_default();
    let text = windlass_yaml::decode(&*file, &bytes)?;
    let mut editor = Editor::new(&*file, text, &Options::CONTROL)?;
    for (number, (path, text)) in patches.iter().enumerate() {
        match part(path, text)? {
            Some(fields) => {
                for (name, items) in fields {
                    items.as_array().into_iter().flatten().try_for_each(|item| append(&mut editor, &name, item))?;
                }
            }
            None if text.trim().is_empty() => {}
            None => {
                let base = path.rsplit('/').next().unwrap_or(path);
                let name = format!("windlass-patch-{}-{base}", number + 1);
                tree.insert(&at(&name), text.as_bytes());
                append(&mut editor, "patches", &json!({ "path": name }))?;
            }
        }
    }
    tree.insert(&file, editor.text().as_bytes());
    Ok(())
}

/// The lists of a file that is a part of a kustomization; nothing when it is a patch.
fn part(path: &str, text: &str) -> Result<Option<Map<String, Json>>, RenderError> {
    let documents = windlass_yaml::parse(path, text, &Options::CONTROL)?;
    let [document] = documents.as_slice() else { return Ok(None) };
    let Json::Object(fields) = document.root.to_json(NumberStyle::Typed) else {
        if document.root.is_null() {
            return Ok(None);
        }
        let what =
            format!("{path} holds a list: a JSON patch needs a target, so write `patches: [{{target: …, patch: …}}]`");
        return Err(RenderError::Service(what));
    };
    let is_kustomization = fields.get("kind").is_some_and(|kind| kind == "Kustomization" || kind == "Component");
    if fields.contains_key("kind") && !is_kustomization {
        return Ok(None);
    }
    let mut lists = Map::new();
    for (name, value) in fields {
        if ["kind", "apiVersion", "metadata"].contains(&name.as_str()) {
            continue;
        }
        if !PARTS.contains(&name.as_str()) || !value.is_array() {
            let near = nearest(&name, PARTS.iter().copied()).map(|near| format!("; did you mean `{near}`?"));
            return Err(RenderError::Service(format!(
                "{path} is neither a patch (it has no `kind`) nor a part of a kustomization that can be added \
                 (`{name}`; lists of {} can){}",
                PARTS.join(", "),
                near.unwrap_or_default()
            )));
        }
        lists.insert(name, value);
    }
    Ok(Some(lists))
}

/// Adds an item to a list of the kustomization.
fn append(editor: &mut Editor, name: &str, item: &Json) -> Result<(), RenderError> {
    let root = editor.documents().first().map(|document| &document.root);
    let there = root.and_then(|root| root.get(name)).and_then(|list| list.as_seq()).map(<[_]>::len);
    let field = Path::default().key(name);
    let changed = match there {
        Some(count) if count > 0 => editor.insert(0, &field.index(count), item),
        _ => editor.set(0, &field, &json!([item])),
    };
    if changed.is_ok() {
        return Ok(());
    }
    // A layout that cannot be changed in place is written anew.
    let mut whole = root_of(editor);
    match whole.entry(name.to_owned()).or_insert_with(|| json!([])) {
        Json::Array(items) => items.push(item.clone()),
        other => *other = json!([item]),
    }
    let text = to_yaml(&Json::Object(whole));
    *editor = Editor::new("kustomization.yaml", text, &Options::CONTROL)?;
    Ok(())
}

fn root_of(editor: &Editor) -> Map<String, Json> {
    match editor.documents().first().map(|document| document.root.to_json(NumberStyle::Typed)) {
        Some(Json::Object(fields)) => fields,
        _ => Map::new(),
    }
}

/// A folder below another one, both from the root of the repository. Nothing when it leads out.
pub(crate) fn below(folder: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(clean(&parts.join("/")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn added(kustomization: &str, patches: &[(&str, &str)]) -> Result<String, String> {
        let mut tree = Tree::default();
        tree.insert("app/kustomization.yaml", kustomization.as_bytes());
        let patches: Vec<_> = patches.iter().map(|(path, text)| ((*path).into(), (*text).into())).collect();
        add(&mut tree, "app", &patches).map_err(|error| error.to_string())?;
        let files = tree.paths().join(" ");
        let text = String::from_utf8(tree.get("app/kustomization.yaml").unwrap().to_vec()).unwrap();
        Ok(format!("# {files}\n{text}"))
    }

    const PATCH: &str = "kind: Deployment\nmetadata: {name: web}\n";

    #[test]
    fn patches_stand_at_the_end() {
        let text = added("resources: [a.yaml]\n# why\nnamePrefix: dev-\n", &[("p/replicas.yaml", PATCH)]);
        assert_eq!(
            text.unwrap(),
            "# app/kustomization.yaml app/windlass-patch-1-replicas.yaml\nresources: [a.yaml]\n# why\nnamePrefix: dev-\npatches:\n- path: windlass-patch-1-replicas.yaml\n"
        );
        let text = added("patches:\n- path: own.yaml # mine\n", &[("a.yaml", PATCH), ("b.yaml", PATCH)]).unwrap();
        assert!(
            text.ends_with(
                "patches:\n- path: own.yaml # mine\n- path: windlass-patch-1-a.yaml\n- path: windlass-patch-2-b.yaml\n"
            ),
            "{text}"
        );
    }

    #[test]
    fn parts_of_kustomizations_join_their_lists() {
        let images = "images:\n- {name: app, newTag: v2}\n";
        let text = added("images:\n- {name: web, newTag: v1}\n", &[("images.yaml", images)]).unwrap();
        let (_, yaml) = text.split_once('\n').unwrap();
        let found = windlass_yaml::parse("k", yaml, &Options::CONTROL).unwrap()[0].root.to_json(NumberStyle::Typed);
        assert_eq!(found, json!({"images": [{"name": "web", "newTag": "v1"}, {"name": "app", "newTag": "v2"}]}));
        let wrong = added("resources: []\n", &[("x.yaml", "image:\n- {name: app}\n")]).unwrap_err();
        assert!(wrong.contains("neither a patch") && wrong.contains("did you mean `images`?"), "{wrong}");
        let list = added("resources: []\n", &[("x.yaml", "- {op: add, path: /a, value: 1}\n")]).unwrap_err();
        assert!(list.contains("needs a target"), "{list}");
        assert!(added("resources: []\n", &[("x.yaml", "# nothing\n")]).is_ok());
    }

    #[test]
    fn folders_stay_inside() {
        assert_eq!(below("k8s", "overlays/prod").as_deref(), Some("k8s/overlays/prod"));
        assert_eq!(below("", "./x/").as_deref(), Some("x"));
        assert_eq!(below("k8s/a", "../b").as_deref(), Some("k8s/b"));
        assert_eq!(below("k8s", "../.."), None);
    }
}
