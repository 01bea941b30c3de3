//! Everything inside of a rule, visited without recursion: the text is not trusted.

use regorus::unstable::{Expr, Literal, Query, Rule, RuleHead, Span};

/// A function that is called.
#[derive(Clone, Debug)]
pub(super) struct Call<'a> {
    pub(super) name: String,
    pub(super) arguments: usize,
    pub(super) span: &'a Span,
}

/// What was found.
#[derive(Debug, Default)]
pub(super) struct Walked<'a> {
    pub(super) calls: Vec<Call<'a>>,
    /// Both sides of `with`, as far as they are names.
    pub(super) replaced: Vec<(String, &'a Span)>,
    pub(super) depth: usize,
}

/// The name of a rule, and whether it is a function.
pub(super) fn head(rule: &Rule) -> (Option<String>, bool) {
    match rule {
        Rule::Spec { head: RuleHead::Func { refr, .. }, .. } => (path(refr), true),
        Rule::Spec { head: RuleHead::Compr { refr, .. } | RuleHead::Set { refr, .. }, .. } => (path(refr), false),
        Rule::Default { refr, args, .. } => (path(refr), !args.is_empty()),
    }
}

/// `a.b["c"]` → `a.b.c`; brackets that hold no text end it.
pub(super) fn path(expr: &Expr) -> Option<String> {
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

/// Visits a rule.
pub(super) fn walk(rule: &Rule) -> Walked<'_> {
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
            Open::Query(query) => {
                let withs = query.stmts.iter().flat_map(|statement| &statement.with_mods);
                let sides = withs.flat_map(|with| [&with.refr, &with.r#as]);
                walked.replaced.extend(sides.filter_map(|side| Some((path(side)?, side.span()))));
                statements(query, depth + 1, &mut open);
            }
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
