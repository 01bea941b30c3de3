//! Connectors, each type with its own `spec` (kubernetes-deploy §6).

use super::parts::{anything, by_type, either, keys, list, object, one_of_types, selectors, text, word, yes_or_no};
use crate::entity::connector::{LATER, USABLE};
use serde_json::{Map, json};
use windlass_model::Json;

/// The words of `type`.
pub(super) fn types() -> Json {
    let usable: Vec<Json> = USABLE.iter().map(|word| json!({ "const": word })).collect();
    let later = LATER.iter().map(|word| json!({ "const": word, "description": "Kept; cannot be used yet." }));
    let kinds: Vec<Json> = usable.into_iter().chain(later).collect();
    json!({ "oneOf": kinds, "description": "What it leads to." })
}

/// The `spec` of every type that can be used. Of the others everything is kept.
pub(super) fn specs() -> Json {
    by_type(&[
        ("K8sCluster", of(keys([("credential", credential())]), &["credential"])),
        ("Git", git()),
        ("Github", github()),
        ("DockerRegistry", registry()),
        ("HttpHelmRepo", charts("https://host/path: where index.yaml lies.")),
        ("OciHelmRepo", charts("oci://host/path: above the names of the charts.")),
        ("Prometheus", prometheus()),
    ])
}

/// The keys of a type with those that all have.
fn of(mut own: Map<String, Json>, required: &[&str]) -> Json {
    own.extend(keys([
        ("delegateSelectors", selectors()),
        ("executeOnDelegate", yes_or_no("Left out: yes.")),
        ("ignoreTestConnection", anything("Kept, and not read.")),
        ("proxy", anything("Kept, and not read.")),
    ]));
    object(own, required)
}

fn secret(description: &str) -> Json {
    text(&format!("{description} The name of a secret: id, org.id, account.id."))
}

/// A user whose name is written, or kept as a secret, and a password.
fn user() -> Json {
    let keys = keys([
        ("username", text("The user.")),
        ("usernameRef", secret("The user.")),
        ("passwordRef", secret("The password.")),
    ]);
    either(object(keys, &["passwordRef"]), &["username", "usernameRef"])
}

fn ssh() -> Json {
    object(keys([("sshKeyRef", secret("The private key."))]), &["sshKeyRef"])
}

fn credential() -> Json {
    let token = keys([
        ("serviceAccountTokenRef", secret("The token.")),
        ("caCertRef", secret("The certificate authority of the API server.")),
    ]);
    let certificate = keys([
        ("clientCertRef", secret("The certificate.")),
        ("clientKeyRef", secret("Its key.")),
        ("caCertRef", secret("The certificate authority of the API server.")),
        ("clientKeyPassphraseRef", anything("Kept, and not read.")),
        ("clientKeyAlgo", anything("Kept, and not read.")),
    ]);
    let auth = one_of_types(
        "How to sign in.",
        &[
            ("ServiceAccount", object(token, &["serviceAccountTokenRef"])),
            ("UsernamePassword", user()),
            ("ClientKeyCert", object(certificate, &["clientCertRef", "clientKeyRef"])),
            ("OpenIdConnect", json!({ "type": "object", "description": "Kept; cannot be used yet." })),
        ],
    );
    let manual = keys([("masterUrl", text("Where the API server is.")), ("auth", auth)]);
    let kubeconfig = keys([
        ("kubeconfigRef", secret("A kubeconfig.")),
        ("context", text("Its context; left out, the current one.")),
    ]);
    one_of_types(
        "Who we are in the cluster.",
        &[
            ("InheritFromDelegate", json!({ "description": "The delegate's own identity." })),
            ("ManualConfig", object(manual, &["masterUrl", "auth"])),
            ("Kubeconfig", object(kubeconfig, &["kubeconfigRef"])),
        ],
    )
}

fn git() -> Json {
    let own = keys([
        ("url", text("A repository, or where those of an account are.")),
        ("connectionType", word(&["Repo", "Account"], "What the address stands for; left out, a repository.")),
        ("type", word(&["Http", "Ssh"], "How to sign in.")),
        ("spec", anything("Whom as.")),
        ("branchName", anything("Kept, and not read.")),
        ("validationRepo", text("Of an account: the repository that tests look at.")),
    ]);
    let mut schema = of(own, &["url", "type", "spec"]);
    schema["allOf"] = by_type(&[("Http", user()), ("Ssh", ssh())]);
    schema
}

fn github() -> Json {
    let token = keys([
        ("username", text("The user.")),
        ("usernameRef", secret("The user.")),
        ("tokenRef", secret("A personal access token.")),
        ("passwordRef", secret("The same, as older documents call it.")),
    ]);
    let token = either(either(object(token, &[]), &["username", "usernameRef"]), &["tokenRef", "passwordRef"]);
    let http = one_of_types(
        "",
        &[
            ("UsernameToken", token.clone()),
            ("UsernamePassword", token),
            ("Anonymous", json!({ "description": "Nobody." })),
        ],
    );
    let app = ["installationId", "installationIdRef", "applicationId", "applicationIdRef", "privateKeyRef"];
    let app = app.map(|name| (name.to_owned(), anything("Kept, and not read."))).into_iter().collect();
    let api = one_of_types(
        "How to call the forge's API.",
        &[
            ("Token", object(keys([("tokenRef", secret("A personal access token."))]), &[])),
            ("GithubApp", object(app, &[])),
        ],
    );
    let own = keys([
        ("url", text("A repository, or where those of an account are.")),
        ("type", word(&["Repo", "Account"], "What the address stands for.")),
        ("authentication", one_of_types("How to sign in.", &[("Http", http), ("Ssh", ssh())])),
        ("apiAccess", api),
        ("validationRepo", text("Of an account: the repository that tests look at.")),
    ]);
    of(own, &["url", "type", "authentication"])
}

fn registry() -> Json {
    let own = keys([
        ("dockerRegistryUrl", text("Where the registry is.")),
        ("providerType", text("DockerHub, Harbor, Quay, Other.")),
        ("auth", signed_in()),
    ]);
    of(own, &["dockerRegistryUrl", "auth"])
}

fn signed_in() -> Json {
    one_of_types("How to sign in.", &[("UsernamePassword", user()), ("Anonymous", json!({ "description": "Nobody." }))])
}

/// A repository of charts.
fn charts(address: &str) -> Json {
    let own =
        keys([("helmRepoUrl", text(address)), ("auth", signed_in()), ("helmVersion", anything("Kept, and not read."))]);
    of(own, &["helmRepoUrl", "auth"])
}

fn prometheus() -> Json {
    let header = keys([
        ("key", text("Its name.")),
        ("value", anything("Its value.")),
        ("encryptedValueRef", secret("Its value.")),
        ("valueEncrypted", anything("Kept, and not read.")),
    ]);
    let own = keys([
        ("url", text("Where the server is.")),
        ("username", text("The user.")),
        ("passwordRef", secret("The password.")),
        ("headers", list(object(header, &["key"]), "Headers of every request.")),
    ]);
    of(own, &["url"])
}
