//! What templates see: `.Values`, `.Chart`, `.Files` and the rest (rendering §3.4).

mod chart;
mod files;

use crate::dependency::table_at;
use crate::dependency::tree::{Id, Tree};
use crate::release::Options;
use windlass_gotemplate::{Map, Type, Value};

/// Values with methods, as Helm passes them.
pub(crate) static VALUES: Type = Type::new("chartutil.Values").with(values);

/// A template of a chart, and what it sees.
#[derive(Debug)]
pub(crate) struct Template<'c> {
    /// `chart/templates/x.yaml`
    pub path: String,
    pub file: &'c crate::chart::File,
    /// Which of the roots it sees.
    pub root: usize,
    /// `chart/templates`
    pub folder: String,
}

/// The templates of all charts, and a root for each chart. Templates of a chart share their root.
#[derive(Debug, Default)]
pub(crate) struct Contexts<'c> {
    pub templates: Vec<Template<'c>>,
    pub roots: Vec<Map>,
}

/// `values` are those of the whole tree.
pub(crate) fn contexts<'c>(tree: &Tree<'c>, values: &Map, options: &Options) -> Contexts<'c> {
    let mut contexts = Contexts::default();
    let shared = Shared { release: options.release().into(), capabilities: options.capabilities.value() };
    add(tree, Tree::ROOT, values.typed(&VALUES), &shared, &mut contexts);
    contexts
}

/// What all charts see alike.
struct Shared {
    release: Value,
    capabilities: Value,
}

fn add<'c>(tree: &Tree<'c>, id: Id, values: Map, shared: &Shared, contexts: &mut Contexts<'c>) -> Map {
    let chart = tree.chart(id);
    let inner = Map::new();
    let root = Map::new();
    root.set("Chart".into(), chart::value(tree, id));
    root.set("Files".into(), files::value(&chart.files));
    root.set("Release".into(), shared.release.clone());
    root.set("Capabilities".into(), shared.capabilities.clone());
    root.set("Values".into(), values.clone().into());
    root.set("Subcharts".into(), inner.clone().into());
    for child in tree.children(id) {
        let name = tree.name(child);
        // A name with dots is a path here: as the reference looks its values up.
        let own = table_at(&values, name).map_or_else(|| Map::of(&VALUES), |own| own.typed(&VALUES));
        let context = add(tree, child, own, shared, contexts);
        inner.set(name.into(), context.into());
    }
    let path = tree.path(id);
    let folder = format!("{path}/templates");
    let is_library = chart.metadata.kind.eq_ignore_ascii_case("library");
    for file in &chart.templates {
        let base = file.name.rsplit('/').next().unwrap_or(&file.name);
        if is_library && !base.starts_with('_') {
            continue;
        }
        contexts.templates.push(Template {
            path: format!("{path}/{}", file.name),
            file,
            root: contexts.roots.len(),
            folder: folder.clone(),
        });
    }
    contexts.roots.push(root.clone());
    root
}

/// The methods of values.
fn values(value: &Value, method: &str, arguments: &[Value]) -> Option<Result<Value, String>> {
    let map = value.as_map()?;
    let path = || match arguments {
        [Value::Text(path)] => Ok(path.clone()),
        other => Err(format!("wrong number of args for {method}: want 1 got {}", other.len())),
    };
    Some(match method {
        "AsMap" => Ok(map.typed(&windlass_gotemplate::MAP).into()),
        "YAML" => value.clone().into_json().map(|json| windlass_yaml::to_yaml(&json).into()),
        "Table" => path().and_then(|path| match table_at(map, &path) {
            Some(table) => Ok(table.typed(&VALUES).into()),
            None => Err(format!("{path:?} is not a table")),
        }),
        "PathValue" => path().and_then(|path| {
            let (table, name) = match path.rsplit_once('.') {
                Some((before, name)) => (table_at(map, before), name),
                None => (Some(map.clone()), &*path),
            };
            let found = table.and_then(|table| table.get(name)).filter(|value| value.as_map().is_none());
            found.ok_or_else(|| format!("{name:?} is not a value"))
        }),
        "Encode" => Err("there is nothing to write to".to_owned()),
        _ => return None,
    })
}
