//! Inputs for policies, by what a policy reads.

mod image;
mod mutate;
mod pipeline;
mod window;

use serde_json::{Map, Value as Json};
use windlass_test_dice::Dice;

/// Fields of an input that policies read together, and the words by which one is known that reads them.
struct Shape {
    words: &'static [&'static str],
    /// `firm` inputs are what a good pipeline would send.
    fields: fn(&mut Dice, firm: bool) -> Map<String, Json>,
}

const SHAPES: [Shape; 3] = [
    Shape { words: &["input.currentTime", "input.dayOfWeek"], fields: window::fields },
    Shape { words: &["input.imageTag", "input.image"], fields: image::fields },
    Shape { words: &["walk(input.pipeline", "input.pipeline.stages"], fields: pipeline::fields },
];

/// An input and a moment, or nothing when no shape fits the policy.
pub(crate) fn make(rego: &str, dice: &mut Dice) -> Option<(Json, i64)> {
    let firm = dice.percent(20);
    let mut fields = Map::new();
    let mut known = false;
    for shape in SHAPES.iter().filter(|shape| shape.words.iter().any(|word| rego.contains(word))) {
        known = true;
        fields.append(&mut (shape.fields)(dice, firm));
    }
    let mut input = Json::Object(fields);
    if !firm && dice.percent(50) {
        for _ in 0..=dice.below(2) {
            mutate::mutate(&mut input, dice);
        }
    }
    let now = window::moment(dice, firm);
    known.then_some((input, now))
}

#[cfg(test)]
mod tests {
    use super::make;
    use crate::ours::Ours;
    use crate::question::{Answer, Question};
    use crate::shipped::{policies, rule};
    use windlass_test_dice::Dice;

    /// Without Go: what is asked is worth asking.
    #[test]
    fn both_sides_of_every_shipped_policy_are_asked() {
        let policies = policies().unwrap();
        assert!(policies.len() >= windlass_policy::SAMPLES.len(), "{policies:?}");
        for (name, policy) in policies {
            let (mut dice, mut ours) = (Dice::new(1), Ours::default());
            let mut denied = 0;
            for _ in 0..200 {
                let (input, now) = make(&policy, &mut dice).unwrap_or_else(|| panic!("no inputs are known for {name}"));
                let question = Question { policy: policy.clone(), rule: rule(&policy), input, now };
                denied += usize::from(ours.decision(&question) != Answer::Value(serde_json::json!([])));
            }
            assert!((20..=180).contains(&denied), "{name}: {denied} of 200 denied");
        }
    }
}
