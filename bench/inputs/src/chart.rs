//! A chart as large ones are: components with the same kinds of templates, helpers, values, a subchart.

use crate::{Files, named};

/// Eight components with five templates each.
const COMPONENTS: [&str; 8] = ["web", "api", "worker", "search", "mail", "billing", "reports", "admin"];

const CHART: &str = "\
apiVersion: v2
name: shop
version: 1.2.3
appVersion: 4.5.6
kubeVersion: \">=1.20.0-0\"
dependencies:
- name: cache
  version: 0.1.0
  condition: cache.enabled
";

const HELPERS: &str = r#"{{- define "shop.fullname" -}}
{{- if contains .Chart.Name .Release.Name -}}
{{- .Release.Name | trunc 63 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 63 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "shop.component" -}}
{{- printf "%s-%s" (include "shop.fullname" .root) .name | trunc 63 | trimSuffix "-" -}}
{{- end -}}

{{- define "shop.selector" -}}
app.kubernetes.io/name: {{ .root.Chart.Name }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .name }}
{{- end -}}

{{- define "shop.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" }}
{{ include "shop.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
{{- with .root.Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "shop.image" -}}
{{- $registry := .root.Values.global.registry | default "docker.io" -}}
{{- $image := .component.image -}}
{{- printf "%s/%s:%s" $registry $image.repository ($image.tag | default .root.Chart.AppVersion) | quote -}}
{{- end -}}
"#;

const HEAD: &str = r#"{{- $component := merge (deepCopy (.Values.components.@NAME | default dict)) .Values.defaults }}
{{- $context := dict "root" . "name" "@NAME" "component" $component }}
"#;

/// What most objects are called.
const NAMED: &str = r#"  name: {{ include "shop.component" $context }}
  labels:
    {{- include "shop.labels" $context | nindent 4 }}"#;

const DEPLOYMENT: &str = r#"{{- if $component.enabled }}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ include "shop.component" $context }}
  namespace: {{ .Release.Namespace }}
  labels:
    {{- include "shop.labels" $context | nindent 4 }}
spec:
  {{- if not $component.autoscaling.enabled }}
  replicas: {{ $component.replicas }}
  {{- end }}
  selector:
    matchLabels:
      {{- include "shop.selector" $context | nindent 6 }}
  template:
    metadata:
      annotations:
        checksum/config: {{ toJson $component.config | sha256sum }}
        {{- range $key, $value := $component.annotations }}
        {{ $key }}: {{ tpl $value $ | quote }}
        {{- end }}
      labels:
        {{- include "shop.labels" $context | nindent 8 }}
    spec:
      {{- with .Values.global.pullSecrets }}
      imagePullSecrets:
        {{- range . }}
        - name: {{ . }}
        {{- end }}
      {{- end }}
      containers:
        - name: @NAME
          image: {{ include "shop.image" $context }}
          imagePullPolicy: {{ $component.image.pullPolicy | default "IfNotPresent" }}
          {{- with $component.command }}
          command: {{ toJson . }}
          {{- end }}
          env:
            {{- range $name, $value := $component.config }}
            - name: {{ $name | upper | replace "-" "_" }}
              value: {{ $value | quote }}
            {{- end }}
          ports:
            {{- range $index, $port := $component.ports }}
            - name: {{ $port.name | default (printf "port-%d" $index) }}
              containerPort: {{ int $port.container }}
              protocol: {{ $port.protocol | default "TCP" }}
            {{- end }}
          resources:
            {{- toYaml $component.resources | nindent 12 }}
          readinessProbe:
            {{- tpl (toYaml $component.readinessProbe) . | nindent 12 }}
      {{- with $component.nodeSelector }}
      nodeSelector:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with $component.tolerations }}
      tolerations:
        {{- toYaml . | nindent 8 }}
      {{- end }}
{{- end }}
"#;

const SERVICE: &str = r#"{{- if and $component.enabled $component.ports }}
apiVersion: v1
kind: Service
metadata:
@NAMED
spec:
  type: {{ $component.serviceType | default "ClusterIP" }}
  ports:
    {{- range $component.ports }}
    - name: {{ .name }}
      port: {{ .service | default .container }}
      targetPort: {{ .name }}
    {{- end }}
  selector:
    {{- include "shop.selector" $context | nindent 4 }}
{{- end }}
"#;

const AUTOSCALER: &str = r#"{{- if and $component.enabled $component.autoscaling.enabled }}
{{- $scaling := $component.autoscaling }}
apiVersion: {{ if .Capabilities.APIVersions.Has "autoscaling/v2" }}autoscaling/v2{{ else }}autoscaling/v2beta2{{ end }}
kind: HorizontalPodAutoscaler
metadata:
@NAMED
spec:
  scaleTargetRef:
    apiVersion: apps/v1
    kind: Deployment
    name: {{ include "shop.component" $context }}
  minReplicas: {{ max 1 $scaling.least }}
  maxReplicas: {{ required "autoscaling.most is wanted" $scaling.most }}
  metrics:
    {{- range $resource, $share := $scaling.targets }}
    - type: Resource
      resource:
        name: {{ $resource }}
        target:
          type: Utilization
          averageUtilization: {{ $share }}
    {{- end }}
{{- end }}
"#;

const CONFIG: &str = r#"{{- if $component.enabled }}
apiVersion: v1
kind: ConfigMap
metadata:
@NAMED
data:
  {{- range $name, $value := $component.config }}
  {{ $name }}: {{ $value | toString | trim | quote }}
  {{- end }}
  settings.yaml: |
    {{- dict "component" "@NAME" "ports" $component.ports "config" $component.config | toYaml | nindent 4 }}
  banner.txt: |-
    {{- .Files.Get "files/banner.txt" | nindent 4 }}
{{- end }}
"#;

const POLICY: &str = r#"{{- if and $component.enabled .Values.networkPolicies }}
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
@NAMED
spec:
  podSelector:
    matchLabels:
      {{- include "shop.selector" $context | nindent 6 }}
  policyTypes: [Ingress]
  ingress:
    - from:
        {{- range $peer := $component.callers | default (list "web" "api") | uniq | sortAlpha }}
        - podSelector:
            matchLabels:
              app.kubernetes.io/component: {{ $peer }}
        {{- end }}
      ports:
        {{- range $component.ports }}
        - port: {{ .container }}
        {{- end }}
{{- end }}
"#;

const VALUES: &str = r#"global:
  registry: registry.example.com
  pullSecrets: [registry]
commonLabels:
  team: shop
networkPolicies: true
cache:
  enabled: true
  size: 2Gi
defaults:
  enabled: true
  replicas: 2
  image: {repository: shop/service}
  annotations:
    example.com/release: "{{ .Release.Name }}-{{ .Chart.Version }}"
  config:
    log-level: info
    region: eu-west-1
    timeout: 30s
  ports:
    - {name: http, container: 8080, service: 80}
    - {name: metrics, container: 9090}
  readinessProbe:
    httpGet: {path: '/ready/{{ .Release.Name }}', port: http}
    periodSeconds: 5
  resources:
    requests: {cpu: 100m, memory: 128Mi}
    limits: {memory: 256Mi}
  tolerations:
    - {key: spot, operator: Exists, effect: NoSchedule}
  autoscaling:
    enabled: true
    least: 2
    most: 8
    targets: {cpu: 70, memory: 80}
components:
"#;

const CACHE: &str = r#"apiVersion: apps/v1
kind: StatefulSet
metadata:
  name: {{ .Release.Name }}-{{ .Chart.Name }}
spec:
  serviceName: {{ .Chart.Name }}
  replicas: {{ .Values.replicas }}
  template:
    spec:
      containers:
        - name: cache
          image: {{ .Values.global.registry }}/cache:{{ .Chart.AppVersion }}
          args: {{ .Values.args | toJson }}
  volumeClaimTemplates:
    - metadata: {name: data}
      spec:
        resources:
          requests:
            storage: {{ .Values.size | quote }}
"#;

/// Forty templates, helpers, a file, and a subchart with one template.
pub fn chart() -> Files {
    let mut files: Files = [
        ("Chart.yaml", CHART),
        ("templates/_helpers.tpl", HELPERS),
        ("files/banner.txt", "welcome\nto the shop\n"),
        ("charts/cache/Chart.yaml", "apiVersion: v2\nname: cache\nversion: 0.1.0\nappVersion: 7.2.0\n"),
        ("charts/cache/values.yaml", "replicas: 3\nsize: 1Gi\nargs: [--save, '', --appendonly, 'no']\n"),
        ("charts/cache/templates/statefulset.yaml", CACHE),
    ]
    .map(|(path, text)| (path.to_owned(), text.to_owned()))
    .into();
    let mut values = VALUES.to_owned();
    for name in COMPONENTS {
        values.push_str(&format!(
            "  {name}:\n    image: {{repository: shop/{name}}}\n    config: {{component: {name}}}\n"
        ));
        for (kind, text) in [
            ("deployment", DEPLOYMENT),
            ("service", SERVICE),
            ("autoscaler", AUTOSCALER),
            ("config", CONFIG),
            ("policy", POLICY),
        ] {
            files.insert(
                format!("templates/{name}/{kind}.yaml"),
                named(&format!("{HEAD}{text}").replace("@NAMED", NAMED), name),
            );
        }
    }
    files.insert("values.yaml".to_owned(), values);
    files
}
