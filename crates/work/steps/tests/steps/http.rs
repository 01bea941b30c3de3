use crate::support::{Bench, config, failure, jitter, nobody, serve, succeeded, types};
use axum::Router;
use axum::body::Bytes;
use axum::extract::Request;
use axum::http::{HeaderMap, StatusCode};
use axum::routing::{any, get};
use serde_json::json;
use windlass_clock::Clock;
use windlass_http::AddressRules;
use windlass_model::Json;
use windlass_model::task::http::{HttpHeader, HttpWork};
use windlass_model::task::{Outcome, Work};
use windlass_steps::HttpHandler;

fn handler() -> HttpHandler {
    HttpHandler::new(config(), Clock::system(), jitter()).unwrap()
}

fn call(method: &str, url: String) -> HttpWork {
    HttpWork { url, method: method.into(), headers: Vec::new(), body: None }
}

async fn run(bench: &Bench, work: HttpWork) -> Outcome {
    bench.run(&handler(), Work::Http(Box::new(work))).await
}

async fn answered(work: HttpWork) -> Json {
    succeeded(run(&Bench::new(Clock::system()), work).await)
}

#[tokio::test]
async fn what_was_asked_is_sent_and_what_came_is_answered() {
    let echo = any(async |headers: HeaderMap, request: Request| {
        let (method, path) = (request.method().clone(), request.uri().to_string());
        let body = axum::body::to_bytes(request.into_body(), 1000).await.unwrap();
        let header = headers.get("x-ticket").map_or("-", |value| value.to_str().unwrap());
        format!("{method} {path} {header} {}", String::from_utf8_lossy(&body))
    });
    let url = serve(Router::new().fallback(echo)).await;
    let bench = Bench::new(Clock::system());
    let mut work = call("post", format!("{url}/a?token=hunter2"));
    work.headers.push(HttpHeader { key: "X-Ticket".into(), value: "CHG-1".into() });
    work.body = Some("{\"x\":1}".into());
    let answer = succeeded(run(&bench, work).await);
    assert_eq!(
        answer,
        json!({
            "httpUrl": format!("{url}/a?token=hunter2"), "httpMethod": "POST", "httpResponseCode": 200,
            "httpResponseBody": "POST /a?token=hunter2 CHG-1 {\"x\":1}", "truncated": false,
        })
    );
    let log = bench.recorder.text();
    assert!(log.contains("/a\n200 OK") && !log.contains("hunter2"), "{log}");
}

#[tokio::test]
async fn any_status_is_an_answer() {
    let routes = Router::new()
        .route("/500", get(async || (StatusCode::INTERNAL_SERVER_ERROR, "oh no")))
        .route("/429", get(async || (StatusCode::TOO_MANY_REQUESTS, [("retry-after", "3600")], "")));
    let url = serve(routes).await;
    assert_eq!(answered(call("GET", format!("{url}/500"))).await["httpResponseBody"], "oh no");
    assert_eq!(answered(call("GET", format!("{url}/429"))).await["httpResponseCode"], 429);
    assert_eq!(answered(call("GET", format!("{url}/none"))).await["httpResponseCode"], 404);
}

#[tokio::test]
async fn long_answers_are_cut_between_characters() {
    // 3 bytes each: 256 KiB is no multiple.
    let routes = Router::new()
        .route("/long", get(async || "€".repeat(300_000)))
        .route("/exact", get(async || "x".repeat(256 * 1024)))
        .route("/binary", get(async || Bytes::from_static(&[b'a', 0xff, b'b', 0xe2])));
    let url = serve(routes).await;
    let long = answered(call("GET", format!("{url}/long"))).await;
    assert_eq!(long["truncated"], true);
    assert_eq!(long["httpResponseBody"], "€".repeat(256 * 1024 / 3));
    let exact = answered(call("GET", format!("{url}/exact"))).await;
    assert_eq!((&exact["truncated"], exact["httpResponseBody"].as_str().unwrap().len()), (&json!(false), 256 * 1024));
    assert_eq!(answered(call("GET", format!("{url}/binary"))).await["httpResponseBody"], "a\u{fffd}b\u{fffd}");
}

#[tokio::test]
async fn no_answer_is_connectivity_and_a_wrong_call_is_configuration() {
    let bench = Bench::new(Clock::system());
    let failed = failure(run(&bench, call("GET", nobody().await)).await);
    assert_eq!(types(&failed), ["Connectivity"]);
    assert!(failed.message.contains("no connection") && !failed.hints.is_empty(), "{failed:?}");
    for (method, url, message) in [
        ("GET", "shop", "`shop` is not a URL"),
        ("GET", "file:///etc/passwd", "`file` URLs are not called, only http and https"),
        ("G T", "http://127.0.0.1/", "`G T` is not a method"),
    ] {
        let failed = failure(run(&bench, call(method, url.into())).await);
        assert_eq!(
            (types(&failed).as_slice(), failed.message.as_str()),
            (["ConfigurationFailure"].as_slice(), message)
        );
    }
    let strict = windlass_http::Config { addresses: AddressRules::server(), ..config() };
    let handler = HttpHandler::new(strict, Clock::system(), jitter()).unwrap();
    let failed = failure(bench.run(&handler, Work::Http(Box::new(call("GET", "http://127.0.0.1:1/".into())))).await);
    assert!(failed.message.contains("is this machine"), "{failed}");
}

#[tokio::test]
async fn a_call_can_be_given_up() {
    let url = serve(Router::new().fallback(async || std::future::pending::<()>().await)).await;
    let bench = Bench::new(Clock::system());
    let cancel = bench.cx.cancelled().clone();
    let (outcome, ()) = tokio::join!(run(&bench, call("POST", format!("{url}/x"))), async { cancel.cancel() });
    let Outcome::Aborted { done } = outcome else { panic!("{outcome:?}") };
    assert!(done.contains("/x was given up; whether it had an effect is not known"), "{done}");
}
