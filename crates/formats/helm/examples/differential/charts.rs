//! Random charts.

use crate::chance::Chance;
use crate::reference::Case;

pub fn case(chance: &mut Chance) -> Case {
    let _ = chance;
    Case::default()
}
