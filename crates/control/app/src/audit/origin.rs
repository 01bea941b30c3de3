//! Where a request came from: known to everything that is done on its behalf, and written into its audit records.

use serde::{Deserialize, Serialize};
use windlass_model::Json;

tokio::task_local! {
    static ORIGIN: Origin;
}

/// The surroundings of a request.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Origin {
    /// The address of the caller as this server saw it.
    #[serde(rename = "clientIP")]
    pub client: String,
    pub method: String,
    pub path: String,
    /// The name of the request, also in the server's log.
    pub request: String,
}

/// Does `work` on behalf of a request.
pub async fn within<T>(origin: Origin, work: impl Future<Output = T>) -> T {
    ORIGIN.scope(origin, work).await
}

/// Adds where a record came from. What the platform itself decides comes from nowhere.
pub(crate) fn stamped(by: &str, mut body: Json) -> Json {
    if !by.starts_with("system:")
        && let Some(fields) = body.as_object_mut()
        && let Ok(origin) = ORIGIN.try_with(Clone::clone)
    {
        fields.insert("from".to_owned(), serde_json::json!(origin));
    }
    body
}

#[cfg(test)]
mod tests {
    use super::{Origin, stamped, within};

    #[tokio::test]
    async fn records_of_people_tell_where_they_came_from() {
        let origin = Origin { client: "192.0.2.1".into(), ..Origin::default() };
        let (person, engine) = within(origin, async {
            (stamped("user:ada", serde_json::json!({})), stamped("system:engine", serde_json::json!({})))
        })
        .await;
        assert_eq!(person["from"]["clientIP"], "192.0.2.1");
        assert_eq!(engine, serde_json::json!({}));
        assert_eq!(stamped("user:ada", serde_json::json!({})), serde_json::json!({}));
    }
}
