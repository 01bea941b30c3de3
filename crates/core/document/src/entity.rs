//! The kinds other than pipelines: one file each.

pub mod access;
pub mod connector;
pub mod environment;
pub mod infrastructure;
pub mod policy;
pub mod secret;
pub mod service;
pub mod trigger;
pub mod user;

use crate::Kind;
use crate::common;
use windlass_model::Json;
use windlass_model::pipeline::Pipeline;
use windlass_yaml::Reader;

pub use policy::{Policy, PolicyInSet, PolicySet};
pub use secret::{Secret, SecretValue};
pub use trigger::{Authentication, Condition, Operator, Trigger, TriggerSource};
pub use user::{User, UserGroup};

/// What a document says, typed where the server itself acts on it.
#[derive(Clone, Debug, PartialEq)]
pub enum Entity {
    Pipeline(Box<Pipeline>),
    Trigger(Box<Trigger>),
    Secret(Secret),
    Policy(Policy),
    PolicySet(PolicySet),
    User(User),
    UserGroup(UserGroup),
    /// Checked here and read as JSON by whoever acts on it: services, environments, connectors, roles, ….
    Plain,
}

/// Reads the inside of a document of this kind.
pub(crate) fn read(kind: Kind, reader: &Reader<'_>) -> Option<Entity> {
    match kind {
        Kind::Pipeline => crate::pipeline::read(reader).map(|p| Entity::Pipeline(Box::new(p))),
        Kind::Trigger => trigger::read(reader).map(|t| Entity::Trigger(Box::new(t))),
        Kind::Secret => secret::read(reader).map(Entity::Secret),
        Kind::Policy => policy::policy(reader).map(Entity::Policy),
        Kind::PolicySet => policy::policy_set(reader).map(Entity::PolicySet),
        Kind::User => user::user(reader).map(Entity::User),
        Kind::UserGroup => user::user_group(reader).map(Entity::UserGroup),
        Kind::Service => service::read(reader).map(|()| Entity::Plain),
        Kind::Environment => environment::read(reader).map(|()| Entity::Plain),
        Kind::Infrastructure => infrastructure::read(reader).map(|()| Entity::Plain),
        Kind::Connector => connector::read(reader).map(|()| Entity::Plain),
        Kind::MonitoredService => environment::monitored_service(reader).map(|()| Entity::Plain),
        Kind::Role | Kind::ResourceGroup | Kind::RoleAssignment | Kind::ServiceAccount => {
            access::read(kind, reader).map(|()| Entity::Plain)
        }
        Kind::Variable => access::variable(reader).map(|()| Entity::Plain),
        Kind::Org | Kind::Project => {
            let fields = reader.fields()?;
            head(&fields);
            fields.known(&["color", "modules"]);
            fields.finish();
            Some(Entity::Plain)
        }
    }
}

/// The keys every document may have. They are read by [`crate::read`]; here they are only known.
pub(crate) fn head(fields: &windlass_yaml::Fields<'_>) {
    fields.known(&["identifier", "name", "orgIdentifier", "projectIdentifier", "description"]);
    common::tags(fields);
}

/// The typed value of a scalar: a secret's or variable's value may look like a number.
pub(crate) fn text(reader: &Reader<'_>) -> Option<String> {
    reader.string()
}

/// Plain JSON below a reader.
pub(crate) fn plain(reader: &Reader<'_>) -> Json {
    common::json(reader)
}
