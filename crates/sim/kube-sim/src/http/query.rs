//! The query part of a URL.

/// Decoded pairs in their order; names may repeat.
#[derive(Clone, Debug, Default)]
pub(crate) struct Query(Vec<(String, String)>);

impl Query {
    pub(crate) fn parse(text: Option<&str>) -> Self {
        let pairs = text.unwrap_or_default().split('&').filter(|p| !p.is_empty());
        Self(
            pairs
                .map(|pair| {
                    let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
                    (decode(key), decode(value))
                })
                .collect(),
        )
    }

    /// The first value of this name; empty when there is none.
    pub(crate) fn get(&self, name: &str) -> &str {
        self.find(name).unwrap_or_default()
    }

    pub(crate) fn find(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(k, _)| k == name).map(|(_, v)| v.as_str())
    }

    pub(crate) fn all(&self, name: &str) -> Vec<&str> {
        self.0.iter().filter(|(k, _)| k == name).map(|(_, v)| v.as_str()).collect()
    }

    /// `1`, `t`, `true` in any case, as Go reads booleans; a bare name is true as well.
    pub(crate) fn flag(&self, name: &str) -> bool {
        self.find(name).is_some_and(|v| !matches!(v, "0" | "f" | "F" | "false" | "False" | "FALSE"))
    }
}

/// Undoes percent encoding; `+` is a space.
fn decode(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let hex = |i: usize| bytes.get(i).and_then(|b| char::from(*b).to_digit(16));
        match (bytes[at], hex(at + 1), hex(at + 2)) {
            (b'%', Some(high), Some(low)) => {
                out.push(u8::try_from(high * 16 + low).unwrap_or(b'?'));
                at += 3;
                continue;
            }
            (b'+', ..) => out.push(b' '),
            (byte, ..) => out.push(byte),
        }
        at += 1;
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// Undoes percent encoding of one segment of a path.
pub(crate) fn decode_segment(text: &str) -> String {
    decode(&text.replace('+', "%2B"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_decoded() {
        let query = Query::parse(Some("labelSelector=l+in+(a%2Cc)&watch=1&x&dryRun=All&dryRun=Some&bad=%zz"));
        assert_eq!(query.get("labelSelector"), "l in (a,c)");
        assert!(query.flag("watch") && query.flag("x") && !query.flag("none"));
        assert_eq!(query.all("dryRun"), ["All", "Some"]);
        assert_eq!(query.get("bad"), "%zz");
    }
}
