//! The commands of a push and the report about them.

use crate::Sha;
use crate::pkt;
use bytes::Bytes;

/// One ref that a push wants to move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Command {
    pub(super) name: String,
    pub(super) old: Option<Sha>,
    pub(super) new: Option<Sha>,
    /// What the client understands, told with its first command.
    capabilities: String,
}

/// Reads `old new name` lines up to the first flush; `None` when they are not that.
pub(super) fn commands(request: Bytes) -> Option<Vec<Command>> {
    if request.is_empty() {
        return Some(Vec::new());
    }
    let mut commands = Vec::new();
    for line in pkt::section(request).ok()? {
        let line = std::str::from_utf8(&line).ok()?;
        let (line, capabilities) = line.split_once('\0').unwrap_or((line, ""));
        let line = line.trim_end_matches('\n');
        if line.starts_with("shallow ") {
            continue;
        }
        let mut words = line.splitn(3, ' ');
        let (old, new) = (Sha::from_wire(words.next()?).ok()?, Sha::from_wire(words.next()?).ok()?);
        let name = words.next()?.to_owned();
        commands.push(Command { name, old, new, capabilities: capabilities.to_owned() });
    }
    Some(commands)
}

/// The answer to a push that touches a protected branch: nothing of it is done, as at GitHub.
pub(super) fn refuse_protected(commands: &[Command], protected: &[String]) -> Option<Vec<u8>> {
    let is_protected = |command: &Command| {
        command.name.strip_prefix("refs/heads/").is_some_and(|branch| protected.iter().any(|name| name == branch))
    };
    let first = commands.iter().find(|command| is_protected(command))?;
    let mut report = Vec::new();
    pkt::put(&mut report, b"unpack ok\n");
    for command in commands {
        let reason = if is_protected(command) { "protected branch hook declined" } else { "pre-receive hook declined" };
        pkt::put(&mut report, format!("ng {} {reason}\n", command.name).as_bytes());
    }
    pkt::flush(&mut report);
    let capabilities = &commands.first()?.capabilities;
    if !capabilities.split(' ').any(|capability| capability == "side-band-64k") {
        return Some(report);
    }
    let mut answer = Vec::new();
    let text = format!(
        "\u{2}error: GH006: Protected branch update failed for {}.\nerror: Changes must be made through a pull request.\n",
        first.name
    );
    pkt::put(&mut answer, text.as_bytes());
    for part in report.chunks(60_000) {
        pkt::put(&mut answer, &[&[1], part].concat());
    }
    pkt::flush(&mut answer);
    Some(answer)
}

/// The commands that receive-pack reports as done.
pub(super) fn accepted(commands: &[Command], answer: &Bytes) -> Vec<Command> {
    let lines = report_lines(answer.clone());
    let is_done = |command: &&Command| {
        lines.iter().any(|line| line.strip_prefix("ok ").is_some_and(|name| name.trim_end() == command.name))
    };
    commands.iter().filter(is_done).cloned().collect()
}

/// Reads a report, which may lie in the first band of several.
fn report_lines(answer: Bytes) -> Vec<String> {
    let lines = pkt::section(answer).unwrap_or_default();
    let is_banded = lines.first().is_some_and(|line| matches!(line.first(), Some(1..=3)));
    let lines = if is_banded {
        let first_band =
            lines.iter().filter(|line| line.first() == Some(&1)).flat_map(|line| line[1..].iter().copied());
        pkt::section(first_band.collect::<Vec<u8>>().into()).unwrap_or_default()
    } else {
        lines
    };
    lines.iter().map(|line| String::from_utf8_lossy(line).into_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: &str = "1111111111111111111111111111111111111111";
    const B: &str = "2222222222222222222222222222222222222222";
    const NONE: &str = "0000000000000000000000000000000000000000";

    fn request(lines: &[String]) -> Bytes {
        let mut wire = Vec::new();
        for line in lines {
            pkt::put(&mut wire, line.as_bytes());
        }
        pkt::flush(&mut wire);
        wire.extend_from_slice(b"PACK....");
        wire.into()
    }

    #[test]
    fn a_push_is_read_and_refused_as_a_whole() {
        let lines = [
            format!("shallow {A}\n"),
            format!("{A} {B} refs/heads/main\0 report-status side-band-64k agent=git/2\n"),
            format!("{NONE} {B} refs/heads/new"),
        ];
        let commands = commands(request(&lines)).unwrap();
        assert_eq!(commands.len(), 2);
        assert_eq!((&commands[1].old, commands[1].new.as_ref().unwrap().as_str()), (&None, B));
        assert_eq!(refuse_protected(&commands, &["other".to_owned()]), None);
        let answer: Bytes = refuse_protected(&commands, &["main".to_owned()]).unwrap().into();
        assert_eq!(
            report_lines(answer.clone()),
            [
                "unpack ok\n",
                "ng refs/heads/main protected branch hook declined\n",
                "ng refs/heads/new pre-receive hook declined\n"
            ]
        );
        assert_eq!(accepted(&commands, &answer), []);
        let plain = request(&["unpack ok\n".to_owned(), "ok refs/heads/new\n".to_owned()]);
        assert_eq!(accepted(&commands, &plain), &commands[1..]);
    }

    #[test]
    fn what_is_no_push_is_refused() {
        assert_eq!(commands(Bytes::new()), Some(Vec::new()));
        assert_eq!(commands(Bytes::from_static(b"0000")), Some(Vec::new()));
        for bad in ["hello", "0009hello", "0032want 1111111111111111111111111111111111111111\n0000"] {
            assert_eq!(commands(Bytes::from(bad)), None, "{bad}");
        }
    }
}
