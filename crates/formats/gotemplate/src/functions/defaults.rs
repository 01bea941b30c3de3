//! What to take when there is nothing.

use crate::function::Function;
use crate::function::Parameter::{Any, Bool};
use crate::value::Value;

pub(super) const FUNCTIONS: &[Function] = &[
    Function::pure("default", &[Any], |a| {
        let given = a.value(1);
        Ok(if given.truth() { given } else { a.value(0) })
    })
    .and(Any),
    Function::pure("empty", &[Any], |a| Ok((!a.value(0).truth()).into())),
    Function::pure("coalesce", &[], |a| Ok(a.iter().find(|value| value.truth()).cloned().unwrap_or(Value::Nil)))
        .and(Any),
    Function::pure("all", &[], |a| Ok(a.iter().all(Value::truth).into())).and(Any),
    Function::pure("any", &[], |a| Ok(a.iter().any(Value::truth).into())).and(Any),
    Function::pure("ternary", &[Any, Any, Bool], |a| Ok(a.value(if a.bool(2) { 0 } else { 1 }))),
];
