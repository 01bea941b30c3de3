use super::mask::mask;
use super::normalised;
use crate::Json;
use crate::object::Object;
use similar::TextDiff;
use windlass_yaml::to_yaml;

/// Lines around a change.
const CONTEXT: usize = 3;
/// The work grows with the product of the lines that differ on both sides. Above this only their number is told.
const MOST_WORK: usize = 16_000_000;

/// Two versions of an object as a unified diff of their YAML. Nothing on one side means that the object is made or
/// deleted. Values of Secrets are masked. Empty when both are the same.
pub fn unified(before: Option<&Object>, after: Option<&Object>) -> String {
    let Some(key) = after.or(before).map(Object::key) else { return String::new() };
    let normal = |object: Option<&Object>| object.map(|object| normalised(object.json()));
    let (mut old, mut new) = (normal(before), normal(after));
    mask(&mut old, &mut new);
    let yaml = |object: &Option<Json>| object.as_ref().map(to_yaml).unwrap_or_default();
    let (old_text, new_text) = (yaml(&old), yaml(&new));
    if old_text == new_text {
        return String::new();
    }
    let name = key.in_namespace().to_string();
    let side = |is_there: bool, side: &str| if is_there { format!("{side}/{name}") } else { "/dev/null".to_owned() };
    let (old_name, new_name) = (side(old.is_some(), "live"), side(new.is_some(), "new"));
    let (old_lines, new_lines) = differing_lines(&old_text, &new_text);
    if old_lines.saturating_mul(new_lines) > MOST_WORK {
        return format!(
            "--- {old_name}\n+++ {new_name}\n@@ {old_lines} lines are replaced by {new_lines}: too many to compare @@\n"
        );
    }
    TextDiff::from_lines(&*old_text, &*new_text)
        .unified_diff()
        .context_radius(CONTEXT)
        .header(&old_name, &new_name)
        .to_string()
}

/// How many lines are between the common beginning and the common end.
fn differing_lines(old: &str, new: &str) -> (usize, usize) {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let same = |(a, b): &(&&str, &&str)| a == b;
    let start = old.iter().zip(&new).take_while(same).count();
    let end = old.iter().skip(start).rev().zip(new.iter().skip(start).rev()).take_while(same).count();
    (old.len() - start - end, new.len() - start - end)
}
