//! What the demo says to its reader.

use crate::output;
use std::io::IsTerminal as _;

/// The headline of a chapter.
pub(super) fn chapter(number: usize, title: &str) {
    output::line("");
    output::line(strong(&format!("{number}. {title}")));
}

/// A sentence about what happens next or was just seen.
pub(super) fn say(text: impl AsRef<str>) {
    for line in text.as_ref().lines() {
        output::line(format!("   {line}"));
    }
}

/// A command line, as one would type it.
pub(super) fn prompt(arguments: &[&str]) {
    let words: Vec<String> = arguments
        .iter()
        .map(|word| if word.contains(' ') { format!("'{word}'") } else { (*word).to_owned() })
        .collect();
    output::line(strong(&format!("   $ windlass {}", words.join(" "))));
}

fn strong(text: &str) -> String {
    if std::io::stdout().is_terminal() { format!("\u{1b}[1m{text}\u{1b}[0m") } else { text.to_owned() }
}
