//! A kind of the tests.

use super::{Menu, set, without};
use serde_json::json;

pub(crate) fn widget() -> Menu {
    Menu {
        good: vec![
            set("/spec/size", json!(3)),
            set("/spec/mode", json!("fast")),
            set("/spec/tags", json!(["a", "b"])),
            set("/spec/free", json!({"deep": {"er": [1, 2]}})),
            set("/spec/either", json!("10%")),
            set("/spec/unknown", json!(1)),
            set("/spec/replicas", json!(3)),
            without("/spec/size"),
        ],
        bad: vec![
            set("/spec/size", json!(11)),
            set("/spec/size", json!("big")),
            set("/spec/size", json!(1.5)),
            set("/spec/mode", json!("medium")),
            set("/spec/pattern", json!("UPPER")),
            set("/spec/pattern", json!("muchtoolong")),
            set("/spec/parts", json!([{"name": "a"}, {"name": "a"}])),
            set("/spec/parts", json!([{"weight": 1}])),
            set("/spec/tags", json!(["a", "a"])),
            set("/spec/either", json!({})),
            set("/spec/mode", json!(null)),
            without("/spec"),
        ],
        parts: vec![
            json!({"spec": {"size": 4}}),
            json!({"spec": {"parts": [{"name": "one", "weight": 9}]}}),
            json!({"spec": {"parts": [{"name": "three"}]}}),
            json!({"spec": {"tags": ["c"]}}),
            json!({"spec": {"free": {"x": 1}}}),
            json!({"spec": {"mode": null, "size": 99}}),
        ],
        statuses: vec![
            json!({"status": {"phase": "Fine"}}),
            json!({"status": {"replicas": 3}}),
            json!({"status": {"phase": 1}}),
        ],
    }
}
