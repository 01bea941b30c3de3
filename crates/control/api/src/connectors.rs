//! Whether connectors work.

use crate::Api;
use crate::answer::Items;
use crate::caller::Caller;
use crate::problem::Answer;
use crate::routes::{Door, Routes};
use crate::scope::ScopeQuery;
use axum::Json;
use axum::extract::{Path, Query, State};
use windlass_app::access::Permission::{ConnectorAccess, ConnectorView};
use windlass_app::access::Verb;
use windlass_app::connectors::ConnectorTest;
use windlass_document::Kind;

pub(crate) fn routes() -> Routes {
    Routes::new().post("/connectors/{id}/test", Door::Needs(ConnectorAccess), test).get(
        "/connectors/{id}/tests",
        Door::Needs(ConnectorView),
        tests,
    )
}

/// Asks a delegate, and answers when it has looked.
async fn test(
    State(api): State<Api>,
    caller: Caller,
    Path(id): Path<String>,
    Query(query): Query<ScopeQuery>,
) -> Answer<Json<ConnectorTest>> {
    let seen = caller.0.document(Verb::View, Kind::Connector, &query.scope()?, None, &id).await?;
    let connector = caller.0.authorize(ConnectorAccess, seen.into_inner()).await?;
    Ok(Json(api.app.test_connector(&connector).await?))
}

/// What the last tests found, the youngest first.
async fn tests(
    State(api): State<Api>,
    caller: Caller,
    Path(id): Path<String>,
    Query(query): Query<ScopeQuery>,
) -> Answer<Json<Items<ConnectorTest>>> {
    let connector = caller.0.document(Verb::View, Kind::Connector, &query.scope()?, None, &id).await?;
    Ok(Items::json(api.app.connector_tests(&connector).await?))
}
