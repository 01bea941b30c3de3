//! `.Chart`: the metadata of a chart, with Go's names of the fields.

use crate::chart::{Dependency, Maintainer};
use crate::dependency::tree::{Id, Tree};
use windlass_gotemplate::{Element, Field, List, Map, Struct, TEXT_MAP, TEXTS, Type, Value};

static CHART: Type = Type::new("struct { chart.Metadata; IsRoot bool }");
static METADATA: Type = Type::new("chart.Metadata");
static MAINTAINER: Type = Type::new("*chart.Maintainer");
static MAINTAINERS: Type = Type::new("[]*chart.Maintainer");
static DEPENDENCY: Type = Type::new("*chart.Dependency");
static DEPENDENCIES: Type = Type::new("[]*chart.Dependency");
static NO_TEXTS: Type = Type::new("[]string").of(Element::Text).nil();
static NO_ITEMS: Type = Type::new("[]interface {}").nil();
static NO_TEXT_MAP: Type = Type::new("map[string]string").of(Element::Text).nil();
static NO_MAINTAINERS: Type = Type::new("[]*chart.Maintainer").nil();
static NO_DEPENDENCIES: Type = Type::new("[]*chart.Dependency").nil();

pub(super) fn value(tree: &Tree<'_>, id: Id) -> Value {
    let of = &tree.chart(id).metadata;
    let optional = |name, key, value| Field { name, key, is_optional: true, value };
    let text = |name, key, text: &str| optional(name, key, text.into());
    let entries = tree.entries(id).map(|all| all.iter().map(|entry| dependency(tree.entry(*entry))).collect());
    let maintainers = of.maintainers.as_ref().map(|all| all.iter().map(maintainer).collect());
    let mut fields = vec![
        text("Name", "name", tree.name(id)),
        text("Home", "home", &of.home),
        optional("Sources", "sources", texts(of.sources.as_deref())),
        text("Version", "version", &of.version),
        text("Description", "description", &of.description),
        optional("Keywords", "keywords", texts(of.keywords.as_deref())),
        optional("Maintainers", "maintainers", list(&MAINTAINERS, &NO_MAINTAINERS, maintainers)),
        text("Icon", "icon", &of.icon),
        text("APIVersion", "apiVersion", &of.api_version),
        text("Condition", "condition", &of.condition),
        text("Tags", "tags", &of.tags),
        text("AppVersion", "appVersion", &of.app_version),
        optional("Deprecated", "deprecated", of.deprecated.into()),
        optional("Annotations", "annotations", text_map(of.annotations.as_deref())),
        text("KubeVersion", "kubeVersion", &of.kube_version),
        optional("Dependencies", "dependencies", list(&DEPENDENCIES, &NO_DEPENDENCIES, entries)),
        text("Type", "type", &of.kind),
    ];
    let metadata = Value::Struct(Struct::new(&METADATA, fields.clone()));
    fields.push(Field { name: "IsRoot", key: "IsRoot", is_optional: false, value: tree.is_root(id).into() });
    fields.push(Field { name: "Metadata", key: "", is_optional: false, value: metadata });
    Value::Struct(Struct::new(&CHART, fields))
}

fn list(kind: &'static Type, none: &'static Type, items: Option<Vec<Value>>) -> Value {
    Value::List(items.map_or_else(|| List::of(none, Vec::new()), |items| List::of(kind, items)))
}

fn texts(all: Option<&[String]>) -> Value {
    list(&TEXTS, &NO_TEXTS, all.map(|all| all.iter().map(|text| Value::text(text.as_str())).collect()))
}

fn text_map(all: Option<&[(String, String)]>) -> Value {
    let map = Map::of(if all.is_some() { &TEXT_MAP } else { &NO_TEXT_MAP });
    for (name, text) in all.unwrap_or_default() {
        map.set(name.as_str().into(), text.as_str().into());
    }
    map.into()
}

fn maintainer(of: &Maintainer) -> Value {
    let text = |name, key, text: &str| Field { name, key, is_optional: true, value: text.into() };
    let fields = vec![text("Name", "name", &of.name), text("Email", "email", &of.email), text("URL", "url", &of.url)];
    Value::Struct(Struct::new(&MAINTAINER, fields))
}

fn dependency(of: &Dependency) -> Value {
    let optional = |name, key, value| Field { name, key, is_optional: true, value };
    let text = |name, key, text: &str| Field { name, key, is_optional: false, value: text.into() };
    let imports = of.import_values.as_ref().map(|all| all.iter().map(Value::from_values).collect());
    let fields = vec![
        text("Name", "name", &of.name),
        optional("Version", "version", of.version.as_str().into()),
        text("Repository", "repository", &of.repository),
        optional("Condition", "condition", of.condition.as_str().into()),
        optional("Tags", "tags", texts(of.tags.as_deref())),
        optional("Enabled", "enabled", of.enabled.into()),
        optional("ImportValues", "import-values", list(&windlass_gotemplate::LIST, &NO_ITEMS, imports)),
        optional("Alias", "alias", of.alias.as_str().into()),
    ];
    Value::Struct(Struct::new(&DEPENDENCY, fields))
}
