//! Links between documents: each must lead to a file that is there, and to a heading of it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// How many links there are, or those that lead nowhere.
pub(crate) fn check(root: &Path) -> Result<usize, Vec<String>> {
    let mut files = vec![root.join("README.md")];
    collect(&root.join("docs"), &mut files);
    collect(&root.join("examples"), &mut files);
    let (mut count, mut problems) = (0, Vec::new());
    for file in &files {
        let text = std::fs::read_to_string(file).unwrap_or_default();
        let known = file.strip_prefix(root).unwrap_or(file).display();
        for link in links(&text) {
            count += 1;
            if let Err(why) = leads_somewhere(file, &text, link) {
                problems.push(format!("{known}: the link `{link}` leads nowhere: {why}"));
            }
        }
    }
    if problems.is_empty() { Ok(count) } else { Err(problems) }
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "md") {
            files.push(path);
        }
    }
}

/// What stands in the brackets of `[text](…)`, apart from addresses of other hosts. Blocks of code hold no links.
fn links(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut code = false;
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            code = !code;
        }
        if code {
            continue;
        }
        for after in line.split("](").skip(1) {
            let Some(end) = after.find(')') else { continue };
            let target = &after[..end];
            if !target.contains("://") && !target.starts_with("mailto:") {
                found.push(target);
            }
        }
    }
    found
}

fn leads_somewhere(from: &Path, text: &str, link: &str) -> Result<(), String> {
    let (path, anchor) = link.split_once('#').map_or((link, None), |(path, anchor)| (path, Some(anchor)));
    let target = from.parent().unwrap_or(Path::new(".")).join(path);
    if !path.is_empty() && !target.exists() {
        return Err("there is no such file".to_owned());
    }
    let Some(anchor) = anchor else { return Ok(()) };
    let other = if path.is_empty() { text.to_owned() } else { std::fs::read_to_string(target).unwrap_or_default() };
    if anchors(&other).contains(anchor) { Ok(()) } else { Err(format!("there is no heading `#{anchor}`")) }
}

/// The names of headings: small letters, digits, `-` and `_`; blanks become `-`, everything else goes.
fn anchors(text: &str) -> BTreeSet<String> {
    let headings = text.lines().filter(|line| line.starts_with('#')).map(|line| line.trim_start_matches('#').trim());
    let name = |heading: &str| {
        let small = heading.to_lowercase();
        let kept = small.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
        kept.map(|c| if c == ' ' { '-' } else { c }).collect()
    };
    headings.map(name).collect()
}

#[cfg(test)]
mod tests {
    use super::{anchors, links};

    #[test]
    fn links_of_this_tree_are_found() {
        let text = "see [a](a.md) and [b](../b.md#c), [x](https://x.y)\n```\n[no](no.md)\n```\n[d](#d)";
        assert_eq!(links(text), ["a.md", "../b.md#c", "#d"]);
    }

    #[test]
    fn headings_have_names() {
        let names = anchors("# Runtime inputs\ntext\n## TLS, and `proxies`\n");
        assert_eq!(names.into_iter().collect::<Vec<_>>(), ["runtime-inputs", "tls-and-proxies"]);
    }
}
