//! Objects from text and to text.

use crate::object::Object;
use crate::{Json, set};
use windlass_diagnostic::{Diagnostics, Place};
use windlass_yaml::{NumberStyle, Options};

/// Reads the documents of a file of manifests, YAML or JSON. Empty documents are left out.
///
/// # Errors
/// Every problem of the text, with line and column: what is not YAML, keys that occur twice, what is too large.
pub fn documents(file: &str, text: &str) -> Result<Vec<(Json, Option<Place>)>, Diagnostics> {
    let documents = windlass_yaml::parse(file, text, &Options::OBJECTS)?;
    let with_content = documents.into_iter().filter(|document| !document.root.is_null());
    Ok(with_content.map(|d| (d.root.to_json(NumberStyle::Typed), Some(d.root.place))).collect())
}

/// Reads several files into one set of objects (kubernetes-deploy §1.6).
///
/// # Errors
/// Every problem of every file.
pub fn objects<'f>(
    files: impl IntoIterator<Item = (&'f str, &'f str)>,
    rules: &set::Rules,
    catalog: &crate::schema::Catalog,
) -> Result<(Vec<Object>, Diagnostics), Diagnostics> {
    let mut all = Vec::new();
    let mut problems = Diagnostics::new();
    for (file, text) in files {
        match documents(file, text) {
            Ok(found) => all.extend(found),
            Err(found) => problems.append(found),
        }
    }
    if problems.has_errors() {
        return Err(problems);
    }
    set::objects(all, rules, catalog)
}

/// Objects as one YAML text, documents apart by `---`: what a step shows as `manifests.yaml`.
pub fn to_text(objects: &[Object]) -> String {
    windlass_yaml::to_yaml_documents(objects.iter().map(Object::json))
}
