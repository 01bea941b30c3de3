//! Flags of `kustomize build` and `helm template` on a manifest or step: no program runs, known ones are mapped, and others
//! refused, since the result would not be what was asked for.

use crate::error::RenderError;
use windlass_diagnostic::nearest;
use windlass_helm::{Capabilities, KubeVersion, Options as ChartOptions, Sources};
use windlass_kustomize::{LoadRestriction, Options as BuildOptions, Reorder};

/// One flag and its value.
struct Flag {
    name: String,
    value: Option<String>,
}

/// What a flag that is not offered is, and what to do instead.
type Refused = (&'static str, &'static str);

const NO_BUILD: &[Refused] = &[
    ("--enable-exec", "no program runs while manifests are rendered: run it before, and commit what it gives"),
    ("--network", "no container runs while manifests are rendered: run it before, and commit what it gives"),
    ("--mount", "no container runs while manifests are rendered: run it before, and commit what it gives"),
    ("--env", "no container runs while manifests are rendered: run it before, and commit what it gives"),
    ("--output", "the objects are deployed, not written"),
    ("--helm-kube-version", "give `kubeVersion` in the entry of `helmCharts`"),
    ("--helm-api-versions", "give `apiVersions` in the entry of `helmCharts`"),
];

const NO_TEMPLATE: &[Refused] = &[
    ("--values", "name the file in `valuesPaths`, or give it as a manifest of type Values"),
    ("-f", "name the file in `valuesPaths`, or give it as a manifest of type Values"),
    ("--set-file", "put the text into a values file"),
    ("--namespace", "the namespace is that of the infrastructure"),
    ("-n", "the namespace is that of the infrastructure"),
    ("--version", "give `chartVersion`"),
    ("--repo", "give a store of type Http or OciHelmChart"),
    ("--validate", "use a step K8sDryRun"),
    ("--verify", "a delegate has no keyring: verify a version before you publish it"),
    ("--keyring", "a delegate has no keyring: verify a version before you publish it"),
    ("--post-renderer", "no program runs while charts are rendered: use Kustomize with `helmCharts`"),
    ("--name-template", "the name is the release name of the infrastructure"),
    ("--generate-name", "the name is the release name of the infrastructure"),
    ("--output-dir", "the objects are deployed, not written"),
    ("--enable-dns", "what a chart renders to must not depend on the network"),
];

/// Changes options as flags of `kustomize build` say.
pub(crate) fn build(flags: &[String], options: &mut BuildOptions<'_>) -> Result<(), RenderError> {
    const TAKE: &[&str] = &["--load-restrictor", "--reorder"];
    const KNOWN: &[&str] = &["--enable-helm", "--enable-managedby-label", "--enable-alpha-plugins", "--enable-star"];
    for flag in read(flags, TAKE)? {
        match (flag.name.as_str(), flag.value.as_deref()) {
            ("--load-restrictor", Some("LoadRestrictionsNone")) => options.load_restriction = LoadRestriction::None,
            ("--load-restrictor", Some("LoadRestrictionsRootOnly")) => {
                options.load_restriction = LoadRestriction::RootOnly;
            }
            ("--reorder", Some("none")) => options.reorder = Reorder::None,
            ("--reorder", Some("legacy")) => options.reorder = Reorder::Legacy,
            ("--enable-managedby-label", value) => options.managed_by_label = is_on(value),
            // Charts are rendered in any case; plugins of the build itself need nobody's word.
            ("--enable-helm" | "--enable-alpha-plugins" | "--enable-star" | "--helm-command", _) => {}
            (name, value) => return Err(unknown(name, value, "Build", NO_BUILD, &[TAKE, KNOWN].concat())),
        }
    }
    Ok(())
}

/// Changes options and values as flags of `helm template` say.
pub(crate) fn template(flags: &[String], options: &mut ChartOptions, values: &mut Sources) -> Result<(), RenderError> {
    const TAKE: &[&str] = &[
        "--set",
        "--set-string",
        "--set-json",
        "--set-literal",
        "--kube-version",
        "--api-versions",
        "-a",
        "--show-only",
        "-s",
    ];
    const KNOWN: &[&str] = &[
        "--include-crds",
        "--skip-crds",
        "--no-hooks",
        "--skip-tests",
        "--is-upgrade",
        "--skip-schema-validation",
        "--dependency-update",
        "--debug",
    ];
    for flag in read(flags, TAKE)? {
        match (flag.name.as_str(), flag.value) {
            ("--set", Some(text)) => values.set.push(text),
            ("--set-string", Some(text)) => values.string.push(text),
            ("--set-json", Some(text)) => values.json.push(text),
            ("--set-literal", Some(text)) => values.literal.push(text),
            ("--kube-version", Some(text)) => {
                options.capabilities.kube_version =
                    KubeVersion::parse(&text).map_err(|error| RenderError::Service(error.to_string()))?;
            }
            ("--api-versions" | "-a", Some(text)) => {
                let Capabilities { api_versions, .. } = &mut options.capabilities;
                api_versions.extend(text.split(',').map(str::to_owned));
            }
            ("--show-only" | "-s", Some(text)) => options.show_only.extend(text.split(',').map(str::to_owned)),
            ("--include-crds", value) => options.include_crds = is_on(value.as_deref()),
            ("--skip-crds", value) => options.include_crds &= !is_on(value.as_deref()),
            ("--no-hooks", value) => options.no_hooks = is_on(value.as_deref()),
            ("--skip-tests", value) => options.skip_tests = is_on(value.as_deref()),
            ("--is-upgrade", value) => options.is_upgrade = is_on(value.as_deref()),
            ("--skip-schema-validation", value) => options.skip_schema_validation = is_on(value.as_deref()),
            // Charts that are missing are fetched in any case.
            ("--dependency-update" | "--debug" | "--disable-openapi-validation" | "--create-namespace", _) => {}
            (name, value) => {
                return Err(unknown(name, value.as_deref(), "Template", NO_TEMPLATE, &[TAKE, KNOWN].concat()));
            }
        }
    }
    Ok(())
}

fn is_on(value: Option<&str>) -> bool {
    value.is_none_or(|value| value.eq_ignore_ascii_case("true"))
}

fn unknown(name: &str, value: Option<&str>, command: &str, refused: &[Refused], known: &[&str]) -> RenderError {
    if let Some((_, instead)) = refused.iter().find(|(one, _)| *one == name) {
        return RenderError::Service(format!("the {command} flag `{name}` is not offered: {instead}"));
    }
    match value {
        Some(value) if known.contains(&name) => {
            RenderError::Service(format!("the {command} flag `{name}` cannot be `{value}`"))
        }
        _ => {
            let near = nearest(name, known.iter().copied()).map(|near| format!(" (did you mean `{near}`?)"));
            RenderError::Service(format!("the {command} flag `{name}` is not known{}", near.unwrap_or_default()))
        }
    }
}

/// Flags in the order in which they are given; `take` names those whose value may be the next word.
fn read(texts: &[String], take: &[&str]) -> Result<Vec<Flag>, RenderError> {
    let mut flags: Vec<Flag> = Vec::new();
    for text in texts {
        let mut words = words(text)?.into_iter();
        while let Some(word) = words.next() {
            if !word.starts_with('-') {
                // Flags that nobody knows may take values too: they are told by their names.
                if let Some(flag) = flags.last_mut().filter(|flag| flag.value.is_none()) {
                    flag.value = Some(word);
                    continue;
                }
                return Err(RenderError::Service(format!("`{word}` in `{text}` is no flag")));
            }
            let (name, value) = match word.split_once('=') {
                Some((name, value)) => (name.to_owned(), Some(value.to_owned())),
                None if take.contains(&&*word) => {
                    let value = words.next();
                    let value =
                        value.ok_or_else(|| RenderError::Service(format!("the flag `{word}` needs a value")))?;
                    (word, Some(value))
                }
                None => (word, None),
            };
            flags.push(Flag { name, value });
        }
    }
    Ok(flags)
}

/// Words as a shell would part them: quotes keep blanks, nothing else has a meaning.
fn words(text: &str) -> Result<Vec<String>, RenderError> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for c in text.chars() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (Some(_), c) => word.get_or_insert_default().push(c),
            (None, '"' | '\'') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, c) if c.is_whitespace() => words.extend(word.take()),
            (None, c) => word.get_or_insert_default().push(c),
        }
    }
    if quote.is_some() {
        return Err(RenderError::Service(format!("a quote in the flags `{text}` is not closed")));
    }
    words.extend(word);
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flags(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|text| (*text).to_owned()).collect()
    }

    #[test]
    fn flags_of_template() {
        let read = |texts: &[&str]| {
            let (mut options, mut values) = (ChartOptions::default(), Sources::default());
            template(&flags(texts), &mut options, &mut values).map(|()| (options, values)).map_err(|e| e.to_string())
        };
        let (options, values) =
            read(&["--include-crds --set a=1,b=2 --set-string 'c=x y'", "--no-hooks=true", "--kube-version 1.30.0"])
                .unwrap();
        assert!(options.include_crds && options.no_hooks);
        assert_eq!((values.set, values.string), (flags(&["a=1,b=2"]), flags(&["c=x y"])));
        assert_eq!(options.capabilities.kube_version.version, "v1.30.0");
        for (text, said) in [
            ("--values x.yaml", "the Template flag `--values` is not offered: name the file in `valuesPaths`"),
            ("--include-crd", "the Template flag `--include-crd` is not known (did you mean `--include-crds`?)"),
            ("--set", "the flag `--set` needs a value"),
            ("--set 'a=1", "a quote in the flags"),
            ("upgrade", "`upgrade` in `upgrade` is no flag"),
        ] {
            let error = read(&[text]).unwrap_err();
            assert!(error.starts_with(said), "{error}");
        }
    }

    #[test]
    fn flags_of_build() {
        let read = |texts: &[&str]| {
            let mut options = BuildOptions::default();
            build(&flags(texts), &mut options)
                .map(|()| (options.load_restriction, options.reorder))
                .map_err(|error| error.to_string())
        };
        let lifted = ["--enable-helm", "--load-restrictor LoadRestrictionsNone --reorder=none"];
        assert_eq!(read(&lifted), Ok((LoadRestriction::None, Reorder::None)));
        let refused = read(&["--enable-exec"]).unwrap_err();
        assert!(refused.contains("no program runs"), "{refused}");
        let wrong = read(&["--reorder sideways"]).unwrap_err();
        assert_eq!(wrong, "the Build flag `--reorder` cannot be `sideways`");
    }
}
