//! From what the author wrote to what is run.

use std::path::Path;
use windlass_model::task::shell::{Shell, ShellOutput};
use windlass_model::{Failure, FailureType};

/// A script with what is appended to read its variables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Script {
    pub file_name: &'static str,
    pub text: String,
    /// The first one that is installed runs it.
    pub interpreters: Vec<Interpreter>,
    shell: Shell,
}

/// A program that takes a script file as its last argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Interpreter {
    pub program: String,
    pub arguments: Vec<String>,
}

impl Interpreter {
    fn new(program: &str, arguments: &[&str]) -> Self {
        Self { program: program.to_owned(), arguments: arguments.iter().map(|text| (*text).to_owned()).collect() }
    }
}

fn wrong(text: String) -> Failure {
    Failure::new(FailureType::ConfigurationFailure, text)
}

/// The file that holds the value of an output variable.
pub(super) fn value_file(index: usize) -> String {
    format!("output-{index}")
}

impl Script {
    /// `folder` is where the values of output variables go.
    pub(super) fn new(shell: Shell, text: &str, outputs: &[ShellOutput], folder: &Path) -> Result<Self, Failure> {
        if let Some(bad) = outputs.iter().find(|output| !is_variable(&output.variable)) {
            let ShellOutput { name, variable, .. } = bad;
            return Err(wrong(format!("output `{name}`: `{variable}` cannot be the name of a shell variable"))
                .hint("the value of an output variable is the name of a variable that the script sets"));
        }
        match shell {
            Shell::Bash => Self::posix(&text.replace("\r\n", "\n"), outputs, folder),
            Shell::PowerShell => Ok(Self {
                file_name: "script.ps1",
                text: text.to_owned() + &powershell_trailer(outputs, folder),
                interpreters: vec![Interpreter::new("pwsh", &["-NoLogo", "-NoProfile", "-NonInteractive", "-File"])],
                shell,
            }),
        }
    }

    fn posix(text: &str, outputs: &[ShellOutput], folder: &Path) -> Result<Self, Failure> {
        let shebang = shebang(text);
        if let Some(interpreter) = shebang.as_ref().filter(|it| !it.is_posix_shell() && !outputs.is_empty()) {
            return Err(wrong(format!(
                "the script is run by `{}`, whose variables cannot be read",
                interpreter.program
            ))
            .hint("remove the output variables, or write the script for sh or bash"));
        }
        let trailer = if outputs.is_empty() { String::new() } else { posix_trailer(outputs, folder) };
        Ok(Self {
            file_name: "script.sh",
            text: text.to_owned() + &trailer,
            // The `sh` of the vendor's images is bash: scripts count on it although nothing says so.
            interpreters: match shebang {
                Some(interpreter) => vec![interpreter],
                None => vec![Interpreter::new("bash", &[]), Interpreter::new("sh", &[])],
            },
            shell: Shell::Bash,
        })
    }

    /// None of the interpreters is there.
    pub(super) fn not_installed(&self) -> Failure {
        let names: Vec<&str> = self.interpreters.iter().map(|interpreter| interpreter.program.as_str()).collect();
        let names = names.join(" nor ");
        match self.shell {
            Shell::PowerShell => wrong(format!(
                "PowerShell scripts cannot run on this delegate: `{names}` is not installed"
            ))
            .hint("install PowerShell in the delegate's image, select another delegate, or write the script for Bash"),
            Shell::Bash => wrong(format!("this delegate has no `{names}` to run the script with"))
                .hint("select a delegate that has it"),
        }
    }
}

impl Interpreter {
    fn is_posix_shell(&self) -> bool {
        let words = std::iter::once(self.program.as_str()).chain(self.arguments.iter().flat_map(|a| a.split(' ')));
        let mut names = words.map(|word| word.rsplit('/').next().unwrap_or(word));
        let name = names.next().unwrap_or_default();
        let name = if name == "env" { names.find(|word| !word.starts_with('-')).unwrap_or_default() } else { name };
        matches!(name, "sh" | "bash" | "dash" | "ash" | "ksh" | "zsh" | "busybox")
    }
}

/// As the kernel reads it: a program, and the rest as one argument.
fn shebang(text: &str) -> Option<Interpreter> {
    let line = text.strip_prefix("#!")?.lines().next()?.trim();
    let (program, rest) = line.split_once([' ', '\t']).unwrap_or((line, ""));
    let rest = rest.trim();
    (!program.is_empty())
        .then(|| Interpreter::new(program, if rest.is_empty() { &[] } else { std::slice::from_ref(&rest) }))
}

fn is_variable(name: &str) -> bool {
    let mut characters = name.chars();
    characters.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && characters.all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Writes each variable that is set to a file of its own; the script's own result stays the result. The empty line in front
/// keeps it apart from a line that ends with a backslash.
fn posix_trailer(outputs: &[ShellOutput], folder: &Path) -> String {
    let mut trailer = String::from("\n\n__windlass_code=$?\n");
    for (index, ShellOutput { variable, .. }) in outputs.iter().enumerate() {
        let file = folder.join(value_file(index)).display().to_string().replace('\'', r"'\''");
        trailer.push_str(&format!(
            "if [ \"${{{variable}+set}}\" = set ]; then command printf '%s' \"${{{variable}}}\" > '{file}'; fi\n"
        ));
    }
    trailer.push_str("exit \"$__windlass_code\"\n");
    trailer
}

fn powershell_trailer(outputs: &[ShellOutput], folder: &Path) -> String {
    let mut trailer = String::from("\n");
    for (index, ShellOutput { variable, .. }) in outputs.iter().enumerate() {
        let file = folder.join(value_file(index)).display().to_string().replace('\'', "''");
        trailer.push_str(&format!(
            "if (Test-Path variable:{variable}) {{ [IO.File]::WriteAllText('{file}', [string]${variable}) }}\n"
        ));
    }
    trailer
}

#[cfg(test)]
mod tests {
    use super::*;

    fn output(name: &str, variable: &str) -> ShellOutput {
        ShellOutput { name: name.into(), variable: variable.into(), secret: false }
    }

    fn interpreters(text: &str) -> Vec<String> {
        let script = Script::new(Shell::Bash, text, &[], Path::new("/w")).unwrap();
        script.interpreters.iter().map(|it| [&[it.program.clone()][..], &it.arguments].concat().join("|")).collect()
    }

    #[test]
    fn the_first_line_chooses_the_interpreter() {
        assert_eq!(interpreters("echo 1"), ["bash", "sh"]);
        assert_eq!(interpreters("#!/bin/sh\necho"), ["/bin/sh"]);
        assert_eq!(interpreters("#! /bin/bash -eu -o pipefail \r\necho"), ["/bin/bash|-eu -o pipefail"]);
        assert_eq!(interpreters("#!/usr/bin/env python3\nprint(1)"), ["/usr/bin/env|python3"]);
        assert_eq!(interpreters("#!\necho"), ["bash", "sh"]);
    }

    #[test]
    fn variables_are_read_after_the_last_line() {
        let script = Script::new(Shell::Bash, "TAG=v2 \\", &[output("tag", "TAG")], Path::new("/it's")).unwrap();
        insta::assert_snapshot!(script.text, @r#"
        TAG=v2 \

        __windlass_code=$?
        if [ "${TAG+set}" = set ]; then command printf '%s' "${TAG}" > '/it'\''s/output-0'; fi
        exit "$__windlass_code"
        "#);
        let script = Script::new(Shell::PowerShell, "$TAG = 1", &[output("tag", "TAG")], Path::new("/w")).unwrap();
        insta::assert_snapshot!(script.text, @r"
        $TAG = 1
        if (Test-Path variable:TAG) { [IO.File]::WriteAllText('/w/output-0', [string]$TAG) }
        ");
    }

    #[test]
    fn what_cannot_work_is_refused_before_it_runs() {
        let error = |text: &str, variable: &str| {
            Script::new(Shell::Bash, text, &[output("tag", variable)], Path::new("/w")).unwrap_err().message
        };
        for bad in ["", "1A", "A-B", "A;rm -rf /", "$(id)", "ä"] {
            assert!(error("true", bad).contains("cannot be the name of a shell variable"), "{bad}");
        }
        assert_eq!(
            error("#!/usr/bin/env python3\n", "TAG"),
            "the script is run by `/usr/bin/env`, whose variables cannot be read"
        );
        for shell in ["#!/bin/sh", "#!/usr/bin/env bash", "#!/usr/bin/env -S bash -e", "#!/bin/busybox sh"] {
            assert!(Script::new(Shell::Bash, shell, &[output("tag", "TAG")], Path::new("/w")).is_ok(), "{shell}");
        }
    }
}
