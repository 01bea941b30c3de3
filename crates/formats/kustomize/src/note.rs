//! Where objects come from, as annotations say it (rendering §1.15).

use crate::error::Result;
use crate::files::clean;
use crate::git_url;
use crate::object::Object;
use windlass_yaml::{Options, parse_one};

pub(crate) const ORIGIN: &str = "config.kubernetes.io/origin";
pub(crate) const TRANSFORMATIONS: &str = "alpha.config.kubernetes.io/transformations";

/// The origin of an object, or the configuration of what changed it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Note {
    pub(crate) path: String,
    pub(crate) repo: String,
    pub(crate) reference: String,
    pub(crate) configured_in: String,
    pub(crate) configured_by: Option<Plugin>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Plugin {
    pub(crate) api_version: String,
    pub(crate) kind: String,
    pub(crate) name: String,
    pub(crate) namespace: String,
}

impl Note {
    /// The note of something that this one's kustomization names.
    pub(crate) fn below(&self, path: &str) -> Self {
        let mut note = self.clone();
        let mut path = path.to_owned();
        if let Some(source) = git_url::parse(&path) {
            note.repo = source.clone;
            note.path = String::new();
            note.reference = source.reference;
            path = source.path;
        }
        note.path = joined(&note.path, &path);
        note
    }

    /// The note of a built-in generator or transformer of a kustomization file.
    pub(crate) fn builtin(&self, file: &str, kind: &str) -> Self {
        Self {
            path: String::new(),
            repo: self.repo.clone(),
            reference: self.reference.clone(),
            configured_in: joined(&self.path, file),
            configured_by: Some(Plugin { api_version: "builtin".into(), kind: kind.into(), ..Plugin::default() }),
        }
    }

    /// The note of a plugin whose configuration is an object.
    pub(crate) fn of_plugin(config: &Object) -> Option<Self> {
        let (_, text) = config.tree.meta_map("annotations").find(|(key, _)| *key == ORIGIN)?;
        let document = parse_one("", text, &Options::CONTROL).ok()?;
        let part = |name| document.root.get(name).and_then(|node| node.as_str()).unwrap_or_default().to_owned();
        Some(Self {
            path: String::new(),
            repo: part("repo"),
            reference: part("ref"),
            configured_in: part("path"),
            configured_by: Some(Plugin {
                api_version: config.api_version().to_owned(),
                kind: config.kind().to_owned(),
                name: config.name().to_owned(),
                namespace: config.namespace().to_owned(),
            }),
        })
    }

    fn lines(&self) -> Vec<String> {
        let mut out = Vec::new();
        let add = |out: &mut Vec<String>, indent: &str, key: &str, value: &str| {
            if !value.is_empty() {
                let text = windlass_yaml::to_yaml(&serde_json::Value::String(value.to_owned()));
                out.push(format!("{indent}{key}: {}", text.trim_end()));
            }
        };
        add(&mut out, "", "path", &self.path);
        add(&mut out, "", "repo", &self.repo);
        add(&mut out, "", "ref", &self.reference);
        add(&mut out, "", "configuredIn", &self.configured_in);
        if let Some(by) = &self.configured_by {
            out.push("configuredBy:".to_owned());
            add(&mut out, "  ", "apiVersion", &by.api_version);
            add(&mut out, "  ", "kind", &by.kind);
            add(&mut out, "  ", "name", &by.name);
            add(&mut out, "  ", "namespace", &by.namespace);
        }
        out
    }

    pub(crate) fn text(&self) -> String {
        let lines = self.lines();
        if lines.is_empty() { "{}\n".into() } else { lines.iter().map(|line| format!("{line}\n")).collect() }
    }

    /// As an item of a list.
    fn item(&self) -> String {
        let mut out = String::new();
        for (number, line) in self.lines().iter().enumerate() {
            out.push_str(if number == 0 { "- " } else { "  " });
            out.push_str(line);
            out.push('\n');
        }
        if out.is_empty() { "- {}\n".into() } else { out }
    }

    /// Notes on an object that a transformer has seen it.
    pub(crate) fn add_transformation(&self, object: &mut Object) -> Result<()> {
        if !has_origin(object) {
            return set(object, ORIGIN, Some(self.text()));
        }
        let before = object.tree.meta_map("annotations").find(|(key, _)| *key == TRANSFORMATIONS);
        let text = format!("{}{}", before.map(|(_, text)| text).unwrap_or_default(), self.item());
        set(object, TRANSFORMATIONS, Some(text))
    }
}

pub(crate) fn has_origin(object: &Object) -> bool {
    object.tree.meta_map("annotations").any(|(key, _)| key == ORIGIN)
}

/// Sets an annotation or removes it. All annotations become strings.
pub(crate) fn set(object: &mut Object, key: &str, value: Option<String>) -> Result<()> {
    let kept = object.tree.meta_map("annotations").filter(|(other, _)| *other != key);
    let mut entries: Vec<(String, String)> = kept.map(|(k, v)| (k.to_owned(), v.to_owned())).collect();
    entries.extend(value.map(|value| (key.to_owned(), value)));
    object.tree.set_meta_map("annotations", entries)
}

fn joined(folder: &str, path: &str) -> String {
    match (folder.is_empty(), path.is_empty()) {
        (true, true) => String::new(),
        (true, false) => clean(path),
        (false, true) => clean(folder),
        (false, false) => clean(&format!("{folder}/{path}")),
    }
}
