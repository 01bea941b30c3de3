use super::feed::{Fed, Feed};
use super::frame::{self, View};
use super::pace::Pace;
use super::screen::Screen;
use crate::client::Client;
use crate::command::run::told::Told;
use crate::command::run::tree::time;
use crate::failure::CliFailure;
use serde_json::Value;
use std::collections::HashMap;
use std::time::Duration;
use windlass_clock::Clock;
use windlass_model::Millis;

/// Between two frames.
const FRAME: Millis = Millis(125);

/// How old the tree may be: what workers say is no event.
const OLD: Duration = Duration::from_secs(1);

/// After something happened the tree is asked for at most this often.
const AGAIN: Duration = Duration::from_millis(250);

/// A server that does not answer must not stop the clock on the screen for longer than this.
const PATIENCE: Millis = Millis::from_secs(2);

/// Draws the tree of a run again and again until the run ends.
pub(super) async fn follow(client: &Client, run: &str, mut screen: Screen) -> Result<(), CliFailure> {
    let clock = Clock::system();
    let mut feed = Feed::with_logs(client, run);
    let mut frames = clock.interval(FRAME);
    let mut state = State::default();
    loop {
        tokio::select! {
            fed = feed.next() => match fed {
                Some(Ok(Fed::Event(event))) if event["kind"] == "RunFinished" => return Ok(()),
                Some(fed) => state.take(fed?),
                None => return Ok(()),
            },
            () = frames.tick() => {
                if state.is_old(clock.monotonic()) {
                    let answer = clock.timeout(PATIENCE, client.get(&format!("runs/{run}"))).await;
                    state.hear(answer.ok().transpose(), clock.monotonic())?;
                }
                let (width, height) = screen.size();
                screen.draw(&state.frame(width, height, clock.monotonic()));
            }
        }
    }
}

/// What is known of the run.
#[derive(Default)]
struct State {
    projection: Value,
    /// When it was asked for last.
    asked: Option<Duration>,
    /// Whether something happened since.
    happened: bool,
    /// Whether the server did not answer then.
    away: bool,
    pace: Pace,
    told: Told,
    newest: Option<String>,
    /// The newest line of each step.
    lines: HashMap<String, String>,
    frames: usize,
}

impl State {
    fn take(&mut self, fed: Fed) {
        match fed {
            Fed::Event(event) => {
                self.happened = true;
                if let Some(line) = self.told.tell(&event) {
                    self.newest = Some(line);
                }
            }
            Fed::Log { node, text } => {
                if !text.trim().is_empty() {
                    self.lines.insert(node, text);
                }
            }
        }
    }

    fn is_old(&self, here: Duration) -> bool {
        let Some(asked) = self.asked else { return true };
        let age = here.saturating_sub(asked);
        age >= OLD || (self.happened && age >= AGAIN)
    }

    /// An answer, or none in time. One that is worth another try is none.
    fn hear(&mut self, answer: Result<Option<Value>, CliFailure>, here: Duration) -> Result<(), CliFailure> {
        self.asked = Some(here);
        self.happened = false;
        let answer = match answer {
            Err(failure) if !failure.is_temporary() => return Err(failure),
            answer => answer.ok().flatten(),
        };
        self.away = answer.is_none();
        if let Some(projection) = answer {
            if let Some(now) = time(&projection["now"]) {
                self.pace.heard(now, here);
            }
            self.projection = projection;
        }
        Ok(())
    }

    fn frame(&mut self, width: usize, height: usize, here: Duration) -> Vec<String> {
        self.frames = self.frames.wrapping_add(1);
        let newest =
            if self.away { Some("the server does not answer; waiting for it") } else { self.newest.as_deref() };
        frame::draw(&View {
            projection: &self.projection,
            now: self.pace.now(here),
            lines: &self.lines,
            newest,
            turn: self.frames,
            width,
            height,
        })
    }
}
