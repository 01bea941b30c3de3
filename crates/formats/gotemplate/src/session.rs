use crate::code;
use crate::machine::Machine;
use crate::templates::Templates;
use crate::value::Value;
use windlass_diagnostic::Diagnostic;

/// One rendering of several templates that share values and limits: what one sets the next one sees.
#[derive(Debug)]
pub struct Session<'s> {
    templates: &'s Templates,
    machine: Machine<'s>,
}

impl<'s> Session<'s> {
    pub(crate) fn new(templates: &'s Templates, machine: Machine<'s>) -> Self {
        Self { templates, machine }
    }

    /// Fills one template in. `root` is what `.` and `$` are.
    ///
    /// # Errors
    /// One problem, with the place in the template where it came up.
    pub fn render(&mut self, name: &str, root: &Value) -> Result<String, Diagnostic> {
        let Some(template) = self.templates.get(name) else {
            let problem = Diagnostic::error(code::EXECUTION, format!("there is no template `{name}`"));
            return Err(problem.nearest_of(name, self.templates.names()));
        };
        self.machine.render(template, root).map_err(|problem| *problem)
    }
}

impl Drop for Session<'_> {
    fn drop(&mut self) {
        self.machine.forget();
    }
}
