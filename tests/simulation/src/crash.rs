//! The server dies at every point of a scenario: each commit, and each message that it says or hears.
//!
//! Once before the point and once after it; it is started again two seconds later on what is stored. The end must be that of the
//! undisturbed world: the same runs with the same steps, the same objects in the clusters, and each of them changed as often.

use crate::documents::Strategy;
use crate::plan::{Answer, By, Order, Plan, Trouble};
use crate::server::Death;
use crate::world::{Report, play};
use windlass_model::Millis;

/// When the deployment begins that the server dies in; the one before it is over by then.
const BEGINS: Millis = Millis::from_secs(30);

/// Something that is played again and again.
#[derive(Clone, Debug)]
pub struct Scenario {
    pub name: &'static str,
    pub plan: Plan,
}

/// What came of a scenario.
#[derive(Clone, Debug)]
pub struct Tried {
    pub name: &'static str,
    /// At how many points the server can die.
    pub points: u64,
    /// Deaths that were tried.
    pub tried: u64,
    pub failures: Vec<(Death, String)>,
}

impl Scenario {
    pub fn all() -> Vec<Self> {
        use Strategy::{Approval, BlueGreen, Canary, Rolling};
        let of = |name, strategy, before, tag| {
            let mut plan = Plan::quiet(vec![order(Millis::ZERO, before, "v1"), order(BEGINS, strategy, tag)]);
            plan.points_from = BEGINS;
            Self { name, plan }
        };
        let mut hand_over = of("hand-over", Rolling, Rolling, "slow2");
        let dies = |delegate| {
            let at = Millis(BEGINS.0 + 8_000 + 3_000 * delegate as u64);
            (at, Trouble::DelegateDies { delegate, lasts: Millis::from_secs(20) })
        };
        // Whichever of them has the task, the other one or its successor goes on.
        hand_over.plan.troubles = vec![dies(0), dies(1)];
        vec![
            of("rolling", Rolling, Rolling, "v2"),
            of("canary", Canary, Rolling, "v2"),
            of("blue/green", BlueGreen, BlueGreen, "v2"),
            of("rollback", Rolling, Rolling, "broken2"),
            of("approval", Approval, Rolling, "v2"),
            hand_over,
        ]
    }

    pub fn undisturbed(&self) -> Report {
        play(1, &self.plan, None, false)
    }

    /// Everything that is different when the server dies; nothing when it survives.
    pub fn with(&self, death: Death, undisturbed: &Report) -> Option<String> {
        let report = play(1, &self.plan, Some(death), false);
        if let Some(wrong) = report.wrongs.first() {
            return Some(wrong.clone());
        }
        if report.runs != undisturbed.runs {
            return Some(format!("the runs end as {:?}", report.runs));
        }
        if report.clusters != undisturbed.clusters {
            let differ = report
                .clusters
                .iter()
                .flatten()
                .filter(|line| !undisturbed.clusters.iter().flatten().any(|l| l == *line));
            return Some(format!("the clusters end with {:?}", differ.collect::<Vec<_>>()));
        }
        (report.changes != undisturbed.changes)
            .then(|| format!("{} changes in the clusters instead of {}", report.changes, undisturbed.changes))
    }

    /// Lets the server die at every `every`-th point, before it and after it.
    pub fn everywhere(&self, every: u64, told: impl Fn(Death, &str)) -> Tried {
        let undisturbed = self.undisturbed();
        assert!(undisturbed.wrongs.is_empty(), "{}: {:?}", self.name, undisturbed.wrongs);
        let points = undisturbed.points;
        let mut tried = Tried { name: self.name, points, tried: 0, failures: Vec::new() };
        // A sample takes other points of each scenario.
        let first = 1 + self.name.len() as u64 % every.max(1);
        for at in (first..=points).step_by(usize::try_from(every.max(1)).unwrap()) {
            for death in [Death::Before(at), Death::After(at)] {
                tried.tried += 1;
                if let Some(why) = self.with(death, &undisturbed) {
                    told(death, &why);
                    tried.failures.push((death, why));
                }
            }
        }
        tried
    }
}

fn order(at: Millis, strategy: Strategy, tag: &str) -> Order {
    Order {
        at,
        strategy,
        service: "web",
        place: 0,
        tag: tag.to_owned(),
        by: By::Hand,
        is_unheard: false,
        answer: Answer::Approve(Millis::from_secs(4)),
        abort: None,
    }
}
