//! Parameters of a request: from the query string, and from the form of a POST.

use super::ApiError;
use crate::promql::duration;
use axum::extract::Request;
use windlass_model::{Millis, Timestamp};

/// The largest form, bytes.
const FORM: usize = 1 << 20;

pub(super) struct Params(Vec<(String, String)>);

impl Params {
    pub(super) async fn read(request: Request) -> Result<Self, ApiError> {
        let (parts, body) = request.into_parts();
        let mut pairs = pairs(parts.uri.query().unwrap_or_default());
        let form = axum::body::to_bytes(body, FORM)
            .await
            .map_err(|_| ApiError::Param { name: "body", reason: format!("longer than {FORM} bytes") })?;
        pairs.extend(self::pairs(&String::from_utf8_lossy(&form)));
        Ok(Self(pairs))
    }

    pub(super) fn all(&self, name: &str) -> impl Iterator<Item = &str> {
        self.0.iter().filter(move |(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    fn get(&self, name: &str) -> Option<&str> {
        self.all(name).next().filter(|value| !value.is_empty())
    }

    pub(super) fn required(&self, name: &'static str) -> Result<&str, ApiError> {
        self.get(name).ok_or_else(|| ApiError::Param { name, reason: "it is missing".to_owned() })
    }

    /// Seconds since 1970, or RFC 3339.
    pub(super) fn moment(&self, name: &'static str) -> Result<Option<Timestamp>, ApiError> {
        let Some(text) = self.get(name) else { return Ok(None) };
        let moment = match text.parse::<f64>() {
            // The years 1 to 9999.
            #[allow(clippy::cast_possible_truncation)] // checked
            Ok(seconds) if (-62_135_596_800.0..253_402_300_800.0).contains(&seconds) => {
                Some(Timestamp::from_millis((seconds * 1_000.0).round() as i64))
            }
            Ok(_) => None,
            Err(_) => Timestamp::parse(text),
        };
        let reason = || format!("cannot parse {text:?} to a valid timestamp");
        moment.map(Some).ok_or_else(|| ApiError::Param { name, reason: reason() })
    }

    /// Seconds, or a duration such as `15s`.
    pub(super) fn length(&self, name: &'static str) -> Result<Option<Millis>, ApiError> {
        let Some(text) = self.get(name) else { return Ok(None) };
        let length = match text.parse::<f64>() {
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // checked
            Ok(seconds) if (0.0..1e10).contains(&seconds) => Some(Millis((seconds * 1_000.0).round() as u64)),
            Ok(_) => None,
            Err(_) => duration(text),
        };
        let reason = || format!("cannot parse {text:?} to a valid duration");
        length.map(Some).ok_or_else(|| ApiError::Param { name, reason: reason() })
    }
}

/// `application/x-www-form-urlencoded`
fn pairs(text: &str) -> Vec<(String, String)> {
    let split = |pair: &str| {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        (decode(name), decode(value))
    };
    text.split('&').filter(|pair| !pair.is_empty()).map(split).collect()
}

fn decode(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((byte, tail)) = rest.split_first() {
        rest = tail;
        match byte {
            b'+' => bytes.push(b' '),
            b'%' => {
                let code = tail.get(..2).and_then(|hex| u8::from_str_radix(std::str::from_utf8(hex).ok()?, 16).ok());
                match code {
                    Some(code) => {
                        bytes.push(code);
                        rest = &tail[2..];
                    }
                    None => bytes.push(b'%'),
                }
            }
            byte => bytes.push(*byte),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_are_read() {
        assert_eq!(
            pairs("query=sum%28a%7Bb%3D%22c+d%22%7D%29&time=1.5&x&&bad=%zz%f"),
            [("query", "sum(a{b=\"c d\"})"), ("time", "1.5"), ("x", ""), ("bad", "%zz%f")]
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
        );
        let params = Params(pairs("a=1772452800.25&b=2026-03-02T12%3A00%3A00Z&c=15s&d=0.5&e=never&f=1e300&g=NaN"));
        assert_eq!(params.moment("a").unwrap().unwrap().millis(), 1_772_452_800_250);
        assert_eq!(params.moment("b").unwrap().unwrap().secs(), 1_772_452_800);
        assert_eq!(params.length("c").unwrap(), Some(Millis(15_000)));
        assert_eq!(params.length("d").unwrap(), Some(Millis(500)));
        assert_eq!(params.moment("none").unwrap(), None);
        for name in ["e", "f", "g"] {
            assert!(params.moment(name).is_err() && params.length(name).is_err(), "{name}");
        }
    }
}
