//! Where transformers write: a path and the kinds that have it (rendering §1.6).

use crate::error::{Problem, Result};
use crate::id::{Gvk, split_api_version};
use crate::object::Object;
use crate::tree::{Data, Id, Kind, Scalar, Tag, Tree, split_path};

/// A path for objects of some kinds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FieldSpec {
    pub(crate) gvk: Gvk,
    pub(crate) path: String,
    pub(crate) create: bool,
    steps: Vec<String>,
}

impl FieldSpec {
    pub(crate) fn new(gvk: Gvk, path: &str, create: bool) -> Self {
        Self { gvk, path: path.to_owned(), create, steps: split_path(path, '/') }
    }

    /// A path that every kind may have, and gets.
    pub(crate) fn everywhere(path: &str) -> Self {
        Self::new(Gvk::default(), path, true)
    }

    fn covers(&self, other: &FieldSpec) -> bool {
        other.gvk.selects_gvk(&self.gvk) && self.path == other.path
    }

    /// The specs of a list that are for an object.
    pub(crate) fn of<'s>(specs: &'s [FieldSpec], object: &Object) -> Vec<&'s FieldSpec> {
        let (group, version) = split_api_version(object.api_version());
        let kind = object.kind();
        specs.iter().filter(|spec| spec.gvk.selects(group, version, kind)).collect()
    }

    pub(crate) fn matches(&self, object: &Object) -> bool {
        let (group, version) = split_api_version(object.api_version());
        self.gvk.selects(group, version, object.kind())
    }
}

/// Adds a spec unless one like it is there.
pub(crate) fn merge_one(specs: &mut Vec<FieldSpec>, incoming: &FieldSpec) -> Result<()> {
    match specs.iter().find(|spec| spec.covers(incoming)) {
        Some(spec) if spec.create != incoming.create => Err(Problem::Kustomization
            .says("conflicting fieldspecs")
            .remedy(format!("give `create` the same value wherever the path `{}` is named", incoming.path))),
        Some(_) => Ok(()),
        None => {
            specs.push(incoming.clone());
            Ok(())
        }
    }
}

pub(crate) fn merge_all(specs: &mut Vec<FieldSpec>, incoming: &[FieldSpec]) -> Result<()> {
    incoming.iter().try_for_each(|spec| merge_one(specs, spec))
}

/// What is made at the end of a path, when the spec says that it may be made.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Create {
    pub(crate) kind: Kind,
    pub(crate) tag: Tag,
}

impl Create {
    pub(crate) const MAP: Option<Self> = Some(Self { kind: Kind::Map, tag: Tag::None });
    pub(crate) const TEXT: Option<Self> = Some(Self { kind: Kind::Scalar, tag: Tag::Str });
    pub(crate) const INT: Option<Self> = Some(Self { kind: Kind::Scalar, tag: Tag::Int });
}

/// Calls `set` for every value at the path, when the object is of the right kind.
pub(crate) fn apply(
    object: &mut Object,
    spec: &FieldSpec,
    create: Option<Create>,
    set: &mut dyn FnMut(&mut Tree, Id) -> Result<()>,
) -> Result<()> {
    if spec.matches(object) { walk(object, spec, create, set) } else { Ok(()) }
}

/// The same without a look at the kind.
pub(crate) fn walk(
    object: &mut Object,
    spec: &FieldSpec,
    create: Option<Create>,
    set: &mut dyn FnMut(&mut Tree, Id) -> Result<()>,
) -> Result<()> {
    let root = object.tree.root;
    let create = create.filter(|_| spec.create);
    step(&mut object.tree, root, &spec.steps, create, set).map_err(|error| {
        let place = error.place.clone();
        error.within(format!("considering field '{}' of object {}", spec.path, plain_id(object))).at(place.as_ref())
    })
}

fn plain_id(object: &Object) -> String {
    let id = object.id();
    id.to_string()
}

fn step(
    tree: &mut Tree,
    at: Id,
    steps: &[String],
    create: Option<Create>,
    set: &mut dyn FnMut(&mut Tree, Id) -> Result<()>,
) -> Result<()> {
    let Some((name, rest)) = steps.split_first() else { return set(tree, at) };
    if tree.is_null(at) {
        return Ok(());
    }
    match tree.data(at) {
        Data::Map(_) => {}
        Data::Seq(items) => {
            let items = items.clone();
            return items.into_iter().try_for_each(|item| step(tree, item, steps, create, set));
        }
        Data::Scalar(_) => {
            return Err(Problem::Field
                .says("expected sequence or mapping node")
                .at(tree.node(at).origin.place.as_ref())
                .remedy("the path goes on below this value, and the value is a text or number"));
        }
    }
    let (field, list) = name.strip_suffix("[]").map_or((name.as_str(), false), |field| (field, true));
    if field.is_empty() {
        return Err(Problem::Field.says("cannot set or create an empty field name"));
    }
    let made = match create {
        Some(last) if !list && rest.is_empty() => Some(last),
        Some(_) if !list => Create::MAP,
        _ => None,
    };
    let found = match made {
        Some(made) => Some(tree.get_or_create(at, field, made.kind)?),
        None => tree.get(at, field),
    };
    let Some(found) = found else { return Ok(()) };
    let kind = if list { Some(Create { kind: Kind::Seq, tag: Tag::None }) } else { made };
    if let Some(kind) = kind.filter(|_| tree.is_null(found)) {
        let data = match kind.kind {
            Kind::Scalar => Data::Scalar(Scalar {
                tag: kind.tag,
                ..tree.scalar(found).cloned().unwrap_or_else(|| Scalar::plain(""))
            }),
            other => other.empty(),
        };
        tree.node_mut(found).data = data;
    }
    step(tree, found, rest, create, set)
}
