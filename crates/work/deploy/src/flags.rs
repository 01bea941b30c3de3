//! Flags of the vendor's command line: no kubectl runs here, known ones are mapped (kubernetes-deploy §1.8).

use windlass_model::task::kubernetes::CommandFlag;

/// What the flags of a step ask for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Flags {
    /// `--prune` with its selector.
    pub prune: Option<String>,
    /// Immutable fields are changed by deleting and creating the object.
    pub force: bool,
    /// Only a dry run is made.
    pub dry_run: bool,
    pub grace_seconds: Option<u32>,
    pub cascade: Option<Cascade>,
    pub to_revision: Option<u64>,
    pub ignore_not_found: bool,
    /// What was not done, and why.
    pub warnings: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cascade {
    Background,
    Foreground,
    Orphan,
}

/// Reads the flags for one command: `Apply`, `Delete`, `Rollout`. Those for others are left alone.
pub(crate) fn read(flags: &[CommandFlag], command: &str) -> Flags {
    let mut out = Flags::default();
    let words: Vec<&str> = flags
        .iter()
        .filter(|flag| flag.command_type.eq_ignore_ascii_case(command))
        .flat_map(|flag| flag.flag.split_whitespace())
        .collect();
    let (mut prune, mut all, mut selector) = (false, false, None);
    let mut at = 0;
    while let Some(word) = words.get(at) {
        at += 1;
        let (name, mut value) = match word.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (*word, None),
        };
        // `--selector app=x` and `-l app=x`.
        if value.is_none() && TAKES_VALUE.contains(&name) {
            value = words.get(at).copied();
            at += 1;
        }
        let is_on = value.is_none_or(|value| value == "true");
        match name {
            "--prune" => prune = is_on,
            "--all" => all = is_on,
            "--selector" | "-l" => selector = value.map(str::to_owned),
            "--force" => out.force = is_on,
            "--dry-run" => out.dry_run = value != Some("none"),
            "--grace-period" => out.grace_seconds = value.and_then(|value| value.parse().ok()),
            "--ignore-not-found" => out.ignore_not_found = is_on,
            "--to-revision" => out.to_revision = value.and_then(|value| value.parse().ok()),
            "--timeout" => out.warnings.push("--timeout is ignored: the step's own `timeout` counts".to_owned()),
            "--cascade" => {
                out.cascade = match value {
                    Some("orphan" | "false") => Some(Cascade::Orphan),
                    Some("foreground") => Some(Cascade::Foreground),
                    _ => Some(Cascade::Background),
                }
            }
            // Done anyway, or without a meaning here.
            "--server-side" | "--force-conflicts" | "--validate" | "--wait" | "--overwrite" | "--record" => {}
            "--field-manager" => {
                out.warnings.push(
                    "--field-manager is ignored: fields belong to `windlass`, so that they are found again".to_owned(),
                );
            }
            _ => out.warnings.push(format!("`{word}` is not known here and is ignored")),
        }
    }
    match (prune, selector) {
        (true, Some(selector)) => {
            out.warnings.push(format!(
                "--prune deletes only what earlier K8sApply steps of this service created and `{selector}` selects; never versioned ConfigMaps or Secrets that a kept release uses"
            ));
            out.prune = Some(selector);
        }
        (true, None) => {
            let with = if all { "--all" } else { "no --selector" };
            out.warnings.push(format!("--prune with {with} is ignored: it would delete what other services own"));
        }
        (false, Some(selector)) => out.warnings.push(format!("--selector={selector} is ignored without --prune")),
        (false, None) => {}
    }
    out
}

const TAKES_VALUE: [&str; 7] =
    ["--selector", "-l", "--field-manager", "--timeout", "--grace-period", "--to-revision", "--prune-allowlist"];

#[cfg(test)]
mod tests {
    use super::*;

    fn of(command: &str, flags: &[&str]) -> Flags {
        let flags: Vec<CommandFlag> =
            flags.iter().map(|flag| CommandFlag { command_type: "Apply".into(), flag: (*flag).to_owned() }).collect();
        read(&flags, command)
    }

    #[test]
    fn prune_needs_a_selector() {
        let seed = of("Apply", &["--prune", "--selector=app=payment-service"]);
        assert_eq!(seed.prune.as_deref(), Some("app=payment-service"));
        assert_eq!(seed.warnings.len(), 1);
        assert_eq!(of("Apply", &["--prune -l app=x"]).prune.as_deref(), Some("app=x"));
        let all = of("Apply", &["--prune --all"]);
        assert_eq!((all.prune, all.warnings.len()), (None, 1));
    }

    #[test]
    fn known_flags_are_mapped_and_unknown_ones_told() {
        let flags = of("Apply", &["--server-side --force-conflicts --force", "--grace-period=5", "--cascade=orphan"]);
        assert_eq!((flags.force, flags.grace_seconds, flags.cascade), (true, Some(5), Some(Cascade::Orphan)));
        assert_eq!(flags.warnings, Vec::<String>::new());
        assert_eq!(of("Apply", &["--kustomize=x"]).warnings.len(), 1);
        assert_eq!(of("Delete", &["--force"]), Flags::default());
    }
}
