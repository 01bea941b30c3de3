use super::{Applied, Change, How};
use crate::compare::{Compared, Verdict, immutable, may_recreate};
use crate::objects;
use crate::plan::{self, Purpose};
use crate::remove;
use crate::session::Session;
use crate::stop::{Step, Stop};
use windlass_cluster::{Address, Apply, ClusterError, Json, PatchKind, adopt};
use windlass_manifest::Object;

/// How often a take-over is tried when others write at the same time.
const TRIES: u32 = 5;

/// Sends one object, unless it is as it should be.
pub(super) async fn apply(session: &Session<'_>, object: &Object, compared: &Compared, how: &How<'_>) -> Step<Applied> {
    let key = object.key();
    session.progress.doing(format!("applying {}", key.in_namespace()));
    let address = match &compared.address {
        Some(address) => address.clone(),
        None => session.cluster.address(&object.gvk(), object.namespace(), object.name()).await?,
    };
    let done = |change, live| Applied { key: key.clone(), address: address.clone(), change, live };
    if let (Verdict::Unchanged, Some(live)) = (&compared.verdict, &compared.live) {
        return Ok(done(Change::Unchanged, live.json().clone()));
    }
    if compared.verdict == Verdict::Recreated {
        return Ok(done(Change::Recreated, recreate(session, &address, object, how).await?));
    }
    let live = take_over(session, &address, object, compared.live.as_ref(), how).await?;
    let shaped = plan::shaped(object, live.as_ref(), how.scalers, Purpose::Apply);
    match session.cluster.apply(&address, shaped.json(), &Apply::default()).await {
        Ok(result) => Ok(done(if live.is_some() { Change::Configured } else { Change::Created }, result)),
        Err(error) => match error.immutable_fields() {
            Some(_) if may_recreate(object, how.force) => {
                Ok(done(Change::Recreated, recreate(session, &address, object, how).await?))
            }
            Some(fields) => Err(immutable(&address, &fields, &error)),
            None => Err(told(session, error)),
        },
    }
}

/// Makes the fields of client-side managers ours, so that what leaves the manifests leaves the cluster; and gives up the
/// number of pods when a scaler decides about it: a field that is ours and no longer sent falls back to its default.
async fn take_over(
    session: &Session<'_>,
    address: &Address,
    object: &Object,
    live: Option<&Object>,
    how: &How<'_>,
) -> Step<Option<Object>> {
    let Some(live) = live else { return Ok(None) };
    let mut live = live.clone();
    for _ in 0..TRIES {
        let patch = adopt::patch(live.json()).or_else(|| {
            plan::is_scaled(object, how.scalers).then(|| adopt::give_up(live.json(), &["spec", "replicas"])).flatten()
        });
        let Some(patch) = patch else { return Ok(Some(live)) };
        match session.cluster.patch(address, PatchKind::Json, &patch).await {
            Ok(after) => live = objects::object(&after).unwrap_or(live),
            Err(error) if error.is_conflict() => match session.cluster.get(address).await? {
                Some(again) => live = objects::object(&again).unwrap_or(live),
                None => return Ok(None),
            },
            Err(error) if error.is_not_found() => return Ok(None),
            Err(error) => return Err(error.into()),
        }
    }
    session.log().warn(format!("{address} is changed by others all the time: fields of theirs may stay"));
    Ok(Some(live))
}

async fn recreate(session: &Session<'_>, address: &Address, object: &Object, how: &How<'_>) -> Step<Json> {
    session.log().info(format!("{address} has an immutable field that differs: it is deleted and created"));
    remove::gone(session, &[remove::Target::new(address.clone(), None)]).await?;
    let shaped = plan::shaped(object, None, how.scalers, Purpose::Apply);
    Ok(session.cluster.apply(address, shaped.json(), &Apply::default()).await?)
}

/// A refusal, with the remedy that is known here.
fn told(session: &Session<'_>, error: ClusterError) -> Box<Stop> {
    let is_denied = error.refusal().is_some_and(|refusal| refusal.message.contains("admission webhook"));
    let stop: Box<Stop> = error.into();
    if is_denied {
        session.log().warn("an admission webhook of the cluster refused the object");
        return stop.hint("ask the owners of the cluster's admission policy");
    }
    stop
}
