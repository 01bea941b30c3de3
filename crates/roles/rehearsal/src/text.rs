//! A report as people read it.

use crate::report::{Asked, ClusterReport, Report, Step};
use std::fmt;
use windlass_model::Status;

fn mark(status: Status) -> &'static str {
    match status {
        Status::Success => "✓",
        Status::IgnoreFailed => "~",
        Status::Skipped => "-",
        Status::NotStarted => " ",
        status if status.is_terminal() => "✗",
        _ => "…",
    }
}

/// `10:30:00` of an RFC 3339 time.
fn clock(time: &str) -> &str {
    time.get(11..19).unwrap_or(time)
}

fn indented(f: &mut fmt::Formatter<'_>, indent: &str, text: &str) -> fmt::Result {
    text.lines().filter(|line| !line.trim().is_empty()).try_for_each(|line| writeln!(f, "{indent}{line}"))
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", mark(self.status), self.pipeline, self.status)?;
        if let Some(took) = &self.took {
            write!(f, " after {took}")?;
        }
        write!(f, ", started at {}", self.started_at)?;
        if !self.faults.is_empty() {
            write!(f, ", with {}", self.faults.join(", "))?;
        }
        writeln!(f)?;
        if let Some(waits) = &self.waits {
            indented(f, "  waits for ", waits.lines().next().unwrap_or_default())?;
        }
        for (place, step) in self.steps.iter().enumerate() {
            let told_below = self.steps[place + 1..].iter().take_while(|below| below.depth > step.depth).any(|below| {
                let reason = below.reason.as_deref().filter(|reason| !reason.is_empty());
                reason.is_some_and(|reason| step.reason.as_deref().is_some_and(|own| own.contains(reason)))
            });
            let brief = Step { reason: None, ..step.clone() };
            if told_below { brief.fmt(f)? } else { step.fmt(f)? }
        }
        section(f, "Asked", &self.asked)?;
        if !self.not_done.is_empty() {
            writeln!(f, "\nNot done in a rehearsal")?;
            for one in &self.not_done {
                writeln!(f, "  {}: {} {}", one.step, one.kind, one.what)?;
            }
        }
        for cluster in &self.clusters {
            cluster.fmt(f)?;
        }
        if !self.invented.is_empty() {
            writeln!(f, "\nInvented")?;
            for one in &self.invented {
                writeln!(f, "  {one}")?;
            }
        }
        let remarks = self.diagnostics.iter().count();
        if remarks > 0 {
            writeln!(
                f,
                "\n{remarks} remarks about the documents: `windlass apply --dry-run` shows them, and `-o json`"
            )?;
        }
        Ok(())
    }
}

fn section<T: fmt::Display>(f: &mut fmt::Formatter<'_>, title: &str, items: &[T]) -> fmt::Result {
    if items.is_empty() {
        return Ok(());
    }
    writeln!(f, "\n{title}")?;
    items.iter().try_for_each(|item| item.fmt(f))
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at = self.started_at.as_deref().map_or("        ", clock);
        let indent = "  ".repeat(self.depth);
        write!(f, "  {at}  {indent}{} {}  {}", mark(self.status), self.name, self.kind)?;
        if let Some(took) = &self.took {
            write!(f, "  {took}")?;
        }
        if !matches!(self.status, Status::Success | Status::NotStarted) {
            write!(f, "  {}", self.status)?;
        }
        if self.attempts > 1 {
            write!(f, "  {} attempts", self.attempts)?;
        }
        if self.rollback {
            write!(f, "  rollback")?;
        }
        writeln!(f)?;
        let below = format!("            {indent}    ");
        if let Some(reason) = &self.reason {
            indented(f, &below, reason)?;
        }
        self.hints.iter().try_for_each(|hint| indented(f, &format!("{below}hint: "), hint))
    }
}

impl fmt::Display for Asked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "  {}  {}", clock(&self.asked_at), self.step)?;
        writeln!(f, "    {} of {}", self.minimum_count, self.groups.join(", "))?;
        if !self.inputs.is_empty() {
            writeln!(f, "    they write: {}", self.inputs.join(", "))?;
        }
        if let Some(problem) = &self.problem {
            indented(f, "    cannot be answered: ", problem)?;
        } else if self.answered_by.is_empty() {
            writeln!(f, "    nobody has answered")?;
        } else {
            writeln!(f, "    answered by {}", self.answered_by.join(", "))?;
        }
        indented(f, "    | ", &self.message)
    }
}

impl fmt::Display for ClusterReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "\nChanged in {}", self.connector)?;
        if self.changes.is_empty() {
            writeln!(f, "  nothing")?;
        }
        for change in &self.changes {
            let sign = match change.change {
                "created" => "+",
                "deleted" => "-",
                _ => "~",
            };
            let place = if change.namespace.is_empty() { String::new() } else { format!(" in {}", change.namespace) };
            writeln!(f, "  {sign} {}{place}", change.object)?;
            change.fields.iter().try_for_each(|field| writeln!(f, "      {field}"))?;
        }
        for workload in &self.workloads {
            let (before, after) = (workload.images_before.join(", "), workload.images_after.join(", "));
            let images = match (before.as_str(), after.as_str()) {
                (before, after) if before == after => after.to_owned(),
                ("", after) => after.to_owned(),
                (before, "") => format!("{before} → nothing"),
                (before, after) => format!("{before} → {after}"),
            };
            let pods = if workload.pods.is_empty() { String::new() } else { format!(", {}", workload.pods) };
            writeln!(f, "  {} runs {images}{pods}", workload.object)?;
        }
        Ok(())
    }
}
