//! Image references, and putting the tag of a release into them.

mod placeholder;

pub use placeholder::replace_placeholder;

use crate::Json;
use crate::references::CONTAINERS;
use std::fmt;

/// An image reference, taken apart: `registry/name:tag@digest`.
///
/// The name runs to the first `:` or `@` after the last `/`, so that a port of the registry stays with it. Writing it
/// gives the same text back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ImageRef<'t> {
    /// Registry and repository.
    pub name: &'t str,
    pub tag: Option<&'t str>,
    /// With its algorithm: `sha256:…`.
    pub digest: Option<&'t str>,
}

impl<'t> ImageRef<'t> {
    /// Takes any text apart; whether a registry would accept it is not asked.
    pub fn parse(text: &'t str) -> Self {
        let (rest, digest) = match text.split_once('@') {
            Some((rest, digest)) => (rest, Some(digest)),
            None => (text, None),
        };
        let last = rest.rfind('/').map_or(0, |slash| slash + 1);
        let (name, tag) = match rest.get(last..).and_then(|name| name.find(':')) {
            Some(colon) => (rest.get(..last + colon).unwrap_or(rest), rest.get(last + colon + 1..)),
            None => (rest, None),
        };
        Self { name, tag, digest }
    }

    /// Another tag, and no digest: the old one would still choose the old image.
    pub fn with_tag<'n>(&self, tag: &'n str) -> ImageRef<'n>
    where
        't: 'n,
    {
        ImageRef { name: self.name, tag: Some(tag), digest: None }
    }

    /// Another digest; the tag stays for people to read.
    pub fn with_digest<'n>(&self, digest: &'n str) -> ImageRef<'n>
    where
        't: 'n,
    {
        ImageRef { name: self.name, tag: self.tag, digest: Some(digest) }
    }
}

impl fmt::Display for ImageRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)?;
        if let Some(tag) = self.tag {
            write!(f, ":{tag}")?;
        }
        if let Some(digest) = self.digest {
            write!(f, "@{digest}")?;
        }
        Ok(())
    }
}

/// Whether a registry accepts the text as a tag.
pub fn is_tag(text: &str) -> bool {
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-');
    (1..=128).contains(&text.len()) && text.chars().all(allowed) && !text.starts_with(['.', '-'])
}

/// Visits the image of every container: in any object, what stands as `image` in the elements of a list of containers, and
/// the images of volumes.
pub fn visit_mut(object: &mut Json, visit: &mut impl FnMut(&mut String)) {
    walk(object, 0, visit);
}

/// The images of an object: fields by name, lists in their order.
pub fn images(object: &Json) -> Vec<String> {
    let mut found = Vec::new();
    visit_mut(&mut object.clone(), &mut |image| found.push(image.clone()));
    found
}

/// Replaces images by repository: the first entry whose name is that of the image. Returns how many were replaced.
pub fn replace_by_name(object: &mut Json, images: &[(String, String)]) -> usize {
    let mut count = 0;
    visit_mut(object, &mut |image| {
        let name = ImageRef::parse(image).name;
        if let Some((_, new)) = images.iter().find(|(wanted, _)| ImageRef::parse(wanted).name == name) {
            image.clone_from(new);
            count += 1;
        }
    });
    count
}

/// Replaces images that are exactly `placeholder` (service option `imagePlaceholder`). Returns how many were replaced.
pub fn replace_exact(object: &mut Json, placeholder: &str, new: &str) -> usize {
    let mut count = 0;
    visit_mut(object, &mut |image| {
        if image == placeholder {
            new.clone_into(image);
            count += 1;
        }
    });
    count
}

const DEEPEST: usize = 100;

fn walk(json: &mut Json, depth: usize, visit: &mut impl FnMut(&mut String)) {
    if depth > DEEPEST {
        return;
    }
    match json {
        Json::Object(map) => {
            let mut fields: Vec<(&String, &mut Json)> = map.iter_mut().collect();
            fields.sort_unstable_by_key(|(name, _)| *name);
            for (name, value) in fields {
                match value {
                    Json::Array(list) if CONTAINERS.contains(&name.as_str()) => {
                        list.iter_mut().for_each(|container| text_at(container, "image", visit));
                    }
                    Json::Array(list) if name == "volumes" => {
                        for image in list.iter_mut().filter_map(|volume| volume.get_mut("image")) {
                            text_at(image, "reference", visit);
                        }
                    }
                    _ => {}
                }
                walk(value, depth + 1, visit);
            }
        }
        Json::Array(list) => list.iter_mut().for_each(|value| walk(value, depth + 1, visit)),
        _ => {}
    }
}

fn text_at(json: &mut Json, name: &str, visit: &mut impl FnMut(&mut String)) {
    if let Some(Json::String(text)) = json.get_mut(name) {
        visit(text);
    }
}
