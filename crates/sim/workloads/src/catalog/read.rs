//! From YAML to a catalogue.

use super::{Catalog, Entry, MetricNames};
use crate::image::Pattern;
use crate::profile::{Cpu, Exit, Flaps, Latency, LogMoment, LogTemplate, Memory, Profile, Pull, Readiness, Traffic};
use std::ops::RangeInclusive;
use windlass_diagnostic::Diagnostic;
use windlass_model::Millis;
use windlass_yaml::{Fields, Reader, code};

/// The most requests a second that one pod may serve: beyond it log lines and counters cost real time.
const RATES: RangeInclusive<f64> = 0.0..=100_000.0;

pub(super) fn catalog(node: &Reader<'_>) -> Option<Catalog> {
    let fields = node.fields()?;
    let names = fields.opt_with("metrics", |node| names(&node)).unwrap_or_default();
    let default = fields.opt_with("default", |node| {
        let fields = node.fields()?;
        let profile = profile(&fields);
        fields.finish_strict();
        Some(profile)
    });
    let entries = fields.list("workloads", |node| entry(&node));
    fields.finish_strict();
    Some(Catalog { entries, default: default.unwrap_or_default(), names, struck: None })
}

fn names(node: &Reader<'_>) -> Option<MetricNames> {
    let fields = node.fields()?;
    let plain = MetricNames::default();
    let names = MetricNames {
        requests: fields.opt_string("requests").unwrap_or(plain.requests),
        duration: fields.opt_string("duration").unwrap_or(plain.duration),
        status_label: fields.opt_string("statusLabel").unwrap_or(plain.status_label),
    };
    fields.finish_strict();
    Some(names)
}

fn entry(node: &Reader<'_>) -> Option<Entry> {
    let fields = node.fields()?;
    let pattern = |name| fields.opt_parse(name, Pattern::parse);
    let entry = Entry {
        repository: pattern("image"),
        tag: pattern("tag"),
        namespace: pattern("namespace"),
        profile: profile(&fields),
    };
    fields.finish_strict();
    Some(entry)
}

fn profile(fields: &Fields<'_>) -> Profile {
    Profile {
        pull: fields.opt_with("pull", |node| pull(&node)).unwrap_or_default(),
        start_delay: length(fields, "start"),
        readiness: fields.opt_with("readiness", |node| readiness(&node)).unwrap_or_default(),
        exit: fields.opt_with("exit", |node| exit(&node)),
        stop_takes: length(fields, "stop"),
        traffic: fields.opt_with("traffic", |node| traffic(&node)),
        cpu: fields.opt_with("cpu", |node| cpu(&node)).unwrap_or_default(),
        memory: fields.opt_with("memory", |node| memory(&node)).unwrap_or_default(),
        logs: fields.list("logs", |node| log(&node)),
    }
}

fn pull(node: &Reader<'_>) -> Option<Pull> {
    let fields = node.fields()?;
    let pull = Pull { takes: length(&fields, "takes"), fails: fields.opt_string("fails") };
    fields.finish_strict();
    Some(pull)
}

fn readiness(node: &Reader<'_>) -> Option<Readiness> {
    let fields = node.fields()?;
    let after = length(&fields, "after");
    let never = fields.opt_bool("never").unwrap_or(false);
    let flaps = fields.opt_with("flaps", |node| {
        let fields = node.fields()?;
        let (ready, unready) = (positive(&fields, "ready"), positive(&fields, "unready"));
        fields.finish_strict();
        Some(Flaps { ready: ready?, unready: unready? })
    });
    fields.finish_strict();
    Some(Readiness { after: (!never).then_some(after), flaps })
}

fn exit(node: &Reader<'_>) -> Option<Exit> {
    let fields = node.fields()?;
    let after = length(&fields, "after");
    let code = fields.opt_with("code", |node| node.int_in(0..=255)).unwrap_or(1);
    let times = fields.opt_with("times", |node| node.int_in(0..=1_000_000));
    fields.finish_strict();
    Some(Exit { after, code: i32::try_from(code).ok()?, times: times.and_then(|times| u32::try_from(times).ok()) })
}

fn traffic(node: &Reader<'_>) -> Option<Traffic> {
    let fields = node.fields()?;
    let rate = fields.with("rate", |node| bounded(&node, node.float()?, RATES));
    let error_rate = fields.opt_with("errorRate", |node| bounded(&node, node.parse(share)?, 0.0..=1.0));
    let latency = fields.opt_with("latency", |node| latency(&node));
    fields.finish_strict();
    let latency = latency.unwrap_or(Latency { median: 0.05, p99: 0.2 });
    Some(Traffic { rate: rate?, error_rate: error_rate.unwrap_or(0.0), latency })
}

fn latency(node: &Reader<'_>) -> Option<Latency> {
    let fields = node.fields()?;
    let (median, p99) = (positive(&fields, "median"), positive(&fields, "p99"));
    fields.finish_strict();
    let (median, p99) = (median?, p99?);
    if p99 < median {
        node.report(Diagnostic::error(code::BAD_VALUE, format!("p99 ({p99}) is below the median ({median})")));
        return None;
    }
    Some(Latency { median: median.to_std().as_secs_f64(), p99: p99.to_std().as_secs_f64() })
}

fn cpu(node: &Reader<'_>) -> Option<Cpu> {
    let fields = node.fields()?;
    let cpu = Cpu { idle: amount(&fields, "idle"), per_request: amount(&fields, "perRequest") };
    fields.finish_strict();
    Some(cpu)
}

fn memory(node: &Reader<'_>) -> Option<Memory> {
    let fields = node.fields()?;
    let memory = Memory { base: amount(&fields, "base"), growth_per_minute: amount(&fields, "growthPerMinute") };
    fields.finish_strict();
    Some(memory)
}

fn log(node: &Reader<'_>) -> Option<LogTemplate> {
    let fields = node.fields()?;
    let text = fields.string("text");
    let words = [
        ("start", LogMoment::Start),
        ("exit", LogMoment::Exit),
        ("request", LogMoment::Request),
        ("error", LogMoment::Error),
    ];
    let when = if fields.has("every") {
        positive(&fields, "every").map(LogMoment::Every)
    } else {
        fields.choice("when", &words)
    };
    fields.finish_strict();
    Some(LogTemplate { when: when?, text: text? })
}

fn length(fields: &Fields<'_>, name: &'static str) -> Millis {
    fields.opt_parse(name, Millis::parse).unwrap_or_default()
}

fn positive(fields: &Fields<'_>, name: &'static str) -> Option<Millis> {
    fields.with(name, |node| {
        let length = node.parse(Millis::parse)?;
        if length == Millis::ZERO {
            node.report(Diagnostic::error(code::BAD_VALUE, "expected a length of time above 0"));
        }
        (length > Millis::ZERO).then_some(length)
    })
}

/// `0.04` or `4%`.
fn share(text: &str) -> Result<f64, String> {
    let number = match text.trim().strip_suffix('%') {
        Some(percent) => percent.trim().parse::<f64>().map(|percent| percent / 100.0),
        None => text.trim().parse(),
    };
    number.map_err(|_| format!("`{text}` is not a share: write for example `0.04` or `4%`"))
}

/// A quantity as Kubernetes writes it (`250m`, `64Mi`); 0 when absent or wrong.
fn amount(fields: &Fields<'_>, name: &'static str) -> f64 {
    fields.opt_parse(name, quantity).unwrap_or(0.0)
}

fn quantity(text: &str) -> Result<f64, String> {
    let digits = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
    let factor = match &text[digits..] {
        "" => 1.0,
        "m" => 1e-3,
        "k" => 1e3,
        "M" => 1e6,
        "G" => 1e9,
        "Ki" => 1_024.0,
        "Mi" => 1_048_576.0,
        "Gi" => 1_073_741_824.0,
        _ => f64::NAN,
    };
    let value = text[..digits].parse().unwrap_or(f64::NAN) * factor;
    if value >= 0.0 && value.is_finite() {
        Ok(value)
    } else {
        Err(format!("`{text}` is not a quantity: write for example `250m` or `64Mi`"))
    }
}

fn bounded(node: &Reader<'_>, value: f64, bounds: RangeInclusive<f64>) -> Option<f64> {
    if !bounds.contains(&value) {
        let text = format!("expected a number from {} to {}, found {value}", bounds.start(), bounds.end());
        node.report(Diagnostic::error(code::BAD_VALUE, text));
        return None;
    }
    Some(value)
}
