//! Docker registries: `GET /v2/`, sign in as the registry asks, and again.

use super::challenge::{Challenge, parse};
use super::report::{Finding, Problem, Reason};
use crate::secret::basic;
use serde_json::json;
use windlass_http::{Answer, Client, Request, Url, shown};
use windlass_model::Json;

type User<'a> = (&'a str, &'a str);

pub(super) async fn test(client: &Client, url: &str, user: Option<User<'_>>) -> Result<Finding, Problem> {
    let base = base(url)?;
    let first = send(client, get(base.as_str())?).await?;
    let anonymous = || Finding::new("the registry answers", json!({"signedIn": false}));
    if first.status.is_success() {
        // It asks nobody for a name: a wrong one would not show.
        return Ok(match user {
            Some(_) => Finding {
                warnings: vec!["the registry does not ask who calls: user and password were not checked".to_owned()],
                ..anonymous()
            },
            None => anonymous(),
        });
    }
    let header = first.headers.get("www-authenticate").and_then(|value| value.to_str().ok());
    let (401, Some(header)) = (first.status.as_u16(), header) else {
        return Err(Problem::status(&format!("{base}"), first.status.as_u16()));
    };
    let signed_in = match parse(header) {
        Some(Challenge::Basic) => {
            let Some((name, password)) = user else {
                return Err(Problem::new(
                    Reason::Auth,
                    "the registry wants user and password, and the connector has none",
                ));
            };
            get(base.as_str())?.header("authorization", &basic(name, password))
        }
        Some(Challenge::Bearer { realm, service, scope }) => {
            let token = token(client, &base, &realm, &[("service", service), ("scope", scope)], user).await?;
            get(base.as_str())?.bearer(&token)
        }
        None => {
            return Err(Problem::new(
                Reason::Protocol,
                format!("the registry wants a way to sign in that is not known: `{header}`"),
            ));
        }
    };
    let signed_in = signed_in.map_err(|error| Problem::new(Reason::Auth, error.to_string()))?;
    let second = send(client, signed_in).await?;
    if !second.status.is_success() {
        return Err(Problem::status(&format!("{base} (signed in)"), second.status.as_u16()));
    }
    Ok(match user {
        Some((name, _)) => {
            Finding::new(format!("the registry answers, signed in as {name}"), json!({"signedIn": true, "user": name}))
        }
        None => anonymous(),
    })
}

/// The address of the API. What people write for Docker Hub is the address of its first version.
fn base(url: &str) -> Result<Url, Problem> {
    let wrong = || Problem::new(Reason::Configuration, format!("`{url}` is not the URL of a registry"));
    let mut base = Url::parse(url.trim()).map_err(|_| wrong())?;
    let host = base.host_str().ok_or_else(wrong)?;
    if matches!(host, "index.docker.io" | "registry.hub.docker.com" | "hub.docker.com" | "docker.io") {
        return Url::parse("https://registry-1.docker.io/v2/").map_err(|_| wrong());
    }
    let path = base.path().trim_end_matches('/').trim_end_matches("/v2").trim_end_matches("/v1").to_owned();
    base.set_path(&format!("{path}/v2/"));
    base.set_query(None);
    Ok(base)
}

fn get(url: &str) -> Result<Request, Problem> {
    Request::get(url).map_err(|error| Problem::new(Reason::Configuration, error.to_string()))
}

async fn send(client: &Client, request: Request) -> Result<Answer, Problem> {
    client.send(&request).await.map_err(|error| Problem::unreachable(&error))
}

/// Gets a token from where the registry says. User and password go there only over a connection as good as the registry's own.
async fn token(
    client: &Client,
    base: &Url,
    realm: &str,
    parameters: &[(&str, Option<String>)],
    user: Option<User<'_>>,
) -> Result<String, Problem> {
    let odd = |why: &str| Problem::new(Reason::Protocol, format!("the registry's sign-in service {why}"));
    let mut url = Url::parse(realm).map_err(|_| odd("has no URL"))?;
    if base.scheme() == "https" && url.scheme() != "https" {
        return Err(odd("would get the password without encryption"));
    }
    for (name, value) in parameters {
        if let Some(value) = value {
            url.query_pairs_mut().append_pair(name, value);
        }
    }
    if let Some((name, _)) = user {
        url.query_pairs_mut().append_pair("account", name);
    }
    let mut request = get(url.as_str())?;
    if let Some((name, password)) = user {
        let header = request.header("authorization", &basic(name, password));
        request = header.map_err(|error| Problem::new(Reason::Auth, error.to_string()))?;
    }
    let answer = send(client, request).await?;
    if !answer.status.is_success() {
        return Err(Problem::status(&shown(&url), answer.status.as_u16()));
    }
    let body: Json =
        serde_json::from_slice(&answer.body).map_err(|_| odd("answers with something that is not JSON"))?;
    let token = ["token", "access_token"].iter().find_map(|name| body.get(name)).and_then(Json::as_str);
    token.map(str::to_owned).ok_or_else(|| odd("gives no token"))
}

#[cfg(test)]
mod tests {
    use super::base;

    #[test]
    fn urls_of_registries_as_people_write_them() {
        for (written, used) in [
            ("https://registry.example/v2/", "https://registry.example/v2/"),
            ("https://registry.example", "https://registry.example/v2/"),
            ("https://registry.example/v2", "https://registry.example/v2/"),
            ("https://nexus.example/repository/docker/", "https://nexus.example/repository/docker/v2/"),
            ("https://index.docker.io/v1/", "https://registry-1.docker.io/v2/"),
            ("http://127.0.0.1:5000/v2/?x=1", "http://127.0.0.1:5000/v2/"),
        ] {
            assert_eq!(base(written).unwrap().as_str(), used, "{written}");
        }
        assert!(base("registry.example").is_err());
    }
}
