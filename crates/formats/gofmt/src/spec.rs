/// What stands between `%` and the verb.
#[derive(Clone, Copy, Debug, Default)]
pub struct Spec {
    pub plus: bool,
    pub minus: bool,
    pub sharp: bool,
    pub space: bool,
    pub zero: bool,
    /// `%#v`: Go's own syntax. Then `sharp` is not set.
    pub go_syntax: bool,
    /// `%+v`: with the names of fields. Then `plus` is not set.
    pub fields: bool,
    /// In characters.
    pub width: Option<usize>,
    pub precision: Option<usize>,
}

impl Spec {
    /// Writes a text, filled up to the width: on the left with spaces, or zeros, on the right with `-`.
    pub fn pad(&self, out: &mut String, text: &str) {
        let start = out.len();
        out.push_str(text);
        self.fill(out, start);
    }

    /// Fills up what was written from there on.
    pub(crate) fn fill(&self, out: &mut String, start: usize) {
        let Some(width) = self.width else { return };
        let missing = width.saturating_sub(out[start..].chars().count());
        if self.minus {
            many(out, " ", missing);
        } else if missing > 0 {
            out.insert_str(start, &if self.zero { "0" } else { " " }.repeat(missing));
        }
    }

    /// The sign in front of a number.
    #[must_use]
    pub fn sign(&self, is_negative: bool) -> &'static str {
        match (is_negative, self.plus, self.space) {
            (true, ..) => "-",
            (false, true, _) => "+",
            (false, false, true) => " ",
            _ => "",
        }
    }

    /// The width, where zeros were asked for: they stand on the left only.
    #[must_use]
    pub fn zeros(&self) -> Option<usize> {
        self.width.filter(|_| self.zero && !self.minus)
    }
}

/// So many spaces or zeros. A width can ask for a million, which one by one would take long.
pub(crate) fn many(out: &mut String, text: &str, count: usize) {
    if count > 0 {
        out.push_str(&text.repeat(count));
    }
}
