//! Which pods are the release, and which are what it is compared with (kubernetes-deploy §3.2). Pure.

use super::pod::{images, label, lives, name, readiness};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use windlass_analysis::VerifyKind;
use windlass_analysis::control::DeployedBy;
use windlass_model::{Json, Millis, Timestamp};

/// Where a pod belongs. Pods that belong to neither side are not in a survey.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum Side {
    Test,
    Control,
}

/// The pods of a release at one moment.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Survey {
    pub sides: BTreeMap<String, Side>,
    pub deployed_by: DeployedBy,
    /// When the last pod of the release became Ready; nothing while one is not.
    pub ready_at: Option<Timestamp>,
    /// When the first pod of the release was made.
    pub made_at: Option<Timestamp>,
    pub stable_pods: u32,
    pub baseline_pods: u32,
    /// All pods of the stable workload run the images of the release.
    pub stable_runs_release: bool,
}

/// A pod that is older than this was not made by the deployment that is verified.
const LONGEST_DEPLOYMENT: Millis = Millis::from_secs(2 * 3_600);

const TRACK: &str = "harness.io/track";
const COLOR: &str = "harness.io/color";

/// Divides the pods of a release. `wanted` decides where labels leave a choice.
pub(super) fn survey(pods: &[Json], wanted: VerifyKind) -> Survey {
    let pods: Vec<&Json> = pods.iter().filter(|pod| lives(pod)).collect();
    let on = |track: &str| pods.iter().copied().filter(|pod| label(pod, TRACK) == track).collect::<Vec<_>>();
    let (canary, baseline) = (on("canary"), on("baseline"));
    let stable: Vec<&Json> =
        pods.iter().copied().filter(|pod| !matches!(label(pod, TRACK), "canary" | "baseline")).collect();
    let newest_color = newest_color(&stable);
    let (deployed_by, test, control) = if !canary.is_empty() && wanted != VerifyKind::Rolling {
        let control = if baseline.is_empty() { stable.clone() } else { baseline.clone() };
        (DeployedBy::Canary, canary, control)
    } else if let Some(color) = newest_color {
        let (test, control) = stable.iter().copied().partition(|pod| label(pod, COLOR) == color);
        (DeployedBy::BlueGreen, test, control)
    } else {
        (DeployedBy::Rolling, stable.clone(), Vec::new())
    };
    let release: BTreeSet<Vec<&str>> = test.iter().map(|pod| images(pod)).collect();
    let compared = deployed_by == DeployedBy::Canary;
    let named = |pods: &[&Json], side: Side| pods.iter().map(|pod| (name(pod).to_owned(), side)).collect::<Vec<_>>();
    let ready: Vec<Option<Timestamp>> =
        test.iter().map(|pod| Some(readiness(pod)).filter(|(ready, _)| *ready).and_then(|(_, since)| since)).collect();
    Survey {
        deployed_by,
        ready_at: ready.into_iter().collect::<Option<Vec<_>>>().and_then(|moments| moments.into_iter().max()),
        made_at: test.iter().filter_map(|pod| super::pod::moment(pod, "/metadata/creationTimestamp")).min(),
        stable_pods: if compared { count(&stable) } else { 0 },
        baseline_pods: if compared { count(&baseline) } else { 0 },
        stable_runs_release: compared
            && !stable.is_empty()
            && stable.iter().map(|pod| images(pod)).collect::<BTreeSet<_>>() == release,
        sides: named(&control, Side::Control).into_iter().chain(named(&test, Side::Test)).collect(),
    }
}

impl Survey {
    pub(super) fn count(&self, side: Side) -> usize {
        self.sides.values().filter(|own| **own == side).count()
    }

    /// When the deployment began, as far as its pods tell.
    pub(super) fn deploy_began(&self, ended: Timestamp) -> Timestamp {
        self.made_at.filter(|made| *made <= ended && ended.since(*made) <= LONGEST_DEPLOYMENT).unwrap_or(ended)
    }
}

fn count(pods: &[&Json]) -> u32 {
    u32::try_from(pods.len()).unwrap_or(u32::MAX)
}

/// The colour of the youngest pod, when there are several.
fn newest_color<'a>(pods: &[&'a Json]) -> Option<&'a str> {
    let colors: BTreeSet<&str> = pods.iter().map(|pod| label(pod, COLOR)).filter(|color| !color.is_empty()).collect();
    let made = |pod: &&&Json| super::pod::moment(pod, "/metadata/creationTimestamp");
    (colors.len() > 1).then(|| pods.iter().max_by_key(made)).flatten().map(|pod| label(pod, COLOR))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn pod(name: &str, label: (&str, &str), image: &str, second: i64, ready: Option<i64>) -> Json {
        let at = |second: i64| Timestamp::from_secs(second).to_jiff().to_string();
        let (key, value) = label;
        json!({
            "metadata": {"name": name, "labels": {key: value}, "creationTimestamp": at(second)},
            "spec": {"containers": [{"name": "main", "image": image}]},
            "status": {"conditions": [{"type": "Ready", "status": if ready.is_some() { "True" } else { "False" },
                "lastTransitionTime": at(ready.unwrap_or(second))}]},
        })
    }

    fn sides(survey: &Survey) -> Vec<(&str, Side)> {
        survey.sides.iter().map(|(name, side)| (name.as_str(), *side)).collect()
    }

    #[test]
    fn a_canary_stands_against_the_stable_pods_or_its_baseline() {
        let mut pods = vec![
            pod("web-1", ("app", "web"), "web:v1", 10, Some(20)),
            pod("web-2", (TRACK, "stable"), "web:v1", 10, Some(20)),
            pod("web-canary-1", (TRACK, "canary"), "web:v2", 100, Some(110)),
        ];
        let found = survey(&pods, VerifyKind::Canary);
        assert_eq!(sides(&found), [("web-1", Side::Control), ("web-2", Side::Control), ("web-canary-1", Side::Test)]);
        assert_eq!((found.stable_pods, found.stable_runs_release), (2, false));
        assert_eq!((found.ready_at, found.made_at), (Some(Timestamp::from_secs(110)), Some(Timestamp::from_secs(100))));
        assert_eq!(sides(&survey(&pods, VerifyKind::Rolling)), [("web-1", Side::Test), ("web-2", Side::Test)]);
        pods.push(pod("web-baseline-1", (TRACK, "baseline"), "web:v1", 100, Some(110)));
        assert_eq!(
            sides(&survey(&pods, VerifyKind::Auto)),
            [("web-baseline-1", Side::Control), ("web-canary-1", Side::Test)]
        );
        // A rolling step came first (decisions, control side).
        let same = [
            pod("web-1", ("app", "web"), "web:v2", 10, Some(20)),
            pod("web-canary-1", (TRACK, "canary"), "web:v2", 100, None),
        ];
        let found = survey(&same, VerifyKind::Canary);
        assert_eq!((found.stable_runs_release, found.ready_at), (true, None));
    }

    #[test]
    fn colours_and_plain_pods() {
        let mut pods = vec![
            pod("web-a", (COLOR, "blue"), "web:v1", 10, Some(20)),
            pod("web-b", (COLOR, "green"), "web:v2", 100, Some(120)),
        ];
        let found = survey(&pods, VerifyKind::Auto);
        assert_eq!(
            (found.deployed_by, sides(&found)),
            (DeployedBy::BlueGreen, vec![("web-a", Side::Control), ("web-b", Side::Test)])
        );
        pods.remove(1);
        assert_eq!(survey(&pods, VerifyKind::Auto).deployed_by, DeployedBy::Rolling);
        pods[0]["metadata"]["deletionTimestamp"] = "2026-03-02T12:00:00Z".into();
        let none = survey(&pods, VerifyKind::Auto);
        assert_eq!((none.sides.len(), none.count(Side::Test), none.made_at), (0, 0, None));
    }

    #[test]
    fn the_deployment_began_with_its_first_pod() {
        let ended = Timestamp::from_secs(10_000);
        let survey = survey(&[pod("web-1", ("app", "web"), "web:v1", 9_900, Some(9_950))], VerifyKind::Rolling);
        assert_eq!(survey.deploy_began(ended), Timestamp::from_secs(9_900));
        assert_eq!(
            survey.deploy_began(Timestamp::from_secs(90_000)),
            Timestamp::from_secs(90_000),
            "nothing was made anew"
        );
    }
}
