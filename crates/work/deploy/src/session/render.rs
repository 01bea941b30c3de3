use super::Session;
use crate::stop::{Step, Stop};
use std::collections::BTreeMap;
use windlass_manifest::{Object, set};
use windlass_model::task::kubernetes::CommandFlag;
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
        let replaced =
            with_flags(replaced.as_ref().unwrap_or(&self.work.source), self.work.step.command_flags()).or(replaced);
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
        for note in &rendered.notes {
            log.warn(note);
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

/// The service with another main manifest; its values stay, and its patches where the new one is a kustomization.
fn with_main(source: &ServiceSource, main: &ManifestSource) -> ServiceSource {
    let stays = |entry: &&ManifestSource| match entry.kind {
        ManifestKind::Values => true,
        ManifestKind::KustomizePatches => main.kind == ManifestKind::Kustomize,
        _ => false,
    };
    let more = source.manifests.iter().filter(stays).cloned();
    ServiceSource { manifests: std::iter::once(main.clone()).chain(more).collect(), ..source.clone() }
}

/// The service with the step's flags for rendering in place of its own, which are never merged (kubernetes-deploy §1.2).
fn with_flags(source: &ServiceSource, flags: &[CommandFlag]) -> Option<ServiceSource> {
    let of = |command: &str| -> Vec<String> {
        let own = flags.iter().filter(|flag| flag.command_type.eq_ignore_ascii_case(command));
        own.map(|flag| flag.flag.clone()).collect()
    };
    let (build, template) = (of("Build"), of("Template"));
    if build.is_empty() && template.is_empty() {
        return None;
    }
    let mut source = source.clone();
    for manifest in &mut source.manifests {
        if let (Some(overlay), false) = (&mut manifest.overlay, build.is_empty()) {
            overlay.flags.clone_from(&build);
        }
        if let (Some(chart), false) = (&mut manifest.chart, template.is_empty()) {
            chart.flags.clone_from(&template);
        }
    }
    Some(source)
}

#[cfg(test)]
mod tests {
    use super::{with_flags, with_main};
    use windlass_model::task::kubernetes::CommandFlag;
    use windlass_model::task::source::{ChartSource, ManifestKind, ManifestSource, Overlay, ServiceSource};

    fn flag(command_type: &str, flag: &str) -> CommandFlag {
        CommandFlag { command_type: command_type.into(), flag: flag.into() }
    }

    #[test]
    fn flags_of_the_step_replace_those_of_the_same_command() {
        let chart = ChartSource { flags: vec!["--no-hooks".into()], ..ChartSource::default() };
        let main = ManifestSource { kind: ManifestKind::HelmChart, chart: Some(chart), ..ManifestSource::default() };
        let source = ServiceSource { manifests: vec![main], ..ServiceSource::default() };
        let flags_of = |flags: &[CommandFlag]| {
            with_flags(&source, flags).map(|source| source.manifests[0].chart.clone().unwrap().flags)
        };
        assert_eq!(flags_of(&[flag("Template", "--set a=1")]), Some(vec!["--set a=1".to_owned()]));
        assert_eq!(flags_of(&[flag("Build", "--enable-helm")]), Some(vec!["--no-hooks".to_owned()]));
        assert_eq!(flags_of(&[flag("Apply", "--force")]), None);
    }

    #[test]
    fn patches_stay_with_kustomizations() {
        let of = |kind| ManifestSource { kind, ..ManifestSource::default() };
        let kinds = [ManifestKind::Kustomize, ManifestKind::KustomizePatches, ManifestKind::Values];
        let source = ServiceSource { manifests: kinds.map(of).to_vec(), ..ServiceSource::default() };
        let overlay = Some(Overlay::default());
        let other = ManifestSource { overlay, ..of(ManifestKind::Kustomize) };
        assert_eq!(with_main(&source, &other).manifests.len(), 3);
        assert_eq!(with_main(&source, &of(ManifestKind::K8sManifest)).manifests.len(), 2);
    }
}
