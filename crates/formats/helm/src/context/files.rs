//! `.Files`: what a chart holds besides templates.

use crate::chart::File;
use crate::pattern::Glob;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use windlass_gotemplate::{Bytes, Element, Map, Type, Value};

static FILES: Type = Type::new("engine.files").of(Element::Bytes).with(methods);

pub(super) fn value(files: &[File]) -> Value {
    let map = Map::of(&FILES);
    for file in files {
        map.set(file.name.as_str().into(), bytes(&file.data));
    }
    map.into()
}

fn bytes(data: &[u8]) -> Value {
    Value::Bytes(Bytes { data: data.into(), is_text: false })
}

fn methods(value: &Value, method: &str, arguments: &[Value]) -> Option<Result<Value, String>> {
    let files = value.as_map()?;
    let name = || match arguments {
        [Value::Text(name)] => Ok(name.clone()),
        [other] if other.is_nil() => Err("invalid value; expected string".to_owned()),
        [_] => Err("wrong type for value; expected string".to_owned()),
        other => Err(format!("wrong number of args for {method}: want 1 got {}", other.len())),
    };
    Some(match method {
        "Get" => name().map(|name| Value::text_of(data(files, &name).as_deref().unwrap_or_default())),
        "GetBytes" => name().map(|name| bytes(data(files, &name).as_deref().unwrap_or_default())),
        "Glob" => name().map(|pattern| glob(files, &pattern).into()),
        "Lines" => name().map(|name| lines(&data(files, &name).unwrap_or_default())),
        "AsConfig" => Ok(yaml(files, |data| String::from_utf8_lossy(data).into_owned())),
        "AsSecrets" => Ok(yaml(files, |data| BASE64_STANDARD.encode(data))),
        _ => return None,
    })
}

fn data(files: &Map, name: &str) -> Option<std::rc::Rc<[u8]>> {
    match files.get(name)? {
        Value::Bytes(bytes) => Some(bytes.data),
        _ => None,
    }
}

fn glob(files: &Map, pattern: &str) -> Map {
    let glob = Glob::new(pattern);
    let found = Map::of(&FILES);
    for (name, value) in files.entries() {
        if glob.matches(&name) {
            found.set(name, value);
        }
    }
    found
}

fn lines(data: &[u8]) -> Value {
    if data.is_empty() {
        return Value::texts(Vec::<String>::new());
    }
    let data = data.strip_suffix(b"\n").unwrap_or(data);
    let all = data.split(|byte| *byte == b'\n').map(Value::text_of).collect();
    Value::List(windlass_gotemplate::List::of(&windlass_gotemplate::TEXTS, all))
}

/// A map from the last part of each name to the content.
fn yaml(files: &Map, content: impl Fn(&[u8]) -> String) -> Value {
    let mut map = serde_json::Map::new();
    for (name, value) in files.entries() {
        let base = name.rsplit('/').next().unwrap_or(&name).to_owned();
        if let Value::Bytes(bytes) = value {
            map.insert(base, content(&bytes.data).into());
        }
    }
    let text = windlass_yaml::to_yaml(&map.into());
    text.strip_suffix('\n').unwrap_or(&text).into()
}
