use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;

/// The process group of a started program. Whatever is left of it is killed when this is dropped.
#[derive(Debug)]
pub(crate) struct Group(Pid);

impl Group {
    /// `leader` was started as the leader of a group of its own. `None` for numbers that would mean another group.
    pub(crate) fn new(leader: u32) -> Option<Self> {
        i32::try_from(leader).ok().filter(|id| *id > 1).map(|id| Self(Pid::from_raw(id)))
    }

    /// Asks all of them to end. That nobody is left is no error.
    pub(crate) fn terminate(&self) {
        let _ = killpg(self.0, Signal::SIGTERM);
        // A stopped process does not see the signal before it goes on.
        let _ = killpg(self.0, Signal::SIGCONT);
    }

    pub(crate) fn kill(&self) {
        let _ = killpg(self.0, Signal::SIGKILL);
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.kill();
    }
}
