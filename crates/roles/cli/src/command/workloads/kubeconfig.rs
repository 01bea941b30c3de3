//! How a kubeconfig says a cluster is reached: server, authority and token. Other ways to sign in are refused by name.

use crate::command::read_text;
use crate::failure::CliFailure;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use std::path::Path;
use windlass_yaml::{NumberStyle, Options, parse_one};

/// The way to an API server.
#[derive(Debug)]
pub(super) struct Way {
    pub server: String,
    pub token: Option<String>,
    pub client: reqwest::Client,
}

pub(super) fn read(path: &Path, context: Option<&str>) -> Result<Way, CliFailure> {
    let file = path.display().to_string();
    let document = parse_one(file.as_str(), &read_text(path)?, &Options::OBJECTS)
        .map_err(|problems| CliFailure::usage(format!("{file} is no kubeconfig")).problems(problems))?;
    let config = document.root.to_json(NumberStyle::Typed);
    let wrong = |why: String| CliFailure::usage(format!("{file}: {why}"));
    let text = |value: &Value, pointer: &str| value.pointer(pointer).and_then(Value::as_str).map(str::to_owned);
    let named = |list: &str, name: &str| {
        let entries = config.get(list).and_then(Value::as_array).into_iter().flatten();
        let found = entries.into_iter().find(|entry| entry.get("name").and_then(Value::as_str) == Some(name));
        found.cloned().ok_or_else(|| wrong(format!("there is no `{name}` among its {list}")))
    };
    let context = context.map(str::to_owned).or_else(|| text(&config, "/current-context"));
    let context = context.ok_or_else(|| wrong("it has no current-context: write NAME=FILE#CONTEXT".to_owned()))?;
    let context = named("contexts", &context)?;
    let cluster = named("clusters", &text(&context, "/context/cluster").unwrap_or_default())?;
    let server = text(&cluster, "/cluster/server").ok_or_else(|| wrong("the cluster has no server".to_owned()))?;
    let mut client = reqwest::Client::builder().no_proxy();
    let data =
        match (text(&cluster, "/cluster/certificate-authority-data"), text(&cluster, "/cluster/certificate-authority"))
        {
            (Some(data), _) => {
                Some(STANDARD.decode(data).map_err(|e| wrong(format!("certificate-authority-data: {e}")))?)
            }
            (None, Some(file)) => Some(read_text(file.as_ref())?.into_bytes()),
            (None, None) => None,
        };
    if let Some(pem) = data {
        let authorities =
            reqwest::Certificate::from_pem_bundle(&pem).map_err(|e| wrong(format!("its authority: {e}")))?;
        client = client.tls_certs_only(authorities);
    }
    let user = match text(&context, "/context/user") {
        Some(user) => named("users", &user)?,
        None => Value::Null,
    };
    for way in ["exec", "auth-provider", "client-certificate", "client-certificate-data", "username"] {
        if user.pointer(&format!("/user/{way}")).is_some() {
            return Err(wrong(format!("its user signs in by {way}, which is not supported here"))
                .hint("use the token of a service account that may read pods"));
        }
    }
    let token = match (text(&user, "/user/token"), text(&user, "/user/tokenFile")) {
        (Some(token), _) => Some(token),
        (None, Some(file)) => Some(read_text(file.as_ref())?.trim().to_owned()),
        (None, None) => None,
    };
    let client = client.build().map_err(|e| wrong(format!("cannot make a client: {e}")))?;
    Ok(Way { server: server.trim_end_matches('/').to_owned(), token, client })
}
