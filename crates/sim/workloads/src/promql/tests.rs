use super::{Engine, QueryError, SeriesId, Source, Value, format_value, parse};
use crate::labels::{Labels, Matcher, NAME};
use windlass_model::{Millis, Timestamp};

/// Series as functions of the second.
struct Table(Vec<(Labels, Line)>);

type Line = fn(i64) -> Option<f64>;

impl Source for Table {
    fn interval(&self) -> Millis {
        Millis::from_secs(10)
    }

    fn select(&self, matchers: &[Matcher]) -> Vec<(Labels, SeriesId)> {
        let fits = |labels: &Labels| matchers.iter().all(|matcher| matcher.fits(labels));
        let all = self.0.iter().enumerate();
        all.filter(|(_, (labels, _))| fits(labels)).map(|(i, (labels, _))| (labels.clone(), SeriesId(i))).collect()
    }

    fn sample(&self, series: SeriesId, at: Timestamp) -> Option<f64> {
        (self.0[series.0].1)(at.secs())
    }
}

#[allow(clippy::cast_precision_loss)]
fn table() -> Table {
    let labels = |name: &str, pairs: &[(&str, &str)]| {
        pairs.iter().fold(Labels::from([(NAME, name)]), |labels, (name, value)| labels.with(*name, *value))
    };
    Table(vec![
        (labels("requests", &[("pod", "a"), ("status", "200")]), |s| Some(9.0 * s as f64)),
        (labels("requests", &[("pod", "a"), ("status", "500")]), |s| Some(s as f64)),
        (labels("requests", &[("pod", "b"), ("status", "200")]), |s| Some(20.0 * s as f64)),
        // Restarted at 1000.
        (labels("requests", &[("pod", "c"), ("status", "200")]), |s| {
            Some(if s < 1_000 { 5.0 * s as f64 } else { 5.0 * (s - 1_000) as f64 })
        }),
        // There from 980 on; gone from 1100 on.
        (labels("late", &[("pod", "d")]), |s| (980..1_100).contains(&s).then_some((s - 980) as f64)),
        (labels("memory", &[("pod", "a")]), |s| Some(s as f64 % 100.0)),
        (labels("duration_bucket", &[("pod", "a"), ("le", "0.1")]), |s| Some(50.0 * s as f64)),
        (labels("duration_bucket", &[("pod", "a"), ("le", "0.5")]), |s| Some(90.0 * s as f64)),
        (labels("duration_bucket", &[("pod", "a"), ("le", "+Inf")]), |s| Some(100.0 * s as f64)),
    ])
}

fn ask(query: &str, at: i64) -> Result<Value, QueryError> {
    Engine::new(&table()).eval(&parse(query)?, Timestamp::from_secs(at))
}

/// One line a series.
fn show(query: &str, at: i64) -> String {
    match ask(query, at) {
        Ok(Value::Scalar(value)) => format_value(value),
        Ok(Value::Vector(vector)) => {
            let lines = vector.iter().map(|(labels, value)| format!("{labels} {}", (value * 1e6).round() / 1e6));
            lines.collect::<Vec<_>>().join(" | ")
        }
        Ok(Value::Matrix(matrix)) => {
            let lines = matrix.iter().map(|(labels, samples)| {
                let samples = samples.iter().map(|(at, value)| format!("{value}@{}", at.secs()));
                format!("{labels} {}", samples.collect::<Vec<_>>().join(" "))
            });
            lines.collect::<Vec<_>>().join(" | ")
        }
        Err(error) => format!("{error}"),
    }
}

#[test]
fn queries_as_people_write_them_for_canaries() {
    for (query, want) in [
        ("1 + 2 * 3 - 4 / 8", "6.5"),
        ("-(2 + 1) * 2", "-6"),
        ("1e3 * .5", "500"),
        ("1 / 0", "+Inf"),
        ("requests{pod=\"b\"}", "requests{pod=\"b\",status=\"200\"} 21000"),
        (
            "requests{pod=~\"a|b\", status!=\"500\"} / 1000",
            "{pod=\"a\",status=\"200\"} 9.45 | {pod=\"b\",status=\"200\"} 21",
        ),
        ("requests{pod!~\"[ab]\"}", "requests{pod=\"c\",status=\"200\"} 250"),
        ("{__name__=~\"mem.*\"}", "memory{pod=\"a\"} 50"),
        ("memory offset 30s", "memory{pod=\"a\"} 20"),
        ("rate(requests{pod=\"a\"}[1m])", "{pod=\"a\",status=\"200\"} 9 | {pod=\"a\",status=\"500\"} 1"),
        ("increase(requests{pod=\"b\"}[5m])", "{pod=\"b\",status=\"200\"} 6000"),
        ("sum by (pod) (rate(requests[1m]))", "{pod=\"a\"} 10 | {pod=\"b\"} 20 | {pod=\"c\"} 4.166667"),
        ("sum(rate(requests{status=~\"5..\"}[5m])) / sum(rate(requests{pod=\"a\"}[5m]))", " 0.1"),
        ("sum without (status) (rate(requests{pod=\"a\"}[5m]))", "{pod=\"a\"} 10"),
        ("rate(requests{status=\"500\"}[1m]) / ignoring(status) sum by (pod) (rate(requests[1m]))", "{pod=\"a\"} 0.1"),
        ("rate(requests{status=\"500\"}[1m]) / on(pod) sum by (pod) (rate(requests[1m]))", "{pod=\"a\"} 0.1"),
        ("count(requests) + avg(requests{pod=\"a\"})", " 5254"),
        ("max by (pod) (requests{pod=\"a\"}) - min by (pod) (requests{pod=\"a\"})", "{pod=\"a\"} 8400"),
        ("sum(rate(nothing[1m])) or vector(0)", " 0"),
        ("scalar(memory) / 2", "25"),
        ("histogram_quantile(0.5, rate(duration_bucket[5m]))", "{pod=\"a\"} 0.1"),
        ("histogram_quantile(0.7, sum by (le) (rate(duration_bucket[5m])))", " 0.3"),
        ("histogram_quantile(0.99, rate(duration_bucket[5m]))", "{pod=\"a\"} 0.5"),
        ("histogram_quantile(2, rate(duration_bucket[5m]))", "{pod=\"a\"} inf"),
        ("irate(requests{pod=\"b\"}[1m])", "{pod=\"b\",status=\"200\"} 20"),
        ("avg_over_time(memory[50s])", "{pod=\"a\"} 30"),
        ("max_over_time(memory[2m]) - min_over_time(memory[2m])", "{pod=\"a\"} 90"),
        ("count_over_time(memory[1m])", "{pod=\"a\"} 6"),
        ("memory[30s]", "memory{pod=\"a\"} 30@1030 40@1040 50@1050"),
        ("requests{pod=\"x\"}", ""),
        ("# a comment\n vector(1)", " 1"),
    ] {
        assert_eq!(show(query, 1_050), want, "{query}");
    }
}

#[test]
fn counters_that_restart_begin_and_end_within_the_range() {
    for (query, at, want) in [
        // 940..1000 at 5 a second, then from 0: the reset is seen, what happened around it is not.
        ("increase(requests{pod=\"c\"}[2m])", 1_060, "{pod=\"c\",status=\"200\"} 545.454545"),
        ("irate(requests{pod=\"c\"}[1m])", 1_000, "{pod=\"c\",status=\"200\"} 0"),
        // It began at zero: nothing is added for the time before.
        ("increase(late[5m])", 1_040, "{pod=\"d\"} 60"),
        ("rate(late[5m])", 985, ""),
        ("late", 1_099, "late{pod=\"d\"} 110"),
        ("late", 1_100, ""),
        ("increase(late[1m])", 1_130, "{pod=\"d\"} 25"),
    ] {
        assert_eq!(show(query, at), want, "{query} at {at}");
    }
}

#[test]
fn what_is_wrong_or_not_offered_is_told_by_place_and_name() {
    for (query, want) in [
        ("", "1:1: parse error: unexpected end of input"),
        ("sum(", "1:5: parse error: unexpected end of input"),
        ("requests{", "1:10: parse error: unexpected end of input"),
        ("requests{pod}", "1:13: parse error: unexpected \"}\""),
        ("requests{pod=\"a}", "1:14: parse error: unterminated quoted string"),
        ("{}", "1:1: parse error: vector selector must contain at least one non-empty matcher"),
        ("{pod=~\".*\"}", "1:1: parse error: vector selector must contain at least one non-empty matcher"),
        ("requests{pod=~\"(\"}", "1:15: parse error: `(` is not a regular expression"),
        (
            "rate(requests)",
            "1:1: parse error: expected type range vector in call to function \"rate\", got instant vector",
        ),
        ("rate(requests[5m], 1)", "1:1: parse error: expected 1 argument(s) in call to \"rate\", got 2"),
        ("sum(1)", "1:4: parse error: expected type instant vector in aggregation expression"),
        ("requests[5]", "1:9: parse error: expected a duration in the range"),
        ("requests[1m5h]", "1:10: parse error: bad number or duration syntax: \"1m5h\""),
        ("(a + b)[5m]", "1:8: parse error: ranges only allowed for vector selectors"),
        ("a[5m] + 1", "1:7: parse error: binary expression must contain only scalar and instant vector types"),
        ("a b", "1:3: parse error: unexpected identifier \"b\""),
        ("a $ b", "1:3: parse error: unexpected character: '$'"),
        (
            "predict_linear(a[5m], 60)",
            "1:1: parse error: function \"predict_linear\" is not offered by windlass workloads",
        ),
        ("topk(5, a)", "1:1: parse error: aggregation \"topk\" is not offered by windlass workloads"),
        ("a > 1", "1:3: parse error: operator \">\" is not offered by windlass workloads"),
        ("a and b", "1:3: parse error: operator \"and\" is not offered by windlass workloads"),
        ("a * on(x) group_left b", "1:11: parse error: modifier \"group_left\" is not offered by windlass workloads"),
        ("a @ 1", "1:3: parse error: modifier \"@\" is not offered by windlass workloads"),
        ("max_over_time(a[5m:1m])", "1:16: parse error: a subquery is not offered by windlass workloads"),
        ("\"text\"", "1:1: parse error: a string \"text\" as an expression is not offered by windlass workloads"),
        (
            "requests / ignoring(status) requests",
            "found duplicate series for the match group {pod=\"a\"} on the right hand-side of the operation; many-to-many matching not allowed: matching labels must be unique on one side",
        ),
        (
            "requests / ignoring(status) sum by (pod) (requests)",
            "multiple matches for labels: many-to-one matching must be explicit (group_left/group_right)",
        ),
        ("rate(requests[10y])", "query processing would load too many samples into memory in query execution"),
    ] {
        assert_eq!(show(query, 1_050), want, "{query}");
    }
    let deep = format!("{}1{}", "(".repeat(5_000), ")".repeat(5_000));
    assert!(matches!(parse(&deep), Err(QueryError::Parse { .. })));
    assert!(matches!(parse(&"-".repeat(60_000)), Err(QueryError::Parse { .. })));
    assert!(matches!(parse(&"a+".repeat(60_000)), Err(QueryError::Parse { .. })));
}

proptest::proptest! {
    #[test]
    fn no_text_makes_the_parser_panic(text in "[a-z{}()\\[\\]\"=~!+*/<> 0-9m.,@:\\-]{0,60}") {
        let _ = ask(&text, 100);
    }
}
