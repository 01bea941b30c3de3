//! How many pods the use of a resource asks for: use over target, times the pods that were measured.

use super::pods::Standing;

/// How far use may be from its target without a change.
const TOLERANCE: f64 = 0.1;

/// One pod. Amounts are thousandths of a processor or of a byte.
#[derive(Clone, Debug)]
pub(super) struct Pod {
    pub(super) standing: Standing,
    /// What it uses; it counts when the pod is ready.
    pub(super) usage: Option<i64>,
    /// What it asks for, or why that is not known.
    pub(super) request: Result<i64, String>,
}

/// What the use should be.
#[derive(Clone, Copy, Debug)]
pub(super) enum Aim {
    /// Percent of what the pods ask for.
    Utilization(i64),
    /// An amount for each pod.
    Average(i64),
}

/// What comes out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Answer {
    pub(super) replicas: i64,
    /// Percent of the requests; only where those are the aim.
    pub(super) utilization: Option<i64>,
    /// What a pod uses on the average.
    pub(super) average: i64,
}

/// Use over aim.
#[derive(Clone, Copy, Debug)]
struct Ratio {
    ratio: f64,
    utilization: Option<i64>,
    average: i64,
}

pub(super) fn calculate(pods: &[Pod], current: i64, aim: Aim) -> Result<Answer, String> {
    let all = |standing: Standing| pods.iter().filter(move |pod| pod.standing == standing);
    let mut counted = Vec::new();
    for pod in all(Standing::Ready) {
        counted.extend(pod.usage.map(|usage| (usage, pod.request.clone().unwrap_or(0))));
    }
    if counted.is_empty() {
        return Err("did not receive metrics for targeted pods (pods might be unready)".to_owned());
    }
    if let (Aim::Utilization(_), Some(why)) = (aim, pods.iter().find_map(|pod| pod.request.as_ref().err())) {
        return Err(why.clone());
    }
    let first = ratio(&counted, aim)?;
    let answer = |replicas| Answer { replicas, utilization: first.utilization, average: first.average };
    let request = |pod: &Pod| pod.request.clone().unwrap_or(0);
    let has_missing = all(Standing::Missing).next().is_some();
    let grows_with_unready = first.ratio > 1.0 && all(Standing::Unready).next().is_some();
    if !grows_with_unready && !has_missing {
        let stays = is_tolerated(first.ratio);
        return Ok(answer(if stays { current } else { ceil(first.ratio, counted.len()) }));
    }
    // What nobody measured may use all it asks for when there should be less, and nothing when there should be more.
    for pod in all(Standing::Missing) {
        match (first.ratio, aim) {
            (ratio, _) if ratio > 1.0 => counted.push((0, request(pod))),
            (ratio, Aim::Utilization(percent)) if ratio < 1.0 => {
                counted.push((request(pod) * percent.max(100) / 100, request(pod)));
            }
            (ratio, Aim::Average(amount)) if ratio < 1.0 => counted.push((amount, 0)),
            _ => {}
        }
    }
    if grows_with_unready {
        counted.extend(all(Standing::Unready).map(|pod| (0, request(pod))));
    }
    let second = ratio(&counted, aim)?.ratio;
    // Whoever turned round with the guesses stays.
    let turned = first.ratio < 1.0 && second > 1.0 || first.ratio > 1.0 && second < 1.0;
    let replicas = ceil(second, counted.len());
    let against = second < 1.0 && replicas > current || second > 1.0 && replicas < current;
    Ok(answer(if is_tolerated(second) || turned || against { current } else { replicas }))
}

fn ratio(counted: &[(i64, i64)], aim: Aim) -> Result<Ratio, String> {
    let used: i64 = counted.iter().map(|(usage, _)| usage).sum();
    let asked: i64 = counted.iter().map(|(_, request)| request).sum();
    let average = used / i64::try_from(counted.len()).unwrap_or(1).max(1);
    match aim {
        Aim::Utilization(_) if asked == 0 => Err("no metrics returned matched known pods".to_owned()),
        Aim::Utilization(percent) => {
            let utilization = used.saturating_mul(100) / asked;
            Ok(Ratio { ratio: over(utilization, percent), utilization: Some(utilization), average })
        }
        Aim::Average(amount) => Ok(Ratio { ratio: over(average, amount), utilization: None, average }),
    }
}

fn is_tolerated(ratio: f64) -> bool {
    (1.0 - TOLERANCE..=1.0 + TOLERANCE).contains(&ratio)
}

#[allow(clippy::cast_precision_loss, reason = "as the real one counts")]
fn over(a: i64, b: i64) -> f64 {
    a as f64 / b as f64
}

#[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "as the real one counts")]
fn ceil(ratio: f64, pods: usize) -> i64 {
    (ratio * pods as f64).ceil() as i64
}

#[cfg(test)]
mod tests {
    use super::Aim::{Average, Utilization};
    use super::Standing::{Missing, Ready, Unready};
    use super::*;

    fn pods(all: &[(Standing, i64)], request: i64) -> Vec<Pod> {
        let pod = |(standing, usage): &(Standing, i64)| {
            let usage = (*standing != Missing).then_some(*usage);
            Pod { standing: *standing, usage, request: Ok(request) }
        };
        all.iter().map(pod).collect()
    }

    fn ready(usage: &[i64]) -> Vec<(Standing, i64)> {
        usage.iter().map(|usage| (Ready, *usage)).collect()
    }

    #[test]
    fn the_documented_examples_come_out() {
        let (r, u, m) = (|n| (Ready, n), (Unready, 0), (Missing, 0));
        for (told, pods, current, aim, expected) in [
            ("twice the target doubles", pods(&ready(&[200]), 200), 1, Average(100), (2, None, 200)),
            ("half of it halves", pods(&ready(&[50, 50]), 200), 2, Average(100), (1, None, 50)),
            ("more", pods(&ready(&[300, 500, 700]), 1_000), 3, Utilization(30), (5, Some(50), 500)),
            ("less", pods(&ready(&[100, 300, 500, 250, 250]), 1_000), 5, Utilization(50), (3, Some(28), 280)),
            ("close enough", pods(&ready(&[1_010, 1_030, 1_020]), 1_000), 3, Utilization(100), (3, Some(102), 1_020)),
            ("up to the tolerance", pods(&ready(&[110, 110]), 100), 2, Utilization(100), (2, Some(110), 110)),
            ("beyond it", pods(&ready(&[111, 111]), 100), 2, Utilization(100), (3, Some(111), 111)),
            (
                "unready pods use nothing when it grows",
                pods(&[r(500), r(700), u], 1_000),
                3,
                Utilization(30),
                (4, Some(60), 600),
            ),
            (
                "and are left out when it shrinks",
                pods(&[r(100), r(100), u], 1_000),
                3,
                Utilization(50),
                (1, Some(10), 100),
            ),
            ("missing pods dampen growth", pods(&[r(600), r(600), m], 1_000), 3, Utilization(30), (4, Some(60), 600)),
            (
                "and shrinking: they use all",
                pods(&[r(100), r(100), m, m], 1_000),
                4,
                Utilization(80),
                (3, Some(10), 100),
            ),
            (
                "guesses that turn it round keep it",
                pods(&[r(90), r(90), m, m, m], 100),
                5,
                Utilization(95),
                (5, Some(90), 90),
            ),
            ("missing pods of an amount", pods(&[r(20), m], 0), 2, Average(100), (2, None, 20)),
            ("missing pods of an amount that grow", pods(&[r(900), m], 0), 2, Average(100), (9, None, 900)),
        ] {
            let (replicas, utilization, average) = expected;
            assert_eq!(calculate(&pods, current, aim), Ok(Answer { replicas, utilization, average }), "{told}");
        }
    }

    #[test]
    fn what_cannot_be_calculated_is_told() {
        let unready = "did not receive metrics for targeted pods (pods might be unready)";
        assert_eq!(calculate(&pods(&[(Unready, 5)], 10), 1, Utilization(50)), Err(unready.to_owned()));
        let unknown = "no metrics returned matched known pods";
        assert_eq!(calculate(&pods(&ready(&[5]), 0), 1, Utilization(50)), Err(unknown.to_owned()));
        let mut silent = pods(&ready(&[5, 5]), 10);
        silent[1].request = Err("missing request for cpu in container c of Pod p".to_owned());
        let told = calculate(&silent, 2, Utilization(50));
        assert_eq!(told, Err("missing request for cpu in container c of Pod p".to_owned()));
        assert!(calculate(&silent, 2, Average(5)).is_ok(), "an amount needs no requests");
    }
}
