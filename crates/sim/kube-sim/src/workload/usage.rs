//! The use of a container, read from two pages of metrics: counters of the processor, and the memory of the second.

use super::{USAGE_WINDOW, Usage};

const CPU: &str = "container_cpu_usage_seconds_total";
const MEMORY: &str = "container_memory_working_set_bytes";

/// Nothing when either page does not tell of the container, or when it tells of neither processor nor memory: a process that
/// takes no memory is one of which nobody said what it takes.
pub(super) fn between(earlier: &str, later: &str, container: &str) -> Option<Usage> {
    let spent = (read(later, CPU, container)? - read(earlier, CPU, container)?).max(0.0);
    let memory = read(later, MEMORY, container)?;
    let seconds = USAGE_WINDOW.to_std().as_secs_f64();
    let usage = Usage { cpu: whole(spent / seconds * 1e9), memory: whole(memory) };
    (usage != Usage::default()).then_some(usage)
}

/// The value of a metric of a container.
fn read(page: &str, metric: &str, container: &str) -> Option<f64> {
    let label = format!("container=\"{container}\"");
    page.lines().find_map(|line| {
        let (labels, value) = line.strip_prefix(metric)?.strip_prefix('{')?.rsplit_once("} ")?;
        labels.split(',').any(|part| part == label).then(|| value.parse().ok())?
    })
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "floats beyond the range end at its ends")]
fn whole(value: f64) -> u64 {
    value.round() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(cpu: &str, memory: &str) -> String {
        let line = |metric: &str, container: &str, value: &str| {
            format!("{metric}{{app=\"web\",container=\"{container}\",pod=\"web-1\"}} {value}\n")
        };
        [
            line(CPU, "proxy", "900"),
            line(MEMORY, "proxy", "7"),
            format!("# TYPE {CPU} counter\n"),
            line(CPU, "app", cpu),
            line(MEMORY, "app", memory),
        ]
        .concat()
    }

    #[test]
    fn the_use_is_what_the_counters_moved() {
        let usage = between(&page("10", "1000"), &page("13", "2048"), "app");
        assert_eq!(usage, Some(Usage { cpu: 200_000_000, memory: 2_048 }));
    }

    #[test]
    fn a_restart_that_sets_the_counter_back_uses_nothing_yet() {
        assert_eq!(between(&page("10", "5"), &page("1", "6"), "app"), Some(Usage { cpu: 0, memory: 6 }));
    }

    #[test]
    fn what_is_not_told_is_not_known() {
        assert_eq!(between("", &page("1", "6"), "app"), None, "it did not run then");
        assert_eq!(between(&page("0", "0"), &page("0", "0"), "app"), None, "its image says nothing");
        assert_eq!(between(&page("1", "6"), &page("1", "6"), "other"), None);
    }
}
