use crate::support::{World, at, id, on_every_engine, project};
use windlass_model::Scope;
use windlass_model::id::DelegateId;
use windlass_store::delegates::Delegate;
use windlass_store::delegates::tokens::DelegateToken;
use windlass_store::{Scopes, TokenHash, Write};

on_every_engine!(instances_and_groups_come_and_go, tokens_are_found_by_hash_and_revoked_at_once);

fn instance(world: &World, name: &str) -> Delegate {
    Delegate {
        id: DelegateId::from_ulid(world.ulid()),
        scope: project("platform"),
        name: id(name),
        token: id("default"),
        tags: vec![name.to_owned(), "eu".into()],
        version: "0.1.0".into(),
        state: "connected".into(),
        server: "server-0".into(),
        capacity: 10,
        public_key: vec![7; 32],
        registered_at: at(0),
        seen_at: at(0),
        body: "{}".into(),
        load: "{}".into(),
    }
}

async fn instances_and_groups_come_and_go(world: World) {
    let (one, two, away) = (instance(&world, "prod"), instance(&world, "prod"), instance(&world, "int-stable"));
    let mut write = Write::new();
    write.register_delegate(&one).register_delegate(&two).register_delegate(&away);
    world.store.write(write).await.unwrap();
    let again = Delegate { version: "0.2.0".into(), tags: vec!["prod".into()], seen_at: at(5), ..one.clone() };
    let mut write = Write::new();
    write.register_delegate(&again).delegate_joined(two.id, "server-1", at(80));
    write.delegate_seen(two.id, "server-1", r#"{"running":3}"#, at(90));
    write.delegate_state(two.id, "draining");
    world.store.write(write).await.unwrap();
    // The server that held it before has nothing more to say about it.
    let mut late = Write::new();
    late.delegate_seen(two.id, "server-0", "{}", at(95));
    world.store.write(late).await.unwrap();
    let mut late = Write::new();
    late.delegate_left(two.id, "server-0");
    assert!(world.store.write(late).await.unwrap_err().is_conflict());

    let delegates = world.store.delegates();
    assert_eq!(delegates.get(one.id).await.unwrap(), Some(again), "registered again under the same id");
    let seen = delegates.get(two.id).await.unwrap().unwrap();
    assert_eq!((seen.seen_at, seen.server.as_str(), seen.state.as_str()), (at(90), "server-1", "draining"));
    let names = async |scopes| {
        let list = delegates.list(&scopes).await.unwrap();
        list.iter().map(|delegate| delegate.name.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(names(Scopes::default()).await, ["int-stable", "prod", "prod"]);
    assert!(names(Scopes::At(Scope::Account)).await.is_empty());
    assert_eq!(delegates.groups(&Scopes::VisibleFrom(project("platform"))).await.unwrap().len(), 2);

    let mut write = Write::new();
    write.expire_delegates(at(50), at(50));
    world.store.write(write).await.unwrap();
    assert_eq!(names(Scopes::default()).await, ["prod"]);
    let groups = delegates.groups(&Scopes::default()).await.unwrap();
    assert_eq!((groups.len(), groups[0].name.as_str(), groups[0].seen_at), (1, "prod", at(90)));
    let mut write = Write::new();
    write.delegate_seen(one.id, "server-0", "{}", at(99)).delegate_seen(two.id, "server-1", "{}", at(99));
    world.store.write(write).await.unwrap();
    assert_eq!(delegates.get(one.id).await.unwrap(), None, "it has to register again");
    assert_eq!(delegates.get(two.id).await.unwrap().unwrap().seen_at, at(99));
}

async fn tokens_are_found_by_hash_and_revoked_at_once(world: World) {
    let token = DelegateToken {
        scope: Scope::Account,
        name: id("default-token"),
        hash: TokenHash::of("secret"),
        created_at: at(0),
        created_by: "user:ada".into(),
        revoke_after: Some(at(100)),
        revoked_at: None,
    };
    let mut write = Write::new();
    write.create_delegate_token(&token);
    world.store.write(write.clone()).await.unwrap();
    assert!(world.store.write(write).await.unwrap_err().is_conflict());
    let delegates = world.store.delegates();
    assert_eq!(delegates.token(TokenHash::of("guess")).await.unwrap(), None);
    let found = delegates.token(TokenHash::of("secret")).await.unwrap().unwrap();
    assert_eq!(found, token);
    assert!(found.is_active(at(99)) && !found.is_active(at(100)));

    let mut revoke = Write::new();
    revoke.revoke_delegate_token(&Scope::Account, &token.name, at(10));
    world.store.write(revoke.clone()).await.unwrap();
    assert!(world.store.write(revoke).await.unwrap_err().is_conflict());
    let revoked = delegates.token_named(&Scope::Account, &token.name).await.unwrap().unwrap();
    assert!(!revoked.is_active(at(11)));
    let mut again = Write::new();
    again.create_delegate_token(&DelegateToken { hash: TokenHash::of("other"), ..token });
    assert!(world.store.write(again.clone()).await.unwrap_err().is_conflict(), "the name stays taken");
    let mut write = Write::new();
    write.purge_delegate_tokens(at(11)).extend(again);
    world.store.write(write).await.unwrap();
    assert_eq!(delegates.tokens(&Scopes::default()).await.unwrap().len(), 1);
}
