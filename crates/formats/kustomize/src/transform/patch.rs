//! Patches in all their forms (rendering §1.7).

use super::json_patch::Operations;
use super::merge::{DIRECTIVE, merge};
use crate::error::{Problem, Result, Within};
use crate::history::is_internal;
use crate::kustomization::{Patch, Selector};
use crate::loader::Loader;
use crate::object::Object;
use crate::objects;
use crate::options::Compat;
use crate::schema::Schema;
use crate::selector::ObjectSelector;
use crate::set::Set;
use std::rc::Rc;
use windlass_diagnostic::Place;

/// `patchesStrategicMerge`.
#[derive(Debug)]
pub(crate) struct StrategicPatches(pub(crate) Vec<Object>);

/// An entry of `patches`.
#[derive(Debug)]
pub(crate) struct PatchFile {
    strategic: Vec<Object>,
    /// The operations, or why there are none where the text is no strategic patch either: told when an object is to be patched.
    operations: Result<Operations>,
    target: Option<Selector>,
    source: String,
    allow_name_change: bool,
    allow_kind_change: bool,
    place: Option<Place>,
}

/// An entry of `patchesJson6902`.
#[derive(Debug)]
pub(crate) struct JsonPatch6902 {
    target: Selector,
    operations: Operations,
    place: Option<Place>,
}

/// Merges one patch into one object.
fn apply(object: &mut Object, patch: &Object, allow_name: bool, allow_kind: bool) -> Result<()> {
    let (name, namespace) = (object.name().to_owned(), object.namespace().to_owned());
    let kind = object.kind().to_owned();
    if allow_name || allow_kind {
        object.remember_id();
    }
    if forgets(patch) {
        object.history.forget();
    }
    let schema = Rc::clone(&object.schema);
    let kept =
        merge(&mut object.tree, &patch.tree, &schema).within(|| format!("applying the patch to {}", object.id()))?;
    if !kept {
        object.clear();
    }
    if object.is_empty() {
        return Ok(());
    }
    if !allow_kind {
        object.set_kind(&kind)?;
    }
    if !allow_name {
        object.set_name(&name)?;
    }
    object.set_namespace(&namespace)
}

/// Whether a patch takes the annotations away, and with them what the reference wrote there.
fn forgets(patch: &Object) -> bool {
    let tree = &patch.tree;
    let gone = |keys: &[&str]| {
        tree.find(keys).is_some_and(|id| {
            let said = tree.get(id, DIRECTIVE).map(|said| tree.text(said));
            tree.is_null(id) || matches!(said, Some("delete" | "replace"))
        })
    };
    gone(&["metadata"]) || gone(&["metadata", "annotations"])
}

/// Merges a patch into the objects at some places, and checks that ids stay apart.
fn apply_to(set: &mut Set, places: &[usize], patch: &Object, allow_name: bool, allow_kind: bool) -> Result<()> {
    let mut copy = patch.clone();
    for field in ["labels", "annotations"] {
        let entries: Vec<(String, String)> = copy
            .tree
            .meta_map(field)
            .filter(|(key, _)| !is_internal(key))
            .map(|(k, v)| (k.to_owned(), v.to_owned()))
            .collect();
        copy.tree.set_meta_map(field, entries)?;
    }
    copy.set_name(patch.name())?;
    copy.set_namespace(patch.namespace())?;
    let place_of_patch = copy.place().cloned();
    for place in places {
        let Some(object) = set.objects_mut().get_mut(*place) else { continue };
        let version = crate::tree::Scalar::plain(object.api_version());
        copy.tree.set_text(&["apiVersion"], version, place_of_patch.as_ref())?;
        apply(object, &copy, allow_name, allow_kind)?;
    }
    let objects = std::mem::take(set.objects_mut());
    set.append_all(objects.into_iter().filter(|object| !object.is_empty()))
}

fn one_target(set: &Set, patch: &Object) -> Result<usize> {
    let id = patch.original_id();
    let found = set.matching_any(&id);
    let (what, remedy) = match found[..] {
        [place] => return Ok(place),
        [] => ("no", "check apiVersion, kind, name and namespace of the patch, or give it a target"),
        _ => ("multiple", "say the namespace in the patch, or give it a target"),
    };
    let what = format!("{what} matches for Id {id}; failed to find unique target for patch {id}");
    Err(Problem::Patch.says(what).at(patch.place()).remedy(remedy))
}

impl StrategicPatches {
    /// Loads patches: each entry is the text of some, or the path of a file.
    pub(crate) fn load(
        loader: &Loader<'_>,
        schema: &Rc<Schema>,
        entries: &[crate::conf::Text],
        inline: &str,
    ) -> Result<Self> {
        if entries.is_empty() && inline.is_empty() {
            return Err(Problem::Patch.says("empty file path and empty patch content"));
        }
        let mut patches = Vec::new();
        for entry in entries {
            let read = objects::read_inline(entry.place.as_ref(), entry, schema);
            let read = match read {
                Ok(read) => read,
                Err(_) => {
                    let (file, text) = loader.load_text(entry).map_err(|error| error.at(entry.place.as_ref()))?;
                    objects::read(&file, &text, schema)?
                }
            };
            patches.extend(read);
        }
        if !inline.is_empty() {
            patches.extend(objects::read("", inline, schema)?);
        }
        if patches.is_empty() {
            let files: Vec<&str> = entries.iter().map(|entry| &**entry).collect();
            let what = format!("patch appears to be empty; files=[{}], Patch={inline}", files.join(" "));
            return Err(Problem::Patch.says(what).at(entries.first().and_then(|entry| entry.place.as_ref())));
        }
        Ok(Self(patches))
    }

    pub(crate) fn run(&self, set: &mut Set) -> Result<()> {
        for patch in &self.0 {
            let place = one_target(set, patch)?;
            apply_to(set, &[place], patch, false, false)?;
        }
        Ok(())
    }
}

/// The file of an inline text, for the places in it.
fn name_of(place: Option<&Place>) -> String {
    place.map(|place| place.file.to_string()).unwrap_or_default()
}

impl PatchFile {
    pub(crate) fn load(loader: &Loader<'_>, schema: &Rc<Schema>, patch: &Patch, compat: Compat) -> Result<Self> {
        let refuse = |what: String| Problem::Patch.says(what).at(patch.place.as_ref());
        let inline = patch.patch.trim();
        let (file, text, source) = match (inline.is_empty(), patch.path.is_empty()) {
            (true, true) => return Err(refuse("must specify one of patch and path".into())),
            (false, false) => return Err(refuse("patch and path can't be set at the same time".into())),
            (false, true) => {
                let file = name_of(patch.patch.place.as_ref());
                (file, inline.to_owned(), format!("[patch: {inline:?}]"))
            }
            (true, false) => {
                let path = &*patch.path;
                let (file, text) = loader
                    .load_text(path)
                    .map_err(|error| error.at(patch.path.place.as_ref()))
                    .within(|| format!("failed to get the patch file from path({path})"))?;
                (file, text, format!("[path: {path:?}]"))
            }
        };
        let at = patch.patch.place.as_ref().filter(|_| !inline.is_empty());
        let (strategic, lines) = match at {
            Some(at) => (objects::read_inline(Some(at), &text, schema), objects::lines_before(Some(at))),
            None => (objects::read(&file, &text, schema), 0),
        };
        let operations = Operations::read(&file, &text, lines);
        let (strategic, operations) = match (strategic, operations) {
            (Ok(strategic), Ok(operations)) if !strategic.is_empty() && !operations.is_empty() => {
                return Err(refuse(format!("illegally qualifies as both an SM and JSON patch: {source}")));
            }
            (Ok(strategic), operations) if strategic.is_empty() && compat == Compat::V5_7 => (strategic, operations),
            (Ok(strategic), _) => (strategic, Ok(Operations::default())),
            (Err(_), operations @ Ok(_)) => (Vec::new(), operations),
            (Err(strategic), Err(operations)) => {
                let closer = if text.trim_start().starts_with(['[', '-']) { operations } else { strategic };
                let what = format!("unable to parse SM or JSON patch from {source}: {}", closer.message);
                let mut error = Problem::Patch.says(what);
                error.place = closer.place.or_else(|| patch.place.clone());
                error.remedy = closer.remedy;
                return Err(error);
            }
        };
        let on = |name: &str| patch.options.get(name).copied().unwrap_or(false);
        Ok(Self {
            strategic,
            operations,
            target: patch.target.clone(),
            source,
            allow_name_change: on("allowNameChange"),
            allow_kind_change: on("allowKindChange"),
            place: patch.place.clone(),
        })
    }

    pub(crate) fn run(&self, set: &mut Set, compat: Compat) -> Result<()> {
        let run = if self.strategic.is_empty() { self.run_json(set, compat) } else { self.run_strategic(set) };
        run.map_err(|error| error.at(self.place.as_ref()))
    }

    fn run_strategic(&self, set: &mut Set) -> Result<()> {
        let (names, kinds) = (self.allow_name_change, self.allow_kind_change);
        if let Some(target) = &self.target {
            let [patch] = &self.strategic[..] else {
                let what = format!(
                    "Multiple Strategic-Merge Patches in one `patches` entry is not allowed to set `patches.target` field: {}",
                    self.source
                );
                return Err(Problem::Patch.says(what).remedy("make an entry of each patch, or leave the target out"));
            };
            let places = ObjectSelector::new(target)
                .and_then(|selector| selector.select(set))
                .within(|| "unable to find patch target in `resources`".into())?;
            return apply_to(set, &places, patch, names, kinds);
        }
        for patch in &self.strategic {
            let place = one_target(set, patch).map_err(|error| {
                error.within(format!("no resource matches strategic merge patch \"{}\"", patch.original_id()))
            })?;
            if let Some(object) = set.objects_mut().get_mut(place) {
                apply(object, patch, names, kinds)?;
            }
        }
        Ok(())
    }

    fn run_json(&self, set: &mut Set, compat: Compat) -> Result<()> {
        if compat >= Compat::V5_8 && self.operations.as_ref().is_ok_and(Operations::is_empty) {
            return Ok(());
        }
        let Some(target) = &self.target else {
            let what = format!("must specify a target for JSON patch {}", self.source);
            return Err(Problem::Patch.says(what).remedy("say with `target` which objects it is for"));
        };
        for place in ObjectSelector::new(target)?.select(set)? {
            let operations = self.operations.as_ref().map_err(Clone::clone)?;
            if let Some(object) = set.objects_mut().get_mut(place) {
                object.remember_id();
                apply_operations(object, operations, "patches")?;
            }
        }
        Ok(())
    }
}

/// Applies operations to an object as the reference holds it: with its history among the annotations.
fn apply_operations(object: &mut Object, operations: &Operations, by: &'static str) -> Result<()> {
    let history = object.history.annotations();
    for (key, value) in &history {
        object.tree.set_annotation(key, value, None)?;
    }
    operations.apply(&mut object.tree, by).within(|| format!("patching {}", object.id()))?;
    let kept: Vec<(String, String)> = object
        .tree
        .meta_map("annotations")
        .filter(|(key, _)| !is_internal(key))
        .map(|(k, v)| (k.to_owned(), v.to_owned()))
        .collect();
    object.tree.set_meta_map("annotations", kept)
}

impl JsonPatch6902 {
    pub(crate) fn load(
        loader: &Loader<'_>,
        target: Option<&Selector>,
        path: &crate::conf::Text,
        inline: &crate::conf::Text,
        place: Option<&Place>,
    ) -> Result<Self> {
        let refuse = |what: String| Problem::Patch.says(what).at(place);
        let Some(target) = target.filter(|target| !target.id.name.is_empty()) else {
            return Err(refuse("must specify the target name".into()));
        };
        let (file, text) = match (path.is_empty(), inline.is_empty()) {
            (true, true) => return Err(refuse("empty file path and empty jsonOp".into())),
            (false, false) => return Err(refuse("must specify a file path or jsonOp, not both".into())),
            (false, true) => loader.load_text(path).map_err(|error| error.at(path.place.as_ref()))?,
            (true, false) => (name_of(place), inline.text.clone()),
        };
        if text.is_empty() {
            return Err(refuse(format!("patch file '{}' empty seems to be empty", path.text)));
        }
        let lines = if path.is_empty() { objects::lines_before(inline.place.as_ref()) } else { 0 };
        let operations = Operations::read(&file, &text, lines)?;
        if operations.is_empty() {
            return Err(refuse(format!("patch appears to be empty; file={}, JsonOp={text}", path.text)));
        }
        Ok(Self { target: target.clone(), operations, place: place.cloned() })
    }

    pub(crate) fn run(&self, set: &mut Set) -> Result<()> {
        for place in ObjectSelector::new(&self.target)?.select(set)? {
            if let Some(object) = set.objects_mut().get_mut(place) {
                apply_operations(object, &self.operations, "patchesJson6902").map_err(|e| e.at(self.place.as_ref()))?;
            }
        }
        Ok(())
    }
}
