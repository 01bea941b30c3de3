//! Pipelines that more than one measurement runs.

/// One rolling deployment to an infrastructure of `prod`; inputs are the service and its tag.
pub(crate) fn rolling(identifier: &str, infrastructure: &str) -> String {
    ROLLING.replace("IDENTIFIER", identifier).replace("INFRASTRUCTURE", infrastructure)
}

const ROLLING: &str = "\
pipeline:
  identifier: IDENTIFIER
  name: IDENTIFIER
  orgIdentifier: default
  projectIdentifier: platform
  variables:
    - {name: service, type: String, value: <+input>, required: true}
    - {name: imageTag, type: String, value: <+input>, required: true}
    - {name: targetRegion, type: String, value: euw1}
  stages:
    - stage:
        identifier: deploy
        name: deploy
        type: Deployment
        spec:
          deploymentType: Kubernetes
          service: {serviceRef: <+pipeline.variables.service>}
          environment: {environmentRef: prod, infrastructureDefinitions: [{identifier: INFRASTRUCTURE}]}
          execution:
            steps:
              - step: {identifier: rolling, name: rolling, type: K8sRollingDeploy, timeout: 10m, spec: {skipDryRun: false}}
        failureStrategies:
          - onFailure: {errors: [AllErrors], action: {type: MarkAsFailure}}
";
