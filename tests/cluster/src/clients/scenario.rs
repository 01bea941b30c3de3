//! The scenarios, read from their file.

/// Command lines that belong together.
#[derive(Clone, Debug)]
pub struct Scenario {
    pub name: &'static str,
    pub lines: Vec<Line>,
}

/// One command line.
#[derive(Clone, Debug)]
pub struct Line {
    pub how: How,
    /// `kubectl` or `helm`.
    pub program: &'static str,
    pub arguments: Vec<String>,
    pub text: &'static str,
}

impl Line {
    /// Whether it changes nothing, however often it is typed.
    pub fn only_reads(&self) -> bool {
        self.program == "kubectl" && self.arguments.first().is_some_and(|word| word == "get")
    }
}

/// What of the output is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    Whole,
    LastLine,
    /// The whole, of a client that does not show who owns which fields: old ones do, in an order that hangs on the second.
    WithoutOwners,
    Nothing,
}

pub fn scenarios() -> Vec<Scenario> {
    read(include_str!("../../clients/scenarios.txt"))
}

fn read(text: &'static str) -> Vec<Scenario> {
    let mut all: Vec<Scenario> = Vec::new();
    for text in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if let Some(name) = text.strip_prefix("== ") {
            all.push(Scenario { name, lines: Vec::new() });
        } else if let Some(scenario) = all.last_mut() {
            scenario.lines.push(line(text));
        }
    }
    all
}

fn line(text: &'static str) -> Line {
    let (how, text) = match text.split_once(' ') {
        Some(("last", rest)) => (How::LastLine, rest),
        Some(("new", rest)) => (How::WithoutOwners, rest),
        Some(("quiet", rest)) => (How::Nothing, rest),
        _ => (How::Whole, text),
    };
    let (program, rest) = text.split_once(' ').unwrap_or((text, ""));
    // A blank behind a backslash is part of its word.
    let words = rest.replace("\\ ", "\0");
    let arguments = words.split(' ').map(|word| word.replace('\0', " ")).collect();
    Line { how, program, arguments, text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_words_and_what_of_them_counts() {
        let read =
            read("# told\n\n== one\nkubectl get a\\ b c\nlast kubectl rollout status x\n== two\nquiet helm list\n");
        let lines: Vec<_> = read.iter().flat_map(|s| &s.lines).map(|l| (l.how, l.program, l.arguments.len())).collect();
        assert_eq!(lines, [(How::Whole, "kubectl", 3), (How::LastLine, "kubectl", 3), (How::Nothing, "helm", 1)]);
        assert_eq!(read[0].lines[0].arguments[1], "a b");
        assert_eq!(read.iter().flat_map(|s| &s.lines).map(Line::only_reads).collect::<Vec<_>>(), [true, false, false]);
    }

    #[test]
    fn there_are_scenarios_for_both_clients() {
        let all = scenarios();
        let count = |program: &str| all.iter().flat_map(|s| &s.lines).filter(|line| line.program == program).count();
        assert!(count("kubectl") > 100 && count("helm") > 15);
    }
}
