//! What the API answers when it does not do what was asked: a `Status` object.

use crate::kind::GroupResource;
use serde_json::{Map, Value, json};

/// A failure as the Kubernetes API tells it. [`ApiError::to_status`] is the body that goes over the wire.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct ApiError {
    pub code: u16,
    /// `NotFound`, `Conflict`, …; empty for an internal failure without a reason.
    pub reason: &'static str,
    pub message: String,
    pub details: Option<Details>,
}

/// What the failure is about.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Details {
    pub name: String,
    pub group: String,
    pub kind: String,
    pub uid: String,
    pub causes: Vec<Cause>,
    pub retry_after_seconds: Option<u32>,
    /// With which token a list that expired can go on; it stands beside the details.
    pub continues: String,
}

/// One thing wrong with one field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cause {
    pub reason: &'static str,
    pub message: String,
    pub field: String,
}

impl ApiError {
    pub fn new(code: u16, reason: &'static str, message: impl Into<String>) -> Self {
        Self { code, reason, message: message.into(), details: None }
    }

    fn about(mut self, kind: &GroupResource, name: &str) -> Self {
        self.details = Some(Details {
            name: name.to_owned(),
            group: kind.group.to_string(),
            kind: kind.resource.to_string(),
            ..Details::default()
        });
        self
    }

    pub fn bad_request(message: impl Into<String>) -> Self {
        Self::new(400, "BadRequest", message)
    }

    pub fn unauthorized() -> Self {
        Self::new(401, "Unauthorized", "Unauthorized")
    }

    pub fn not_found(kind: &GroupResource, name: &str) -> Self {
        Self::new(404, "NotFound", format!("{kind} \"{name}\" not found")).about(kind, name)
    }

    /// The path leads nowhere within a group and version that exists.
    pub fn no_such_resource() -> Self {
        let mut error = Self::new(404, "NotFound", "the server could not find the requested resource");
        error.details = Some(Details::default());
        error
    }

    pub fn already_exists(kind: &GroupResource, name: &str) -> Self {
        Self::new(409, "AlreadyExists", format!("{kind} \"{name}\" already exists")).about(kind, name)
    }

    /// The name is still taken by an object on its way out.
    pub(crate) fn still_there(kind: &GroupResource, name: &str) -> Self {
        let mut error = Self::already_exists(kind, name);
        error.message = format!("object is being deleted: {}", error.message);
        error
    }

    pub fn conflict(kind: &GroupResource, name: &str, why: &str) -> Self {
        Self::new(409, "Conflict", format!("Operation cannot be fulfilled on {kind} \"{name}\": {why}"))
            .about(kind, name)
    }

    /// The resourceVersion of a write is not the one that is stored.
    pub fn modified(kind: &GroupResource, name: &str) -> Self {
        Self::conflict(
            kind,
            name,
            "the object has been modified; please apply your changes to the latest version and try again",
        )
    }

    pub fn forbidden(kind: &GroupResource, name: &str, why: &str) -> Self {
        let what = if name.is_empty() { format!("{kind}") } else { format!("{kind} \"{name}\"") };
        Self::new(403, "Forbidden", format!("{what} is forbidden: {why}")).about(kind, name)
    }

    pub fn method_not_allowed() -> Self {
        let mut error =
            Self::new(405, "MethodNotAllowed", "the server does not allow this method on the requested resource");
        error.details = Some(Details::default());
        error
    }

    /// 422 with one cause for each field that is wrong. `group` and `kind` name the kind, as in `Deployment.apps`.
    pub fn invalid(group: &str, kind: &str, name: &str, causes: Vec<Cause>) -> Self {
        let qualified = if group.is_empty() { kind.to_owned() } else { format!("{kind}.{group}") };
        // The aggregate says each distinct problem once; the causes keep them all.
        let mut said: Vec<String> = Vec::new();
        for cause in &causes {
            let text = format!("{}: {}", cause.field, cause.message);
            if !said.contains(&text) {
                said.push(text);
            }
        }
        let all = if let [one] = said.as_slice() { one.clone() } else { format!("[{}]", said.join(", ")) };
        Self {
            code: 422,
            reason: "Invalid",
            message: format!("{qualified} \"{name}\" is invalid: {all}"),
            details: Some(Details {
                name: name.to_owned(),
                group: group.to_owned(),
                kind: kind.to_owned(),
                causes,
                ..Details::default()
            }),
        }
    }

    /// A watch or a page asks for a past that is no longer kept.
    pub fn expired(message: impl Into<String>) -> Self {
        Self::new(410, "Expired", message)
    }

    /// A page asks for a past that is no longer kept, and may go on with what is there now.
    pub(crate) fn expired_page(message: &str, continues: String) -> Self {
        let details = Some(Details { continues, ..Details::default() });
        Self { details, ..Self::expired(message) }
    }

    /// A read asks for a future that has not come.
    pub(crate) fn too_large_version(wanted: u64, now: u64) -> Self {
        let message = format!("Timeout: Too large resource version: {wanted}, current: {now}");
        let mut error = Self::new(504, "Timeout", message);
        let message = "Too large resource version".to_owned();
        let cause = Cause { reason: "ResourceVersionTooLarge", message, field: String::new() };
        error.details = Some(Details { causes: vec![cause], retry_after_seconds: Some(1), ..Details::default() });
        error
    }

    pub fn too_many_requests(message: impl Into<String>, retry_after_seconds: u32) -> Self {
        let mut error = Self::new(429, "TooManyRequests", message);
        error.details = Some(Details { retry_after_seconds: Some(retry_after_seconds), ..Details::default() });
        error
    }

    pub fn internal(message: impl Into<String>) -> Self {
        Self::new(500, "", message)
    }

    /// What the server did not expect of itself, with the cause of its own.
    pub(crate) fn internal_error(why: &str) -> Self {
        let mut error = Self::new(500, "InternalError", format!("Internal error occurred: {why}"));
        let cause = Cause { reason: "", message: why.to_owned(), field: String::new() };
        error.details = Some(Details { causes: vec![cause], ..Details::default() });
        error
    }

    /// Refused by name: the simulation does not do this.
    pub fn not_simulated(what: &str) -> Self {
        Self::new(501, "NotImplemented", format!("kube-sim does not simulate {what}"))
    }

    pub fn is_not_found(&self) -> bool {
        self.code == 404
    }

    pub fn is_conflict(&self) -> bool {
        self.reason == "Conflict"
    }

    /// The body of the answer.
    pub fn to_status(&self) -> Value {
        let mut body = json!({
            "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", "message": self.message, "code": self.code,
        });
        if let Value::Object(map) = &mut body {
            if !self.reason.is_empty() {
                map.insert("reason".into(), self.reason.into());
            }
            match &self.details {
                Some(details) if !details.continues.is_empty() => {
                    map.insert("metadata".into(), json!({"continue": details.continues}));
                }
                Some(details) => {
                    map.insert("details".into(), details.to_json());
                }
                None => {}
            }
        }
        body
    }
}

impl Cause {
    fn to_json(&self) -> Value {
        let said = [("reason", self.reason), ("message", self.message.as_str()), ("field", self.field.as_str())];
        let said = said.into_iter().filter(|(_, text)| !text.is_empty());
        Value::Object(said.map(|(key, text)| (key.to_owned(), text.into())).collect())
    }
}

impl Details {
    pub(crate) fn to_json(&self) -> Value {
        let mut map = Map::new();
        for (key, value) in [("name", &self.name), ("group", &self.group), ("kind", &self.kind), ("uid", &self.uid)] {
            if !value.is_empty() {
                map.insert(key.into(), value.as_str().into());
            }
        }
        if !self.causes.is_empty() {
            map.insert("causes".into(), self.causes.iter().map(Cause::to_json).collect());
        }
        if let Some(seconds) = self.retry_after_seconds {
            map.insert("retryAfterSeconds".into(), seconds.into());
        }
        Value::Object(map)
    }
}
