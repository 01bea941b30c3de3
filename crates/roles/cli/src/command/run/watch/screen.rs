//! The part of a terminal that is drawn again and again.

use console::Term;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// How often a second the terminal is written to at most.
const RATE: u8 = 20;

/// Lines at the end of a terminal. Dropping it takes them away.
pub(super) struct Screen {
    term: Term,
    bar: ProgressBar,
    width: usize,
    drawn: String,
}

impl Screen {
    /// Nothing when nobody looks: standard output is no terminal, or one that cannot go back over what it has written.
    pub(super) fn open() -> Option<Self> {
        let term = Term::buffered_stdout();
        let able = term.features().is_attended() && !is_dumb();
        let (_, width) = term.size_checked().filter(|_| able)?;
        Some(Self { bar: bar(&term), term, width: width.into(), drawn: String::new() })
    }

    /// Width and height in characters, right now.
    pub(super) fn size(&self) -> (usize, usize) {
        let (height, width) = self.term.size();
        (width.into(), height.into())
    }

    /// Replaces what was drawn. Lines must fit the width.
    pub(super) fn draw(&mut self, lines: &[String]) {
        let (width, _) = self.size();
        if width != self.width {
            // The terminal has broken the old lines anew: where they begin is not known any more.
            self.width = width;
            self.bar.set_draw_target(ProgressDrawTarget::hidden());
            let _ = self.term.clear_screen().and_then(|()| self.term.flush());
            self.bar = bar(&self.term);
            self.drawn.clear();
        }
        let lines = lines.join("\n");
        if lines != self.drawn {
            self.bar.set_message(lines.clone());
            self.drawn = lines;
        }
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

fn bar(term: &Term) -> ProgressBar {
    let target = ProgressDrawTarget::term(term.clone(), RATE);
    let style = ProgressStyle::with_template("{msg}").unwrap_or_else(|_| ProgressStyle::default_spinner());
    ProgressBar::with_draw_target(None, target).with_style(style)
}

fn is_dumb() -> bool {
    #[allow(clippy::disallowed_methods, reason = "what kind of terminal this is stands nowhere else")]
    std::env::var("TERM").is_ok_and(|term| term == "dumb")
}
