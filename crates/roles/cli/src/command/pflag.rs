//! Arguments as programs in Go take them: `--flag=true` and `--flag=false` for flags that are on or off.

use clap::{ArgAction, Command};
use std::collections::BTreeSet;
use std::ffi::OsString;

/// The arguments in the form that `command` and its subcommands understand. What follows `--` stays as it is.
pub(super) fn spelled<'a>(
    command: &Command,
    arguments: impl Iterator<Item = OsString> + 'a,
) -> impl Iterator<Item = OsString> + 'a {
    let mut switches = BTreeSet::new();
    collect(command, &mut switches);
    let mut over = false;
    arguments.filter_map(move |argument| {
        over |= argument == "--";
        let text = argument.to_str().filter(|_| !over);
        let Some((name, value)) = text.and_then(|text| text.split_once('=')) else { return Some(argument) };
        if !switches.contains(name) {
            return Some(argument);
        }
        match value {
            "true" | "True" | "TRUE" | "t" | "T" | "1" => Some(name.into()),
            "false" | "False" | "FALSE" | "f" | "F" | "0" => None,
            // The parser says what is wrong with it.
            _ => Some(argument),
        }
    })
}

fn collect(command: &Command, switches: &mut BTreeSet<String>) {
    for argument in command.get_arguments().filter(|argument| matches!(argument.get_action(), ArgAction::SetTrue)) {
        switches.extend(argument.get_long().map(|name| format!("--{name}")));
        switches.extend(argument.get_short().map(|name| format!("-{name}")));
    }
    for inner in command.get_subcommands() {
        collect(inner, switches);
    }
}

#[cfg(test)]
mod tests {
    use super::spelled;
    use clap::{Arg, ArgAction, Command};

    #[test]
    fn switches_take_a_value_as_in_go() {
        let inner = Command::new("template")
            .arg(Arg::new("crds").long("include-crds").short('c').action(ArgAction::SetTrue))
            .arg(Arg::new("name").long("name"));
        let command = Command::new("helm").subcommand(inner);
        let line = ["template", "--include-crds=true", "-c=1", "--include-crds=false", "--name=true", "--", "-c=1"];
        let spelled: Vec<_> = spelled(&command, line.into_iter().map(Into::into)).collect();
        assert_eq!(spelled, ["template", "--include-crds", "-c", "--name=true", "--", "-c=1"]);
    }
}
