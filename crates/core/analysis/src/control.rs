//! Which samples a release is compared with (kubernetes-deploy §3.2 and §3.4 D, decisions "Control side").

use crate::clean::WARM_UP;
use crate::sample::Window;
use serde::{Deserialize, Serialize};
use windlass_model::task::verify::VerifyKind;
use windlass_model::{Millis, Timestamp};

/// How the release came to its pods.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum DeployedBy {
    Canary,
    BlueGreen,
    Rolling,
}

/// What is known when the choice is made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Situation {
    pub wanted: VerifyKind,
    pub deployed_by: DeployedBy,
    pub deploy_started: Timestamp,
    pub deploy_ended: Timestamp,
    /// When all pods of the test side were Ready; the end of the deployment when it is not known.
    pub ready_at: Option<Timestamp>,
    pub now: Timestamp,
    /// Pods of the stable workload.
    pub stable_pods: u32,
    /// Whether the stable workload already runs the image under test: a rolling step came first.
    pub stable_runs_release: bool,
    /// Pods of the optional `<name>-baseline` workload.
    pub baseline_pods: u32,
    /// Whether samples of the last successful verification of this service and infrastructure are stored.
    pub stored_samples: bool,
}

/// What the release is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Control {
    /// Pods of the stable workload over the same clock time.
    StablePods,
    /// Fresh pods of the old image, as many as the canary has, over the same clock time.
    BaselinePods,
    /// The same pods in a window of the same length before the deployment.
    Before,
    /// The samples of an earlier verification.
    Stored,
    /// Nothing: only thresholds count, as the author wished.
    Thresholds,
    /// Nothing, and something was wanted.
    None,
}

/// The choice, with its reason and both windows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Comparison {
    pub control: Control,
    pub reason: String,
    pub test: Window,
    #[serde(rename = "controlWindow")]
    pub control_window: Window,
}

impl Comparison {
    pub(crate) fn nothing_to_compare(&self) -> String {
        match self.control {
            Control::StablePods => "no values of the stable pods",
            Control::BaselinePods => "no values of the baseline pods",
            Control::Before => "no values from before the deployment",
            Control::Stored => "no stored values of this metric",
            Control::Thresholds => "thresholds only",
            Control::None => return self.reason.clone(),
        }
        .to_owned()
    }
}

/// Chooses the control side. Pure: the caller has looked at the cluster and at the stored samples.
pub fn choose(situation: &Situation) -> Comparison {
    let settled = situation.ready_at.unwrap_or(situation.deploy_ended) + WARM_UP;
    let test = Window { from: settled.min(situation.now), until: situation.now };
    let choice =
        |control, control_window, reason: &str| Comparison { control, reason: reason.to_owned(), test, control_window };
    let stored = |without: &str| {
        if situation.stored_samples {
            choice(Control::Stored, Window::ALWAYS, "the samples of the last successful verification")
        } else {
            choice(Control::None, Window::ALWAYS, without)
        }
    };
    match resolve(situation) {
        VerifyKind::SimpleVerification => {
            choice(Control::Thresholds, Window::ALWAYS, "nothing: thresholds only, as the step says")
        }
        VerifyKind::LoadTest => stored("no earlier load test is stored"),
        VerifyKind::Canary if situation.baseline_pods > 0 => {
            choice(Control::BaselinePods, test, "baseline pods of the old image over the same time")
        }
        VerifyKind::Canary if situation.stable_runs_release => {
            stored("the stable pods already run the image under test and no earlier verification is stored")
        }
        VerifyKind::Canary if situation.stable_pods == 0 => stored("there are no stable pods"),
        VerifyKind::Canary => choice(Control::StablePods, test, "the stable pods over the same time"),
        VerifyKind::Rolling | VerifyKind::Bluegreen | VerifyKind::Auto => {
            let length = test.until.since(test.from);
            let until = situation.deploy_started;
            let window = Window { from: until - length.max(Millis(1)), until };
            choice(Control::Before, window, "a window of the same length before the deployment")
        }
    }
}

/// `Auto` follows the way of deployment.
fn resolve(situation: &Situation) -> VerifyKind {
    match (situation.wanted, situation.deployed_by) {
        (VerifyKind::Auto, DeployedBy::Canary) => VerifyKind::Canary,
        (VerifyKind::Auto, DeployedBy::BlueGreen) => VerifyKind::Bluegreen,
        (VerifyKind::Auto, DeployedBy::Rolling) => VerifyKind::Rolling,
        (wanted, _) => wanted,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(minute: i64) -> Timestamp {
        Timestamp::from_secs(minute * 60)
    }

    fn canary() -> Situation {
        Situation {
            wanted: VerifyKind::Canary,
            deployed_by: DeployedBy::Canary,
            deploy_started: at(100),
            deploy_ended: at(102),
            ready_at: Some(at(103)),
            now: at(114),
            stable_pods: 9,
            stable_runs_release: false,
            baseline_pods: 0,
            stored_samples: false,
        }
    }

    #[test]
    fn a_canary_is_compared_with_stable_pods_over_the_same_time() {
        let chosen = choose(&canary());
        assert_eq!((chosen.control, chosen.test), (Control::StablePods, chosen.control_window));
        assert_eq!((chosen.test.from, chosen.test.until), (at(104), at(114)));
        assert_eq!(choose(&Situation { baseline_pods: 1, ..canary() }).control, Control::BaselinePods);
    }

    #[test]
    fn stable_pods_that_run_the_release_are_no_control() {
        let after_rolling = Situation { stable_runs_release: true, ..canary() };
        assert_eq!(choose(&after_rolling).control, Control::None);
        assert_eq!(choose(&Situation { stored_samples: true, ..after_rolling }).control, Control::Stored);
        assert_eq!(choose(&Situation { stable_pods: 0, ..canary() }).control, Control::None);
    }

    #[test]
    fn after_a_switch_the_time_before_is_the_control() {
        for (wanted, deployed_by) in [
            (VerifyKind::Rolling, DeployedBy::Rolling),
            (VerifyKind::Bluegreen, DeployedBy::BlueGreen),
            (VerifyKind::Auto, DeployedBy::Rolling),
            (VerifyKind::Auto, DeployedBy::BlueGreen),
        ] {
            let chosen = choose(&Situation { wanted, deployed_by, ..canary() });
            assert_eq!(chosen.control, Control::Before);
            assert_eq!((chosen.control_window.from, chosen.control_window.until), (at(90), at(100)));
        }
        let simple = Situation { wanted: VerifyKind::SimpleVerification, ..canary() };
        assert_eq!(choose(&simple).control, Control::Thresholds);
        let load = Situation { wanted: VerifyKind::LoadTest, stored_samples: true, ..canary() };
        assert_eq!(choose(&load).control, Control::Stored);
    }

    #[test]
    fn a_clock_that_went_back_gives_an_empty_window() {
        let chosen = choose(&Situation { now: at(50), ..canary() });
        assert_eq!((chosen.test.from, chosen.test.until), (at(50), at(50)));
    }
}
