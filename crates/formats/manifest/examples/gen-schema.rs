//! Writes `data/kubernetes-1.34.table` from the documents of a real API server.
//!
//! `cargo run -p windlass-manifest --example gen-schema -- FOLDER`, where FOLDER holds the aggregated discovery documents
//! (`discovery-aggregated-api.json`, `discovery-aggregated-apis.json`) and a folder `openapi-v3`.
#![allow(clippy::print_stdout)]

use std::error::Error;
use std::path::{Path, PathBuf};
use windlass_manifest::Json;
use windlass_manifest::schema::Schema;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args_os().nth(1).map(PathBuf::from).ok_or("usage: gen-schema FOLDER")?;
    let discovery =
        [read(&folder.join("discovery-aggregated-api.json"))?, read(&folder.join("discovery-aggregated-apis.json"))?];
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder.join("openapi-v3"))?.map(|entry| entry.map(|e| e.path())).collect::<Result<_, _>>()?;
    files.sort();
    let openapi = files.iter().map(|file| read(file)).collect::<Result<Vec<_>, _>>()?;
    let table = Schema::from_documents(&discovery, &openapi)?.to_table();
    let out = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/kubernetes-1.34.table");
    std::fs::write(&out, &table)?;
    println!("{}: {} lines, {} bytes", out.display(), table.lines().count(), table.len());
    Ok(())
}

fn read(file: &Path) -> Result<Json, Box<dyn Error>> {
    let text = std::fs::read_to_string(file).map_err(|e| format!("{}: {e}", file.display()))?;
    Ok(serde_json::from_str(&text).map_err(|e| format!("{}: {e}", file.display()))?)
}
