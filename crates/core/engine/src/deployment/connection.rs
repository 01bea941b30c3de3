//! What a worker has to do to see whether a connector works (kubernetes-deploy §6.3).

use super::connector::{Connector, Prometheus};
use crate::resolve::Sealer;
use windlass_model::selector::{DelegateSelection, SelectorLevel};
use windlass_model::task::source::ConnectionTest;
use windlass_model::task::{Secrets, Work};
use windlass_model::{Failure, FailureType, Json, Scope};

/// A test as a task holds it.
#[derive(Clone, Debug, PartialEq)]
pub struct ConnectionCheck {
    pub work: Work,
    pub secrets: Secrets,
    /// Where the connector will be used is where it is tested.
    pub selection: DelegateSelection,
}

/// The test of the connector `body` that lives in `scope`. `nonce` makes the tokens of its secrets.
///
/// # Errors
/// When the connector is not written so that anything could be reached, or cannot be tested.
pub fn connection_check(
    reference: &str,
    scope: &Scope,
    body: &Json,
    nonce: String,
) -> Result<ConnectionCheck, Failure> {
    let connector = Connector { reference, scope, body };
    let sealer = Sealer::new(nonce, scope.clone());
    let text = |pointer: &str| body.pointer(pointer).and_then(Json::as_str);
    let test = match text("/type").unwrap_or_default() {
        "K8sCluster" => ConnectionTest::Cluster { access: connector.cluster(&sealer)?, namespace: None },
        "Git" | "Github" => {
            ConnectionTest::Git { repository: connector.repository(&sealer, text("/spec/validationRepo"))? }
        }
        "DockerRegistry" => {
            let (url, username, password) = connector.registry(&sealer)?;
            ConnectionTest::DockerRegistry { url, username, password }
        }
        "HttpHelmRepo" | "OciHelmRepo" => ConnectionTest::Charts { repository: connector.charts(&sealer, "")? },
        "Prometheus" => {
            let Prometheus { url, headers, basic_auth } = connector.prometheus(&sealer)?;
            ConnectionTest::Prometheus { url, headers, basic_auth }
        }
        other => {
            let text = format!("connector `{reference}`: connectors of type `{other}` cannot be tested yet");
            return Err(Failure::new(FailureType::ConfigurationFailure, text)
                .hint("use it: a step that needs it tells what is wrong"));
        }
    };
    let work = Work::TestConnection(Box::new(test));
    let selectors = connector.selectors();
    let selection = DelegateSelection {
        level: (!selectors.is_empty()).then_some(SelectorLevel::Connector),
        selectors,
        ..DelegateSelection::default()
    };
    Ok(ConnectionCheck { secrets: sealer.secrets_of(&work), work, selection })
}

#[cfg(test)]
mod tests {
    use super::connection_check;
    use serde_json::json;
    use windlass_model::task::Work;
    use windlass_model::task::source::ConnectionTest;
    use windlass_model::{Json, Scope};

    fn test_of(body: &Json) -> Result<ConnectionTest, String> {
        let check = connection_check("c", &Scope::Account, body, "n".to_owned()).map_err(|failure| failure.message)?;
        let Work::TestConnection(test) = check.work else { panic!("no test of a connection") };
        Ok(*test)
    }

    #[test]
    fn secrets_stay_tokens_and_are_listed() {
        let body = json!({"type": "Git", "spec": {"url": "https://git.example/deploy.git", "connectionType": "Repo", "type": "Http",
            "spec": {"username": "bot", "passwordRef": "account.pat"}, "delegateSelectors": ["edge"]}});
        let check = connection_check("git", &Scope::Account, &body, "n".to_owned()).unwrap();
        let references: Vec<&str> = check.secrets.bindings.iter().map(|b| b.reference.as_str()).collect();
        assert_eq!(references, ["account/pat"]);
        assert_eq!(check.selection.selectors, ["edge"]);
    }

    #[test]
    fn accounts_are_tested_by_one_of_their_repositories() {
        let mut body = json!({"type": "Github", "spec": {"url": "https://git.example/acme", "type": "Account"}});
        assert!(test_of(&body).unwrap_err().contains("validationRepo"));
        body["spec"]["validationRepo"] = json!("deploy");
        let ConnectionTest::Git { repository } = test_of(&body).unwrap() else { panic!("expected Git") };
        assert_eq!(repository.url, "https://git.example/acme/deploy");
    }

    #[test]
    fn registries_are_asked_with_their_user() {
        let body = json!({"type": "DockerRegistry", "spec": {"dockerRegistryUrl": "https://registry.example", "auth":
            {"type": "UsernamePassword", "spec": {"username": "bot", "passwordRef": "pat"}}}});
        let ConnectionTest::DockerRegistry { url, username, password } = test_of(&body).unwrap() else {
            panic!("expected a registry")
        };
        assert_eq!((url.as_str(), username.as_deref()), ("https://registry.example", Some("bot")));
        assert_eq!(password.as_deref(), Some("${windlass-secret:n:account/pat}"));
    }

    #[test]
    fn what_cannot_be_tested_is_refused_by_name() {
        assert!(test_of(&json!({"type": "Jira", "spec": {}})).unwrap_err().contains("`Jira` cannot be tested yet"));
    }
}
