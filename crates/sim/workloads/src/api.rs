//! Prometheus' HTTP API over a fleet.

mod params;

use crate::fleet::Fleet;
use crate::labels::{Labels, Matcher};
use crate::promql::{Engine, Expr, QueryError, Source, Value, format_value, parse, parse_selector};
use crate::series::{Scraped, exposition};
use axum::extract::{Path, Request, State};
use axum::http::{StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use params::Params;
use serde_json::{Value as JsonValue, json};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, PoisonError, RwLock};
use tokio::net::TcpListener;
use windlass_clock::Clock;
use windlass_model::{Millis, Timestamp};

/// How many points one series of a range query may have.
const RESOLUTION: u64 = 11_000;

/// A fleet that is followed by one and asked by others.
pub type SharedFleet = Arc<RwLock<Fleet>>;

/// Serves the metrics of a fleet as Prometheus does.
#[derive(Clone, Debug)]
pub struct MetricsServer {
    fleet: SharedFleet,
    clock: Clock,
    interval: Millis,
}

/// An error in Prometheus' shape.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ApiError {
    #[error(transparent)]
    Query(#[from] QueryError),
    #[error("invalid parameter \"{name}\": {reason}")]
    Param { name: &'static str, reason: String },
    #[error("{0} is not offered by windlass workloads")]
    Unknown(String),
    #[error("the query did not come to an end")]
    Lost,
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let (status, kind) = match &self {
            Self::Query(QueryError::Execution(_)) => (StatusCode::UNPROCESSABLE_ENTITY, "execution"),
            Self::Query(_) | Self::Param { .. } => (StatusCode::BAD_REQUEST, "bad_data"),
            Self::Unknown(_) => (StatusCode::NOT_FOUND, "not_found"),
            Self::Lost => (StatusCode::INTERNAL_SERVER_ERROR, "internal"),
        };
        let text = match &self {
            Self::Query(QueryError::Execution(text)) => text.clone(),
            Self::Query(error) => format!("invalid parameter \"query\": {error}"),
            other => other.to_string(),
        };
        (status, Json(json!({"status": "error", "errorType": kind, "error": text}))).into_response()
    }
}

impl MetricsServer {
    /// Samples lie five seconds apart.
    pub fn new(fleet: SharedFleet, clock: Clock) -> Self {
        Self { fleet, clock, interval: Millis::from_secs(5) }
    }

    /// How far samples lie apart, as Prometheus' `scrape_interval`; never less than 100 ms.
    #[must_use]
    pub fn scrape_interval(mut self, interval: Millis) -> Self {
        self.interval = interval.max(Millis(100));
        self
    }

    /// Prometheus' API below `/api/v1`, `/metrics` of all pods, and `/pods/NAMESPACE/POD/metrics` of one.
    pub fn router(&self) -> Router {
        Router::new()
            .route("/api/v1/query", get(query).post(query))
            .route("/api/v1/query_range", get(query_range).post(query_range))
            .route("/api/v1/series", get(series).post(series))
            .route("/api/v1/labels", get(labels).post(labels))
            .route("/api/v1/label/{name}/values", get(label_values))
            .route("/api/v1/status/buildinfo", get(build_info))
            .route("/metrics", get(metrics))
            .route("/pods/{namespace}/{pod}/metrics", get(pod_metrics))
            .route("/-/healthy", get(async || "windlass workloads is Healthy.\n"))
            .route("/-/ready", get(async || "windlass workloads is Ready.\n"))
            .fallback(async |uri: Uri| ApiError::Unknown(uri.path().to_owned()))
            .with_state(self.clone())
    }

    /// Serves until the future is dropped.
    pub async fn serve(&self, listener: TcpListener) -> std::io::Result<()> {
        axum::serve(listener, self.router()).await
    }

    /// Reads the fleet on a thread where a long query disturbs nobody.
    async fn read<T: Send + 'static>(
        &self,
        ask: impl FnOnce(&Scraped<'_>) -> Result<T, ApiError> + Send + 'static,
    ) -> Result<T, ApiError> {
        let (fleet, interval) = (Arc::clone(&self.fleet), self.interval);
        let work = move || {
            let fleet = fleet.read().unwrap_or_else(PoisonError::into_inner);
            ask(&Scraped::new(&fleet, interval))
        };
        windlass_clock::apart(work).await.unwrap_or(Err(ApiError::Lost))
    }
}

fn success(data: JsonValue) -> Json<JsonValue> {
    Json(json!({"status": "success", "data": data}))
}

fn sample(at: Timestamp, value: f64) -> JsonValue {
    #[allow(clippy::cast_precision_loss)] // milliseconds fit
    let seconds = at.millis() as f64 / 1_000.0;
    json!([seconds, format_value(value)])
}

async fn query(State(server): State<MetricsServer>, request: Request) -> Result<Json<JsonValue>, ApiError> {
    let params = Params::read(request).await?;
    let expr = parse(params.required("query")?)?;
    let at = params.moment("time")?.unwrap_or_else(|| server.clock.now());
    let value = server.read(move |source| Ok(Engine::new(source).eval(&expr, at)?)).await?;
    Ok(success(match value {
        Value::Scalar(value) => json!({"resultType": "scalar", "result": sample(at, value)}),
        Value::Vector(vector) => {
            let show = |(labels, value): (Labels, f64)| json!({"metric": labels, "value": sample(at, value)});
            json!({"resultType": "vector", "result": vector.into_iter().map(show).collect::<Vec<_>>()})
        }
        Value::Matrix(matrix) => show_matrix(matrix),
    }))
}

type Matrix = Vec<(Labels, Vec<(Timestamp, f64)>)>;

fn show_matrix(matrix: Matrix) -> JsonValue {
    let show = |(labels, samples): (Labels, Vec<(Timestamp, f64)>)| {
        let values: Vec<JsonValue> = samples.into_iter().map(|(at, value)| sample(at, value)).collect();
        json!({"metric": labels, "values": values})
    };
    json!({"resultType": "matrix", "result": matrix.into_iter().map(show).collect::<Vec<_>>()})
}

async fn query_range(State(server): State<MetricsServer>, request: Request) -> Result<Json<JsonValue>, ApiError> {
    let params = Params::read(request).await?;
    let expr = parse(params.required("query")?)?;
    let bad = |name, reason: &str| ApiError::Param { name, reason: reason.to_owned() };
    let (start, end) = (params.moment("start")?, params.moment("end")?);
    let start = start.ok_or_else(|| bad("start", "cannot parse \"\" to a valid timestamp"))?;
    let end = end.ok_or_else(|| bad("end", "cannot parse \"\" to a valid timestamp"))?;
    let step = params.length("step")?.ok_or_else(|| bad("step", "cannot parse \"\" to a valid duration"))?;
    if end < start {
        return Err(bad("end", "end timestamp must not be before start time"));
    }
    if step == Millis::ZERO {
        return Err(bad(
            "step",
            "zero or negative query resolution step widths are not accepted. Try a positive integer",
        ));
    }
    if end.since(start).0 / step.0 > RESOLUTION {
        let text = "exceeded maximum resolution of 11,000 points per timeseries. Try decreasing the query resolution (?step=XX)";
        return Err(bad("step", text));
    }
    let matrix = server.read(move |source| Ok(over_steps(source, &expr, start, end, step)?)).await?;
    Ok(success(show_matrix(matrix)))
}

fn over_steps(
    source: &impl Source,
    expr: &Expr,
    start: Timestamp,
    end: Timestamp,
    step: Millis,
) -> Result<Matrix, QueryError> {
    let engine = Engine::new(source);
    let mut series: BTreeMap<Labels, Vec<(Timestamp, f64)>> = BTreeMap::new();
    let mut at = start;
    while at <= end {
        let vector = match engine.eval(expr, at)? {
            Value::Scalar(value) => vec![(Labels::default(), value)],
            Value::Vector(vector) => vector,
            Value::Matrix(_) => {
                let message =
                    "invalid expression type \"range vector\" for range query, must be Scalar or instant Vector";
                return Err(QueryError::Parse { column: 1, message: message.to_owned() });
            }
        };
        for (labels, value) in vector {
            series.entry(labels).or_default().push((at, value));
        }
        at = at + step;
    }
    Ok(series.into_iter().collect())
}

/// The label sets that the `match[]` parameters select; all when there are none.
async fn selected(server: &MetricsServer, params: &Params) -> Result<Vec<Labels>, ApiError> {
    let selectors = params.all("match[]").map(parse_selector).collect::<Result<Vec<Vec<Matcher>>, _>>()?;
    server
        .read(move |source| {
            let all: &[Vec<Matcher>] = if selectors.is_empty() { &[Vec::new()] } else { &selectors };
            let found = all.iter().flat_map(|matchers| source.select(matchers)).map(|(labels, _)| labels);
            Ok(found.collect::<BTreeSet<Labels>>().into_iter().collect())
        })
        .await
}

async fn series(State(server): State<MetricsServer>, request: Request) -> Result<Json<JsonValue>, ApiError> {
    let params = Params::read(request).await?;
    params.required("match[]")?;
    Ok(success(json!(selected(&server, &params).await?)))
}

async fn labels(State(server): State<MetricsServer>, request: Request) -> Result<Json<JsonValue>, ApiError> {
    let params = Params::read(request).await?;
    let found = selected(&server, &params).await?;
    let names: BTreeSet<&str> = found.iter().flat_map(|labels| labels.iter().map(|(name, _)| name)).collect();
    Ok(success(json!(names)))
}

async fn label_values(
    State(server): State<MetricsServer>,
    Path(name): Path<String>,
    request: Request,
) -> Result<Json<JsonValue>, ApiError> {
    let params = Params::read(request).await?;
    let found = selected(&server, &params).await?;
    let values: BTreeSet<&str> =
        found.iter().map(|labels| labels.get(&name)).filter(|value| !value.is_empty()).collect();
    Ok(success(json!(values)))
}

async fn build_info() -> Json<JsonValue> {
    // Clients look at the version to know what the API can do: that of Prometheus whose answers these are.
    success(
        json!({"version": "3.0.0", "revision": "", "branch": "", "buildUser": "", "buildDate": "", "goVersion": ""}),
    )
}

async fn metrics(State(server): State<MetricsServer>) -> Response {
    text_of(&server, &[])
}

async fn pod_metrics(State(server): State<MetricsServer>, Path((namespace, pod)): Path<(String, String)>) -> Response {
    text_of(&server, &[Matcher::is("namespace", &namespace), Matcher::is("pod", &pod)])
}

fn text_of(server: &MetricsServer, matchers: &[Matcher]) -> Response {
    let fleet = server.fleet.read().unwrap_or_else(PoisonError::into_inner);
    let text = exposition(&fleet, matchers, server.clock.now());
    ([(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], text).into_response()
}
