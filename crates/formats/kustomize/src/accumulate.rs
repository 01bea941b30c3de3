//! One kustomization after the other, each with what it names (rendering §1.2).

mod resources;
mod transformers;

use crate::config::Config;
use crate::error::{Problem, Result, Within};
use crate::kustomization::{self, COMPONENT, Deprecated, GeneratorOptions, Kustomization};
use crate::loader::Loader;
use crate::note::{self, Note};
use crate::object::Object;
use crate::plugin::{self, Context};
use crate::schema::Schema;
use crate::set::Set;
use crate::variable::{self, Variables};
use crate::{chart, crd, generate};
use std::rc::Rc;

/// What has come together so far.
#[derive(Debug, Default)]
pub(crate) struct Accumulated {
    pub(crate) set: Set,
    pub(crate) config: Option<Rc<Config>>,
    pub(crate) variables: Variables,
    /// Fields that should not be used any more, of every kustomization, those of overlays first.
    pub(crate) deprecated: Vec<Deprecated>,
}

impl Accumulated {
    fn merge_config(&mut self, other: Option<&Rc<Config>>) -> Result<()> {
        match (&mut self.config, other) {
            (_, None) => Ok(()),
            (Some(mine), Some(other)) => {
                if Rc::ptr_eq(mine, other) {
                    return Ok(());
                }
                Rc::make_mut(mine).merge(other)
            }
            (mine @ None, Some(other)) => {
                *mine = Some(Config::on_its_own(other)?);
                Ok(())
            }
        }
    }

    /// Adds everything that another kustomization brought together.
    pub(crate) fn merge(&mut self, other: Self) -> Result<()> {
        self.set.append_all(other.set.into_objects())?;
        self.deprecated.extend(other.deprecated);
        self.merge_config(other.config.as_ref())?;
        variable::merge(&mut self.variables, other.variables.into_values())
    }
}

/// A kustomization that is being built.
pub(crate) struct Target<'a> {
    pub(crate) loader: Rc<Loader<'a>>,
    pub(crate) kustomization: Kustomization,
    pub(crate) schema: Rc<Schema>,
    /// Where it is, when the build notes origins.
    pub(crate) note: Option<Note>,
    /// The namespace that an overlay gives to charts (5.8).
    pub(crate) chart_namespace: String,
}

impl<'a> Target<'a> {
    fn context(&self) -> Context<'_, 'a> {
        Context { loader: &self.loader, schema: &self.schema }
    }

    /// Brings together what the kustomization names and changes it as it says.
    pub(crate) fn accumulate(&self, mut all: Accumulated) -> Result<Accumulated> {
        let kustomization = &self.kustomization;
        all.deprecated.extend(kustomization.deprecated.iter().cloned());
        self.resources(&mut all, &kustomization.resources).within(|| "accumulating resources".into())?;
        let config = Config::load(&self.loader, &kustomization.configurations)?;
        all.merge_config(Some(&config)).within(|| "merging config".into())?;
        if !kustomization.crds.is_empty() {
            let crds = crd::load(&self.loader, &kustomization.crds).within(|| "loading CRDs".into())?;
            all.merge_config(Some(&Rc::new(crds))).within(|| "merging CRDs".into())?;
        }
        self.generate(&mut all)?;
        all = self.components(all).within(|| "accumulating components".into())?;
        self.transform(&mut all)?;
        self.validate(&mut all)?;
        variable::register(&mut all.set, &mut all.variables, &kustomization.vars).within(|| "merging vars".into())?;
        Ok(all)
    }

    fn generate(&self, all: &mut Accumulated) -> Result<()> {
        let kustomization = &self.kustomization;
        let global = kustomization.generator_options.as_ref();
        let kinds = [
            (generate::Generated::ConfigMap, &kustomization.config_maps, "ConfigMapGenerator"),
            (generate::Generated::Secret, &kustomization.secrets, "SecretGenerator"),
        ];
        for (of, list, kind) in kinds {
            for args in list {
                let options = GeneratorOptions::merged(args.options.as_ref(), global);
                let made = generate::generate(&self.loader, &self.schema, of, args, options.as_ref())?;
                self.absorb(all, vec![made], kind)?;
            }
        }
        let own = &kustomization.namespace.text;
        let namespace = if own.is_empty() { &self.chart_namespace } else { own };
        for chart in &kustomization.helm_charts {
            let made = chart::template(&self.loader, &self.schema, chart, &kustomization.helm_globals, namespace)?;
            self.absorb(all, made, "HelmChartInflationGenerator")?;
        }
        let configs = self.plugin_configs(&kustomization.generators).within(|| "loading generator plugins".into())?;
        for config in &configs {
            let made = plugin::run_generator(&self.context(), config).within(|| "loading generator plugins".into())?;
            self.absorb_noted(all, made, Note::of_plugin(config).as_ref())?;
        }
        Ok(())
    }

    fn absorb(&self, all: &mut Accumulated, made: Vec<Object>, kind: &str) -> Result<()> {
        let note = self.note.as_ref().map(|note| note.builtin(&self.kustomization.file, kind));
        self.absorb_noted(all, made, note.as_ref())
    }

    fn absorb_noted(&self, all: &mut Accumulated, made: Vec<Object>, note: Option<&Note>) -> Result<()> {
        for mut object in made {
            if let Some(note) = note
                && !note::has_origin(&object)
            {
                note::set(&mut object, note::ORIGIN, Some(note.text()))?;
            }
            all.set.absorb(object).within(|| "merging from generator".into())?;
        }
        Ok(())
    }

    fn components(&self, mut all: Accumulated) -> Result<Accumulated> {
        for path in &self.kustomization.components {
            let place = path.place.as_ref();
            let loader = self.loader.below(path).place(place).within(|| format!("loader.New '{}'", path.text))?;
            let target = self.child(loader, path, true).place(place)?;
            let made = target
                .accumulate(all)
                .within(|| format!("accumulateDirectory: recursed accumulation of path '{}'", target.loader.root))?;
            all = Accumulated::default();
            all.merge(made).within(|| format!("recursed merging from path '{}'", target.loader.root))?;
        }
        Ok(all)
    }

    /// The kustomization of a folder that this one names.
    fn child(&self, loader: Rc<Loader<'a>>, path: &str, component: bool) -> Result<Target<'a>> {
        let root = loader.root.clone();
        let kustomization =
            kustomization::load(&loader).within(|| format!("couldn't make target for path '{root}'"))?;
        choose_schema(&self.schema, &loader, &kustomization, false)?;
        let is_component = kustomization.kind == COMPONENT;
        if component && !is_component {
            let what = format!("expected kind '{COMPONENT}' for path '{root}' but got '{}'", kustomization.kind);
            return Err(Problem::Kustomization.says(what).remedy("name it under `resources`, or make it a component"));
        }
        if !component && is_component {
            let what = format!("expected kind != '{COMPONENT}' for path '{root}'");
            return Err(Problem::Kustomization.says(what).remedy("name it under `components`"));
        }
        let own = &self.kustomization.namespace.text;
        Ok(Target {
            loader,
            kustomization,
            schema: Rc::clone(&self.schema),
            note: self.note.as_ref().map(|note| note.below(path)),
            chart_namespace: if own.is_empty() { self.chart_namespace.clone() } else { own.clone() },
        })
    }
}

/// Sets the schema that a kustomization asks for. The first that is set stays.
pub(crate) fn choose_schema(
    schema: &Schema,
    loader: &Loader<'_>,
    kustomization: &Kustomization,
    root: bool,
) -> Result<()> {
    let openapi = &kustomization.openapi;
    let loaded = openapi.get("path").map(|path| loader.load_text(path).place(path.place.as_ref())).transpose()?;
    let version = openapi.get("version");
    let _ = root;
    match (loaded, version) {
        (Some(_), Some(version)) => Err(Problem::Kustomization
            .says("builtin version and custom schema provided, cannot use both")
            .at(version.place.as_ref())),
        (Some((file, text)), None) => schema.choose(&file, &text),
        (None, Some(version)) if version.is_empty() => Ok(()),
        (None, Some(version)) if version.text != "v1.21.2" => Err(Problem::Kustomization
            .says("the specified OpenAPI version is not built in")
            .at(version.place.as_ref())
            .remedy("only v1.21.2 is built in")),
        (None, Some(_)) => {
            schema.choose_builtin();
            Ok(())
        }
        (None, None) => Ok(()),
    }
}
