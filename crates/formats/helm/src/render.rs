use crate::chart::{Chart, File};
use crate::context::{self, Contexts};
use crate::dependency::tree::{Id, Tree};
use crate::dependency::{self, is_in_range};
use crate::error::HelmError;
use crate::files::extension;
use crate::manifest::{self, Document, Sorted};
use crate::pattern;
use crate::release::Options;
use crate::schema;
use crate::values::Values;
use crate::values::coalesce::Coalesce;
use std::collections::BTreeMap;
use windlass_diagnostic::Diagnostics;
use windlass_gotemplate::{Map, Templates, World};

/// Changes the rendered objects as a whole. Hooks do not come here.
pub trait PostRender {
    /// # Errors
    /// Why it could not.
    fn run(&self, manifests: &str) -> Result<String, String>;
}

/// A rendered chart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rendered {
    /// What `helm template` prints.
    pub text: String,
    /// Objects in the order of the text, as they came from the templates; a post-renderer's changes are in the text only.
    pub documents: Vec<Document>,
    /// Hooks, also those that the text leaves out.
    pub hooks: Vec<Document>,
    /// CRDs of the chart and of the charts inside, whether the text has them or not: source and content.
    pub crds: Vec<(String, String)>,
    pub notes: String,
    pub warnings: Vec<String>,
}

const NOTES: &str = "NOTES.txt";

/// Bytes of the text between two documents.
const BETWEEN: usize = 20;

/// Renders a chart.
///
/// # Errors
/// Whatever the reference refuses, with its words first; and what goes beyond the limits.
pub fn template(
    chart: &Chart,
    values: &Values,
    options: &Options,
    world: &dyn World,
    post: Option<&dyn PostRender>,
) -> Result<Rendered, HelmError> {
    if !matches!(&*chart.metadata.kind, "" | "application") {
        return Err(HelmError::NotInstallable(chart.metadata.kind.clone()));
    }
    chart.check_dependencies()?;
    options.check()?;
    let mut warnings = chart.warnings.clone();
    if chart.metadata.deprecated {
        warnings.push("WARNING: This chart is deprecated".to_owned());
    }
    let rendered = windlass_gotemplate::roomy(|| run(chart, values, options, world, &mut warnings))?;
    rendered.finish(options, post, warnings)
}

/// Files by name, and what else came out.
struct Files {
    files: BTreeMap<String, String>,
    notes: String,
    crds: Vec<(String, String)>,
}

fn run(
    chart: &Chart,
    values: &Values,
    options: &Options,
    world: &dyn World,
    warnings: &mut Vec<String>,
) -> Result<Files, HelmError> {
    let mut tree = Tree::new(chart);
    dependency::process(&mut tree, &values.0, warnings)?;
    let mut coalesce = Coalesce { tree: &tree, keeps_nulls: false, warnings: Vec::new() };
    let merged = coalesce.chart(Tree::ROOT, &values.0).map_err(HelmError::Values)?;
    warnings.append(&mut coalesce.warnings);
    if !options.skip_schema_validation {
        schema::check(&tree, &merged)?;
    }
    let wanted = &chart.metadata.kube_version;
    let have = &options.capabilities.kube_version.version;
    if !wanted.is_empty() && !is_in_range(wanted, have) {
        return Err(HelmError::IncompatibleKubeVersion { wanted: wanted.clone(), have: have.clone() });
    }
    let mut files = fill(context::contexts(&tree, &merged, options), options, world)?;
    let own_notes = format!("{}/templates/{NOTES}", chart.name());
    let mut notes = Vec::new();
    files.retain(|name, text| {
        let is_notes = name.ends_with(NOTES);
        if is_notes && (options.subchart_notes || *name == own_notes) {
            notes.push(std::mem::take(text));
        }
        !is_notes
    });
    let mut crds = Vec::new();
    add_crds(&tree, Tree::ROOT, &mut crds);
    Ok(Files { files, notes: notes.join("\n"), crds })
}

/// Carries the templates out: deep ones first, those of one depth in the reverse order of their names (correction v).
fn fill(contexts: Contexts<'_>, options: &Options, world: &dyn World) -> Result<BTreeMap<String, String>, HelmError> {
    // Two charts may render to one path; the last one counts.
    let templates: BTreeMap<&str, _> = contexts.templates.iter().map(|one| (&*one.path, one)).collect();
    let mut order: Vec<_> = templates.into_values().collect();
    order.sort_by_cached_key(|one| std::cmp::Reverse((one.path.matches('/').count(), one.path.clone())));
    let texts = order.iter().map(|one| Ok((&*one.path, one.file.text()?))).collect::<Result<Vec<_>, HelmError>>()?;
    let set = Templates::parse_with(&texts, windlass_gotemplate::Options::HELM).map_err(HelmError::Syntax)?;
    let mut session = set.session(&options.limits, world);
    let mut files = BTreeMap::new();
    let mut size = 0;
    for one in order {
        if one.path.rsplit('/').next().is_some_and(|base| base.starts_with('_')) {
            continue;
        }
        let root = &contexts.roots[one.root];
        root.set("Template".into(), about(&one.path, &one.folder).into());
        let text = session
            .render(&one.path, &root.clone().into())
            .map_err(|problem| HelmError::Execution(Box::new(problem)))?;
        size += text.len();
        if size > options.limits.output {
            return Err(HelmError::Limit(format!("the chart renders to more than {} bytes", options.limits.output)));
        }
        files.insert(one.path.clone(), text);
    }
    drop(session);
    for root in contexts.roots {
        root.unset("Subcharts");
    }
    Ok(files)
}

/// `.Template`
fn about(path: &str, folder: &str) -> Map {
    let map = Map::of(&context::VALUES);
    map.set("Name".into(), path.into());
    map.set("BasePath".into(), folder.into());
    map
}

fn add_crds(tree: &Tree<'_>, id: Id, crds: &mut Vec<(String, String)>) {
    let is_manifest = |name: &str| {
        let extension = extension(name);
        [".yaml", ".yml", ".json"].iter().any(|known| extension.eq_ignore_ascii_case(known))
    };
    let path = tree.path(id);
    let own = tree.chart(id).files.iter().filter(|file| file.name.starts_with("crds/") && is_manifest(&file.name));
    crds.extend(
        own.map(|file: &File| (format!("{path}/{}", file.name), String::from_utf8_lossy(&file.data).into_owned())),
    );
    for inner in tree.children(id) {
        add_crds(tree, inner, crds);
    }
}

impl Files {
    fn finish(
        self,
        options: &Options,
        post: Option<&dyn PostRender>,
        mut warnings: Vec<String>,
    ) -> Result<Rendered, HelmError> {
        let Sorted { objects, hooks, warnings: mut more } = manifest::sorted(self.files)?;
        warnings.append(&mut more);
        let parts = || objects.iter().chain(&hooks).map(|one| one.source.len() + one.text.len());
        let mut manifests = String::with_capacity(parts().map(|part| part + BETWEEN).sum());
        let mut add = |source: &str, text: &str| {
            for piece in ["---\n# Source: ", source, "\n", text, "\n"] {
                manifests.push_str(piece);
            }
        };
        if options.include_crds {
            self.crds.iter().for_each(|(source, text)| add(source, text));
        }
        objects.iter().for_each(|one| add(&one.source, &one.text));
        if let Some(post) = post {
            manifests = post.run(&manifests).map_err(HelmError::PostRender)?;
        }
        let mut text = manifests;
        text.truncate(text.trim_end().len());
        text.drain(..text.len() - text.trim_start().len());
        text.push('\n');
        if !options.no_hooks {
            let shown =
                |one: &&Document| !(options.skip_tests && one.hook.as_ref().is_some_and(manifest::Hook::is_test));
            for one in hooks.iter().filter(shown) {
                text.push_str(&format!("---\n# Source: {}\n{}\n", one.source, one.text));
            }
        }
        if !options.show_only.is_empty() {
            text = only(&text, &options.show_only)?;
        }
        Ok(Rendered { text, documents: objects, hooks, crds: self.crds, notes: self.notes, warnings })
    }
}

/// The documents whose source one of the patterns names, in the order of the patterns.
fn only(text: &str, patterns: &[String]) -> Result<String, HelmError> {
    let mut out = String::new();
    for wanted in patterns {
        let mut found = false;
        for document in manifest::split(text) {
            let source = document.lines().find_map(|line| line.split_once("# Source: ")?.1.split_once('/'));
            let Some((_, name)) = source.filter(|(chart, name)| !chart.is_empty() && !name.is_empty()) else {
                continue;
            };
            if pattern::matches(wanted, name) == Some(true) {
                found = true;
                out.push_str(&format!("---\n{document}\n"));
            }
        }
        if !found {
            return Err(HelmError::NoSuchTemplate(wanted.clone()));
        }
    }
    Ok(out)
}

impl From<Diagnostics> for HelmError {
    fn from(problems: Diagnostics) -> Self {
        Self::Syntax(problems)
    }
}
