use crate::support::{World, at, id, on_every_engine, project};
use std::collections::BTreeMap;
use windlass_model::Scope;
use windlass_store::documents::{Document, DocumentFilter, DocumentKey, Draft};
use windlass_store::{PageRequest, Scopes, StoreError, Write};

on_every_engine!(
    saves_what_was_written,
    nobody_overwrites_what_they_have_not_read,
    a_name_can_be_used_again_and_its_version_goes_on,
    lists_are_filtered_and_read_in_pages,
    a_nul_is_refused,
    promises_of_joined_writes_are_kept,
);

fn key(kind: &str, name: &str) -> DocumentKey {
    DocumentKey { kind: kind.into(), scope: project("platform"), parent: None, identifier: id(name) }
}

fn draft(key: &DocumentKey, text: &str, tags: &[(&str, &str)]) -> Draft {
    Draft {
        key: key.clone(),
        name: format!("The {}", key.identifier),
        tags: tags.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect(),
        text: text.to_owned(),
        by: "user:ada".into(),
        at: at(1),
    }
}

async fn create(world: &World, draft: &Draft) -> Result<u64, StoreError> {
    let mut write = Write::new();
    let version = write.create_document(draft);
    world.store.write(write).await?.one(version)
}

async fn get(world: &World, key: &DocumentKey) -> Document {
    world.store.documents().get(key).await.unwrap().unwrap()
}

async fn saves_what_was_written(world: World) {
    let key = key("pipeline", "payment");
    let text = "pipeline:\r\n  name: \"Zahlung ✓\"   \n# ' $1 ; --\t\\ \n";
    assert_eq!(create(&world, &draft(&key, text, &[("team", "pay"), ("bare", "")])).await.unwrap(), 1);
    let saved = get(&world, &key).await;
    assert_eq!((saved.text.as_str(), saved.version, saved.created_by.as_str()), (text, 1, "user:ada"));
    assert_eq!(saved.tags, BTreeMap::from([("team".into(), "pay".into()), ("bare".into(), String::new())]));
    let mut other = key.clone();
    other.parent = Some(id("prod"));
    assert_eq!(world.store.documents().get(&other).await.unwrap(), None, "the parent is a part of the key");
}

async fn nobody_overwrites_what_they_have_not_read(world: World) {
    let key = key("service", "payment");
    create(&world, &draft(&key, "one", &[])).await.unwrap();
    let again = create(&world, &draft(&key, "other", &[])).await.unwrap_err();
    assert!(matches!(again, StoreError::Conflict { what: "document" }), "{again:?}");

    let read = get(&world, &key).await;
    let mut write = Write::new();
    write.update_document(&read, &Draft { at: at(5), by: "user:bob".into(), ..draft(&key, "two", &[]) });
    world.store.write(write.clone()).await.unwrap();
    let late = world.store.write(write).await.unwrap_err();
    assert!(late.is_conflict(), "{late:?}");

    let now = get(&world, &key).await;
    assert_eq!((now.text.as_str(), now.version, now.updated_at, now.created_at), ("two", 2, at(5), at(1)));
    assert_ne!(now.etag(), read.etag());
    let mut write = Write::new();
    write.delete_document(&read, "user:bob", at(6));
    assert!(world.store.write(write).await.unwrap_err().is_conflict());
}

async fn a_name_can_be_used_again_and_its_version_goes_on(world: World) {
    let key = key("connector", "git");
    create(&world, &draft(&key, "one", &[])).await.unwrap();
    let mut write = Write::new();
    write.delete_document(&get(&world, &key).await, "user:bob", at(2));
    world.store.write(write).await.unwrap();
    assert_eq!(world.store.documents().get(&key).await.unwrap(), None);
    assert_eq!(create(&world, &draft(&key, "new", &[])).await.unwrap(), 3);

    let history = world.store.documents().history(&key, &PageRequest::first(2)).await.unwrap();
    let told: Vec<_> = history.items.iter().map(|v| (v.version, v.action.as_str(), v.text.as_str())).collect();
    assert_eq!(told, [(3, "create", "new"), (2, "delete", "one")]);
    let rest = PageRequest { limit: 2, after: history.next };
    let rest = world.store.documents().history(&key, &rest).await.unwrap();
    assert_eq!((rest.items.len(), rest.items[0].version, rest.next), (1, 1, None));
    assert_eq!(world.store.documents().version(&key, 1).await.unwrap().unwrap().text, "one");
}

async fn lists_are_filtered_and_read_in_pages(world: World) {
    for name in ["a", "b", "c_d", "cxd", "e"] {
        let tags: &[_] = if name < "c" { &[("team", "Pay")] } else { &[("team", "core"), ("x", "")] };
        create(&world, &draft(&key("service", name), "text", tags)).await.unwrap();
    }
    let account = DocumentKey { scope: Scope::Account, ..key("service", "shared") };
    create(&world, &draft(&account, "text", &[])).await.unwrap();
    let org = DocumentKey { scope: Scope::Org { org: id("default") }, ..key("service", "shared") };
    create(&world, &draft(&org, "text", &[])).await.unwrap();
    let other = DocumentKey { scope: project("other"), ..key("service", "b") };
    create(&world, &draft(&other, "text", &[])).await.unwrap();
    create(&world, &draft(&key("pipeline", "a"), "text", &[])).await.unwrap();

    let services = DocumentFilter { kind: Some("service".into()), ..DocumentFilter::default() };
    let at = |scopes| DocumentFilter { scopes, ..services.clone() };
    let tag = |tag: &str, value: Option<&str>| DocumentFilter {
        tags: vec![(tag.into(), value.map(str::to_owned))],
        ..services.clone()
    };
    let text = |text: &str| DocumentFilter { text: Some(text.into()), ..services.clone() };
    let cases = [
        (services.clone(), "shared shared b a b c_d cxd e"),
        (at(Scopes::At(project("platform"))), "a b c_d cxd e"),
        (at(Scopes::At(Scope::Account)), "shared"),
        (at(Scopes::Within(Scope::Org { org: id("default") })), "shared b a b c_d cxd e"),
        (at(Scopes::VisibleFrom(project("other"))), "shared shared b"),
        (tag("team", Some("pay")), "a b"),
        (tag("team", None), "a b c_d cxd e"),
        (tag("x", Some("")), "c_d cxd e"),
        (tag("tea", None), ""),
        (text("C_D"), "c_d"),
        (text("the c"), "c_d cxd"),
        (DocumentFilter { parent: Some(id("prod")), ..services.clone() }, ""),
    ];
    for (filter, wanted) in cases {
        let mut names = Vec::new();
        let mut page = PageRequest::first(2);
        loop {
            let found = world.store.documents().list(&filter, &page).await.unwrap();
            assert!(found.items.len() <= 2);
            names.extend(found.items.into_iter().map(|document| document.key.identifier.to_string()));
            match found.next {
                Some(next) => page.after = Some(next),
                None => break,
            }
        }
        assert_eq!(names.join(" "), wanted, "{filter:?}");
        assert_eq!(world.store.documents().count(&filter).await.unwrap(), names.len() as u64);
    }
    let bad = PageRequest { limit: 2, after: Some("x".into()) };
    let error = world.store.documents().list(&services, &bad).await.unwrap_err();
    assert!(matches!(error, StoreError::BadCursor { .. }), "{error:?}");
}

async fn a_nul_is_refused(world: World) {
    let error = create(&world, &draft(&key("service", "a"), "a\0b", &[])).await.unwrap_err();
    assert!(matches!(error, StoreError::Nul { what: "document" }), "{error:?}");
}

async fn promises_of_joined_writes_are_kept(world: World) {
    let keys = ["a", "b", "c"].map(|name| key("service", name));
    create(&world, &draft(&keys[1], "old", &[])).await.unwrap();
    let mut write = Write::new();
    write.delete_document(&get(&world, &keys[1]).await, "user:ada", at(2));
    world.store.write(write).await.unwrap();

    let (mut first, mut second, mut third) = (Write::new(), Write::new(), Write::new());
    let a = first.create_document(&draft(&keys[0], "a", &[]));
    let b = second.create_document(&draft(&keys[1], "b", &[]));
    let c = third.create_document(&draft(&keys[2], "c", &[]));
    let elsewhere = Write::new().create_document(&draft(&keys[0], "x", &[]));
    second.extend(third);
    first.extend(second);
    let mut receipt = world.store.write(first).await.unwrap();
    assert_eq!((receipt.one(c).unwrap(), receipt.one(b).unwrap(), receipt.one(a).unwrap()), (1, 3, 1));
    assert!(receipt.one(elsewhere).is_err(), "promised by another write");
    assert!(receipt.one(a).is_err(), "redeemed before");
}
