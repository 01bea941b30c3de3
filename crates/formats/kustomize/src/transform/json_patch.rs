//! JSON patches (RFC 6902) of trees, with the leniencies of the reference: `replace` of a missing key adds it, negative
//! indices count from the end.

use super::json_pointer::{Container, locate};
use crate::conf::{CONTROL, Conf, Value};
use crate::error::{KustomizeError, Problem, Result};
use crate::tree::{Data, Id, Origin, Scalar, Tag, Tree};
use windlass_diagnostic::Place;
use windlass_yaml::parse;

/// The operations of a patch, in order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Operations(Vec<Operation>);

#[derive(Clone, Debug)]
struct Operation {
    op: String,
    path: Option<String>,
    from: Option<String>,
    value: Option<Conf>,
    place: Option<Place>,
}

/// Nodes that copies may add.
const MOST_COPIED: usize = 1_000_000;

impl Operations {
    /// Reads a patch: JSON, or the same as YAML. Only the first document counts.
    pub(crate) fn read(file: &str, text: &str, lines_before: u32) -> Result<Self> {
        if text.is_empty() {
            return Err(Problem::Patch.says("empty json patch operations"));
        }
        let documents = parse(file, text, &CONTROL)
            .map_err(|problems| KustomizeError::malformed(file, problems).below(lines_before))?;
        let Some(document) = documents.first() else { return Ok(Self::default()) };
        let mut conf = Conf::of_yaml(&document.root);
        conf.move_down(lines_before);
        let refuse = |conf: &Conf, what: &str| Err(Problem::Patch.says(what).at(conf.place.as_ref()));
        let items = match &conf.value {
            Value::Null => return Ok(Self::default()),
            Value::List(items) => items,
            Value::Map(_) => {
                let what = "cannot unmarshal object into Go value of type jsonpatch.Patch: a JSON patch is a list";
                return refuse(&conf, what);
            }
            _ => return refuse(&conf, "a JSON patch must be a list of operations"),
        };
        let mut operations = Vec::with_capacity(items.len());
        for item in items {
            let Value::Map(fields) = &item.value else {
                return refuse(item, "an operation of a JSON patch must be a mapping");
            };
            let get = |name: &str| fields.iter().find(|(key, _)| key == name).map(|(_, value)| value);
            let text = |name: &str| match get(name).map(|conf| &conf.value) {
                Some(Value::String(text)) => Some(text.clone()),
                _ => None,
            };
            operations.push(Operation {
                op: text("op").unwrap_or_else(|| "unknown".into()),
                path: text("path"),
                from: text("from"),
                value: get("value").cloned(),
                place: item.place.clone(),
            });
        }
        Ok(Self(operations))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Applies the operations, as a patch of the field `by`.
    pub(crate) fn apply(&self, tree: &mut Tree, by: &'static str) -> Result<()> {
        tree.through_json(windlass_yaml::text_style)?;
        let limit = tree.size() + MOST_COPIED;
        for operation in &self.0 {
            operation.apply(tree, by).map_err(|error| error.at(operation.place.as_ref()))?;
            if tree.size() > limit {
                return Err(Problem::Limit.says("the patch copies too much").at(operation.place.as_ref()));
            }
        }
        Ok(())
    }
}

fn fails(what: String) -> Box<KustomizeError> {
    Problem::Patch.says(what)
}

impl Operation {
    fn path(&self) -> Result<&str> {
        let op = &self.op;
        self.path.as_deref().ok_or_else(|| fails(format!("{op} operation failed to decode path")))
    }

    fn from(&self) -> Result<&str> {
        let op = &self.op;
        self.from.as_deref().ok_or_else(|| fails(format!("{op} operation failed to decode from")))
    }

    fn value(&self, tree: &mut Tree, by: &'static str) -> Id {
        match &self.value {
            Some(conf) => take(tree, conf, by),
            None => tree.push(Data::Scalar(Scalar::tagged("null", Tag::Null)), Origin::at(self.place.as_ref())),
        }
    }

    fn apply(&self, tree: &mut Tree, by: &'static str) -> Result<()> {
        match self.op.as_str() {
            "add" => {
                let path = self.path()?;
                let at = self.container(tree, path, "path")?;
                let value = self.value(tree, by);
                at.add(tree, value).map_err(|why| fails(format!("error in add for path: '{path}': {why}")))
            }
            "remove" => {
                let path = self.path()?;
                let at = self.container(tree, path, "path")?;
                at.remove(tree).map_err(|why| fails(format!("error in remove for path: '{path}': {why}")))
            }
            "replace" => self.replace(tree, by),
            "move" => {
                let (from, path) = (self.from()?, self.path()?);
                let at = self.container(tree, from, "from path")?;
                let found = at.get(tree).map_err(|why| fails(format!("error in move for path: '{from}': {why}")))?;
                at.remove(tree).map_err(|why| fails(format!("error in move for path: '{from}': {why}")))?;
                let found = found.unwrap_or_else(|| self.value(tree, by));
                let to = self.container(tree, path, "destination path")?;
                to.add(tree, found).map_err(|why| fails(format!("error in move for path: '{path}': {why}")))
            }
            "copy" => {
                let (from, path) = (self.from()?, self.path()?);
                let at = self.container(tree, from, "from path")?;
                let found = at.get(tree).map_err(|why| fails(format!("error in copy for from: '{from}': {why}")))?;
                let to = self.container(tree, path, "destination path")?;
                let copy = match found {
                    Some(found) => {
                        let part = tree.extract(found);
                        tree.import(&part, part.root)
                    }
                    None => self.value(tree, by),
                };
                to.add(tree, copy).map_err(|why| fails(format!("error while adding value during copy: {why}")))
            }
            "test" => self.test(tree),
            other => Err(fails(format!("Unexpected kind: {other}"))
                .remedy("`op` is one of add, remove, replace, move, copy and test")),
        }
    }

    fn container(&self, tree: &Tree, path: &str, what: &str) -> Result<Container> {
        locate(tree, path).ok_or_else(|| {
            let op = &self.op;
            fails(format!("{op} operation does not apply: doc is missing {what}: \"{path}\": missing value"))
        })
    }

    fn replace(&self, tree: &mut Tree, by: &'static str) -> Result<()> {
        let path = self.path()?;
        if path.is_empty() {
            let value = self.value(tree, by);
            if tree.scalar(value).is_some() {
                return Err(fails("replace operation value must be object or array".into()));
            }
            tree.root = value;
            return Ok(());
        }
        let at = self.container(tree, path, "path")?;
        at.get(tree).map_err(|_| {
            fails(format!("replace operation does not apply: doc is missing key: {path}: missing value"))
        })?;
        let value = self.value(tree, by);
        at.replace(tree, value).map_err(|why| fails(format!("error in replace for path: '{path}': {why}")))
    }

    fn test(&self, tree: &Tree) -> Result<()> {
        let path = self.path()?;
        let found = if path.is_empty() {
            Some(tree.root)
        } else {
            let at = self.container(tree, path, "path")?;
            at.get(tree).map_err(|why| fails(format!("error in test for path: '{path}': {why}")))?
        };
        let wanted = self.value.as_ref().map(Conf::to_json).unwrap_or_default();
        let found = found.map(|found| tree.to_json(found)).transpose()?.unwrap_or_default();
        if same(&found, &wanted) {
            return Ok(());
        }
        Err(fails(format!("testing value {path} failed: test failed"))
            .remedy("the object does not hold what the patch expects there"))
    }
}

/// Whether two values are printed alike: `1.0` is `1`.
fn same(a: &serde_json::Value, b: &serde_json::Value) -> bool {
    use serde_json::Value as Json;
    match (a, b) {
        (Json::Array(a), Json::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Json::Object(a), Json::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| same(a, b)))
        }
        (Json::Number(_), Json::Number(_)) => windlass_yaml::to_yaml(a) == windlass_yaml::to_yaml(b),
        _ => a == b,
    }
}

fn take(tree: &mut Tree, conf: &Conf, by: &'static str) -> Id {
    let data = match &conf.value {
        Value::List(items) => Data::Seq(items.iter().map(|item| take(tree, item, by)).collect()),
        Value::Map(map) => {
            let mut fields = crate::tree::Fields::with_capacity(map.len());
            for (key, value) in map {
                let id = take(tree, value, by);
                fields.insert(key.as_str().into(), id);
            }
            Data::Map(fields)
        }
        _ => {
            let id = tree.take_json(&conf.to_json(), conf.place.as_ref());
            tree.changed(id, by, conf.place.as_ref());
            return id;
        }
    };
    tree.push(data, Origin::at(conf.place.as_ref()))
}
