//! Connectors as workers need them (kubernetes-deploy §6.2).

use super::ConnectorFacts;
use crate::resolve::Sealer;
use std::collections::BTreeMap;
use windlass_model::task::cluster::{ClusterAccess, ClusterAuth};
use windlass_model::task::source::{ChartRepository, GitAuth, GitRepository};
use windlass_model::task::verify::BasicAuth;
use windlass_model::{Failure, FailureType, Json, Scope};

/// A connector that was found.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Connector<'c> {
    /// As it was written, for messages.
    pub reference: &'c str,
    /// Where it lives: secrets in it are named from there.
    pub scope: &'c Scope,
    pub body: &'c Json,
}

/// What a `Prometheus` connector says.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Prometheus {
    pub url: String,
    pub headers: BTreeMap<String, String>,
    pub basic_auth: Option<BasicAuth>,
}

impl Connector<'_> {
    fn kind(&self) -> &str {
        self.body.get("type").and_then(Json::as_str).unwrap_or_default()
    }

    fn at(&self, pointer: &str) -> Option<&str> {
        self.body.pointer(pointer).and_then(Json::as_str).filter(|text| !text.is_empty())
    }

    fn wrong(&self, why: impl std::fmt::Display) -> Failure {
        Failure::new(FailureType::ConfigurationFailure, format!("connector `{}`: {why}", self.reference))
    }

    fn required(&self, pointer: &str) -> Result<&str, Failure> {
        let path = || pointer.trim_start_matches('/').replace('/', ".");
        self.at(pointer).ok_or_else(|| self.wrong(format!("`{}` is missing", path())))
    }

    /// A secret by the reference at a pointer.
    fn secret(&self, sealer: &Sealer, pointer: &str) -> Result<String, Failure> {
        sealer.token(self.required(pointer)?, self.scope)
    }

    /// A text at one pointer, or a secret that another one names.
    fn text_or_secret(&self, sealer: &Sealer, text: &str, secret: &str) -> Result<String, Failure> {
        match self.at(text) {
            Some(text) => Ok(text.to_owned()),
            None => self.secret(sealer, secret),
        }
    }

    pub(crate) fn selectors(&self) -> Vec<String> {
        let list = self.body.pointer("/spec/delegateSelectors").and_then(Json::as_array);
        list.map(|list| list.iter().filter_map(Json::as_str).map(str::to_owned).collect()).unwrap_or_default()
    }

    pub(crate) fn facts(&self) -> ConnectorFacts {
        ConnectorFacts {
            reference: self.reference.to_owned(),
            name: self.at("/name").unwrap_or(self.reference).to_owned(),
            selectors: self.selectors(),
            inherits: self.at("/spec/credential/type") == Some("InheritFromDelegate"),
        }
    }

    /// How to reach the cluster of a `K8sCluster` connector.
    pub(crate) fn cluster(&self, sealer: &Sealer) -> Result<ClusterAccess, Failure> {
        if self.kind() != "K8sCluster" {
            return Err(self.wrong(format!("a `{}` connector reaches no cluster: expected K8sCluster", self.kind())));
        }
        match self.at("/spec/credential/type") {
            Some("InheritFromDelegate") => Ok(ClusterAccess::Inherit),
            Some("Kubeconfig") => Ok(ClusterAccess::Kubeconfig {
                text: self.secret(sealer, "/spec/credential/spec/kubeconfigRef")?,
                context: self.at("/spec/credential/spec/context").map(str::to_owned),
            }),
            Some("ManualConfig") => self.manual(sealer),
            other => Err(self.wrong(format!("credential type `{}` cannot be used", other.unwrap_or_default()))),
        }
    }

    fn manual(&self, sealer: &Sealer) -> Result<ClusterAccess, Failure> {
        const SPEC: &str = "/spec/credential/spec";
        let at = |key: &str| format!("{SPEC}/auth/spec/{key}");
        let auth = match self.at(&format!("{SPEC}/auth/type")) {
            Some("ServiceAccount") => ClusterAuth::Token { token: self.secret(sealer, &at("serviceAccountTokenRef"))? },
            Some("UsernamePassword") => ClusterAuth::Basic {
                username: self.text_or_secret(sealer, &at("username"), &at("usernameRef"))?,
                password: self.secret(sealer, &at("passwordRef"))?,
            },
            Some("ClientKeyCert") => ClusterAuth::ClientCertificate {
                certificate: self.secret(sealer, &at("clientCertRef"))?,
                key: self.secret(sealer, &at("clientKeyRef"))?,
            },
            other => return Err(self.wrong(format!("signing in by `{}` cannot be used", other.unwrap_or_default()))),
        };
        let ca = at("caCertRef");
        let ca = self.at(&ca).map(|reference| sealer.token(reference, self.scope)).transpose()?;
        Ok(ClusterAccess::Manual { url: self.required(&format!("{SPEC}/masterUrl"))?.to_owned(), ca, auth })
    }

    /// The repository of a Git connector; `name` completes the URL of an account.
    pub(crate) fn repository(&self, sealer: &Sealer, name: Option<&str>) -> Result<GitRepository, Failure> {
        let (kind, auth) = match self.kind() {
            "Git" => ("/spec/connectionType", self.git_auth(sealer)?),
            "Github" => ("/spec/type", self.github_auth(sealer)?),
            other => return Err(self.wrong(format!("a `{other}` connector holds no Git repository"))),
        };
        let url = self.required("/spec/url")?.trim_end_matches('/');
        let url = match (self.at(kind), name) {
            (Some("Account"), Some(name)) => format!("{url}/{}", name.trim_start_matches('/')),
            (Some("Account"), None) => {
                return Err(self.wrong(
                    "it stands for an account: the store has to say `repoName`, a test needs `validationRepo`",
                ));
            }
            _ => url.to_owned(),
        };
        Ok(GitRepository { connector: self.reference.to_owned(), url, auth })
    }

    fn git_auth(&self, sealer: &Sealer) -> Result<GitAuth, Failure> {
        match self.at("/spec/type") {
            Some("Ssh") => Ok(GitAuth::Ssh { private_key: self.secret(sealer, "/spec/spec/sshKeyRef")? }),
            _ if self.body.pointer("/spec/spec").is_none() => Ok(GitAuth::Anonymous),
            _ => Ok(GitAuth::Http {
                username: self.text_or_secret(sealer, "/spec/spec/username", "/spec/spec/usernameRef")?,
                password: self.secret(sealer, "/spec/spec/passwordRef")?,
            }),
        }
    }

    fn github_auth(&self, sealer: &Sealer) -> Result<GitAuth, Failure> {
        const SPEC: &str = "/spec/authentication/spec/spec";
        if self.at("/spec/authentication/type") == Some("Ssh") {
            return Ok(GitAuth::Ssh { private_key: self.secret(sealer, "/spec/authentication/spec/sshKeyRef")? });
        }
        match self.at("/spec/authentication/spec/type") {
            Some("Anonymous") | None => Ok(GitAuth::Anonymous),
            Some("UsernameToken" | "UsernamePassword") => {
                let at = |key: &str| format!("{SPEC}/{key}");
                let password = if self.at(&at("tokenRef")).is_some() { at("tokenRef") } else { at("passwordRef") };
                Ok(GitAuth::Http {
                    username: self.text_or_secret(sealer, &at("username"), &at("usernameRef"))?,
                    password: self.secret(sealer, &password)?,
                })
            }
            Some(other) => Err(self.wrong(format!("signing in by `{other}` cannot be used"))),
        }
    }

    /// Address, user and password of a registry.
    pub(crate) fn registry(&self, sealer: &Sealer) -> Result<(String, Option<String>, Option<String>), Failure> {
        let url = self.required("/spec/dockerRegistryUrl")?.to_owned();
        match self.at("/spec/auth/type") {
            None | Some("Anonymous") => Ok((url, None, None)),
            Some("UsernamePassword") => {
                let user = self.text_or_secret(sealer, "/spec/auth/spec/username", "/spec/auth/spec/usernameRef")?;
                Ok((url, Some(user), Some(self.secret(sealer, "/spec/auth/spec/passwordRef")?)))
            }
            Some(other) => Err(self.wrong(format!("signing in by `{other}` cannot be used"))),
        }
    }

    /// The charts of a repository, `path` below its address.
    pub(crate) fn charts(&self, sealer: &Sealer, path: &str) -> Result<ChartRepository, Failure> {
        if !["HttpHelmRepo", "OciHelmRepo"].contains(&self.kind()) {
            return Err(self.wrong(format!("a `{}` connector holds no charts", self.kind())));
        }
        let url = self.required("/spec/helmRepoUrl")?.trim_end_matches('/');
        let path = path.trim_matches('/');
        let url = if path.is_empty() { url.to_owned() } else { format!("{url}/{path}") };
        let connector = self.reference.to_owned();
        match self.at("/spec/auth/type") {
            None | Some("Anonymous") => Ok(ChartRepository { connector, url, username: None, password: None }),
            Some("UsernamePassword") => {
                let user = self.text_or_secret(sealer, "/spec/auth/spec/username", "/spec/auth/spec/usernameRef")?;
                let password = self.secret(sealer, "/spec/auth/spec/passwordRef")?;
                Ok(ChartRepository { connector, url, username: Some(user), password: Some(password) })
            }
            Some(other) => Err(self.wrong(format!("signing in by `{other}` cannot be used"))),
        }
    }

    /// What stands before an image path of this registry; nothing for Docker Hub, whose images need no host.
    pub(crate) fn registry_host(&self) -> Option<String> {
        const HUB: [&str; 5] =
            ["docker.io", "index.docker.io", "hub.docker.com", "registry.hub.docker.com", "registry-1.docker.io"];
        let url = self.at("/spec/dockerRegistryUrl")?;
        let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
        let host = rest.split('/').next().unwrap_or_default();
        (!host.is_empty() && !HUB.contains(&host)).then(|| host.to_owned())
    }

    /// A Prometheus server and how to sign in; the metrics are somebody else's.
    pub(crate) fn prometheus(&self, sealer: &Sealer) -> Result<Prometheus, Failure> {
        if self.kind() != "Prometheus" {
            return Err(self.wrong(format!("a `{}` connector cannot be asked for metrics yet", self.kind())));
        }
        let mut headers = BTreeMap::new();
        for header in self.body.pointer("/spec/headers").and_then(Json::as_array).into_iter().flatten() {
            let text = |key: &str| header.get(key).and_then(Json::as_str).filter(|text| !text.is_empty());
            let Some(key) = text("key") else { continue };
            let value = match (text("encryptedValueRef"), text("value")) {
                (Some(secret), _) => sealer.token(secret, self.scope)?,
                (None, Some(value)) => value.to_owned(),
                (None, None) => continue,
            };
            headers.insert(key.to_owned(), value);
        }
        let basic_auth = match (self.at("/spec/username"), self.at("/spec/passwordRef")) {
            (Some(user), Some(secret)) => {
                Some(BasicAuth { username: user.to_owned(), password: sealer.token(secret, self.scope)? })
            }
            _ => None,
        };
        Ok(Prometheus { url: self.required("/spec/url")?.to_owned(), headers, basic_auth })
    }
}

#[cfg(test)]
mod tests {
    use super::Connector;
    use crate::resolve::Sealer;
    use crate::run::Run;
    use serde_json::json;
    use windlass_model::Scope;
    use windlass_model::task::cluster::{ClusterAccess, ClusterAuth};
    use windlass_model::task::source::GitAuth;

    fn sealer() -> Sealer {
        Sealer::of(&Run::new("run_01J9ZZZZZZZZZZZZZZZZZZZZZZ".parse().unwrap()))
    }

    #[test]
    fn clusters_are_reached_by_identity_or_credentials() {
        let body = json!({"type": "K8sCluster", "spec": {"delegateSelectors": ["eu"], "credential": {"type": "InheritFromDelegate"}}});
        let connector = Connector { reference: "k8s", scope: &Scope::Account, body: &body };
        assert_eq!(connector.cluster(&sealer()), Ok(ClusterAccess::Inherit));
        assert!(connector.facts().inherits);
        assert_eq!(connector.facts().selectors, ["eu"]);
        let body = json!({"type": "K8sCluster", "spec": {"credential": {"type": "ManualConfig", "spec": {
            "masterUrl": "https://k8s", "auth": {"type": "ServiceAccount", "spec": {"serviceAccountTokenRef": "account.tok"}}}}}});
        let connector = Connector { reference: "k8s", scope: &Scope::Account, body: &body };
        let Ok(ClusterAccess::Manual { auth: ClusterAuth::Token { token }, .. }) = connector.cluster(&sealer()) else {
            panic!("expected a token")
        };
        assert_eq!(token, "${windlass-secret::account/tok}");
    }

    #[test]
    fn repositories_of_charts_have_an_address_and_a_user() {
        let body = json!({"type": "OciHelmRepo", "spec": {"helmRepoUrl": "oci://registry.example/", "auth":
            {"type": "UsernamePassword", "spec": {"username": "bot", "passwordRef": "account.pat"}}}});
        let connector = Connector { reference: "charts", scope: &Scope::Account, body: &body };
        let found = connector.charts(&sealer(), "/team/charts/").unwrap();
        assert_eq!(found.url, "oci://registry.example/team/charts");
        assert_eq!(found.password.as_deref(), Some("${windlass-secret::account/pat}"));
        let body = json!({"type": "Git", "spec": {"url": "https://git.example/a"}});
        assert!(Connector { reference: "git", scope: &Scope::Account, body: &body }.charts(&sealer(), "").is_err());
    }

    #[test]
    fn repositories_of_accounts_need_a_name() {
        let body = json!({"type": "Github", "spec": {"url": "https://git.example/acme/", "type": "Account",
            "authentication": {"type": "Http", "spec": {"type": "UsernameToken", "spec": {"username": "bot", "tokenRef": "org.pat"}}}}});
        let scope = Scope::Org { org: "default".parse().unwrap() };
        let connector = Connector { reference: "org.git", scope: &scope, body: &body };
        let found = connector.repository(&sealer(), Some("deploy")).unwrap();
        assert_eq!(found.url, "https://git.example/acme/deploy");
        let GitAuth::Http { password, .. } = found.auth else { panic!("expected a password") };
        assert_eq!(password, "${windlass-secret::org:default/pat}");
        assert!(connector.repository(&sealer(), None).is_err());
    }
}
