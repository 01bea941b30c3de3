//! Expressions of a node, evaluated.

use crate::draft::Draft;
use crate::node::SeenExpression;
use crate::nodes::NodeIx;
use crate::plan::PlanIx;
use windlass_model::pipeline::Field;
use windlass_model::{Failure, FailureType, Millis};

impl Draft {
    pub(crate) fn duration(&mut self, _ix: NodeIx, field: &Field<Millis>, what: &str) -> Result<Millis, Failure> {
        match field {
            Field::Fixed(value) => Ok(*value),
            Field::Expression(text) => Err(not_yet(what, text)),
        }
    }

    pub(crate) fn whole(&mut self, _ix: NodeIx, field: &Field<u32>, what: &str) -> Result<u32, Failure> {
        match field {
            Field::Fixed(value) => Ok(*value),
            Field::Expression(text) => Err(not_yet(what, text)),
        }
    }

    pub(crate) fn condition(&mut self, _ix: NodeIx, condition: &str) -> Result<bool, Failure> {
        Err(not_yet("condition", condition))
    }

    pub(crate) fn condition_seen(
        &mut self,
        _plan: PlanIx,
        _parent: NodeIx,
        condition: &str,
    ) -> Result<(bool, Vec<SeenExpression>), Failure> {
        Err(not_yet("condition", condition))
    }
}

fn not_yet(what: &str, text: &str) -> Failure {
    Failure::new(FailureType::Unknown, format!("{what}: `{text}` cannot be evaluated"))
}
