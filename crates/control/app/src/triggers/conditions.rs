//! Conditions of triggers (pipelines §7.1, SEED-70, SEED-71). Pure.

use windlass_document::entity::{Condition, Operator};
use windlass_engine::TriggerContext;
use windlass_engine::runtime_inputs::{TriggerScope, constraint};
use windlass_expression::{Evaluator, Template, Value};
use windlass_model::approval::InputConstraint;
use windlass_model::{Json, Timestamp};

/// What a bare word that is not built in stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bare {
    /// `service_name` is `<+trigger.payload.service_name>` (SEED-71).
    Payload,
    Header,
}

/// Whether all conditions hold; the first that does not, with what it saw.
pub(super) fn check(
    conditions: &[Condition],
    bare: Bare,
    trigger: &TriggerContext,
    now: Timestamp,
) -> Result<(), String> {
    let over = Over { trigger, now };
    conditions.iter().try_for_each(|condition| over.check(condition, bare))
}

/// Whether a JEXL condition holds.
pub(super) fn check_jexl(text: &str, trigger: &TriggerContext, now: Timestamp) -> Result<(), String> {
    let scope = TriggerScope(trigger);
    let evaluator = Evaluator::new(&scope, now.to_jiff());
    match evaluator.condition(&windlass_expression::Condition::parse(text)) {
        Ok(outcome) if outcome.value => Ok(()),
        Ok(outcome) => {
            let missing: Vec<String> = outcome.missing.iter().map(|one| one.to_diagnostic().message).collect();
            let why = if missing.is_empty() { String::new() } else { format!(" ({})", missing.join("; ")) };
            Err(format!("`{text}` is false{why}"))
        }
        Err(error) => Err(format!("`{text}` cannot be evaluated: {error}")),
    }
}

/// What a key stands for.
#[derive(Debug, PartialEq)]
enum Seen {
    Nothing,
    Text(String),
    /// Of `changedFiles`: one is enough for a positive operator, all must satisfy a negative one.
    Each(Vec<String>),
}

struct Over<'t> {
    trigger: &'t TriggerContext,
    now: Timestamp,
}

impl Over<'_> {
    fn check(&self, condition: &Condition, bare: Bare) -> Result<(), String> {
        let Condition { key, operator, value } = condition;
        let wanted = self.text(value)?.unwrap_or_default();
        let seen = self.seen(key, bare)?;
        let fits = match &seen {
            Seen::Nothing => holds(*operator, None, &wanted),
            Seen::Text(text) => holds(*operator, Some(text), &wanted),
            Seen::Each(files) if is_negative(*operator) => files.iter().all(|f| holds(*operator, Some(f), &wanted)),
            Seen::Each(files) => files.iter().any(|f| holds(*operator, Some(f), &wanted)),
        };
        if fits {
            return Ok(());
        }
        let demand = match operator {
            Operator::NotNull | Operator::IsNull => format!("{operator:?}"),
            _ => format!("{operator:?} `{}`", shortened(&wanted)),
        };
        Err(match seen {
            Seen::Nothing => format!("`{key}` is not in the event, and must be {demand}"),
            Seen::Text(text) => format!("`{key}` is `{}`, and must be {demand}", shortened(&text)),
            Seen::Each(files) => format!("`{key}` are {} files, and must be {demand}", files.len()),
        })
    }

    fn seen(&self, key: &str, bare: Bare) -> Result<Seen, String> {
        let text = |text: Option<String>| text.map_or(Seen::Nothing, Seen::Text);
        if key.contains("<+") {
            return self.text(key).map(text);
        }
        if let Some(value) = self.trigger.properties.get(key) {
            return Ok(match value {
                Json::Array(items) => Seen::Each(items.iter().map(plain).collect()),
                other => text(text_of(other)),
            });
        }
        if bare == Bare::Header {
            return Ok(text(self.trigger.headers.get(&key.to_ascii_lowercase()).cloned()));
        }
        // The name as it stands first: `service-name` is no subtraction.
        match self.trigger.payload.get(key) {
            Some(value) => Ok(text(text_of(value))),
            None => self.text(&format!("<+trigger.payload.{key}>")).map(text),
        }
    }

    /// The text of a template; nothing when it is null or has no value.
    fn text(&self, template: &str) -> Result<Option<String>, String> {
        if !template.contains("<+") {
            return Ok(Some(template.to_owned()));
        }
        let scope = TriggerScope(self.trigger);
        let outcome = Evaluator::new(&scope, self.now.to_jiff())
            .value(&Template::parse(template))
            .map_err(|error| format!("`{template}` cannot be evaluated: {error}"))?;
        Ok(match outcome.value {
            Value::Null => None,
            _ if !outcome.missing.is_empty() => None,
            value => Some(value.to_text().to_string()),
        })
    }
}

/// Objects as JSON, null as nothing.
fn text_of(json: &Json) -> Option<String> {
    if json.is_null() { None } else { Some(plain(json)) }
}

fn plain(json: &Json) -> String {
    json.as_str().map_or_else(|| json.to_string(), str::to_owned)
}

/// Conditions are shown to people: payloads may be long.
fn shortened(text: &str) -> String {
    const LONGEST: usize = 80;
    match text.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

const fn is_negative(operator: Operator) -> bool {
    matches!(operator, Operator::NotEquals | Operator::NotIn | Operator::DoesNotContain | Operator::IsNull)
}

fn matches(pattern: &str, text: &str) -> bool {
    constraint::check(&InputConstraint::Regex(pattern.to_owned()), text).is_ok()
}

fn holds(operator: Operator, seen: Option<&str>, wanted: &str) -> bool {
    let is = |test: &dyn Fn(&str) -> bool| seen.is_some_and(test);
    let listed = |text: &str| wanted.split(',').map(str::trim).any(|entry| entry == text || matches(entry, text));
    match operator {
        Operator::Equals => is(&|text| text == wanted),
        Operator::NotEquals => !is(&|text| text == wanted),
        Operator::In => is(&listed),
        Operator::NotIn => !is(&listed),
        Operator::StartsWith => is(&|text| text.starts_with(wanted)),
        Operator::EndsWith => is(&|text| text.ends_with(wanted)),
        Operator::Contains => is(&|text| text.contains(wanted)),
        Operator::DoesNotContain => !is(&|text| text.contains(wanted)),
        Operator::Regex => is(&|text| matches(wanted, text)),
        Operator::NotNull => is(&|text| !text.is_empty()),
        Operator::IsNull => !is(&|text| !text.is_empty()),
    }
}

#[cfg(test)]
mod tests {
    use super::{Bare, check, check_jexl};
    use serde_json::json;
    use windlass_document::entity::{Condition, Operator};
    use windlass_engine::TriggerContext;
    use windlass_model::Timestamp;

    fn context() -> TriggerContext {
        TriggerContext {
            type_name: Some("Custom".into()),
            payload: json!({
                "service_name": "payment", "service-team": "x", "empty": "", "none": null, "count": 3,
                "nested": {"a": [{"b": "deep"}]}, "evil": "<+secrets.getValue('x')>",
            }),
            headers: [("x-kind".to_owned(), "build".to_owned())].into(),
            properties: [
                ("sourceBranch".to_owned(), json!("feature/x")),
                ("changedFiles".to_owned(), json!(["src/a.rs", "docs/b.md"])),
            ]
            .into(),
            ..TriggerContext::default()
        }
    }

    fn holds(key: &str, operator: Operator, value: &str) -> bool {
        let condition = Condition { key: key.into(), operator, value: value.into() };
        check(&[condition], Bare::Payload, &context(), Timestamp::from_micros(0)).is_ok()
    }

    #[test]
    fn operators_over_what_is_there_and_what_is_not() {
        use Operator::*;
        #[rustfmt::skip]
        let table: &[(&str, Operator, &str, bool)] = &[
            ("<+trigger.payload.service_name>", Equals, "payment", true),
            ("<+eventPayload.service_name>", Equals, "Payment", false),
            ("service_name", Equals, "payment", true),
            ("service-team", Equals, "x", true),
            ("nested.a[0].b", Equals, "deep", true),
            ("count", Equals, "3", true),
            ("nested", Contains, "\"deep\"", true),
            ("service_name", NotEquals, "other", true),
            ("missing", NotEquals, "other", true),
            ("missing", Equals, "", false),
            ("sourceBranch", In, "main, feature/.*", true),
            ("sourceBranch", In, "feature", false),
            ("sourceBranch", NotIn, "main,release/.*", true),
            ("missing", NotIn, "main", true),
            ("missing", In, ".*", false),
            ("sourceBranch", StartsWith, "feature/", true),
            ("sourceBranch", EndsWith, "/x", true),
            ("service_name", Contains, "ym", true),
            ("missing", DoesNotContain, "x", true),
            ("missing", Contains, "", false),
            ("service_name", Regex, "pay.*", true),
            ("service_name", Regex, "pay", false),
            ("service_name", Regex, "(", false),
            ("service_name", NotNull, "", true),
            ("empty", NotNull, "", false),
            ("none", NotNull, "", false),
            ("missing", NotNull, "", false),
            ("missing", IsNull, "", true),
            ("<+trigger.header['X-Kind']>", Equals, "build", true),
            ("changedFiles", StartsWith, "docs/", true),
            ("changedFiles", DoesNotContain, "docs/", false),
            ("changedFiles", DoesNotContain, "web/", true),
            ("evil", StartsWith, "<+secrets", true),
            ("service_name", Equals, "<+trigger.payload.service_name>", true),
        ];
        for (key, operator, value, expected) in table {
            assert_eq!(holds(key, *operator, value), *expected, "{key} {operator:?} {value}");
        }
    }

    #[test]
    fn the_reason_says_what_was_seen() {
        let check = |key: &str, bare| {
            let condition = Condition { key: key.into(), operator: Operator::NotNull, value: String::new() };
            check(&[condition], bare, &context(), Timestamp::from_micros(0)).unwrap_err()
        };
        assert_eq!(check("target_env", Bare::Payload), "`target_env` is not in the event, and must be NotNull");
        assert_eq!(check("empty", Bare::Payload), "`empty` is ``, and must be NotNull");
        assert_eq!(check("X-Other", Bare::Header), "`X-Other` is not in the event, and must be NotNull");
    }

    #[test]
    fn jexl_sees_the_trigger() {
        let jexl = |text: &str| check_jexl(text, &context(), Timestamp::from_micros(0));
        assert_eq!(jexl("<+trigger.payload.service_name> == \"payment\" && <+trigger.payload.count> > 2"), Ok(()));
        assert!(jexl("<+trigger.payload.nothing> == \"x\"").is_err());
        assert!(jexl("<+trigger.payload.count> ==").is_err());
    }
}
