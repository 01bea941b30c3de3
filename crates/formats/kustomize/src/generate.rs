//! ConfigMaps and Secrets from literals, files and env files (rendering §1.5).

mod sources;

use crate::error::{Problem, Result, Within};
use crate::history::Behavior;
use crate::kustomization::{GeneratorArgs, GeneratorOptions};
use crate::loader::Loader;
use crate::object::Object;
use crate::schema::Schema;
use crate::tree::{Data, Fields, Id, Origin, Scalar, Tag, Tree};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sources::Pair;
use std::collections::BTreeMap;
use std::rc::Rc;
use windlass_diagnostic::Place;
use windlass_yaml::Style;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Generated {
    ConfigMap,
    Secret,
}

/// Characters of base64 in a line.
const BASE64_LINE: usize = 70;

/// Makes one object.
pub(crate) fn generate(
    loader: &Loader<'_>,
    schema: &Rc<Schema>,
    of: Generated,
    args: &GeneratorArgs,
    options: Option<&GeneratorOptions>,
) -> Result<Object> {
    let place = args.place.as_ref();
    let make = || -> Result<Object> {
        if args.name.is_empty() {
            return Err(Problem::Generator.says("a configmap must have a name"));
        }
        let pairs = sources::load(loader, args).within(|| "loading KV pairs".into())?;
        let mut unique: BTreeMap<String, Pair> = BTreeMap::new();
        for (key, pair) in pairs {
            let place = pair.place.clone();
            if unique.contains_key(&key) {
                let what = format!("configmap {} illegally repeats the key `{key}`", args.name);
                return Err(Problem::Generator.says(what).at(place.as_ref()).remedy("remove one of the two"));
            }
            unique.insert(key, pair);
        }
        let mut maker = Maker::new(of, args, place);
        maker.fill(of, unique);
        if let Some(options) = options {
            maker.options(options)?;
        }
        let mut object = Object::new(maker.tree, schema);
        object.history.needs_hash = !options.is_some_and(|options| options.disable_name_suffix_hash);
        object.history.behavior = Some(Behavior::of(&args.behavior));
        Ok(object)
    };
    make().map_err(|error| error.at(place))
}

struct Maker {
    tree: Tree,
    root: Id,
    place: Option<Place>,
}

impl Maker {
    fn new(of: Generated, args: &GeneratorArgs, place: Option<&Place>) -> Self {
        let tree = Tree::new(Data::Map(Fields::new()), Origin::at(place));
        let root = tree.root;
        let mut maker = Self { tree, root, place: place.cloned() };
        maker.text(root, "apiVersion", Scalar::entry("v1"));
        let kind = match of {
            Generated::ConfigMap => "ConfigMap",
            Generated::Secret => "Secret",
        };
        maker.text(root, "kind", Scalar::entry(kind));
        let meta = maker.map(root, "metadata");
        maker.text(meta, "name", Scalar::entry(args.name.as_str()));
        if !args.namespace.is_empty() {
            maker.text(meta, "namespace", Scalar::entry(args.namespace.as_str()));
        }
        if of == Generated::Secret {
            let secret_type = if args.secret_type.is_empty() { "Opaque" } else { &args.secret_type };
            maker.text(root, "type", Scalar::entry(secret_type));
        }
        maker
    }

    fn put(&mut self, at: Id, key: &str, data: Data, place: Option<&Place>) -> Id {
        let id = self.tree.push(data, Origin::at(place));
        if let Data::Map(fields) = &mut self.tree.node_mut(at).data {
            fields.insert(key.into(), id);
        }
        id
    }

    fn text(&mut self, at: Id, key: &str, value: Scalar) {
        let place = self.place.clone();
        self.put(at, key, Data::Scalar(value), place.as_ref());
    }

    fn map(&mut self, at: Id, key: &str) -> Id {
        match self.tree.get(at, key) {
            Some(found) => found,
            None => {
                let place = self.place.clone();
                self.put(at, key, Data::Map(Fields::new()), place.as_ref())
            }
        }
    }

    fn fill(&mut self, of: Generated, pairs: BTreeMap<String, Pair>) {
        if of == Generated::Secret {
            self.map(self.root, "data");
        }
        for (key, pair) in pairs {
            let (field, value) = match (of, String::from_utf8(pair.value)) {
                (Generated::ConfigMap, Ok(text)) => ("data", text),
                (Generated::ConfigMap, Err(error)) => ("binaryData", base64(error.as_bytes())),
                (Generated::Secret, Ok(text)) => ("data", base64(text.as_bytes())),
                (Generated::Secret, Err(error)) => ("data", base64(error.as_bytes())),
            };
            let at = self.map(self.root, field);
            self.put(at, &key, Data::Scalar(Scalar::entry(value)), pair.place.as_ref());
        }
    }

    fn options(&mut self, options: &GeneratorOptions) -> Result<()> {
        let meta = self.map(self.root, "metadata");
        for (field, texts) in [("labels", &options.labels), ("annotations", &options.annotations)] {
            for (key, value) in texts {
                let at = self.map(meta, field);
                let text = Scalar { style: Style::SingleQuoted, ..Scalar::string(value.text.as_str()) };
                self.put(at, key, Data::Scalar(text), value.place.as_ref());
            }
        }
        if options.immutable {
            self.text(self.root, "immutable", Scalar::tagged("true", Tag::Bool));
        }
        Ok(())
    }
}

/// Base64 in lines of 70 characters; a single line ends without a break.
fn base64(bytes: &[u8]) -> String {
    let text = STANDARD.encode(bytes);
    if text.len() < BASE64_LINE {
        return text;
    }
    let mut out = String::with_capacity(text.len() + text.len() / BASE64_LINE + 1);
    let mut rest = text.as_str();
    while !rest.is_empty() {
        let (line, behind) = rest.split_at(rest.len().min(BASE64_LINE));
        out.push_str(line);
        out.push('\n');
        rest = behind;
    }
    out
}
