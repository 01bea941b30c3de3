//! The expression language `<+ … >`: parse, evaluate, partially evaluate, explain (pipelines §3).
//!
//! Three promises hold whatever an expression, a variable or a payload contains:
//!
//! - **Values are bound, never pasted.** A variable's content cannot change the structure of the program that uses it.
//! - **Only what an author wrote is evaluated.** A [`Scope`] says of each value whether its texts may hold expressions.
//!   They are evaluated where the value is read; results of computations are data and are never read as code again.
//! - **A secret is a place, not a text.** `secrets.getValue("x")` becomes a [`Segment::Secret`]; data that looks like it
//!   stays literal, also on the worker that fills the places in. See [`Text`] and [`Marker`].
//!
//! ```
//! use windlass_expression::{Condition, Evaluator, Template, Tree};
//!
//! let scope = Tree::new(serde_json::json!({"pipeline": {"variables": {"env": "int-stable"}}}));
//! let evaluator = Evaluator::new(&scope, jiff::Timestamp::UNIX_EPOCH);
//!
//! let name = evaluator.text(&Template::parse("deploy-<+pipeline.variables.env>")).unwrap();
//! assert_eq!(name.value.to_string(), "deploy-int-stable");
//!
//! let when = Condition::parse("<+pipeline.variables.env> == \"prod\"");
//! assert!(!evaluator.condition(&when).unwrap().value);
//! ```

mod ast;
mod error;
mod evaluate;
mod explain;
mod functions;
mod functors;
mod input;
mod lexer;
mod limits;
mod marker;
mod methods;
mod moment;
mod operators;
mod parser;
mod partial;
mod references;
mod regex;
mod scan;
mod scope;
mod secret;
mod span;
mod status;
mod template;
mod text;
mod tree;
mod value;

pub use error::{CODES, Error, ErrorKind, Missing, Pending};
pub use evaluate::{Evaluator, Outcome};
pub use explain::{Explanation, Seen, Trace};
pub use input::{InputUse, input_use};
pub use limits::Limits;
pub use marker::{InvalidNonce, Marker};
pub use moment::{Form, Moment};
pub use partial::{Partial, PartialResult};
pub use references::{PathReference, References, SecretReference};
pub use scope::{Lookup, Scope, Trust, spell};
pub use secret::{InvalidSecretRef, SecretRef};
pub use span::Span;
pub use status::same_status;
pub use template::{Condition, Template};
pub use text::{Segment, Text};
pub use tree::Tree;
pub use value::{HoldsSecret, Value};
