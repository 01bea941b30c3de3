//! JsonPath: names, brackets, wildcards, slices, unions, `..`, and filters of one comparison.

mod filter;
mod parse;

use crate::Value;
use crate::error::Outcome;
use crate::limits::Meter;
use filter::Filter;

pub(super) struct JsonPath {
    steps: Vec<Step>,
}

pub(super) struct Step {
    /// `..`: also all descendants.
    deep: bool,
    choice: Choice,
}

enum Choice {
    /// `.*`
    All,
    /// `.name`, `['a', 'b']`
    Names(Vec<String>),
    /// `[0]`, `[0, -1]`; negative counts from the end.
    Indexes(Vec<i64>),
    /// `[from:to]`
    Slice(Option<i64>, Option<i64>),
    /// `[?(@.a == 1)]`
    Filter(Filter),
}

impl JsonPath {
    /// It can name one value at most.
    pub(super) fn is_definite(&self) -> bool {
        self.steps.iter().all(|step| {
            !step.deep
                && match &step.choice {
                    Choice::Names(names) => names.len() == 1,
                    Choice::Indexes(indexes) => indexes.len() == 1,
                    _ => false,
                }
        })
    }

    pub(super) fn select(&self, root: &Value, meter: &mut Meter) -> Outcome<Vec<Value>> {
        let mut current = vec![root.clone()];
        for step in &self.steps {
            let mut next = Vec::new();
            for value in &current {
                if step.deep {
                    for descendant in descendants(value, meter)? {
                        step.choice.of(descendant, &mut next, meter)?;
                    }
                } else {
                    step.choice.of(value, &mut next, meter)?;
                }
            }
            current = next;
        }
        Ok(current)
    }
}

/// The value and everything in it, in the order of the text.
fn descendants<'v>(value: &'v Value, meter: &mut Meter) -> Outcome<Vec<&'v Value>> {
    let mut all = Vec::new();
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        meter.spend(1)?;
        all.push(value);
        match value {
            Value::List(items) => open.extend(items.iter().rev()),
            Value::Map(entries) => open.extend(entries.values().rev()),
            _ => {}
        }
    }
    Ok(all)
}

impl Choice {
    fn of(&self, value: &Value, found: &mut Vec<Value>, meter: &mut Meter) -> Outcome<()> {
        meter.spend(1)?;
        match (self, value) {
            (Self::All, Value::List(items)) => {
                meter.spend(items.len())?;
                found.extend(items.iter().cloned());
            }
            (Self::All, Value::Map(entries)) => {
                meter.spend(entries.len())?;
                found.extend(entries.values().cloned());
            }
            (Self::Names(names), Value::Map(entries)) => {
                found.extend(names.iter().filter_map(|name| entries.get(name)).cloned());
            }
            // `items.0` is as good as `items[0]`.
            (Self::Names(names), Value::List(items)) => {
                let indexes = names.iter().filter_map(|name| name.parse::<usize>().ok());
                found.extend(indexes.filter_map(|at| items.get(at)).cloned());
            }
            (Self::Indexes(indexes), Value::List(items)) => {
                found.extend(indexes.iter().filter_map(|index| items.get(position(*index, items.len())?)).cloned());
            }
            (Self::Slice(from, to), Value::List(items)) => {
                let clamp = |bound: &Option<i64>, default: usize| match bound {
                    Some(bound) if *bound < 0 => position(*bound, items.len()).unwrap_or(0),
                    Some(bound) => usize::try_from(*bound).unwrap_or(usize::MAX).min(items.len()),
                    None => default,
                };
                let (from, to) = (clamp(from, 0), clamp(to, items.len()));
                meter.spend(to.saturating_sub(from))?;
                found.extend(items.get(from..to).unwrap_or_default().iter().cloned());
            }
            (Self::Filter(filter), Value::List(items)) => {
                for item in items.iter() {
                    if filter.accepts(item, meter)? {
                        found.push(item.clone());
                    }
                }
            }
            (Self::Filter(filter), Value::Map(entries)) => {
                for item in entries.values() {
                    if filter.accepts(item, meter)? {
                        found.push(item.clone());
                    }
                }
            }
            _ => {}
        }
        Ok(())
    }
}

fn position(index: i64, length: usize) -> Option<usize> {
    let from_end = usize::try_from(index.unsigned_abs()).ok()?;
    if index < 0 { length.checked_sub(from_end) } else { Some(from_end) }
}
