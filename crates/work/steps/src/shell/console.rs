//! What a script prints, line by line.

use std::collections::VecDeque;
use windlass_exec::{Chunk, Line, LineSplitter, Stream};
use windlass_task::Log;

/// Lines are cut here (kubernetes-deploy §4.6).
const LONGEST: usize = 70 * 1024;

/// What a failure repeats of the output.
const LAST_LINES: usize = 10;
const LAST_WIDTH: usize = 400;

/// Writes to the log and remembers the end.
#[derive(Debug)]
pub(super) struct Console<'a> {
    log: Log<'a>,
    out: LineSplitter,
    err: LineSplitter,
    last: VecDeque<String>,
}

impl<'a> Console<'a> {
    pub(super) fn new(log: Log<'a>) -> Self {
        Self { log, out: LineSplitter::new(LONGEST), err: LineSplitter::new(LONGEST), last: VecDeque::new() }
    }

    pub(super) fn take(&mut self, chunk: &Chunk) {
        let lines = match chunk.stream {
            Stream::Out => self.out.push(&chunk.bytes),
            Stream::Err => self.err.push(&chunk.bytes),
        };
        for line in lines {
            self.write(line);
        }
    }

    /// Writes the lines that were not ended.
    pub(super) fn end(&mut self) {
        for splitter in [&mut self.out, &mut self.err] {
            let rest = std::mem::replace(splitter, LineSplitter::new(LONGEST)).finish();
            if let Some(line) = rest {
                remember(&mut self.last, &line);
                self.log.info(&line.text);
            }
        }
    }

    fn write(&mut self, line: Line) {
        remember(&mut self.last, &line);
        // An empty line is a line.
        self.log.info(if line.text.is_empty() { "\n" } else { &line.text });
    }

    /// The last lines, oldest first.
    pub(super) fn tail(&self) -> String {
        self.last.iter().map(String::as_str).collect::<Vec<_>>().join("\n")
    }
}

fn remember(last: &mut VecDeque<String>, line: &Line) {
    if line.text.trim().is_empty() {
        return;
    }
    if last.len() == LAST_LINES {
        last.pop_front();
    }
    let mut text: String = line.text.chars().take(LAST_WIDTH).collect();
    if text.len() < line.text.len() {
        text.push('…');
    }
    last.push_back(text);
}
