//! `replacements` (rendering §1.10, corrections f and i).

mod structured;

use super::replacement_path::{find, lookup};
use crate::error::{Problem, Result, Within};
use crate::id::{Id, IdSelector};
use crate::kustomization::{FieldOptions, Replacement, ReplacementTarget, Selector, Source};
use crate::object::Object;
use crate::options::Compat;
use crate::selector::ObjectSelector;
use crate::set::Set;
use crate::tree::{Data, Id as NodeId, Kind, Origin, Scalar, Tree, split_smart};

#[derive(Debug)]
pub(crate) struct Replacements(pub(crate) Vec<Replacement>);

/// Characters that a value may grow to, when pieces are added to it.
const LONGEST_TEXT: usize = 16 << 20;
/// Nodes that an object may grow to.
const MOST_NODES: usize = 1_000_000;
const DEEPEST: usize = 200;

impl Replacements {
    pub(crate) fn run(&self, set: &mut Set, compat: Compat) -> Result<()> {
        for replacement in &self.0 {
            let mut run = || -> Result<()> {
                let (Some(targets), true) =
                    (&replacement.targets, replacement.source.is_some() || replacement.source_value.is_some())
                else {
                    return Err(says("replacements must specify a source and at least one target"));
                };
                let mut value = Value::of(replacement, set)?;
                for target in targets {
                    Target::new(target, compat)?.fill(set, &mut value).map_err(|e| e.at(target.place.as_ref()))?;
                }
                Ok(())
            };
            run().map_err(|error| error.at(replacement.place.as_ref()))?;
        }
        Ok(())
    }
}

fn says(what: impl Into<String>) -> Box<crate::KustomizeError> {
    Problem::Replacement.says(what)
}

/// The ids by which replacements know an object: they do not know which kinds live outside of namespaces.
fn any_id(object: &Object, mut passes: impl FnMut(&Id<'_>) -> bool) -> bool {
    object.any_id(|id| passes(&Id { cluster: false, ..*id }))
}

/// What targets are filled with. A target that changes the node it is read from changes what the next one gets.
struct Value {
    tree: Tree,
    /// The number of the object, and the node in it; nothing when it is a value of its own.
    from: Option<(usize, NodeId)>,
}

impl Value {
    fn of(replacement: &Replacement, set: &Set) -> Result<Self> {
        match (&replacement.source, &replacement.source_value) {
            (Some(_), Some(_)) => Err(says("value and resource selectors are mutually exclusive")),
            (None, Some(text)) => {
                let scalar = Data::Scalar(Scalar::plain(text.text.as_str()));
                Ok(Self { tree: Tree::new(scalar, Origin::at(text.place.as_ref())), from: None })
            }
            (Some(source), None) => source_value(source, set),
            (None, None) => Err(says("replacements must specify a source and at least one target")),
        }
    }

    fn read_again(&mut self, number: usize, object: &Object) {
        if let Some((_, node)) = self.from.filter(|(source, _)| *source == number) {
            self.tree = object.tree.extract(node);
        }
    }
}

fn described(source: &Source) -> String {
    let mut text = source.id.as_id().to_string();
    if !source.field_path.is_empty() {
        text = format!("{text}:{}", source.field_path);
    }
    match &source.options {
        Some(options) if !options.delimiter.is_empty() || options.create => {
            format!("{text}:{}({}), create={}", options.delimiter, options.index, options.create)
        }
        _ => text,
    }
}

fn source_value(source: &Source, set: &Set) -> Result<Value> {
    let mut selected =
        set.objects().iter().enumerate().filter(|(_, object)| any_id(object, |id| source.id.selects(id)));
    let (number, object) = selected.next().ok_or_else(|| {
        says(format!("nothing selected by {}", described(source)))
            .remedy("the source must name an object of this kustomization by its kind and name")
    })?;
    if selected.next().is_some() {
        return Err(says(format!("multiple matches for selector {}", described(source)))
            .remedy("say more of the source: group, version, kind, name or namespace"));
    }
    let path = if source.field_path.is_empty() { "metadata.name" } else { &source.field_path };
    let found = lookup(&object.tree, &split_smart(path))
        .within(|| "error looking up replacement source".into())?
        .filter(|id| !object.tree.is_empty(*id));
    let Some(found) = found else {
        let what = format!("fieldPath `{path}` is missing for replacement source {}", source.id.as_id());
        return Err(says(what).at(object.place()));
    };
    let mut value = object.tree.extract(found);
    let Some(options) = source.options.as_ref().filter(|options| !options.delimiter.is_empty()) else {
        return Ok(Value { tree: value, from: Some((number, found)) });
    };
    if value.kind(value.root) != Kind::Scalar {
        return Err(says("delimiter option can only be used with scalar nodes"));
    }
    let text = if value.is_null(value.root) { "" } else { value.text(value.root) };
    let piece = usize::try_from(options.index).ok().and_then(|index| text.split(&*options.delimiter).nth(index));
    let piece = piece
        .ok_or_else(|| says(format!("options.index {} is out of bounds for value {text}", options.index)))?
        .to_owned();
    let root = value.root;
    set_text(&mut value, root, &piece);
    Ok(Value { tree: value, from: None })
}

fn set_text(tree: &mut Tree, at: NodeId, text: &str) {
    if let Data::Scalar(scalar) = &mut tree.node_mut(at).data {
        scalar.text = text.into();
    }
}

/// A target that is ready to be filled.
struct Target<'t> {
    target: &'t ReplacementTarget,
    select: ObjectSelector,
    reject: Vec<(&'t Selector, ObjectSelector)>,
    id: &'t IdSelector,
    compat: Compat,
}

impl<'t> Target<'t> {
    fn new(target: &'t ReplacementTarget, compat: Compat) -> Result<Self> {
        let Some(select) = &target.select else { return Err(says("target must specify resources to select")) };
        // Until 5.7 the parts of the id are no expressions.
        let compile = |selector: &Selector| match compat {
            Compat::V5_7 => ObjectSelector::new(&Selector { id: IdSelector::default(), ..selector.clone() }),
            Compat::V5_8 => ObjectSelector::new(selector),
        };
        let reject = target.reject.iter().map(|selector| Ok((selector, compile(selector)?))).collect::<Result<_>>()?;
        Ok(Self { target, select: compile(select)?, reject, id: &select.id, compat })
    }

    fn takes(&self, object: &Object) -> bool {
        if !self.select.takes_metadata(object) {
            return false;
        }
        let by_metadata = |(selector, ready): &(&Selector, ObjectSelector)| {
            !(selector.labels.is_empty() && selector.annotations.is_empty()) && ready.takes_metadata(object)
        };
        let by_id = |(selector, ready): &(&Selector, ObjectSelector)| {
            !selector.id.is_empty() && any_id(object, |id| self.selects(&selector.id, ready, id))
        };
        if self.reject.iter().any(|reject| by_metadata(reject) || by_id(reject)) {
            return false;
        }
        any_id(object, |id| self.selects(self.id, &self.select, id))
    }

    fn selects(&self, exact: &IdSelector, ready: &ObjectSelector, id: &Id<'_>) -> bool {
        match self.compat {
            Compat::V5_7 => exact.selects(id),
            Compat::V5_8 => ready.takes_id(id),
        }
    }

    fn fill(&self, set: &mut Set, value: &mut Value) -> Result<()> {
        let default = ["metadata.name".to_owned()];
        let paths = if self.target.field_paths.is_empty() { &default[..] } else { &self.target.field_paths };
        for (number, object) in set.objects_mut().iter_mut().enumerate() {
            if !self.takes(object) {
                continue;
            }
            for path in paths {
                self.fill_path(number, object, path, value)?;
            }
        }
        Ok(())
    }

    fn fill_path(&self, number: usize, object: &mut Object, path: &str, value: &mut Value) -> Result<()> {
        let options = self.target.options.as_ref();
        let create = options.is_some_and(|options| options.create).then(|| value.tree.kind(value.tree.root));
        let steps = split_smart(path);
        if self.compat >= Compat::V5_8 && structured::set(&mut object.tree, &steps, &value.tree, create).is_some() {
            value.read_again(number, object);
            return Ok(());
        }
        let unable = || match create {
            Some(_) => format!("unable to find or create field {path:?} in replacement target"),
            None => format!("unable to find field {path:?} in replacement target"),
        };
        let (root, size) = (object.tree.root, object.tree.size());
        let found = find(&mut object.tree, root, &steps, create).within(unable)?;
        object.tree.place_since(size, self.target.place.as_ref());
        if found.is_empty() {
            let error = says(unable()).remedy(format!("{} has no such field", object.id()));
            return Err(error.at(object.place()).at(self.target.place.as_ref()));
        }
        for at in found {
            // Fields that were made on the way may be part of it.
            value.read_again(number, object);
            set_value(&mut object.tree, at, &value.tree, options)?;
            object.tree.changed(at, "replacements", self.target.place.as_ref());
        }
        value.read_again(number, object);
        Ok(())
    }
}

fn set_value(tree: &mut Tree, at: NodeId, value: &Tree, options: Option<&FieldOptions>) -> Result<()> {
    let mut text = value.text(value.root).to_owned();
    if let Some(options) = options.filter(|options| !options.delimiter.is_empty()) {
        if tree.kind(at) != Kind::Scalar {
            return Err(says("delimiter option can only be used with scalar nodes"));
        }
        let value = if value.is_null(value.root) { "" } else { &text };
        let mut pieces: Vec<&str> = tree.text(at).split(&*options.delimiter).collect();
        match usize::try_from(options.index) {
            Err(_) => pieces.insert(0, value),
            Ok(index) if index >= pieces.len() => pieces.push(value),
            Ok(index) => pieces[index] = value,
        }
        text = pieces.join(&options.delimiter);
        if text.len() > LONGEST_TEXT {
            return Err(Problem::Limit.says(format!("a replacement makes a text of more than {LONGEST_TEXT} bytes")));
        }
    }
    if tree.kind(at) == Kind::Scalar {
        set_text(tree, at, &text);
        return Ok(());
    }
    if depth(value, value.root) > DEEPEST {
        return Err(Problem::Limit.says(format!("a replacement nests more than {DEEPEST} levels")));
    }
    if tree.size() + value.size() > MOST_NODES {
        return Err(Problem::Limit.says(format!("replacements make an object of more than {MOST_NODES} values")));
    }
    let id = tree.import(value, value.root);
    if let Data::Scalar(scalar) = &mut tree.node_mut(id).data {
        scalar.text = text.into();
    }
    tree.assign(at, id);
    Ok(())
}

fn depth(tree: &Tree, id: NodeId) -> usize {
    let below = match tree.data(id) {
        Data::Scalar(_) => 0,
        Data::Seq(items) => items.iter().map(|item| depth(tree, *item)).max().unwrap_or(0),
        Data::Map(fields) => fields.values().map(|value| depth(tree, *value)).max().unwrap_or(0),
    };
    below + 1
}
