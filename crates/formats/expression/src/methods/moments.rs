use super::{expect, int, text};
use crate::error::{ErrorKind, Fault, Outcome};
use crate::moment::{METHODS, Moment, PROPERTIES, Unit};
use crate::{Value, operators};

pub(super) fn call(moment: &Moment, name: &str, arguments: &[Value]) -> Outcome<Value> {
    let plus = |unit: Unit, sign: i64| {
        expect(name, arguments, 1..=1)?;
        let amount = int(name, arguments, 0)?.checked_mul(sign);
        let amount = amount.ok_or_else(|| Fault::from(ErrorKind::Argument("the date is out of range".into())))?;
        moment.plus(amount, unit).map(Value::Moment)
    };
    match name {
        "plusDays" => plus(Unit::Days, 1),
        "plusHours" => plus(Unit::Seconds(3600), 1),
        "plusMinutes" => plus(Unit::Seconds(60), 1),
        "plusSeconds" => plus(Unit::Seconds(1), 1),
        "minusDays" => plus(Unit::Days, -1),
        "minusHours" => plus(Unit::Seconds(3600), -1),
        "minusMinutes" => plus(Unit::Seconds(60), -1),
        "format" => {
            expect(name, arguments, 1..=1)?;
            moment.format(&text(name, arguments, 0)?).map(Value::from)
        }
        "withZone" => {
            expect(name, arguments, 1..=1)?;
            moment.with_zone(&text(name, arguments, 0)?).map(Value::Moment)
        }
        "isBefore" | "isAfter" => {
            expect(name, arguments, 1..=1)?;
            let other = Moment::from_value(&arguments[0])?.timestamp();
            let at = moment.timestamp();
            Ok(Value::Bool(if name == "isBefore" { at < other } else { at > other }))
        }
        "equals" => {
            expect(name, arguments, 1..=1)?;
            operators::equal(&Value::Moment(moment.clone()), &arguments[0]).map(Value::Bool)
        }
        // `currentDate.year()` is as good as `currentDate.year`.
        _ => match moment.property(name) {
            Some(value) => {
                expect(name, arguments, 0..=0)?;
                Ok(value)
            }
            None => Err(Fault::unknown("date method", name, METHODS.iter().chain(PROPERTIES).copied())),
        },
    }
}
