use crate::Value;
use crate::error::{Fault, Outcome};
use crate::limits::Meter;
use crate::methods::{expect, text};

pub(super) fn call(name: &str, arguments: &[Value], meter: &mut Meter) -> Outcome<Value> {
    match name {
        "extract" => {
            expect("regex.extract", arguments, 2..=2)?;
            let subject = text("regex.extract", arguments, 1)?;
            meter.spend_bytes(subject.len())?;
            let pattern = meter.regex(&text("regex.extract", arguments, 0)?)?;
            let found = pattern.captures_from(&subject, 0, meter)?;
            // The first group, or the whole match when there is none.
            let group = found.as_ref().and_then(|captures| captures.get(usize::from(captures.len() > 1)));
            Ok(Value::from(group.map_or("", |group| group.as_str())))
        }
        "replace" => {
            expect("regex.replace", arguments, 3..=3)?;
            let subject = text("regex.replace", arguments, 2)?;
            let pattern = meter.regex(&text("regex.replace", arguments, 0)?)?;
            pattern.replace(&subject, &text("regex.replace", arguments, 1)?, usize::MAX, meter).map(Value::from)
        }
        _ => Err(Fault::unknown("method of `regex`", name, ["extract", "replace"])),
    }
}
