//! Versions (rendering §2.5).

use crate::function::Function;
use crate::function::Parameter::Text;
use crate::value::{Bytes, Field, Struct, Type, Value};
use crate::version::{Constraint, Version};
use std::cmp::Ordering;

pub(super) const FUNCTIONS: &[Function] = &[
    Function::pure("semver", &[Text], |a| Ok(value(&read(&a.text(0))?))),
    Function::pure("semverCompare", &[Text, Text], |a| {
        let text = a.text(0);
        let constraint = Constraint::parse(&text).ok_or_else(|| format!("improper constraint: {text:?}"))?;
        Ok(constraint.allows(&read(&a.text(1))?).into())
    }),
];

fn read(text: &str) -> Result<Version, String> {
    Version::parse(text).ok_or_else(|| format!("invalid semantic version: {text:?}"))
}

static VERSION: Type = Type::new("*semver.Version").with(methods);

fn value(version: &Version) -> Value {
    let field = |name, value| Field { name, key: "", is_optional: false, value };
    let fields = vec![
        field("major", number(version.major)),
        field("minor", number(version.minor)),
        field("patch", number(version.patch)),
        field("pre", version.prerelease.as_str().into()),
        field("metadata", version.metadata.as_str().into()),
        field("original", version.original.as_str().into()),
    ];
    Value::Struct(Struct::new(&VERSION, fields))
}

fn number(n: u64) -> Value {
    Value::Int64(i64::try_from(n).unwrap_or(i64::MAX))
}

fn version(value: &Value) -> Option<Version> {
    match value {
        Value::Struct(of) if of.kind().name == VERSION.name => Version::parse(of.get("original")?.as_str()?),
        _ => None,
    }
}

fn methods(value: &Value, method: &str, arguments: &[Value]) -> Option<Result<Value, String>> {
    let this = version(value)?;
    let other = || version(arguments.first()?);
    let compared = |holds: fn(Ordering) -> bool| match other() {
        Some(other) => Ok(holds(this.compare(&other)).into()),
        None => Err("wants another version".to_owned()),
    };
    Some(match method {
        "Major" => Ok(number(this.major)),
        "Minor" => Ok(number(this.minor)),
        "Patch" => Ok(number(this.patch)),
        "Prerelease" => Ok(this.prerelease.into()),
        "Metadata" => Ok(this.metadata.into()),
        "Original" => Ok(this.original.into()),
        "String" => Ok(this.to_string().into()),
        // What encoders ask for that write texts.
        "MarshalText" => Ok(Value::Bytes(Bytes { data: this.to_string().as_bytes().into(), is_text: false })),
        "Compare" => match other() {
            Some(other) => Ok(Value::Int(this.compare(&other) as i64)),
            None => Err("wants another version".to_owned()),
        },
        "Equal" => compared(Ordering::is_eq),
        "LessThan" => compared(Ordering::is_lt),
        "LessThanEqual" => compared(Ordering::is_le),
        "GreaterThan" => compared(Ordering::is_gt),
        "GreaterThanEqual" => compared(Ordering::is_ge),
        _ => return None,
    })
}
