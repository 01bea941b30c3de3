//! Carrying a template out.

mod call;
mod pipeline;
mod walk;

use crate::ast::{Name, Template};
use crate::code;
use crate::limits::{Dialect, Limits, Options};
use crate::source::Offset;
use crate::value::{Map, Value};
use crate::world::World;
use std::collections::BTreeMap;
use std::sync::Arc;
use windlass_diagnostic::Diagnostic;

/// Templates by name.
pub(crate) type Set = BTreeMap<Name, Arc<Template>>;

/// Why a template stopped.
pub(crate) type Fault = Box<Diagnostic>;

/// One rendering.
pub(crate) struct Machine<'s> {
    set: &'s Set,
    /// What `tpl` defined, the newest last.
    own: Vec<Set>,
    limits: Limits,
    options: Options,
    pub(crate) world: &'s dyn World,
    steps: u64,
    /// When the world is asked next whether the time is over.
    asks_at: u64,
    /// Levels of nodes and pipelines on the stack.
    nesting: usize,
    out: String,
    /// Bytes that were written by templates around the one that writes now.
    outer: usize,
    /// Bytes of templates that came before.
    done: usize,
    variables: Vec<(Name, Value)>,
    frames: Vec<Frame>,
    /// Maps that were changed: one may hold itself.
    changed: Vec<Map>,
}

/// A template on its way.
#[derive(Debug)]
struct Frame {
    template: Arc<Template>,
    /// Where its variables start.
    base: usize,
    /// Where the one before called it.
    called: Offset,
}

impl std::fmt::Debug for Machine<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Machine").field("options", &self.options).field("steps", &self.steps).finish_non_exhaustive()
    }
}

/// What a function may do besides looking at its arguments.
#[derive(Debug)]
pub(crate) struct Call<'m, 's> {
    pub machine: &'m mut Machine<'s>,
    pub at: Offset,
}

/// Steps between two questions for the time.
const ASK_EVERY: u64 = 4_096;

/// The stack of a rendering has room for so many levels.
const MOST_NESTING: usize = 6_000;

impl<'s> Machine<'s> {
    pub(crate) fn new(set: &'s Set, limits: Limits, options: Options, world: &'s dyn World) -> Self {
        Self {
            set,
            own: Vec::new(),
            limits,
            options,
            world,
            steps: 0,
            asks_at: ASK_EVERY,
            nesting: 0,
            out: String::new(),
            outer: 0,
            done: 0,
            variables: Vec::new(),
            frames: Vec::new(),
            changed: Vec::new(),
        }
    }

    /// Renders a template of the set from the start.
    pub(crate) fn render(&mut self, template: &Arc<Template>, root: &Value) -> Result<String, Fault> {
        // Into one piece of memory for all, which does not grow anew for each.
        let result = self.run(template, root, 0).map(|()| self.out.clone());
        self.outer = self.done + result.as_ref().map_or(0, String::len);
        self.done = self.outer;
        self.out.clear();
        self.nesting = 0;
        self.variables.clear();
        self.frames.clear();
        self.own.clear();
        result.map(|text| self.without_no_value(text))
    }

    /// Helm drops the words wherever they come from.
    pub(crate) fn without_no_value(&self, text: String) -> String {
        let is_helm = self.options.dialect == Dialect::Helm;
        if is_helm && text.contains("<no value>") { text.replace("<no value>", "") } else { text }
    }

    /// Ends maps that hold themselves.
    pub(crate) fn forget(&mut self) {
        for map in std::mem::take(&mut self.changed) {
            map.clear();
        }
    }

    pub(crate) fn find(&self, name: &str) -> Option<Arc<Template>> {
        let own = self.own.iter().rev().find_map(|set| set.get(name));
        own.or_else(|| self.set.get(name)).cloned()
    }

    /// Renders a template to a text of its own.
    pub(crate) fn text_of(&mut self, template: &Arc<Template>, dot: &Value, at: Offset) -> Result<String, Fault> {
        let around = std::mem::take(&mut self.out);
        self.outer += around.len();
        let result = self.run(template, dot, at);
        self.outer -= around.len();
        let text = std::mem::replace(&mut self.out, around);
        result.map(|()| text)
    }

    /// Runs a template with variables of its own; it writes where the one around writes.
    pub(crate) fn run(&mut self, template: &Arc<Template>, dot: &Value, at: Offset) -> Result<(), Fault> {
        if self.frames.len() >= self.limits.depth {
            let message = format!("more than {} templates within each other", self.limits.depth);
            return Err(self.fault(code::LIMIT, at, message));
        }
        let base = self.variables.len();
        self.frames.push(Frame { template: Arc::clone(template), base, called: at });
        self.variables.push(("$".into(), dot.clone()));
        let result = self.walk(dot, &template.body);
        self.variables.truncate(base);
        self.frames.pop();
        result.map(drop)
    }

    /// Templates that exist while `inside` runs.
    pub(crate) fn with_own<T>(&mut self, set: Set, inside: impl FnOnce(&mut Self) -> T) -> T {
        self.own.push(set);
        let result = inside(self);
        self.own.pop();
        result
    }

    pub(crate) fn fault(&self, code: &'static str, at: Offset, message: impl Into<String>) -> Fault {
        let Some(frame) = self.frames.last() else { return Box::new(Diagnostic::error(code, message)) };
        let mut fault = frame.template.source.error(code, at, message);
        fault.path = self.way();
        fault
    }

    /// Which templates led here, from the inside out.
    fn way(&self) -> Option<String> {
        const MOST: usize = 4;
        let callers = self.frames.iter().rev().skip(1);
        let steps: Vec<String> = callers
            .zip(self.frames.iter().rev())
            .take(MOST)
            .map(|(caller, frame)| {
                let place = caller.template.source.place(frame.called);
                format!("`{}`, called at {place}", frame.template.name)
            })
            .collect();
        (!steps.is_empty()).then(|| steps.join(", in "))
    }

    /// Counts work that was done.
    pub(crate) fn count(&mut self, steps: u64, at: Offset) -> Result<(), Fault> {
        self.steps = self.steps.saturating_add(steps);
        if self.steps > self.limits.steps {
            let message = format!("the template takes more than {} steps", self.limits.steps);
            return Err(self.fault(code::LIMIT, at, message));
        }
        if self.steps >= self.asks_at {
            self.asks_at = self.steps + ASK_EVERY;
            if self.world.is_over() {
                return Err(self.fault(code::LIMIT, at, "the time for this rendering is over"));
            }
        }
        Ok(())
    }

    pub(crate) fn options(&self) -> Options {
        self.options
    }

    /// Goes one level deeper into the stack.
    fn nested<T>(&mut self, at: Offset, inside: impl FnOnce(&mut Self) -> Result<T, Fault>) -> Result<T, Fault> {
        if self.nesting >= MOST_NESTING {
            return Err(self.fault(code::LIMIT, at, "templates, blocks and parentheses are nested too deep"));
        }
        self.nesting += 1;
        let result = inside(self);
        self.nesting -= 1;
        result
    }

    fn write(&mut self, text: &str, at: Offset) -> Result<(), Fault> {
        if self.outer + self.out.len() + text.len() > self.limits.output {
            let message = format!("the result is larger than {} bytes", self.limits.output);
            return Err(self.fault(code::LIMIT, at, message));
        }
        self.out.push_str(text);
        Ok(())
    }

    /// Remembers a map that was changed.
    pub(crate) fn changed(&mut self, map: &Map) {
        if map.becomes_known() {
            self.changed.push(map.clone());
        }
    }
}
