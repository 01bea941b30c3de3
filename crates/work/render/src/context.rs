//! What expressions in values files may name (kubernetes-deploy §1.4): the artifact, variables, and where it goes.

use serde_json::{Value as Json, json};
use windlass_diagnostic::{Diagnostic, Diagnostics, Severity};
use windlass_expression::{Evaluator, Template, Tree, Value};
use windlass_model::Timestamp;
use windlass_model::task::ClusterTarget;
use windlass_model::task::cluster::EnvironmentType;
use windlass_model::task::source::{Artifact, ServiceSource};
use windlass_yaml::{Node, NumberStyle, Style, Value as Yaml};

/// The roots of expressions in values files.
pub(crate) struct Context {
    tree: Tree,
    now: Timestamp,
}

const ROOTS: [&str; 6] = ["artifact", "artifacts", "serviceVariables", "service", "env", "infra"];

impl Context {
    pub(crate) fn new(source: &ServiceSource, target: &ClusterTarget, now: Timestamp) -> Self {
        let artifact = source.artifact.as_ref().map(artifact).unwrap_or_default();
        let sidecars: serde_json::Map<String, Json> =
            source.sidecars.iter().map(|(name, sidecar)| (name.clone(), self::artifact(sidecar))).collect();
        let kind = match target.environment_type {
            EnvironmentType::Production => "Production",
            EnvironmentType::PreProduction => "PreProduction",
        };
        let root = json!({
            "artifact": artifact,
            "artifacts": {"primary": artifact, "sidecars": sidecars},
            "serviceVariables": source.variables,
            "service": {"identifier": target.service, "variables": source.variables},
            "env": {"identifier": target.environment, "type": kind},
            "infra": {"identifier": target.infrastructure, "namespace": target.namespace, "releaseName": target.release,
                "connectorRef": target.connector, "connector": {"ref": target.connector}},
        });
        // The server has resolved these texts: whatever they look like, they are data.
        let tree = ROOTS.iter().fold(Tree::new(Value::from(root)), |tree, name| tree.outside(name));
        Self { tree, now }
    }

    /// The value of a tree, with the expressions in its texts resolved one by one: no value can change the structure
    /// around it.
    pub(crate) fn resolve(&self, node: &Node, problems: &mut Diagnostics) -> Json {
        match &node.value {
            Yaml::String(text) if text.contains("<+") => match self.text(text) {
                Ok(value) if node.style == Style::Plain => as_written(value),
                Ok(value) => value,
                Err(problem) => {
                    problems.push(problem.at(node.place.clone()));
                    Json::Null
                }
            },
            Yaml::Seq(items) => items.iter().map(|item| self.resolve(item, problems)).collect(),
            Yaml::Map(map) => {
                map.iter().map(|(name, value)| (name.to_owned(), self.resolve(value, problems))).collect()
            }
            _ => node.to_json(NumberStyle::Typed),
        }
    }

    fn text(&self, text: &str) -> Result<Json, Diagnostic> {
        let evaluator = Evaluator::new(&self.tree, self.now.to_jiff());
        let outcome = evaluator.value(&Template::parse(text)).map_err(|error| error.to_diagnostic())?;
        if let Some(missing) = outcome.missing.first() {
            let mut problem = missing.to_diagnostic();
            // Elsewhere it counts as null and is told; here it would reach the cluster.
            problem.severity = Severity::Error;
            let known = format!("expressions in values files know {}", ROOTS.join(", "));
            problem.remedy = Some(problem.remedy.map_or_else(|| known.clone(), |remedy| format!("{remedy}; {known}")));
            return Err(problem);
        }
        outcome.value.to_json().map_err(|_| {
            Diagnostic::error("REN0003", "a secret is named in a values file: secrets are not opened here")
                .remedy("put it into a variable of the service, and name that here")
        })
    }
}

/// A text that came into a plain scalar is what it would be in YAML, where that prints the same: `true` is a boolean and `3`
/// a number, but `1.10`, `007` and `20240101` stay what they are (rendering §4).
fn as_written(value: Json) -> Json {
    const LONGEST: usize = 6;
    let Json::String(text) = &value else { return value };
    let digits = text.strip_prefix('-').unwrap_or(text);
    let is_number = (1..=LONGEST).contains(&digits.len())
        && digits.bytes().all(|digit| digit.is_ascii_digit())
        && (!digits.starts_with('0') || text == "0");
    match (text.as_str(), is_number) {
        ("true", _) => Json::Bool(true),
        ("false", _) => Json::Bool(false),
        (text, true) => text.parse::<i64>().map_or(value, Json::from),
        _ => value,
    }
}

fn artifact(artifact: &Artifact) -> Json {
    json!({
        "identifier": artifact.identifier, "type": artifact.kind, "imagePath": artifact.image_path, "tag": artifact.tag,
        "image": artifact.image, "metadata": {"image": artifact.image, "tag": artifact.tag},
    })
}
