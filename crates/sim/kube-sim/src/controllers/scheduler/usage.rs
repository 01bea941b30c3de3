//! What pods ask for, and what they take of each node.

use crate::object::Object;
use crate::schema::quantity::Quantity;
use serde_json::Value;
use std::collections::HashMap;

/// Requests of a pod: cpu in thousandths, memory in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Request {
    pub(super) cpu: i64,
    pub(super) memory: i64,
}

impl Request {
    /// Containers add up; init containers run one after the other before them.
    pub(super) fn of(pod: &Value) -> Self {
        let request = |container: &Value| Self {
            cpu: milli(container.at("/resources/requests/cpu")),
            memory: whole(container.at("/resources/requests/memory")),
        };
        let sum = pod.list("/spec/containers").iter().map(request).fold(Self::default(), |sum, one| Self {
            cpu: sum.cpu.saturating_add(one.cpu),
            memory: sum.memory.saturating_add(one.memory),
        });
        pod.list("/spec/initContainers")
            .iter()
            .map(request)
            .fold(sum, |most, one| Self { cpu: most.cpu.max(one.cpu), memory: most.memory.max(one.memory) })
    }
}

pub(super) fn milli(quantity: Option<&Value>) -> i64 {
    amount(quantity, 1_000_000)
}

pub(super) fn whole(quantity: Option<&Value>) -> i64 {
    amount(quantity, 1_000_000_000)
}

/// A quantity in units of so many billionths, rounded up; 0 when it is none.
fn amount(quantity: Option<&Value>, unit: i128) -> i64 {
    let text = match quantity {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Number(number)) => number.to_string(),
        _ => return 0,
    };
    let nano = Quantity::parse(&text).map_or(0, |quantity| quantity.nano);
    i64::try_from((nano + unit - 1).div_euclid(unit)).unwrap_or(i64::MAX)
}

/// Pods by their nodes.
#[derive(Debug, Default)]
pub(super) struct Usage {
    pods: HashMap<String, (String, Request)>,
    nodes: HashMap<String, (usize, Request)>,
}

impl Usage {
    /// A pod has a node. Saying so twice counts once.
    pub(super) fn place(&mut self, pod: &Value, node: &str) {
        if self.pods.contains_key(pod.uid()) {
            return;
        }
        let request = Request::of(pod);
        let (count, sum) = self.nodes.entry(node.to_owned()).or_default();
        *count += 1;
        sum.cpu = sum.cpu.saturating_add(request.cpu);
        sum.memory = sum.memory.saturating_add(request.memory);
        self.pods.insert(pod.uid().to_owned(), (node.to_owned(), request));
    }

    pub(super) fn forget(&mut self, uid: &str) {
        let Some((node, request)) = self.pods.remove(uid) else { return };
        if let Some((count, sum)) = self.nodes.get_mut(&node) {
            *count = count.saturating_sub(1);
            sum.cpu = sum.cpu.saturating_sub(request.cpu);
            sum.memory = sum.memory.saturating_sub(request.memory);
        }
    }

    pub(super) fn pods_on(&self, node: &str) -> usize {
        self.nodes.get(node).map_or(0, |(count, _)| *count)
    }

    pub(super) fn taken(&self, node: &str) -> Request {
        self.nodes.get(node).map_or_else(Request::default, |(_, sum)| *sum)
    }
}
