//! Rendered files cut into objects, hooks taken out, all in the order of installation (rendering §3.5, correction x).

mod head;
mod order;
mod scanned;

pub(crate) use head::Head;

use crate::error::HelmError;

/// One document of the result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    /// The template that it came from: `chart/templates/x.yaml`.
    pub source: String,
    /// Without space around it.
    pub text: String,
    pub api_version: String,
    pub kind: String,
    pub name: String,
    pub hook: Option<Hook>,
}

/// When a document is applied that does not belong to the release itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hook {
    /// `pre-install`, `test`, …
    pub events: Vec<String>,
    pub weight: i64,
    pub delete_policies: Vec<String>,
    pub output_log_policies: Vec<String>,
}

impl Hook {
    pub fn is_test(&self) -> bool {
        self.events.iter().any(|event| event == "test")
    }
}

const EVENTS: [&str; 9] = [
    "pre-install",
    "post-install",
    "pre-delete",
    "post-delete",
    "pre-upgrade",
    "post-upgrade",
    "pre-rollback",
    "post-rollback",
    "test",
];

/// What a chart rendered to.
#[derive(Debug, Default)]
pub(crate) struct Sorted {
    pub objects: Vec<Document>,
    pub hooks: Vec<Document>,
    pub warnings: Vec<String>,
}

/// Cuts files, which are in the order of their names.
pub(crate) fn sorted(files: impl IntoIterator<Item = (String, String)>) -> Result<Sorted, HelmError> {
    let mut sorted = Sorted::default();
    // One after the other: what a file took, the documents of the next can have.
    for (source, text) in files {
        for text in split(&text) {
            sorted.add(&source, text)?;
        }
    }
    sorted.objects.sort_by(|a, b| order::by_kind(&a.kind, &b.kind));
    sorted.hooks.sort_by(|a, b| order::by_kind(&a.kind, &b.kind));
    Ok(sorted)
}

/// The documents of a text, each without space around it: cut at `(?:\A|\s*\n)---\s*`. By hand, because to compile the expression
/// takes longer than to read a chart.
pub(crate) fn split(text: &str) -> impl Iterator<Item = &str> {
    const SPACE: [char; 5] = ['\t', '\n', '\x0c', '\r', ' '];
    let text = text.trim();
    // What the next document begins with; none after the last.
    let mut rest = Some(text.strip_prefix("---").map_or(text, |text| text.trim_start_matches(SPACE)));
    std::iter::from_fn(move || {
        let text = rest.take()?;
        let Some(end) = text.find("\n---") else { return Some(text) };
        rest = Some(text[end + "\n---".len()..].trim_start_matches(SPACE));
        Some(text[..end].trim_end_matches(SPACE))
    })
    .filter(|piece| !piece.is_empty())
    .map(str::trim)
}

impl Sorted {
    fn add(&mut self, source: &str, text: &str) -> Result<(), HelmError> {
        let head = Head::read(text).map_err(|problem| HelmError::Manifest { file: source.to_owned(), problem })?;
        let mut document = Document {
            source: source.to_owned(),
            text: text.to_owned(),
            api_version: head.api_version,
            kind: head.kind,
            name: head.name,
            hook: None,
        };
        let annotation = |name: &str| head.annotations.iter().find(|(known, _)| known == name).map(|(_, value)| value);
        let Some(types) = annotation("helm.sh/hook") else {
            self.objects.push(document);
            return Ok(());
        };
        let words = |text: &str| text.split(',').map(|word| word.trim().to_lowercase()).collect::<Vec<_>>();
        let mut events = words(types);
        events.iter_mut().filter(|event| *event == "test-success").for_each(|event| *event = "test".to_owned());
        if !events.iter().all(|event| EVENTS.contains(&&**event)) {
            self.warnings.push(format!("info: skipping unknown hook: {types:?} in {source}"));
            return Ok(());
        }
        document.hook = Some(Hook {
            events,
            weight: annotation("helm.sh/hook-weight").and_then(|weight| weight.parse().ok()).unwrap_or(0),
            delete_policies: annotation("helm.sh/hook-delete-policy").map(|text| words(text)).unwrap_or_default(),
            output_log_policies: annotation("helm.sh/hook-output-log-policy")
                .map(|text| words(text))
                .unwrap_or_default(),
        });
        self.hooks.push(document);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_of_a_text() {
        for (text, wanted) in [
            ("a: 1\n---\nb: 2\n", vec!["a: 1", "b: 2"]),
            ("---\n# only a comment\n---\n\n---\na: 1", vec!["# only a comment", "---\na: 1"]),
            ("a: 1\n  \n---b: 2", vec!["a: 1", "b: 2"]),
            ("a: |\n  ---\n  b", vec!["a: |\n  ---\n  b"]),
            ("a: 1\n---\n\n---\nb: 2", vec!["a: 1", "---\nb: 2"]),
            ("--- a: 1\n\n \n---- b: 2\n---", vec!["a: 1", "- b: 2"]),
            ("  \n ", vec![]),
        ] {
            assert_eq!(split(text).collect::<Vec<_>>(), wanted, "{text:?}");
        }
    }
}
