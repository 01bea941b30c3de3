//! The build under test, on files in memory.

use crate::charts_in_memory::MemoryCharts;
use crate::origins;
use crate::project::Files;
use windlass_kustomize::{Charts, MemoryFiles, Options, build};

pub(crate) fn build_in_memory(files: &Files, helm: bool) -> Result<String, String> {
    let memory: MemoryFiles = files.iter().map(|(path, content)| (format!("/{path}"), content.clone())).collect();
    let charts = MemoryCharts { paths: files.iter().map(|(path, _)| format!("/{path}")).collect(), memory: &memory };
    let options = Options { enable_helm: helm, charts: helm.then_some(&charts as &dyn Charts), ..Options::default() };
    match build(&memory, "/root", &options) {
        Ok(built) => {
            if let Err(why) = origins::check(&built) {
                panic!("{why}:\n{}", built.to_yaml());
            }
            Ok(built.to_yaml())
        }
        Err(error) => Err(error.to_string()),
    }
}
