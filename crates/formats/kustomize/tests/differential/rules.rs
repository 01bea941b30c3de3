//! Differences that `docs/compatibility/kustomize.md` tells of, by the number of the rule.

use crate::project::Files;

pub(crate) fn explains(files: &Files, ours: &Result<String, String>, theirs: &Result<String, String>) -> Option<u8> {
    match (ours, theirs) {
        (_, Err(theirs)) if theirs.contains("json: unsupported type: map[interface {}]interface {}") => Some(2),
        (Err(ours), _) if ours.contains("stands twice in this mapping") => Some(3),
        (Err(ours), _) if ours.contains("a hash can be made of ConfigMaps and Secrets only") => Some(10),
        // What its own writer printed for a text that starts with a tab.
        (Ok(_), Err(theirs))
            if theirs.contains("found a tab character where an indentation")
                && (theirs.contains("map[string]interface {}{")
                    || files.iter().any(|(_, text)| text.starts_with(b"\t"))) =>
        {
            Some(13)
        }
        // What it never looked at behind the first document.
        (Err(ours), Ok(_))
            if [
                "this bracket closes nothing",
                "does not belong to the document above",
                "a key must be a text, and here it is a mapping",
            ]
            .iter()
            .any(|it| ours.contains(it)) =>
        {
            Some(14)
        }
        _ => None,
    }
}
