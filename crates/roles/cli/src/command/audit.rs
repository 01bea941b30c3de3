use crate::Common;
use crate::client::Client;
use crate::failure::CliFailure;
use crate::output::{self, Format};
use futures::StreamExt as _;
use reqwest::Method;
use serde_json::Value;
use std::io::Write as _;
use std::process::ExitCode;

#[derive(Debug, clap::Subcommand)]
pub(crate) enum Verb {
    /// List records, the youngest first.
    List(ListArgs),
    /// Tell who started a run and with what, who approved, and what policies said.
    Run { run: String },
    /// Check the chain of hashes.
    Verify {
        /// An end of the chain that was noted earlier: POSITION:HASH.
        #[arg(long, value_name = "HEAD")]
        head: Option<String>,
    },
    /// Print the whole chain, one JSON record in each line.
    Export {
        /// Only records behind this position.
        #[arg(long, value_name = "POSITION")]
        after: Option<u64>,
    },
}

#[derive(Debug, clap::Args)]
pub(crate) struct ListArgs {
    /// Who: `user:ada`, `serviceAccount:account/ci`.
    #[arg(long)]
    actor: Option<String>,
    /// What: `CREATE`, `APPROVE`, `DENIED`, …; several with commas.
    #[arg(long)]
    action: Option<String>,
    /// `PIPELINE`, `RUN`, `SETTING`, ….
    #[arg(long)]
    resource_type: Option<String>,
    #[arg(long)]
    resource: Option<String>,
    #[arg(long)]
    run: Option<String>,
    /// Since this moment, as RFC 3339.
    #[arg(long, value_name = "TIME")]
    from: Option<String>,
    /// Before this moment.
    #[arg(long, value_name = "TIME")]
    to: Option<String>,
    /// How many.
    #[arg(long, default_value_t = 100)]
    limit: usize,
}

pub(crate) async fn run(common: &Common, verb: Verb) -> Result<ExitCode, CliFailure> {
    let client = Client::new(common)?;
    match verb {
        Verb::List(args) => list(common, &client, args).await,
        Verb::Run { run } => {
            let found = client.get(&format!("runs/{run}/audit")).await?;
            rows(common, found["items"].as_array().map_or(&[], Vec::as_slice));
            Ok(ExitCode::SUCCESS)
        }
        Verb::Verify { head } => verify(common, &client, head.as_deref()).await,
        Verb::Export { after } => export(&client, after).await,
    }
}

async fn list(common: &Common, client: &Client, args: ListArgs) -> Result<ExitCode, CliFailure> {
    let filters = [
        ("actor", args.actor),
        ("action", args.action),
        ("resourceType", args.resource_type),
        ("resource", args.resource),
        ("run", args.run),
        ("from", args.from),
        ("to", args.to),
    ];
    let filters: Vec<(&str, String)> = filters.into_iter().filter_map(|(name, value)| Some((name, value?))).collect();
    let mut items: Vec<Value> = Vec::new();
    let mut cursor: Option<String> = None;
    while items.len() < args.limit {
        let left = (args.limit - items.len()).min(1_000).to_string();
        let mut request = client.request(Method::GET, "audit").query(&filters).query(&[("limit", left)]);
        if let Some(cursor) = &cursor {
            request = request.query(&[("cursor", cursor)]);
        }
        let page = client.json(request).await?;
        items.extend(page["items"].as_array().cloned().unwrap_or_default());
        match page["next"].as_str() {
            Some(next) => cursor = Some(next.to_owned()),
            None => break,
        }
    }
    rows(common, &items);
    Ok(ExitCode::SUCCESS)
}

fn rows(common: &Common, items: &[Value]) {
    if common.output != Format::Table {
        output::value(common.output, &Value::from(items));
        return;
    }
    let rows: Vec<Vec<String>> = items
        .iter()
        .map(|row| {
            let thing = format!("{} {}", output::cell(row, "/resourceType"), output::cell(row, "/resource"));
            vec![
                output::short(row, "/at"),
                output::cell(row, "/principal"),
                output::cell(row, "/action"),
                thing,
                output::cell(row, "/result"),
                output::cell(row, "/detail/from/clientIP"),
                summary(&row["detail"]),
            ]
        })
        .collect();
    output::table(&["TIME", "WHO", "ACTION", "WHAT", "RESULT", "FROM", "DETAIL"], &rows);
}

/// What people look for first: tickets, verdicts, reasons, versions.
fn summary(detail: &Value) -> String {
    let text = |pointer: &str| {
        detail.pointer(pointer).filter(|value| !value.is_null()).map(|value| match value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        })
    };
    let named = [
        ("pipeline", "/pipeline"),
        ("number", "/sequence"),
        ("status", "/status"),
        ("inputs", "/activity/inputs"),
        ("comment", "/activity/comments"),
        ("policy", "/verdict/status"),
        ("permission", "/permission"),
        ("was", "/old"),
        ("is", "/new"),
        ("etag", "/oldEtag"),
        ("etag now", "/newEtag"),
    ];
    let parts: Vec<String> =
        named.iter().filter_map(|(name, at)| Some(format!("{name} {}", text(at).filter(|t| !t.is_empty())?))).collect();
    parts.join(", ")
}

async fn verify(common: &Common, client: &Client, head: Option<&str>) -> Result<ExitCode, CliFailure> {
    let mut request = client.request(Method::GET, "audit/verify");
    if let Some(head) = head {
        request = request.query(&[("head", head)]);
    }
    let answer = client.json(request).await?;
    let intact = answer["intact"] == true;
    match common.output {
        Format::Table if intact => {
            output::line(format!(
                "{} records, intact; end of the chain {}",
                output::cell(&answer, "/records"),
                output::cell(&answer, "/head")
            ));
        }
        Format::Table => output::line(format!("BROKEN: {}", output::cell(&answer, "/problem"))),
        format => output::value(format, &answer),
    }
    Ok(if intact { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

async fn export(client: &Client, after: Option<u64>) -> Result<ExitCode, CliFailure> {
    let mut request = client.request(Method::GET, "audit/export");
    if let Some(after) = after {
        request = request.query(&[("after", after)]);
    }
    let mut stream = client.send(request).await?.bytes_stream();
    let mut out = std::io::stdout().lock();
    while let Some(piece) = stream.next().await {
        let piece = piece.map_err(|error| CliFailure::failed(format!("the trail broke off: {error}")))?;
        out.write_all(&piece).map_err(|error| CliFailure::failed(format!("cannot write the trail: {error}")))?;
    }
    Ok(ExitCode::SUCCESS)
}
