//! What the compiler of regorus does not look at: which functions are called, whether they call themselves, how deep it goes.

mod cycle;
mod walk;

use crate::builtins;
use cycle::cycle;
use regorus::unstable::{Module, Span};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use walk::{Call, head, path, walk};
use windlass_diagnostic::{Diagnostic, Diagnostics, Place};

/// Nesting of expressions, operators in a row included: each level costs stack when it is evaluated.
const DEEPEST: usize = 64;

/// Names of rules in one policy: each may stand on the stack at once.
const MOST_RULES: usize = 300;

/// What a policy defines, as far as it matters here.
#[derive(Debug, Default)]
pub(crate) struct Outline {
    pub has_deny: bool,
}

/// Looks through a parsed policy. `package` is its path below `data`, joined by dots.
pub(crate) fn check(module: &Module, package: &str, file: &Arc<str>, found: &mut Diagnostics) -> Outline {
    let imports = imports(module);
    let full = |name: &str| -> String {
        let (first, rest) = name.split_once('.').map_or((name, None), |(first, rest)| (first, Some(rest)));
        match (imports.get(first), rest) {
            (Some(target), Some(rest)) => format!("{target}.{rest}"),
            (Some(target), None) => target.clone(),
            (None, _) => name.to_owned(),
        }
    };
    let own = format!("data.{package}.");
    let local = |name: &str| full(name).strip_prefix(&own).map_or_else(|| full(name), str::to_owned);
    let place = |span: &Span| Place::new(file.clone(), span.line, span.col);

    let mut names = BTreeSet::new();
    let mut functions: BTreeMap<String, Vec<Call<'_>>> = BTreeMap::new();
    let mut calls = Vec::new();
    for rule in &module.policy {
        let walked = walk(rule);
        if walked.depth > DEEPEST {
            let text = format!("the rule is nested deeper than {DEEPEST} levels, operators in a row included");
            let remedy = "split it with intermediate variables or helper rules";
            found.push(Diagnostic::error("POL0005", text).at(place(rule.span())).remedy(remedy));
        }
        let (name, function) = head(rule);
        if let Some(name) = name {
            if function {
                functions.entry(name.clone()).or_default().extend(walked.calls.iter().cloned());
            }
            names.insert(name);
        }
        calls.extend(walked.calls);
        for (name, span) in walked.replaced.iter().filter(|(name, _)| builtins::fixed(name)) {
            let text = format!("`{name}` cannot be replaced, or be a replacement, with `with`");
            let remedy = "give what it answers as an argument of a function of the policy";
            found.push(Diagnostic::error("POL0008", text).at(place(span)).remedy(remedy));
        }
    }
    if names.len() > MOST_RULES {
        let text = format!("the policy defines {} rules; at most {MOST_RULES} are evaluated", names.len());
        found.push(Diagnostic::error("POL0005", text).remedy("split it into several policies of one set"));
    }
    for call in &calls {
        let name = local(&call.name);
        if functions.contains_key(&name) {
            continue;
        }
        if let Some(problem) = problem(&full(&call.name), call, functions.keys().map(String::as_str)) {
            found.push(problem.at(place(call.span)));
        }
    }
    let edges = functions.iter().map(|(name, calls)| {
        (
            name.as_str(),
            calls.iter().map(|call| local(&call.name)).filter(|name| functions.contains_key(name)).collect(),
        )
    });
    if let Some(name) = cycle(&edges.collect()) {
        let span =
            functions[&name].iter().find(|call| functions.contains_key(&local(&call.name))).map(|call| call.span);
        let problem =
            Diagnostic::error("POL0004", format!("function `{name}` calls itself, directly or through others"));
        let problem = problem.remedy("Rego has no recursion: use `walk`, `graph.reachable` or comprehensions");
        found.push(match span {
            Some(span) => problem.at(place(span)),
            None => problem,
        });
    }
    Outline { has_deny: names.iter().any(|name| name == "deny") }
}

fn problem<'a>(name: &str, call: &Call<'_>, functions: impl Iterator<Item = &'a str>) -> Option<Diagnostic> {
    if let Some(why) = builtins::refusal(name) {
        return Some(Diagnostic::error("POL0002", format!("`{name}` is refused: {why}")));
    }
    if !builtins::known(name) {
        let problem = Diagnostic::error("POL0003", format!("there is no function `{name}`"));
        return Some(problem.nearest_of(name, builtins::names().map(|name| -> &'a str { name }).chain(functions)));
    }
    let wanted = builtins::arguments(name)?;
    (call.arguments > wanted).then(|| {
        Diagnostic::error("POL0007", format!("`{name}` takes {wanted} arguments and was given {}", call.arguments))
            .remedy(format!("write `result := {name}(…)` instead of a further argument"))
    })
}

/// `import data.a.b as c` → `c` means `data.a.b`.
fn imports(module: &Module) -> BTreeMap<String, String> {
    module
        .imports
        .iter()
        .filter_map(|import| {
            let path = path(&import.refr)?;
            let last = path.rsplit('.').next()?.to_owned();
            let alias = import.r#as.as_ref().map_or(last, |alias| alias.text().to_owned());
            path.starts_with("data.").then_some((alias, path))
        })
        .collect()
}
