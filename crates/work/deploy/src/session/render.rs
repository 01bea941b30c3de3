use super::Session;
use crate::stop::{Step, Stop};
use std::collections::BTreeMap;
use windlass_manifest::{Object, set};
use windlass_model::task::source::{ManifestKind, ManifestSource, ServiceSource};
use windlass_render::Request;

/// What is rendered.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct What<'w> {
    /// Only these files of the service.
    pub only: Option<&'w [String]>,
    /// In place of the main manifest of the service.
    pub instead: Option<&'w ManifestSource>,
    pub overrides: &'w [ManifestSource],
    pub skip_templates: bool,
    pub allow_generate_name: bool,
    /// A file that holds nothing is an error.
    pub refuse_empty: bool,
}

/// The rendered objects, in their namespaces, and where they came from.
#[derive(Clone, Debug)]
pub(crate) struct Set {
    pub objects: Vec<Object>,
    pub commits: BTreeMap<String, String>,
    pub commit: Option<String>,
}

impl Session<'_> {
    /// Fetches and renders what the step deploys.
    pub(crate) async fn render(&self, what: What<'_>) -> Step<Set> {
        let log = self.log();
        log.section("Fetch Files");
        self.progress.doing("fetching manifests");
        let mut pinned = self.work.pinned.clone();
        pinned.extend(self.checkpoint().commits);
        let replaced = what.instead.map(|main| with_main(&self.work.source, main));
        let request = Request {
            source: replaced.as_ref().unwrap_or(&self.work.source),
            target: &self.work.target,
            pinned: &pinned,
            only: what.only,
            overrides: what.overrides,
            skip_templates: what.skip_templates,
            now: self.now(),
        };
        let rendered = self.renderer.render(&request).await?;
        for line in &rendered.fetched {
            log.info(line);
        }
        if !rendered.commits.is_empty() {
            self.remember(|checkpoint| checkpoint.commits.clone_from(&rendered.commits));
        }
        let empty = rendered.empty_files();
        if what.refuse_empty && !empty.is_empty() {
            let message = format!("{} holds no objects once it is filled in", empty.join(", "));
            return Err(Stop::configuration(message).hint("correct the values, or do not name the file in the step"));
        }
        log.section("Initialize");
        let rules = set::Rules {
            namespace: self.namespace().to_owned(),
            enforce_namespace: self.work.settings.enforce_namespace,
            allow_generate_name: what.allow_generate_name,
        };
        let (objects, warnings) = rendered.objects(&rules, &self.discovery().await?.catalog())?;
        self.tell(&warnings);
        log.info(format!("{} objects", objects.len()));
        for object in &objects {
            log.info(format!("  {}", object.key().in_namespace()));
        }
        Ok(Set { objects, commits: rendered.commits, commit: rendered.commit })
    }
}

/// The service with another main manifest; its values stay.
fn with_main(source: &ServiceSource, main: &ManifestSource) -> ServiceSource {
    let values = source.manifests.iter().filter(|entry| entry.kind == ManifestKind::Values).cloned();
    ServiceSource { manifests: std::iter::once(main.clone()).chain(values).collect(), ..source.clone() }
}
