use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// A role that runs beside the test. Killed when it is dropped.
#[derive(Debug)]
pub struct Process {
    child: Child,
    output: PathBuf,
}

impl Process {
    pub(crate) fn start(mut command: Command, folder: &Path, name: &str) -> Self {
        let output = folder.join(format!("{name}.log"));
        let log = File::options().create(true).append(true).open(&output).unwrap();
        command.stdin(Stdio::null()).stdout(log.try_clone().unwrap()).stderr(log);
        let child = command.spawn().unwrap_or_else(|e| panic!("cannot start {name}: {e}"));
        Self { child, output }
    }

    /// As the operating system knows it.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Everything it has printed.
    pub fn output(&self) -> String {
        std::fs::read_to_string(&self.output).unwrap_or_default()
    }

    /// Waits until it prints a line that holds `text`, and answers with the rest of that line.
    #[track_caller]
    pub fn says(&mut self, text: &str) -> String {
        crate::until(&format!("`{text}`"), || {
            // Asked first: what it said before it ended is then in the output.
            let ended = self.child.try_wait().unwrap();
            let output = self.output();
            let line = output.lines().find_map(|line| line.split_once(text));
            match (line, ended) {
                (Some((_, rest)), _) => Some(rest.trim().to_owned()),
                (None, Some(status)) => panic!("ended with {status} before it said `{text}`:\n{output}"),
                (None, None) => None,
            }
        })
    }

    /// The most memory it has used, in bytes.
    pub fn memory_peak(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("a line VmHWM");
        let kib: u64 = line.trim().trim_end_matches(" kB").parse().unwrap();
        kib * 1024
    }

    /// How it ended; nothing while it runs.
    pub fn ended(&mut self) -> Option<std::process::ExitStatus> {
        self.child.try_wait().unwrap()
    }

    /// SIGKILL: no chance to say goodbye.
    pub fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// SIGTERM, and the exit status.
    #[track_caller]
    pub fn stop(&mut self) -> std::process::ExitStatus {
        self.signal("-TERM")
    }

    /// SIGSTOP: it lives and does nothing, as on a machine that is frozen.
    pub fn pause(&mut self) {
        self.send("-STOP");
    }

    /// SIGCONT: it goes on where it was.
    pub fn resume(&mut self) {
        self.send("-CONT");
    }

    /// SIGINT, as Ctrl-C sends it, and the exit status.
    #[track_caller]
    pub fn interrupt(&mut self) -> std::process::ExitStatus {
        self.signal("-INT")
    }

    #[track_caller]
    fn send(&self, signal: &str) {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args([signal, &id]).status().unwrap().success());
    }

    #[track_caller]
    fn signal(&mut self, signal: &str) -> std::process::ExitStatus {
        self.send(signal);
        crate::until("the process to end", || self.child.try_wait().unwrap())
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}
