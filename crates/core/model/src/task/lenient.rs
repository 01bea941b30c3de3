//! Reading of resolved step specs: numbers and booleans may have arrived as text (pipelines, global facts).

use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

#[derive(Deserialize)]
#[serde(untagged)]
enum Scalar {
    Bool(bool),
    Integer(i64),
    Float(f64),
    Text(String),
}

/// `true`, `"true"`, `"False"`; empty text and null are false.
pub fn boolean<'de, D: Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    match Option::<Scalar>::deserialize(deserializer)? {
        None => Ok(false),
        Some(Scalar::Bool(value)) => Ok(value),
        Some(Scalar::Text(text)) if text.trim().is_empty() => Ok(false),
        Some(Scalar::Text(text)) if text.trim().eq_ignore_ascii_case("true") => Ok(true),
        Some(Scalar::Text(text)) if text.trim().eq_ignore_ascii_case("false") => Ok(false),
        Some(Scalar::Text(text)) => Err(D::Error::custom(format!("`{text}` is not true or false"))),
        Some(Scalar::Integer(n)) => Err(D::Error::custom(format!("{n} is not true or false"))),
        Some(Scalar::Float(n)) => Err(D::Error::custom(format!("{n} is not true or false"))),
    }
}

/// `3`, `"3"`, `3.0`.
pub fn whole<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
    let wrong = |what: String| D::Error::custom(format!("{what} is not a whole number from 0 to {}", u32::MAX));
    match Scalar::deserialize(deserializer)? {
        Scalar::Integer(n) => u32::try_from(n).map_err(|_| wrong(n.to_string())),
        Scalar::Float(n) if n.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(&n) => {
            // Checked above: no fraction, inside the range.
            Ok(n as u32)
        }
        Scalar::Float(n) => Err(wrong(n.to_string())),
        Scalar::Text(text) => text.trim().parse().map_err(|_| wrong(format!("`{text}`"))),
        Scalar::Bool(b) => Err(wrong(b.to_string())),
    }
}

/// As [`whole`], or nothing.
pub fn maybe_whole<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u32>, D::Error> {
    #[derive(Deserialize)]
    struct Whole(#[serde(deserialize_with = "whole")] u32);
    Ok(Option::<Whole>::deserialize(deserializer)?.map(|Whole(number)| number))
}

/// A list, one text with commas, or nothing.
pub fn list<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum OneOrMany {
        Many(Vec<Scalar>),
        One(Scalar),
    }
    let print = |scalar: Scalar| match scalar {
        Scalar::Bool(b) => b.to_string(),
        Scalar::Integer(n) => n.to_string(),
        Scalar::Float(n) => n.to_string(),
        Scalar::Text(text) => text,
    };
    Ok(match Option::<OneOrMany>::deserialize(deserializer)? {
        None => Vec::new(),
        Some(OneOrMany::Many(items)) => items.into_iter().map(print).collect(),
        Some(OneOrMany::One(one)) => {
            print(one).split(',').map(|s| s.trim().to_owned()).filter(|s| !s.is_empty()).collect()
        }
    })
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    #[derive(Deserialize, Debug, PartialEq)]
    struct Spec {
        #[serde(default, deserialize_with = "super::boolean")]
        flag: bool,
        #[serde(deserialize_with = "super::whole")]
        count: u32,
        #[serde(default, deserialize_with = "super::maybe_whole")]
        most: Option<u32>,
        #[serde(default, deserialize_with = "super::list")]
        paths: Vec<String>,
    }

    #[test]
    fn text_is_as_good_as_typed() {
        let read = |json: &str| serde_json::from_str::<Spec>(json);
        let want = Spec { flag: true, count: 3, most: None, paths: vec!["a".into(), "b".into()] };
        assert_eq!(read(r#"{"flag":true,"count":3,"paths":["a","b"]}"#).unwrap(), want);
        assert_eq!(read(r#"{"flag":"True","count":"3","paths":"a, b"}"#).unwrap(), want);
        assert_eq!(read(r#"{"count":3,"most":"25"}"#).unwrap().most, Some(25));
        assert_eq!(read(r#"{"count":3,"most":null}"#).unwrap().most, None);
        assert!(read(r#"{"count":-1}"#).is_err());
        assert!(read(r#"{"count":1.5}"#).is_err());
        assert!(read(r#"{"count":1,"flag":"yes"}"#).is_err());
    }
}
