//! Images of the release in manifests that nobody templates (kubernetes-deploy §1.5).

use windlass_diagnostic::{Diagnostic, Diagnostics};
use windlass_manifest::{Object, image};
use windlass_model::task::source::ImageInjection;

/// Replaces images by repository, then the placeholder in tags. Returns how many images were changed.
pub(crate) fn inject(objects: &mut [Object], images: &ImageInjection) -> Result<usize, Diagnostics> {
    let by_name: Vec<(String, String)> = images.replace.iter().map(|(name, new)| (name.clone(), new.clone())).collect();
    let mut count = 0;
    if !by_name.is_empty() {
        count += objects.iter_mut().map(|object| image::replace_by_name(object.json_mut(), &by_name)).sum::<usize>();
    }
    match (images.placeholder.as_deref().filter(|placeholder| !placeholder.is_empty()), &images.tag) {
        (Some(placeholder), Some(tag)) => count += image::replace_placeholder(objects, placeholder, tag)?,
        (Some(placeholder), None) => without_tag(objects, placeholder)?,
        (None, _) => {}
    }
    Ok(count)
}

/// A placeholder that nothing replaces must not reach the cluster.
fn without_tag(objects: &[Object], placeholder: &str) -> Result<(), Diagnostics> {
    let mut problems = Diagnostics::new();
    for object in objects.iter().filter(|object| object.json().to_string().contains(placeholder)) {
        let message = format!("{} holds `{placeholder}`, and this deployment has no tag to put there", object.key());
        problems.push(
            Diagnostic::error("REN0004", message).remedy("give the run an image tag, or the service an artifact"),
        );
    }
    problems.into_result(()).map(drop)
}
