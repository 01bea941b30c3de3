//! Arguments as programs in Go take them: `--flag=true` and `--flag=false` for flags that are on or off.

use clap::{ArgAction, Command, Parser};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;

/// What a flag without effect is followed by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Takes {
    Nothing,
    Text,
    Number,
}

/// Reads the arguments behind the program's name; `ignored` are flags that are taken and mean nothing. The tree of commands is made
/// once: it is a tenth of a short command's work.
pub(super) fn parse<C: Parser>(
    program: &'static str,
    arguments: impl Iterator<Item = OsString>,
    ignored: &[(&'static str, Takes)],
) -> Result<C, clap::Error> {
    let mut command = C::command();
    let spelled = Spelling::of(&command, ignored).spelled(arguments);
    let mut matches = command.try_get_matches_from_mut(std::iter::once(program.into()).chain(spelled))?;
    C::from_arg_matches_mut(&mut matches).map_err(|error| error.format(&mut command))
}

/// What flags mean before the parser reads them.
struct Spelling {
    /// On or off.
    switches: BTreeSet<String>,
    /// Those that the parser gives a value to.
    valued: BTreeSet<String>,
    ignored: BTreeMap<&'static str, Takes>,
}

impl Spelling {
    fn of(command: &Command, ignored: &[(&'static str, Takes)]) -> Self {
        let (switches, valued) = (BTreeSet::new(), BTreeSet::new());
        let mut spelling = Self { switches, valued, ignored: ignored.iter().copied().collect() };
        spelling.collect(command);
        spelling
    }

    fn collect(&mut self, command: &Command) {
        for argument in command.get_arguments() {
            let names = match argument.get_action() {
                ArgAction::SetTrue => &mut self.switches,
                ArgAction::Set | ArgAction::Append if !argument.is_require_equals_set() => &mut self.valued,
                _ => continue,
            };
            names.extend(argument.get_long().map(|name| format!("--{name}")));
            names.extend(argument.get_short().map(|name| format!("-{name}")));
        }
        command.get_subcommands().for_each(|inner| self.collect(inner));
    }

    /// The arguments in the form that the parser understands. What follows `--` stays as it is.
    fn spelled(&self, mut arguments: impl Iterator<Item = OsString>) -> Vec<OsString> {
        let mut spelled = Vec::new();
        while let Some(argument) = arguments.next() {
            if argument == "--" {
                spelled.push(argument);
                spelled.extend(arguments);
                break;
            }
            let Some(text) = argument.to_str() else {
                spelled.push(argument);
                continue;
            };
            let (name, value) = text.split_once('=').map_or((text, None), |(name, value)| (name, Some(value)));
            if self.valued.contains(text) {
                spelled.push(argument);
                spelled.extend(arguments.next());
            } else if let Some(takes) = self.ignored.get(name) {
                let taken = match (takes, value) {
                    (Takes::Nothing, value) => value.is_none_or(|value| switched(value).is_some()),
                    (Takes::Text, value) => value.is_some() || arguments.next().is_some(),
                    (Takes::Number, Some(value)) => value.parse::<f64>().is_ok(),
                    (Takes::Number, None) => arguments.next().is_some_and(|next| is_number(&next)),
                };
                // The parser, which does not know it, says that it cannot be so.
                spelled.extend((!taken).then_some(argument));
            } else {
                match value.filter(|_| self.switches.contains(name)).and_then(switched) {
                    Some(true) => spelled.push(name.into()),
                    Some(false) => {}
                    // If it is no way to write one, the parser says what is wrong with it.
                    None => spelled.push(argument),
                }
            }
        }
        spelled
    }
}

fn is_number(text: &OsString) -> bool {
    text.to_str().is_some_and(|text| text.parse::<f64>().is_ok())
}

fn switched(value: &str) -> Option<bool> {
    match value {
        "true" | "True" | "TRUE" | "t" | "T" | "1" => Some(true),
        "false" | "False" | "FALSE" | "f" | "F" | "0" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{Spelling, Takes};
    use clap::{Arg, ArgAction, Command};

    fn spelled(line: &[&str]) -> Vec<String> {
        let inner = Command::new("template")
            .arg(Arg::new("crds").long("include-crds").short('c').action(ArgAction::SetTrue))
            .arg(Arg::new("name").long("name"));
        let command = Command::new("helm").subcommand(inner);
        let ignored = [("--wait", Takes::Nothing), ("--timeout", Takes::Text), ("--qps", Takes::Number)];
        let spelled = Spelling::of(&command, &ignored).spelled(line.iter().map(Into::into));
        spelled.into_iter().map(|argument| argument.into_string().unwrap()).collect()
    }

    #[test]
    fn switches_take_a_value_as_in_go() {
        let line = ["template", "--include-crds=true", "-c=1", "--include-crds=false", "--name=true", "--", "-c=1"];
        assert_eq!(spelled(&line), ["template", "--include-crds", "-c", "--name=true", "--", "-c=1"]);
    }

    #[test]
    fn what_means_nothing_is_left_out_and_nothing_else() {
        assert_eq!(
            spelled(&["--wait", "a", "--timeout", "5m", "--timeout=1m", "--qps", "0.5", "--wait=false", "b"]),
            ["a", "b"]
        );
        assert_eq!(
            spelled(&["--name", "--wait", "--name", "--timeout", "x"]),
            ["--name", "--wait", "--name", "--timeout", "x"]
        );
        assert_eq!(spelled(&["--wait=maybe", "--qps=many", "--timeout"]), ["--wait=maybe", "--qps=many", "--timeout"]);
        assert_eq!(spelled(&["--", "--wait"]), ["--", "--wait"]);
    }
}
