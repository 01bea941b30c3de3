//! Label selectors, from their text or from an object's `selector`.

use super::label_text;
use crate::object::Object;
use serde_json::Value;
use std::fmt;

/// All requirements must hold. Without any, everything matches.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LabelSelector {
    pub requirements: Vec<Requirement>,
    /// A selector that was absent where absence means nothing at all.
    nothing: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Requirement {
    Exists(String),
    Absent(String),
    In(String, Vec<String>),
    /// Also matches objects without the label.
    NotIn(String, Vec<String>),
    Above(String, i64),
    Below(String, i64),
}

impl LabelSelector {
    /// Parses `app=x,tier in (a, b),!canary`. The error is that of the API server.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut requirements = label_text::parse(text)?;
        requirements.sort_by(|a, b| a.key().cmp(b.key()));
        Ok(Self { requirements, nothing: false })
    }

    /// Reads `matchLabels` and `matchExpressions`. A selector that is absent matches nothing.
    pub fn of(selector: Option<&Value>) -> Self {
        let Some(selector) = selector.filter(|s| !s.is_null()) else {
            return Self { requirements: Vec::new(), nothing: true };
        };
        let mut requirements = Self::of_map(selector.get("matchLabels")).requirements;
        for expression in selector.list("/matchExpressions") {
            let key = expression.text("/key").to_owned();
            let values = || expression.list("/values").iter().filter_map(|v| v.as_str().map(str::to_owned)).collect();
            requirements.push(match expression.text("/operator") {
                "In" => Requirement::In(key, values()),
                "NotIn" => Requirement::NotIn(key, values()),
                "Exists" => Requirement::Exists(key),
                _ => Requirement::Absent(key),
            });
        }
        Self { requirements, nothing: false }
    }

    /// Reads a plain map of labels, as services select.
    pub fn of_map(labels: Option<&Value>) -> Self {
        let entries = labels.and_then(Value::as_object).into_iter().flatten();
        let requirements = entries
            .map(|(key, value)| Requirement::In(key.clone(), vec![value.as_str().unwrap_or_default().to_owned()]))
            .collect();
        Self { requirements, nothing: false }
    }

    pub fn matches(&self, object: &Value) -> bool {
        self.matches_labels(object.at("/metadata/labels"))
    }

    /// Whether a map of labels fits; an absent map has no labels.
    pub fn matches_labels(&self, labels: Option<&Value>) -> bool {
        let label = |key: &str| labels.and_then(|l| l.get(key)).and_then(Value::as_str);
        !self.nothing && self.requirements.iter().all(|r| r.holds(label(r.key())))
    }

    pub fn is_everything(&self) -> bool {
        !self.nothing && self.requirements.is_empty()
    }
}

impl Requirement {
    pub fn key(&self) -> &str {
        match self {
            Self::Exists(key)
            | Self::Absent(key)
            | Self::In(key, _)
            | Self::NotIn(key, _)
            | Self::Above(key, _)
            | Self::Below(key, _) => key,
        }
    }

    fn holds(&self, value: Option<&str>) -> bool {
        let number = || value.and_then(|v| v.parse::<i64>().ok());
        match self {
            Self::Exists(_) => value.is_some(),
            Self::Absent(_) => value.is_none(),
            Self::In(_, values) => value.is_some_and(|v| values.iter().any(|w| w == v)),
            Self::NotIn(_, values) => value.is_none_or(|v| values.iter().all(|w| w != v)),
            Self::Above(_, bound) => number().is_some_and(|n| n > *bound),
            Self::Below(_, bound) => number().is_some_and(|n| n < *bound),
        }
    }
}

/// As the API prints selectors: `app=x,tier in (a,b)`.
impl fmt::Display for LabelSelector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut sorted: Vec<_> = self.requirements.iter().collect();
        sorted.sort_by_key(|r| r.key());
        for (i, requirement) in sorted.into_iter().enumerate() {
            if i > 0 {
                f.write_str(",")?;
            }
            match requirement {
                Requirement::Exists(key) => f.write_str(key)?,
                Requirement::Absent(key) => write!(f, "!{key}")?,
                Requirement::In(key, values) if values.len() == 1 => write!(f, "{key}={}", values[0])?,
                Requirement::NotIn(key, values) if values.len() == 1 => write!(f, "{key}!={}", values[0])?,
                Requirement::In(key, values) => write!(f, "{key} in ({})", sorted_list(values))?,
                Requirement::NotIn(key, values) => write!(f, "{key} notin ({})", sorted_list(values))?,
                Requirement::Above(key, bound) => write!(f, "{key}>{bound}")?,
                Requirement::Below(key, bound) => write!(f, "{key}<{bound}")?,
            }
        }
        Ok(())
    }
}

fn sorted_list(values: &[String]) -> String {
    let mut values: Vec<&str> = values.iter().map(String::as_str).collect();
    values.sort_unstable();
    values.join(",")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn texts_select() {
        let object = json!({"metadata": {"labels": {"app": "web", "n": "5"}}});
        for (text, fits) in [
            ("", true),
            ("app", true),
            ("!app", false),
            ("app=web", true),
            ("app==web", true),
            ("app!=web", false),
            ("other!=x", true),
            ("app in (web, api)", true),
            ("app notin (web)", false),
            ("other notin (web)", true),
            ("app in ()", false),
            ("n>4,n<6", true),
            ("n>5", false),
            ("app,!gone , n = 5", true),
            ("in in (in)", false),
        ] {
            assert_eq!(LabelSelector::parse(text).map(|s| s.matches(&object)), Ok(fits), "{text}");
        }
    }

    #[test]
    fn errors_are_those_of_the_api_server() {
        for (text, error) in [
            ("bad===x", "unable to parse requirement: found '=', expected: identifier"),
            ("a b", "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"),
            ("a,", "found '', expected: identifier after ','"),
            ("(", "found '(', expected: !, identifier, or 'end of string'"),
            ("a in x", "unable to parse requirement: found 'x' expected: '('"),
            ("a=b c", "found 'c', expected: ',' or 'end of string'"),
        ] {
            assert_eq!(LabelSelector::parse(text), Err(error.to_owned()), "{text}");
        }
    }

    #[test]
    fn objects_select_and_print() {
        let selector = json!({"matchLabels": {"b": "2", "a": "1"}, "matchExpressions": [
            {"key": "c", "operator": "In", "values": ["y", "x"]}, {"key": "d", "operator": "DoesNotExist"}]});
        let selector = LabelSelector::of(Some(&selector));
        assert_eq!(selector.to_string(), "a=1,b=2,c in (x,y),!d");
        assert!(selector.matches(&json!({"metadata": {"labels": {"a": "1", "b": "2", "c": "x"}}})));
        assert!(!LabelSelector::of(None).matches(&json!({})));
        assert!(LabelSelector::of(Some(&json!({}))).matches(&json!({})));
    }
}
