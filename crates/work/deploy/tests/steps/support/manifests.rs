//! Manifests of the shop.

/// A Deployment with a ConfigMap and a Service in front.
pub fn shop(tag: &str, replicas: u32, config: &str) -> String {
    format!("{}---\n{}---\n{}", config_map("cfg", config), service("web"), deployment("web", tag, replicas))
}

pub fn config_map(name: &str, value: &str) -> String {
    format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}}}\ndata: {{key: {value:?}}}\n")
}

pub fn service(name: &str) -> String {
    format!(
        "apiVersion: v1\nkind: Service\nmetadata: {{name: {name}}}\nspec:\n  selector: {{app: web}}\n  ports: [{{port: 80}}]\n"
    )
}

pub fn deployment(name: &str, tag: &str, replicas: u32) -> String {
    format!(
        "apiVersion: apps/v1
kind: Deployment
metadata: {{name: {name}}}
spec:
  replicas: {replicas}
  selector: {{matchLabels: {{app: web}}}}
  template:
    metadata: {{labels: {{app: web}}}}
    spec:
      containers:
      - name: app
        image: acme/shop:{tag}
        envFrom: [{{configMapRef: {{name: cfg}}}}]
"
    )
}

pub fn scaler(min: u32, max: u32) -> String {
    format!(
        "apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {{name: web}}
spec:
  minReplicas: {min}
  maxReplicas: {max}
  scaleTargetRef: {{apiVersion: apps/v1, kind: Deployment, name: web}}
"
    )
}
