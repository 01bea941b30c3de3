//! The REST API, under both of its addresses.

use crate::support::{change, world};
use serde_json::{Value, json};

const REPO: &str = "/api/v3/repos/company/app";

#[tokio::test]
async fn rights_and_unknown_things() {
    let world = world().await;
    let status = "/repos/company/app/statuses/main";
    for (method, path, token, body, want, message) in [
        ("GET", "/user", "nonsense", Value::Null, 401, "Bad credentials"),
        ("GET", REPO, "foreign", Value::Null, 404, "Not Found"),
        ("GET", "/repos/company/nothing", "admin", Value::Null, 404, "Not Found"),
        ("POST", status, "read", json!({"state": "success"}), 403, "this needs the right Write, the token has Read"),
        (
            "POST",
            status,
            "write",
            json!({"state": "great"}),
            422,
            "Problems parsing JSON: unknown variant `great`, expected one of `error`, `failure`, `pending`, `success` at line 1 column 16",
        ),
        (
            "GET",
            "/repos/company/app/issues",
            "read",
            Value::Null,
            404,
            "git-sim does not offer GET /repos/company/app/issues",
        ),
        ("DELETE", REPO, "admin", Value::Null, 404, "git-sim does not offer DELETE /api/v3/repos/company/app"),
        (
            "GET",
            "/repos/company/app/contents/..%2f..%2fconfig",
            "read",
            Value::Null,
            422,
            "`../../config` is not a path inside a repository: relative, `/` between parts, without `.`, `..` or `.git`",
        ),
        ("GET", "/repos/company/app/contents/values.yaml?ref=nope", "read", Value::Null, 404, "Not Found"),
        ("POST", "/orgs/company/repos", "write", json!({"name": "new"}), 403, "this needs the right Admin on company"),
        ("POST", "/orgs/company/repos", "admin", json!({"name": "app"}), 422, "repository company/app exists already"),
    ] {
        let (status, body) = world.call(method, path, token, body).await;
        assert_eq!((status, body["message"].as_str().unwrap_or_default()), (want, message), "{method} {path}");
    }
}

#[tokio::test]
async fn repositories_branches_and_contents_are_read() {
    let world = world().await;
    world.repo().commit(&change("release/1", "r", &[("r", "1")])).await.unwrap();
    let (status, repo) = world.call("GET", REPO, "write", Value::Null).await;
    assert_eq!((status, &repo["permissions"]), (200, &json!({"admin": false, "push": true, "pull": true})));
    let (_, branches) = world.call("GET", &format!("{REPO}/branches"), "read", Value::Null).await;
    assert_eq!((&branches[0]["name"], &branches[1]["name"]), (&json!("main"), &json!("release/1")));
    let (status, branch) = world.call("GET", "/repos/company/app/branches/release/1", "read", Value::Null).await;
    assert_eq!((status, &branch["commit"]["sha"]), (200, &branches[1]["commit"]["sha"]));
    let (_, file) = world.call("GET", "/repos/company/app/contents/values.yaml?ref=main", "read", Value::Null).await;
    assert_eq!((&file["content"], &file["size"]), (&json!("cmVwbGljYXM6IDEK"), &json!(12)));
    let (_, folder) = world.call("GET", "/repos/company/app/contents/deploy", "read", Value::Null).await;
    assert_eq!(folder[0]["path"], "deploy/app.yaml");
    let (_, root) = world.call("GET", "/repos/company/app/contents", "read", Value::Null).await;
    assert_eq!(root.as_array().unwrap().len(), 2);
    let (_, commits) = world.call("GET", "/repos/company/app/commits?sha=release/1", "read", Value::Null).await;
    assert_eq!((commits.as_array().unwrap().len(), &commits[0]["commit"]["message"]), (2, &json!("r")));
    let (status, _) =
        world.call("POST", "/orgs/company/repos", "admin", json!({"name": "new", "auto_init": true})).await;
    let (_, repos) = world.call("GET", "/orgs/company/repos", "admin", Value::Null).await;
    assert_eq!((status, repos.as_array().unwrap().len()), (201, 2));
}

#[tokio::test]
async fn lists_come_in_pages() {
    let world = world().await;
    for i in 0..5 {
        world.repo().create_tag(&format!("v{i}"), "main").await.unwrap();
    }
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let mut url = format!("http://{}{REPO}/tags?per_page=2", world.address);
    let mut names = Vec::new();
    let mut pages = 0;
    loop {
        let response = client.get(&url).bearer_auth("read").send().await.unwrap();
        let next = response.headers().get("link").map(|link| link.to_str().unwrap().to_owned());
        let body: Vec<Value> = response.json().await.unwrap();
        names.extend(body.iter().map(|tag| tag["name"].as_str().unwrap().to_owned()));
        pages += 1;
        let Some(next) = next else { break };
        url = next.strip_prefix('<').and_then(|rest| rest.split_once(">; rel=\"next\"")).unwrap().0.to_owned();
    }
    assert_eq!((pages, names.join(" ")), (3, "v0 v1 v2 v3 v4".to_owned()));
}

#[tokio::test]
async fn statuses_of_a_commit_add_up() {
    let world = world().await;
    let post = async |state: &str, context: &str| {
        let body = json!({"state": state, "context": context, "target_url": "http://windlass/runs/1"});
        assert_eq!(world.call("POST", "/repos/company/app/statuses/main", "write", body).await.0, 201);
        let (_, sum) = world.call("GET", &format!("{REPO}/commits/main/status"), "read", Value::Null).await;
        (sum["state"].as_str().unwrap().to_owned(), sum["total_count"].as_u64().unwrap())
    };
    assert_eq!(post("pending", "deploy").await, ("pending".to_owned(), 1));
    assert_eq!(post("failure", "test").await, ("failure".to_owned(), 2));
    assert_eq!(post("success", "test").await, ("pending".to_owned(), 2));
    assert_eq!(post("success", "deploy").await, ("success".to_owned(), 2));
    let (_, all) = world.call("GET", &format!("{REPO}/commits/main/statuses"), "read", Value::Null).await;
    assert_eq!(all.as_array().unwrap().len(), 4);
}

#[tokio::test]
async fn pull_requests_conflict_close_and_squash() {
    let world = world().await;
    let repo = world.repo();
    let pulls = format!("{REPO}/pulls");
    for branch in ["one", "two"] {
        repo.commit(&change(branch, branch, &[("values.yaml", &format!("replicas: {branch}\n"))])).await.unwrap();
        let body = json!({"title": branch, "head": format!("company:{branch}"), "base": "main"});
        assert_eq!(world.call("POST", &pulls, "write", body.clone()).await.0, 201);
        let (status, again) = world.call("POST", &pulls, "write", body).await;
        assert_eq!(status, 422, "{again}");
    }
    let squash = json!({"merge_method": "squash", "commit_title": "All of one"});
    let (status, merged) = world.call("PUT", &format!("{pulls}/1/merge"), "write", squash).await;
    assert_eq!(status, 200, "{merged}");
    let tip = repo.info(&repo.resolve("main").await.unwrap()).await.unwrap();
    assert_eq!((tip.parents.len(), tip.message.as_str()), (1, "All of one"));
    let (_, two) = world.call("GET", &format!("{pulls}/2"), "read", Value::Null).await;
    assert_eq!((&two["mergeable"], &two["state"]), (&json!(false), &json!("open")));
    let (status, refused) = world.call("PUT", &format!("{pulls}/2/merge"), "write", json!({})).await;
    assert_eq!((status, &refused["message"]), (405, &json!("Pull Request is not mergeable")));
    let stale = json!({"sha": tip.id});
    assert_eq!(world.call("PUT", &format!("{pulls}/2/merge"), "write", stale).await.0, 409);
    let (_, closed) = world.call("PATCH", &format!("{pulls}/2"), "write", json!({"state": "closed"})).await;
    assert_eq!((&closed["state"], &closed["merged"]), (&json!("closed"), &json!(false)));
    let (_, open) = world.call("GET", &pulls, "read", Value::Null).await;
    let (_, all) = world.call("GET", &format!("{pulls}?state=all"), "read", Value::Null).await;
    assert_eq!((open.as_array().unwrap().len(), all.as_array().unwrap().len()), (0, 2));
    let none = json!({"title": "nothing", "head": "main", "base": "main"});
    let (status, nothing) = world.call("POST", &pulls, "write", none).await;
    assert_eq!((status, &nothing["message"]), (422, &json!("Validation Failed: no commits between main and main")));
}

#[tokio::test]
async fn webhooks_are_managed_over_the_api() {
    let world = world().await;
    let (url, mut events) = crate::support::receiver(&[200]).await;
    let hooks = format!("{REPO}/hooks");
    let new = json!({"config": {"url": url, "secret": "s", "content_type": "json"}, "events": ["push"]});
    assert_eq!(world.call("POST", &hooks, "write", new.clone()).await.0, 403);
    let (status, hook) = world.call("POST", &hooks, "admin", new).await;
    assert_eq!((status, &hook["config"]["secret"]), (201, &json!("********")));
    let bad = json!({"config": {"url": url}, "events": ["issues"]});
    assert_eq!(world.call("POST", &hooks, "admin", bad).await.0, 422);
    for text in ["1", "2"] {
        world.repo().commit(&change("main", "one", &[("a", text)])).await.unwrap();
        events.recv().await.unwrap();
    }
    let own = format!("{hooks}/{}/deliveries", hook["id"]);
    let (_, log) = world.call("GET", &own, "admin", Value::Null).await;
    let first = log.as_array().unwrap().last().unwrap();
    assert_eq!((&first["event"], &first["status_code"]), (&json!("push"), &json!(200)));
    let attempts = format!("{own}/{}/attempts", first["id"]);
    assert_eq!(world.call("POST", &attempts, "admin", Value::Null).await.0, 202);
    assert_eq!(events.recv().await.unwrap().header("x-github-delivery"), first["guid"].as_str().unwrap());
    assert_eq!(world.call("DELETE", &format!("{hooks}/{}", hook["id"]), "admin", Value::Null).await.0, 204);
    assert_eq!(world.call("GET", &hooks, "admin", Value::Null).await.1, json!([]));
}
