//! Connectors (kubernetes-deploy §6).

use super::head;
use crate::common::{self, code};
use windlass_diagnostic::Diagnostic;
use windlass_yaml::{Fields, Reader};

/// The vendor's types that are kept and cannot be used yet.
pub(crate) const LATER: &[&str] = &[
    "Gitlab",
    "Bitbucket",
    "AzureRepo",
    "Codecommit",
    "Artifactory",
    "Nexus",
    "Aws",
    "Gcp",
    "Azure",
    "Jira",
    "ServiceNow",
    "PagerDuty",
    "Datadog",
    "NewRelic",
    "Dynatrace",
    "AppDynamics",
    "Splunk",
    "SumoLogic",
    "ElasticSearch",
    "CustomHealth",
    "Vault",
    "AwsKms",
    "AwsSecretManager",
    "GcpKms",
    "GcpSecretManager",
    "AzureKeyVault",
    "CustomSecretManager",
    "Local",
    "JDBC",
    "Jenkins",
    "Rancher",
    "Spot",
    "Tas",
    "TerraformCloud",
    "Pdc",
];
pub(crate) const USABLE: &[&str] =
    &["K8sCluster", "Git", "Github", "DockerRegistry", "HttpHelmRepo", "OciHelmRepo", "Prometheus"];

pub(crate) fn read(reader: &Reader<'_>) -> Option<()> {
    let fields = reader.fields()?;
    head(&fields);
    let kind = fields.required("type").and_then(|t| Some((t.string()?, t)));
    let spec = fields.required("spec");
    fields.finish();
    let ((word, at), spec) = (kind?, spec?);
    let inner = spec.fields()?;
    if let Some(selectors) = inner.opt("delegateSelectors") {
        common::selectors(&selectors);
    }
    inner.opt_bool("executeOnDelegate");
    inner.known(&["ignoreTestConnection", "proxy"]);
    match word.as_str() {
        "K8sCluster" => cluster(&inner),
        "Git" => git(&inner),
        "Github" => github(&inner),
        "DockerRegistry" => registry(&inner),
        "HttpHelmRepo" => charts(&inner, &["https://", "http://"]),
        "OciHelmRepo" => charts(&inner, &["oci://"]),
        "Prometheus" => prometheus(&inner),
        other if LATER.contains(&other) => {
            let problem = format!("connectors of type {other} cannot be used yet");
            at.report(
                Diagnostic::warning(code::UNSUPPORTED, problem)
                    .remedy("it is kept; a step that needs it fails by this name"),
            );
            return Some(());
        }
        other => {
            let known = USABLE.iter().chain(LATER).copied();
            at.report(
                Diagnostic::error(code::TYPE, format!("`{other}` is not a type of connector")).nearest_of(other, known),
            );
            return None;
        }
    }
    inner.finish();
    Some(())
}

/// A text, or a reference to a secret that holds it.
fn text_or_ref(fields: &Fields<'_>, text: &'static str, reference: &'static str) {
    let found = [text, reference].into_iter().filter(|key| fields.opt_string(key).is_some()).count();
    if found != 1 {
        let problem = format!("exactly one of `{text}` and `{reference}` must be there");
        fields.reader().report(Diagnostic::error(code::CHOICE, problem));
    }
}

fn secret(fields: &Fields<'_>, name: &'static str) {
    if let Some(reader) = fields.required(name) {
        reference(&reader);
    }
}

fn opt_secret(fields: &Fields<'_>, name: &'static str) {
    if let Some(reader) = fields.opt(name) {
        reference(&reader);
    }
}

fn reference(reader: &Reader<'_>) {
    if let Some(text) = reader.string()
        && !text.contains("<+")
        && let Err(error) = windlass_model::ScopedRef::parse(&text)
    {
        reader.report(
            Diagnostic::error(code::IDENTIFIER, error.to_string())
                .remedy("name a secret, not its value: `account.my_token`"),
        );
    }
}

/// A choice by `type` whose `spec` depends on it.
fn typed<'a>(
    fields: &Fields<'a>,
    name: &'static str,
    known: &'static [&'static str],
) -> Option<(String, Option<Reader<'a>>)> {
    let reader = fields.required(name)?;
    let inner = reader.fields()?;
    let kind = inner.required("type").and_then(|t| Some((t.string()?, t)));
    let spec = inner.opt("spec");
    inner.finish();
    let (word, at) = kind?;
    if !known.contains(&word.as_str()) {
        let problem = format!("expected one of {}, found `{word}`", known.join(", "));
        at.report(Diagnostic::error(windlass_yaml::code::BAD_VALUE, problem).nearest_of(&word, known.iter().copied()));
        return None;
    }
    Some((word, spec))
}

fn with_spec(fields: &Fields<'_>, spec: Option<Reader<'_>>, read: impl FnOnce(&Fields<'_>)) {
    let Some(spec) = spec else {
        fields.reader().report(Diagnostic::error(windlass_yaml::code::MISSING_KEY, "`spec` is missing"));
        return;
    };
    if let Some(inner) = spec.fields() {
        read(&inner);
        inner.finish();
    }
}

fn cluster(fields: &Fields<'_>) {
    match typed(fields, "credential", &["InheritFromDelegate", "ManualConfig", "Kubeconfig"]) {
        Some((word, _)) if word == "InheritFromDelegate" && fields.opt("delegateSelectors").is_some() => {}
        Some((word, _)) if word == "InheritFromDelegate" => {
            fields.reader().report(
                Diagnostic::warning(
                    code::LINT,
                    "any delegate may act with its own identity: the cluster depends on which one is chosen",
                )
                .remedy("name the delegates of this cluster under `delegateSelectors`"),
            );
        }
        Some((word, spec)) if word == "Kubeconfig" => with_spec(fields, spec, |inner| {
            secret(inner, "kubeconfigRef");
            inner.opt_string("context");
        }),
        Some((_, spec)) => with_spec(fields, spec, |inner| {
            inner.string("masterUrl");
            let auth = typed(inner, "auth", &["UsernamePassword", "ServiceAccount", "OpenIdConnect", "ClientKeyCert"]);
            if let Some((word, spec)) = auth {
                with_spec(inner, spec, |auth| cluster_auth(&word, auth));
            }
        }),
        None => {}
    }
}

fn cluster_auth(word: &str, fields: &Fields<'_>) {
    match word {
        "UsernamePassword" => {
            text_or_ref(fields, "username", "usernameRef");
            secret(fields, "passwordRef");
        }
        "ServiceAccount" => {
            secret(fields, "serviceAccountTokenRef");
            opt_secret(fields, "caCertRef");
        }
        "ClientKeyCert" => {
            secret(fields, "clientCertRef");
            secret(fields, "clientKeyRef");
            opt_secret(fields, "caCertRef");
            fields.known(&["clientKeyPassphraseRef", "clientKeyAlgo"]);
        }
        _ => {
            fields.reader().report(
                Diagnostic::warning(code::UNSUPPORTED, "signing in by OpenID Connect cannot be used yet")
                    .remedy("use ServiceAccount"),
            );
            fields.known(&[
                "oidcIssuerUrl",
                "oidcUsername",
                "oidcUsernameRef",
                "oidcPasswordRef",
                "oidcClientIdRef",
                "oidcSecretRef",
                "oidcScopes",
            ]);
        }
    }
}

fn ssh_key(fields: &Fields<'_>) {
    secret(fields, "sshKeyRef");
}

fn git(fields: &Fields<'_>) {
    fields.string("url");
    fields.opt_choice("connectionType", &[("Repo", ()), ("Account", ())]);
    fields.known(&["branchName", "validationRepo"]);
    let kind = fields.choice("type", &[("Http", true), ("Ssh", false)]);
    let spec = fields.opt("spec");
    match kind {
        Some(true) => with_spec(fields, spec, |inner| {
            text_or_ref(inner, "username", "usernameRef");
            secret(inner, "passwordRef");
        }),
        Some(false) => with_spec(fields, spec, ssh_key),
        None => {}
    }
}

fn github(fields: &Fields<'_>) {
    fields.string("url");
    fields.choice("type", &[("Account", ()), ("Repo", ())]);
    fields.known(&["validationRepo"]);
    match typed(fields, "authentication", &["Http", "Ssh"]) {
        Some((word, spec)) if word == "Ssh" => with_spec(fields, spec, ssh_key),
        Some((_, spec)) => with_spec(fields, spec, |inner| {
            let kind = inner.required("type").and_then(|t| t.string());
            let spec = inner.opt("spec");
            match kind.as_deref() {
                Some("UsernameToken" | "UsernamePassword") => with_spec(inner, spec, |token| {
                    text_or_ref(token, "username", "usernameRef");
                    if token.opt("passwordRef").is_none() {
                        secret(token, "tokenRef");
                    }
                }),
                Some("Anonymous") | None => {}
                Some(other) => inner.reader().report(
                    Diagnostic::warning(code::UNSUPPORTED, format!("signing in by {other} cannot be used yet"))
                        .remedy("use UsernameToken"),
                ),
            }
        }),
        None => {}
    }
    if fields.has("apiAccess")
        && let Some((_, spec)) = typed(fields, "apiAccess", &["Token", "GithubApp"])
    {
        with_spec(fields, spec, |inner| {
            opt_secret(inner, "tokenRef");
            inner.known(&["installationId", "installationIdRef", "applicationId", "applicationIdRef", "privateKeyRef"]);
        });
    }
}

fn registry(fields: &Fields<'_>) {
    fields.string("dockerRegistryUrl");
    fields.opt_string("providerType");
    signed_in(fields);
}

/// A repository of charts; its address begins with one of these.
fn charts(fields: &Fields<'_>, schemes: &[&str]) {
    if let Some(at) = fields.required("helmRepoUrl")
        && let Some(url) = at.string()
        && !url.contains("<+")
        && !schemes.iter().any(|scheme| url.starts_with(scheme))
    {
        let problem = format!("`{url}` is no address of such a repository: it begins with {}", schemes.join(" or "));
        at.report(Diagnostic::error(windlass_yaml::code::BAD_VALUE, problem));
    }
    fields.known(&["helmVersion"]);
    signed_in(fields);
}

/// A user with a password, or nobody.
fn signed_in(fields: &Fields<'_>) {
    if let Some((word, spec)) = typed(fields, "auth", &["UsernamePassword", "Anonymous"])
        && word == "UsernamePassword"
    {
        with_spec(fields, spec, |inner| {
            text_or_ref(inner, "username", "usernameRef");
            secret(inner, "passwordRef");
        });
    }
}

fn prometheus(fields: &Fields<'_>) {
    fields.string("url");
    fields.opt_string("username");
    opt_secret(fields, "passwordRef");
    fields.list("headers", |header| {
        let fields = header.fields()?;
        fields.string("key");
        fields.known(&["value", "encryptedValueRef", "valueEncrypted"]);
        fields.finish();
        Some(())
    });
}
