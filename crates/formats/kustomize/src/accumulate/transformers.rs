//! The transformers of a kustomization, always in the same order (rendering §1.2).

use super::{Accumulated, Target};
use crate::config::Config;
use crate::error::{Problem, Result, Within};
use crate::fieldspec::{FieldSpec, merge_all, merge_one};
use crate::id::Gvk;
use crate::kustomization::Label;
use crate::note::Note;
use crate::plugin;
use crate::transform::{
    Affix, ImageTag, JsonPatch6902, LabelTarget, Labels, Namespace, Replacements, ReplicaCount, Side, StrategicPatches,
    SubjectMode, Transformer,
};

/// A transformer and the note that it leaves on objects.
type Noted = (Transformer, Option<Note>);

/// The label that validators may add.
const VALIDATED_BY: &str = "validated-by";

impl Target<'_> {
    pub(super) fn transform(&self, all: &mut Accumulated) -> Result<()> {
        let empty = Config::default();
        let config = all.config.as_deref().unwrap_or(&empty);
        let mut transformers = self.builtin(config)?;
        transformers.extend(self.external(&self.kustomization.transformers)?);
        let compat = self.loader.options().compat;
        for (transformer, note) in &transformers {
            transformer.run(&mut all.set, compat)?;
            all.set.drop_empty();
            if let Some(note) = note {
                all.set.objects_mut().iter_mut().try_for_each(|object| note.add_transformation(object))?;
            }
        }
        Ok(())
    }

    fn external(&self, entries: &[crate::conf::Text]) -> Result<Vec<Noted>> {
        let mut out = Vec::new();
        for config in self.plugin_configs(entries)? {
            let note = Note::of_plugin(&config);
            let loaded = plugin::load_transformer(&self.context(), &config)?;
            let count = loaded.len();
            // What stands for several leaves one note, behind the last.
            for (number, transformer) in loaded.into_iter().enumerate() {
                out.push((transformer, note.clone().filter(|_| number + 1 == count)));
            }
        }
        Ok(out)
    }

    fn builtin(&self, config: &Config) -> Result<Vec<Noted>> {
        let kustomization = &self.kustomization;
        let mut out: Vec<Noted> = Vec::new();
        let mut add = |kind: &str, transformer: Transformer| {
            let note = self.note.as_ref().map(|note| note.builtin(&kustomization.file, kind));
            out.push((transformer, note));
        };
        let doing = |kind: &'static str| move || format!("trouble configuring builtin {kind}");
        if !kustomization.patches_strategic_merge.is_empty() {
            let patches = &kustomization.patches_strategic_merge;
            let loaded = StrategicPatches::load(&self.loader, &self.schema, patches, "")
                .within(doing("PatchStrategicMergeTransformer"))?;
            add("PatchStrategicMergeTransformer", Transformer::StrategicPatches(loaded));
        }
        for patch in &kustomization.patches {
            let loaded = plugin::patch_file(&self.context(), patch, self.loader.options().compat)?;
            add("PatchTransformer", Transformer::Patch(Box::new(loaded)));
        }
        if !kustomization.namespace.is_empty() {
            let namespace = Namespace {
                namespace: kustomization.namespace.clone(),
                fields: config.namespace.clone(),
                unset_only: false,
                subjects: SubjectMode::DefaultOnly,
            };
            add("NamespaceTransformer", Transformer::Namespace(namespace));
        }
        for (side, text, fields, kind) in [
            (Side::Prefix, &kustomization.name_prefix, &config.name_prefix, "PrefixTransformer"),
            (Side::Suffix, &kustomization.name_suffix, &config.name_suffix, "SuffixTransformer"),
        ] {
            if !text.is_empty() {
                add(kind, Transformer::Affix(Affix { side, text: text.clone(), fields: fields.clone() }));
            }
        }
        for label in &kustomization.labels {
            let fields = label_fields(label, config).within(|| "failed to merge labels".into())?;
            let labels = Labels { target: LabelTarget::Labels, pairs: label.pairs.clone(), fields };
            add("LabelTransformer", Transformer::Labels(labels));
        }
        if !kustomization.labels.is_empty() || !kustomization.common_labels.is_empty() {
            let labels = Labels {
                target: LabelTarget::Labels,
                pairs: kustomization.common_labels.clone(),
                fields: config.common_labels.clone(),
            };
            add("LabelTransformer", Transformer::Labels(labels));
        }
        if !kustomization.common_annotations.is_empty() {
            let annotations = Labels {
                target: LabelTarget::Annotations,
                pairs: kustomization.common_annotations.clone(),
                fields: config.common_annotations.clone(),
            };
            add("AnnotationsTransformer", Transformer::Labels(annotations));
        }
        for patch in &kustomization.patches_json6902 {
            let target = patch.target.as_ref();
            let place = patch.place.as_ref();
            let loaded = JsonPatch6902::load(&self.loader, target, &patch.path, &patch.patch, place)
                .within(doing("PatchJson6902Transformer"))?;
            add("PatchJson6902Transformer", Transformer::JsonPatch(Box::new(loaded)));
        }
        for replica in &kustomization.replicas {
            let replicas = ReplicaCount { replica: replica.clone(), fields: config.replicas.clone() };
            add("ReplicaCountTransformer", Transformer::Replicas(replicas));
        }
        for image in &kustomization.images {
            add("ImageTagTransformer", Transformer::Image(ImageTag::new(image.clone(), config.images.clone())?));
        }
        if !kustomization.replacements.is_empty() {
            let mut list = Vec::new();
            for field in &kustomization.replacements {
                list.extend(plugin::load_replacements(&self.loader, field).within(doing("ReplacementTransformer"))?);
            }
            add("ReplacementTransformer", Transformer::Replacements(Replacements(list)));
        }
        Ok(out)
    }

    /// Validators may look, and add the label that says so.
    pub(super) fn validate(&self, all: &mut Accumulated) -> Result<()> {
        for (validator, _) in self.external(&self.kustomization.validators)? {
            let before = all.set.clone();
            validator.run(&mut all.set, self.loader.options().compat)?;
            let same = before.objects().len() == all.set.objects().len()
                && before.objects().iter().zip(all.set.objects()).all(|(a, b)| same_but_validated(a, b));
            if !same {
                return Err(Problem::Plugin.says("validator shouldn't modify the resource map"));
            }
        }
        Ok(())
    }
}

fn same_but_validated(before: &crate::object::Object, after: &crate::object::Object) -> bool {
    let mut stripped = after.clone();
    let labels = stripped.tree.find(&["metadata", "labels"]);
    if let Some(labels) = labels
        && stripped.tree.clear(labels, VALIDATED_BY).is_some()
        && stripped.tree.is_empty(labels)
        && let Some(meta) = stripped.tree.find(&["metadata"])
    {
        stripped.tree.clear(meta, "labels");
    }
    let json = |object: &crate::object::Object| object.tree.to_json(object.tree.root).ok();
    json(before) == json(&stripped)
}

fn label_fields(label: &Label, config: &Config) -> Result<Vec<FieldSpec>> {
    let mut fields = label.fields.clone();
    merge_all(&mut fields, &config.labels)?;
    if label.include_selectors {
        merge_all(&mut fields, &config.common_labels)?;
        return Ok(fields);
    }
    if label.include_templates {
        merge_all(&mut fields, &config.template_labels).within(|| "failed to merge template fieldSpec".into())?;
    }
    if label.include_volume_claim_templates {
        let stateful = Gvk { group: "apps".into(), ..Gvk::kind("StatefulSet") };
        merge_one(&mut fields, &FieldSpec::new(stateful, "spec/volumeClaimTemplates[]/metadata/labels", true))?;
    }
    merge_one(&mut fields, &FieldSpec::everywhere("metadata/labels"))?;
    Ok(fields)
}
