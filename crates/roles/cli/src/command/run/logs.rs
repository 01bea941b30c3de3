//! `windlass run logs`.

use super::stream::Events;
use crate::Common;
use crate::client::Client;
use crate::failure::CliFailure;
use crate::output::{self, Format};
use reqwest::Method;
use serde_json::Value;
use std::collections::HashMap;

/// Prints the lines of a run's logs, below the name of the step they are of; with `follow` also those that come.
pub(super) async fn print(
    common: &Common,
    client: &Client,
    run: &str,
    follow: bool,
    step: Option<&str>,
) -> Result<(), CliFailure> {
    // The next line of each log: a stream that was cut begins anew.
    let mut positions: HashMap<String, u64> = HashMap::new();
    let mut query: Vec<(&str, &str)> = step.map(|step| ("step", step)).into_iter().collect();
    if follow {
        query.push(("follow", "true"));
    }
    let mut told = None;
    let mut head = None;
    let request = || client.request(Method::GET, &format!("runs/{run}/logs/stream")).query(&query);
    let mut events = Events::open(client, request()).await?;
    loop {
        while let Some((kind, data)) = events.next().await {
            let Ok(event) = serde_json::from_str::<Value>(&data) else { continue };
            match kind.as_str() {
                "log" => head = Some(event),
                "line" => {
                    let key = output::cell(&event, "/key");
                    let position = event["line"]["pos"].as_u64().unwrap_or_default();
                    let next = positions.entry(key.clone()).or_default();
                    if position < *next {
                        continue;
                    }
                    *next = position + 1;
                    if common.output != Format::Table {
                        output::line(event.to_string());
                        continue;
                    }
                    // With one step asked for, its lines are all there is.
                    if step.is_none() && told.as_ref() != Some(&key) {
                        output::line(title(head.as_ref(), told.is_some()));
                        told = Some(key);
                    }
                    output::line(text(&event["line"]));
                }
                "end" => return Ok(()),
                _ => {}
            }
        }
        events = Events::again(client, request()).await?;
    }
}

fn title(head: Option<&Value>, further: bool) -> String {
    let Some(head) = head else { return String::new() };
    let attempt = head["attempt"].as_u64().filter(|attempt| *attempt > 1);
    let attempt = attempt.map(|attempt| format!(", attempt {attempt}")).unwrap_or_default();
    format!("{}{}{attempt}:", if further { "\n" } else { "" }, output::cell(head, "/step"))
}

/// `14:03:07  text`, with the level where it is more than information.
fn text(line: &Value) -> String {
    let time = output::cell(line, "/time");
    let clock = time.split_once('T').map_or(time.as_str(), |(_, rest)| rest.get(..8).unwrap_or(rest));
    let level = match line["level"].as_str().unwrap_or_default() {
        "" | "info" => String::new(),
        "section" => "── ".to_owned(),
        level => format!("{}: ", level.to_uppercase()),
    };
    format!("{clock}  {level}{}", output::cell(line, "/out"))
}
