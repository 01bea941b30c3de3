use crate::ast::Template;
use crate::code;
use crate::limits::{Limits, Options};
use crate::machine::{Machine, Set};
use crate::parser;
use crate::session::Session;
use crate::source::Source;
use crate::value::Value;
use crate::world::{Isolated, World};
use std::sync::Arc;
use windlass_diagnostic::{Diagnostic, Diagnostics};

/// Templates that know each other: files, and what they define.
#[derive(Debug, Default)]
pub struct Templates {
    set: Set,
    options: Options,
}

/// Room for a thousand templates within each other, without asking the caller for it. Only what is used is taken.
const STACK: usize = 256 << 20;

impl Templates {
    /// Reads files. Each is a template by its path; what one defines, all may use, and the last definition counts.
    ///
    /// # Errors
    /// Every file that is no template, and every function that there is none of.
    pub fn parse(files: &[(&str, &str)]) -> Result<Self, Diagnostics> {
        Self::parse_with(files, Options::default())
    }

    /// Reads files by other rules.
    ///
    /// # Errors
    /// As [`Templates::parse`].
    pub fn parse_with(files: &[(&str, &str)], options: Options) -> Result<Self, Diagnostics> {
        let mut set = Set::new();
        let mut problems = Diagnostics::new();
        let mut words = Vec::new();
        for (path, text) in files {
            match parser::parse(&Source::new(path, text), options.dialect, &mut words) {
                Ok(found) => found.into_iter().for_each(|template| add(&mut set, template)),
                Err(found) => problems.append(found),
            }
        }
        if problems.is_empty() { Ok(Self { set, options }) } else { Err(problems) }
    }

    pub(crate) fn get(&self, name: &str) -> Option<&Arc<Template>> {
        self.set.get(name)
    }

    #[must_use]
    pub fn with(mut self, options: Options) -> Self {
        self.options = options;
        self
    }

    /// The names of all templates.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.set.keys().map(|name| &**name)
    }

    /// Fills one template in. `root` is what `.` and `$` are; its numbers are floats (rendering §2.3).
    ///
    /// # Errors
    /// One problem, with the place in the template where it came up.
    pub fn render(&self, path: &str, root: &serde_json::Value, limits: &Limits) -> Result<String, Diagnostics> {
        self.render_all(&[path], root, limits).map(|texts| texts.into_iter().next().unwrap_or_default())
    }

    /// Fills several templates in, each with values of its own: what one sets another does not see. The limits hold for all
    /// of them together.
    ///
    /// # Errors
    /// The first problem of each template.
    pub fn render_all(
        &self,
        paths: &[&str],
        root: &serde_json::Value,
        limits: &Limits,
    ) -> Result<Vec<String>, Diagnostics> {
        roomy(|| self.render_here(paths, root, limits))
    }

    /// Renders with values that the caller makes, and that templates may change for each other. Deep templates need the
    /// stack of [`roomy`].
    pub fn session<'s>(&'s self, limits: &Limits, world: &'s dyn World) -> Session<'s> {
        Session::new(self, Machine::new(&self.set, *limits, self.options, world))
    }

    fn render_here(
        &self,
        paths: &[&str],
        root: &serde_json::Value,
        limits: &Limits,
    ) -> Result<Vec<String>, Diagnostics> {
        let mut machine = Machine::new(&self.set, *limits, self.options, &Isolated);
        let mut texts = Vec::with_capacity(paths.len());
        let mut problems = Diagnostics::new();
        for path in paths {
            let Some(template) = self.set.get(*path) else {
                let problem = Diagnostic::error(code::EXECUTION, format!("there is no template `{path}`"));
                problems.push(problem.nearest_of(path, self.names()));
                continue;
            };
            let result = machine.render(template, &Value::from_json(root));
            machine.forget();
            match result {
                Ok(text) => texts.push(text),
                Err(problem) => {
                    let is_limit = problem.code == code::LIMIT;
                    problems.push(*problem);
                    if is_limit {
                        break;
                    }
                }
            }
        }
        if problems.is_empty() { Ok(texts) } else { Err(problems) }
    }
}

/// Does work with room for deep templates on the stack.
pub fn roomy<T>(work: impl FnOnce() -> T) -> T {
    // A thread of its own would do too, but costs as much as twenty small templates: another arena, and two ways to wake up.
    stacker::grow(STACK, work)
}

/// An empty definition never replaces a full one.
fn add(set: &mut Set, template: Template) {
    if template.is_empty() && set.contains_key(&template.name) {
        return;
    }
    set.insert(template.name.clone(), Arc::new(template));
}
