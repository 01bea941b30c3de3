//! Documents that people get wrong: every problem in one answer, with its place.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

use windlass_document::{Entity, Kind, read};
use windlass_model::Scope;

fn project() -> Scope {
    Scope::Project { org: "default".parse().unwrap(), project: "platform".parse().unwrap() }
}

fn problems(text: &str) -> String {
    read("p.yaml", text, &project(), None).1.to_string()
}

#[test]
fn all_problems_come_at_once() {
    let text = "\
pipeline:
  identifier: shop
  stages:
    - stage:
        identifier: one
        type: Deploymet
        spec: {}
    - stage:
        identifier: one
        type: Custom
        spec:
          execution:
            steps:
              - step:
                  identifier: a-b
                  type: K8sRolingDeploy
                  timeout: 10 minutes
              - step:
                  identifier: wait
                  type: Wait
                  spec: {durations: 5m}
";
    insta::assert_snapshot!(problems(text), @r#"
    p.yaml:6:15: error DOC0005: `Deploymet` is not a type of stage at pipeline.stages[0].stage.type (did you mean `Deployment`?)
    p.yaml:9:9: error DOC0003: the stage `one` is there twice at pipeline.stages[1].stage (the first is in line 5)
    p.yaml:15:31: error DOC0001: `a-b` is not an identifier: `-` is not allowed; use letters, digits, `_` and `$`, and start with a letter or `_` at pipeline.stages[1].stage.spec.execution.steps[0].step.identifier (write `a_b`)
    p.yaml:16:25: error DOC0005: `K8sRolingDeploy` is not a type of step at pipeline.stages[1].stage.spec.execution.steps[0].step.type (did you mean `K8sRollingDeploy`?)
    p.yaml:17:28: error YAML0023: `10 minutes` is not a duration: write for example `30s`, `10m`, `1h 30m` or `7d`, at most 53w at pipeline.stages[1].stage.spec.execution.steps[0].step.timeout
    p.yaml:21:25: error YAML0021: `duration` is missing at pipeline.stages[1].stage.spec.execution.steps[1].step.spec
    p.yaml:21:26: warning YAML0022: nobody reads the key `durations` at pipeline.stages[1].stage.spec.execution.steps[1].step.spec (did you mean `duration`?)
    "#);
}

#[test]
fn strategies_that_contradict_themselves() {
    let text = "\
pipeline:
  identifier: shop
  stages:
    - stage:
        identifier: one
        type: Custom
        spec:
          execution:
            steps:
              - step:
                  identifier: a
                  type: Wait
                  spec: {duration: 5m}
                  failureStrategies:
                    - onFailure:
                        errors: [Timeout, Conectivity]
                        action: {type: Retry, spec: {retryCount: 99, onRetryFailure: {action: {type: Retry, spec: {retryCount: 1}}}}}
                    - onFailure: {errors: [AllErrors], action: {type: StepGroupRollback}}
                    - onFailure: {errors: [Timeout], action: {type: ProceedWithDefaultValues}}
";
    insta::assert_snapshot!(problems(text), @r#"
    p.yaml:16:43: warning DOC0011: `Conectivity` is not a type of error; it is ignored at pipeline.stages[0].stage.spec.execution.steps[0].step.failureStrategies[0].onFailure.errors[1] (did you mean `Connectivity`?)
    p.yaml:17:66: warning DOC0011: the vendor allows at most 10 retries at pipeline.stages[0].stage.spec.execution.steps[0].step.failureStrategies[0].onFailure.action.spec.retryCount
    p.yaml:17:102: error DOC0011: what follows an exhausted Retry cannot be a Retry at pipeline.stages[0].stage.spec.execution.steps[0].step.failureStrategies[0].onFailure.action.spec.onRetryFailure.action.type
    p.yaml:18:71: error DOC0011: `StepGroupRollback` belongs to step groups at pipeline.stages[0].stage.spec.execution.steps[0].step.failureStrategies[1].onFailure.action.type
    p.yaml:19:23: error DOC0011: ProceedWithDefaultValues goes with `errors: [InputTimeoutError]` only at pipeline.stages[0].stage.spec.execution.steps[0].step.failureStrategies[2]
    p.yaml:19:23: warning DOC0011: `Timeout` has a strategy already; the first one wins at pipeline.stages[0].stage.spec.execution.steps[0].step.failureStrategies[2]
    "#);
}

#[test]
fn several_documents_keep_their_own_text() {
    let text = "# first\nservice:\n  identifier: a\n  name: a\n  serviceDefinition: {type: Kubernetes, spec: {}}\n---\n# second\nenvironment:\n  identifier: prod\n  name: Prod\n  type: Production\n";
    let (documents, problems) = read("x.yaml", text, &project(), None);
    assert!(problems.is_empty(), "{problems}");
    assert_eq!(documents.iter().map(|d| d.kind).collect::<Vec<_>>(), [Kind::Service, Kind::Environment]);
    assert!(documents[0].text.starts_with("# first\nservice:") && documents[0].text.ends_with("}\n"));
    assert!(documents[1].text.starts_with("# second\nenvironment:"));
}

#[test]
fn wrapped_and_rootless_documents_mean_the_same() {
    let inner = "identifier: git\nname: git\ntype: Github\nspec:\n  url: https://git.example/acme/x\n  type: Repo\n  authentication: {type: Http, spec: {type: UsernameToken, spec: {username: bot, tokenRef: account.pat}}}\n";
    let wrapped = format!("connector:\n{}", inner.lines().map(|l| format!("  {l}\n")).collect::<String>());
    let (a, pa) = read("", inner, &project(), None);
    let (b, pb) = read("", &wrapped, &project(), None);
    assert!(pa.is_empty() && pb.is_empty(), "{pa}\n{pb}");
    assert_eq!((a[0].kind, &a[0].header, &a[0].body), (b[0].kind, &b[0].header, &b[0].body));
}

#[test]
fn numbers_keep_their_text_and_secrets_their_value_out_of_sight() {
    let text = "service:\n  identifier: a\n  name: a\n  serviceDefinition:\n    type: Kubernetes\n    spec:\n      variables:\n        - {name: version, type: String, value: 1.10}\n";
    let (documents, _) = read("", text, &project(), None);
    assert_eq!(documents[0].body["serviceDefinition"]["spec"]["variables"][0]["value"], "1.10");
    let secret = "secret:\n  identifier: pat\n  name: pat\n  type: SecretText\n  spec: {secretManagerIdentifier: harnessSecretManager, valueType: Inline, value: s3cr3t}\n";
    let (documents, problems) = read("", secret, &project(), None);
    assert!(problems.is_empty(), "{problems}");
    assert!(matches!(&documents[0].entity, Entity::Secret(_)));
}

#[test]
fn hostile_texts_end_soon_with_an_error() {
    let bomb = format!("a: &a [{}]\nb: &b [{}]\nc: [{}]\n", "x,".repeat(1000), "*a,".repeat(1000), "*b,".repeat(1000));
    let deep = "[".repeat(100_000);
    let long = format!("pipeline:\n  identifier: x\n  description: {}\n", "y".repeat(10 << 20));
    let twice = "pipeline:\n  identifier: x\n  identifier: y\n  stages: []\n".to_owned();
    let wrong = "pipeline: [1, 2]\n".to_owned();
    let nothing = String::new();
    for text in [bomb, deep, long, twice, wrong, nothing] {
        let (documents, problems) = read("x.yaml", &text, &project(), None);
        assert!(problems.has_errors(), "{}", &text[..text.len().min(80)]);
        assert!(documents.is_empty() || problems.has_errors());
    }
}

fn service(manifests: &str) -> String {
    problems(&format!(
        "service:\n  identifier: shop\n  serviceDefinition:\n    type: Kubernetes\n    spec:\n      manifests:\n{manifests}"
    ))
}

#[test]
fn manifests_have_the_keys_of_their_type() {
    let chart = "        - manifest: {identifier: a, type: HelmChart, spec: {store: {type: Http, spec: {connectorRef: c}}, chartName: web, chartVersion: ^1, commandFlags: [{commandType: Template, flag: --no-hooks}]}}\n";
    let overlay = "        - manifest: {identifier: a, type: Kustomize, spec: {store: {type: Git, spec: {connectorRef: c, gitFetchType: Branch, branch: main, folderPath: k}}, overlayConfiguration: {kustomizeYamlFolderPath: prod}, patchesPaths: [p.yaml]}}\n";
    let beside = "        - manifest: {identifier: v, type: Values, spec: {store: {type: InheritFromManifest, spec: {paths: [v.yaml]}}}}\n";
    for good in [chart, overlay, &format!("{overlay}{beside}")] {
        assert_eq!(service(good), "", "{good}");
    }
    for (text, from, to, said) in [
        (chart, "chartName: web, ", "", "`chartName` is missing"),
        (chart, "chartName", "chartNmae", "did you mean `chartName`?"),
        (chart, "commandType: Template", "commandType: Templat", "did you mean `Template`?"),
        (chart, "type: Http,", "type: Htttp,", "`Htttp` is not a type of store"),
        (chart, "chartName: web", "chartName: web, helmVersion: V2", "charts are not rendered as Helm 2 does it"),
        (chart, "chartName: web", "chartName: web, patchesPaths: [a]", "nobody reads the key `patchesPaths`"),
        (overlay, "kustomizeYamlFolderPath", "kustomizeFolder", "nobody reads the key `kustomizeFolder`"),
        (overlay, "patchesPaths", "pluginPath: x, patchesPaths", "plugins are programs"),
        (overlay, "type: Git,", "type: OciHelmChart,", "a store of type OciHelmChart is for charts"),
        (beside, "type: Values", "type: K8sManifest", "a store of type InheritFromManifest is for values and patches"),
    ] {
        let told = service(&text.replace(from, to));
        assert!(told.contains(said), "{said}: {told}");
    }
}

#[test]
fn one_of_several_charts_is_chosen() {
    let chart = |name: &str| {
        format!(
            "        - manifest: {{identifier: {name}, type: HelmChart, spec: {{store: {{type: Http, spec: {{connectorRef: c}}}}, chartName: web}}}}\n"
        )
    };
    let both = format!("{}{}", chart("blue"), chart("green"));
    let told = service(&both);
    assert!(told.contains("`blue` and `green` both are") && told.contains("primaryManifestRef"), "{told}");
    let chosen = |name: &str| service(&format!("{both}      manifestConfigurations: {{primaryManifestRef: {name}}}\n"));
    assert_eq!(chosen("green"), "");
    assert!(chosen("gren").contains("no chart is called `gren`"), "{}", chosen("gren"));
}

#[test]
fn repositories_of_charts_have_addresses_and_users() {
    let connector =
        |kind: &str, spec: &str| problems(&format!("connector: {{identifier: c, type: {kind}, spec: {spec}}}\n"));
    let user = "auth: {type: UsernamePassword, spec: {username: u, passwordRef: account.p}}";
    assert_eq!(connector("HttpHelmRepo", &format!("{{helmRepoUrl: 'https://charts.example', {user}}}")), "");
    assert_eq!(connector("OciHelmRepo", "{helmRepoUrl: 'oci://registry.example/charts', auth: {type: Anonymous}}"), "");
    for (kind, spec, said) in [
        ("OciHelmRepo", "{helmRepoUrl: 'https://registry.example', auth: {type: Anonymous}}", "it begins with oci://"),
        (
            "HttpHelmRepo",
            "{helmRepoURL: 'https://charts.example', auth: {type: Anonymous}}",
            "did you mean `helmRepoUrl`?",
        ),
        (
            "HttpHelmRepo",
            "{helmRepoUrl: 'https://charts.example', auth: {type: Anonymus}}",
            "did you mean `Anonymous`?",
        ),
        ("HttpHelmRep", "{}", "did you mean `HttpHelmRepo`?"),
    ] {
        let told = connector(kind, spec);
        assert!(told.contains(said), "{said}: {told}");
    }
}
