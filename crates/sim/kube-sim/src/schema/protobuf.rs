//! Objects that clients send as protobuf: typed clients of Go do so for every built-in kind.
//!
//! The numbers of the fields are in the table of types. What Go holds without a pointer is always sent, empty or not; the
//! empty ones are left out here, as they are in JSON.

use super::types::{Field, Scalar, Struct, Type};
use crate::object::{micro_time_text, time_text};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value};
use windlass_model::Timestamp;

/// What stands before every object.
const MAGIC: &[u8] = b"k8s\0";

/// Why bytes are no object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Malformed {
    #[error("provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]")]
    Prefix,
    #[error("unexpected EOF")]
    Cut,
    #[error("proto: illegal wireType {0}")]
    Wire(u8),
    #[error("proto: a text that is not UTF-8")]
    Text,
    #[error("proto: raw content that is not JSON")]
    Raw,
    #[error("no kind is registered for the type of the message")]
    Kind,
}

/// One value as it is written.
#[derive(Clone, Copy)]
enum Wire<'a> {
    Varint(u64),
    Fixed(u64),
    Bytes(&'a [u8]),
}

/// The fields of a message, in their order.
struct Fields<'a>(&'a [u8]);

impl<'a> Fields<'a> {
    fn varint(&mut self) -> Result<u64, Malformed> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let (&byte, rest) = self.0.split_first().ok_or(Malformed::Cut)?;
            self.0 = rest;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(Malformed::Cut)
    }

    fn take(&mut self, length: usize) -> Result<&'a [u8], Malformed> {
        let (bytes, rest) = self.0.split_at_checked(length).ok_or(Malformed::Cut)?;
        self.0 = rest;
        Ok(bytes)
    }

    fn fixed(&mut self, length: usize) -> Result<u64, Malformed> {
        let mut bytes = [0; 8];
        bytes[..length].copy_from_slice(self.take(length)?);
        Ok(u64::from_le_bytes(bytes))
    }

    /// The next field's number and value; nothing at the end.
    fn next(&mut self) -> Result<Option<(u64, Wire<'a>)>, Malformed> {
        if self.0.is_empty() {
            return Ok(None);
        }
        let tag = self.varint()?;
        let wire = match tag & 7 {
            0 => Wire::Varint(self.varint()?),
            1 => Wire::Fixed(self.fixed(8)?),
            2 => {
                let length = usize::try_from(self.varint()?).map_err(|_| Malformed::Cut)?;
                Wire::Bytes(self.take(length)?)
            }
            5 => Wire::Fixed(self.fixed(4)?),
            other => return Err(Malformed::Wire(u8::try_from(other).unwrap_or_default())),
        };
        Ok(Some((tag >> 3, wire)))
    }

    /// The last value with this number.
    fn find(bytes: &'a [u8], wanted: u64) -> Result<Option<Wire<'a>>, Malformed> {
        let (mut fields, mut found) = (Fields(bytes), None);
        while let Some((number, wire)) = fields.next()? {
            found = if number == wanted { Some(wire) } else { found };
        }
        Ok(found)
    }
}

impl<'a> Wire<'a> {
    /// A message or a text; numbers are none.
    fn bytes(self) -> Result<&'a [u8], Malformed> {
        if let Self::Bytes(bytes) = self { Ok(bytes) } else { Err(Malformed::Cut) }
    }

    fn number(self) -> u64 {
        match self {
            Self::Varint(number) | Self::Fixed(number) => number,
            Self::Bytes(_) => 0,
        }
    }

    fn text(self) -> Result<String, Malformed> {
        String::from_utf8(self.bytes()?.to_vec()).map_err(|_| Malformed::Text)
    }
}

/// Reads an object with its envelope. `type_of` answers with the type of `v1/Pod`.
pub(crate) fn object(bytes: &[u8], type_of: impl FnOnce(&str) -> Option<Type>) -> Result<Value, Malformed> {
    let envelope = bytes.strip_prefix(MAGIC).ok_or(Malformed::Prefix)?;
    let part = |number| Fields::find(envelope, number)?.map_or(Ok(&[][..]), Wire::bytes);
    let meta = part(1)?;
    let word = |number| Fields::find(meta, number)?.map_or(Ok(String::new()), Wire::text);
    let (api_version, kind) = (word(1)?, word(2)?);
    let Some(Type::Struct(shape)) = type_of(&format!("{api_version}/{kind}")) else { return Err(Malformed::Kind) };
    let mut object = Map::new();
    object.insert("apiVersion".into(), api_version.into());
    object.insert("kind".into(), kind.into());
    message(&shape, part(2)?, &[], &mut object)?;
    Ok(Value::Object(object))
}

/// Reads the fields of a message below `outer`: what JSON puts in line is a message of its own here.
fn message(shape: &Struct, bytes: &[u8], outer: &[u64], out: &mut Map<String, Value>) -> Result<(), Malformed> {
    let mut fields = Fields(bytes);
    while let Some((number, wire)) = fields.next()? {
        let way = [outer, &[number]].concat();
        let found = shape.fields.iter().find(|(_, field)| field.numbers == way);
        if let Some((name, field)) = found {
            put(name, field, wire, out)?;
        } else if shape.fields.values().any(|field| field.numbers.starts_with(&way)) {
            message(shape, wire.bytes()?, &way, out)?;
        }
    }
    Ok(())
}

fn put(name: &str, field: &Field, wire: Wire<'_>, out: &mut Map<String, Value>) -> Result<(), Malformed> {
    match &field.ty {
        Type::List(list) => {
            let item = value(&list.item, wire)?;
            match out.entry(name).or_insert_with(|| Value::Array(Vec::new())) {
                Value::Array(items) => items.push(item),
                _ => return Err(Malformed::Cut),
            }
        }
        Type::Map(map) => {
            let entry = wire.bytes()?;
            let key = Fields::find(entry, 1)?.map_or(Ok(String::new()), Wire::text)?;
            let item = value(&map.value, Fields::find(entry, 2)?.unwrap_or(Wire::Bytes(&[])))?;
            if let Value::Object(items) = out.entry(name).or_insert_with(|| Value::Object(Map::new())) {
                items.insert(key, item);
            }
        }
        ty => {
            let value = value(ty, wire)?;
            if field.pointer || !is_empty(&value) {
                out.insert(name.to_owned(), value);
            }
        }
    }
    Ok(())
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(flag) => !flag,
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
    }
}

fn value(ty: &Type, wire: Wire<'_>) -> Result<Value, Malformed> {
    let part = |number| Fields::find(wire.bytes()?, number);
    let moment = || -> Result<Option<Timestamp>, Malformed> {
        let [seconds, nanos] = [part(1)?, part(2)?].map(|part| part.map_or(0, |wire| wire.number().cast_signed()));
        // Go's zero time is an empty message.
        let is_set = !wire.bytes()?.is_empty();
        Ok(is_set.then(|| Timestamp::from_micros(seconds.saturating_mul(1_000_000).saturating_add(nanos / 1_000))))
    };
    Ok(match ty {
        Type::Scalar(scalar) => match scalar {
            Scalar::Text(_) => wire.text()?.into(),
            Scalar::Bool => (wire.number() != 0).into(),
            Scalar::Int(_) => wire.number().cast_signed().into(),
            Scalar::Float => f64::from_bits(wire.number()).into(),
            Scalar::Bytes => STANDARD.encode(wire.bytes()?).into(),
            Scalar::Quantity => part(1)?.map_or(Ok(String::new()), Wire::text)?.into(),
            Scalar::IntOrString if part(1)?.is_some_and(|kind| kind.number() == 1) => {
                part(3)?.map_or(Ok(String::new()), Wire::text)?.into()
            }
            Scalar::IntOrString => part(2)?.map_or(0, |number| number.number().cast_signed()).into(),
            Scalar::Time => moment()?.map_or(Value::Null, |at| time_text(at).into()),
            Scalar::MicroTime => moment()?.map_or(Value::Null, |at| micro_time_text(at).into()),
            Scalar::Duration => format!("{}ns", part(1)?.map_or(0, |nanos| nanos.number().cast_signed())).into(),
        },
        Type::Struct(shape) => {
            let mut fields = Map::new();
            message(shape, wire.bytes()?, &[], &mut fields)?;
            fields.into()
        }
        // A list within a map, the only place where lists are messages of their own.
        Type::List(list) => {
            let (mut fields, mut items) = (Fields(wire.bytes()?), Vec::new());
            while let Some((_, wire)) = fields.next()? {
                items.push(value(&list.item, wire)?);
            }
            items.into()
        }
        Type::Map(_) => return Err(Malformed::Raw),
        // Raw JSON: field owners, extensions.
        Type::Any | Type::Raw => match part(1)? {
            None => Value::Null,
            Some(raw) => serde_json::from_slice(raw.bytes()?).map_err(|_| Malformed::Raw)?,
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::builtin;
    use proptest::prelude::*;
    use serde_json::json;

    /// A field of the wire type "bytes".
    fn field(number: u8, content: &[u8]) -> Vec<u8> {
        let mut out = vec![number << 3 | 2, u8::try_from(content.len()).unwrap()];
        out.extend_from_slice(content);
        out
    }

    fn envelope(api_version: &str, kind: &str, raw: &[u8]) -> Vec<u8> {
        let meta = [field(1, api_version.as_bytes()), field(2, kind.as_bytes())].concat();
        [MAGIC.to_vec(), field(1, &meta), field(2, raw)].concat()
    }

    fn read(bytes: &[u8]) -> Result<Value, Malformed> {
        object(bytes, builtin::kind)
    }

    #[test]
    fn options_of_a_deletion_are_read_in_every_group() {
        // A grace period, and the policy of what is owned.
        let raw = [vec![1 << 3, 30], field(4, b"Background")].concat();
        for version in ["v1", "apps/v1"] {
            let read = object(&envelope(version, "DeleteOptions", &raw), builtin::sent);
            let expected = json!({"apiVersion": version, "kind": "DeleteOptions", "gracePeriodSeconds": 30,
                "propagationPolicy": "Background"});
            assert_eq!(read, Ok(expected));
        }
        assert_eq!(read(&envelope("v1", "DeleteOptions", &raw)), Err(Malformed::Kind), "it is no object");
    }

    #[test]
    fn empty_fields_are_left_out_and_inline_structs_are_flat() {
        // ObjectMeta as Go sends it: name, empty generateName and namespace, empty creationTimestamp.
        let meta = [field(1, b"c"), field(2, b""), field(3, b"shop"), field(8, b"")].concat();
        let entry = |key: &[u8], value: &[u8]| field(2, &[field(1, key), field(2, value)].concat());
        let raw = [field(1, &meta), entry(b"a", b"1"), entry(b"b", b"")].concat();
        let expected = json!({"apiVersion": "v1", "kind": "ConfigMap",
            "metadata": {"name": "c", "namespace": "shop"}, "data": {"a": "1", "b": ""}});
        assert_eq!(read(&envelope("v1", "ConfigMap", &raw)), Ok(expected));

        // A volume: the source is a message of its own, and an empty `emptyDir` is there.
        let volume = [field(1, b"tmp"), field(2, &field(2, b""))].concat();
        let port = [field(1, b"http"), vec![3 << 3, 0x90, 0x3f]].concat();
        let target = [vec![1 << 3, 1], field(3, b"web")].concat();
        let probe = [field(1, &field(2, &field(2, &target))), vec![4 << 3, 5]].concat();
        let container = [field(1, b"app"), field(6, &port), field(11, &probe)].concat();
        let pod = read(&envelope("v1", "Pod", &field(2, &[field(1, &volume), field(2, &container)].concat()))).unwrap();
        assert_eq!(
            pod["spec"],
            json!({
                "volumes": [{"name": "tmp", "emptyDir": {}}],
                "containers": [{"name": "app", "ports": [{"name": "http", "containerPort": 8080}],
                    "readinessProbe": {"httpGet": {"port": "web"}, "periodSeconds": 5}}],
            })
        );
    }

    #[test]
    fn what_is_no_object_is_said() {
        assert_eq!(read(b"{}"), Err(Malformed::Prefix));
        assert_eq!(read(&envelope("v1", "Potato", b"")), Err(Malformed::Kind));
        assert_eq!(read(&envelope("v1", "Pod", &[0x0a, 0x7f])), Err(Malformed::Cut));
        assert_eq!(read(&envelope("v1", "Pod", &[0x0b])), Err(Malformed::Wire(3)));
    }

    proptest! {
        #[test]
        fn any_bytes_end_well(raw in proptest::collection::vec(any::<u8>(), 0..100)) {
            let _ = read(&envelope("v1", "Pod", &raw));
            let _ = read(&[MAGIC, &raw].concat());
        }
    }
}
