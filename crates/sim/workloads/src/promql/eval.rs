//! What an expression is worth.

use super::function::Function;
use super::{Expr, QueryError, Selector, SeriesId, Source, Value, aggregate, binary, range};
use crate::labels::{Labels, NAME};
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use windlass_model::{Millis, Timestamp};

/// The most samples that one query may look at, as Prometheus has such a limit.
const SAMPLES: u64 = 5_000_000;

/// Works one query out, at one moment or at many.
pub(crate) struct Engine<'a, S> {
    source: &'a S,
    looked_at: Cell<u64>,
    /// Selections by the address of their selector: the same for all steps of a range query.
    selected: RefCell<HashMap<*const Selector, Selection>>,
}

type Selection = std::rc::Rc<Vec<(Labels, SeriesId)>>;
pub(super) type Samples = Vec<(Timestamp, f64)>;

impl<'a, S: Source> Engine<'a, S> {
    pub(crate) fn new(source: &'a S) -> Self {
        Self { source, looked_at: Cell::new(0), selected: RefCell::default() }
    }

    pub(crate) fn eval(&self, expr: &Expr, at: Timestamp) -> Result<Value, QueryError> {
        Ok(match expr {
            Expr::Number(number) => Value::Scalar(*number),
            Expr::Selector(selector) => Value::Vector(self.instant(selector, at)?),
            Expr::Range(selector, length) => {
                let all = self.range(selector, *length, at)?;
                Value::Matrix(all.into_iter().filter(|(_, samples)| !samples.is_empty()).collect())
            }
            Expr::Negative(of) => match self.eval(of, at)? {
                Value::Scalar(value) => Value::Scalar(-value),
                Value::Vector(vector) => {
                    Value::Vector(vector.into_iter().map(|(labels, value)| (labels.without(NAME), -value)).collect())
                }
                Value::Matrix(_) => return Err(wrong_type()),
            },
            Expr::Call(function, args) => self.call(*function, args, at)?,
            Expr::Aggregate { op, grouping, of } => {
                Value::Vector(aggregate::aggregate(*op, grouping, self.vector(of, at)?))
            }
            Expr::Binary { op, matching, left, right } => {
                binary::apply(*op, matching, self.eval(left, at)?, self.eval(right, at)?)?
            }
        })
    }

    fn vector(&self, expr: &Expr, at: Timestamp) -> Result<Vec<(Labels, f64)>, QueryError> {
        match self.eval(expr, at)? {
            Value::Vector(vector) => Ok(vector),
            _ => Err(wrong_type()),
        }
    }

    fn scalar(&self, expr: &Expr, at: Timestamp) -> Result<f64, QueryError> {
        match self.eval(expr, at)? {
            Value::Scalar(value) => Ok(value),
            _ => Err(wrong_type()),
        }
    }

    fn call(&self, function: Function, args: &[Expr], at: Timestamp) -> Result<Value, QueryError> {
        match (function, args) {
            (Function::HistogramQuantile, [quantile, buckets]) => {
                let (quantile, buckets) = (self.scalar(quantile, at)?, self.vector(buckets, at)?);
                Ok(Value::Vector(aggregate::histogram_quantile(quantile, buckets)))
            }
            (Function::Vector, [value]) => Ok(Value::Vector(vec![(Labels::default(), self.scalar(value, at)?)])),
            (Function::Scalar, [of]) => {
                let vector = self.vector(of, at)?;
                Ok(Value::Scalar(if let [(_, value)] = vector.as_slice() { *value } else { f64::NAN }))
            }
            (function, [Expr::Range(selector, length)]) => {
                let end = at - selector.offset;
                let all = self.range(selector, *length, at)?;
                let worth = |(labels, samples): (Labels, Samples)| {
                    Some((labels.without(NAME), range::over_time(function, &samples, *length, end)?))
                };
                Ok(Value::Vector(all.into_iter().filter_map(worth).collect()))
            }
            _ => Err(wrong_type()),
        }
    }

    /// The last sample of each series. A series that had no sample at the last scrape is stale, as in Prometheus.
    fn instant(&self, selector: &Selector, at: Timestamp) -> Result<Vec<(Labels, f64)>, QueryError> {
        let last = self.grid_before(at - selector.offset);
        let mut vector = Vec::new();
        for (labels, series) in self.select(selector).iter() {
            self.count(1)?;
            if let Some(value) = self.source.sample(*series, last) {
                vector.push((labels.clone(), value));
            }
        }
        Ok(vector)
    }

    /// The samples of each series within `length` before a moment: the start is not in it, the end is.
    fn range(&self, selector: &Selector, length: Millis, at: Timestamp) -> Result<Vec<(Labels, Samples)>, QueryError> {
        let end = at - selector.offset;
        let (start, step) = (end.millis().saturating_sub_unsigned(length.0), self.step());
        let mut all = Vec::new();
        for (labels, series) in self.select(selector).iter() {
            let mut samples = Vec::new();
            let mut moment = self.grid_before(end);
            while moment.millis() > start {
                self.count(1)?;
                samples.extend(self.source.sample(*series, moment).map(|value| (moment, value)));
                moment = Timestamp::from_millis(moment.millis() - step);
            }
            samples.reverse();
            all.push((labels.clone(), samples));
        }
        Ok(all)
    }

    fn select(&self, selector: &Selector) -> Selection {
        let mut selected = self.selected.borrow_mut();
        selected
            .entry(std::ptr::from_ref(selector))
            .or_insert_with(|| self.source.select(&selector.matchers).into())
            .clone()
    }

    fn step(&self) -> i64 {
        i64::try_from(self.source.interval().0).unwrap_or(i64::MAX).max(1)
    }

    fn grid_before(&self, at: Timestamp) -> Timestamp {
        Timestamp::from_millis(at.millis().div_euclid(self.step()).saturating_mul(self.step()))
    }

    fn count(&self, samples: u64) -> Result<(), QueryError> {
        let looked_at = self.looked_at.get() + samples;
        self.looked_at.set(looked_at);
        if looked_at > SAMPLES {
            let text = "query processing would load too many samples into memory in query execution";
            return Err(QueryError::Execution(text.to_owned()));
        }
        Ok(())
    }
}

/// The parser checks types; this is for what slips through.
fn wrong_type() -> QueryError {
    QueryError::Execution("an operand has the wrong type".to_owned())
}
