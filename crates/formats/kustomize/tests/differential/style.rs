//! The same object, written differently.

use crate::random::Random;
use windlass_yaml::{NumberStyle, Options, parse};

/// The text in some style, with a line end, and the ending of a file for it.
pub(crate) fn restyled(random: &mut Random, text: &str) -> (String, &'static str) {
    match random.below(24) {
        0 => match json(text) {
            Some(json) => (json + "\n", random.pick(&["json", "yaml"])),
            None => (text.to_owned(), "yaml"),
        },
        1 => {
            let items: String = text
                .lines()
                .enumerate()
                .map(|(n, line)| format!("{}{line}\n", if n == 0 { "- " } else { "  " }))
                .collect();
            let kind = random.pick(&["List", "ConfigMapList", "List"]);
            (format!("apiVersion: v1\nkind: {kind}\nitems:\n{items}"), "yaml")
        }
        2 => {
            let commented = text.lines().map(|line| {
                if line.starts_with(' ') || line.starts_with('-') {
                    format!("{line}\n")
                } else {
                    format!("# about {line}\n{line}\n")
                }
            });
            (commented.collect(), "yaml")
        }
        3 => (text.replace("kind: ", "\"kind\": ").replace("metadata:", "'metadata':"), "yaml"),
        4 => (text.replace('\n', "\r\n"), "yaml"),
        5 => (format!("# before\n\n{text}\n# after\n"), "yml"),
        6 => (
            text.replacen("    app: web\n", "    <<: {app: web, merged: here}\n", 1).replacen(
                "protocol: TCP",
                "protocol: !!str TCP",
                1,
            ),
            "yaml",
        ),
        _ => (text.to_owned(), "yaml"),
    }
}

fn json(text: &str) -> Option<String> {
    let documents = parse("object", text, &Options::OBJECTS).ok()?;
    let value = documents.first()?.root.to_json(NumberStyle::Typed);
    serde_json::to_string_pretty(&value).ok()
}
