//! From a text to documents.

use crate::common::code;
use crate::{Entity, Kind, entity, rootless};
use windlass_diagnostic::{Diagnostic, Diagnostics};
use windlass_model::{Identifier, Json, Scope};
use windlass_yaml::{Node, NumberStyle, Options, Reader, Report, Value};

/// One document, checked. Errors are in the answer of [`read`]: a document that has some is not to be saved.
#[derive(Clone, Debug, PartialEq)]
pub struct Document {
    pub kind: Kind,
    pub header: Header,
    pub entity: Entity,
    /// What is inside the root key; numbers keep their source text.
    pub body: Json,
    /// The author's text of this document alone, byte for byte.
    pub text: String,
    /// Made from a part of another document: a trigger in a pipeline (SEED-04).
    pub derived: bool,
}

/// What every document has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    pub scope: Scope,
    pub identifier: Identifier,
    /// The identifier as the author wrote it, when it is not one (SEED-02): an alias for look-ups.
    pub alias: Option<String>,
    pub name: String,
    /// Infrastructures live in an environment.
    pub parent: Option<String>,
}

/// Reads every document of a text. `scope` is where documents go that do not say where they belong; `kind` is what a
/// document without root key is, if the caller knows.
///
/// The diagnostics hold everything that was found, in the order of the text. With an error among them nothing should be
/// saved: all or nothing.
pub fn read(file: &str, text: &str, scope: &Scope, kind: Option<Kind>) -> (Vec<Document>, Diagnostics) {
    let roots = match windlass_yaml::parse(file, text, &Options::DOCUMENT) {
        Ok(documents) => documents,
        Err(problems) => return (Vec::new(), problems),
    };
    let mut documents = Vec::new();
    let mut problems = Diagnostics::new();
    for root in &roots {
        if root.root.is_null() {
            continue;
        }
        let report = Report::default();
        if let Some(found) = one(&root.root, &report, scope, kind) {
            let own = if roots.len() == 1 { text.to_owned() } else { own_text(text, root.root.place.line) };
            let triggers = triggers_of(&found);
            documents.push(Document { text: own, ..found });
            documents.extend(triggers);
        }
        problems.append(report.into_diagnostics());
    }
    if roots.iter().all(|r| r.root.is_null()) {
        problems.push(Diagnostic::error(code::KIND, "there is no document in this text"));
    }
    (documents, problems)
}

/// Reads one document that was made and not written: a pipeline with its inputs in place. Diagnostics have no places, only paths.
pub fn read_made(document: &Json, scope: &Scope, kind: Kind) -> (Option<Document>, Diagnostics) {
    let report = Report::default();
    let found = one(&Node::from(document), &report, scope, Some(kind));
    let problems = report.into_diagnostics().into_iter().map(|problem| Diagnostic { place: None, ..problem });
    (found, problems.collect())
}

/// The part of a text between the `---` lines around this line. Such a line at the margin always separates documents.
fn own_text(text: &str, line: u32) -> String {
    let line = line as usize;
    let is_mark =
        |l: &str| l.strip_prefix("---").is_some_and(|rest| rest.trim_end().is_empty() || rest.starts_with(' '));
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let at = line.clamp(1, lines.len().max(1));
    let start = lines[..at.min(lines.len())].iter().rposition(|l| is_mark(l)).map_or(0, |mark| mark + 1);
    let end = lines[start..].iter().position(|l| is_mark(l)).map_or(lines.len(), |mark| start + mark);
    lines[start..end].concat()
}

fn one(root: &Node, report: &Report, scope: &Scope, hint: Option<Kind>) -> Option<Document> {
    let outer = Reader::new(root, report);
    let (kind, reader) = find_kind(&outer, hint)?;
    let header = header(kind, &reader, scope);
    let entity = entity::read(kind, &reader);
    let (header, entity) = (header?, entity?);
    let entity = match entity {
        Entity::Pipeline(mut pipeline) => {
            pipeline.identifier = header.identifier.to_string();
            pipeline.org = header.scope.org().map(ToString::to_string).unwrap_or_default();
            pipeline.project = header.scope.project().map(ToString::to_string).unwrap_or_default();
            Entity::Pipeline(pipeline)
        }
        other => other,
    };
    let body = reader.node().to_json(NumberStyle::KeepText);
    Some(Document { kind, header, entity, body, text: String::new(), derived: false })
}

/// The root key says what it is; without one the keys inside do.
fn find_kind<'a>(outer: &Reader<'a>, hint: Option<Kind>) -> Option<(Kind, Reader<'a>)> {
    let entries = outer.entries()?;
    let roots: Vec<_> = entries.iter().filter_map(|(key, value)| Some((Kind::of_root(key)?, value))).collect();
    if entries.len() == 1
        && let [(kind, value)] = roots.as_slice()
        && matches!(value.node().value, Value::Map(_))
    {
        return Some((*kind, (*value).clone()));
    }
    if let Some(kind) = hint.or_else(|| rootless::kind_of(outer.node())) {
        if kind == Kind::Infrastructure {
            outer.report(Diagnostic::warning(
                "SEED-34",
                "the root key `infrastructureDefinition` is missing; the document is read without it",
            ));
        }
        return Some((kind, outer.clone()));
    }
    let known: Vec<&str> = Kind::all().map(|k| k.words().root).collect();
    let first = entries.first().map_or("", |(key, _)| *key);
    outer.report(
        Diagnostic::error(code::KIND, "this is no document of a known kind")
            .remedy(format!("put it below one of {}", known.join(", ")))
            .nearest_of(first, known.iter().copied()),
    );
    None
}

fn header(kind: Kind, reader: &Reader<'_>, outer: &Scope) -> Option<Header> {
    let fields = reader.fields()?;
    let part = |name: &'static str| {
        let given = fields.opt(name)?;
        given.parse(Identifier::parse)
    };
    let scope = match (part("orgIdentifier"), part("projectIdentifier")) {
        (None, None) => Some(narrowed(kind, outer)),
        (org, project) => {
            Scope::of(org.or_else(|| outer.org().cloned()), project.or_else(|| keeps_project(kind, outer)))
        }
    };
    let scope = scope.filter(|s| kind.can_live_in(s));
    if scope.is_none() {
        let problem = match kind.words().levels {
            crate::Levels::Project => {
                format!("a {kind} belongs to a project: `orgIdentifier` and `projectIdentifier` are missing")
            }
            crate::Levels::Org => format!("a {kind} belongs to an organization: `orgIdentifier` is missing"),
            _ => format!("a {kind} cannot live in this scope"),
        };
        reader.report(Diagnostic::error(code::KIND, problem).remedy("write them, or give `--org` and `--project`"));
    }
    let given = fields.opt("identifier").and_then(|i| Some((i.string()?, i)));
    let name = fields.opt("name").and_then(|n| n.string());
    let parent =
        (kind == Kind::Infrastructure).then(|| fields.opt("environmentRef").and_then(|e| e.string())).flatten();
    let (identifier, alias) = match given {
        Some((text, at)) => identifier(kind, &text, &at)?,
        None => match name.as_deref().and_then(Identifier::from_name) {
            Some(identifier) if kind != Kind::Pipeline => (identifier, None),
            _ => {
                fields.required("identifier");
                return None;
            }
        },
    };
    Some(Header { scope: scope?, name: name.unwrap_or_else(|| identifier.to_string()), identifier, alias, parent })
}

/// A kind that lives on wider levels only is lifted to its level.
fn narrowed(kind: Kind, outer: &Scope) -> Scope {
    outer.outwards().find(|scope| kind.can_live_in(scope)).unwrap_or_else(|| outer.clone())
}

fn keeps_project(kind: Kind, outer: &Scope) -> Option<Identifier> {
    if kind.words().levels == crate::Levels::Project { outer.project().cloned() } else { None }
}

/// The identifier, or the one that is meant (SEED-02).
fn identifier(kind: Kind, text: &str, at: &Reader<'_>) -> Option<(Identifier, Option<String>)> {
    let parsed = if kind.allows_dashes() { Identifier::parse_dashed(text) } else { Identifier::parse(text) };
    match parsed {
        Ok(identifier) => Some((identifier, None)),
        Err(error) => {
            let dashes_only = Identifier::parse_dashed(text).is_ok();
            let meant = Identifier::from_name(text).filter(|_| dashes_only);
            match meant {
                Some(meant) => {
                    at.report(
                        Diagnostic::warning(
                            "SEED-02",
                            format!("`{text}` is not an identifier: the vendor allows no `-` or `.`"),
                        )
                        .remedy(format!("it is kept as `{meant}`, and found by either")),
                    );
                    Some((meant, Some(text.to_owned())))
                }
                None => {
                    at.report(Diagnostic::error(code::IDENTIFIER, error.to_string()));
                    None
                }
            }
        }
    }
}

/// The triggers that a pipeline brings along (SEED-04).
fn triggers_of(document: &Document) -> Vec<Document> {
    let Entity::Pipeline(pipeline) = &document.entity else { return Vec::new() };
    let items = document.body.get("triggers").and_then(Json::as_array).map(Vec::as_slice).unwrap_or_default();
    items
        .iter()
        .filter_map(|item| entity::trigger::of_pipeline(item, &pipeline.org, &pipeline.project, &pipeline.identifier))
        .filter_map(|json| {
            // Its problems were or will be shown where it is written: the pipeline's own text.
            let text = serde_json::to_string_pretty(&json).ok()?;
            let (documents, _) = read("", &text, &document.header.scope, None);
            documents.into_iter().next()
        })
        .map(|document| Document { derived: true, ..document })
        .collect()
}
