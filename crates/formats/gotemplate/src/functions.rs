//! The functions by their names (rendering §2.4, §2.5).

mod builtin;
mod compare;
mod convert;
mod data;
mod decimal;
mod defaults;
mod dicts;
mod encode;
mod lists;
mod math;
mod outside;
mod regex;
mod template;
mod text;
mod toml;
mod url;
mod version;

pub(crate) use outside::ask;

use crate::function::{Function, Known};
use crate::limits::Dialect;
use std::collections::BTreeMap;
use std::sync::OnceLock;

const TABLES: [&[Function]; 17] = [
    builtin::FUNCTIONS,
    compare::FUNCTIONS,
    convert::FUNCTIONS,
    data::FUNCTIONS,
    decimal::FUNCTIONS,
    defaults::FUNCTIONS,
    dicts::FUNCTIONS,
    encode::FUNCTIONS,
    lists::FUNCTIONS,
    math::FUNCTIONS,
    outside::FUNCTIONS,
    regex::FUNCTIONS,
    template::FUNCTIONS,
    text::FUNCTIONS,
    toml::FUNCTIONS,
    url::FUNCTIONS,
    version::FUNCTIONS,
];

/// Functions that exist elsewhere, and why they are not run here (decisions, "Rendering").
const REFUSED: [(&str, &[&str]); 6] = [
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
    ("it is not there yet", &["duration", "must_date_modify"]),
    ("it is a function of charts", &["fromToml", "lookup", "toToml"]),
];

fn table() -> &'static BTreeMap<&'static str, &'static Function> {
    static TABLE: OnceLock<BTreeMap<&'static str, &'static Function>> = OnceLock::new();
    TABLE.get_or_init(|| {
        let all = TABLES.into_iter().flatten();
        all.map(|function| (function.name, function)).collect()
    })
}

/// The function, or why it is not run here, when it is known elsewhere.
pub(crate) fn find(name: &str, dialect: Dialect) -> Result<&'static Function, Option<&'static str>> {
    if let Some(function) = table().get(name) {
        match (function.known, dialect) {
            (Known::NotInHelm, Dialect::Helm) | (Known::OnlyInHelm, Dialect::Manifests) => {}
            _ => return Ok(function),
        }
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
                assert!(find(name, Dialect::Manifests).is_err(), "{name} is there and refused");
            }
        }
    }
}
