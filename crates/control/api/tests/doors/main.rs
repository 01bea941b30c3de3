//! Every route, called as nobody, as a stranger and as each built-in role. A route that is not in the table fails the test.

// clippy.toml allows these in test functions; here their helpers need them too.
#![allow(clippy::unwrap_used, clippy::panic)]

mod house;
mod table;

use house::House;
use http::StatusCode;
use std::collections::BTreeSet;
use table::{At, Expect, Row, rows};
use windlass_access::{Permission, builtin_roles};
use windlass_api::Door;

#[test]
fn the_table_holds_every_route() {
    let declared: BTreeSet<(String, String)> =
        windlass_api::routes().into_iter().map(|route| (route.method.to_string(), route.path)).collect();
    let tabled: BTreeSet<(String, String)> = rows().into_iter().map(|row| (row.method.to_owned(), row.path)).collect();
    let missing: Vec<_> = declared.difference(&tabled).collect();
    let gone: Vec<_> = tabled.difference(&declared).collect();
    assert!(missing.is_empty(), "routes that no row of the table calls: {missing:#?}");
    assert!(gone.is_empty(), "rows for routes that there are not: {gone:#?}");
}

#[test]
fn routes_say_what_the_table_expects_of_them() {
    for row in rows() {
        let routes = windlass_api::routes();
        let route = routes.iter().find(|route| route.method == row.method && route.path == row.path).unwrap();
        let fits = match (route.door, &row.expect) {
            (Door::Open, Expect::Open | Expect::Sender)
            | (Door::Delegate, Expect::Delegate)
            | (Door::SignedIn, Expect::SignedIn) => true,
            (Door::Needs(permission), Expect::Needs(wanted, _)) => permission == *wanted,
            (Door::Document(_) | Door::Documents, Expect::Needs(..)) => true,
            _ => false,
        };
        assert!(fits, "{} {}: opened by {}, and the table expects {:?}", row.method, row.path, route.door, row.expect);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nobody_comes_through_a_door_that_is_not_theirs() {
    let house = House::new().await;
    let mut wrong = Vec::new();
    for row in rows() {
        for caller in house.callers() {
            let (status, body) = house.call(&row, caller.token.as_deref()).await;
            let problem = match &row.expect {
                Expect::Open => (status == StatusCode::FORBIDDEN).then_some("an open route"),
                // A person's token is not a delegate's.
                Expect::Delegate => (status != StatusCode::UNAUTHORIZED).then_some("a route of delegates"),
                Expect::SignedIn => {
                    ((status == StatusCode::UNAUTHORIZED) != caller.token.is_none()).then_some("a route of everybody")
                }
                Expect::Sender | Expect::Needs(..) => {
                    let (permission, at) = match &row.expect {
                        Expect::Needs(permission, at) => (permission, at),
                        _ => (&Permission::PipelineExecute, &At::Project),
                    };
                    let may = caller.role.is_some_and(|role| has(role, *permission) && caller.reaches(at));
                    let refused = refused(status, &body);
                    if caller.token.is_none() {
                        (status != StatusCode::UNAUTHORIZED).then_some("not signed in")
                    } else if may {
                        refused.then_some("should be let in")
                    } else {
                        (!refused).then_some("should be kept out")
                    }
                }
            };
            if let Some(problem) = problem {
                let Row { method, url, .. } = &row;
                wrong.push(format!("{method} {url} as {}: {problem}, got {status} {body}", caller.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{} doors are wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_kind_of_document_is_listed_by_who_may_see_it() {
    let house = House::new().await;
    for kind in windlass_document::Kind::all().filter(|kind| *kind != windlass_document::Kind::User) {
        let permission = windlass_app::access::permission_of(kind, windlass_app::access::Verb::View);
        let (url, at) = house::listing(kind);
        for caller in house.callers() {
            let (status, body) = house.get(&url, caller.token.as_deref()).await;
            let may = caller.role.is_some_and(|role| has(role, permission) && caller.reaches(&at));
            // Inside a scope that may not be listed there can be things that may be seen: an organization of one's own.
            let wanted = match (&caller.token, may) {
                (None, _) => StatusCode::UNAUTHORIZED,
                (Some(_), true) => StatusCode::OK,
                (Some(_), false) => StatusCode::FORBIDDEN,
            };
            let own = status == StatusCode::OK && !may && body.contains("\"identifier\"");
            assert!(status == wanted || own, "{url} as {}: {status}, expected {wanted}: {body}", caller.name);
        }
    }
}

fn has(role: &str, permission: Permission) -> bool {
    let role = windlass_model::Identifier::parse(role).unwrap();
    builtin_roles()[&role].permissions.contains(&permission)
}

/// Denied, or told that there is no such thing: see the texts of `Caller`.
fn refused(status: StatusCode, body: &str) -> bool {
    status == StatusCode::FORBIDDEN
        || (status == StatusCode::NOT_FOUND
            && ["or you may not see it", "there is no run run_", "there is no event"]
                .iter()
                .any(|text| body.contains(text)))
}
