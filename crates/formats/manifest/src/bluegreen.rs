//! Two colors of a workload and the Services in front of them, as a change of a set of objects (kubernetes-deploy §2.7).

use crate::canary::only_workload;
use crate::names::suffixed;
use crate::object::Object;
use crate::well_known::{COLOR, PRIMARY_SERVICE, STAGE_SERVICE};
use crate::workload::{self, Role, Step};
use crate::{Json, code, scaler, version};
use std::fmt;
use windlass_diagnostic::{Diagnostic, Diagnostics};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Color {
    Blue,
    Green,
}

impl Color {
    pub fn other(self) -> Self {
        match self {
            Self::Blue => Self::Green,
            Self::Green => Self::Blue,
        }
    }

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Blue => "blue",
            Self::Green => "green",
        }
    }

    /// The color in the selector of a Service or in the labels of an object.
    pub fn of_service(service: &Object) -> Option<Self> {
        Self::parse(workload::selector(service)?.get(COLOR)?.as_str()?)
    }

    pub fn parse(text: &str) -> Option<Self> {
        match text {
            "blue" => Some(Self::Blue),
            "green" => Some(Self::Green),
            _ => None,
        }
    }
}

impl fmt::Display for Color {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Which Service has the traffic, and which one leads to the new color.
#[derive(Clone, Debug)]
pub struct Services {
    pub primary: Object,
    pub stage: Object,
}

/// A set of objects, taken apart for blue/green.
#[derive(Clone, Debug)]
pub struct BlueGreen {
    pub primary_color: Color,
    pub stage_color: Color,
    /// The workload in the stage color.
    pub workload: Object,
    /// ConfigMaps and Secrets in the stage color.
    pub config: Vec<Object>,
    /// Scalers and disruption budgets in the stage color.
    pub attached: Vec<Object>,
    /// The Service that has the traffic, with the color that it has. Nothing when the live one has no color yet: its old
    /// pods keep serving until the swap.
    pub primary_service: Option<Object>,
    pub stage_service: Object,
    /// The selector of an adopted primary Service, to be recorded.
    pub adopted_selector: Option<Json>,
    pub others: Vec<Object>,
    pub warnings: Diagnostics,
}

/// Finds the two Services of a set (kubernetes-deploy §2.7): annotated ones, or the only one and a copy `<name>-stage`.
///
/// # Errors
/// When there is none, or several and no annotations.
pub fn services(objects: &[Object]) -> Result<Services, Diagnostics> {
    let all: Vec<&Object> = objects.iter().filter(|o| workload::role(o, Step::Deploy) == Role::Service).collect();
    let marked = |annotation: &str| -> Result<Option<&Object>, Diagnostics> {
        let found: Vec<&Object> = all.iter().copied().filter(|o| o.is_annotated(annotation)).collect();
        match found[..] {
            [] => Ok(None),
            [one] => Ok(Some(one)),
            _ => {
                let message = format!("{} are all annotated with {annotation}, one may be", names(&found));
                Err(Diagnostic::error(code::SERVICES, message).into())
            }
        }
    };
    let (primary, stage) = (marked(PRIMARY_SERVICE)?, marked(STAGE_SERVICE)?);
    let (primary, stage) = match (primary, stage, &all[..]) {
        (Some(primary), Some(stage), _) if primary.key() == stage.key() => {
            let message = format!("{} is annotated as primary and as stage", primary.reference());
            return Err(Diagnostic::error(code::SERVICES, message).into());
        }
        (Some(primary), Some(stage), _) => (primary.clone(), stage.clone()),
        (Some(primary), None, [_]) => (primary.clone(), stage_copy(primary)),
        (None, None, [only]) => ((*only).clone(), stage_copy(only)),
        (None, None, []) => {
            let message = "a Service is needed: it gets the traffic from one color to the other";
            return Err(Diagnostic::error(code::SERVICES, message).into());
        }
        _ => {
            let message = format!("which of the Services {} is primary and which is stage?", names(&all));
            let remedy =
                format!("annotate one with {PRIMARY_SERVICE}: \"true\" and one with {STAGE_SERVICE}: \"true\"");
            return Err(Diagnostic::error(code::SERVICES, message).remedy(remedy).into());
        }
    };
    let taken = [primary.key(), stage.key()];
    let without = all.iter().copied().filter(|service| taken.contains(&service.key()));
    let without: Vec<&Object> =
        without.filter(|service| workload::selector(service).is_none_or(crate::JsonMap::is_empty)).collect();
    if !without.is_empty() {
        let message = format!("{} has no selector: the color cannot be chosen by it", names(&without));
        return Err(Diagnostic::error(code::SERVICES, message).into());
    }
    Ok(Services { primary, stage })
}

fn names(services: &[&Object]) -> String {
    services.iter().map(|service| service.reference().to_string()).collect::<Vec<_>>().join(", ")
}

fn stage_copy(primary: &Object) -> Object {
    let mut stage = primary.clone();
    stage.set_name(suffixed(primary.name(), "-stage"));
    stage.remove_annotation(PRIMARY_SERVICE);
    stage.set_annotation(STAGE_SERVICE, "true");
    // An address or a port of the node belongs to one Service only.
    if let Some(spec) = stage.json_mut().get_mut("spec").and_then(Json::as_object_mut) {
        for name in ["clusterIP", "clusterIPs", "healthCheckNodePort", "loadBalancerIP", "externalIPs"] {
            let headless = spec.get(name).and_then(Json::as_str) == Some("None");
            if !headless {
                spec.remove(name);
            }
        }
        for port in spec.get_mut("ports").and_then(Json::as_array_mut).into_iter().flatten() {
            if let Some(port) = port.as_object_mut() {
                port.remove("nodePort");
            }
        }
    }
    stage
}

/// The color that has the traffic: that of the live primary Service; green when there is none, so that blue comes first.
pub fn primary_color(live_primary: Option<&Object>) -> Color {
    live_primary.and_then(Color::of_service).unwrap_or(Color::Green)
}

/// Takes a set apart. The objects have their namespaces, and no versions; `live_primary` is the primary Service as it is in
/// the cluster.
///
/// # Errors
/// When there is not exactly one managed workload, or the Services are not clear.
pub fn blue_green(objects: Vec<Object>, live_primary: Option<&Object>) -> Result<BlueGreen, Diagnostics> {
    let index = only_workload(&objects, &["Deployment", "StatefulSet"])?;
    let Services { mut primary, mut stage } = services(&objects)?;
    let primary_color = primary_color(live_primary);
    let stage_color = primary_color.other();
    let suffix = format!("-{stage_color}");

    let adopted = live_primary.filter(|live| Color::of_service(live).is_none());
    let adopted_selector = adopted.map(|live| live.get("/spec/selector").cloned().unwrap_or_default());
    set_color(&mut primary, primary_color);
    set_color(&mut stage, stage_color);
    let taken = [primary.key(), stage.key()];

    let mut objects = objects;
    let renamed = version::rename(&mut objects, |_| Some(suffix.clone()));
    let original = objects.get(index).cloned().ok_or_else(Diagnostics::new)?;
    let colored = colored_workload(original.clone(), stage_color);
    let mut out = BlueGreen {
        primary_color,
        stage_color,
        config: Vec::new(),
        attached: Vec::new(),
        primary_service: adopted.is_none().then_some(primary),
        stage_service: stage,
        adopted_selector,
        others: Vec::new(),
        warnings: Diagnostics::new(),
        workload: colored,
    };
    if original.kind() == "StatefulSet" {
        let note = Diagnostic::warning(code::STRATEGY, "the two colors of a StatefulSet do not share volumes");
        out.warnings.push(original.problem(note, ""));
    }
    for (at, object) in objects.into_iter().enumerate() {
        match workload::role(&object, Step::Deploy) {
            _ if at == index || taken.contains(&object.key()) => {}
            _ if renamed.contains(&at) => out.config.push(object),
            Role::Scaler if scaler::targets(&object, &original) => {
                out.attached.push(colored_scaler(object, out.workload.name(), stage_color));
            }
            Role::Budget if selects(&object, &original) => out.attached.push(colored_budget(object, stage_color)),
            _ => out.others.push(object),
        }
    }
    Ok(out)
}

/// Points a Service to a color.
pub fn set_color(service: &mut Object, color: Color) {
    workload::set_selector_label(service, COLOR, color.as_str());
}

/// Whether a disruption budget selects the pods of a workload by its labels.
fn selects(budget: &Object, workload: &Object) -> bool {
    let labels = workload::template(workload).and_then(|template| template.pointer("/metadata/labels"));
    let wanted = workload::selector(budget).into_iter().flatten();
    workload::selector(budget).is_some()
        && wanted.into_iter().all(|(name, value)| labels.and_then(|l| l.get(name)) == Some(value))
}

fn colored_workload(mut object: Object, color: Color) -> Object {
    rename(&mut object, color);
    object.set_label(COLOR, color.as_str());
    workload::set_selector_label(&mut object, COLOR, color.as_str());
    workload::set_pod_label(&mut object, COLOR, color.as_str());
    object
}

fn colored_scaler(mut object: Object, workload: &str, color: Color) -> Object {
    rename(&mut object, color);
    object.set_label(COLOR, color.as_str());
    scaler::retarget(&mut object, workload);
    object
}

fn colored_budget(mut object: Object, color: Color) -> Object {
    rename(&mut object, color);
    object.set_label(COLOR, color.as_str());
    workload::set_selector_label(&mut object, COLOR, color.as_str());
    object
}

fn rename(object: &mut Object, color: Color) {
    let name = suffixed(object.name(), &format!("-{color}"));
    object.set_name(name);
}
