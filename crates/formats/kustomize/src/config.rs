//! The tables of field specs, built in and from `configurations` and `crds` (rendering §1.6 to §1.12).

use crate::conf::{Conf, Strictness, Struct};
use crate::error::{KustomizeError, Result, Within};
use crate::fieldspec::{FieldSpec, merge_all};
use crate::id::Gvk;
use crate::loader::Loader;
use std::cmp::Ordering;
use std::rc::Rc;
use windlass_yaml::{Options, parse};

static TEXT: &str = include_str!("../data/fieldspecs.table");

/// Where each transformer writes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Config {
    pub(crate) name_prefix: Vec<FieldSpec>,
    pub(crate) name_suffix: Vec<FieldSpec>,
    pub(crate) namespace: Vec<FieldSpec>,
    pub(crate) common_labels: Vec<FieldSpec>,
    pub(crate) labels: Vec<FieldSpec>,
    pub(crate) template_labels: Vec<FieldSpec>,
    pub(crate) common_annotations: Vec<FieldSpec>,
    pub(crate) name_reference: Vec<NameReference>,
    pub(crate) var_reference: Vec<FieldSpec>,
    pub(crate) images: Vec<FieldSpec>,
    pub(crate) replicas: Vec<FieldSpec>,
    /// Whether it holds no more than the built-in tables.
    builtin: bool,
}

/// The fields that name objects of a kind.
#[derive(Clone, Debug)]
pub(crate) struct NameReference {
    pub(crate) target: Gvk,
    pub(crate) fields: Vec<FieldSpec>,
}

const FIELDS: [&str; 11] = [
    "namePrefix",
    "nameSuffix",
    "namespace",
    "commonLabels",
    "labels",
    "templateLabels",
    "commonAnnotations",
    "nameReference",
    "varReference",
    "images",
    "replicas",
];

impl Config {
    /// The built-in tables and the files of `configurations`.
    pub(crate) fn load(loader: &Loader<'_>, paths: &[String]) -> Result<Rc<Self>> {
        thread_local! {
            static SHARED: Rc<Config> = Rc::new(Config::builtin(TEXT));
        }
        let mut config = SHARED.with(Rc::clone);
        if paths.is_empty() {
            return Ok(config);
        }
        let mut added = Self::default();
        for path in paths {
            let (file, text) = loader.load_text(path)?;
            added.merge(&Self::read(&file, &text)?)?;
        }
        Rc::make_mut(&mut config).merge(&added)?;
        Ok(config)
    }

    fn read(file: &str, text: &str) -> Result<Self> {
        let documents =
            parse(file, text, &Options::CONTROL).map_err(|problems| KustomizeError::malformed(file, problems))?;
        let conf = documents.first().map(|document| Conf::of_yaml(&document.root)).unwrap_or_default();
        let mut config = Self::decode(&conf).within(|| "error unmarshaling JSON: while decoding JSON".into())?;
        config.sort();
        Ok(config)
    }

    fn decode(conf: &Conf) -> Result<Self> {
        let read = Struct::new(conf, "TransformerConfig", &FIELDS, Strictness::Converting)?;
        let specs = |field| read.list(field, |conf| field_spec(conf, Strictness::Converting));
        Ok(Self {
            name_prefix: specs("namePrefix")?,
            name_suffix: specs("nameSuffix")?,
            namespace: specs("namespace")?,
            common_labels: specs("commonLabels")?,
            labels: specs("labels")?,
            template_labels: specs("templateLabels")?,
            common_annotations: specs("commonAnnotations")?,
            name_reference: read.list("nameReference", name_reference)?,
            var_reference: specs("varReference")?,
            images: specs("images")?,
            replicas: specs("replicas")?,
            builtin: false,
        })
    }

    fn tables(&mut self) -> [(&'static str, &mut Vec<FieldSpec>); 10] {
        [
            ("namePrefix", &mut self.name_prefix),
            ("nameSuffix", &mut self.name_suffix),
            ("namespace", &mut self.namespace),
            ("commonLabels", &mut self.common_labels),
            ("labels", &mut self.labels),
            ("templateLabels", &mut self.template_labels),
            ("commonAnnotations", &mut self.common_annotations),
            ("varReference", &mut self.var_reference),
            ("images", &mut self.images),
            ("replicas", &mut self.replicas),
        ]
    }

    fn builtin(text: &'static str) -> Self {
        let mut config = Self::default();
        let mut table = "";
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let words: Vec<&str> = line.split_whitespace().collect();
            match words[..] {
                [name] => table = name,
                ["nameReference", kind, group, version] => {
                    table = "nameReference";
                    config.name_reference.push(NameReference { target: gvk(kind, group, version), fields: Vec::new() });
                }
                [path, kind, group, version, ref create @ ..] => {
                    let spec = FieldSpec::new(gvk(kind, group, version), path, !create.is_empty());
                    let mut tables = config.tables();
                    match tables.iter_mut().find(|(name, _)| *name == table) {
                        Some((_, specs)) => specs.push(spec),
                        None => {
                            if let Some(last) = config.name_reference.last_mut() {
                                last.fields.push(spec);
                            }
                        }
                    }
                }
                _ => {}
            }
        }
        // The tables agree with themselves and are in order: the test below.
        config.builtin = true;
        config
    }

    /// The tables as they are where nothing was before: a spec of some kinds hides a later one of all kinds.
    pub(crate) fn on_its_own(config: &Rc<Self>) -> Result<Rc<Self>> {
        if config.builtin {
            return Ok(Rc::clone(config));
        }
        let mut out = Self::default();
        out.merge(config)?;
        Ok(Rc::new(out))
    }

    /// Adds what another table says.
    pub(crate) fn merge(&mut self, other: &Self) -> Result<()> {
        if self.builtin && other.builtin {
            return Ok(());
        }
        let mut other = other.clone();
        for ((name, mine), (_, theirs)) in self.tables().into_iter().zip(other.tables()) {
            merge_all(mine, theirs).within(|| format!("failed to merge {name} fieldSpec"))?;
        }
        for incoming in &other.name_reference {
            self.merge_reference(incoming).within(|| "failed to merge NameReference fieldSpec".into())?;
        }
        self.builtin = false;
        self.sort();
        Ok(())
    }

    pub(crate) fn merge_reference(&mut self, incoming: &NameReference) -> Result<()> {
        match self.name_reference.iter_mut().find(|reference| reference.target == incoming.target) {
            Some(reference) => merge_all(&mut reference.fields, &incoming.fields),
            None => {
                self.name_reference.push(incoming.clone());
                Ok(())
            }
        }
    }

    fn sort(&mut self) {
        for (_, table) in self.tables() {
            table.sort_by(|a, b| order(&a.gvk, &b.gvk));
        }
        self.name_reference.sort_by(|a, b| order(&a.target, &b.target));
    }
}

fn gvk(kind: &str, group: &str, version: &str) -> Gvk {
    let part = |text: &str| if text == "-" { String::new() } else { text.to_owned() };
    Gvk { group: part(group), version: part(version), kind: part(kind) }
}

/// The legacy order of kinds, in which the tables are applied.
fn order(a: &Gvk, b: &Gvk) -> Ordering {
    let key = |gvk: &Gvk| {
        let or = |text: &str, empty: &str| if text.is_empty() { empty.to_owned() } else { text.to_owned() };
        (
            crate::sort::rank(&gvk.kind),
            format!("{}_{}_{}", or(&gvk.group, "~G"), or(&gvk.version, "~V"), or(&gvk.kind, "~K")),
        )
    };
    key(a).cmp(&key(b))
}

pub(crate) fn field_spec(conf: &Conf, strictness: Strictness) -> Result<FieldSpec> {
    let read = Struct::new(conf, "FieldSpec", &["group", "version", "kind", "path", "create"], strictness)?;
    Ok(FieldSpec::new(read_gvk(&read)?, &read.string("path")?, read.bool("create")?))
}

fn name_reference(conf: &Conf) -> Result<NameReference> {
    let known = ["group", "version", "kind", "fieldSpecs"];
    let read = Struct::new(conf, "NameBackReferences", &known, Strictness::Converting)?;
    let fields = read.list("fieldSpecs", |conf| field_spec(conf, Strictness::Converting))?;
    Ok(NameReference { target: read_gvk(&read)?, fields })
}

pub(crate) fn read_gvk(read: &Struct<'_>) -> Result<Gvk> {
    Ok(Gvk { group: read.string("group")?, version: read.string("version")?, kind: read.string("kind")? })
}

#[cfg(test)]
mod tests {
    use super::{Config, TEXT};

    #[test]
    fn the_built_in_tables_are_read_whole_agree_and_are_in_order() {
        let mut builtin = Config::builtin(TEXT);
        let mut config = Config::default();
        config.merge(&builtin).unwrap();
        for ((name, merged), (_, kept)) in config.tables().into_iter().zip(builtin.tables()) {
            assert_eq!(merged, kept, "{name}");
        }
        let references = |config: &Config| -> Vec<_> {
            config.name_reference.iter().map(|reference| (reference.target.clone(), reference.fields.clone())).collect()
        };
        assert_eq!(references(&config), references(&builtin));
        let fields: usize = config.name_reference.iter().map(|r| r.fields.len()).sum();
        let lines = TEXT.lines().filter(|line| line.starts_with("  ")).count();
        let count: usize = config.tables().iter().map(|(_, table)| table.len()).sum();
        assert_eq!(count + fields, lines);
    }
}
