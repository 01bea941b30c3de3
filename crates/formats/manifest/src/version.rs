//! Versions of ConfigMaps and Secrets (kubernetes-deploy §1.7).
//!
//! A Deployment that is rolled back must find the configuration it ran with. So either each release gets its own copy
//! under a new name, or the pods at least notice that something changed.

use crate::names::{canonical, digits, sha256, suffixed};
use crate::object::Object;
use crate::references::{self, ConfigKind};
use crate::well_known::{CONFIG_HASH, SKIP_VERSIONING};
use crate::{Json, workload};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// How ConfigMaps and Secrets are versioned (manifest key `configVersioning`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Versioning {
    /// The number of the release: `cfg-8`.
    Number(u64),
    /// A hash of the content: unchanged content keeps its name, and no pod restarts.
    Hash,
    /// Names stay; pod templates get a hash of what they use.
    None,
}

/// Digits of a content hash in a name.
const HASH_DIGITS: usize = 10;

/// An object, by kind, namespace and name.
type Config = (ConfigKind, Option<String>, String);

/// Versions the ConfigMaps and Secrets of a set and rewrites what refers to them. Returns the indices of the renamed objects.
///
/// Only references to objects of the same set and namespace are touched, and only in pod templates.
pub fn apply(objects: &mut [Object], versioning: Versioning) -> BTreeSet<usize> {
    match versioning {
        Versioning::Number(number) => rename(objects, |_| Some(format!("-{number}"))),
        Versioning::Hash => rename(objects, |object| Some(format!("-{}", content_hash(object)))),
        Versioning::None => {
            annotate(objects);
            BTreeSet::new()
        }
    }
}

/// Renames the ConfigMaps and Secrets for which `suffix` gives one, and what refers to them. Those that are annotated to
/// keep their name do. Returns the indices of the renamed objects.
pub fn rename(objects: &mut [Object], suffix: impl Fn(&Object) -> Option<String>) -> BTreeSet<usize> {
    let mut names: HashMap<Config, String> = HashMap::new();
    let mut renamed = BTreeSet::new();
    for (index, object) in objects.iter_mut().enumerate() {
        let Some(config) = config_of(object).filter(|_| !object.is_annotated(SKIP_VERSIONING)) else { continue };
        if let Some(suffix) = suffix(object) {
            let name = suffixed(object.name(), &suffix);
            object.set_name(&*name);
            names.insert(config, name);
            renamed.insert(index);
        }
    }
    for object in objects.iter_mut() {
        let namespace = object.namespace().map(str::to_owned);
        let Some(spec) = workload::template_mut(object).and_then(|template| template.get_mut("spec")) else { continue };
        references::visit_mut(spec, |kind, name| {
            if let Some(new) = names.get(&(kind, namespace.clone(), name.clone())) {
                name.clone_from(new);
            }
        });
    }
    renamed
}

fn config_of(object: &Object) -> Option<Config> {
    let kind = ConfigKind::of(object.group(), object.kind())?;
    let name = object.name();
    (!name.is_empty()).then(|| (kind, object.namespace().map(str::to_owned), name.to_owned()))
}

/// The first ten digits of a SHA-256 over what a ConfigMap or Secret holds: kind, data, stringData, binaryData, type.
pub fn content_hash(object: &Object) -> String {
    let part = |name: &str| object.json().get(name).cloned().unwrap_or_default();
    let content = json!({
        "kind": object.kind(),
        "data": part("data"),
        "stringData": part("stringData"),
        "binaryData": part("binaryData"),
        "type": part("type"),
    });
    digits(&sha256(canonical(&content).as_bytes()), HASH_DIGITS).to_owned()
}

/// Gives every pod template a hash of the objects of the set that it uses.
fn annotate(objects: &mut [Object]) {
    let hashes: BTreeMap<Config, String> =
        objects.iter().filter_map(|object| Some((config_of(object)?, content_hash(object)))).collect();
    for object in objects.iter_mut() {
        let namespace = object.namespace().map(str::to_owned);
        let Some(spec) = workload::pod_spec(object) else { continue };
        let mut used = BTreeMap::new();
        references::visit(spec, |kind, name| {
            if let Some(hash) = hashes.get(&(kind, namespace.clone(), name.to_owned())) {
                used.insert((kind, name.to_owned()), hash.clone());
            }
        });
        // A pod cannot change: its own annotations would only make it differ from the live one.
        if used.is_empty() || object.is("", "Pod") {
            continue;
        }
        let text: String = used.iter().map(|((kind, name), hash)| format!("{kind:?}/{name}={hash}\n")).collect();
        let hash = sha256(text.as_bytes());
        workload::set_pod_annotation(object, CONFIG_HASH, digits(&hash, HASH_DIGITS));
    }
}

/// The ConfigMaps and Secrets that a pod spec uses: what must stay while a ReplicaSet or a release record refers to it.
pub fn used_by(pod_spec: &Json) -> BTreeSet<(ConfigKind, String)> {
    let mut used = BTreeSet::new();
    references::visit(pod_spec, |kind, name| {
        used.insert((kind, name.to_owned()));
    });
    used
}
