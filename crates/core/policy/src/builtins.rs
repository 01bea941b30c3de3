//! What Rego's functions see here: a given moment, a given seed, and nothing outside.

use crate::bounded;
use crate::evaluate::Circumstances;
use crate::{glob, sprintf, time};
use regorus::{Engine, Value};
use sha2::{Digest, Sha256};

/// Functions that reach outside or see the machine. The second text completes "… is refused: ".
pub(crate) const REFUSED: &[(&str, u8, &str)] = &[
    ("http.send", 1, "policies decide from their input alone"),
    ("net.lookup_ip_addr", 1, "policies decide from their input alone"),
    ("opa.runtime", 0, "the environment is no part of a decision"),
    ("rego.parse_module", 2, "policies do not read policies"),
    ("rego.metadata.rule", 0, "annotations are not read"),
    ("rego.metadata.chain", 0, "annotations are not read"),
    ("trace", 1, "there is no trace output"),
];

/// Functions whose answer depends on the moment or on the seed.
pub(crate) const GIVEN: &[(&str, u8)] = &[("time.now_ns", 0), ("rand.intn", 2), ("uuid.rfc4122", 1)];

pub(crate) fn refusal(name: &str) -> Option<&'static str> {
    REFUSED.iter().find(|(refused, _, _)| *refused == name).map(|(_, _, why)| *why)
}

/// Whether a function can be called, apart from those a policy defines.
pub(crate) fn known(name: &str) -> bool {
    name == "print" || arguments(name).is_some() || regorus::unstable::BUILTINS.contains_key(name)
}

pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    regorus::unstable::BUILTINS.keys().copied().chain(GIVEN.iter().map(|(name, _)| *name)).chain(time::names())
}

/// The number of arguments of a function that is not the interpreter's own, or not called as such.
pub(crate) fn arguments(name: &str) -> Option<usize> {
    let given = || GIVEN.iter().find(|(given, _)| *given == name).map(|(_, arguments)| usize::from(*arguments));
    let own = || match name {
        sprintf::NAME => Some(2),
        glob::QUOTE_META => Some(1),
        _ => None,
    };
    given().or_else(own).or_else(|| time::arguments(name)).or_else(|| bounded::arguments(name))
}

/// Whether the interpreter knows the function only as an extension: `with` does not reach those.
pub(crate) fn fixed(name: &str) -> bool {
    arguments(name).is_some() && !regorus::unstable::BUILTINS.contains_key(name)
}

/// A function that is not for policies.
#[derive(Debug, thiserror::Error)]
#[error("{name} is refused: {why}")]
struct Refused {
    name: &'static str,
    why: &'static str,
}

/// Replaces what is the same for every evaluation.
pub(crate) fn install_fixed(engine: &mut Engine) -> anyhow::Result<()> {
    for (name, arguments, why) in REFUSED {
        let refuse = move |_: Vec<Value>| -> anyhow::Result<Value> { Err(Refused { name, why }.into()) };
        engine.add_extension((*name).to_owned(), *arguments, Box::new(refuse))?;
    }
    time::install(engine)?;
    engine.add_extension(sprintf::NAME.to_owned(), 2, Box::new(|values: Vec<Value>| sprintf::call(&values)))?;
    glob::install(engine)?;
    bounded::install(engine)
}

/// Replaces what depends on the moment and the seed of one evaluation.
pub(crate) fn install_given(engine: &mut Engine, given: &Circumstances<'_>) -> anyhow::Result<()> {
    let now = Value::from(i128::from(given.now.micros()) * 1_000);
    engine.add_extension("time.now_ns".to_owned(), 0, Box::new(move |_: Vec<Value>| Ok(now.clone())))?;

    let seed = given.seed.to_owned();
    let intn = move |arguments: Vec<Value>| -> anyhow::Result<Value> {
        let Some((text, below)) = arguments.first().zip(arguments.get(1).and_then(|n| n.as_u64().ok())) else {
            return Ok(Value::Undefined);
        };
        let random = u128::from_be_bytes(draw(&seed, "rand.intn", text));
        Ok(Value::from(random.checked_rem(u128::from(below)).unwrap_or(0)))
    };
    engine.add_extension("rand.intn".to_owned(), 2, Box::new(intn))?;

    let seed = given.seed.to_owned();
    let uuid = move |arguments: Vec<Value>| -> anyhow::Result<Value> {
        let Some(key) = arguments.first() else { return Ok(Value::Undefined) };
        let mut bytes = draw(&seed, "uuid.rfc4122", key);
        bytes[6] = bytes[6] & 0x0f | 0x40;
        bytes[8] = bytes[8] & 0x3f | 0x80;
        let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        let text = [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]].join("-");
        Ok(Value::from(text))
    };
    engine.add_extension("uuid.rfc4122".to_owned(), 1, Box::new(uuid))
}

/// The same 16 bytes for the same seed, function and key.
fn draw(seed: &str, function: &str, key: &Value) -> [u8; 16] {
    let key = key.to_json_str().unwrap_or_default();
    let mut digest = Sha256::new();
    for part in [seed, function, &key] {
        digest.update((part.len() as u64).to_be_bytes());
        digest.update(part);
    }
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&digest.finalize()[..16]);
    bytes
}
