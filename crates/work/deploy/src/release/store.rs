use super::history::History;
use super::pack::{PackError, pack, pack_any, parts, unpack, unpack_any};
use super::record::{Meta, Record, Resource, SCHEMA, Status};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::json;
use windlass_cluster::{Address, Apply, Cluster, ClusterError, Delete, Json, PatchKind, Query};
use windlass_manifest::Gvk;
use windlass_manifest::names::label_value;
use windlass_manifest::well_known::{MANAGED_BY, RELEASE, RELEASE_NUMBER, WINDLASS};
use windlass_model::failure::{Failure, FailureType};

/// The type of the Secrets.
const TYPE: &str = "windlass.io/release.v1";
const STATUS: &str = "windlass.io/status";
const TRACK: &str = "windlass.io/track";
/// Bytes of one packed resource, at most.
const MOST_OF_RESOURCE: usize = 48;

/// Why records cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RecordError {
    #[error(transparent)]
    Cluster(#[from] ClusterError),
    #[error("release record {name} cannot be read")]
    Pack {
        name: String,
        #[source]
        source: PackError,
    },
    #[error("release record {name} is damaged: {what}")]
    Damaged { name: String, what: &'static str },
}

impl RecordError {
    pub(crate) fn to_failure(&self) -> Failure {
        match self {
            Self::Cluster(error) => error.to_failure(),
            Self::Pack { source, .. } => Failure::new(FailureType::Unknown, format!("{self}: {source}"))
                .hint("delete the Secret to go on without it; what it held cannot be rolled back to then"),
            Self::Damaged { .. } => Failure::new(FailureType::Unknown, self.to_string())
                .hint("delete the Secret to go on without it; what it held cannot be rolled back to then"),
        }
    }
}

/// The records of one release.
#[derive(Clone, Debug)]
pub(crate) struct Records {
    cluster: Cluster,
    secrets: Address,
    release: String,
}

impl Records {
    /// `cluster` stands behind the fence of the release's lock when records are to be written.
    pub(crate) async fn open(cluster: &Cluster, namespace: &str, release: &str) -> Result<Self, ClusterError> {
        let secrets = cluster.address(&Gvk::new("", "v1", "Secret"), Some(namespace), "").await?;
        Ok(Self { cluster: cluster.clone(), secrets, release: release.to_owned() })
    }

    fn name(&self, number: u64, part: usize) -> String {
        let name = format!("windlass.release.{}.v{number}", self.release);
        if part == 0 { name } else { format!("{name}.p{}", part + 1) }
    }

    /// What is told of every release. Records that another version wrote, or that somebody damaged, are left out.
    pub(crate) async fn history(&self) -> Result<History, RecordError> {
        let query = Query::labels(format!("{RELEASE}={},{STATUS}", label_value(&self.release)));
        let list = self.cluster.list(&self.secrets, &query).await?;
        let metas: Vec<Meta> = list.items.iter().filter_map(|secret| self.read(secret)).collect();
        let mut history = History::new(metas);
        if history.is_empty() {
            history.imported = self.imported().await?;
        }
        Ok(history)
    }

    fn read(&self, secret: &Json) -> Option<Meta> {
        let mut meta: Meta = serde_json::from_slice(&data(secret, "meta")?).ok()?;
        meta.resources = unpack_any::<Vec<Resource>>(&data(secret, "resources")?).ok()?;
        // Long names share a label when their hashes do.
        (meta.schema == SCHEMA && meta.release == self.release).then_some(meta)
    }

    /// The highest number of the vendor's records of the same release (kubernetes-deploy §1.11, import).
    async fn imported(&self) -> Result<u64, RecordError> {
        let prefix = format!("harness.release.{}.", self.release);
        let list = match self.cluster.list(&self.secrets, &Query::default()).await {
            // Whoever may not look at other Secrets begins at one.
            Err(error) if error.is_forbidden() => return Ok(0),
            list => list?,
        };
        let names = list.items.iter().filter_map(|secret| secret.pointer("/metadata/name")?.as_str());
        Ok(names.filter_map(|name| name.strip_prefix(&prefix)?.parse().ok()).max().unwrap_or(0))
    }

    /// The objects of a release.
    pub(crate) async fn load(&self, meta: &Meta) -> Result<Record, RecordError> {
        let mut bytes = Vec::new();
        let name = self.name(meta.number, 0);
        let damaged = |what| RecordError::Damaged { name: name.clone(), what };
        let mut parts = 1;
        let mut part = 0;
        while part < parts {
            let secret = self.cluster.get(&self.secrets.named(&self.name(meta.number, part))).await?;
            let secret = secret.ok_or_else(|| damaged("a part of it is missing"))?;
            if part == 0 {
                parts = data(&secret, "parts")
                    .and_then(|text| String::from_utf8(text).ok()?.parse().ok())
                    .ok_or_else(|| damaged("it does not say how many parts it has"))?;
            }
            bytes.extend(data(&secret, "manifests").ok_or_else(|| damaged("a part holds nothing"))?);
            part += 1;
        }
        let objects = unpack(&bytes).map_err(|source| RecordError::Pack { name: name.clone(), source })?;
        Ok(Record { meta: meta.clone(), objects })
    }

    /// Writes a record. The part that names it comes last: a record that is there is whole. Writing it again is no change.
    pub(crate) async fn write(&self, record: &Record) -> Result<(), RecordError> {
        let number = record.meta.number;
        let name = self.name(number, 0);
        let packed = pack(&record.objects).map_err(|source| RecordError::Pack { name, source })?;
        let told = self.told(&record.meta)?;
        // Uids come later, and do not shrink when they are packed.
        let parts = parts(&packed, record.meta.resources.len().saturating_mul(MOST_OF_RESOURCE));
        for (index, bytes) in parts.iter().enumerate().rev() {
            let at = self.secrets.named(&self.name(number, index));
            let mut secret = json!({
                "apiVersion": "v1", "kind": "Secret", "type": TYPE,
                "metadata": {"name": at.name, "namespace": at.namespace, "labels": {
                    MANAGED_BY: WINDLASS, RELEASE: label_value(&self.release), RELEASE_NUMBER: number.to_string()}},
                "data": {"manifests": BASE64_STANDARD.encode(bytes)},
            });
            if index == 0 {
                secret["metadata"]["labels"][STATUS] = record.meta.status.name().into();
                secret["metadata"]["labels"][TRACK] = record.meta.track.map_or("", super::Track::name).into();
                for (name, value) in told.as_object().into_iter().flatten() {
                    secret["data"][name] = value.clone();
                }
                secret["data"]["parts"] = BASE64_STANDARD.encode(parts.len().to_string()).into();
            }
            self.cluster.apply(&at, &secret, &Apply::default()).await?;
        }
        Ok(())
    }

    /// What is told about a release, as fields of a Secret.
    fn told(&self, meta: &Meta) -> Result<Json, RecordError> {
        let failed = |source| RecordError::Pack { name: self.name(meta.number, 0), source };
        let text = serde_json::to_vec(meta).map_err(|error| failed(error.into()))?;
        let resources = pack_any(&meta.resources).map_err(failed)?;
        Ok(json!({"meta": BASE64_STANDARD.encode(text), "resources": BASE64_STANDARD.encode(resources)}))
    }

    /// Writes what is told about a release; its objects stay.
    pub(crate) async fn update(&self, meta: &Meta) -> Result<(), RecordError> {
        let at = self.secrets.named(&self.name(meta.number, 0));
        let track = meta.track.map_or("", super::Track::name);
        let labels = json!({STATUS: meta.status.name(), TRACK: track});
        let patch = json!({"metadata": {"labels": labels}, "data": self.told(meta)?});
        self.cluster.patch(&at, PatchKind::Merge, &patch).await?;
        Ok(())
    }

    /// Changes the status of a release that may have been deleted meanwhile.
    pub(crate) async fn set_status(&self, meta: &Meta, status: Status) -> Result<(), RecordError> {
        match self.update(&Meta { status, ..meta.clone() }).await {
            Err(RecordError::Cluster(error)) if error.is_not_found() => Ok(()),
            other => other,
        }
    }

    /// Deletes a record, the part that names it first.
    pub(crate) async fn delete(&self, number: u64) -> Result<(), RecordError> {
        let parts = Query::labels(format!("{RELEASE}={},{RELEASE_NUMBER}={number}", label_value(&self.release)));
        let list = self.cluster.list(&self.secrets, &parts).await?;
        let own = self.name(number, 0);
        let prefix = format!("{own}.p");
        let names = list.items.iter().filter_map(|secret| secret.pointer("/metadata/name")?.as_str());
        let mut names: Vec<&str> = names.filter(|name| *name == own || name.starts_with(&prefix)).collect();
        names.sort_by_key(|name| name.len());
        for name in names {
            self.cluster.delete(&self.secrets.named(name), &Delete::default()).await?;
        }
        Ok(())
    }
}

fn data(secret: &Json, name: &str) -> Option<Vec<u8>> {
    BASE64_STANDARD.decode(secret.get("data")?.get(name)?.as_str()?).ok()
}
