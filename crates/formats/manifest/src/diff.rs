//! What differs between two versions of an object, as a list of changes and as text (kubernetes-deploy §2.4).
//!
//! What the server keeps for itself is left out, and the values of Secrets are never shown.

mod change;
mod mask;
mod text;

pub use change::{Change, changes};
pub use text::unified;

use crate::{Json, field};

/// Fields of the metadata that the server keeps for itself.
const OF_SERVER: [&str; 6] = ["managedFields", "resourceVersion", "generation", "uid", "creationTimestamp", "selfLink"];

/// An object without its status and without what the server keeps for itself.
pub fn normalised(object: &Json) -> Json {
    let mut out = object.clone();
    if let Some(map) = out.as_object_mut() {
        map.remove("status");
    }
    for name in OF_SERVER {
        field::remove(&mut out, &["metadata"], name);
    }
    out
}

/// Whether two versions of an object are the same for a deployment (kubernetes-deploy §1.8: nothing is sent then).
pub fn is_same(a: &Json, b: &Json) -> bool {
    normalised(a) == normalised(b)
}
