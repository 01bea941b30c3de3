//! What a seed decides: who wants what when, and what goes wrong.

use crate::documents::{CLUSTERS, SERVICES, Strategy};
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;
use windlass_link::Pace;
use windlass_model::Millis;
use windlass_test_dice::Dice;

/// Everything that happens in one world.
#[derive(Clone, Debug)]
pub struct Plan {
    pub orders: Vec<Order>,
    pub troubles: Vec<(Millis, Trouble)>,
    /// How each delegate is connected.
    pub lines: [Line; 2],
    /// How far the clock of each delegate is ahead, in milliseconds.
    pub skews: [i64; 2],
    /// What goes wrong in each cluster.
    pub clusters: [Json; 3],
    /// Of the delegates.
    pub pace: Pace,
    /// From when on the points are numbered at which the server may die.
    pub points_from: Millis,
}

/// Somebody wants a deployment.
#[derive(Clone, Debug)]
pub struct Order {
    pub at: Millis,
    pub strategy: Strategy,
    pub service: &'static str,
    /// The first place.
    pub place: usize,
    pub tag: String,
    pub by: By,
    /// The first answer gets lost on its way, so that it is asked again.
    pub is_unheard: bool,
    pub answer: Answer,
    /// So long after it has begun it is aborted.
    pub abort: Option<Millis>,
}

/// How it is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// Sent until it is acknowledged.
    Webhook,
    /// With a key of idempotency, again until it is answered.
    Hand,
}

/// What becomes of questions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    Approve(Millis),
    Reject(Millis),
    /// Nobody answers.
    Never,
}

/// Something breaks, and is mended after a while.
#[derive(Clone, Copy, Debug)]
pub enum Trouble {
    /// Nothing passes between a delegate and the server.
    Partition {
        delegate: usize,
        lasts: Millis,
    },
    /// Nothing passes between the delegates and a cluster: some calls are not heard, of others the answers are lost.
    ClusterAway {
        cluster: usize,
        lasts: Millis,
    },
    DelegateDies {
        delegate: usize,
        lasts: Millis,
    },
    /// Its process stands still and goes on, as if no time had passed.
    DelegateSleeps {
        delegate: usize,
        lasts: Millis,
    },
    ServerDies {
        lasts: Millis,
    },
}

/// A way between a delegate and the server.
#[derive(Clone, Copy, Debug)]
pub struct Line {
    /// Like a WebSocket: what is said first is heard first, and once. Else as with calls that are repeated and overtake each other.
    pub ordered: bool,
    pub delay: Millis,
    /// A connection holds at most so long.
    pub holds: Millis,
}

impl Plan {
    /// Nothing but orders: nobody is slow, nothing breaks.
    pub fn quiet(orders: Vec<Order>) -> Self {
        let line = Line { ordered: true, delay: Millis::ZERO, holds: Millis::from_mins(1_000) };
        Self {
            orders,
            troubles: Vec::new(),
            lines: [line; 2],
            skews: [0; 2],
            clusters: [(); 3].map(|()| faults(&mut Vec::new())),
            pace: Pace::default(),
            points_from: Millis::ZERO,
        }
    }

    pub fn of(seed: u64) -> Self {
        let mut dice = Dice::new(seed);
        // Most worlds are small: what two orders do to each other shows between two, and more worlds are seen in the same time.
        let orders = *dice.pick(&[1, 1, 1, 1, 1, 1, 2, 2, 2, 3]);
        let mut orders: Vec<Order> = (0..orders).map(|number| order(&mut dice, number)).collect();
        contend(&mut dice, &mut orders);
        let line = |dice: &mut Dice| {
            let holds = *dice.pick(&[10_000, 100_000, 2_000_000]);
            Line {
                ordered: dice.percent(60),
                delay: *dice.pick(&[Millis(0), Millis(5), Millis(80), Millis(1_500)]),
                holds: Millis(2_000 + dice.up_to(holds)),
            }
        };
        let lines = [line(&mut dice), line(&mut dice)];
        // Two clocks may differ by ten seconds: the lock of a release knows no more.
        let skew = |dice: &mut Dice| dice.between(-5_000, 5_000);
        let skews = if dice.percent(50) { [skew(&mut dice), skew(&mut dice)] } else { [0, 0] };
        // The faster one gives tasks away while the lock in their cluster is still good.
        let pace = if dice.percent(20) { Pace { heartbeat: Millis::from_secs(3) } } else { Pace::default() };
        let count = dice.below(5);
        let troubles = (0..count).map(|_| (moment(&mut dice, &orders), trouble(&mut dice, pace))).collect();
        let clusters = [(); 3].map(|()| {
            let mut api = Vec::new();
            if dice.percent(25) {
                // The last one is not repeated: steps fail by it.
                let (status, rate) = *dice.pick(&[(429, 0.05), (503, 0.05), (504, 0.05), (500, 0.005)]);
                api.push(json!({"rate": rate, "status": status, "until": "120s"}));
            }
            if dice.percent(20) {
                api.push(json!({"rate": 0.3, "latency": format!("{}ms", 50 + dice.below(3_000)), "until": "200s"}));
            }
            faults(&mut api)
        });
        Self { orders, troubles, lines, skews, clusters, pace, points_from: Millis::ZERO }
    }
}

/// Mostly several want the same place, one while the other is under way.
fn contend(dice: &mut Dice, orders: &mut [Order]) {
    let Some((first, others)) = orders.split_first_mut() else { return };
    for other in others {
        if dice.percent(75) {
            (other.service, other.place) = (first.service, first.place);
            other.at = Millis(first.at.0 + dice.up_to(30_000));
        }
    }
}

/// Mostly while somebody's order is under way: there is little to break at other times.
fn moment(dice: &mut Dice, orders: &[Order]) -> Millis {
    let order = dice.pick(orders).at;
    if dice.percent(75) { Millis(order.0 + dice.up_to(40_000)) } else { Millis(dice.up_to(180_000)) }
}

fn order(dice: &mut Dice, number: usize) -> Order {
    let strategy = *dice.pick(&Strategy::ALL);
    let image = *dice.pick(&["v", "v", "v", "v", "slow", "broken", "crash"]);
    let soon = Millis(dice.up_to(Millis::from_secs(30).0));
    let answer = match dice.below(10) {
        0 => Answer::Never,
        1 | 2 => Answer::Reject(soon),
        _ => Answer::Approve(soon),
    };
    let by = if dice.percent(50) { By::Webhook } else { By::Hand };
    Order {
        at: Millis(dice.up_to(Millis::from_secs(60).0)),
        strategy,
        service: dice.text(&SERVICES),
        place: dice.below(CLUSTERS.len()),
        tag: format!("{image}{number}"),
        by,
        // A webhook that is sent again may be another run.
        is_unheard: by == By::Hand && dice.percent(30),
        answer,
        abort: dice.percent(12).then(|| Millis(dice.up_to(Millis::from_secs(40).0))),
    }
}

fn trouble(dice: &mut Dice, pace: Pace) -> Trouble {
    let delegate = dice.below(2);
    let longest = *dice.pick(&[Millis::from_secs(5), Millis::from_secs(30), Millis::from_secs(150)]);
    let lasts = Millis(dice.up_to(longest.0));
    match dice.below(10) {
        0..3 => Trouble::Partition { delegate, lasts },
        3 => Trouble::ClusterAway { cluster: dice.below(3), lasts },
        4..6 => Trouble::DelegateDies { delegate, lasts },
        // Long enough for others to have given it up, or nearly.
        6..9 => {
            Trouble::DelegateSleeps { delegate, lasts: Millis(pace.lost().0 / 2 + dice.up_to(pace.lost().0 * 3 / 2)) }
        }
        _ => Trouble::ServerDies { lasts: lasts.min(Millis::from_secs(60)) },
    }
}

/// What images do, and what is wrong with the API.
fn faults(api: &mut Vec<Json>) -> Json {
    json!({"api": api, "pods": [
        {"on": {"image": "*:broken*"}, "imagePull": "not found"},
        {"on": {"image": "*:slow*"}, "slowStart": "25s"},
        {"on": {"image": "*:crash*"}, "crash": {"after": "2s"}},
    ]})
}

impl Order {
    /// The variables of the pipeline.
    pub fn inputs(&self) -> BTreeMap<String, Json> {
        let places = self.strategy.places(self.place);
        let mut inputs = BTreeMap::from([
            ("tag".to_owned(), json!(self.tag)),
            ("service".to_owned(), json!(self.service)),
            ("place".to_owned(), json!(CLUSTERS[places[0]])),
        ]);
        if let Some(next) = places.get(1) {
            inputs.insert("next".to_owned(), json!(CLUSTERS[*next]));
        }
        inputs
    }
}
