//! Templates by a parse tree of fixed depth: number of words, first word, then the most similar template.

use super::line::error_text;
use super::mask::mask;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use windlass_model::Timestamp;

/// Lines of one pod in one minute that are looked at (kubernetes-deploy §3.4 C).
const MOST_PER_MINUTE: u32 = 2_000;

/// Templates in all, and under one first word. What comes after them is counted as dropped.
const MOST_TEMPLATES: usize = 1_000;
const MOST_IN_LEAF: usize = 100;

/// Share of equal words from which a line belongs to a template.
const SIMILARITY: f64 = 0.5;

const ANY: &str = "<*>";

/// Which side of the comparison a line comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    Test,
    Control,
}

/// One form of line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Template {
    words: Vec<String>,
    /// The first line that had this form, cut to 512 bytes.
    pub example: String,
    pub test: u64,
    pub control: u64,
}

impl Template {
    pub fn text(&self) -> String {
        self.words.join(" ")
    }

    /// Share of equal words; a wildcard is equal to nothing.
    fn similarity(&self, words: &[String]) -> f64 {
        let equal = self.words.iter().zip(words).filter(|(a, b)| a == b && *a != ANY).count();
        equal as f64 / self.words.len().max(1) as f64
    }

    fn widen(&mut self, words: &[String]) {
        for (own, other) in self.words.iter_mut().zip(words) {
            if own != other {
                ANY.clone_into(own);
            }
        }
    }
}

/// Collects lines as they come. Its memory is bounded by the number of templates, not by the number of lines.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Miner {
    templates: Vec<Template>,
    /// `number of words` and first word, to places in `templates`.
    leaves: BTreeMap<String, Vec<usize>>,
    /// The minute a pod is in, and its lines so far.
    pace: BTreeMap<String, (i64, u32)>,
    dropped: u64,
}

impl Miner {
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes one line of a pod; lines that speak of no error are passed over.
    pub fn add(&mut self, side: Side, pod: &str, at: Timestamp, line: &str) {
        if let Some(text) = error_text(line) {
            self.add_text(side, pod, at, &text);
        }
    }

    /// Takes one line that a query has already selected.
    pub fn add_text(&mut self, side: Side, pod: &str, at: Timestamp, text: &str) {
        let words = mask(text);
        if words.is_empty() {
            return;
        }
        if !self.within_pace(pod, at) {
            self.dropped += 1;
            return;
        }
        match self.template_for(&words, text) {
            Some(template) => match side {
                Side::Test => template.test += 1,
                Side::Control => template.control += 1,
            },
            None => self.dropped += 1,
        }
    }

    pub fn templates(&self) -> &[Template] {
        &self.templates
    }

    /// Lines that were not looked at because there were too many.
    pub fn dropped(&self) -> u64 {
        self.dropped
    }

    fn within_pace(&mut self, pod: &str, at: Timestamp) -> bool {
        let minute = at.secs().div_euclid(60);
        let pace = self.pace.entry(pod.to_owned()).or_insert((minute, 0));
        if pace.0 != minute {
            *pace = (minute, 0);
        }
        pace.1 = pace.1.saturating_add(1);
        pace.1 <= MOST_PER_MINUTE
    }

    fn template_for(&mut self, words: &[String], text: &str) -> Option<&mut Template> {
        let first = words.first()?;
        // A first word that changes would make a leaf for every line.
        let key = if first.contains('<') { ANY } else { first.as_str() };
        let leaf = self.leaves.entry(format!("{} {key}", words.len())).or_default();
        let best = leaf
            .iter()
            .filter_map(|place| Some((*place, self.templates.get(*place)?.similarity(words))))
            .max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)))
            .filter(|(_, similarity)| *similarity >= SIMILARITY);
        if let Some((place, _)) = best {
            let template = self.templates.get_mut(place)?;
            template.widen(words);
            return Some(template);
        }
        if leaf.len() >= MOST_IN_LEAF || self.templates.len() >= MOST_TEMPLATES {
            return None;
        }
        leaf.push(self.templates.len());
        let example = text.chars().scan(0, |bytes, c| {
            *bytes += c.len_utf8();
            (*bytes <= 512).then_some(c)
        });
        self.templates.push(Template { words: words.to_vec(), example: example.collect(), test: 0, control: 0 });
        self.templates.last_mut()
    }
}

#[cfg(test)]
mod tests {
    use super::{Miner, Side};
    use windlass_model::Timestamp;

    fn texts(lines: &[&str]) -> Vec<String> {
        let mut miner = Miner::new();
        for line in lines {
            miner.add_text(Side::Test, "a", Timestamp::default(), line);
        }
        miner.templates().iter().map(|t| format!("{}× {}", t.test, t.text())).collect()
    }

    #[test]
    fn similar_lines_share_a_template() {
        insta::assert_snapshot!(texts(&[
            "connection to orders timed out after 30s",
            "connection to billing timed out after 5s",
            "connection to 10.0.0.1 timed out after 5s",
            "connection reset",
            "order 17 rejected by risk engine",
            "order 18 rejected by risk engine",
            "17 orders lost",
            "refunds 12 lost",
        ]).join("\n"), @r"
        3× connection to <*> timed out after <num>
        1× connection reset
        2× order <num> rejected by risk engine
        1× <num> orders lost
        1× refunds <num> lost
        ");
    }

    #[test]
    fn a_flood_is_counted_and_not_kept() {
        let mut miner = Miner::new();
        for i in 0..5_000 {
            miner.add(Side::Test, "a", Timestamp::default(), &format!("ERROR number {i}"));
        }
        assert_eq!((miner.templates().len(), miner.dropped()), (1, 3_000));
        miner.add(Side::Test, "a", Timestamp::from_secs(60), "ERROR number 1");
        assert_eq!(miner.templates()[0].test, 2_001);

        let mut miner = Miner::new();
        let letters =
            |i: u32| format!("{}{}", char::from(b'a' + (i / 26 % 26) as u8), char::from(b'a' + (i % 26) as u8));
        for i in 0..1_500 {
            let word = format!("{}{}", letters(i), letters(i / 676));
            miner.add_text(Side::Control, &word, Timestamp::default(), &format!("error {word} {word}{word} x{word}"));
        }
        assert_eq!((miner.templates().len(), miner.dropped()), (100, 1_400));
    }
}
