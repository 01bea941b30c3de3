use super::scanned;
use crate::decode;
use windlass_yaml::Value;

/// What Helm looks at in a document.
#[derive(Debug, Default)]
pub(crate) struct Head {
    pub api_version: String,
    pub kind: String,
    pub name: String,
    pub annotations: Vec<(String, String)>,
}

impl Head {
    /// The whole document must be YAML, and its head have the right types.
    pub(crate) fn read(text: &str) -> Result<Self, String> {
        scanned::head(text).map_or_else(|| Self::parsed(text), Ok)
    }

    /// From the whole tree, or what is wrong.
    pub(super) fn parsed(text: &str) -> Result<Self, String> {
        let documents = windlass_yaml::parse("", text, &decode::RULES);
        let documents = documents.map_err(|problems| {
            let first = problems.iter().next();
            first.map_or_else(String::new, |problem| format!("error converting YAML to JSON: yaml: {problem}"))
        })?;
        let Some(document) = documents.first() else { return Ok(Self::default()) };
        let read = || {
            let Some(map) = decode::map(&document.root, "releaseutil.SimpleHead")? else { return Ok(Self::default()) };
            let mut head = Self {
                api_version: decode::text(map, "apiVersion")?,
                kind: decode::text(map, "kind")?,
                ..Self::default()
            };
            if let Some(metadata) = decode::field(map, "metadata").filter(|node| !matches!(node.value, Value::Null)) {
                let Some(metadata) = decode::map(metadata, "field SimpleHead.metadata")? else { return Ok(head) };
                head.name = decode::text(metadata, "name")?;
                head.annotations = decode::text_map(metadata, "annotations")?.unwrap_or_default();
            }
            Ok(head)
        };
        read().map_err(|problem: crate::error::FileProblem| format!("error unmarshaling JSON: {problem}"))
    }
}
