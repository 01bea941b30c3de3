//! Recognises runtime inputs (pipelines §2.1).

/// How a text uses `<+input>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputUse {
    /// Not at all.
    None,
    /// The whole text is one input, with or without modifiers: `<+input>.default(x)`.
    Whole,
    /// Somewhere in other text: tolerated when saved, refused when run.
    Embedded,
}

const INPUT: &str = "<+input>";

const MODIFIERS: &[&str] = &["executionInput", "allowedValues", "selectOneFrom", "selectManyFrom", "default", "regex"];

/// Looks for `<+input>`, blanks inside allowed. The modifiers' arguments are not checked here.
pub fn input_use(text: &str) -> InputUse {
    let trimmed = text.trim();
    if let Some(rest) = strip_input(trimmed) {
        let modifier = rest.strip_prefix('.').is_some_and(|rest| {
            MODIFIERS.iter().any(|name| rest.strip_prefix(name).is_some_and(|rest| rest.starts_with('(')))
        });
        if rest.is_empty() || (modifier && rest.ends_with(')')) {
            return InputUse::Whole;
        }
    }
    let embedded = text.match_indices("<+").any(|(at, _)| strip_input(&text[at..]).is_some());
    if embedded { InputUse::Embedded } else { InputUse::None }
}

/// What follows `<+input>` at the start of a text.
fn strip_input(text: &str) -> Option<&str> {
    if let Some(rest) = text.strip_prefix(INPUT) {
        return Some(rest);
    }
    text.strip_prefix("<+")?.trim_start().strip_prefix("input")?.trim_start().strip_prefix('>')
}

#[cfg(test)]
mod tests {
    use super::{InputUse, input_use};

    #[test]
    fn recognises_inputs() {
        for (text, expected) in [
            ("<+input>", InputUse::Whole),
            (" <+ input > ", InputUse::Whole),
            ("<+input>.allowedValues(int-stable,pre-stable,prod)", InputUse::Whole),
            ("<+input>.default(a(b)).executionInput()", InputUse::Whole),
            ("<+input>.allowedValues(<+variable.envs>)", InputUse::Whole),
            ("<+input>.unknown()", InputUse::Embedded),
            ("v-<+input>", InputUse::Embedded),
            ("<+inputSet>", InputUse::None),
            ("<+pipeline.variables.input>", InputUse::None),
            ("", InputUse::None),
        ] {
            assert_eq!(input_use(text), expected, "{text}");
        }
    }
}
