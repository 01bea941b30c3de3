//! Through which proxies a delegate reaches what (kubernetes-deploy §4.5): the usual variables and the vendor's.

use std::collections::BTreeMap;
use windlass_http::{ProxyConfig, ProxyError};

/// What the environment says about proxies.
#[derive(Clone, Default)]
pub struct Proxies {
    /// For registries, repositories, clusters and whatever steps call.
    pub outside: ProxyConfig,
    /// For the connection to the server.
    pub server: ProxyConfig,
    /// The same for programs that delegates start, under the names that programs know.
    pub variables: BTreeMap<String, String>,
}

impl Proxies {
    /// Reads `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY` (also in lower case). Where these are absent, `PROXY_HOST`, `PROXY_PORT`,
    /// `PROXY_SCHEME`, `PROXY_USER` and `PROXY_PASSWORD` are read; the server is reached through that proxy only with
    /// `PROXY_MANAGER=true`, as the vendor's delegates do.
    pub fn of_environment(environment: &BTreeMap<String, String>) -> Result<Self, ProxyError> {
        let given = |name: &str| environment.get(name).map(|text| text.trim()).filter(|text| !text.is_empty());
        let either = |name: &str| given(name).or_else(|| given(&name.to_lowercase()));
        let bypass = either("NO_PROXY");
        let usual = (either("HTTP_PROXY").map(str::to_owned), either("HTTPS_PROXY").map(str::to_owned));
        let is_usual = usual.0.is_some() || usual.1.is_some();
        let (http, https) = if is_usual {
            usual
        } else {
            let of_vendor = vendor(&given)?;
            (of_vendor.clone(), of_vendor)
        };
        let outside = ProxyConfig::new(http.as_deref(), https.as_deref(), bypass)?;
        let reaches_server = is_usual || given("PROXY_MANAGER").is_some_and(|text| text.eq_ignore_ascii_case("true"));
        let mut variables = BTreeMap::new();
        let named = [("HTTP_PROXY", http.as_deref()), ("HTTPS_PROXY", https.as_deref()), ("NO_PROXY", bypass)];
        for (name, value) in named {
            let Some(value) = value else { continue };
            // Some programs read the one form, some the other.
            variables.insert(name.to_owned(), value.to_owned());
            variables.insert(name.to_lowercase(), value.to_owned());
        }
        Ok(Self { server: if reaches_server { outside.clone() } else { ProxyConfig::default() }, outside, variables })
    }

    /// Sets a client up for calls to the server. Nothing else of the environment has a say.
    pub fn to_server(&self, client: reqwest::ClientBuilder) -> reqwest::ClientBuilder {
        let proxies = self.server.clone();
        client.no_proxy().proxy(reqwest::Proxy::custom(move |url| proxies.for_url(url).cloned()))
    }
}

impl std::fmt::Debug for Proxies {
    /// Without passwords, which the variables hold.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Proxies").field("outside", &self.outside).field("server", &self.server).finish_non_exhaustive()
    }
}

/// The vendor's variables as one URL.
fn vendor<'e>(given: &impl Fn(&str) -> Option<&'e str>) -> Result<Option<String>, ProxyError> {
    let Some(host) = given("PROXY_HOST") else { return Ok(None) };
    let scheme = given("PROXY_SCHEME").unwrap_or("http").to_ascii_lowercase();
    let port = given("PROXY_PORT").map(|port| format!(":{port}")).unwrap_or_default();
    let mut url = reqwest::Url::parse(&format!("{scheme}://{host}{port}")).map_err(|_| ProxyError)?;
    if let Some(user) = given("PROXY_USER") {
        url.set_username(user).map_err(|()| ProxyError)?;
        url.set_password(given("PROXY_PASSWORD")).map_err(|()| ProxyError)?;
    }
    Ok(Some(url.to_string()))
}

#[cfg(test)]
mod tests {
    use super::Proxies;
    use reqwest::Url;

    fn read(variables: &[(&str, &str)]) -> Proxies {
        let variables = variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        Proxies::of_environment(&variables).unwrap()
    }

    /// The proxies for a call outside and for one to the server.
    fn ways(proxies: &Proxies, url: &str) -> (Option<String>, Option<String>) {
        let url = Url::parse(url).unwrap();
        (proxies.outside.for_url(&url).map(Url::to_string), proxies.server.for_url(&url).map(Url::to_string))
    }

    #[test]
    fn the_usual_variables_count_for_everything() {
        let proxies = read(&[("https_proxy", "http://proxy:3128"), ("NO_PROXY", ".internal, 10.0.0.0/8")]);
        let through = || Some("http://proxy:3128/".to_owned());
        assert_eq!(ways(&proxies, "https://windlass.example"), (through(), through()));
        assert_eq!(ways(&proxies, "https://forge.internal"), (None, None));
        assert_eq!(ways(&proxies, "http://windlass.example"), (None, None), "no proxy is named for plain HTTP");
        assert_eq!(proxies.variables["HTTPS_PROXY"], "http://proxy:3128");
        assert_eq!(proxies.variables["no_proxy"], ".internal, 10.0.0.0/8");
        assert!(read(&[]).variables.is_empty());
    }

    #[test]
    fn the_vendor_s_variables_reach_the_server_only_when_asked() {
        let vendor = [
            ("PROXY_HOST", "proxy"),
            ("PROXY_PORT", "3128"),
            ("PROXY_SCHEME", "http"),
            ("PROXY_USER", "delegate"),
            ("PROXY_PASSWORD", "p@ss/word"),
            ("NO_PROXY", "forge.test"),
        ];
        let through = || Some("http://delegate:p%40ss%2Fword@proxy:3128/".to_owned());
        assert_eq!(ways(&read(&vendor), "https://a.test"), (through(), None));
        assert_eq!(ways(&read(&vendor), "https://forge.test"), (None, None));
        let with_manager = [&vendor[..], &[("PROXY_MANAGER", "true")]].concat();
        assert_eq!(ways(&read(&with_manager), "http://a.test"), (through(), through()));
        assert!(!format!("{:?}", read(&with_manager)).contains("p%40ss"));
    }

    #[test]
    fn what_is_no_proxy_is_refused() {
        let wrong = [("HTTPS_PROXY".to_owned(), "ftp://proxy".to_owned())].into();
        assert!(Proxies::of_environment(&wrong).is_err());
        let wrong = [("PROXY_HOST".to_owned(), "a b".to_owned())].into();
        assert!(Proxies::of_environment(&wrong).is_err());
    }
}
