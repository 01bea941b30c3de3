use serde_json::{Value, json};

/// Nodes with room for what tests start; kwok says that they are well.
pub(crate) fn nodes(count: u32) -> impl Iterator<Item = Value> {
    (1..=count).map(|n| {
        let name = format!("node-{n}");
        let room = json!({"cpu": "8", "memory": "32Gi", "ephemeral-storage": "100Gi", "pods": "110"});
        json!({
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": {
                "name": name,
                "labels": {
                    "kubernetes.io/arch": "amd64",
                    "kubernetes.io/os": "linux",
                    "kubernetes.io/hostname": name,
                },
            },
            "status": {"allocatable": room, "capacity": room},
        })
    })
}
