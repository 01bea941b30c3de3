//! Objects out of the cluster, and the wait until they are gone (kubernetes-deploy §1.8, §2.8).

use crate::objects;
use crate::session::Session;
use crate::stop::Step;
use windlass_cluster::{Address, Delete, Json, Propagation};
use windlass_model::Millis;

/// An object that shall go.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    pub address: Address,
    pub how: Delete,
}

impl Target {
    /// `uid`: only the object that bears it.
    pub(crate) fn new(address: Address, uid: Option<String>) -> Self {
        Self { address, how: Delete { uid, propagation: Propagation::Background, ..Delete::default() } }
    }
}

/// Deletes objects in the given order and waits until all of them are gone. Returns those that were there.
pub(crate) async fn gone(session: &Session<'_>, targets: &[Target]) -> Step<Vec<Address>> {
    let mut begun: Vec<(&Target, Option<String>)> = Vec::new();
    for target in targets {
        let Some(live) = session.cluster.get(&target.address).await? else { continue };
        let uid = objects::uid(&live).map(str::to_owned);
        if target.how.uid.is_some() && target.how.uid != uid {
            session.log().info(format!("{} was made anew by somebody else: it stays", target.address));
            continue;
        }
        session.progress.doing(format!("deleting {}", target.address));
        let how = Delete { uid: uid.clone(), ..target.how.clone() };
        match session.cluster.delete(&target.address, &how).await {
            Ok(_) => {}
            // Made anew since it was read.
            Err(error) if error.is_conflict() => continue,
            Err(error) => return Err(error.into()),
        }
        session.log().info(format!("deleted {}", target.address));
        session.progress.did(format!("deleted {}", target.address));
        begun.push((target, uid));
    }
    for (target, uid) in &begun {
        let mut told = String::new();
        loop {
            let Some(live) = session.cluster.get(&target.address).await? else { break };
            if objects::uid(&live) != uid.as_deref() {
                break;
            }
            let waiting = match finalizers(&live) {
                Some(finalizers) => {
                    format!("waiting until {} is gone; held by its finalizers {finalizers}", target.address)
                }
                None => format!("waiting until {} is gone", target.address),
            };
            if waiting != told {
                session.progress.doing(&waiting);
                told = waiting;
            }
            session.pause(Millis::from_secs(1)).await;
        }
    }
    Ok(begun.into_iter().map(|(target, _)| target.address.clone()).collect())
}

fn finalizers(live: &Json) -> Option<String> {
    let list = live.pointer("/metadata/finalizers")?.as_array()?;
    let names: Vec<&str> = list.iter().filter_map(Json::as_str).collect();
    (!names.is_empty()).then(|| names.join(", "))
}
