//! Repositories of charts: the index of a Helm repository, the sign-in of a registry.

use super::report::{Finding, Problem, Reason};
use serde_json::json;
use windlass_http::Client;
use windlass_model::task::source::ChartRepository;
use windlass_registry::{Registries, RegistryError, Repository, User};

pub(super) async fn test(client: &Client, repository: &ChartRepository) -> Result<Finding, Problem> {
    let name = repository.username.clone().filter(|name| !name.is_empty());
    let password = repository.password.clone().unwrap_or_default();
    let user = name.clone().map(|name| User { name, password });
    let parsed = Repository::parse(&repository.url, user).map_err(problem)?;
    let said = Registries::new(client.clone()).test(&parsed).await.map_err(problem)?;
    let summary = match &name {
        Some(name) => format!("{said}, asked as {name}"),
        None => said,
    };
    Ok(Finding::new(summary, json!({"registry": parsed.is_oci(), "user": name})))
}

fn problem(error: RegistryError) -> Problem {
    let reason = match &error {
        RegistryError::Http(error) => return Problem::unreachable(error),
        RegistryError::Status { url, status } => return Problem::status(url, *status),
        RegistryError::Address { .. } => Reason::Configuration,
        RegistryError::Anonymous { .. } | RegistryError::Refused { status: 401, .. } => Reason::Auth,
        RegistryError::Refused { .. } => Reason::Permission,
        RegistryError::NoChart { .. } | RegistryError::NoVersion { .. } => Reason::NotFound,
        RegistryError::Protocol { .. } | RegistryError::Digest { .. } => Reason::Protocol,
    };
    Problem::new(reason, error.sentence()).hint(error.hint())
}
