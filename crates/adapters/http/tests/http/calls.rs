use super::server::{Count, client, local, serve};
use axum::Router;
use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Redirect};
use axum::routing::{any, get, post};
use windlass_clock::Clock;
use windlass_http::{Client, Config, HttpError, OnExcess, Request, RetryPolicy};
use windlass_model::{FailureType, Millis};

fn quick() -> RetryPolicy {
    RetryPolicy { first: Millis(1), most: Millis(2), ..RetryPolicy::default() }
}

#[tokio::test]
async fn requests_arrive_as_they_were_made() {
    let echo = |headers: HeaderMap, body: Bytes| async move {
        let value = |name: &str| headers.get(name).map(|value| value.to_str().unwrap().to_owned()).unwrap_or_default();
        let text = format!("{} {} {}", value("x-a"), value("user-agent"), String::from_utf8_lossy(&body));
        (StatusCode::IM_A_TEAPOT, text)
    };
    let address = serve(Router::new().route("/echo", post(echo))).await;
    let request = Request::new("POST", &format!("http://{address}/echo?q=1")).unwrap();
    let request = request.header("x-a", "b").unwrap().body("hello");
    let answer = client(local()).send(&request).await.unwrap();
    let agent = concat!("windlass/", env!("CARGO_PKG_VERSION"));
    assert_eq!((answer.status.as_u16(), answer.text()), (418, format!("b {agent} hello")));
    assert_eq!((answer.truncated, answer.tries), (false, 1));
}

#[tokio::test]
async fn long_answers_fail_or_are_cut() {
    let endless = || async {
        let chunk = || Ok::<_, std::io::Error>(Bytes::from(vec![b'x'; 1_000]));
        Body::from_stream(futures::stream::repeat_with(chunk))
    };
    let address = serve(Router::new().route("/", get(endless))).await;
    let request = Request::get(&format!("http://{address}/")).unwrap();
    let error = client(Config { body: 2_500, ..local() }).send(&request).await.unwrap_err();
    assert!(matches!(error, HttpError::TooLong { limit: 2_500, .. }));
    let more = client(Config { body: 2_500, ..local() }).allowing(Millis::from_secs(30), 5_000);
    assert!(matches!(more.send(&request).await, Err(HttpError::TooLong { limit: 5_000, .. })));
    let config = Config { body: 2_500, on_excess: OnExcess::Truncate, ..local() };
    let cut = client(config).send(&request).await.unwrap();
    assert_eq!((cut.body.len(), cut.truncated), (2_500, true));
}

#[tokio::test]
async fn an_answer_that_does_not_come_is_a_timeout() {
    let never = || std::future::pending::<&'static str>();
    let address = serve(Router::new().route("/", get(never))).await;
    let request = Request::get(&format!("http://{address}/?token=hunter2")).unwrap();
    let error = client(Config { timeout: Millis(50), ..local() }).send(&request).await.unwrap_err();
    assert_eq!(error.failure_type(), FailureType::Timeout);
    assert_eq!(error.to_string(), format!("http://{address}/: no answer within 50ms"));
}

#[tokio::test]
async fn nobody_there_is_connectivity() {
    let address = serve(Router::new()).await;
    let gone = format!("http://127.0.0.1:{}/?token=hunter2", address.port().wrapping_sub(1).max(1));
    let error = client(local()).send(&Request::get(&gone).unwrap()).await.unwrap_err();
    assert_eq!(error.failure_type(), FailureType::Connectivity);
    let chain = format!("{error} {:?}", std::error::Error::source(&error));
    assert!(!chain.contains("hunter2"), "{chain}");
    let error = client(local()).send(&Request::get("http://no-such-name.invalid/").unwrap()).await.unwrap_err();
    assert!(matches!(error, HttpError::Name { .. }), "{error:?}");
}

/// Answers 503 until the third call, then 200.
fn moody(count: Count) -> Router {
    Router::new().route(
        "/",
        any(move || {
            let call = count.next();
            async move { if call < 3 { StatusCode::SERVICE_UNAVAILABLE } else { StatusCode::OK } }
        }),
    )
}

#[tokio::test]
async fn what_may_be_repeated_is_repeated() {
    for (method, declared, calls, status) in [
        ("GET", false, 3, 200),
        ("PUT", false, 3, 200),
        ("POST", false, 1, 503),
        ("PATCH", false, 1, 503),
        ("POST", true, 3, 200),
    ] {
        let count = Count::default();
        let address = serve(moody(count.clone())).await;
        let mut request = Request::new(method, &format!("http://{address}/")).unwrap();
        if declared {
            request = request.idempotent();
        }
        let answer = client(local()).send_retrying(&request, &quick()).await.unwrap();
        assert_eq!((answer.status.as_u16(), answer.tries, count.get()), (status, calls, calls as usize), "{method}");
    }
}

#[tokio::test]
async fn repeating_ends_and_gives_the_last_answer_back() {
    let count = Count::default();
    let counted = count.clone();
    let always = move || {
        counted.next();
        async { (StatusCode::TOO_MANY_REQUESTS, [(header::RETRY_AFTER, "0")]).into_response() }
    };
    let address = serve(Router::new().route("/", get(always))).await;
    let request = Request::get(&format!("http://{address}/")).unwrap();
    let answer = client(local()).send_retrying(&request, &quick()).await.unwrap();
    assert_eq!((answer.status.as_u16(), answer.tries, count.get()), (429, 5, 5));
    // Nobody waits an hour.
    let address = serve(
        Router::new().route("/", get(|| async { (StatusCode::SERVICE_UNAVAILABLE, [(header::RETRY_AFTER, "3600")]) })),
    )
    .await;
    let answer =
        client(local()).send_retrying(&Request::get(&format!("http://{address}/")).unwrap(), &quick()).await.unwrap();
    assert_eq!((answer.status.as_u16(), answer.tries), (503, 1));
}

#[tokio::test]
async fn waits_take_their_jitter_from_the_given_source() {
    let asked = Count::default();
    let source = asked.clone();
    let jitter = std::sync::Arc::new(move || {
        source.next();
        0.0
    });
    let address = serve(moody(Count::default())).await;
    let client = Client::new(local(), Clock::system(), jitter).unwrap();
    client.send_retrying(&Request::get(&format!("http://{address}/")).unwrap(), &quick()).await.unwrap();
    assert_eq!(asked.get(), 2);
}

#[tokio::test]
async fn redirects_are_followed_a_few_times() {
    let routes = Router::new()
        .route("/once", get(|| async { Redirect::temporary("/end") }))
        .route("/end", get(|headers: HeaderMap| async move { headers.contains_key("authorization").to_string() }))
        .route("/loop", get(|| async { Redirect::temporary("/loop") }))
        .route("/file", get(|| async { Redirect::temporary("file:///etc/passwd") }));
    let address = serve(routes).await;
    let get = |path: &str| Request::get(&format!("http://{address}{path}")).unwrap().bearer("t").unwrap();
    assert_eq!(client(local()).send(&get("/once")).await.unwrap().text(), "true");
    let error = client(local()).send(&get("/loop")).await.unwrap_err();
    assert!(error.to_string().ends_with("redirected: more than 5 times"), "{error}");
    let error = client(Config { redirects: 0, ..local() }).send(&get("/once")).await.unwrap_err();
    assert!(matches!(error, HttpError::Redirect { .. }));
    // What is no http is not even tried.
    let refused = client(local()).send(&get("/file")).await;
    assert!(!matches!(&refused, Ok(answer) if answer.text().contains("root")), "{refused:?}");
}

#[tokio::test]
async fn a_gate_is_asked_about_every_hop() {
    let elsewhere = serve(Router::new().route("/end", get(|| async { "there" }))).await;
    let far = format!("http://{elsewhere}/end");
    let routes = Router::new()
        .route("/far", get(|| async move { Redirect::temporary(&far) }))
        .route("/near", get(|| async { Redirect::temporary("/end") }))
        .route("/end", get(|| async { "here" }));
    let address = serve(routes).await;
    let get = |path: &str| Request::get(&format!("http://{address}{path}")).unwrap();
    let open = client(local());
    let port = address.port();
    let closed = open.gated(std::sync::Arc::new(move |url| {
        if url.port() == Some(port) { Ok(()) } else { Err("nobody goes there".to_owned()) }
    }));
    assert_eq!(closed.send(&get("/near")).await.unwrap().text(), "here");
    let refused = closed.send(&get("/far")).await.unwrap_err();
    assert!(refused.to_string().ends_with("redirected: nobody goes there"), "{refused}");
    let refused = closed.send(&Request::get(&format!("http://{elsewhere}/end")).unwrap()).await.unwrap_err();
    assert!(matches!(&refused, HttpError::Closed { reason, .. } if reason == "nobody goes there"), "{refused}");
    // The other client, which shares the connections, goes on as before.
    assert_eq!(open.send(&get("/far")).await.unwrap().text(), "there");
}
