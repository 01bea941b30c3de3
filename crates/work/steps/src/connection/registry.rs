//! Docker registries: `GET /v2/`, sign in as the registry asks, and again.

use super::report::{Finding, Problem, Reason};
use serde_json::json;
use windlass_http::{Answer, Client, Request, Url};
use windlass_registry::{Challenge, SignInError, User, basic, parse_challenge};

type Known<'a> = (&'a str, &'a str);

pub(super) async fn test(client: &Client, url: &str, user: Option<Known<'_>>) -> Result<Finding, Problem> {
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
    let signed_in = match parse_challenge(header) {
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
            let user = user.map(|(name, password)| User { name: name.to_owned(), password: password.to_owned() });
            let parameters = [("service", service), ("scope", scope)];
            let token = windlass_registry::token(client, &base, &realm, &parameters, user.as_ref()).await;
            let token = token.map_err(problem)?;
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

/// Why there is no token.
fn problem(error: SignInError) -> Problem {
    match error {
        SignInError::Odd(_) => Problem::new(Reason::Protocol, error.to_string()),
        SignInError::Header(why) => Problem::new(Reason::Auth, why),
        SignInError::Http(error) => Problem::unreachable(&error),
        SignInError::Status { url, status } => Problem::status(&url, status),
    }
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
