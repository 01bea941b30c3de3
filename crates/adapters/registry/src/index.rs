//! `index.yaml` of a Helm repository (rendering §3.6).

use crate::version;
use windlass_yaml::{Node, Options};

/// A published version of a chart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub version: String,
    /// As it is written: often relative to the index.
    pub url: String,
    /// SHA-256 in hexadecimal.
    pub digest: Option<String>,
}

/// Charts of an index.
#[derive(Debug)]
pub(crate) struct Index<'t> {
    text: &'t str,
}

impl<'t> Index<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        Self { text }
    }

    /// The versions of a chart, newest first; nothing when it is not listed.
    ///
    /// # Errors
    /// When the text is no index.
    pub(crate) fn versions(&self, name: &str) -> Result<Option<Vec<Entry>>, String> {
        // Indexes hold thousands of versions of other charts: where each chart has its lines, only those of this one are read.
        match self.section(name) {
            Some(text) => read(&text, name).or_else(|_| read(self.text, name)),
            None if self.keys().next().is_some() => Ok(None),
            None => read(self.text, name),
        }
    }

    /// The names of all charts, for a message.
    pub(crate) fn names(&self) -> Vec<String> {
        let found: Vec<String> = self.keys().map(|(name, _)| name.to_owned()).collect();
        if !found.is_empty() {
            return found;
        }
        // Not every index has a line for each.
        let documents = windlass_yaml::parse("index.yaml", self.text, &Options::CONTROL).unwrap_or_default();
        let entries = documents.first().and_then(|document| document.root.get("entries")?.as_map());
        entries.map(|entries| entries.keys().map(str::to_owned).collect()).unwrap_or_default()
    }

    /// The lines below `entries:` of one chart, as an index of their own.
    fn section(&self, name: &str) -> Option<String> {
        let mut keys = self.keys().skip_while(|(key, _)| *key != name);
        let (_, start) = keys.next()?;
        let rest = self.text.get(start..)?;
        let end = keys.next().map_or(rest.len(), |(_, next)| next - start);
        let mut lines = rest.get(..end)?.lines();
        let first = lines.next()?;
        let indent = indent(first);
        // What is less deep is another part of the index.
        let own = lines.take_while(|line| line.trim().is_empty() || self::indent(line) >= indent);
        let mut text = format!("entries:\n{first}\n");
        for line in own {
            text.push_str(line);
            text.push('\n');
        }
        Some(text)
    }

    /// The keys right below `entries:`, and where their lines begin.
    fn keys(&self) -> impl Iterator<Item = (&'t str, usize)> {
        let mut at = 0;
        let mut inside = false;
        let mut depth = None;
        self.text.split_inclusive('\n').filter_map(move |line| {
            let start = at;
            at += line.len();
            let words = line.trim();
            if words.is_empty() || words.starts_with('#') {
                return None;
            }
            let own = indent(line);
            if own == 0 && !words.starts_with('-') {
                inside = words == "entries:";
                return None;
            }
            if !inside || words.starts_with('-') || own != *depth.get_or_insert(own) {
                return None;
            }
            let key = words.split_once(':')?.0.trim().trim_matches(['"', '\'']);
            Some((key, start))
        })
    }
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

fn read(text: &str, name: &str) -> Result<Option<Vec<Entry>>, String> {
    let documents = windlass_yaml::parse("index.yaml", text, &Options::CONTROL)
        .map_err(|problems| problems.iter().next().map_or_else(|| "no YAML".to_owned(), ToString::to_string))?;
    let root = documents.first().map(|document| &document.root).ok_or("the index is empty")?;
    let entries = root.get("entries").and_then(Node::as_map).ok_or("the index has no `entries`")?;
    let Some(list) = entries.get(name).and_then(Node::as_seq) else { return Ok(None) };
    let entry = |node: &Node| {
        let text = |key: &str| node.get(key).and_then(Node::text).map(str::to_owned);
        let url = node.get("urls").and_then(Node::as_seq)?.first()?.text()?.to_owned();
        let digest = text("digest").filter(|digest| !digest.is_empty());
        let digest = digest.map(|digest| digest.trim_start_matches("sha256:").to_ascii_lowercase());
        Some(Entry { version: text("version")?, url, digest })
    };
    let mut found: Vec<Entry> = list.iter().filter_map(entry).collect();
    found.sort_by(|a, b| version::newest_first(&a.version, &b.version));
    Ok(Some(found))
}

#[cfg(test)]
mod tests {
    use super::*;

    const INDEX: &str = r#"apiVersion: v1
entries:
  cache:
  - description: |-
      entries:
        shop:
    name: cache
    urls: [cache-1.0.0.tgz]
    version: 1.0.0
  "shop":
  - name: shop
    digest: sha256:ABCD
    urls:
    - shop-1.2.0.tgz
    version: 1.2.0
  # older
  - name: shop
    urls:
    - https://files.example/shop-1.10.0.tgz
    version: 1.10.0
generated: "2026-01-01T00:00:00Z"
"#;

    #[test]
    fn the_lines_of_one_chart_are_enough() {
        let index = Index::new(INDEX);
        assert_eq!(index.names(), ["cache", "shop"]);
        let section = index.section("shop").unwrap();
        assert!(
            section.contains("1.10.0") && !section.contains("cache") && !section.contains("generated"),
            "{section}"
        );
        let found = index.versions("shop").unwrap().unwrap();
        let versions: Vec<&str> = found.iter().map(|entry| entry.version.as_str()).collect();
        assert_eq!(versions, ["1.10.0", "1.2.0"]);
        assert_eq!(found[1].digest.as_deref(), Some("abcd"));
        assert_eq!(index.versions("ship").unwrap(), None);
    }

    #[test]
    fn an_index_may_be_written_in_any_way() {
        let json = r#"{"apiVersion":"v1","entries":{"shop":[{"version":"1.0.0","urls":["a.tgz"]}]}}"#;
        assert_eq!(Index::new(json).versions("shop").unwrap().unwrap()[0].url, "a.tgz");
        assert_eq!(Index::new(json).names(), ["shop"]);
        let flow = "entries: {shop: [{version: 1.0.0, urls: [a.tgz]}]}\n";
        assert_eq!(Index::new(flow).versions("shop").unwrap().unwrap()[0].version, "1.0.0");
        for bad in ["", "<html></html>", "a: 1", "entries: 3"] {
            assert!(Index::new(bad).versions("shop").is_err(), "{bad}");
        }
    }
}
