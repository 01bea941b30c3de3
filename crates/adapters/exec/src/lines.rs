//! From chunks to lines. Separate from running: what is printed is masked in between.

/// One line without its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    pub text: String,
    /// The line was longer than allowed; what follows is its next part.
    pub cut: bool,
}

/// Splits a stream into lines of bounded length. Bytes that are no text become replacement characters.
#[derive(Debug)]
pub struct LineSplitter {
    longest: usize,
    begun: Vec<u8>,
}

impl LineSplitter {
    /// `longest` in bytes; lines of the log service have at most 70 KB (kubernetes-deploy §4.6).
    pub fn new(longest: usize) -> Self {
        Self { longest: longest.max(4), begun: Vec::new() }
    }

    /// Takes a chunk and gives back the lines it completes.
    pub fn push(&mut self, chunk: &[u8]) -> Vec<Line> {
        let mut lines = Vec::new();
        for piece in chunk.split_inclusive(|byte| *byte == b'\n') {
            let (text, ended) = match piece.strip_suffix(b"\n") {
                Some(text) => (text, true),
                None => (piece, false),
            };
            self.begun.extend_from_slice(text);
            while self.begun.len() > self.longest {
                let rest = self.begun.split_off(character_border(&self.begun, self.longest));
                lines.push(line(&std::mem::replace(&mut self.begun, rest), true));
            }
            if ended {
                lines.push(line(&std::mem::take(&mut self.begun), false));
            }
        }
        lines
    }

    /// The line that the stream ended in.
    pub fn finish(self) -> Option<Line> {
        (!self.begun.is_empty()).then(|| line(&self.begun, false))
    }
}

fn line(bytes: &[u8], cut: bool) -> Line {
    let bytes = if cut { bytes } else { bytes.strip_suffix(b"\r").unwrap_or(bytes) };
    Line { text: String::from_utf8_lossy(bytes).into_owned(), cut }
}

/// The last place up to `at` that is not inside of a character.
fn character_border(bytes: &[u8], at: usize) -> usize {
    let inside = |index: &usize| bytes.get(*index).is_some_and(|byte| byte & 0xc0 == 0x80);
    (at.saturating_sub(3)..=at).rev().find(|index| !inside(index)).unwrap_or(at)
}

#[cfg(test)]
mod tests {
    use super::LineSplitter;

    fn split(longest: usize, chunks: &[&str]) -> Vec<String> {
        let mut splitter = LineSplitter::new(longest);
        let mut lines: Vec<_> = chunks.iter().flat_map(|chunk| splitter.push(chunk.as_bytes())).collect();
        lines.extend(splitter.finish());
        lines.into_iter().map(|line| if line.cut { line.text + "…" } else { line.text }).collect()
    }

    #[test]
    fn lines_are_put_together_and_cut() {
        assert_eq!(split(100, &["a\nb", "c\r\n", "\nd"]), ["a", "bc", "", "d"]);
        assert_eq!(split(100, &["a\n"]), ["a"]);
        assert_eq!(split(4, &["abcdefghij\nk"]), ["abcd…", "efgh…", "ij", "k"]);
        assert_eq!(split(4, &["abcd\n"]), ["abcd"]);
        assert_eq!(split(4, &["abcé"]), ["abc…", "é"]);
        assert_eq!(split(4, &[]), [""; 0]);
        let mut splitter = LineSplitter::new(4);
        assert_eq!(splitter.push(&[0xff, b'\n'])[0].text, "\u{fffd}");
        assert_eq!(splitter.push(&[0x80; 9]).len(), 2);
    }
}
