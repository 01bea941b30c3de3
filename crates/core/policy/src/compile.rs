//! From Rego text to something that can be asked.

mod defined;
mod nesting;

use crate::builtins;
use crate::check::check;
use crate::evaluate::{self, Circumstances, Limits};
use regorus::utils::limits::PolicyLengthConfig;
use regorus::{Engine, PolicyPackageComponents};
use std::num::{NonZeroU32, NonZeroUsize};
use std::sync::Arc;
use windlass_diagnostic::{Diagnostic, Diagnostics, Place};
use windlass_model::Timestamp;

/// A policy that can be asked any number of times, from several threads.
#[derive(Clone)]
pub struct Compiled {
    engine: Engine,
    query: String,
}

impl Compiled {
    pub(crate) fn engine(&self) -> Engine {
        self.engine.clone()
    }

    /// Asks about an empty input, for the errors that do not depend on it.
    fn trial(&self) -> anyhow::Result<()> {
        let mut engine = self.engine();
        engine.set_execution_timer_config(evaluate::timer(&Limits::default()));
        engine.set_input(regorus::Value::new_object());
        builtins::install_given(&mut engine, &Circumstances { now: Timestamp::default(), seed: "" })?;
        engine.eval_query(self.query.clone(), false).map(drop)
    }

    /// The rules that are asked: `data["package"].deny`.
    pub(crate) fn query(&self) -> &str {
        &self.query
    }
}

impl std::fmt::Debug for Compiled {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Compiled").field("query", &self.query).finish_non_exhaustive()
    }
}

/// Bytes and lines of a policy, and characters of a line.
const LARGEST: usize = 256 << 10;
const LONGEST: usize = 10_000;
const WIDEST: u32 = 4_096;

/// Stack for work whose depth the text decides, within the bounds of [`check`].
const STACK: usize = 64 << 20;

/// Compiles a policy that people know as `file`. Old syntax (`deny[msg] { … }`) and new (`deny contains msg if { … }`) are both
/// read (pipelines §8.2). What is refused comes back with its places; what is only suspicious comes with the result.
pub fn compile(file: &str, rego: &str) -> Result<(Compiled, Diagnostics), Diagnostics> {
    if rego.len() > LARGEST {
        let text = format!("the policy has {} bytes; at most {LARGEST} are read", rego.len());
        return Err(Diagnostic::error("POL0005", text).into());
    }
    on_large_stack(|| compile_here(file, rego)).unwrap_or_else(|| {
        Err(Diagnostic::error("POL0001", "the policy cannot be compiled")
            .remedy("report it: the compiler gave up")
            .into())
    })
}

/// Runs `work` where deep recursion has room. `None` when it panicked or no thread could be had.
pub(crate) fn on_large_stack<T: Send>(work: impl FnOnce() -> T + Send) -> Option<T> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name("rego".to_owned()).stack_size(STACK);
        thread.spawn_scoped(scope, work).ok()?.join().ok()
    })
}

fn compile_here(file: &str, rego: &str) -> Result<(Compiled, Diagnostics), Diagnostics> {
    let file: Arc<str> = file.into();
    if let Some((line, column)) = nesting::too_costly(rego) {
        let text = "brackets are nested too deep to be read";
        let remedy = "name inner values: `inner := [ … ]`";
        return Err(Diagnostic::error("POL0005", text).at(Place::new(file, line, column)).remedy(remedy).into());
    }
    // New syntax first: it is the stricter one, and old readers take `if` for a name without complaint.
    let (mut engine, old_syntax) = match parse(rego, false) {
        Ok(engine) => (engine, false),
        Err(new) => {
            let old = parse(rego, true).map_err(|old| later(problem(&new, &file), problem(&old, &file)))?;
            (old, true)
        }
    };
    let mut found = Diagnostics::new();
    let package = package(&engine);
    if let Some(module) = engine.get_modules().first().cloned() {
        let outline = check(&module, &package.join("."), &file, &mut found);
        if !outline.has_deny {
            let text = "the policy has no rule `deny`: it can never refuse anything";
            found.push(Diagnostic::warning("POL0006", text).remedy("write `deny contains message if { … }`"));
        }
    }
    if found.has_errors() {
        return Err(found);
    }
    if let Some(guarded) = engine.get_modules().first().and_then(|module| defined::guarded(rego, module)) {
        let mut read = parse(&guarded.text, old_syntax).ok();
        let modules = read.as_mut().map(Engine::get_modules);
        let is_whole = modules.and_then(|all| all.first()).is_some_and(|module| guarded.is_read_as(module));
        let text = "the value of a rule's head cannot be looked at";
        let remedy = "name it in the body: `message := …`, and write `deny contains message`";
        let refused = || Diagnostic::error("POL0001", text).at(Place::new(file.clone(), 1, 1)).remedy(remedy);
        engine = read.filter(|_| is_whole).ok_or_else(refused)?;
    }
    // Any query makes the engine look through the whole policy: unsafe variables, rules that contradict each other, …
    let prepared = builtins::install_fixed(&mut engine).and_then(|()| engine.eval_query("1".to_owned(), false));
    if let Err(error) = prepared {
        found.push(problem(&error, &file));
        return Err(found);
    }
    let path: String = package.iter().map(|part| format!("[{}]", serde_json::Value::from(part.as_str()))).collect();
    let policy = Compiled { engine, query: format!("data{path}.deny") };
    // Values of rules without a body are looked at only when they are asked for.
    // A trial that fails for another reason may do better with a real input.
    let trial = on_large_stack(|| policy.trial()).and_then(Result::err);
    if let Some(error) = trial.filter(|error| error.to_string().contains(" is unsafe")) {
        found.push(problem(&error, &file));
        return Err(found);
    }
    Ok((policy, found))
}

fn parse(rego: &str, old_syntax: bool) -> anyhow::Result<Engine> {
    let mut engine = Engine::new();
    engine.set_rego_v0(old_syntax);
    engine.set_gather_prints(true);
    engine.set_strict_builtin_errors(false);
    let default = PolicyLengthConfig::default();
    engine.set_policy_length_config(PolicyLengthConfig {
        max_col: NonZeroU32::new(2 * WIDEST).unwrap_or(default.max_col),
        // With room for what is put in.
        max_file_bytes: NonZeroUsize::new(2 * LARGEST).unwrap_or(default.max_file_bytes),
        max_lines: NonZeroUsize::new(LONGEST).unwrap_or(default.max_lines),
    });
    engine.add_policy(NAME.to_owned(), rego.to_owned())?;
    Ok(engine)
}

/// The name under which regorus sees every policy; the author's name is put in afterwards.
const NAME: &str = "policy.rego";

fn package(engine: &Engine) -> Vec<String> {
    let packages: Vec<PolicyPackageComponents> = engine.get_policy_package_components().unwrap_or_default();
    packages.into_iter().next().map(|package| package.components).unwrap_or_default()
}

/// Reads place and message out of the text of an error.
pub(crate) fn problem(error: &anyhow::Error, file: &Arc<str>) -> Diagnostic {
    let text = error.to_string();
    let message = text.rsplit("error: ").next().unwrap_or(&text).trim();
    let message = message.split(&format!("\n--> {NAME}")).next().unwrap_or(message).trim_end_matches(':');
    // What the interpreter adds for its own authors.
    let message = message.split(" (path [").next().unwrap_or(message);
    let diagnostic = Diagnostic::error("POL0001", message.replace(NAME, file));
    match place(&text) {
        Some((line, column)) => diagnostic.at(Place::new(file.clone(), line, column)),
        None => diagnostic,
    }
}

/// `--> policy.rego:3:9`
fn place(text: &str) -> Option<(u32, u32)> {
    let after = text.split(&format!("--> {NAME}:")).nth(1)?;
    let mut numbers = after.lines().next()?.split(':').map(|part| part.trim().parse::<u32>().ok());
    Some((numbers.next()??, numbers.next()??))
}

/// Of two failed readings the one that got further is what the author meant; when both stopped at once, the old syntax.
fn later(a: Diagnostic, b: Diagnostic) -> Diagnostics {
    let at = |d: &Diagnostic| d.place.as_ref().map(|place| (place.line, place.column));
    if at(&b) >= at(&a) { b.into() } else { a.into() }
}
