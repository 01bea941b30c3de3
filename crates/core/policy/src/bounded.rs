//! Rego functions whose answer can be much larger than their input, with a limit on the answer.

use regorus::unstable::{BUILTINS, BuiltinFcn, Expr, Ref, Span};
use regorus::{Engine, Source, Value};

/// Bytes of text, or elements of a list, that one call may make.
const MOST: usize = 4 << 20;
const MOST_ELEMENTS: u64 = 100_000;

/// Why a call was not made.
#[derive(Debug, thiserror::Error)]
#[error("{name} would make more than {limit}")]
struct TooLarge {
    name: &'static str,
    limit: &'static str,
}

/// Whether a call may be made whose answer is at most this large.
pub(crate) fn allow(name: &'static str, estimate: impl FnOnce() -> usize) -> anyhow::Result<()> {
    if estimate() > MOST {
        return Err(TooLarge { name, limit: "4 MiB, or 100,000 elements" }.into());
    }
    Ok(())
}

/// How large the answer may become, from the arguments.
type Estimate = fn(&[Value]) -> usize;

const GUARDED: &[(&str, Estimate)] = &[
    ("array.concat", |a| 40 * a.iter().map(elements).sum::<usize>()),
    ("base64.encode", |a| 2 * size_all(a)),
    ("base64url.encode", |a| 2 * size_all(a)),
    ("base64url.encode_no_pad", |a| 2 * size_all(a)),
    ("bits.lsh", |a| {
        a.get(1).and_then(|n| n.as_u64().ok()).map_or(0, |bits| usize::try_from(bits / 8).unwrap_or(usize::MAX))
    }),
    ("concat", |a| {
        let parts = a.get(1).map_or(0, elements);
        size_all(a).saturating_add(parts.saturating_mul(a.first().map_or(0, size)))
    }),
    ("hex.encode", |a| 2 * size_all(a)),
    ("json.marshal", size_all),
    ("json.marshal_with_options", |a| 4 * size_all(a)),
    ("net.cidr_expand", addresses),
    ("numbers.range", |a| range(a, 1)),
    ("numbers.range_step", |a| range(a, a.get(2).and_then(|n| n.as_u64().ok()).unwrap_or(1))),
    ("regex.replace", |a| replaced(a.first(), a.get(2))),
    ("replace", |a| replaced(a.first(), a.get(2))),
    ("strings.replace_n", |a| replaced(a.get(1), a.first())),
    ("yaml.marshal", |a| 4 * size_all(a)),
];

/// The number of arguments of a guarded function.
pub(crate) fn arguments(name: &str) -> Option<usize> {
    let guarded = GUARDED.iter().any(|(guarded, _)| *guarded == name);
    BUILTINS.get(name).filter(|_| guarded).map(|builtin| usize::from(builtin.1))
}

pub(crate) fn install(engine: &mut Engine) -> anyhow::Result<()> {
    // The builtins want a place for their messages; the engine adds the real one around them.
    let source = Source::from_contents("builtin".to_owned(), "builtin".to_owned())?;
    let span = Span { source, line: 1, col: 1, start: 0, end: 7 };
    for (name, estimate) in GUARDED {
        if let Some(builtin) = BUILTINS.get(name) {
            engine.add_extension(
                (*name).to_owned(),
                builtin.1,
                Box::new(guard(name, *estimate, *builtin, span.clone())),
            )?;
        }
    }
    Ok(())
}

fn guard(
    name: &'static str,
    estimate: Estimate,
    (call, arguments): BuiltinFcn,
    span: Span,
) -> impl FnMut(Vec<Value>) -> anyhow::Result<Value> + Clone + Send + Sync {
    let nothing = Ref::new(Expr::Null { span: span.clone(), value: Value::Null, eidx: 0 });
    let places: Vec<_> = (0..arguments).map(|_| nothing.clone()).collect();
    move |values| {
        allow(name, || estimate(&values))?;
        // As elsewhere in Rego, a call that makes no sense has no value.
        Ok(call(&span, &places, &values, false).unwrap_or(Value::Undefined))
    }
}

fn elements(value: &Value) -> usize {
    match value {
        Value::Array(list) => list.len(),
        Value::Set(set) => set.len(),
        _ => 1,
    }
}

fn range(arguments: &[Value], step: u64) -> usize {
    let ends = arguments.first().and_then(|v| v.as_i64().ok()).zip(arguments.get(1).and_then(|v| v.as_i64().ok()));
    match ends {
        Some((from, to)) if from.abs_diff(to) / step.max(1) < MOST_ELEMENTS => 0,
        _ => usize::MAX,
    }
}

/// The addresses of a network: each is a text. What is no network has none.
fn addresses(arguments: &[Value]) -> usize {
    let Some(Value::String(network)) = arguments.first() else { return 0 };
    let Some((address, length)) = network.split_once('/') else { return 0 };
    let bits = if address.contains(':') { 128u32 } else { 32 };
    let free = length.parse().map_or(0, |length| bits.saturating_sub(length));
    if free <= MOST_ELEMENTS.ilog2() { 0 } else { usize::MAX }
}

/// Every byte of the text may be replaced.
fn replaced(text: Option<&Value>, by: Option<&Value>) -> usize {
    let (text, by) = (text.map_or(0, size), by.map_or(0, size));
    text.saturating_add(1).saturating_mul(by.saturating_add(1))
}

pub(crate) fn size_all(values: &[Value]) -> usize {
    values.iter().map(size).fold(0, usize::saturating_add)
}

/// Bytes of the value as JSON, about. Stops counting above the limit: parts may be shared so often that a full walk never ends.
pub(crate) fn size(value: &Value) -> usize {
    let mut total = 0usize;
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        total = total.saturating_add(match value {
            Value::String(text) => text.len() + 2,
            Value::Number(_) => 8,
            _ => 4,
        });
        if total > MOST {
            return total;
        }
        match value {
            Value::Array(list) => open.extend(list.iter()),
            Value::Set(set) => open.extend(set.iter()),
            Value::Object(object) => open.extend(object.iter().flat_map(|(key, value)| [key, value])),
            _ => {}
        }
    }
    total
}
