//! Questions about users and rights, and tokens of service accounts. They are answered and not stored.

use super::handle::Call;
use super::rbac::{self, Attributes};
use super::tokens::User;
use super::{body, create, read, reply};
use crate::error::ApiError;
use crate::object::{Object, time_text};
use axum::body::Body;
use axum::response::Response;
use serde_json::{Map, Value, json};
use windlass_model::Millis;

pub(super) fn serves(call: &Call) -> bool {
    matches!(call.resource.group.as_str(), "authentication.k8s.io" | "authorization.k8s.io")
}

async fn read_review(call: &Call, body: Body) -> Result<Value, ApiError> {
    let media_type = body::media_type(&call.headers);
    body::check_media_type(&media_type, false)?;
    let bytes = body::collect(body, call.server.body_limit).await?;
    let tree = create::parse(&call.resource, &media_type, &bytes)?;
    Ok(create::as_kind(&call.resource, &tree)?.object)
}

pub(super) async fn serve(call: Call, body: Body) -> Result<Response, ApiError> {
    let mut review = read_review(&call, body).await?;
    let status = match call.resource.plural.as_str() {
        "selfsubjectreviews" => json!({"userInfo": user_info(&call.user)}),
        "selfsubjectaccessreviews" => access(&call, &call.user, &review),
        "subjectaccessreviews" | "localsubjectaccessreviews" => {
            let groups = review.list("/spec/groups").iter().filter_map(|g| g.as_str().map(str::to_owned)).collect();
            let user =
                User { name: review.text("/spec/user").to_owned(), uid: review.text("/spec/uid").to_owned(), groups };
            access(&call, &user, &review)
        }
        "selfsubjectrulesreviews" => rules(&call, review.text("/spec/namespace")),
        "tokenreviews" => match call.server.users.tokens.user(review.text("/spec/token")) {
            Some(user) => json!({"authenticated": true, "user": user_info(&user)}),
            None => json!({"user": {}, "error": "[invalid bearer token, token lookup failed]"}),
        },
        other => return Err(ApiError::not_simulated(other)),
    };
    review.set("/status", status);
    Ok(reply::object(201, &review, &call.accepted))
}

fn user_info(user: &User) -> Value {
    let mut info = Map::new();
    info.insert("username".into(), user.name.as_str().into());
    if !user.uid.is_empty() {
        info.insert("uid".into(), user.uid.as_str().into());
    }
    info.insert("groups".into(), user.groups.clone().into());
    Value::Object(info)
}

fn access(call: &Call, user: &User, review: &Value) -> Value {
    let resource = |field: &str| review.text(&format!("/spec/resourceAttributes/{field}")).to_owned();
    let reason = if review.at("/spec/resourceAttributes").is_some() {
        let parts = ["verb", "group", "resource", "subresource", "namespace", "name"].map(resource);
        let [verb, group, resource, subresource, namespace, name] = &parts;
        rbac::allows(&call.server.cluster, user, &Attributes { verb, group, resource, subresource, namespace, name })
    } else {
        let (verb, path) =
            (review.text("/spec/nonResourceAttributes/verb"), review.text("/spec/nonResourceAttributes/path"));
        rbac::allows_path(&call.server.cluster, user, verb, path).then(String::new)
    };
    match reason {
        Some(reason) if reason.is_empty() => json!({"allowed": true}),
        Some(reason) => json!({"allowed": true, "reason": reason}),
        None => json!({"allowed": false}),
    }
}

fn rules(call: &Call, namespace: &str) -> Value {
    let (mut resources, mut paths) = (Vec::new(), Vec::new());
    for grant in rbac::grants(&call.server.cluster, &call.user, namespace) {
        let rule = &grant.rule;
        let list = |key: &str| Value::from(rule.list(key).to_vec());
        if !rule.list("/resources").is_empty() {
            let mut shown =
                json!({"verbs": list("/verbs"), "apiGroups": list("/apiGroups"), "resources": list("/resources")});
            if !rule.list("/resourceNames").is_empty() {
                shown.set("/resourceNames", list("/resourceNames"));
            }
            resources.push(shown);
        }
        if !rule.list("/nonResourceURLs").is_empty() {
            paths.push(json!({"verbs": list("/verbs"), "nonResourceURLs": list("/nonResourceURLs")}));
        }
    }
    json!({"resourceRules": resources, "nonResourceRules": paths, "incomplete": false})
}

/// A token for a service account. It stays valid for the life of the simulation.
pub(super) async fn issue_token(call: Call, body: Body) -> Result<Response, ApiError> {
    let account = read::object(&call)?;
    let media_type = body::media_type(&call.headers);
    body::check_media_type(&media_type, false)?;
    let bytes = body::collect(body, call.server.body_limit).await?;
    let request = create::parse(&call.resource, &media_type, &bytes)?.to_value();
    let user = User::service_account(account.namespace(), account.name(), account.uid());
    let token = format!("sa-{}", call.server.cluster.step(|state| state.ids.uid()));
    call.server.users.tokens.add(&token, user);
    let now = call.server.cluster.now();
    let seconds = request.int("/spec/expirationSeconds").unwrap_or(3_600);
    let expires = now + Millis::from_secs(u64::try_from(seconds).unwrap_or(3_600));
    let answer = json!({
        "kind": "TokenRequest", "apiVersion": "authentication.k8s.io/v1",
        "metadata": {"name": account.name(), "namespace": account.namespace(), "creationTimestamp": time_text(now)},
        "spec": {"audiences": request.list("/spec/audiences"), "expirationSeconds": seconds, "boundObjectRef": null},
        "status": {"token": token, "expirationTimestamp": time_text(expires)},
    });
    Ok(reply::object(201, &answer, &call.accepted))
}
