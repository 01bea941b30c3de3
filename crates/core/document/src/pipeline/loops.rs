//! Looping strategies (pipelines §4.6).

use crate::common::{self, code};
use windlass_diagnostic::Diagnostic;
use windlass_model::pipeline::{Axis, LoopKind, Looping, OnLoopFailure};
use windlass_yaml::{Fields, Reader};

pub(super) fn read(fields: &Fields<'_>) -> Option<Looping> {
    let reader = fields.opt("strategy")?;
    let fields = reader.fields()?;
    let parallelism = fields.opt("parallelism");
    let repeat = fields.opt("repeat");
    let matrix = fields.opt("matrix");
    let outer = fields.opt("maxConcurrency");
    let when = fields.opt_string("when");
    let on_failure =
        fields.opt_choice("onFailure", &[("RunAll", OnLoopFailure::RunAll), ("SkipQueued", OnLoopFailure::SkipQueued)]);
    fields.finish();
    let (kind, inner) = match (parallelism, repeat, matrix) {
        (Some(count), None, None) => (LoopKind::Parallelism { count: common::count(&count)? }, None),
        (None, Some(repeat), None) => self::repeat(&repeat)?,
        (None, None, Some(matrix)) => self::matrix(&matrix)?,
        _ => {
            reader.report(Diagnostic::error(code::CHOICE, "a strategy is exactly one of matrix, repeat, parallelism"));
            return None;
        }
    };
    let max_concurrency = outer.as_ref().and_then(common::count).or(inner);
    Some(Looping { kind, max_concurrency, when, on_failure: on_failure.unwrap_or_default() })
}

type Kind = (LoopKind, Option<windlass_model::pipeline::Field<u32>>);

fn repeat(reader: &Reader<'_>) -> Option<Kind> {
    let fields = reader.fields()?;
    let times = fields.opt("times").and_then(|t| common::count(&t));
    let items = fields.opt("items").map(|items| common::json(&items));
    let partition_size = fields.opt("partitionSize").and_then(|t| common::count(&t));
    let max_concurrency = fields.opt("maxConcurrency").and_then(|t| common::count(&t));
    fields.known(&["unit", "start", "end"]);
    fields.finish();
    if times.is_some() == items.is_some() {
        reader.report(Diagnostic::error(code::CHOICE, "repeat has exactly one of `times` and `items`"));
        return None;
    }
    Some((LoopKind::Repeat { times, items, partition_size }, max_concurrency))
}

fn matrix(reader: &Reader<'_>) -> Option<Kind> {
    let (mut axes, mut exclude, mut node_name, mut max_concurrency) = (Vec::new(), Vec::new(), None, None);
    for (key, value) in reader.entries()? {
        match key {
            "exclude" => exclude = value.items()?.iter().map(common::json).collect(),
            "maxConcurrency" => max_concurrency = common::count(&value),
            "nodeName" => node_name = value.string(),
            name => axes.push(Axis { name: name.to_owned(), values: common::json(&value) }),
        }
    }
    if axes.is_empty() {
        reader.report(Diagnostic::error(code::CHOICE, "a matrix has at least one axis"));
        return None;
    }
    Some((LoopKind::Matrix { axes, exclude, node_name }, max_concurrency))
}
