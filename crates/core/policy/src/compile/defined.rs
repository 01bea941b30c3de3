//! Heads of rules that have no value.
//!
//! In Rego a rule whose head has no value adds nothing. The interpreter forgets what the rule had added before, or gives up: of
//! `deny contains step.message if some step in input.steps` one step without a message took the denials of all others away. So
//! the head's value becomes the last condition of the body.

use regorus::unstable::{Expr, Module, Rule, RuleAssign, RuleBody, RuleHead, Span};

/// A policy with such conditions.
pub(super) struct Guarded {
    /// Every line is where it was.
    pub(super) text: String,
    /// How many conditions each body has then.
    counts: Vec<usize>,
}

impl Guarded {
    /// Whether a reader finds every condition. The places that the interpreter tells of are not always those of the text.
    pub(super) fn is_read_as(&self, module: &Module) -> bool {
        self.counts.iter().copied().eq(bodies(module).map(|body| body.query.stmts.len()))
    }
}

fn bodies(module: &Module) -> impl Iterator<Item = &RuleBody> {
    module.policy.iter().flat_map(|rule| match rule.as_ref() {
        Rule::Spec { bodies, .. } => bodies.as_slice(),
        Rule::Default { .. } => &[],
    })
}

/// The policy with these conditions. Nothing when it needs none.
pub(super) fn guarded(rego: &str, module: &Module) -> Option<Guarded> {
    let mut inserts: Vec<(usize, String)> = Vec::new();
    let mut counts = Vec::new();
    for rule in &module.policy {
        let Rule::Spec { head, bodies, .. } = rule.as_ref() else { continue };
        let (name, value) = match head {
            RuleHead::Set { refr, key, .. } => (refr, key.as_deref()),
            RuleHead::Compr { refr, assign, .. } | RuleHead::Func { refr, assign, .. } => {
                (refr, given(assign.as_ref()))
            }
        };
        let keys = conditions(rego, keys(name));
        let values = conditions(rego, value);
        for body in bodies {
            // What comes behind `else` has a value of its own.
            let of_else;
            let values = if body.is_else {
                of_else = conditions(rego, given(body.assign.as_ref()));
                &of_else
            } else {
                &values
            };
            let more: Vec<&str> = keys.iter().chain(values).map(String::as_str).collect();
            // Without conditions there is no loop in which a value could be missing once.
            let more = if body.query.stmts.is_empty() { &[] } else { more.as_slice() };
            counts.push(body.query.stmts.len() + more.len());
            if !more.is_empty() {
                insert(rego, body, &more.concat(), &mut inserts);
            }
        }
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
    Some(Guarded { text, counts })
}

fn given(assign: Option<&RuleAssign>) -> Option<&Expr> {
    assign.map(|assign| assign.value.as_ref())
}

/// What stands in the brackets of a rule's name: `x.k` in `found[x.k] := …`.
fn keys(name: &Expr) -> Vec<&Expr> {
    let mut keys = Vec::new();
    let mut at = name;
    loop {
        at = match at {
            Expr::RefBrack { refr, index, .. } => {
                keys.push(index.as_ref());
                refr
            }
            Expr::RefDot { refr, .. } => refr,
            _ => return keys,
        };
    }
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
        _ => {
            let start = value.span().start as usize;
            Some(start - usize::from(start > 0 && is_quote(rego, start - 1)))
        }
    }
}

/// Where something ends: the span of a text leaves its quotes out.
fn end(rego: &str, span: &Span) -> usize {
    let end = span.end as usize;
    end + usize::from(is_quote(rego, end))
}

fn is_quote(rego: &str, at: usize) -> bool {
    matches!(rego.as_bytes().get(at), Some(b'"' | b'`'))
}

/// Each as one more condition. What is given to `_` may be of any value, false too.
fn conditions<'e>(rego: &str, values: impl IntoIterator<Item = &'e Expr>) -> Vec<String> {
    let values = values.into_iter().filter(|value| !is_simple(value));
    let texts = values.filter_map(|value| rego.get(start(rego, value)?..end(rego, value.span())));
    // A comment needs its end of line, and a raw text keeps its own.
    let lines = |text: &str| if text.contains(['#', '`']) { text.to_owned() } else { text.replace('\n', " ") };
    texts.map(|text| format!("; _ = [{}]", lines(text))).collect()
}

fn insert(rego: &str, body: &RuleBody, conditions: &str, inserts: &mut Vec<(usize, String)>) {
    let query = &body.query;
    let Some(last) = query.stmts.last() else { return };
    if rego.get(query.span.start as usize..).is_some_and(|query| query.starts_with('{')) {
        inserts.push((end(rego, &last.span), conditions.to_owned()));
    } else {
        let start = query.span.start as usize;
        inserts.push((start - usize::from(start > 0 && is_quote(rego, start - 1)), "{ ".to_owned()));
        inserts.push((end(rego, &query.span), format!("{conditions} }}")));
    }
}
