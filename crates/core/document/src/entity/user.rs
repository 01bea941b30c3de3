//! People and their groups.

use super::head;
use serde::{Deserialize, Serialize};
use windlass_yaml::Reader;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct User {
    pub email: String,
    pub disabled: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UserGroup {
    /// E-mail addresses or identifiers of users.
    pub users: Vec<String>,
}

pub(crate) fn user(reader: &Reader<'_>) -> Option<User> {
    let fields = reader.fields()?;
    head(&fields);
    let email = fields.string("email");
    let disabled = fields.opt_bool("disabled").unwrap_or(false);
    fields.finish();
    Some(User { email: email?, disabled })
}

pub(crate) fn user_group(reader: &Reader<'_>) -> Option<UserGroup> {
    let fields = reader.fields()?;
    head(&fields);
    let users = fields.list("users", |user| user.string());
    fields.known(&["notificationConfigs", "isSsoLinked", "ssoLinked", "externallyManaged"]);
    fields.finish();
    Some(UserGroup { users })
}
