//! What is saved in the installation: three places, two services, a pipeline for each strategy.

/// The clusters, by the names of their connectors.
pub const CLUSTERS: [&str; 3] = ["north", "south", "west"];
pub const SERVICES: [&str; 2] = ["web", "api"];
pub const NAMESPACE: &str = "shop";
/// Who is asked for approval.
pub const GROUP: &str = "owners";

/// How a pipeline brings a service to a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Strategy {
    Rolling,
    Canary,
    BlueGreen,
    /// Somebody is asked before it rolls.
    Approval,
    /// Two stages, one place after the other.
    Promotion,
}

impl Strategy {
    pub const ALL: [Self; 5] = [Self::Rolling, Self::Canary, Self::BlueGreen, Self::Approval, Self::Promotion];

    /// The identifier of its pipeline.
    pub const fn pipeline(self) -> &'static str {
        match self {
            Self::Rolling => "rolling",
            Self::Canary => "canary",
            Self::BlueGreen => "blue_green",
            Self::Approval => "approval",
            Self::Promotion => "promotion",
        }
    }

    fn steps(self) -> String {
        let canary = "- step: {identifier: canary, name: canary, type: K8sCanaryDeploy, timeout: 5m, spec: {instanceSelection: {type: Count, spec: {count: 1}}}}
- step: {identifier: half, name: half, type: K8sCanaryDeploy, timeout: 5m, spec: {instanceSelection: {type: Percentage, spec: {percentage: 60}}}}
- step: {identifier: gone, name: gone, type: K8sCanaryDelete, timeout: 2m, spec: {}}";
        let ask = "- step: {identifier: ask, name: ask, type: HarnessApproval, timeout: 20m, spec: {approvalMessage: go on?, includePipelineExecutionHistory: false, approvers: {userGroups: [owners], minimumCount: 1, disallowPipelineExecutor: false}}}";
        let roll =
            "- step: {identifier: roll, name: roll, type: K8sRollingDeploy, timeout: 5m, spec: {pruningEnabled: true}}";
        match self {
            Self::Rolling | Self::Promotion => roll.to_owned(),
            Self::Canary => format!("{canary}\n{roll}"),
            Self::Approval => format!("{ask}\n{roll}"),
            Self::BlueGreen => "- step: {identifier: stage, name: stage, type: K8sBlueGreenDeploy, timeout: 5m, spec: {pruningEnabled: true}}
- step: {identifier: swap, name: swap, type: K8sBGSwapServices, timeout: 2m, spec: {}}"
                .to_owned(),
        }
    }

    fn back(self) -> &'static str {
        match self {
            Self::Canary => {
                "- step: {identifier: unmake, name: unmake, type: K8sCanaryDelete, timeout: 2m, spec: {}}
- step: {identifier: back, name: back, type: K8sRollingRollback, timeout: 5m, spec: {pruningEnabled: true}}"
            }
            // What was not swapped serves as before; a swap that failed is swapped back by the step itself.
            Self::BlueGreen => {
                "- step: {identifier: asleep, name: asleep, type: K8sBlueGreenStageScaleDown, timeout: 2m, spec: {}}"
            }
            _ => {
                "- step: {identifier: back, name: back, type: K8sRollingRollback, timeout: 5m, spec: {pruningEnabled: true}}"
            }
        }
    }

    /// The places of a run that begins at one.
    pub fn places(self, first: usize) -> Vec<usize> {
        match self {
            Self::Promotion => vec![first, (first + 1) % CLUSTERS.len()],
            _ => vec![first],
        }
    }

    fn text(self) -> String {
        let name = self.pipeline();
        let stage = |stage: &str, place: &str| {
            format!(
                "    - stage:
        identifier: {stage}
        name: {stage}
        type: Deployment
        spec:
          deploymentType: Kubernetes
          service: {{serviceRef: <+pipeline.variables.service>}}
          environment: {{environmentRef: <+pipeline.variables.{place}>, infrastructureDefinitions: [{{identifier: <+pipeline.variables.{place}>_k8s}}]}}
          execution:
            steps:
{}
            rollbackSteps:
{}
        failureStrategies: [{{onFailure: {{errors: [AllErrors], action: {{type: StageRollback}}}}}}]
",
                indented(&self.steps(), 14),
                indented(self.back(), 14)
            )
        };
        let mut stages = stage("deploy", "place");
        let mut variables = "tag, service, place".to_owned();
        if self == Self::Promotion {
            stages.push_str(&stage("onward", "next"));
            variables.push_str(", next");
        }
        let variable = |name: &str| format!("    - {{name: {name}, type: String, required: true, value: <+input>}}\n");
        let declared: String = variables.split(", ").map(variable).collect();
        let inputs: String =
            variables.split(", ").map(|name| format!("        {name}: <+trigger.payload.{name}>\n")).collect();
        format!(
            "pipeline:
  identifier: {name}
  name: {name}
  orgIdentifier: default
  projectIdentifier: platform
  variables:
{declared}  stages:
{stages}---
trigger:
  identifier: on_build
  name: on build
  orgIdentifier: default
  projectIdentifier: platform
  pipelineIdentifier: {name}
  authentication: None
  source:
    type: Webhook
    spec:
      type: Custom
      spec:
        payloadConditions:
          - {{key: pipeline, operator: Equals, value: {name}}}
  inputYaml: |
    pipeline:
      identifier: {name}
      variables:
{inputs}"
        )
    }
}

fn indented(text: &str, by: usize) -> String {
    text.lines().map(|line| format!("{:by$}{line}", "")).collect::<Vec<_>>().join("\n")
}

/// All of them, in one text.
pub fn all() -> String {
    let mut documents = Vec::new();
    let scope = "orgIdentifier: default, projectIdentifier: platform";
    for cluster in CLUSTERS {
        documents.push(format!(
            "connector: {{identifier: {cluster}, name: {cluster}, {scope}, type: K8sCluster, spec: {{credential: {{type: InheritFromDelegate}}, delegateSelectors: [edge]}}}}\n"
        ));
        documents
            .push(format!("environment: {{identifier: {cluster}, name: {cluster}, {scope}, type: PreProduction}}\n"));
        documents.push(format!(
            "infrastructureDefinition: {{identifier: {cluster}_k8s, name: {cluster}, {scope}, environmentRef: {cluster}, deploymentType: Kubernetes, type: KubernetesDirect, spec: {{connectorRef: {cluster}, namespace: {NAMESPACE}, releaseName: <+service.identifier>}}}}\n"
        ));
    }
    documents.extend(SERVICES.map(service));
    documents.push(format!("userGroup: {{identifier: {GROUP}, name: owners, {scope}, users: []}}\n"));
    documents.extend(Strategy::ALL.map(Strategy::text));
    documents.join("---\n")
}

fn service(name: &str) -> String {
    let manifests = format!(
        "apiVersion: v1
kind: ConfigMap
metadata: {{name: {name}-settings, labels: {{app: {name}}}}}
data: {{tag: \"{{{{ .Values.tag }}}}\"}}
---
apiVersion: v1
kind: Service
metadata: {{name: {name}, labels: {{app: {name}}}}}
spec:
  selector: {{app: {name}}}
  ports: [{{name: http, port: 80, targetPort: 8080}}]
---
apiVersion: apps/v1
kind: Deployment
metadata: {{name: {name}, labels: {{app: {name}}}}}
spec:
  replicas: 2
  progressDeadlineSeconds: 120
  selector: {{matchLabels: {{app: {name}}}}}
  template:
    metadata: {{labels: {{app: {name}}}}}
    spec:
      containers:
        - name: app
          image: registry.example/acme/{name}:{{{{ .Values.tag }}}}
          envFrom: [{{configMapRef: {{name: {name}-settings}}}}]
          ports: [{{name: http, containerPort: 8080}}]"
    );
    format!(
        "service:
  identifier: {name}
  name: {name}
  orgIdentifier: default
  projectIdentifier: platform
  serviceDefinition:
    type: Kubernetes
    spec:
      manifests:
        - manifest:
            identifier: main
            type: K8sManifest
            spec:
              store:
                type: Inline
                spec:
                  content: |
{}
              skipResourceVersioning: false
        - manifest:
            identifier: own
            type: Values
            spec: {{store: {{type: Inline, spec: {{content: 'tag: <+pipeline.variables.tag>'}}}}}}
",
        indented(&manifests, 20)
    )
}
