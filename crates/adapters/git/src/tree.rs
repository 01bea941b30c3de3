//! The files of a commit: what `ls-tree` tells, and which of it is wanted.

use crate::error::GitError;

/// One entry of a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub kind: Kind,
    pub id: String,
    pub path: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    File,
    Link,
    Submodule,
    Folder,
}

/// Reads the output of `ls-tree -z`. Names that are not text are left out: nobody could have asked for them.
pub(crate) fn parse(output: &[u8]) -> Vec<Entry> {
    let entry = |line: &[u8]| {
        let line = std::str::from_utf8(line).ok()?;
        let (facts, path) = line.split_once('\t')?;
        let mut facts = facts.split(' ');
        let (mode, _, id) = (facts.next()?, facts.next()?, facts.next()?);
        let kind = match mode {
            "120000" => Kind::Link,
            "160000" => Kind::Submodule,
            "040000" => Kind::Folder,
            _ => Kind::File,
        };
        Some(Entry { kind, id: id.to_owned(), path: path.to_owned() })
    };
    output.split(|byte| *byte == 0).filter_map(entry).collect()
}

/// A path as people write it, relative to the root: `./k8s//templates/`. The root itself is empty.
pub(crate) fn normal(path: &str) -> Result<String, GitError> {
    let bad = || GitError::BadPath { path: path.to_owned() };
    if path.contains(['\0', '\n', '\\']) {
        return Err(bad());
    }
    let mut parts = Vec::new();
    for part in path.trim().trim_start_matches('/').split('/') {
        match part {
            "" | "." => {}
            ".." => return Err(bad()),
            ".git" => return Err(bad()),
            part => parts.push(part),
        }
    }
    Ok(parts.join("/"))
}

/// Where a link leads, relative to the root. Nothing when it leaves it.
pub(crate) fn follow(link: &str, target: &str) -> Option<String> {
    if target.starts_with('/') || target.is_empty() {
        return None;
    }
    let mut parts: Vec<&str> = link.split('/').collect();
    parts.pop();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_stay_inside() {
        for (path, wanted) in [
            ("k8s/templates", Some("k8s/templates")),
            ("/k8s/./a.yaml", Some("k8s/a.yaml")),
            ("./", Some("")),
            ("", Some("")),
            ("a/../../etc", None),
            ("..", None),
            (".git/config", None),
            ("a\\b", None),
        ] {
            assert_eq!(normal(path).ok().as_deref(), wanted, "{path}");
        }
    }

    #[test]
    fn links_are_followed_inside() {
        for (link, target, wanted) in [
            ("a/b/link", "../c.yaml", Some("a/c.yaml")),
            ("link", "c.yaml", Some("c.yaml")),
            ("a/link", "../../etc/passwd", None),
            ("a/link", "/etc/passwd", None),
            ("a/link", "", None),
        ] {
            assert_eq!(follow(link, target).as_deref(), wanted, "{link} -> {target}");
        }
    }

    #[test]
    fn entries_are_told_apart() {
        let output =
            b"100644 blob aa\tk8s/a b.yaml\x00120000 blob bb\tlink\x00160000 commit cc\tsub\x00040000 tree dd\tk8s\x00";
        let kinds: Vec<Kind> = parse(output).iter().map(|entry| entry.kind).collect();
        assert_eq!(kinds, [Kind::File, Kind::Link, Kind::Submodule, Kind::Folder]);
        assert_eq!(parse(output)[0].path, "k8s/a b.yaml");
    }
}
