use super::forms;
use crate::clear::Clear;
use aho_corasick::automaton::Automaton as _;
use aho_corasick::automaton::StateID;
use aho_corasick::nfa::contiguous::NFA;
use aho_corasick::{Anchored, MatchKind};
use std::collections::{BTreeSet, HashMap};
use std::fmt;
use std::sync::Arc;

/// Everything that must not be printed, ready to be searched for. Cheap to clone; made once for each task.
#[derive(Clone, Default)]
pub struct MaskPatterns(Option<Arc<Machine>>);

/// All forms of all secrets as one automaton: a byte costs the same for one secret and for a hundred.
pub(super) struct Machine {
    nfa: NFA,
    start: StateID,
    /// How many of the last bytes may be the beginning of a form.
    depth: HashMap<StateID, usize>,
}

impl MaskPatterns {
    pub fn new<'a>(secrets: impl IntoIterator<Item = &'a Clear>) -> Self {
        let mut all = BTreeSet::new();
        for secret in secrets {
            all.extend(forms::of(secret.bytes()));
        }
        Self(Machine::new(&all).map(Arc::new))
    }

    pub(super) fn machine(&self) -> Option<&Machine> {
        self.0.as_deref()
    }
}

impl fmt::Debug for MaskPatterns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = self.0.as_ref().map_or(0, |machine| machine.nfa.patterns_len());
        write!(f, "MaskPatterns({count})")
    }
}

impl Machine {
    /// `None` without patterns, and in the impossible case that they need more than 2³¹ states.
    fn new(forms: &BTreeSet<Vec<u8>>) -> Option<Self> {
        if forms.is_empty() {
            return None;
        }
        let nfa = NFA::builder().match_kind(MatchKind::Standard).prefilter(false).build(forms).ok()?;
        let start = nfa.start_state(Anchored::No).ok()?;
        let mut depth = HashMap::from([(start, 0)]);
        for form in forms {
            let mut state = start;
            for (index, byte) in form.iter().enumerate() {
                state = nfa.next_state(Anchored::No, state, *byte);
                depth.insert(state, index + 1);
            }
        }
        Some(Self { nfa, start, depth })
    }

    pub(super) fn start(&self) -> StateID {
        self.start
    }

    pub(super) fn next(&self, state: StateID, byte: u8) -> StateID {
        self.nfa.next_state(Anchored::No, state, byte)
    }

    /// The length of the longest form that ends here.
    pub(super) fn ends(&self, state: StateID) -> Option<usize> {
        if !self.nfa.is_match(state) {
            return None;
        }
        (0..self.nfa.match_len(state)).map(|index| self.nfa.pattern_len(self.nfa.match_pattern(state, index))).max()
    }

    pub(super) fn depth(&self, state: StateID) -> usize {
        self.depth.get(&state).copied().unwrap_or(0)
    }
}
