//! References to what is stored: services, environments, connectors, …, as they are at this moment.

use crate::documents::Lookup;
use crate::runs::{Asker, asker};
use crate::{Answer, App, Failure};
use windlass_document::Kind;
use windlass_engine::{EntityKind, EntityRef, Found, Input, NodeAttempt, Resolution};
use windlass_model::{Identifier, Json, RunId, Scope};
use windlass_store::Write;
use windlass_store::baselines::BaselineKey;

pub(super) async fn answer(
    app: &App,
    run: RunId,
    at: NodeAttempt,
    request: u32,
    references: Vec<EntityRef>,
    done: Write,
) -> Answer<()> {
    let asker = app.machine().look(run, asker).await?;
    let found = find_all(app, asker, &references).await?;
    app.submit(run, Input::Resolved(Resolution { at, request, found }), done).await?;
    Ok(())
}

/// Everything that is referred to. Who started a run by hand may be refused.
pub(crate) async fn find_all(app: &App, asker: Option<Asker>, references: &[EntityRef]) -> Answer<Vec<Found>> {
    let mut found = Vec::with_capacity(references.len());
    for reference in references {
        found.push(look_up(app, asker.as_ref(), reference).await?);
    }
    Ok(found)
}

async fn look_up(app: &App, asker: Option<&Asker>, wanted: &EntityRef) -> Answer<Found> {
    let document = |kind: Kind| find(app, asker, kind, wanted, None);
    match &wanted.kind {
        EntityKind::Service => document(Kind::Service).await,
        EntityKind::Environment => document(Kind::Environment).await,
        EntityKind::Infrastructure { environment } => {
            find(app, asker, Kind::Infrastructure, wanted, Some(environment)).await
        }
        EntityKind::Connector => document(Kind::Connector).await,
        EntityKind::Secret => document(Kind::Secret).await,
        EntityKind::MonitoredService => document(Kind::MonitoredService).await,
        EntityKind::Overrides { .. } => Ok(Found::Entity {
            scope: wanted.from.clone(),
            identifier: wanted.reference.clone(),
            version: 0,
            body: Json::Array(Vec::new()),
        }),
        EntityKind::Files => Ok(Found::Missing {
            why: format!(
                "`{}`: there is no file store on this server; keep the file in Git or inline",
                wanted.reference
            ),
        }),
        EntityKind::Baseline { service, environment, infrastructure } => {
            baseline(app, &wanted.from, service, environment, infrastructure).await
        }
        EntityKind::LastDeployment { service, environment, infrastructure } => {
            last_deployment(app, &wanted.from, service, environment, infrastructure).await
        }
    }
}

async fn find(app: &App, asker: Option<&Asker>, kind: Kind, wanted: &EntityRef, parent: Option<&str>) -> Answer<Found> {
    match app.find_document(kind, &wanted.reference, &wanted.from, parent).await? {
        Lookup::Missing { why } => Ok(Found::Missing { why }),
        Lookup::Found(document) => {
            if let Some(asker) = asker
                && let Some(why) = app.late_refusal(asker, kind, &document).await?
            {
                return Ok(Found::Denied { why });
            }
            Ok(Found::Entity {
                scope: document.key.scope.clone(),
                identifier: document.key.identifier.to_string(),
                version: document.version,
                body: if kind == Kind::Secret { Json::Null } else { app.body_of(kind, &document)? },
            })
        }
    }
}

async fn baseline(app: &App, scope: &Scope, service: &str, environment: &str, infrastructure: &str) -> Answer<Found> {
    let part = |text: &str| Identifier::parse_dashed(text).ok();
    let key = (part(service), part(environment), part(infrastructure));
    let missing = || Found::Missing { why: "nothing was verified here yet".to_owned() };
    let (Some(service), Some(environment), Some(infrastructure)) = key else { return Ok(missing()) };
    let key = BaselineKey { scope: scope.clone(), service, environment, infrastructure };
    Ok(match app.store().baselines().get(&key).await? {
        None => missing(),
        Some(baseline) => Found::Entity {
            scope: scope.clone(),
            identifier: baseline.run.to_string(),
            version: 1,
            body: serde_json::from_str(&baseline.body).map_err(Failure::internal)?,
        },
    })
}

/// The last run that deployed these and succeeded.
async fn last_deployment(
    app: &App,
    scope: &Scope,
    service: &str,
    environment: &str,
    infrastructure: &str,
) -> Answer<Found> {
    let labels = [("service", service), ("environment", environment), ("infrastructure", infrastructure)];
    let filter = windlass_store::runs::RunFilter {
        scopes: windlass_store::Scopes::At(scope.clone()),
        status: vec![windlass_model::Status::Success, windlass_model::Status::IgnoreFailed],
        labels: labels.map(|(label, value)| (label.to_owned(), value.to_owned())).into(),
        ..Default::default()
    };
    let runs = app.store().runs().list(&filter, &windlass_store::PageRequest::first(1)).await?;
    let Some(run) = runs.items.into_iter().next() else {
        return Ok(Found::Missing { why: "nothing was deployed here yet".to_owned() });
    };
    let deployed = app.machine().deployments(run.id).await?.into_iter().rev();
    if let Some(deployed) = deployed.into_iter().find(|d| d.service == service && d.infrastructure == infrastructure) {
        let body = serde_json::to_value(&deployed).map_err(Failure::internal)?;
        return Ok(Found::Entity { scope: scope.clone(), identifier: run.id.to_string(), version: 1, body });
    }
    Ok(Found::Missing { why: "nothing was deployed here yet".to_owned() })
}
