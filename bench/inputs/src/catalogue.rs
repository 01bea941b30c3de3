//! A repository of many services, each with an overlay for every environment and region.

use crate::{Files, named};

pub const ENVIRONMENTS: [&str; 3] = ["dev", "int", "prod"];
pub const REGIONS: [&str; 2] = ["euc1", "euw1"];

const BASE: &str = "\
apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
resources:
- deployment.yaml
- service.yaml
- autoscaler.yaml
- account.yaml
labels:
- pairs:
    app.kubernetes.io/name: @NAME
  includeSelectors: true
configMapGenerator:
- name: @NAME-settings
  files: [settings.properties]
  literals: [LOG_LEVEL=info]
";

const DEPLOYMENT: &str = "\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: @NAME
spec:
  replicas: 1
  selector:
    matchLabels: {}
  template:
    metadata:
      annotations:
        prometheus.io/scrape: \"true\"
    spec:
      serviceAccountName: @NAME
      securityContext:
        runAsNonRoot: true
        seccompProfile:
          type: RuntimeDefault
      containers:
      - name: @NAME
        image: registry.example.com/@NAME:PLACEHOLDER_TAG
        ports:
        - name: http
          containerPort: 8080
        env:
        - name: JAVA_TOOL_OPTIONS
          value: -XX:MaxRAMPercentage=75
        envFrom:
        - configMapRef:
            name: @NAME-settings
        resources:
          requests:
            cpu: 250m
            memory: 512Mi
          limits:
            memory: 512Mi
        readinessProbe:
          httpGet:
            path: /health/ready
            port: http
        livenessProbe:
          httpGet:
            path: /health/live
            port: http
          initialDelaySeconds: 20
";

const SERVICE: &str = "\
apiVersion: v1
kind: Service
metadata:
  name: @NAME
spec:
  ports:
  - name: http
    port: 80
    targetPort: http
";

const AUTOSCALER: &str = "\
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata:
  name: @NAME
spec:
  minReplicas: 1
  maxReplicas: 4
  scaleTargetRef:
    apiVersion: apps/v1
    kind: Deployment
    name: @NAME
  metrics:
  - type: Resource
    resource:
      name: cpu
      target:
        type: Utilization
        averageUtilization: 70
";

const ACCOUNT: &str = "\
apiVersion: v1
kind: ServiceAccount
metadata:
  name: @NAME
automountServiceAccountToken: false
";

const SETTINGS: &str = "server.port=8080\nserver.shutdown=graceful\nspring.application.name=@NAME\n";

const COMPONENT: &str = "\
apiVersion: kustomize.config.k8s.io/v1alpha1
kind: Component
patches:
- target:
    kind: Deployment
  patch: |-
    - op: add
      path: /spec/template/metadata/annotations/sidecar.example.com~1inject
      value: \"true\"
";

const RESOURCES: &str = "\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: @NAME
spec:
  template:
    spec:
      containers:
      - name: @NAME
        resources:
          limits:
            memory: 1Gi
";

/// `shared/mesh`, and for each service `base` and an overlay in every environment and region.
pub fn catalogue(services: usize) -> Files {
    let mut files = Files::from([("shared/mesh/kustomization.yaml".to_owned(), COMPONENT.to_owned())]);
    for number in 0..services {
        let name = format!("service-{number:03}");
        for (file, text) in [
            ("kustomization.yaml", BASE),
            ("deployment.yaml", DEPLOYMENT),
            ("service.yaml", SERVICE),
            ("autoscaler.yaml", AUTOSCALER),
            ("account.yaml", ACCOUNT),
            ("settings.properties", SETTINGS),
        ] {
            files.insert(format!("{name}/base/{file}"), named(text, &name));
        }
        for environment in ENVIRONMENTS {
            for region in REGIONS {
                let path = format!("{name}/{environment}/{region}");
                files.insert(format!("{path}/kustomization.yaml"), own(&name, environment, region));
                files.insert(format!("{path}/resources.yaml"), named(RESOURCES, &name));
            }
        }
    }
    files
}

fn own(name: &str, environment: &str, region: &str) -> String {
    let replicas = if environment == "prod" { 3 } else { 1 };
    format!(
        "\
apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
namespace: {name}-{environment}
resources:
- ../../base
components:
- ../../../shared/mesh
labels:
- pairs:
    environment: {environment}
    region: {region}
commonAnnotations:
  example.com/team: shop
images:
- name: registry.example.com/{name}
  newName: registry.{region}.example.com/{name}
replicas:
- name: {name}
  count: {replicas}
patches:
- path: resources.yaml
- target:
    kind: HorizontalPodAutoscaler
  patch: |-
    - op: replace
      path: /spec/minReplicas
      value: {replicas}
configMapGenerator:
- name: {name}-settings
  behavior: merge
  literals:
  - ENVIRONMENT={environment}
  - REGION={region}
"
    )
}
