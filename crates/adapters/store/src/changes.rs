//! Wake-ups: who waits for work hears that there may be some.
//!
//! A change is a hint and carries no data. Listeners look into the store when they hear one, and also from time to time, so
//! that a lost hint costs time and nothing else.

use std::fmt;
use std::str::FromStr;
use tokio::sync::broadcast;
use windlass_model::{RunId, TaskId};

macro_rules! topics {
    ($($(#[$doc:meta])* $name:ident = $text:literal;)*) => {
        /// What kind of thing changed.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Topic { $($(#[$doc])* $name,)* }

        impl Topic {
            const ALL: &'static [Topic] = &[$(Topic::$name,)*];

            const fn name(self) -> &'static str {
                match self { $(Topic::$name => $text,)* }
            }
        }
    };
}

topics! {
    /// Hints were lost: anything may have changed.
    Everything = "everything";
    Approvals = "approvals";
    Audit = "audit";
    /// A task is to be stopped, or a delegate to be sent away: for the server that holds the delegate's connection.
    Dismissals = "dismissals";
    Delegates = "delegates";
    Documents = "documents";
    Logs = "logs";
    Outbox = "outbox";
    Resources = "resources";
    Runs = "runs";
    Settings = "settings";
    Tasks = "tasks";
    Timers = "timers";
    TriggerEvents = "trigger_events";
    Users = "users";
}

/// Something changed.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Change {
    pub topic: Topic,
    /// Which one, where that is worth telling; else empty.
    pub key: String,
}

impl Change {
    pub fn of(topic: Topic) -> Self {
        Self { topic, key: String::new() }
    }

    pub fn one(topic: Topic, key: impl fmt::Display) -> Self {
        Self { topic, key: key.to_string() }
    }

    pub fn run(run: RunId) -> Self {
        Self::one(Topic::Runs, run)
    }

    pub fn task(task: TaskId) -> Self {
        Self::one(Topic::Tasks, task)
    }

    /// Whether this change may concern `topic`.
    pub fn concerns(&self, topic: Topic) -> bool {
        self.topic == topic || self.topic == Topic::Everything
    }
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.topic.name(), self.key)
    }
}

impl FromStr for Change {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let (topic, key) = text.split_once(':').ok_or(())?;
        let topic = Topic::ALL.iter().copied().find(|t| t.name() == topic).ok_or(())?;
        Ok(Self { topic, key: key.to_owned() })
    }
}

/// A subscription to changes, from the moment it is made.
#[derive(Debug)]
pub struct Changes(broadcast::Receiver<Change>);

impl Changes {
    pub(crate) fn new(receiver: broadcast::Receiver<Change>) -> Self {
        Self(receiver)
    }

    /// The next change; [`Topic::Everything`] when this listener was too slow; `None` when the store is closed.
    /// Safe to drop and to call again.
    pub async fn next(&mut self) -> Option<Change> {
        match self.0.recv().await {
            Ok(change) => Some(change),
            Err(broadcast::error::RecvError::Lagged(_)) => Some(Change::of(Topic::Everything)),
            Err(broadcast::error::RecvError::Closed) => None,
        }
    }

    /// A change that was heard meanwhile; `None` when there is none yet. One that was missed counts as [`Topic::Everything`].
    pub fn ready(&mut self) -> Option<Change> {
        match self.0.try_recv() {
            Ok(change) => Some(change),
            Err(broadcast::error::TryRecvError::Lagged(_)) => Some(Change::of(Topic::Everything)),
            Err(broadcast::error::TryRecvError::Empty | broadcast::error::TryRecvError::Closed) => None,
        }
    }

    /// Waits for a change that may concern one of `topics`. Those that were heard by then are used up: one look at the store serves
    /// them all.
    pub async fn any_of(&mut self, topics: &[Topic]) -> Option<Change> {
        loop {
            let change = self.next().await?;
            if topics.iter().any(|topic| change.concerns(*topic)) {
                while self.ready().is_some() {}
                return Some(change);
            }
        }
    }

    /// Whether a change that may concern `topic` was heard since the last call.
    pub fn heard(&mut self, topic: Topic) -> bool {
        let mut heard = false;
        while let Some(change) = self.ready() {
            heard |= change.concerns(topic);
        }
        heard
    }
}

/// Spreads changes within this process.
#[derive(Clone, Debug)]
pub(crate) struct Announcer(broadcast::Sender<Change>);

impl Announcer {
    pub(crate) fn new() -> Self {
        Self(broadcast::channel(4_096).0)
    }

    pub(crate) fn subscribe(&self) -> Changes {
        Changes::new(self.0.subscribe())
    }

    pub(crate) fn announce(&self, change: Change) {
        // Nobody listening is fine.
        let _ = self.0.send(change);
    }
}

#[cfg(test)]
mod tests {
    use super::{Announcer, Change, Topic};

    #[test]
    fn a_listener_looks_once_for_all_it_has_heard() {
        let announcer = Announcer::new();
        let mut changes = announcer.subscribe();
        for topic in [Topic::Runs, Topic::Tasks, Topic::Tasks] {
            announcer.announce(Change::of(topic));
        }
        assert!(changes.heard(Topic::Tasks));
        assert!(!changes.heard(Topic::Tasks));
        announcer.announce(Change::of(Topic::Runs));
        assert!(!changes.heard(Topic::Tasks));
    }

    #[test]
    fn changes_round_trip_as_text() {
        for topic in Topic::ALL {
            for change in [Change::of(*topic), Change::one(*topic, "a:b")] {
                assert_eq!(change.to_string().parse(), Ok(change));
            }
        }
        assert_eq!("nonsense".parse::<Change>(), Err(()));
        assert_eq!("nonsense:x".parse::<Change>(), Err(()));
    }
}
