use super::feed::{Fed, Feed};
use crate::client::Client;
use crate::command::run::told::Told;
use crate::failure::CliFailure;
use crate::output;

/// One line for each thing that happens.
pub(super) async fn follow(client: &Client, run: &str) -> Result<(), CliFailure> {
    let mut told = Told::default();
    let mut feed = Feed::of_events(client, run);
    while let Some(fed) = feed.next().await {
        let Fed::Event(event) = fed? else { continue };
        if let Some(line) = told.tell(&event) {
            output::line(line);
        }
        if event["kind"] == "RunFinished" {
            output::line("");
            return Ok(());
        }
    }
    Ok(())
}
