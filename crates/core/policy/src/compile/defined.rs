//! Heads of rules that have no value.
//!
//! In Rego a rule whose head has no value adds nothing. The interpreter forgets what the rule had added before, or gives up: of
//! `deny contains step.message if some step in input.steps` one step without a message took the denials of all others away. So
//! the head's value becomes the last condition of the body.

use regorus::unstable::{Expr, Module, Rule, RuleBody, RuleHead, Span};

/// The policy with these conditions, every line where it was. Nothing when it needs none.
pub(super) fn guarded(rego: &str, module: &Module) -> Option<String> {
    let mut inserts: Vec<(usize, String)> = Vec::new();
    for rule in &module.policy {
        let Rule::Spec { head, bodies, .. } = rule.as_ref() else { continue };
        let value = match head {
            RuleHead::Set { key, .. } => key.as_deref(),
            RuleHead::Compr { assign, .. } | RuleHead::Func { assign, .. } => {
                assign.as_ref().map(|assign| assign.value.as_ref())
            }
        };
        // What comes behind `else` has a value of its own, and no loop around it that could go on.
        if bodies.iter().any(|body| body.is_else) {
            continue;
        }
        let Some(condition) = value.filter(|value| !is_simple(value)).and_then(|value| condition(rego, value)) else {
            continue;
        };
        bodies.iter().for_each(|body| insert(rego, body, &condition, &mut inserts));
    }
    if inserts.is_empty() {
        return None;
    }
    // From the end, so that places stay what they are; of two at one place the first stays in front.
    inserts.reverse();
    inserts.sort_by_key(|(at, _)| std::cmp::Reverse(*at));
    let mut text = rego.to_owned();
    for (at, insert) in inserts {
        text.insert_str(at, &insert);
    }
    Some(text)
}

/// Always has a value, or is one that the body has given a value to.
fn is_simple(value: &Expr) -> bool {
    !matches!(
        value,
        Expr::Array { .. }
            | Expr::Set { .. }
            | Expr::Object { .. }
            | Expr::RefDot { .. }
            | Expr::RefBrack { .. }
            | Expr::Call { .. }
            | Expr::ArithExpr { .. }
            | Expr::BinExpr { .. }
            | Expr::UnaryExpr { .. }
    )
}

/// Where a value begins. The span of an object of several fields begins at the last of them.
fn start(rego: &str, value: &Expr) -> Option<usize> {
    match value {
        Expr::Object { fields, .. } => {
            let first = fields.first().map_or(value.span(), |(_, key, _)| key.span());
            rego.get(..first.start as usize + 1)?.rfind('{')
        }
        Expr::ArithExpr { lhs, .. } | Expr::BinExpr { lhs, .. } => start(rego, lhs),
        _ => Some(value.span().start as usize),
    }
}

fn condition(rego: &str, value: &Expr) -> Option<String> {
    let text = rego.get(start(rego, value)?..value.span().end as usize)?;
    // A comment needs its end of line, and a raw text keeps its own.
    let text = if text.contains(['#', '`']) { text.to_owned() } else { text.replace('\n', " ") };
    Some(format!("; windlass_head := {text}"))
}

fn insert(rego: &str, body: &RuleBody, condition: &str, inserts: &mut Vec<(usize, String)>) {
    let (Some(last), Some(query)) = (body.query.stmts.last(), piece(rego, &body.query.span)) else { return };
    if query.starts_with('{') {
        inserts.push((last.span.end as usize, condition.to_owned()));
    } else {
        inserts.push((body.query.span.start as usize, "{ ".to_owned()));
        inserts.push((body.query.span.end as usize, format!("{condition} }}")));
    }
}

fn piece<'r>(rego: &'r str, span: &Span) -> Option<&'r str> {
    rego.get(span.start as usize..span.end as usize)
}
