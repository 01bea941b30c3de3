//! `images` (rendering §1.9, correction h).

use crate::error::{Problem, Result};
use crate::fieldspec::{FieldSpec, walk};
use crate::kustomization::Image;
use crate::set::Set;
use crate::tree::{Data, Id, Kind, Scalar, Tree};
use regex::Regex;

#[derive(Debug)]
pub(crate) struct ImageTag {
    image: Image,
    fields: Vec<FieldSpec>,
    pattern: Regex,
}

impl ImageTag {
    pub(crate) fn new(image: Image, fields: Vec<FieldSpec>) -> Result<Self> {
        let pattern = format!("^{}(:[a-zA-Z0-9_.{{}}-]*)?(@sha256:[a-zA-Z0-9_.{{}}-]*)?$", image.name);
        let pattern = crate::selector::regex(&pattern).map_err(|why| {
            Problem::Kustomization
                .says(format!("the image name {:?} is no regular expression: {why}", image.name))
                .at(image.place.as_ref())
                .remedy("names of images are regular expressions: put a backslash before special characters")
        })?;
        Ok(Self { image, fields, pattern })
    }

    pub(crate) fn run(&self, set: &mut Set) -> Result<()> {
        for object in set.objects_mut().iter_mut().filter(|object| object.kind() != "CustomResourceDefinition") {
            let mut images = Vec::new();
            Self::find(&object.tree, object.tree.root, &mut images)?;
            images.into_iter().try_for_each(|image| self.set(&mut object.tree, image))?;
        }
        for object in set.objects_mut().iter_mut().filter(|object| object.kind() != "CustomResourceDefinition") {
            for spec in FieldSpec::of(&self.fields, object) {
                walk(object, spec, None, &mut |tree, at| self.set(tree, at))?;
            }
        }
        Ok(())
    }

    /// Images of the elements of every `containers` and `initContainers`, wherever they stand.
    fn find(tree: &Tree, at: Id, found: &mut Vec<Id>) -> Result<()> {
        match tree.data(at) {
            Data::Scalar(_) => Ok(()),
            Data::Seq(items) => items.iter().try_for_each(|item| Self::find(tree, *item, found)),
            Data::Map(fields) => fields.iter().try_for_each(|(key, value)| {
                Self::find(tree, *value, found)?;
                let containers = matches!(&**key, "containers" | "initContainers");
                let items = tree.items(*value).filter(|_| containers);
                for item in items.unwrap_or_default() {
                    tree.expect(*item, Kind::Map)?;
                    found.extend(tree.get(*item, "image"));
                }
                Ok(())
            }),
        }
    }

    fn set(&self, tree: &mut Tree, at: Id) -> Result<()> {
        tree.expect(at, Kind::Scalar)?;
        let old = tree.text(at);
        if !self.pattern.is_match(old) {
            return Ok(());
        }
        let new = self.changed(old);
        tree.set_scalar(at, Scalar::plain(new))?;
        tree.changed(at, "images", self.image.place.as_ref());
        Ok(())
    }

    fn changed(&self, image: &str) -> String {
        let (name, tag, digest) = split(image);
        let wanted = &self.image;
        let name = if wanted.new_name.is_empty() { name } else { &wanted.new_name };
        let mut tag = tag.to_owned();
        let mut digest = digest;
        match (wanted.new_tag.is_empty(), wanted.digest.is_empty()) {
            (false, _) => (tag, digest) = (wanted.new_tag.clone(), &wanted.digest),
            (true, false) => (tag, digest) = (String::new(), &wanted.digest),
            (true, true) if !wanted.tag_suffix.is_empty() => {
                tag.push_str(&wanted.tag_suffix);
                digest = "";
            }
            (true, true) => {}
        }
        let mut out = name.to_owned();
        if !tag.is_empty() {
            out = format!("{out}:{tag}");
        }
        if !digest.is_empty() {
            out = format!("{out}@{digest}");
        }
        out
    }
}

/// Name, tag and digest: the name ends at the first `:` or `@` behind the first `/`.
fn split(image: &str) -> (&str, &str, &str) {
    let start = image.find('/').filter(|slash| *slash > 0).unwrap_or(0);
    let (at, colon) = (image[start..].find('@').map(|i| i + start), image[start..].find(':').map(|i| i + start));
    let digest = |at: usize| image[at..].strip_prefix('@').unwrap_or_default();
    match (at, colon) {
        (None, None) => (image, "", ""),
        (Some(at), colon) if colon.is_none_or(|colon| at < colon) => (&image[..at], "", digest(at)),
        (Some(at), Some(colon)) => (&image[..colon], &image[colon + 1..at], digest(at)),
        (_, Some(colon)) => (&image[..colon], &image[colon + 1..], ""),
        (Some(at), None) => (&image[..at], "", digest(at)),
    }
}

#[cfg(test)]
mod tests {
    use super::split;

    #[test]
    fn images() {
        for (image, parts) in [
            ("nginx", ("nginx", "", "")),
            ("nginx:1.2", ("nginx", "1.2", "")),
            ("host:5000/nginx:1@sha256:ab", ("host:5000/nginx", "1", "sha256:ab")),
            ("nginx@sha256:ab", ("nginx", "", "sha256:ab")),
            ("host:5000/nginx", ("host:5000/nginx", "", "")),
        ] {
            assert_eq!(split(image), parts, "{image}");
        }
    }
}
