/// The candidate that a person most likely meant, or nothing when none is close.
///
/// Compares without case; one transposition costs as much as one edit. Close means at most a third of the letters differ.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wanted: Vec<char> = word.chars().take(LONGEST).flat_map(char::to_lowercase).collect();
    let limit = (wanted.len() / 3).max(1);
    candidates
        .into_iter()
        .filter(|c| *c != word)
        .map(|c| (distance(&wanted, &c.chars().take(LONGEST).flat_map(char::to_lowercase).collect::<Vec<_>>()), c))
        .filter(|(d, _)| *d <= limit)
        .min_by_key(|(d, _)| *d)
        .map(|(_, c)| c)
}

/// Words are cut here before they are compared: the work is quadratic and the word may come from an attacker.
const LONGEST: usize = 64;

/// Optimal string alignment distance.
fn distance(a: &[char], b: &[char]) -> usize {
    let width = b.len() + 1;
    let mut before = vec![0; width];
    let mut last: Vec<usize> = (0..width).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; width];
        for j in 1..width {
            let swap = usize::from(a[i - 1] != b[j - 1]);
            row[j] = (last[j] + 1).min(row[j - 1] + 1).min(last[j - 1] + swap);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before[j - 2] + 1);
            }
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn finds_what_was_meant() {
        let kinds = ["K8sRollingDeploy", "K8sRollingRollback", "K8sCanaryDeploy", "K8sApply"];
        assert_eq!(nearest("K8sRolingDeploy", kinds), Some("K8sRollingDeploy"));
        assert_eq!(nearest("k8sapply", kinds), Some("K8sApply"));
        assert_eq!(nearest("K8sAplpy", kinds), Some("K8sApply"));
        assert_eq!(nearest("Terraform", kinds), None);
        assert_eq!(nearest("x", ["", "y"]), Some(""));
    }
}
