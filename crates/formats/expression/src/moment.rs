//! Dates and times as values (pipelines §11.5, SEED-46).

mod pattern;

use crate::error::{ErrorKind, Fault, Outcome};
use crate::value::Value;
use jiff::tz::{TimeZone, TimeZoneDatabase};
use jiff::{SignedDuration, Span, Timestamp, Zoned};
use std::fmt;
use std::sync::{Arc, OnceLock};

/// A point in time seen in a time zone, with the form in which it reads as text.
#[derive(Clone, Debug, PartialEq)]
pub struct Moment {
    // Shared: a zoned time is large, and values are copied often.
    at: Arc<Zoned>,
    form: Form,
}

/// How a [`Moment`] reads as text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// RFC 3339 with seconds: `2026-03-01T12:30:00Z`.
    Instant,
    /// `2026-03-01`
    Date,
    /// `12:30:00`
    Time,
}

/// Names after a dot.
pub(crate) const PROPERTIES: &[&str] = &[
    "year",
    "month",
    "day",
    "hour",
    "minute",
    "second",
    "dayOfWeek",
    "dayOfWeekValue",
    "dayOfYear",
    "epochMs",
    "iso",
    "zone",
];

/// Names that take arguments.
pub(crate) const METHODS: &[&str] = &[
    "plusDays",
    "plusHours",
    "plusMinutes",
    "plusSeconds",
    "minusDays",
    "minusHours",
    "minusMinutes",
    "format",
    "withZone",
    "isBefore",
    "isAfter",
    "toString",
    "equals",
];

impl Moment {
    pub fn new(at: Timestamp, form: Form) -> Self {
        Self { at: Arc::new(at.to_zoned(TimeZone::UTC)), form }
    }

    pub fn timestamp(&self) -> Timestamp {
        self.at.timestamp()
    }

    pub(crate) fn property(&self, name: &str) -> Option<Value> {
        let at = &self.at;
        Some(match name {
            "year" => Value::Int(at.year().into()),
            "month" => Value::Int(at.month().into()),
            "day" => Value::Int(at.day().into()),
            "hour" => Value::Int(at.hour().into()),
            "minute" => Value::Int(at.minute().into()),
            "second" => Value::Int(at.second().into()),
            "dayOfWeek" => Value::string(pattern::weekday(at.weekday()).to_uppercase()),
            "dayOfWeekValue" => Value::Int(at.weekday().to_monday_one_offset().into()),
            "dayOfYear" => Value::Int(at.day_of_year().into()),
            "epochMs" => Value::Int(self.timestamp().as_millisecond()),
            "iso" => Value::string(self.iso()),
            "zone" => Value::string(at.time_zone().iana_name().unwrap_or("UTC")),
            _ => return None,
        })
    }

    /// RFC 3339, seconds, with the offset of its zone.
    pub(crate) fn iso(&self) -> String {
        pattern::format(&self.at, "yyyy-MM-dd'T'HH:mm:ssXXX").unwrap_or_else(|_| self.timestamp().to_string())
    }

    /// Formats by a pattern of Java's `DateTimeFormatter`.
    pub(crate) fn format(&self, pattern: &str) -> Outcome<String> {
        pattern::format(&self.at, pattern)
    }

    /// Moves by exact time, or by calendar days: a day may have 23 or 25 hours in its zone.
    pub(crate) fn plus(&self, amount: i64, unit: Unit) -> Outcome<Self> {
        let too_far = || Fault::from(ErrorKind::Argument("the date is out of range".into()));
        let moved = match unit {
            Unit::Days => {
                let span = Span::new().try_days(amount).map_err(|_| too_far())?;
                self.at.checked_add(span).map_err(|_| too_far())?
            }
            Unit::Seconds(seconds) => {
                let seconds = amount.checked_mul(seconds).ok_or_else(too_far)?;
                self.at.checked_add(SignedDuration::from_secs(seconds)).map_err(|_| too_far())?
            }
        };
        Ok(Self { at: Arc::new(moved), form: self.form })
    }

    pub(crate) fn with_zone(&self, name: &str) -> Outcome<Self> {
        // Never the tables of this machine: the same expression gives the same answer everywhere.
        static ZONES: OnceLock<TimeZoneDatabase> = OnceLock::new();
        let zone = ZONES.get_or_init(TimeZoneDatabase::bundled).get(name).map_err(|_| {
            Fault::from(ErrorKind::Argument(format!("unknown time zone `{}`", crate::error::shorten(name))))
        })?;
        Ok(Self { at: Arc::new(self.at.with_time_zone(zone)), form: self.form })
    }

    /// What functions take for a date: a date, epoch milliseconds, or text in RFC 3339 or `YYYY-MM-DD`.
    pub(crate) fn from_value(value: &Value) -> Outcome<Self> {
        let refuse = || {
            let message = format!("expected a date, epoch milliseconds or RFC 3339 text, not {}", value.kind());
            Fault::from(ErrorKind::Argument(message))
        };
        match value {
            Value::Moment(moment) => Ok(moment.clone()),
            Value::Int(millis) => {
                Timestamp::from_millisecond(*millis).map(|at| Self::new(at, Form::Instant)).map_err(|_| refuse())
            }
            Value::String(text) => {
                if let Ok(at) = text.parse::<Timestamp>() {
                    return Ok(Self::new(at, Form::Instant));
                }
                if let Ok(millis) = text.parse::<i64>() {
                    return Self::from_value(&Value::Int(millis));
                }
                let date: jiff::civil::Date = text.parse().map_err(|_| refuse())?;
                let at = date.to_zoned(TimeZone::UTC).map_err(|_| refuse())?;
                Ok(Self { at: Arc::new(at), form: Form::Date })
            }
            _ => Err(refuse()),
        }
    }
}

/// What [`Moment::plus`] counts in.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Unit {
    Days,
    Seconds(i64),
}

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pattern = match self.form {
            Form::Instant => return f.write_str(&self.iso()),
            Form::Date => "yyyy-MM-dd",
            Form::Time => "HH:mm:ss",
        };
        f.write_str(&self.format(pattern).map_err(|_| fmt::Error)?)
    }
}
