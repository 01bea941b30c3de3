use crate::decode;
use crate::error::{FileProblem, HelmError};
use serde_json::Value as Json;
use windlass_gotemplate::version::Version;
use windlass_yaml::{Node, Value};

/// `Chart.yaml` (rendering §3.1).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Metadata {
    pub name: String,
    pub home: String,
    pub sources: Option<Vec<String>>,
    pub version: String,
    pub description: String,
    pub keywords: Option<Vec<String>>,
    pub maintainers: Option<Vec<Maintainer>>,
    pub icon: String,
    pub api_version: String,
    pub condition: String,
    pub tags: String,
    pub app_version: String,
    pub deprecated: bool,
    pub annotations: Option<Vec<(String, String)>>,
    pub kube_version: String,
    /// Nothing is not the same as an empty list: without one, all charts of `charts/` stay as they are.
    pub dependencies: Option<Vec<Dependency>>,
    /// `application`, `library`, or empty.
    pub kind: String,
}

/// Who cares for a chart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Maintainer {
    pub name: String,
    pub email: String,
    pub url: String,
}

/// A chart that another one needs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Dependency {
    pub name: String,
    /// A constraint of versions.
    pub version: String,
    pub repository: String,
    /// Paths in the values, with commas between them; the first that is a boolean decides.
    pub condition: String,
    pub tags: Option<Vec<String>>,
    pub enabled: bool,
    pub import_values: Option<Vec<Json>>,
    pub alias: String,
}

impl Metadata {
    /// Reads a file over what is there: fields that it does not have stay.
    pub(crate) fn read_over(&mut self, text: &str) -> Result<(), FileProblem> {
        let Some(root) = decode::document(text)? else { return Ok(()) };
        let Some(map) = decode::map(&root, "chart.Metadata")? else { return Ok(()) };
        let fields = [
            ("name", &mut self.name),
            ("home", &mut self.home),
            ("version", &mut self.version),
            ("description", &mut self.description),
            ("icon", &mut self.icon),
            ("apiVersion", &mut self.api_version),
            ("condition", &mut self.condition),
            ("tags", &mut self.tags),
            ("appVersion", &mut self.app_version),
            ("kubeVersion", &mut self.kube_version),
            ("type", &mut self.kind),
        ];
        for (name, field) in fields {
            if decode::field(map, name).is_some_and(|node| !node.is_null()) {
                *field = decode::text(map, name)?;
            }
        }
        if decode::field(map, "deprecated").is_some() {
            self.deprecated = decode::bool(map, "deprecated")?;
        }
        if decode::field(map, "sources").is_some() {
            self.sources = decode::texts(map, "sources")?;
        }
        if decode::field(map, "keywords").is_some() {
            self.keywords = decode::texts(map, "keywords")?;
        }
        if decode::field(map, "annotations").is_some() {
            self.annotations = decode::text_map(map, "annotations")?;
        }
        if decode::field(map, "maintainers").is_some() {
            let items = decode::list(map, "maintainers")?;
            self.maintainers = items.map(|items| items.iter().map(Maintainer::read).collect()).transpose()?;
        }
        if decode::field(map, "dependencies").is_some() {
            let items = decode::list(map, "dependencies")?;
            self.dependencies = items.map(|items| items.iter().map(Dependency::read).collect()).transpose()?;
        }
        Ok(())
    }

    /// Checks the rules, and cleans texts of what cannot be printed.
    pub(crate) fn validate(&mut self) -> Result<(), HelmError> {
        let refused = |problem: String| Err(HelmError::Metadata(problem));
        let texts = [
            &mut self.name,
            &mut self.description,
            &mut self.home,
            &mut self.icon,
            &mut self.condition,
            &mut self.tags,
            &mut self.app_version,
            &mut self.kube_version,
        ];
        texts.into_iter().for_each(clean);
        self.sources.iter_mut().chain(&mut self.keywords).flatten().for_each(clean);
        if self.api_version.is_empty() {
            return refused("chart.metadata.apiVersion is required".to_owned());
        }
        if self.name.is_empty() {
            return refused("chart.metadata.name is required".to_owned());
        }
        if self.name == "." || self.name == ".." {
            return refused(format!("chart.metadata.name {:?} is not allowed", self.name));
        }
        if self.name.contains('/') {
            return refused(format!("chart.metadata.name {:?} is invalid", self.name));
        }
        if self.version.is_empty() {
            return refused("chart.metadata.version is required".to_owned());
        }
        if Version::parse(&self.version).is_none() {
            return refused(format!("chart.metadata.version {:?} is invalid", self.version));
        }
        if !matches!(&*self.kind, "" | "application" | "library") {
            return refused("chart.metadata.type must be application or library".to_owned());
        }
        for one in self.maintainers.iter_mut().flatten() {
            [&mut one.name, &mut one.email, &mut one.url].into_iter().for_each(clean);
        }
        let mut known: Vec<String> = Vec::new();
        for one in self.dependencies.iter_mut().flatten() {
            one.validate()?;
            let key = if one.alias.is_empty() { &one.name } else { &one.alias };
            if known.contains(key) {
                return refused(format!("more than one dependency with name or alias {key:?}"));
            }
            known.push(key.clone());
        }
        Ok(())
    }
}

/// White space becomes a blank; what cannot be printed goes.
fn clean(text: &mut String) {
    let is_hidden = |c: char| c.is_control() || matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{feff}');
    if text.chars().any(|c| is_hidden(c) || c.is_whitespace() && c != ' ') {
        let kept = text.chars().map(|c| if c.is_whitespace() { ' ' } else { c });
        *text = kept.filter(|c| !is_hidden(*c)).collect();
    }
}

impl Maintainer {
    fn read(node: &Node) -> Result<Self, FileProblem> {
        let Some(map) = decode::map(node, "chart.Maintainer")? else {
            return Err(FileProblem::Text("maintainers must not contain empty or null nodes".to_owned()));
        };
        let text = |name| decode::text(map, name);
        Ok(Self { name: text("name")?, email: text("email")?, url: text("url")? })
    }
}

impl Dependency {
    pub(crate) fn read(node: &Node) -> Result<Self, FileProblem> {
        let Some(map) = decode::map(node, "chart.Dependency")? else {
            return Err(FileProblem::Text("dependencies must not contain empty or null nodes".to_owned()));
        };
        let text = |name| decode::text(map, name);
        let imports = match decode::field(map, "import-values").map(|node| &node.value) {
            None | Some(Value::Null) => None,
            Some(Value::Seq(items)) => Some(items.iter().map(decode::value).collect::<Result<_, _>>()?),
            Some(_) => return Err(decode::wrong(node, "field import-values of type []interface {}")),
        };
        Ok(Self {
            name: text("name")?,
            version: text("version")?,
            repository: text("repository")?,
            condition: text("condition")?,
            tags: decode::texts(map, "tags")?,
            enabled: decode::bool(map, "enabled")?,
            import_values: imports,
            alias: text("alias")?,
        })
    }

    fn validate(&mut self) -> Result<(), HelmError> {
        let texts = [&mut self.name, &mut self.version, &mut self.repository, &mut self.condition];
        texts.into_iter().chain(self.tags.iter_mut().flatten()).for_each(clean);
        let is_name = self.alias.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
        if is_name {
            return Ok(());
        }
        Err(HelmError::Metadata(format!("dependency {:?} has disallowed characters in the alias", self.name)))
    }
}
