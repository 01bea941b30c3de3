//! What two clients said, without what no two clusters share.

use super::scenario::{How, Line};
use super::seat::Output;
use fancy_regex::Regex;
use std::sync::LazyLock;

/// Where two clusters differ to a client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    pub wanted: String,
    pub got: String,
}

/// Differences that stay, by what the simulated cluster's client says; they are told in docs/compatibility/kube-sim.md.
const KNOWN: &[(&str, &str)] = &[
    (
        "doesn't support dry-run",
        "kubectl before 1.27 asks the paths of OpenAPI 2 whether a server can dry-run: the simulated one tells of none",
    ),
    (
        "the server could not find the requested resource (post",
        "an unknown version of a known group is answered with a page, not with a Status",
    ),
];

impl Difference {
    /// Why the difference is accepted.
    pub fn known(&self) -> Option<&'static str> {
        KNOWN.iter().find(|(told, _)| self.got.contains(told)).map(|(_, reason)| *reason)
    }
}

/// In this order.
static CHANGING: LazyLock<Vec<(Regex, &str)>> = LazyLock::new(|| {
    let letters = "[bcdfghjklmnpqrstvwxz2456789]";
    [
        (r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b".to_owned(), "<uid>"),
        (r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?( ?(Z|[+-]\d\d:?\d\d)( UTC)?)?".to_owned(), "<time>"),
        (r"\b[A-Z][a-z]{2} [A-Z][a-z]{2} +\d+ \d\d:\d\d:\d\d( UTC)? \d{4}\b".to_owned(), "<time>"),
        (r#"resourceVersion: "\d+""#.to_owned(), "resourceVersion: <n>"),
        (r"https://127\.0\.0\.1:\d+".to_owned(), "<server>"),
        (r"\S*/(LIVE|MERGED)-\d+/".to_owned(), "$1/"),
        (r"\b(\d{1,3}\.){3}\d{1,3}\b".to_owned(), "<ip>"),
        (format!(r"\b([a-z][a-z0-9-]*)-{letters}{{6,10}}-{letters}{{5}}\b"), "$1-<pod>"),
        (format!(r"\b([a-z][a-z0-9-]*)-{letters}{{8,10}}\b"), "$1-<hash>"),
        (format!(r"\b(once|now|agent)-{letters}{{5}}\b"), "$1-<pod>"),
        (r"(template|revision)-hash=\w+".to_owned(), "$1-hash=<hash>"),
        (r"\bnode-\d\b".to_owned(), "<node>"),
        (r"[ \t]+".to_owned(), " "),
        // Thousandths behind a colon are amounts.
        (r"(?<=\s|^)(?<!: )(\d+[smhd])+(?=\s|$)".to_owned(), "<age>"),
        (r"(?m)[ \t]+$".to_owned(), ""),
    ]
    .into_iter()
    // These are constants: one that does not hold shows in the test below.
    .filter_map(|(expression, name)| Some((Regex::new(&expression).ok()?, name)))
    .collect()
});

/// The first difference in what two clusters answered to a command line, each in its namespace.
pub fn same(line: &Line, namespace: &str, wanted: &Output, got: &Output) -> Option<Difference> {
    let (wanted, got) = (normal(line, namespace, wanted), normal(line, namespace, got));
    (wanted != got).then_some(Difference { wanted, got })
}

fn normal(line: &Line, namespace: &str, output: &Output) -> String {
    let all = |text: &str| plain(text, namespace);
    let (out, err) = (all(&output.out), all(&output.err));
    match line.how {
        How::WithoutOwners if output.out.contains("managedFields:") => format!("exit {}", output.code),
        How::Nothing => format!("exit {}", output.code),
        How::LastLine => {
            let last = |text: &str| text.trim_end().lines().last().unwrap_or_default().to_owned();
            format!("exit {}\n{}\n{}", output.code, last(&out), last(&err))
        }
        How::Whole | How::WithoutOwners if is_table(line) => {
            // Names that the cluster makes decide the order.
            let mut lines: Vec<&str> = out.lines().collect();
            lines.sort_unstable();
            format!("exit {}\n{}\n{err}", output.code, lines.join("\n"))
        }
        How::Whole | How::WithoutOwners => format!("exit {}\n{out}\n{err}", output.code),
    }
}

fn is_table(line: &Line) -> bool {
    let words = &line.arguments;
    words.first().is_some_and(|word| word == "get") && !words.iter().any(|word| word == "yaml")
}

fn plain(text: &str, namespace: &str) -> String {
    let text = text.replace(namespace, "<ns>");
    let named = CHANGING.iter().fold(text, |text, (regex, name)| regex.replace_all(&text, *name).into_owned());
    named.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_changes_gets_a_name_and_what_counts_stays() {
        assert_eq!(CHANGING.len(), 15, "every expression holds");
        for (text, expected) in [
            (
                "web-5d4f8c7b9d-x2x4z   1/1   Running   0   12s   10.1.2.3   node-2",
                "web-<pod> 1/1 Running 0 <age> <ip> <node>",
            ),
            ("replicaset.apps/web-5d4f8c7b9d   3   3", "replicaset.apps/web-<hash> 3 3"),
            ("LAST DEPLOYED: Sun Nov 22 00:12:23 2026", "LAST DEPLOYED: <time>"),
            ("diff -u -N /tmp/LIVE-123/apps.v1 /tmp/MERGED-9/apps.v1", "diff -u -N LIVE/apps.v1 MERGED/apps.v1"),
            ("--- /tmp/LIVE-1/a\t2026-11-22 00:12:23.123456 +0000", "--- LIVE/a <time>"),
            ("cpu:\t100m\nAge 5m", "cpu: 100m\nAge <age>"),
            ("deployment.apps/web configured", "deployment.apps/web configured"),
        ] {
            assert_eq!(plain(text, "shop-1"), expected);
        }
    }
}
