//! Texts become objects (rendering §1.3).

use crate::error::{KustomizeError, Problem, Result};
use crate::object::Object;
use crate::schema::Schema;
use crate::tree::{Id, Tree, documents};
use std::collections::VecDeque;
use std::rc::Rc;
use windlass_diagnostic::Place;
use windlass_yaml::Style;

/// The objects of a text. Lists are replaced by what they hold; what is empty is left out.
pub(crate) fn read(file: &str, text: &str, schema: &Rc<Schema>) -> Result<Vec<Object>> {
    // Documents end where the reference cuts the text: at a line that starts with three dashes.
    let text: std::borrow::Cow<'_, str> =
        if text.contains("\r\n") { text.replace("\r\n", "\n").into() } else { text.into() };
    let trees = documents(file, &text).map_err(|problems| KustomizeError::malformed(file, problems))?;
    let single = trees.len() == 1;
    let mut queue: VecDeque<Object> = VecDeque::new();
    for tree in trees {
        let object = Object::new(tree, schema);
        match wrapped(&object).filter(|_| single) {
            Some(items) => queue.extend(items.iter().map(|item| Object::new(object.tree.extract(*item), schema))),
            None => queue.push_back(object),
        }
    }
    keep_objects(&mut queue)?;
    expand_lists(queue, schema)
}

/// The objects of a text that stands in another one, at a place: which is that of its first line.
pub(crate) fn read_inline(at: Option<&Place>, text: &str, schema: &Rc<Schema>) -> Result<Vec<Object>> {
    let file = at.map_or("", |place| &*place.file);
    let lines = lines_before(at);
    let mut read = read(file, text, schema).map_err(|error| error.below(lines))?;
    read.iter_mut().for_each(|object| object.tree.move_down(lines));
    Ok(read)
}

/// How many lines of the file stand before the first of a text in it.
pub(crate) fn lines_before(at: Option<&Place>) -> u32 {
    at.map_or(0, |at| at.line.saturating_sub(1))
}

/// The items of a `List` that is the only document.
fn wrapped(object: &Object) -> Option<&[Id]> {
    let root = object.tree.root;
    let is_list = matches!(object.kind(), "List" | "ResourceList");
    let wraps = is_list && (object.items().is_some() || object.tree.get(root, "functionConfig").is_some());
    wraps.then(|| object.items().and_then(|items| object.tree.items(items)).unwrap_or_default())
}

fn keep_objects(queue: &mut VecDeque<Object>) -> Result<()> {
    queue.retain(|object| !object.is_empty());
    queue.iter().try_for_each(Object::validate)
}

fn expand_lists(mut queue: VecDeque<Object>, schema: &Rc<Schema>) -> Result<Vec<Object>> {
    let mut out = Vec::with_capacity(queue.len());
    while let Some(object) = queue.pop_front() {
        let items = object.items().filter(|_| object.kind().ends_with("List"));
        let Some(items) = items else {
            out.push(object);
            continue;
        };
        if object.tree.is_null(items) {
            continue;
        }
        let Some(ids) = object.tree.items(items) else {
            let what = format!("expected array in {}/items", object.kind());
            return Err(Problem::Malformed.says(what).at(object.tree.node(items).origin.place.as_ref()));
        };
        let mut inner = VecDeque::with_capacity(ids.len());
        for id in ids {
            let mut tree = Tree::extract(&object.tree, *id);
            // As JSON itself: its texts have quotes, and keep them where a transformer leaves only the style of a field.
            tree.through_json(|_| Style::DoubleQuoted)?;
            inner.push_back(Object::new(tree, schema));
        }
        keep_objects(&mut inner)?;
        queue.append(&mut inner);
    }
    Ok(out)
}
