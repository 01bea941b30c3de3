use crate::Common;
use crate::client::Client;
use crate::failure::CliFailure;
use crate::output::{self, Format};
use std::process::ExitCode;

pub(crate) async fn run(common: &Common) -> Result<ExitCode, CliFailure> {
    let me = Client::new(common)?.get("me").await?;
    if common.output != Format::Table {
        output::value(common.output, &me);
        return Ok(ExitCode::SUCCESS);
    }
    output::line(format!("{} ({})", output::cell(&me, "/id"), output::cell(&me, "/name")));
    for (noun, key) in [("group", "groups"), ("role", "roles")] {
        for one in me[key].as_array().into_iter().flatten().filter_map(serde_json::Value::as_str) {
            output::line(format!("  {noun} {one}"));
        }
    }
    Ok(ExitCode::SUCCESS)
}
