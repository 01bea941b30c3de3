//! Images of the release in manifests that nobody templates (kubernetes-deploy §1.5).

use windlass_diagnostic::Diagnostics;
use windlass_manifest::{Object, image};
use windlass_model::task::source::ImageInjection;

/// Replaces images by repository, then the placeholder in tags. Returns how many images were changed.
pub(crate) fn inject(objects: &mut [Object], images: &ImageInjection) -> Result<usize, Diagnostics> {
    let by_name: Vec<(String, String)> = images.replace.iter().map(|(name, new)| (name.clone(), new.clone())).collect();
    let mut count = 0;
    if !by_name.is_empty() {
        count += objects.iter_mut().map(|object| image::replace_by_name(object.json_mut(), &by_name)).sum::<usize>();
    }
    if let (Some(placeholder), Some(tag)) = (&images.placeholder, &images.tag) {
        count += image::replace_placeholder(objects, placeholder, tag)?;
    }
    Ok(count)
}
