//! Packed charts (rendering §3.1).

use crate::chart::File;
use crate::error::HelmError;
use crate::pattern;
use flate2::read::MultiGzDecoder;
use std::io::Read;
use tar::{Archive, EntryType};

/// How much an archive may hold. A chart inside of a chart counts for the outer one as well.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArchiveLimits {
    /// Bytes of all files together.
    pub total: u64,
    /// Bytes of one file.
    pub file: u64,
    /// Files.
    pub files: usize,
}

impl Default for ArchiveLimits {
    /// Those of the reference, which counts no files.
    fn default() -> Self {
        Self { total: 100 << 20, file: 5 << 20, files: 50_000 }
    }
}

/// The files of a packed chart, without the folder around them.
pub(crate) fn unpack(bytes: &[u8], limits: &ArchiveLimits) -> Result<Vec<File>, HelmError> {
    if !bytes.starts_with(&[0x1f, 0x8b, 0x08]) {
        return Err(refused("the file does not appear to be a gzipped archive"));
    }
    let broken = |problem: std::io::Error| refused(format!("the archive cannot be read: {problem}"));
    // What is between the files counts too: an archive of nothing but headers has an end.
    let most = limits.total.saturating_add(2048 * limits.files as u64);
    let mut archive = Archive::new(MultiGzDecoder::new(bytes).take(most));
    let mut files: Vec<File> = Vec::new();
    let mut left = limits.total;
    for entry in archive.entries().map_err(broken)? {
        let entry = entry.map_err(broken)?;
        match entry.header().entry_type() {
            EntryType::Directory | EntryType::XGlobalHeader | EntryType::XHeader => continue,
            _ => {}
        }
        let path = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
        if path.ends_with('/') {
            continue;
        }
        let name = inner_name(&path)?;
        let size = entry.size();
        if size > limits.file {
            return Err(refused(format!(
                "decompressed chart file {path:?} is larger than the maximum file size {}",
                limits.file
            )));
        }
        if size >= left {
            return Err(refused(format!("decompressed chart is larger than the maximum file size {}", limits.total)));
        }
        if files.len() >= limits.files {
            return Err(refused(format!("the chart has more than {} files", limits.files)));
        }
        let mut data = Vec::new();
        entry.take(limits.file).read_to_end(&mut data).map_err(broken)?;
        if (data.len() as u64) < size {
            return Err(refused(format!("the archive ends in the middle of {path:?}")));
        }
        left -= data.len() as u64;
        files.push(File::new(name, data));
    }
    if files.is_empty() {
        return Err(refused("no files in chart archive"));
    }
    Ok(files)
}

fn refused(problem: impl Into<String>) -> HelmError {
    HelmError::Archive(problem.into())
}

/// The name of a file inside of the chart's folder.
fn inner_name(path: &str) -> Result<String, HelmError> {
    let delimiter = if path.contains('\\') { '\\' } else { '/' };
    let (folder, name) = path.split_once(delimiter).unwrap_or((path, ""));
    let name = name.replace(delimiter, "/");
    if name.starts_with('/') {
        return Err(refused(format!("chart illegally contains absolute paths: {path:?}")));
    }
    let name = cleaned(&name);
    if name.is_empty() {
        return Err(refused(format!("chart illegally contains content outside the base directory: {path:?}")));
    }
    if name.starts_with("..") {
        return Err(refused(format!("chart illegally references parent directory: {path:?}")));
    }
    if pattern::matches("[a-zA-Z]:", name.get(..2).unwrap_or_default()) == Some(true) && name[2..].starts_with('/') {
        return Err(refused(format!("chart contains illegally named files: {path:?}")));
    }
    if folder == "Chart.yaml" {
        return Err(refused("chart yaml not in base directory"));
    }
    Ok(name)
}

/// A path without `.`, `..` and double slashes.
pub(crate) fn cleaned(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_inside() {
        for (path, wanted) in [
            ("chart/templates/a.yaml", Ok("templates/a.yaml")),
            ("chart\\templates\\a.yaml", Ok("templates/a.yaml")),
            ("/a/./b", Ok("a/b")),
            ("../../x", Err("parent directory")),
            ("/foo/../../x", Err("parent directory")),
            ("./.", Err("outside the base")),
            ("x", Err("outside the base")),
            ("//foo", Err("absolute paths")),
            ("\\..\\..\\foo", Err("parent directory")),
            ("/./c:/foo", Err("illegally named")),
            ("Chart.yaml/x", Err("not in base directory")),
        ] {
            match (inner_name(path), wanted) {
                (Ok(name), Ok(wanted)) => assert_eq!(name, wanted),
                (Err(problem), Err(wanted)) => assert!(problem.to_string().contains(wanted), "{path}: {problem}"),
                (got, _) => panic!("{path}: {got:?}"),
            }
        }
    }
}
