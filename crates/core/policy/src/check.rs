//! What the compiler of regorus does not look at: which functions are called, whether they call themselves, how deep it goes.

use crate::{bounded, builtins};
use regorus::unstable::{Expr, Literal, Module, Query, Rule, RuleHead, Span};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
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
    let wanted = bounded::arguments(name)?;
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

#[derive(Clone, Debug)]
struct Call<'a> {
    name: String,
    arguments: usize,
    span: &'a Span,
}

#[derive(Debug, Default)]
struct Walked<'a> {
    calls: Vec<Call<'a>>,
    depth: usize,
}

/// The name of a rule, and whether it is a function.
fn head(rule: &Rule) -> (Option<String>, bool) {
    match rule {
        Rule::Spec { head: RuleHead::Func { refr, .. }, .. } => (path(refr), true),
        Rule::Spec { head: RuleHead::Compr { refr, .. } | RuleHead::Set { refr, .. }, .. } => (path(refr), false),
        Rule::Default { refr, args, .. } => (path(refr), !args.is_empty()),
    }
}

/// `a.b["c"]` → `a.b.c`; brackets that hold no text end it.
fn path(expr: &Expr) -> Option<String> {
    let mut parts = Vec::new();
    let mut at = expr;
    loop {
        match at {
            Expr::Var { span, .. } => {
                parts.push(span.text().to_owned());
                parts.reverse();
                return Some(parts.join("."));
            }
            Expr::RefDot { refr, field, .. } => {
                parts.push(field.0.text().to_owned());
                at = refr;
            }
            Expr::RefBrack { refr, index, .. } => {
                match index.as_ref() {
                    Expr::String { value, .. } => parts.push(value.as_string().ok()?.to_string()),
                    _ => parts.clear(),
                }
                at = refr;
            }
            _ => return None,
        }
    }
}

/// What is still to be looked at.
enum Open<'a> {
    Expr(&'a Expr),
    Query(&'a Query),
}

/// Visits everything in a rule without recursion: the text is not trusted.
fn walk(rule: &Rule) -> Walked<'_> {
    let mut walked = Walked::default();
    let mut open: Vec<(Open<'_>, usize)> = Vec::new();
    match rule {
        Rule::Spec { head, bodies, .. } => {
            match head {
                RuleHead::Compr { refr, assign, .. } => {
                    open.push((Open::Expr(refr), 0));
                    open.extend(assign.iter().map(|a| (Open::Expr(a.value.as_ref()), 0)));
                }
                RuleHead::Set { refr, key, .. } => {
                    open.push((Open::Expr(refr), 0));
                    open.extend(key.iter().map(|key| (Open::Expr(key.as_ref()), 0)));
                }
                RuleHead::Func { args, assign, .. } => {
                    open.extend(args.iter().map(|arg| (Open::Expr(arg.as_ref()), 0)));
                    open.extend(assign.iter().map(|a| (Open::Expr(a.value.as_ref()), 0)));
                }
            }
            for body in bodies {
                open.extend(body.assign.iter().map(|a| (Open::Expr(a.value.as_ref()), 0)));
                open.push((Open::Query(&body.query), 0));
            }
        }
        Rule::Default { value, .. } => open.push((Open::Expr(value), 0)),
    }
    while let Some((node, depth)) = open.pop() {
        walked.depth = walked.depth.max(depth);
        match node {
            Open::Query(query) => statements(query, depth + 1, &mut open),
            Open::Expr(expr) => {
                if let Expr::Call { span, fcn, params, .. } = expr
                    && let Some(name) = path(fcn)
                {
                    walked.calls.push(Call { name, arguments: params.len(), span });
                }
                children(expr, depth + 1, &mut open);
            }
        }
    }
    walked
}

fn statements<'a>(query: &'a Query, depth: usize, open: &mut Vec<(Open<'a>, usize)>) {
    for statement in &query.stmts {
        match &statement.literal {
            Literal::SomeVars { .. } => {}
            Literal::SomeIn { key, value, collection, .. } => {
                open.extend(key.iter().map(|key| (Open::Expr(key.as_ref()), depth)));
                open.push((Open::Expr(value), depth));
                open.push((Open::Expr(collection), depth));
            }
            Literal::Expr { expr, .. } | Literal::NotExpr { expr, .. } => open.push((Open::Expr(expr), depth)),
            Literal::Every { domain, query, .. } => {
                open.push((Open::Expr(domain), depth));
                open.push((Open::Query(query), depth));
            }
        }
        open.extend(statement.with_mods.iter().map(|with| (Open::Expr(with.r#as.as_ref()), depth)));
    }
}

fn children<'a>(expr: &'a Expr, depth: usize, open: &mut Vec<(Open<'a>, usize)>) {
    let mut push = |expr: &'a Expr| open.push((Open::Expr(expr), depth));
    match expr {
        Expr::String { .. }
        | Expr::RawString { .. }
        | Expr::Number { .. }
        | Expr::Bool { .. }
        | Expr::Null { .. }
        | Expr::Var { .. } => {}
        Expr::Array { items, .. } | Expr::Set { items, .. } => items.iter().for_each(|item| push(item)),
        Expr::Object { fields, .. } => fields.iter().for_each(|(_, key, value)| {
            push(key);
            push(value);
        }),
        Expr::ArrayCompr { term, query, .. } | Expr::SetCompr { term, query, .. } => {
            push(term);
            open.push((Open::Query(query), depth));
        }
        Expr::ObjectCompr { key, value, query, .. } => {
            push(key);
            push(value);
            open.push((Open::Query(query), depth));
        }
        Expr::Call { params, .. } => params.iter().for_each(|param| push(param)),
        Expr::UnaryExpr { expr, .. } => push(expr),
        Expr::RefDot { refr, .. } => push(refr),
        Expr::RefBrack { refr, index, .. } => {
            push(refr);
            push(index);
        }
        Expr::BinExpr { lhs, rhs, .. }
        | Expr::BoolExpr { lhs, rhs, .. }
        | Expr::ArithExpr { lhs, rhs, .. }
        | Expr::AssignExpr { lhs, rhs, .. } => {
            push(lhs);
            push(rhs);
        }
        Expr::Membership { key, value, collection, .. } => {
            key.iter().for_each(|key| push(key));
            push(value);
            push(collection);
        }
    }
}

/// A name on a cycle, if there is one.
fn cycle(edges: &BTreeMap<&str, Vec<String>>) -> Option<String> {
    let mut left: BTreeMap<&str, BTreeSet<&str>> =
        edges.iter().map(|(name, to)| (*name, to.iter().map(String::as_str).collect())).collect();
    // Take away what calls nothing that is left; what cannot be taken away calls itself, or calls what does.
    loop {
        let done: Vec<&str> = left.iter().filter(|(_, to)| to.is_empty()).map(|(name, _)| *name).collect();
        if done.is_empty() {
            break;
        }
        left.retain(|name, _| !done.contains(name));
        left.values_mut().for_each(|to| to.retain(|name| !done.contains(name)));
    }
    // Among them one that can be reached from itself.
    left.keys().find(|name| reaches(&left, name)).map(|name| (*name).to_owned())
}

fn reaches(edges: &BTreeMap<&str, BTreeSet<&str>>, start: &str) -> bool {
    let mut open: Vec<&str> = edges.get(start).into_iter().flatten().copied().collect();
    let mut seen = BTreeSet::new();
    while let Some(name) = open.pop() {
        if name == start {
            return true;
        }
        if seen.insert(name) {
            open.extend(edges.get(name).into_iter().flatten());
        }
    }
    false
}
