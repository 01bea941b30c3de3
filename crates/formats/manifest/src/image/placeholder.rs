use super::{ImageRef, is_tag, visit_mut};
use crate::object::Object;
use crate::{Json, code};
use windlass_diagnostic::{Diagnostic, Diagnostics};

/// Puts the tag of a release in place of a placeholder (`PLACEHOLDER_TAG`), in the tag part of image references only
/// (decisions, "Placeholder tag"). Returns how many images were changed.
///
/// # Errors
/// When a placeholder is left anywhere else, with object and path; or when the tag is not one. The set is changed as far
/// as it could be.
pub fn replace_placeholder(objects: &mut [Object], placeholder: &str, tag: &str) -> Result<usize, Diagnostics> {
    if placeholder.is_empty() {
        return Ok(0);
    }
    let mut count = 0;
    for object in objects.iter_mut() {
        visit_mut(object.json_mut(), &mut |image| {
            let parsed = ImageRef::parse(image);
            if let Some(old) = parsed.tag.filter(|old| old.contains(placeholder)) {
                let new = old.replace(placeholder, tag);
                *image = ImageRef { tag: Some(&new), ..parsed }.to_string();
                count += 1;
            }
        });
    }
    let mut problems = Diagnostics::new();
    if count > 0 && !is_tag(tag) {
        let message = format!("`{tag}` is not an image tag: 1 to 128 letters, digits, `_`, `.` or `-`");
        problems.push(Diagnostic::error(code::PLACEHOLDER, message));
    }
    // A tag that holds the placeholder itself would be found again.
    if !tag.contains(placeholder) {
        for object in objects.iter() {
            let mut path = String::new();
            left_over(object, object.json(), placeholder, &mut path, &mut problems);
        }
    }
    problems.into_result(count).map(|(count, _)| count)
}

fn left_over(object: &Object, json: &Json, placeholder: &str, path: &mut String, problems: &mut Diagnostics) {
    let before = path.len();
    match json {
        Json::String(text) if text.contains(placeholder) => {
            let problem = Diagnostic::error(
                code::PLACEHOLDER,
                format!("`{placeholder}` is left here, outside the tag of an image"),
            )
            .remedy("it is replaced only in the tag of a container's image; use a value of the template here");
            problems.push(object.problem(problem, path));
        }
        Json::Array(list) => {
            for (index, value) in list.iter().enumerate() {
                path.push_str(&format!("[{index}]"));
                left_over(object, value, placeholder, path, problems);
                path.truncate(before);
            }
        }
        Json::Object(map) => {
            let mut fields: Vec<(&String, &Json)> = map.iter().collect();
            fields.sort_unstable_by_key(|(name, _)| *name);
            for (name, value) in fields {
                if before > 0 {
                    path.push('.');
                }
                path.push_str(name);
                if name.contains(placeholder) {
                    let message = format!("`{placeholder}` is left in a key");
                    problems.push(object.problem(Diagnostic::error(code::PLACEHOLDER, message), path));
                }
                left_over(object, value, placeholder, path, problems);
                path.truncate(before);
            }
        }
        _ => {}
    }
}
