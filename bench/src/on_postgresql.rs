//! The measurements in which something is stored, on PostgreSQL: `make bench STORE=postgresql`.

use std::process::{Command, ExitCode};
use windlass_tests::Postgres;

const MEASUREMENTS: [&str; 4] = ["transitions", "webhooks", "fleet", "runs"];

/// Each in a process of its own and on a database of its own, by the variable that servers read.
pub(crate) fn measure(names: &[String]) -> ExitCode {
    let wanted = |name: &&str| names.is_empty() || names.iter().any(|wanted| wanted == name);
    let mut is_met = true;
    for name in MEASUREMENTS.iter().filter(|name| wanted(name)) {
        let Some(database) = Postgres::start_durable(100) else { return ExitCode::FAILURE };
        println!("PostgreSQL {}", database.query("SHOW server_version"));
        let mut measurement = Command::new(std::env::current_exe().unwrap());
        measurement.arg(name).env_remove("STORE").env("WINDLASS_DATABASE", database.url());
        is_met &= measurement.status().unwrap().success();
    }
    if is_met { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
