//! The objects of one deployment: read, expanded, placed in namespaces, and without duplicates (kubernetes-deploy §1.6).

use crate::object::{Object, expand_lists};
use crate::schema::{Catalog, Scope};
use crate::{Json, code, field};
use std::collections::HashMap;
use windlass_diagnostic::{Diagnostic, Diagnostics, Place};

/// How a set of objects is taken in.
#[derive(Clone, Debug, Default)]
pub struct Rules {
    /// For namespaced objects that name no namespace.
    pub namespace: String,
    /// A namespace other than that of the infrastructure is an error (setting `enforceInfraNamespace`).
    pub enforce_namespace: bool,
    /// Objects whose name the server makes are allowed: only in K8sApply.
    pub allow_generate_name: bool,
}

/// The most objects a set may hold.
pub const MOST_OBJECTS: usize = 20_000;

/// Makes a set of objects from documents in their order.
///
/// Empty documents are dropped, lists expanded, definitions of custom resources added to what `catalog` knows. The second
/// part of the answer holds warnings.
///
/// # Errors
/// Every problem of every document.
pub fn objects(
    documents: impl IntoIterator<Item = (Json, Option<Place>)>,
    rules: &Rules,
    catalog: &Catalog,
) -> Result<(Vec<Object>, Diagnostics), Diagnostics> {
    let mut problems = Diagnostics::new();
    let mut objects = Vec::new();
    for (document, place) in documents {
        match expand_lists(document) {
            Ok(expanded) => {
                for json in expanded.into_iter().filter(|json| !json.is_null()) {
                    match Object::new(json, place.clone()) {
                        Ok(object) => objects.push(object),
                        Err(found) => problems.append(found),
                    }
                }
            }
            Err(found) => problems.append(
                found
                    .into_iter()
                    .map(|problem| match &place {
                        Some(place) => problem.at(place.clone()),
                        None => problem,
                    })
                    .collect(),
            ),
        }
        if objects.len() > MOST_OBJECTS {
            let message = format!("more than {MOST_OBJECTS} objects in one set");
            problems.push(Diagnostic::error(code::TOO_MUCH, message).remedy("split it into several services"));
            return Err(problems);
        }
    }
    refuse_generated_names(&objects, rules, &mut problems);
    place_in_namespaces(&mut objects, rules, catalog, &mut problems);
    refuse_duplicates(&objects, &mut problems);
    problems.into_result(objects)
}

fn refuse_generated_names(objects: &[Object], rules: &Rules, problems: &mut Diagnostics) {
    for object in objects.iter().filter(|o| o.name().is_empty() && !rules.allow_generate_name) {
        let problem = Diagnostic::error(code::GENERATE_NAME, "`generateName` is allowed in a K8sApply step only")
            .remedy("give the object a `name`: a release must find its objects again");
        problems.push(object.problem(problem, "metadata.generateName"));
    }
}

fn place_in_namespaces(objects: &mut [Object], rules: &Rules, catalog: &Catalog, problems: &mut Diagnostics) {
    let mut known = catalog.clone();
    for definition in objects.iter().filter(|o| o.is("apiextensions.k8s.io", "CustomResourceDefinition")) {
        if let Err(error) = known.add_crd(definition.json()) {
            let problem = Diagnostic::warning(code::UNKNOWN_KIND, format!("the definition cannot be read: {error}"));
            problems.push(definition.problem(problem, "spec"));
            // Where its objects live is known all the same.
            let mut names_only = definition.json().clone();
            for version in names_only.pointer_mut("/spec/versions").and_then(Json::as_array_mut).into_iter().flatten() {
                field::remove(version, &[], "schema");
            }
            let _ = known.add_crd(&names_only);
        }
    }
    for object in objects {
        let scope = known.scope(&object.gvk());
        match (scope, object.namespace().map(str::to_owned)) {
            (Some(Scope::Cluster), Some(_)) => {
                let problem = Diagnostic::warning(
                    code::CLUSTER_SCOPED,
                    "objects of this kind live in no namespace; it is left out",
                );
                problems.push(object.problem(problem, "metadata.namespace"));
                object.set_namespace(None);
            }
            (Some(Scope::Cluster), None) => {}
            (_, Some(namespace)) if rules.enforce_namespace && namespace != rules.namespace => {
                let message =
                    format!("namespace `{namespace}` differs from `{}` of the infrastructure", rules.namespace);
                let problem = Diagnostic::error(code::NAMESPACE, message)
                    .remedy("remove it, or switch the setting `enforceInfraNamespace` off");
                problems.push(object.problem(problem, "metadata.namespace"));
            }
            (scope, None) => {
                if scope.is_none() {
                    let message = format!("the cluster does not know {}; it is taken as namespaced", object.gvk());
                    problems.push(object.problem(Diagnostic::warning(code::UNKNOWN_KIND, message), ""));
                }
                if !rules.namespace.is_empty() {
                    object.set_namespace(Some(&rules.namespace));
                }
            }
            (_, Some(_)) => {}
        }
    }
}

fn refuse_duplicates(objects: &[Object], problems: &mut Diagnostics) {
    let mut seen = HashMap::new();
    for object in objects.iter().filter(|o| !o.name().is_empty()) {
        if let Some(first) = seen.insert(object.key(), object) {
            let before = first.place().map(|place| format!(", first at {place}")).unwrap_or_default();
            let message = format!("{} is there twice{before}", object.key().in_namespace());
            problems.push(object.problem(Diagnostic::error(code::DUPLICATE, message), ""));
        }
    }
}
