use crate::{Json, field};

/// What stands for a value that must not be seen.
const MASK: &str = "++++";
const BEFORE: &str = "++++ (before)";
const AFTER: &str = "++++ (after)";

/// Carries the whole Secret in clear text.
const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// Hides the values of Secrets. Equal values look alike, different ones do not; nothing of them can be told.
pub(super) fn mask(before: &mut Option<Json>, after: &mut Option<Json>) {
    let is_secret = |object: &Option<Json>| {
        object.as_ref().is_some_and(|o| {
            field::text(o, &["kind"]) == Some("Secret") && field::text(o, &["apiVersion"]) == Some("v1")
        })
    };
    if !is_secret(before) && !is_secret(after) {
        return;
    }
    for path in [&["data"][..], &["stringData"][..], &["metadata", "annotations"][..]] {
        let names = names_at(before, path).chain(names_at(after, path));
        let names: Vec<String> = names.filter(|name| path.len() == 1 || name == LAST_APPLIED).collect();
        for name in names {
            hide(before, after, path, &name);
        }
        // A map of another type is hidden whole.
        for object in [&mut *before, &mut *after].into_iter().flatten() {
            if let (1, Some(value)) = (path.len(), field::get_mut(object, path))
                && !value.is_object()
                && !value.is_null()
            {
                *value = MASK.into();
            }
        }
    }
}

fn names_at<'o>(object: &'o Option<Json>, path: &[&str]) -> impl Iterator<Item = String> + use<'o> {
    let map = object.as_ref().and_then(|o| field::get(o, path)).and_then(Json::as_object);
    map.into_iter().flat_map(|map| map.keys().cloned())
}

fn hide(before: &mut Option<Json>, after: &mut Option<Json>, path: &[&str], name: &str) {
    let value = |object: &Option<Json>| object.as_ref().and_then(|o| field::get(o, path)?.get(name).cloned());
    let (old, new) = (value(before), value(after));
    let differ = old.is_some() && new.is_some() && old != new;
    for (object, value, mark) in [(before, old, BEFORE), (after, new, AFTER)] {
        if let (Some(object), Some(_)) = (object, value)
            && let Some(slot) = field::get_mut(object, path).and_then(|map| map.get_mut(name))
        {
            *slot = if differ { mark } else { MASK }.into();
        }
    }
}
