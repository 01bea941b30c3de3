//! `strategy.…`, `matrix.…`, `repeat.…` inside a loop (pipelines §4.6).

use super::node::outside;
use super::{Place, RunScope};
use crate::plan::Section;
use windlass_expression::Lookup;

impl RunScope<'_> {
    /// The innermost loop around a place that knows the name.
    pub(super) fn looping(&self, from: Place, path: &[&str]) -> Lookup {
        let mut around = self.outwards().skip_while(|place| *place != from);
        let found = around.find_map(|place| {
            let instance = place.node.and_then(|ix| self.run.nodes[ix].instance.as_ref())?;
            let found = match path {
                ["strategy", "iteration"] => Lookup::author(i64::from(instance.iteration)),
                ["strategy", "iterations"] => Lookup::author(i64::from(instance.iterations)),
                ["strategy", "identifierPostFix"] => Lookup::author(instance.suffix.as_str()),
                ["matrix" | "repeat", path @ ..] => outside(&instance.bindings, path),
                _ => Lookup::Missing,
            };
            (found != Lookup::Missing).then_some(found)
        });
        found.unwrap_or(Lookup::Missing)
    }

    /// A turn of a loop by its full identifier: `deploy_0`.
    pub(super) fn turn(&self, place: Place, section: Section, identifier: &str) -> Option<Place> {
        let parent = place.node?;
        self.run.nodes[parent].children.iter().copied().find_map(|child| {
            let node = &self.run.nodes[child];
            let entry = self.run.plan.get(node.plan);
            let suffix = &node.instance.as_ref()?.suffix;
            let is = entry.section == section && identifier.strip_prefix(&*entry.identifier) == Some(suffix);
            is.then_some(Place { plan: node.plan, node: Some(child) })
        })
    }
}
