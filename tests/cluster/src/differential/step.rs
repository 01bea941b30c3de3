use serde_json::Value;
use std::fmt;

/// One request. `{{N:/pointer}}` in its path or body stands for a value of the N-th answer of the same server, `{{ns}}` for the namespace.
#[derive(Clone, Debug)]
pub struct Step {
    pub method: &'static str,
    pub path: String,
    pub accept: &'static str,
    pub content_type: &'static str,
    pub body: Body,
    /// Whose token is sent; nobody's when empty.
    pub user: &'static str,
    /// Whether the answer is a stream of events.
    pub stream: bool,
}

/// What is sent.
#[derive(Clone, Debug)]
pub enum Body {
    None,
    /// As it stands.
    Text(String),
    /// JSON in the order of its keys.
    Json(Value),
    /// The N-th answer, changed.
    Answer(usize, Vec<Edit>),
}

/// A change at a JSON pointer.
#[derive(Clone, Debug)]
pub enum Edit {
    Set(String, Value),
    Remove(String),
}

impl Step {
    pub fn new(method: &'static str, path: impl Into<String>) -> Self {
        let body = Body::None;
        Self {
            method,
            path: path.into(),
            accept: "application/json",
            content_type: "",
            body,
            user: "admin",
            stream: false,
        }
    }

    #[must_use]
    pub fn json(mut self, body: Value) -> Self {
        self.body = Body::Json(body);
        self.content_type = "application/json";
        self
    }
}

impl Edit {
    /// Changes an object; places that are not there are made, as far as they are objects.
    pub fn apply(&self, object: &mut Value) {
        match self {
            Self::Set(pointer, value) => set(object, &parts(pointer), value),
            Self::Remove(pointer) => remove(object, &parts(pointer)),
        }
    }
}

fn parts(pointer: &str) -> Vec<String> {
    pointer.split('/').skip(1).map(|part| part.replace("~1", "/").replace("~0", "~")).collect()
}

fn set(at: &mut Value, parts: &[String], value: &Value) {
    let Some((first, rest)) = parts.split_first() else {
        *at = value.clone();
        return;
    };
    if let Value::Array(items) = at {
        match first.parse::<usize>() {
            Ok(i) if i < items.len() => set(&mut items[i], rest, value),
            _ if rest.is_empty() => items.push(value.clone()),
            _ => {}
        }
        return;
    }
    if !at.is_object() {
        *at = Value::Object(serde_json::Map::new());
    }
    if let Value::Object(map) = at {
        set(map.entry(first.as_str()).or_insert(Value::Null), rest, value);
    }
}

fn remove(at: &mut Value, parts: &[String]) {
    match (parts, at) {
        ([last], Value::Object(map)) => {
            map.remove(last);
        }
        ([last], Value::Array(items)) => {
            if let Some(i) = last.parse::<usize>().ok().filter(|i| *i < items.len()) {
                items.remove(i);
            }
        }
        ([first, rest @ ..], at) => {
            let inner = match at {
                Value::Array(items) => first.parse::<usize>().ok().and_then(|i| items.get_mut(i)),
                Value::Object(map) => map.get_mut(first),
                _ => None,
            };
            if let Some(inner) = inner {
                remove(inner, rest);
            }
        }
        ([], _) => {}
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.method, self.path)?;
        if self.user != "admin" {
            write!(f, " as {:?}", self.user)?;
        }
        if self.accept != "application/json" {
            write!(f, " accept {}", self.accept)?;
        }
        if !self.content_type.is_empty() {
            write!(f, " {}", self.content_type)?;
        }
        match &self.body {
            Body::None => Ok(()),
            Body::Text(text) => write!(f, " {text:?}"),
            Body::Json(value) => write!(f, " {value}"),
            Body::Answer(of, edits) => {
                write!(f, " answer {of}")?;
                edits.iter().try_for_each(|edit| match edit {
                    Edit::Set(at, value) => write!(f, ", {at} = {value}"),
                    Edit::Remove(at) => write!(f, ", without {at}"),
                })
            }
        }
    }
}
