use super::support::{ann, anns, id, resource, scope};
use windlass_access::{Authorized, Grants, Permission, Protected, Refusal, Resource, ResourceType, authorize, visible};
use windlass_model::Scope;

#[derive(Clone, Debug)]
struct Pipeline {
    name: &'static str,
    scope: Scope,
}

impl Protected for Pipeline {
    fn resource(&self) -> Resource {
        Resource::new(ResourceType::Pipeline, id(self.name), self.scope.clone())
    }
}

fn pipeline(name: &'static str, at: &str) -> Pipeline {
    Pipeline { name, scope: scope(at) }
}

/// What an operation looks like: it cannot be called without the check.
fn execute(pipeline: &Authorized<Pipeline>) -> String {
    format!("{} by {}", pipeline.name, pipeline.because())
}

#[test]
fn the_proof_carries_thing_permission_and_reason() {
    let mut grants = Grants::new();
    grants.assign(scope("acme/pay"), anns("_pipeline_executor", "_all_project_level_resources"));
    let allowed = authorize(&grants, &ann(), Permission::PipelineExecute, pipeline("pay", "acme/pay")).unwrap();
    assert_eq!(allowed.permission(), Permission::PipelineExecute);
    insta::assert_snapshot!(execute(&allowed), @"pay by role _pipeline_executor over _all_project_level_resources by assignment pipeline_executor_over__all_project_level_resources of project:acme/pay");
}

#[test]
fn what_may_not_be_seen_does_not_exist() {
    let mut grants = Grants::new();
    grants.assign(scope("acme/pay"), anns("_project_viewer", "_all_project_level_resources"));
    let ask = |permission, at: &str| authorize(&grants, &ann(), permission, pipeline("pay", at)).map(|_| ());
    assert_eq!(ask(Permission::PipelineView, "acme/pay"), Ok(()));
    let denied = ask(Permission::PipelineExecute, "acme/pay").unwrap_err();
    assert!(matches!(denied, Refusal::Denied { .. }));
    insta::assert_snapshot!(denied, @"core_pipeline_execute is missing for PIPELINE pay in project:acme/pay: the permission is in none of the roles _project_viewer");
    for permission in [Permission::PipelineView, Permission::PipelineExecute, Permission::PipelineDelete] {
        let hidden = ask(permission, "acme/shop").unwrap_err();
        assert!(matches!(hidden, Refusal::NotFound(..)), "{permission}");
        assert_eq!(hidden.to_string(), "PIPELINE pay in project:acme/shop does not exist");
    }
    // Freezes can be seen by everybody: refusing to change one hides nothing.
    let freeze = resource(ResourceType::DeploymentFreeze, "xmas", "acme/pay");
    let refused = authorize(&grants, &ann(), Permission::DeploymentFreezeManage, freeze).unwrap_err();
    assert!(matches!(refused, Refusal::Denied { .. }));
}

#[test]
fn lists_hold_what_may_be_seen() {
    let mut grants = Grants::new();
    grants.assign(scope("acme/pay"), anns("_project_viewer", "_all_project_level_resources"));
    let all = [pipeline("a", "acme/pay"), pipeline("b", "acme/shop"), pipeline("c", "acme/pay")];
    let ann = ann();
    let seen: Vec<_> = visible(&grants, &ann, &all).map(|one| one.name).collect();
    assert_eq!(seen, ["a", "c"]);
}
