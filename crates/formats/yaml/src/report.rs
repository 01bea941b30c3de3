use std::cell::RefCell;
use windlass_diagnostic::{Diagnostic, Diagnostics, Severity};

/// Where parsers and readers put what they find. Bounded: a hostile document gets its first problems and the number of the
/// others.
#[derive(Debug, Default)]
pub struct Report(RefCell<State>);

#[derive(Debug, Default)]
struct State {
    kept: Diagnostics,
    errors: usize,
    others: usize,
}

impl State {
    fn count(&mut self, severity: Severity) -> &mut usize {
        if severity == Severity::Error { &mut self.errors } else { &mut self.others }
    }
}

/// Errors kept, and as many warnings.
const KEPT: usize = 200;

impl Report {
    pub fn push(&self, diagnostic: Diagnostic) {
        let mut state = self.0.borrow_mut();
        let count = state.count(diagnostic.severity);
        *count += 1;
        if *count <= KEPT {
            state.kept.push(diagnostic);
        }
    }

    /// Whether another one would still be kept: who has to compute for it need not when not.
    pub(crate) fn wants(&self, severity: Severity) -> bool {
        *self.0.borrow_mut().count(severity) < KEPT
    }

    /// Counts what nobody described.
    pub(crate) fn count(&self, severity: Severity, more: usize) {
        *self.0.borrow_mut().count(severity) += more;
    }

    pub fn has_errors(&self) -> bool {
        self.0.borrow().errors > 0
    }

    /// What was found, in the order of the text.
    pub fn into_diagnostics(self) -> Diagnostics {
        let State { mut kept, errors, others } = self.0.into_inner();
        kept.sort();
        let left_out = errors.saturating_sub(KEPT) + others.saturating_sub(KEPT);
        if left_out > 0 {
            kept.push(Diagnostic::info(crate::code::LEFT_OUT, format!("{left_out} more problems are not listed")));
        }
        kept
    }
}
