use super::{Dependency, Metadata};
use crate::decode;
use crate::error::FileProblem;
use serde_json::{Map, Value as Json};
use sha2::{Digest, Sha256};

/// `Chart.lock`: the versions that dependencies were resolved to (rendering §3.3).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lock {
    /// When it was written, as it stands there.
    pub generated: String,
    /// Of the dependencies as `Chart.yaml` and this file list them.
    pub digest: String,
    pub dependencies: Vec<Dependency>,
}

impl Lock {
    pub(crate) fn read(text: &str) -> Result<Self, FileProblem> {
        let Some(root) = decode::document(text)? else { return Ok(Self::default()) };
        let Some(map) = decode::map(&root, "chart.Lock")? else { return Ok(Self::default()) };
        let items = decode::list(map, "dependencies")?.unwrap_or_default();
        Ok(Self {
            generated: decode::text(map, "generated")?,
            digest: decode::text(map, "digest")?,
            dependencies: items.iter().map(Dependency::read).collect::<Result<_, _>>()?,
        })
    }

    /// Whether it was made for these dependencies.
    pub fn is_for(&self, metadata: &Metadata) -> bool {
        let wanted = metadata.dependencies.as_deref().unwrap_or_default();
        self.digest == digest(wanted, &self.dependencies)
    }
}

/// The reference hashes both lists as one JSON text.
fn digest(wanted: &[Dependency], locked: &[Dependency]) -> String {
    let lists = [wanted, locked].map(|list| list.iter().map(text).collect::<Vec<_>>().join(","));
    let json = format!("[[{}],[{}]]", lists[0], lists[1]);
    let hex: String = Sha256::digest(json.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect();
    format!("sha256:{hex}")
}

/// A dependency as Go encodes it: fields in the order of the struct, empty ones left out.
fn text(one: &Dependency) -> String {
    let quoted = |text: &str| escaped(&Json::String(text.to_owned()).to_string());
    let mut fields = vec![format!("\"name\":{}", quoted(&one.name))];
    let mut optional = |name: &str, value: &str| {
        if !value.is_empty() {
            fields.push(format!("\"{name}\":{}", quoted(value)));
        }
    };
    optional("version", &one.version);
    fields.push(format!("\"repository\":{}", quoted(&one.repository)));
    let mut optional = |name: &str, value: &str| {
        if !value.is_empty() {
            fields.push(format!("\"{name}\":{}", quoted(value)));
        }
    };
    optional("condition", &one.condition);
    let list = |items: &[Json]| escaped(&Json::Array(items.iter().map(sorted).collect()).to_string());
    if let Some(tags) = one.tags.as_deref().filter(|tags| !tags.is_empty()) {
        let tags: Vec<Json> = tags.iter().map(|tag| Json::String(tag.clone())).collect();
        fields.push(format!("\"tags\":{}", list(&tags)));
    }
    if one.enabled {
        fields.push("\"enabled\":true".to_owned());
    }
    if let Some(imports) = one.import_values.as_deref().filter(|imports| !imports.is_empty()) {
        fields.push(format!("\"import-values\":{}", list(imports)));
    }
    if !one.alias.is_empty() {
        fields.push(format!("\"alias\":{}", quoted(&one.alias)));
    }
    format!("{{{}}}", fields.join(","))
}

fn sorted(json: &Json) -> Json {
    match json {
        Json::Object(entries) => {
            let mut all: Vec<(&String, &Json)> = entries.iter().collect();
            all.sort_by_key(|(key, _)| *key);
            Json::Object(all.into_iter().map(|(key, value)| (key.clone(), sorted(value))).collect::<Map<_, _>>())
        }
        Json::Array(items) => items.iter().map(sorted).collect(),
        other => other.clone(),
    }
}

/// Go's encoder makes its texts safe for HTML.
fn escaped(json: &str) -> String {
    json.replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026")
}
