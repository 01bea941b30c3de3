//! The table: each route with a request that reaches its door, and who comes through.

use windlass_access::Permission::{self, *};

/// Who comes through.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Expect {
    /// Everybody; what a request needs besides is its own affair.
    Open,
    /// Whoever shows the key of somebody who may execute the pipeline: the trigger demands it, not the route.
    Sender,
    /// Only a delegate.
    Delegate,
    /// Whoever is signed in.
    SignedIn,
    /// Whoever has this permission there.
    Needs(Permission, At),
}

/// Where a permission is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum At {
    Account,
    Project,
}

/// One route. In `url` and `body` `$run`, `$user`, `$token`, `$event`, `$setting` stand for things that are there: those that a
/// call uses up are made anew for each.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) method: &'static str,
    pub(crate) path: String,
    pub(crate) url: String,
    pub(crate) body: String,
    pub(crate) expect: Expect,
}

const SCOPE: &str = "org=default&project=platform";

fn row(method: &'static str, path: impl Into<String>, url: impl Into<String>, body: &str, expect: Expect) -> Row {
    Row { method, path: path.into(), url: url.into(), body: body.to_owned(), expect }
}

fn here(permission: Permission) -> Expect {
    Expect::Needs(permission, At::Project)
}

fn above(permission: Permission) -> Expect {
    Expect::Needs(permission, At::Account)
}

/// Below `/api/v1`, in the project.
fn v1(method: &'static str, path: &str, url: &str, body: &str, expect: Expect) -> Row {
    let sign = if url.contains('?') { '&' } else { '?' };
    row(method, format!("/api/v1{path}"), format!("/api/v1{url}{sign}{SCOPE}"), body, expect)
}

pub(crate) fn rows() -> Vec<Row> {
    use Expect::{Delegate, Open, Sender, SignedIn};
    let service = r#"{"text": "service: {identifier: payment, name: payment, serviceDefinition: {type: Kubernetes, spec: {}}}", "org": "default", "project": "platform", "dryRun": true}"#;
    let mut rows = vec![
        row("GET", "/healthz", "/healthz", "", Open),
        row("GET", "/readyz", "/readyz", "", Open),
        row("POST", "/webhook/{token}", "/webhook/$hook", "{}", Sender),
        row("POST", "/delegate-service/register", "/delegate-service/register", "$registration", Delegate),
        row("GET", "/delegate-service/connect", "/delegate-service/connect", "", Delegate),
        row("POST", "/delegate-service/send", "/delegate-service/send", "", Delegate),
        row("POST", "/delegate-service/poll", "/delegate-service/poll", "", Delegate),
        v1("GET", "/openapi.json", "/openapi.json", "", Open),
        v1("POST", "/login", "/login", "{}", Open),
        v1("GET", "/me", "/me", "", SignedIn),
        v1("PUT", "/me/password", "/me/password", r#"{"new": "short"}"#, SignedIn),
        v1("POST", "/apply", "/apply", service, here(ServiceEdit)),
        v1("GET", "/delegates", "/delegates", "", here(DelegateView)),
        v1("GET", "/delegate-tokens", "/delegate-tokens", "", here(DelegateView)),
        v1(
            "POST",
            "/delegate-tokens",
            "/delegate-tokens",
            r#"{"name": "edge", "org": "default", "project": "platform"}"#,
            here(DelegateEdit),
        ),
        v1("DELETE", "/delegate-tokens/{name}", "/delegate-tokens/$token", "", here(DelegateDelete)),
        v1("POST", "/pipelines/{id}/runs", "/pipelines/hello/runs", "{}", here(PipelineExecute)),
        v1("GET", "/runs", "/runs", "", here(PipelineView)),
        v1("GET", "/runs/{id}", "/runs/$run", "", here(PipelineView)),
        v1("GET", "/runs/{id}/events", "/runs/$run/events", "", here(PipelineView)),
        v1("GET", "/runs/{id}/audit", "/runs/$run/audit", "", here(PipelineView)),
        v1("GET", "/runs/{id}/logs", "/runs/$run/logs", "", here(PipelineView)),
        v1("GET", "/runs/{id}/logs/stream", "/runs/$run/logs/stream", "", here(PipelineView)),
        v1("POST", "/runs/{id}/interrupt", "/runs/$run/interrupt", r#"{"type": "resume"}"#, here(PipelineExecute)),
        v1("POST", "/runs/{id}/retry", "/runs/$run/retry", "{}", here(PipelineExecute)),
        v1("POST", "/runs/{id}/rollback", "/runs/$run/rollback", "", here(PipelineExecute)),
        v1("GET", "/approvals", "/approvals", "", SignedIn),
        v1("GET", "/approvals/{id}", "/approvals/apr_0", "", SignedIn),
        v1("POST", "/approvals/{id}/answer", "/approvals/apr_0/answer", r#"{"action": "APPROVE"}"#, SignedIn),
        v1("GET", "/triggers/{id}/url", "/triggers/on_build/url", "", here(PipelineEdit)),
        v1("POST", "/triggers/{id}/test", "/triggers/on_build/test", r#"{"payload": {}}"#, here(PipelineView)),
        v1("GET", "/triggers/{id}/events", "/triggers/on_build/events", "", here(PipelineView)),
        v1("GET", "/trigger-events", "/trigger-events", "", here(PipelineView)),
        v1("GET", "/trigger-events/{id}", "/trigger-events/$event", "", here(PipelineView)),
        // No delegate is there: whoever comes through is told so at once.
        v1("POST", "/connectors/{id}/test", "/connectors/git/test", "", here(ConnectorAccess)),
        v1("GET", "/connectors/{id}/tests", "/connectors/git/tests", "", here(ConnectorView)),
        v1("GET", "/users", "/users", "", above(UserView)),
        v1("POST", "/users", "/users", r#"{"id": "new", "email": "no address"}"#, above(UserInvite)),
        v1("GET", "/users/{id}", "/users/stranger", "", above(UserView)),
        v1("PATCH", "/users/{id}", "/users/stranger", "{}", above(UserManage)),
        v1("DELETE", "/users/{id}", "/users/$user", "", above(UserManage)),
        v1("PUT", "/users/{id}/password", "/users/stranger/password", r#"{"new": "short"}"#, above(UserManage)),
        v1("GET", "/api-keys", "/api-keys", "", SignedIn),
        v1("POST", "/api-keys", "/api-keys", r#"{"name": ""}"#, SignedIn),
        v1("DELETE", "/api-keys/{id}", "/api-keys/none", "", SignedIn),
        v1("GET", "/access/roles", "/access/roles", "", SignedIn),
        v1("GET", "/access/permissions", "/access/permissions", "", SignedIn),
        v1("GET", "/access/check", "/access/check?permission=core_pipeline_view", "", SignedIn),
        v1("GET", "/access/grants", "/access/grants", "", here(UserView)),
        v1("GET", "/settings", "/settings", "", here(SettingView)),
        v1("GET", "/settings/{name}", "/settings/timeout.step", "", here(SettingView)),
        v1("PUT", "/settings/{name}", "/settings/timeout.step", r#"{"value": "20m"}"#, here(SettingEdit)),
        v1("DELETE", "/settings/{name}", "/settings/$setting", "", here(SettingEdit)),
        v1("GET", "/audit", "/audit", "", here(AuditView)),
        v1("GET", "/audit/verify", "/audit/verify", "", above(AuditView)),
        v1("GET", "/audit/export", "/audit/export", "", above(AuditView)),
        v1("GET", "/{kind}", "/services", "", here(ServiceView)),
        v1("GET", "/{kind}/{id}", "/services/payment", "", here(ServiceView)),
        // With an ETag that never fits: whoever comes through is told of a conflict, and the service stays.
        v1("DELETE", "/{kind}/{id}", "/services/payment", "", here(ServiceDelete)),
        // Last: it ends the session of whoever calls it, where that is a session. These callers have keys.
        v1("POST", "/logout", "/logout", "", SignedIn),
    ];
    for prefix in ["/gateway/pipeline/api", "/pipeline/api", "/gateway/ng/api", "/ng/api"] {
        let place = "accountIdentifier=windlass&orgIdentifier=default&projectIdentifier=platform";
        let send = |path: &str, url: &str, expect| {
            row("POST", format!("{prefix}{path}"), format!("{prefix}{url}"), "{}", expect)
        };
        for path in ["/webhook/custom", "/webhook/custom/v2"] {
            rows.push(send(
                path,
                &format!("{path}?{place}&pipelineIdentifier=hello&triggerIdentifier=on_build"),
                Sender,
            ));
        }
        rows.push(send("/webhook/custom/{token}/v3", "/webhook/custom/$hook/v3", Sender));
        let view = |path: &str, url: &str| {
            row("GET", format!("{prefix}{path}"), format!("{prefix}{url}"), "", here(PipelineView))
        };
        rows.push(view("/webhook/triggerExecutionDetails/{event}", "/webhook/triggerExecutionDetails/$event"));
        rows.push(view("/webhook/triggerProcessingDetails", "/webhook/triggerProcessingDetails?eventId=$event"));
        if prefix.ends_with("ng/api") {
            rows.push(send("/webhook", "/webhook?accountIdentifier=windlass", Open));
            continue;
        }
        let answer = |path: &str, url: &str| {
            row("POST", format!("{prefix}{path}"), format!("{prefix}{url}"), r#"{"action": "APPROVE"}"#, SignedIn)
        };
        rows.push(answer("/approvals/{id}/harness/activity", "/approvals/apr_0/harness/activity"));
        rows.push(answer("/approvals/execution/{execution}", "/approvals/execution/$run"));
        let execute = |method, path: &str, url: &str| {
            let prefix = format!("{prefix}/pipeline/execute");
            row(method, format!("{prefix}{path}"), format!("{prefix}{url}"), "{}", here(PipelineExecute))
        };
        rows.extend([
            execute("PUT", "/interrupt/{execution}", "/interrupt/$run?interruptType=Resume"),
            execute("PUT", "/interrupt/{execution}/{node}", "/interrupt/$run/first?interruptType=MarkAsSuccess"),
            execute(
                "PUT",
                "/manualIntervention/interrupt/{execution}/{node}",
                "/manualIntervention/interrupt/$run/first?interruptType=Ignore",
            ),
            execute("POST", "/retry/{pipeline}", "/retry/hello?planExecutionId=$run"),
        ]);
    }
    rows
}
