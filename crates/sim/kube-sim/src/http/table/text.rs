//! Short texts for cells.

use crate::object::Object;
use crate::selectors::LabelSelector;
use serde_json::Value;
use windlass_model::Timestamp;

/// A length of time with two or three significant figures: `45s`, `3m20s`, `5h`, `12d`.
pub(super) fn duration(seconds: i64) -> String {
    if seconds < -1 {
        return "<invalid>".into();
    }
    let (minutes, hours) = (seconds / 60, seconds / 3_600);
    let two = |big: i64, unit: &str, small: i64, small_unit: &str| {
        if small == 0 { format!("{big}{unit}") } else { format!("{big}{unit}{small}{small_unit}") }
    };
    match () {
        () if seconds < 0 => "0s".into(),
        () if seconds < 120 => format!("{seconds}s"),
        () if minutes < 10 => two(minutes, "m", seconds % 60, "s"),
        () if minutes < 180 => format!("{minutes}m"),
        () if hours < 8 => two(hours, "h", minutes % 60, "m"),
        () if hours < 48 => format!("{hours}h"),
        () if hours < 24 * 8 => two(hours / 24, "d", hours % 24, "h"),
        () if hours < 24 * 365 * 2 => format!("{}d", hours / 24),
        () if hours < 24 * 365 * 8 => two(hours / 24 / 365, "y", (hours / 24) % 365, "d"),
        () => format!("{}y", hours / 24 / 365),
    }
}

/// Time since a moment; `<unknown>` for none.
pub(super) fn age(moment: &str, now: Timestamp) -> String {
    match Timestamp::parse(moment) {
        Some(at) => duration((now.micros() - at.micros()).div_euclid(1_000_000)),
        None => "<unknown>".into(),
    }
}

pub(super) fn or_none(text: &str) -> String {
    if text.is_empty() { "<none>".into() } else { text.into() }
}

/// Names and images of containers, each as one text.
pub(super) fn containers(template: &Value, pointer: &str) -> [Value; 2] {
    let join = |field: &str| {
        template.list(pointer).iter().map(|c| c.text(field).to_owned()).collect::<Vec<_>>().join(",").into()
    };
    [join("/name"), join("/image")]
}

/// A selector, `<none>` when it selects everything.
pub(super) fn selector(object: &Value, pointer: &str) -> Value {
    let text = LabelSelector::of(object.at(pointer)).to_string();
    or_none(&text).into()
}

/// Labels as `a=b,c=d`.
pub(super) fn labels(object: &Value, pointer: &str) -> Value {
    or_none(&LabelSelector::of_map(object.at(pointer)).to_string()).into()
}

pub(super) fn count(object: &Value, pointer: &str) -> i64 {
    object.int(pointer).unwrap_or(0)
}

/// An integer or a text, as people wrote it.
pub(super) fn either(value: Option<&Value>, absent: &str) -> Value {
    match value {
        Some(Value::String(text)) => text.as_str().into(),
        Some(Value::Number(n)) => n.to_string().into(),
        _ => absent.into(),
    }
}

/// The first few of many: `a,b,c + 2 more...`.
pub(super) fn some_of(items: &[String], most: usize, separator: &str, total: usize) -> String {
    if items.len() <= most && total <= most {
        return items.join(separator);
    }
    let shown = &items[..items.len().min(most)];
    format!("{} + {} more...", shown.join(separator), total.saturating_sub(most))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_read_as_kubectl_shows_them() {
        for (seconds, text) in [
            (-5, "<invalid>"),
            (0, "0s"),
            (119, "119s"),
            (120, "2m"),
            (200, "3m20s"),
            (3_600, "60m"),
            (11_000, "3h3m"),
            (50_000, "13h"),
            (200_000, "2d7h"),
            (2_000_000, "23d"),
            (100_000_000, "3y62d"),
        ] {
            assert_eq!(duration(seconds), text, "{seconds}");
        }
    }

    #[test]
    fn long_lists_are_cut() {
        let items: Vec<String> = ["a", "b", "c", "d", "e"].map(String::from).to_vec();
        assert_eq!(some_of(&items, 3, ",", 5), "a,b,c + 2 more...");
        assert_eq!(some_of(&items[..2], 3, ",", 2), "a,b");
    }
}
