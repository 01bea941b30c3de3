use crate::support::{World, at, id, on_every_engine, project};
use windlass_model::Scope;
use windlass_model::id::SessionId;
use windlass_store::api_keys::ApiKey;
use windlass_store::groups::Membership;
use windlass_store::sessions::Session;
use windlass_store::users::User;
use windlass_store::{PageRequest, TokenHash, Write};

on_every_engine!(people_are_unique_and_changed_by_who_read_them, sessions_end, keys_are_revoked, groups_have_members);

fn user(name: &str) -> User {
    User {
        id: name.into(),
        email: format!("{name}@Example.org"),
        name: name.to_uppercase(),
        state: "active".into(),
        password: Some("$argon2id$hash".into()),
        failures: 0,
        locked_until: None,
        version: 1,
        created_at: at(0),
        updated_at: at(0),
    }
}

async fn people_are_unique_and_changed_by_who_read_them(world: World) {
    let mut write = Write::new();
    write.create_user(&user("ada")).create_user(&user("bob")).create_user(&user("cy"));
    world.store.write(write).await.unwrap();
    let mut write = Write::new();
    write.create_user(&User { id: "eve".into(), ..user("ADA") });
    assert!(world.store.write(write).await.unwrap_err().is_conflict(), "the address is taken, whatever its case");

    let users = world.store.users();
    let ada = users.by_email("ADA@example.ORG").await.unwrap().unwrap();
    assert_eq!((ada.id.as_str(), ada.email.as_str()), ("ada", "ada@example.org"));
    assert!(!format!("{ada:?}").contains("argon2"), "hashes are not for logs");
    assert_eq!(users.failed("ada", None).await.unwrap(), 1);
    assert_eq!(users.failed("ada", Some(at(60))).await.unwrap(), 2);
    let mut write = Write::new();
    write.update_user(&User { name: "Ada L.".into(), ..users.get("ada").await.unwrap().unwrap() });
    world.store.write(write.clone()).await.unwrap();
    assert!(world.store.write(write).await.unwrap_err().is_conflict());
    let now = users.get("ada").await.unwrap().unwrap();
    assert_eq!((now.name.as_str(), now.failures, now.locked_until, now.version), ("Ada L.", 2, Some(at(60)), 2));

    let page = users.list(None, &PageRequest::first(2)).await.unwrap();
    assert_eq!((page.items.len(), page.next.as_deref()), (2, Some("bob")));
    assert_eq!(users.list(Some("B@EX"), &PageRequest::default()).await.unwrap().items[0].id, "bob");
    assert_eq!(users.count().await.unwrap(), 3);
}

fn session(world: &World, user: &str, token: &str) -> Session {
    Session {
        id: SessionId::from_ulid(world.ulid()),
        user: user.into(),
        hash: TokenHash::of(token),
        created_at: at(0),
        used_at: at(0),
        expires_at: at(100),
        client: "10.0.0.1".into(),
    }
}

async fn sessions_end(world: World) {
    let (one, two, three) = (session(&world, "ada", "1"), session(&world, "ada", "2"), session(&world, "bob", "3"));
    let mut write = Write::new();
    write.create_session(&one).create_session(&two).create_session(&three).session_used(two.id, at(50), at(150));
    world.store.write(write).await.unwrap();
    let sessions = world.store.sessions();
    assert_eq!(sessions.find(TokenHash::of("1"), at(99)).await.unwrap(), Some(one.clone()));
    assert_eq!(sessions.find(TokenHash::of("1"), at(100)).await.unwrap(), None);
    assert!(sessions.find(TokenHash::of("2"), at(149)).await.unwrap().is_some());
    assert_eq!(sessions.of_user("ada").await.unwrap().iter().map(|s| s.id).collect::<Vec<_>>(), [two.id, one.id]);
    let mut write = Write::new();
    write.end_sessions_of("ada");
    let _ = write.purge_sessions(at(99), 10);
    world.store.write(write).await.unwrap();
    assert_eq!(sessions.find(TokenHash::of("2"), at(51)).await.unwrap(), None);
    assert!(sessions.find(TokenHash::of("3"), at(51)).await.unwrap().is_some());
    let mut write = Write::new();
    write.end_session(three.id);
    world.store.write(write).await.unwrap();
    assert_eq!(sessions.find(TokenHash::of("3"), at(51)).await.unwrap(), None);
}

async fn keys_are_revoked(world: World) {
    let key = ApiKey {
        id: "k1".into(),
        scope: project("platform"),
        owner: "serviceAccount:ci".into(),
        name: "build".into(),
        hash: TokenHash::of("secret"),
        created_at: at(0),
        created_by: "user:ada".into(),
        expires_at: Some(at(100)),
        revoked_at: None,
        used_at: None,
    };
    let mut write = Write::new();
    write.create_api_key(&key).api_key_used("k1", at(5));
    world.store.write(write).await.unwrap();
    let keys = world.store.api_keys();
    let found = keys.get("k1").await.unwrap().unwrap();
    assert_eq!(found, ApiKey { used_at: Some(at(5)), ..key.clone() });
    assert!(found.is_active(at(99)) && !found.is_active(at(100)));
    assert_eq!(keys.list(Some("user:ada")).await.unwrap(), []);
    let mut revoke = Write::new();
    revoke.revoke_api_key("k1", at(10));
    world.store.write(revoke.clone()).await.unwrap();
    assert!(world.store.write(revoke).await.unwrap_err().is_conflict());
    let mut other = Write::new();
    other.create_api_key(&ApiKey { id: "k2".into(), hash: TokenHash::of("x"), ..key });
    other.revoke_api_keys_of("serviceAccount:ci", at(20));
    world.store.write(other).await.unwrap();
    let revoked: Vec<_> = keys.list(None).await.unwrap().iter().map(|key| key.revoked_at).collect();
    assert_eq!(revoked, [Some(at(10)), Some(at(20))]);
}

async fn groups_have_members(world: World) {
    let (account, project) = (Scope::Account, project("platform"));
    let mut write = Write::new();
    write.create_user(&user("ada"));
    write.add_member(&account, &id("sre"), "user:ada", at(0)).add_member(&account, &id("sre"), "user:ada", at(1));
    write.add_member(&account, &id("sre"), "user:bob", at(0)).add_member(&project, &id("sre"), "user:ada", at(0));
    world.store.write(write).await.unwrap();
    let groups = world.store.groups();
    assert_eq!(groups.members(&account, &id("sre")).await.unwrap(), ["user:ada", "user:bob"]);
    let of_ada = [account.clone(), project.clone()].map(|scope| Membership { scope, group: id("sre") });
    assert_eq!(groups.of("user:ada").await.unwrap(), of_ada);
    let mut write = Write::new();
    write.remove_member(&account, &id("sre"), "user:bob").remove_member(&account, &id("sre"), "user:nobody");
    write.delete_user("ada", "user:ada");
    world.store.write(write).await.unwrap();
    assert_eq!(groups.members(&account, &id("sre")).await.unwrap(), [""; 0]);
    assert_eq!(groups.of("user:ada").await.unwrap(), []);
    assert_eq!(world.store.users().get("ada").await.unwrap(), None);
}
