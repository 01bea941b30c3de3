//! The functions by their names (rendering §2.4, §2.5).

mod builtin;
mod compare;
mod convert;
mod data;
mod defaults;
mod dicts;
mod encode;
mod lists;
mod math;
mod regex;
mod template;
mod text;

use crate::function::Function;
use std::collections::BTreeMap;
use std::sync::OnceLock;

const TABLES: [&[Function]; 12] = [
    builtin::FUNCTIONS,
    compare::FUNCTIONS,
    convert::FUNCTIONS,
    data::FUNCTIONS,
    defaults::FUNCTIONS,
    dicts::FUNCTIONS,
    encode::FUNCTIONS,
    lists::FUNCTIONS,
    math::FUNCTIONS,
    regex::FUNCTIONS,
    template::FUNCTIONS,
    text::FUNCTIONS,
];

/// Functions that exist elsewhere, and why they are not run here (decisions, "Rendering").
const REFUSED: [(&str, &[&str]); 5] = [
    ("it would show the worker's own environment to templates", &["env", "expandenv"]),
    ("it would ask the worker's network", &["getHostByName"]),
    (
        "its result differs from run to run: make the value outside and pass it in",
        &[
            "bcrypt",
            "buildCustomCert",
            "derivePassword",
            "encryptAES",
            "decryptAES",
            "genCA",
            "genCAWithKey",
            "genPrivateKey",
            "genSelfSignedCert",
            "genSelfSignedCertWithKey",
            "genSignedCert",
            "genSignedCertWithKey",
            "htpasswd",
            "randAlpha",
            "randAlphaNum",
            "randAscii",
            "randBytes",
            "randInt",
            "randNumeric",
            "shuffle",
            "uuidv4",
        ],
    ),
    (
        "it depends on the moment of rendering: pass the time in as a value",
        &[
            "ago",
            "date",
            "dateInZone",
            "dateModify",
            "date_in_zone",
            "date_modify",
            "durationRound",
            "htmlDate",
            "htmlDateInZone",
            "mustDateModify",
            "mustToDate",
            "now",
            "toDate",
            "unixEpoch",
        ],
    ),
    (
        "it is not there yet",
        &[
            "adler32sum",
            "call",
            "fromToml",
            "lookup",
            "semver",
            "semverCompare",
            "toToml",
            "toYamlPretty",
            "urlJoin",
            "urlParse",
            "wrap",
            "wrapWith",
            "addf",
            "add1f",
            "subf",
            "mulf",
            "divf",
            "maxf",
            "minf",
            "toDecimal",
            "osBase",
            "osClean",
            "osDir",
            "osExt",
            "osIsAbs",
            "chunk",
            "mustChunk",
            "hello",
            "duration",
        ],
    ),
];

fn table() -> &'static BTreeMap<&'static str, &'static Function> {
    static TABLE: OnceLock<BTreeMap<&'static str, &'static Function>> = OnceLock::new();
    TABLE.get_or_init(|| {
        let all = TABLES.into_iter().flatten();
        all.map(|function| (function.name, function)).collect()
    })
}

/// The function, or why it is not run here, when it is known elsewhere.
pub(crate) fn find(name: &str) -> Result<&'static Function, Option<&'static str>> {
    if let Some(function) = table().get(name) {
        return Ok(function);
    }
    Err(REFUSED.iter().find(|(_, names)| names.contains(&name)).map(|(reason, _)| *reason))
}

pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    table().keys().copied()
}

/// The largest list or repetition that a function makes.
const MOST_ITEMS: usize = 1_000_000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_means_one_thing() {
        let all: usize = TABLES.iter().map(|functions| functions.len()).sum();
        assert_eq!(table().len(), all, "a name is in two tables");
        for (_, refused) in REFUSED {
            for name in refused {
                assert!(!table().contains_key(name), "{name} is there and refused");
            }
        }
    }
}
