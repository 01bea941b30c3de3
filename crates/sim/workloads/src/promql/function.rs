//! Functions: what they are called and what they take.

use super::{Expr, QueryError};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Function {
    Rate,
    Irate,
    Increase,
    Delta,
    AvgOverTime,
    MinOverTime,
    MaxOverTime,
    SumOverTime,
    CountOverTime,
    HistogramQuantile,
    Vector,
    Scalar,
}

/// What an argument must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Scalar,
    Vector,
    Matrix,
}

const FUNCTIONS: [(&str, Function); 12] = [
    ("rate", Function::Rate),
    ("irate", Function::Irate),
    ("increase", Function::Increase),
    ("delta", Function::Delta),
    ("avg_over_time", Function::AvgOverTime),
    ("min_over_time", Function::MinOverTime),
    ("max_over_time", Function::MaxOverTime),
    ("sum_over_time", Function::SumOverTime),
    ("count_over_time", Function::CountOverTime),
    ("histogram_quantile", Function::HistogramQuantile),
    ("vector", Function::Vector),
    ("scalar", Function::Scalar),
];

impl Function {
    pub(super) fn of(name: &str) -> Option<Self> {
        FUNCTIONS.iter().find(|(known, _)| *known == name).map(|(_, function)| *function)
    }

    fn name(self) -> &'static str {
        FUNCTIONS.iter().find(|(_, function)| *function == self).map_or("", |(name, _)| name)
    }

    fn takes(self) -> &'static [Kind] {
        match self {
            Self::HistogramQuantile => &[Kind::Scalar, Kind::Vector],
            Self::Vector => &[Kind::Scalar],
            Self::Scalar => &[Kind::Vector],
            _ => &[Kind::Matrix],
        }
    }

    /// Checks number and types of the arguments.
    pub(super) fn check(self, args: &[Expr], column: usize) -> Result<(), QueryError> {
        let (takes, name) = (self.takes(), self.name());
        if args.len() != takes.len() {
            let message = format!("expected {} argument(s) in call to {name:?}, got {}", takes.len(), args.len());
            return Err(QueryError::Parse { column, message });
        }
        for (arg, wanted) in args.iter().zip(takes) {
            let found = arg.kind();
            if found != *wanted {
                let (wanted, found) = (wanted.text(), found.text());
                let message = format!("expected type {wanted} in call to function {name:?}, got {found}");
                return Err(QueryError::Parse { column, message });
            }
        }
        Ok(())
    }
}

impl Kind {
    fn text(self) -> &'static str {
        match self {
            Self::Scalar => "scalar",
            Self::Vector => "instant vector",
            Self::Matrix => "range vector",
        }
    }
}

impl Expr {
    fn kind(&self) -> Kind {
        match self {
            Self::Number(_) => Kind::Scalar,
            Self::Range(..) => Kind::Matrix,
            Self::Selector(_) | Self::Aggregate { .. } => Kind::Vector,
            Self::Negative(of) => of.kind(),
            Self::Call(Function::Scalar, _) => Kind::Scalar,
            Self::Call(..) => Kind::Vector,
            Self::Binary { left, right, .. } => {
                if left.kind() == Kind::Scalar {
                    right.kind()
                } else {
                    left.kind()
                }
            }
        }
    }
}
