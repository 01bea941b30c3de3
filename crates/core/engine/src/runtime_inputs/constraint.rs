//! What a value must satisfy (pipelines §2.3).

use fancy_regex::RegexBuilder;
use windlass_model::approval::InputConstraint;
use windlass_model::{InputRule, Json};

/// The same for the rule of a runtime input and a value of any type: lists stand for their items, joined by commas.
pub fn check_value(rule: Option<&InputRule>, value: &Json) -> Result<(), String> {
    let Some(rule) = rule else { return Ok(()) };
    let text = match value {
        Json::String(text) => text.clone(),
        Json::Array(items) => items
            .iter()
            .map(|item| item.as_str().map_or_else(|| item.to_string(), str::to_owned))
            .collect::<Vec<_>>()
            .join(","),
        other => other.to_string(),
    };
    match rule {
        // A list that is itself an expression is not known yet.
        InputRule::OneOf(values) | InputRule::ManyOf(values) if values.iter().any(|value| value.contains("<+")) => {
            Ok(())
        }
        InputRule::OneOf(values) if values.iter().any(|one| same_number(one, value)) => Ok(()),
        InputRule::OneOf(values) => check(&InputConstraint::OneOf(values.clone()), &text),
        InputRule::ManyOf(values) => check(&InputConstraint::ManyOf(values.clone()), &text),
        InputRule::Regex(pattern) => check(&InputConstraint::Regex(pattern.clone()), &text),
    }
}

fn same_number(allowed: &str, value: &Json) -> bool {
    value.is_number()
        && allowed.parse::<f64>().ok().zip(value.as_f64()).is_some_and(|(a, b)| (a - b).abs() < f64::EPSILON)
}

/// Steps back that a pattern may take: patterns come from authors, values from anybody.
const BACKTRACKS: usize = 100_000;

/// Whether a value satisfies a constraint; the reason when it does not, as a sentence without full stop.
pub fn check(constraint: &InputConstraint, value: &str) -> Result<(), String> {
    match constraint {
        InputConstraint::OneOf(allowed) if allowed.iter().any(|a| a == value) => Ok(()),
        InputConstraint::OneOf(allowed) => Err(not_among(value, allowed)),
        InputConstraint::ManyOf(allowed) => {
            match value.split(',').map(str::trim).find(|v| !allowed.iter().any(|a| a == v)) {
                None => Ok(()),
                Some(wrong) => Err(not_among(wrong, allowed)),
            }
        }
        InputConstraint::Regex(pattern) => matches(pattern, value),
    }
}

fn not_among(value: &str, allowed: &[String]) -> String {
    let near = windlass_diagnostic::nearest(value, allowed.iter().map(String::as_str));
    let hint = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
    format!("`{value}` is not one of {}{hint}", allowed.join(", "))
}

/// The whole value must match, as in Java.
fn matches(pattern: &str, value: &str) -> Result<(), String> {
    let regex = RegexBuilder::new(&format!("^(?:{pattern})$"))
        .backtrack_limit(BACKTRACKS)
        .build()
        .map_err(|error| format!("the pattern `{pattern}` is not valid: {error}"))?;
    // `$` also matches before a final line feed; a full match does not stop there.
    match regex.find(value) {
        Ok(Some(found)) if found.end() == value.len() => Ok(()),
        Ok(_) => Err(format!("`{value}` does not match `{pattern}`")),
        Err(_) => Err(format!("the pattern `{pattern}` takes too long on this value")),
    }
}

#[cfg(test)]
mod tests {
    use super::check;
    use windlass_model::approval::InputConstraint;

    #[test]
    fn values_are_held_against_constraints() {
        let regex = |p: &str| InputConstraint::Regex(p.into());
        assert!(check(&regex("CHG-[0-9]+"), "CHG-12").is_ok());
        assert!(check(&regex("a|ab"), "ab").is_ok());
        assert!(check(&regex("CHG-[0-9]+"), "xCHG-12").is_err());
        assert!(check(&regex("a"), "a\n").is_err());
        assert!(check(&regex("(?=.*[0-9])[a-z0-9]+"), "ab1").is_ok());
        assert!(check(&regex("(a+)+b"), &"a".repeat(40)).is_err());
        assert!(check(&regex("("), "x").is_err());
        let many = InputConstraint::ManyOf(vec!["a".into(), "b".into()]);
        assert!(check(&many, "b, a").is_ok());
        assert_eq!(check(&many, "a,xyz"), Err("`xyz` is not one of a, b".into()));
        let one = InputConstraint::OneOf(vec!["prod".into(), "int-stable".into()]);
        assert_eq!(check(&one, "prd"), Err("`prd` is not one of prod, int-stable; did you mean `prod`?".into()));
    }
}
