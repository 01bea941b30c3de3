//! One overlay: a base of Deployments, a component, and everything that an overlay usually says.

use crate::{Files, named};

const DEPLOYMENT: &str = "\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: @NAME
  labels:
    app.kubernetes.io/name: @NAME
spec:
  replicas: 2
  selector:
    matchLabels:
      app.kubernetes.io/name: @NAME
  strategy:
    type: RollingUpdate
    rollingUpdate:
      maxSurge: 25%
      maxUnavailable: 0
  template:
    metadata:
      annotations:
        prometheus.io/scrape: \"true\"
        prometheus.io/port: \"9090\"
      labels:
        app.kubernetes.io/name: @NAME
    spec:
      serviceAccountName: default
      containers:
      - name: main
        image: registry.example.com/shop/service:1.0.0
        args: [\"--listen=:8080\", \"--log-level=info\"]
        ports:
        - name: http
          containerPort: 8080
        - name: metrics
          containerPort: 9090
        env:
        - name: SERVICE
          value: @NAME
        - name: POD_NAME
          valueFrom:
            fieldRef:
              fieldPath: metadata.name
        envFrom:
        - configMapRef:
            name: settings
        resources:
          requests:
            cpu: 100m
            memory: 128Mi
          limits:
            memory: 256Mi
        readinessProbe:
          httpGet:
            path: /ready
            port: http
          periodSeconds: 5
        volumeMounts:
        - name: settings
          mountPath: /etc/settings
          readOnly: true
      volumes:
      - name: settings
        configMap:
          name: settings
";

const COMPONENT: &str = "\
apiVersion: kustomize.config.k8s.io/v1alpha1
kind: Component
commonAnnotations:
  example.com/owner: platform
patches:
- target:
    kind: Deployment
  patch: |-
    apiVersion: apps/v1
    kind: Deployment
    metadata:
      name: any
    spec:
      template:
        spec:
          securityContext:
            runAsNonRoot: true
          containers:
          - name: main
            env:
            - name: TRACING
              value: \"on\"
";

const OVERLAY: &str = "\
apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
resources:
- ../base
components:
- ../component
namePrefix: prod-
namespace: shop
labels:
- pairs:
    environment: prod
    team: shop
  includeSelectors: true
images:
- name: registry.example.com/shop/service
  newTag: 1.4.2
patches:
- target:
    kind: Deployment
  patch: |-
    - op: replace
      path: /spec/replicas
      value: 4
    - op: add
      path: /metadata/annotations/example.com~1reviewed
      value: \"yes\"
configMapGenerator:
- name: settings
  behavior: merge
  literals:
  - LOG_LEVEL=warn
";

/// `base`, `component` and `overlay`, which gives so many objects: Deployments, and the hashed config map that all of them name.
pub fn overlay(objects: usize) -> Files {
    let mut files = Files::from([
        ("component/kustomization.yaml".to_owned(), COMPONENT.to_owned()),
        ("overlay/kustomization.yaml".to_owned(), OVERLAY.to_owned()),
    ]);
    let mut base = "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n".to_owned()
        + "configMapGenerator:\n- name: settings\n  literals: [LOG_LEVEL=info, REGION=eu-west-1, FEATURE_CHECKOUT=on]\n"
        + "resources:\n";
    for number in 1..objects {
        let name = format!("service-{number:03}");
        base.push_str(&format!("- {name}.yaml\n"));
        files.insert(format!("base/{name}.yaml"), named(DEPLOYMENT, &name));
    }
    files.insert("base/kustomization.yaml".to_owned(), base);
    files
}
