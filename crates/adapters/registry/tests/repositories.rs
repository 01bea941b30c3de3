//! Repositories as they stand on the network: who is asked for what, with whose password.
#![allow(clippy::unwrap_used)]

use axum::Router;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use base64::Engine as _;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use windlass_clock::Clock;
use windlass_http::{AddressRules, Client, Config};
use windlass_registry::{Registries, RegistryError, Repository, User};

type Answers = BTreeMap<&'static str, Vec<u8>>;

/// A server that gives fixed answers to one user, and notes what it was asked.
#[derive(Clone)]
struct Shelf {
    answers: Arc<Answers>,
    asked: Arc<Mutex<Vec<String>>>,
    bearer: bool,
    user: &'static str,
}

async fn answer(State(shelf): State<Shelf>, request: Request) -> Response {
    let path = request.uri().path_and_query().unwrap().to_string();
    let authorization =
        request.headers().get("authorization").map(|value| value.to_str().unwrap().to_owned()).unwrap_or_default();
    let host = request.headers()["host"].to_str().unwrap().to_owned();
    shelf.asked.lock().unwrap().push(path.clone());
    let basic = format!("Basic {}", base64::prelude::BASE64_STANDARD.encode(shelf.user));
    if path.starts_with("/token") {
        let known = shelf.user.is_empty() || authorization == basic;
        return if known { r#"{"token":"t0ken"}"#.into_response() } else { (401, "").into_response_status() };
    }
    let wanted = if shelf.bearer { "Bearer t0ken".to_owned() } else { basic };
    if (shelf.bearer || !shelf.user.is_empty()) && authorization != wanted {
        let challenge = if shelf.bearer {
            format!("Bearer realm=\"http://{host}/token\",service=\"shelf\"")
        } else {
            "Basic".to_owned()
        };
        let mut refused = (401, "").into_response_status();
        refused.headers_mut().insert("www-authenticate", challenge.parse().unwrap());
        return refused;
    }
    let found = shelf.answers.get(path.as_str());
    found.map_or_else(|| (404, "").into_response_status(), |body| body.clone().into_response())
}

trait WithStatus {
    fn into_response_status(self) -> Response;
}

impl WithStatus for (u16, &'static str) {
    fn into_response_status(self) -> Response {
        (StatusCode::from_u16(self.0).unwrap(), self.1).into_response()
    }
}

async fn serve(shelf: Shelf) -> String {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let router = Router::new().fallback(answer).with_state(shelf);
    tokio::spawn(async move { axum::serve(listener, router).await });
    address.to_string()
}

fn shelf(answers: &[(&'static str, &[u8])], user: &'static str, bearer: bool) -> Shelf {
    let answers: Answers = answers.iter().map(|(path, body)| (*path, body.to_vec())).collect();
    Shelf { answers: Arc::new(answers), asked: Arc::default(), bearer, user }
}

fn registries() -> Registries {
    let config = Config { addresses: AddressRules::worker(), ..Config::default() };
    Registries::new(Client::new(config, Clock::system(), Arc::new(|| 0.5)).unwrap())
}

fn user(name: &str, password: &str) -> Option<User> {
    Some(User { name: name.into(), password: password.into() })
}

const DIGEST: &str = "1b4f0e9851971998e732078544c96b36c3d01cedf7caa332359d6f1d83567014"; // of "test1"

#[tokio::test(flavor = "multi_thread")]
async fn helm_repositories_are_asked_with_their_user() {
    let index = format!(
        "apiVersion: v1\nentries:\n  shop:\n  - {{version: 1.1.0, urls: [files/shop-1.1.0.tgz], digest: {DIGEST}}}\n  - {{version: 1.0.0, urls: [files/shop-1.0.0.tgz], digest: {DIGEST}}}\n"
    );
    let shelf = shelf(
        &[
            ("/charts/index.yaml", index.as_bytes()),
            ("/charts/files/shop-1.1.0.tgz", b"test1"),
            ("/charts/files/shop-1.0.0.tgz", b"other"),
        ],
        "bot:hunter2",
        false,
    );
    let address = serve(shelf.clone()).await;
    let url = format!("http://{address}/charts");
    let repository = Repository::parse(&url, user("bot", "hunter2")).unwrap();
    let registries = registries();
    let found = registries.find(&repository, "shop", "^1").await.unwrap();
    assert_eq!((found.version.as_str(), found.digest.as_deref()), ("1.1.0", Some(DIGEST)));
    assert_eq!(&registries.pull(&repository, &found).await.unwrap()[..], b"test1");
    assert_eq!(registries.test(&repository).await.unwrap(), "the repository answers: 1 charts");

    let changed = registries.find(&repository, "shop", "1.0.0").await.unwrap();
    assert!(matches!(registries.pull(&repository, &changed).await, Err(RegistryError::Digest { .. })));
    let none = registries.find(&repository, "shop", ">=2").await.unwrap_err();
    assert!(none.to_string().ends_with("has no version `>=2` of `shop`; there is 1.1.0"), "{none}");
    let near = registries.find(&repository, "shp", "").await.unwrap_err();
    assert!(near.to_string().ends_with("has no chart `shp`; there is shop"), "{near}");
    let anonymous = Repository::parse(&url, None).unwrap();
    assert!(matches!(registries.find(&anonymous, "shop", "").await, Err(RegistryError::Anonymous { .. })));
    let wrong = Repository::parse(&url, user("bot", "wrong")).unwrap();
    let refused = registries.find(&wrong, "shop", "").await.unwrap_err();
    assert!(matches!(refused, RegistryError::Refused { status: 401, .. }) && !refused.to_string().contains("wrong"));
    let elsewhere = Repository::parse(&format!("http://{address}/other"), user("bot", "hunter2")).unwrap();
    assert!(matches!(registries.find(&elsewhere, "shop", "").await, Err(RegistryError::Status { status: 404, .. })));
}

#[tokio::test(flavor = "multi_thread")]
async fn passwords_stay_with_their_host() {
    let files = shelf(&[("/shop-1.0.0.tgz", b"test1")], "", false);
    let elsewhere = serve(files.clone()).await;
    let index = format!("entries: {{shop: [{{version: 1.0.0, urls: ['http://{elsewhere}/shop-1.0.0.tgz']}}]}}\n");
    let own = shelf(&[("/index.yaml", index.as_bytes())], "bot:hunter2", false);
    let address = serve(own).await;
    let repository = Repository::parse(&format!("http://{address}"), user("bot", "hunter2")).unwrap();
    let registries = registries();
    let found = registries.find(&repository, "shop", "").await.unwrap();
    // This server would refuse whoever signs in.
    assert_eq!(&registries.pull(&repository, &found).await.unwrap()[..], b"test1");
    assert_eq!(*files.asked.lock().unwrap(), ["/shop-1.0.0.tgz"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn registries_give_charts_by_tag_range_and_digest() {
    let manifest = format!(
        r#"{{"layers":[{{"mediaType":"application/vnd.cncf.helm.chart.content.v1.tar+gzip","digest":"sha256:{DIGEST}"}}]}}"#
    );
    let blob: &'static str = Box::leak(format!("/v2/charts/shop/blobs/sha256:{DIGEST}").into_boxed_str());
    let shelf = shelf(
        &[
            ("/v2/", b"{}"),
            ("/v2/charts/shop/tags/list?n=1000", br#"{"tags":["1.0.0","1.2.0_build.1","latest"]}"#),
            ("/v2/charts/shop/manifests/1.2.0_build.1", manifest.as_bytes()),
            (
                "/v2/charts/image/manifests/1.0.0",
                br#"{"layers":[{"mediaType":"application/vnd.oci.image.layer.v1.tar","digest":"sha256:00"}]}"#,
            ),
            (blob, b"test1"),
        ],
        "bot:hunter2",
        true,
    );
    let address = serve(shelf.clone()).await;
    let repository = Repository::parse(&format!("oci://{address}/charts"), user("bot", "hunter2")).unwrap();
    let registries = registries();
    for wanted in ["", "1.x", "1.2.0+build.1"] {
        let found = registries.find(&repository, "shop", wanted).await.unwrap();
        assert_eq!((found.version.as_str(), found.digest.as_deref()), ("1.2.0+build.1", Some(DIGEST)), "{wanted}");
        assert_eq!(&registries.pull(&repository, &found).await.unwrap()[..], b"test1");
    }
    registries.test(&repository).await.unwrap();
    let image = registries.find(&repository, "image", "1.0.0").await.unwrap_err();
    assert!(image.to_string().contains("what is there is no chart"), "{image}");
    let missing = registries.find(&repository, "shop", "9.9.9").await;
    assert!(matches!(missing, Err(RegistryError::NoVersion { .. })));
    let nothing = registries.find(&repository, "nothing", "").await;
    assert!(matches!(nothing, Err(RegistryError::NoChart { .. })));
    let anonymous = Repository::parse(&format!("oci://{address}/charts"), None).unwrap();
    assert!(matches!(registries.find(&anonymous, "shop", "").await, Err(RegistryError::Anonymous { .. })));
    let inside = repository.below("deeper");
    assert_eq!(inside.to_string(), format!("oci://{address}/charts/deeper"));
}
