use super::strategy::Level;
use super::unique::Unique;
use super::{deployment, loops, steps, strategy, when};
use crate::common::{self, code};
use windlass_diagnostic::Diagnostic;
use windlass_model::Millis;
use windlass_model::pipeline::{Action, ErrorMatch, FailureStrategy, Field, Stage, StageItem, StageKind};
use windlass_yaml::Reader;

/// One entry of `stages`: a stage, or stages that run together.
pub(super) fn item(reader: &Reader<'_>, unique: &mut Unique) -> Option<StageItem> {
    let fields = reader.fields()?;
    let (one, parallel, insert) = (fields.opt("stage"), fields.opt("parallel"), fields.opt("insert"));
    fields.finish();
    match (one, parallel, insert) {
        (Some(one), None, None) => stage(&one, unique).map(StageItem::One),
        (None, Some(parallel), None) => {
            let stages = parallel.items()?.into_iter().filter_map(|item| {
                let fields = item.fields()?;
                let stage_reader = fields.required("stage");
                fields.finish();
                stage(&stage_reader?, unique)
            });
            Some(StageItem::Parallel(stages.collect()))
        }
        (None, None, Some(insert)) => {
            insert.report(Diagnostic::error(
                code::UNSUPPORTED,
                "`insert` belongs to pipeline templates, which cannot be used yet",
            ));
            None
        }
        _ => {
            reader
                .report(Diagnostic::error(code::CHOICE, "an entry of `stages` is exactly one of `stage`, `parallel`"));
            None
        }
    }
}

fn stage(reader: &Reader<'_>, unique: &mut Unique) -> Option<Stage> {
    let fields = reader.fields()?;
    let identifier = common::identifier(&fields);
    if let Some(identifier) = &identifier {
        unique.claim(reader, identifier);
    }
    let name = common::name(&fields);
    let description = fields.opt_string("description").unwrap_or_default();
    let tags = common::tags(&fields);
    let variables = common::variables(&fields);
    let mut when = when::read(&fields, "pipelineStatus", "stageStatus");
    if let Some(skip) = fields.opt("skipCondition")
        && let Some(text) = skip.string()
    {
        skip.report(Diagnostic::warning(
            code::LINT,
            "`skipCondition` is of an older format; it is read as its opposite in `when`",
        ));
        when.get_or_insert_default().condition = Some(format!("!({text})"));
    }
    let kind_word = fields.required("type");
    let spec = fields.opt("spec");
    let has_strategies = fields.has("failureStrategies");
    let mut failure_strategies = strategy::read(&fields, Level::Stage);
    let strategy = loops::read(&fields);
    let delegate_selectors = fields.opt("delegateSelectors").and_then(|s| common::selectors(&s));
    let timeout = fields.opt("timeout").and_then(|t| common::duration(&t));
    let manual_start = fields.opt("runMode").and_then(|mode| manual_start(&mode));
    fields.known(&["skipInstances"]);
    if let Some(template) = fields.opt("template") {
        template.report(Diagnostic::error(code::UNSUPPORTED, "stages from a template cannot be used yet"));
    }
    fields.finish();
    let word = kind_word.as_ref().and_then(Reader::string)?;
    let kind = kind(reader, kind_word.as_ref(), &word, spec)?;
    if matches!(kind, StageKind::Deployment(_)) && !has_strategies {
        reader.report(
            Diagnostic::warning("SEED-61", "a Deployment stage must say what happens on failure")
                .remedy("without `failureStrategies` every error rolls the stage back"),
        );
        failure_strategies.push(FailureStrategy {
            errors: ErrorMatch { all: true, types: Default::default() },
            action: Action::StageRollback,
        });
    }
    Some(Stage {
        name: name.or_else(|| identifier.clone())?,
        identifier: identifier?,
        description,
        tags,
        variables,
        when,
        failure_strategies,
        strategy,
        delegate_selectors,
        timeout,
        manual_start,
        kind,
    })
}

/// The vendor's stage types that are kept and refused at run.
const OTHERS: &[&str] =
    &["CI", "Pipeline", "Dynamic", "FeatureFlag", "SecurityTests", "IACM", "IDP", "DRTest", "CompositeLoadTest"];

fn kind(stage: &Reader<'_>, word_at: Option<&Reader<'_>>, word: &str, spec: Option<Reader<'_>>) -> Option<StageKind> {
    let execution = |spec: Option<Reader<'_>>| {
        let Some(spec) = spec else {
            stage.report(Diagnostic::error(windlass_yaml::code::MISSING_KEY, "`spec` is missing"));
            return None;
        };
        let fields = spec.fields()?;
        let execution = fields.required("execution").and_then(|e| steps::execution(&e));
        fields.known(&["environment"]);
        fields.finish();
        execution
    };
    match word {
        "Deployment" => match spec {
            Some(spec) => deployment::read(&spec).map(|d| StageKind::Deployment(Box::new(d))),
            None => execution(None).map(StageKind::Custom),
        },
        "Approval" => execution(spec).map(StageKind::Approval),
        "Custom" => execution(spec).map(StageKind::Custom),
        other => {
            let at = word_at.unwrap_or(stage);
            if OTHERS.contains(&other) {
                at.report(
                    Diagnostic::warning(code::UNSUPPORTED, format!("stages of type {other} cannot run here"))
                        .remedy("the stage is kept and fails when it is reached"),
                );
                let spec = spec.map_or(windlass_model::Json::Null, |s| common::json(&s));
                return Some(StageKind::Unsupported { name: other.to_owned(), spec });
            }
            let known = ["Deployment", "Approval", "Custom"].into_iter().chain(OTHERS.iter().copied());
            at.report(
                Diagnostic::error(code::TYPE, format!("`{other}` is not a type of stage")).nearest_of(other, known),
            );
            None
        }
    }
}

/// `runMode: {type: Manual, timeout}`.
fn manual_start(reader: &Reader<'_>) -> Option<Field<Millis>> {
    let fields = reader.fields()?;
    let manual = fields.choice("type", &[("Auto", false), ("Manual", true)]);
    let timeout = fields.opt("timeout").and_then(|t| common::duration(&t));
    fields.finish();
    manual?.then(|| timeout.unwrap_or(Field::Fixed(Millis::from_secs(24 * 3_600))))
}
