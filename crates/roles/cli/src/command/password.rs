//! Asks for a password without showing it.

use crate::failure::CliFailure;
use nix::sys::termios::{LocalFlags, SetArg, tcgetattr, tcsetattr};
use std::io::{IsTerminal as _, Write as _};

/// From the terminal, or the first line of standard input.
pub(crate) fn ask(prompt: &str, from_stdin: bool) -> Result<String, CliFailure> {
    let failed = |error: &dyn std::fmt::Display| CliFailure::usage(format!("cannot read the password: {error}"));
    let stdin = std::io::stdin();
    let mut line = String::new();
    if from_stdin {
        stdin.read_line(&mut line).map_err(|e| failed(&e))?;
    } else {
        if !stdin.is_terminal() {
            return Err(CliFailure::usage("there is no terminal to ask for the password; give --password-stdin"));
        }
        let shown = tcgetattr(&stdin).map_err(|e| failed(&e))?;
        let mut hidden = shown.clone();
        hidden.local_flags.remove(LocalFlags::ECHO);
        let mut stderr = std::io::stderr();
        write!(stderr, "{prompt}").and_then(|()| stderr.flush()).map_err(|e| failed(&e))?;
        tcsetattr(&stdin, SetArg::TCSAFLUSH, &hidden).map_err(|e| failed(&e))?;
        let read = stdin.read_line(&mut line);
        let restored = tcsetattr(&stdin, SetArg::TCSAFLUSH, &shown);
        let _ = writeln!(stderr);
        read.map_err(|e| failed(&e))?;
        restored.map_err(|e| failed(&e))?;
    }
    let password = line.trim_end_matches(['\r', '\n']).to_owned();
    if password.is_empty() { Err(CliFailure::usage("the password is empty")) } else { Ok(password) }
}
