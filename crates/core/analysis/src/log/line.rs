//! Which lines count: those that speak of an error.

use std::borrow::Cow;

/// The message of a line that speaks of an error, or nothing.
///
/// A line counts when it has one of the words `error`, `exception`, `fatal`, `panic`, `fail`, `failed`, `failure`, in any
/// case, or when it is a JSON object whose level is error or worse. For JSON lines the message field is what is compared.
pub fn error_text(line: &str) -> Option<Cow<'_, str>> {
    let trimmed = line.trim();
    if trimmed.starts_with('{')
        && let Ok(serde_json::Value::Object(fields)) = serde_json::from_str(trimmed)
    {
        let field = |names: &[&str]| names.iter().find_map(|name| fields.get(*name));
        let message = match field(&["message", "msg", "error", "err", "@message"]) {
            Some(serde_json::Value::String(text)) => text.clone(),
            Some(other) => other.to_string(),
            None => trimmed.to_owned(),
        };
        let severe = field(&["level", "severity", "lvl", "log.level", "@level"]).is_some_and(severe);
        return (severe || has_error_word(&message)).then_some(Cow::Owned(message));
    }
    has_error_word(trimmed).then_some(Cow::Borrowed(trimmed))
}

/// Level names, and the numbers of bunyan and pino (50 error, 60 fatal).
fn severe(level: &serde_json::Value) -> bool {
    match level {
        serde_json::Value::String(name) => {
            ["error", "err", "fatal", "panic", "dpanic", "critical", "crit", "alert", "emergency", "emerg", "severe"]
                .iter()
                .any(|word| name.eq_ignore_ascii_case(word))
        }
        serde_json::Value::Number(number) => number.as_f64().is_some_and(|n| n >= 50.0),
        _ => false,
    }
}

fn has_error_word(text: &str) -> bool {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| {
        ["error", "exception", "fatal", "panic", "fail", "failed", "failure"]
            .iter()
            .any(|wanted| word.eq_ignore_ascii_case(wanted))
    })
}

#[cfg(test)]
mod tests {
    use super::error_text;

    #[test]
    fn only_lines_that_speak_of_errors_count() {
        for (line, text) in [
            ("GET /pay 200 in 12 ms", None),
            ("3 errors_total", None),
            ("ERROR cannot connect", Some("ERROR cannot connect")),
            ("  request failed: timeout ", Some("request failed: timeout")),
            ("failsafe mode off", None),
            (r#"{"level":"info","msg":"started"}"#, None),
            (r#"{"level":"ERROR","msg":"no route"}"#, Some("no route")),
            (r#"{"level":50,"msg":"no route"}"#, Some("no route")),
            (r#"{"severity":"warning","message":"login failed"}"#, Some("login failed")),
            (r#"{"level":"fatal","code":3}"#, Some(r#"{"level":"fatal","code":3}"#)),
            ("{not json, panic", Some("{not json, panic")),
        ] {
            assert_eq!(error_text(line).as_deref(), text, "{line}");
        }
    }
}
