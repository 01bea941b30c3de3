use crate::support::{World, at, id, on_every_engine, project};
use windlass_model::Scope;
use windlass_model::id::AuditId;
use windlass_store::audit::seal::Broken;
use windlass_store::audit::{AuditFilter, AuditRecord, AuditSeal};
use windlass_store::{PageRequest, Scopes, Write};

on_every_engine!(
    records_are_sealed_in_a_chain,
    a_sealer_without_its_lease_seals_nothing,
    a_chain_that_was_cut_or_rewritten_is_found_by_who_kept_its_end,
    lists_are_filtered,
);

fn record(world: &World, principal: &str, action: &str) -> AuditRecord {
    AuditRecord {
        id: AuditId::from_ulid(world.ulid()),
        at: at(0),
        scope: project("platform"),
        principal: principal.into(),
        action: action.into(),
        resource_kind: "PIPELINE".into(),
        resource: "payment".into(),
        body: r#"{"newYaml":"pipeline: {}"}"#.into(),
    }
}

async fn add(world: &World, count: usize) {
    let mut write = Write::new();
    for _ in 0..count {
        write.audit(&record(world, "user:ada", "UPDATE"));
    }
    world.store.write(write).await.unwrap();
}

async fn seal(world: &World) -> u64 {
    let lease = world.store.leases().take("audit sealer", "a", at(0), at(15)).await.unwrap().unwrap();
    world.store.audit().seal(&lease).await.unwrap()
}

async fn records_are_sealed_in_a_chain(world: World) {
    let audit = world.store.audit();
    assert_eq!((seal(&world).await, audit.head().await.unwrap(), audit.verify(None).await.unwrap()), (0, None, Ok(0)));
    add(&world, 3).await;
    assert_eq!(audit.export(&PageRequest::default()).await.unwrap().items.len(), 0, "not yet sealed");
    assert_eq!(seal(&world).await, 3);
    add(&world, 520).await;
    assert_eq!(seal(&world).await, 520);
    assert_eq!(audit.verify(None).await.unwrap(), Ok(523));

    let first = audit.export(&PageRequest::first(2)).await.unwrap();
    let second = audit.export(&PageRequest { limit: 2, after: first.next.clone() }).await.unwrap();
    let seals: Vec<_> = first.items.iter().chain(&second.items).map(|entry| entry.seal.unwrap()).collect();
    assert_eq!(seals.iter().map(|seal| seal.position).collect::<Vec<_>>(), [1, 2, 3, 4]);
    assert_eq!(seals[0].previous, [0; 32]);
    assert!(seals.windows(2).all(|pair| pair[1].previous == pair[0].hash));
    assert_eq!(audit.head().await.unwrap().unwrap().position, 523);
}

async fn a_sealer_without_its_lease_seals_nothing(world: World) {
    add(&world, 2).await;
    let leases = world.store.leases();
    let lost = leases.take("audit sealer", "a", at(0), at(15)).await.unwrap().unwrap();
    leases.take("audit sealer", "b", at(15), at(30)).await.unwrap().unwrap();
    assert!(world.store.audit().seal(&lost).await.unwrap_err().is_conflict());
    assert_eq!(world.store.audit().head().await.unwrap(), None);
}

async fn a_chain_that_was_cut_or_rewritten_is_found_by_who_kept_its_end(world: World) {
    add(&world, 3).await;
    seal(&world).await;
    let audit = world.store.audit();
    let kept = audit.head().await.unwrap().unwrap();
    assert_eq!(audit.verify(Some(&kept)).await.unwrap(), Ok(3));
    let longer = AuditSeal { position: 5, ..kept };
    assert_eq!(audit.verify(Some(&longer)).await.unwrap(), Err(Broken::Short { found: 3, wanted: 5 }));
    let other = AuditSeal { hash: [1; 32], ..kept };
    assert_eq!(audit.verify(Some(&other)).await.unwrap(), Err(Broken::Rewritten { position: 3 }));
}

async fn lists_are_filtered(world: World) {
    let mut write = Write::new();
    write.audit(&record(&world, "user:ada", "CREATE")).audit(&record(&world, "user:bob", "UPDATE"));
    write.audit(&AuditRecord { scope: Scope::Account, at: at(50), ..record(&world, "user:bob", "LOGIN") });
    write.audit(&AuditRecord { resource: "billing".into(), ..record(&world, "user:ada", "DELETE") });
    world.store.write(write).await.unwrap();
    seal(&world).await;
    add(&world, 1).await;
    let any = AuditFilter::default;
    let org = Scope::Org { org: id("default") };
    let cases = [
        (any(), "UPDATE DELETE LOGIN UPDATE CREATE"),
        (AuditFilter { principal: Some("user:bob".into()), ..any() }, "LOGIN UPDATE"),
        (AuditFilter { actions: vec!["CREATE".into(), "LOGIN".into()], ..any() }, "LOGIN CREATE"),
        (AuditFilter { scopes: Scopes::Within(org), ..any() }, "UPDATE DELETE UPDATE CREATE"),
        (AuditFilter { resource_kind: Some("PIPELINE".into()), resource: Some("billing".into()), ..any() }, "DELETE"),
        (AuditFilter { from: Some(at(1)), ..any() }, "LOGIN"),
        (AuditFilter { to: Some(at(0)), ..any() }, ""),
    ];
    for (filter, wanted) in cases {
        let mut found = Vec::new();
        let mut page = PageRequest::first(2);
        loop {
            let part = world.store.audit().list(&filter, &page).await.unwrap();
            found.extend(part.items.into_iter().map(|entry| entry.record.action));
            match part.next {
                Some(next) => page.after = Some(next),
                None => break,
            }
        }
        assert_eq!(found.join(" "), wanted, "{filter:?}");
    }
}
