//! Scalers of two workloads that share their pods: their bounds are split as the pods are (kubernetes-deploy §2.6).

use super::{pace, shift};
use crate::apply::{self, How};
use crate::compare;
use crate::objects;
use crate::release::Record;
use crate::session::Session;
use crate::stop::Step;
use serde_json::json;
use windlass_cluster::{Address, Json, PatchKind};
use windlass_manifest::{Object, scaler};

/// The scalers of both sides: they share the bounds as the pods are shared.
pub(super) struct Scalers {
    old: Option<(Address, (u32, u32))>,
    new: Option<(Object, (u32, u32))>,
}

impl Scalers {
    pub(super) async fn find(session: &Session<'_>, record: &Record, old: Option<&Address>) -> Step<Self> {
        let is_scaler = |object: &&Object| object.is("autoscaling", "HorizontalPodAutoscaler");
        let shift = shift(record)?;
        let own = |object: &&Object| record.meta.resource(&object.key()).is_some_and(|resource| resource.own);
        let new = record.objects.iter().filter(is_scaler).find(own);
        let new = new.map(|object| (object.clone(), bounds_of(object)));
        let live = match old {
            Some(old) => session.cluster.get(old).await?.as_ref().and_then(objects::object),
            None => None,
        };
        let mut found = None;
        if let Some(live) = live.filter(|live| Some(live.key()) == shift.old) {
            let all = compare::scalers(session, std::slice::from_ref(&live)).await?;
            if let Some(one) = all.iter().filter(is_scaler).find(|one| scaler::targets(one, &live)) {
                let at = session.cluster.address(&one.gvk(), one.namespace(), one.name()).await?;
                // What the set says counts: the live bounds may be split already.
                let whole = new.as_ref().map_or_else(|| bounds_of(one), |(_, bounds)| *bounds);
                found = Some((at, whole));
            }
        }
        Ok(Self { old: found, new })
    }

    /// The old side may fall below its lowest number.
    pub(super) async fn before(&self, session: &Session<'_>, percentage: u32) -> Step<()> {
        let Some((at, whole)) = &self.old else { return Ok(()) };
        let ((lowest, _), _) = pace::bounds(*whole, percentage);
        set_bounds(session, at, &json!({"minReplicas": lowest.max(1)})).await
    }

    pub(super) async fn after(&self, session: &Session<'_>, percentage: u32) -> Step<()> {
        if let Some((at, whole)) = &self.old {
            let ((_, highest), _) = pace::bounds(*whole, percentage);
            set_bounds(session, at, &json!({"maxReplicas": highest})).await?;
        }
        let Some((object, whole)) = &self.new else { return Ok(()) };
        let (_, (lowest, highest)) = pace::bounds(*whole, percentage);
        let mut object = object.clone();
        if let Some(spec) = object.json_mut().get_mut("spec").and_then(Json::as_object_mut) {
            spec.insert("minReplicas".to_owned(), lowest.max(1).into());
            spec.insert("maxReplicas".to_owned(), highest.into());
        }
        apply::apply(session, vec![object], How::default()).await?;
        Ok(())
    }
}

fn bounds_of(scaler: &Object) -> (u32, u32) {
    let bound = |name: &str| scaler.get(&format!("/spec/{name}")).and_then(Json::as_u64);
    let number = |bound: Option<u64>| u32::try_from(bound.unwrap_or(1)).unwrap_or(u32::MAX);
    (number(bound("minReplicas")), number(bound("maxReplicas")))
}

async fn set_bounds(session: &Session<'_>, at: &Address, bounds: &Json) -> Step<()> {
    let live = session.cluster.get(at).await?.unwrap_or_default();
    let differs = |(name, value): (&String, &Json)| live.pointer(&format!("/spec/{name}")) != Some(value);
    if bounds.as_object().is_some_and(|bounds| bounds.iter().any(differs)) {
        session.cluster.patch(at, PatchKind::Merge, &json!({ "spec": bounds })).await?;
        session.log().info(format!("{at} has the bounds {bounds} now"));
    }
    Ok(())
}
