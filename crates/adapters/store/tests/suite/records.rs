use crate::support::{World, at, id, on_every_engine, project};
use windlass_model::Scope;
use windlass_model::id::{ApprovalId, EventId};
use windlass_store::approvals::{Approval, ApprovalFilter};
use windlass_store::baselines::{Baseline, BaselineKey};
use windlass_store::idempotency::Answered;
use windlass_store::log_index::LogEntry;
use windlass_store::policy_evaluations::{PolicyEvaluation, PolicyEvaluationFilter};
use windlass_store::secrets::SealedSecret;
use windlass_store::settings::Setting;
use windlass_store::trigger_events::{TriggerEvent, TriggerKey, TriggerOutcome};
use windlass_store::webhook_tokens::WebhookToken;
use windlass_store::{PageRequest, Scopes, StoreError, TokenHash, Write};

on_every_engine!(
    questions_are_answered_by_who_read_them,
    an_event_starts_one_run_per_trigger,
    webhook_tokens_lead_to_their_trigger,
    the_youngest_baseline_stays,
    the_narrowest_setting_comes_last,
    secrets_are_sealed_anew_only_when_unchanged,
    a_request_is_answered_once,
    policy_evaluations_are_listed,
    logs_of_a_run_are_listed,
);

async fn questions_are_answered_by_who_read_them(world: World) {
    let ask = |callback: Option<&str>| Approval {
        id: ApprovalId::from_ulid(world.ulid()),
        run: world.run(),
        node: "prod.approve".into(),
        scope: project("platform"),
        pipeline: id("payment"),
        callback_id: callback.map(str::to_owned),
        state: "waiting".into(),
        version: 1,
        asked_at: at(0),
        deadline: Some(at(86_400)),
        ended_at: None,
        body: r#"{"message":"Deploy?"}"#.into(),
    };
    let (one, two) = (ask(None), ask(Some("hook")));
    let mut write = Write::new();
    write.ask(&one).ask(&two);
    world.store.write(write.clone()).await.unwrap();
    assert!(world.store.write(write).await.unwrap_err().is_conflict());
    let approvals = world.store.approvals();
    assert_eq!(approvals.get(two.id).await.unwrap(), Some(two.clone()));
    let mut yes = Write::new();
    yes.update_approval(&Approval { state: "approved".into(), ended_at: Some(at(9)), ..one.clone() });
    world.store.write(yes.clone()).await.unwrap();
    assert!(world.store.write(yes).await.unwrap_err().is_conflict(), "two answers at once");
    let list = async |filter| {
        let page = approvals.list(&filter, &PageRequest::default()).await.unwrap();
        page.items.iter().map(|approval| approval.id).collect::<Vec<_>>()
    };
    let any = ApprovalFilter::default;
    assert_eq!(list(any()).await, [two.id, one.id]);
    assert_eq!(list(ApprovalFilter { open: true, ..any() }).await, [two.id]);
    assert_eq!(list(ApprovalFilter { run: Some(one.run), ..any() }).await, [one.id]);
    assert_eq!(list(ApprovalFilter { callback_id: Some("hook".into()), ..any() }).await, [two.id]);
    assert_eq!(list(ApprovalFilter { pipeline: Some(id("other")), ..any() }).await, []);
}

async fn an_event_starts_one_run_per_trigger(world: World) {
    let event = TriggerEvent {
        id: EventId::from_ulid(world.ulid()),
        scope: project("platform"),
        source: "custom".into(),
        received_at: at(0),
        sender: "serviceAccount:ci".into(),
        headers: "{}".into(),
        payload: b"\x00not json\xff".to_vec(),
        status: "QUEUED".into(),
        message: String::new(),
    };
    let outcome = |trigger: &str, run| TriggerOutcome {
        event: event.id,
        scope: project("platform"),
        pipeline: id("payment"),
        trigger: id(trigger),
        at: at(1),
        status: "TARGET_EXECUTION_REQUESTED".into(),
        message: "all conditions hold".into(),
        run,
    };
    let run = world.run();
    let mut write = Write::new();
    write.receive_event(&event);
    world.store.write(write).await.unwrap();
    let mut write = Write::new();
    write.trigger_outcome(&outcome("push", Some(run))).event_status(event.id, "PROCESSED", "1 of 1");
    world.store.write(write.clone()).await.unwrap();
    assert!(world.store.write(write).await.unwrap_err().is_conflict(), "processed twice, started once");
    let mut write = Write::new();
    write.trigger_outcome(&outcome("other", None));
    world.store.write(write).await.unwrap();

    let events = world.store.trigger_events();
    let stored = events.get(event.id).await.unwrap().unwrap();
    assert_eq!((stored.payload, stored.status.as_str()), (event.payload.clone(), "PROCESSED"));
    assert_eq!(events.outcomes(event.id).await.unwrap(), [outcome("other", None), outcome("push", Some(run))]);
    assert_eq!(events.of_run(run).await.unwrap(), Some(outcome("push", Some(run))));
    let key = TriggerKey { scope: project("platform"), pipeline: id("payment"), trigger: id("push") };
    assert_eq!(events.of_trigger(&key, &PageRequest::default()).await.unwrap().items.len(), 1);
    let listed =
        async |scopes, status| events.list(&scopes, status, &PageRequest::default()).await.unwrap().items.len();
    assert_eq!(listed(Scopes::default(), Some("PROCESSED")).await, 1);
    assert_eq!(listed(Scopes::At(Scope::Account), None).await, 0);
    let mut write = Write::new();
    let _ = write.purge_events(at(1), 10);
    world.store.write(write).await.unwrap();
    assert_eq!((events.get(event.id).await.unwrap(), events.of_run(run).await.unwrap()), (None, None));
}

async fn webhook_tokens_lead_to_their_trigger(world: World) {
    let token = WebhookToken {
        hash: TokenHash::of("t0ken"),
        trigger: TriggerKey { scope: project("platform"), pipeline: id("payment"), trigger: id("push") },
        sealed: Some(vec![1, 2, 3]),
        created_at: at(0),
    };
    let mut write = Write::new();
    write.create_webhook_token(&token);
    world.store.write(write.clone()).await.unwrap();
    assert!(world.store.write(write).await.unwrap_err().is_conflict());
    let tokens = world.store.webhook_tokens();
    assert_eq!(tokens.find(TokenHash::of("t0ken")).await.unwrap(), Some(token.clone()));
    assert_eq!(tokens.of_trigger(&token.trigger).await.unwrap(), std::slice::from_ref(&token));
    let mut write = Write::new();
    write.drop_webhook_tokens(&token.trigger);
    world.store.write(write).await.unwrap();
    assert_eq!(tokens.find(TokenHash::of("t0ken")).await.unwrap(), None);
}

async fn the_youngest_baseline_stays(world: World) {
    let key = BaselineKey {
        scope: project("platform"),
        service: id("payment"),
        environment: id("prod"),
        infrastructure: id("euw1"),
    };
    let baseline = |secs, body: &str| Baseline { run: world.run(), at: at(secs), body: body.into() };
    let (old, young) = (baseline(1, "old"), baseline(2, "young"));
    assert_eq!(world.store.baselines().get(&key).await.unwrap(), None);
    for next in [&old, &young, &old] {
        let mut write = Write::new();
        write.set_baseline(&key, next);
        world.store.write(write).await.unwrap();
    }
    assert_eq!(world.store.baselines().get(&key).await.unwrap(), Some(young));
}

async fn the_narrowest_setting_comes_last(world: World) {
    let setting = |scope: Scope, value: &str| Setting {
        scope,
        name: "task.queue_wait".into(),
        value: value.into(),
        updated_at: at(0),
        updated_by: "user:ada".into(),
    };
    let mut write = Write::new();
    write.set_setting(&setting(project("platform"), "\"1m\"")).set_setting(&setting(Scope::Account, "\"10m\""));
    write.set_setting(&setting(Scope::Account, "\"9m\"")).set_setting(&setting(project("other"), "\"7m\""));
    world.store.write(write).await.unwrap();
    let values = async |scopes| {
        let list = world.store.settings().list(&scopes, Some("task.queue_wait")).await.unwrap();
        list.into_iter().map(|setting| setting.value).collect::<Vec<_>>()
    };
    assert_eq!(values(Scopes::VisibleFrom(project("platform"))).await, ["\"9m\"", "\"1m\""]);
    let mut write = Write::new();
    write.clear_setting(&project("platform"), "task.queue_wait").clear_setting(&Scope::Account, "unknown");
    world.store.write(write).await.unwrap();
    assert_eq!(values(Scopes::VisibleFrom(project("platform"))).await, ["\"9m\""]);
    // Of two who take the same value, one gets it.
    let nine = setting(Scope::Account, "\"9m\"");
    let take = async || {
        let mut write = Write::new();
        write.take_setting(&nine);
        world.store.write(write).await
    };
    take().await.unwrap();
    assert!(matches!(take().await, Err(StoreError::Conflict { .. })));
}

async fn secrets_are_sealed_anew_only_when_unchanged(world: World) {
    let secret = |sealed: &[u8]| SealedSecret {
        scope: Scope::Account,
        identifier: id("github-pat"),
        version: 0,
        master_key: "k1".into(),
        sealed: sealed.to_vec(),
        updated_at: at(0),
        updated_by: "user:ada".into(),
    };
    let put = async |sealed: &[u8]| {
        let mut write = Write::new();
        let version = write.put_secret(&secret(sealed));
        world.store.write(write).await.unwrap().one(version).unwrap()
    };
    let secrets = world.store.secrets();
    assert_eq!((put(b"\x00one").await, put(b"two").await), (1, 2));
    let read = secrets.get(&Scope::Account, &id("github-pat")).await.unwrap().unwrap();
    assert_eq!((read.sealed.as_slice(), read.version), (&b"two"[..], 2));
    assert_eq!(secrets.not_sealed_by("k2", 10).await.unwrap(), std::slice::from_ref(&read));
    put(b"three").await;
    let mut write = Write::new();
    write.reseal_secret(&read, "k2", b"TWO");
    assert!(world.store.write(write).await.unwrap_err().is_conflict(), "it was changed meanwhile");
    let read = secrets.get(&Scope::Account, &id("github-pat")).await.unwrap().unwrap();
    let mut write = Write::new();
    write.reseal_secret(&read, "k2", b"THREE");
    world.store.write(write).await.unwrap();
    assert!(secrets.not_sealed_by("k2", 10).await.unwrap().is_empty());
    let mut write = Write::new();
    write.delete_secret(&Scope::Account, &id("github-pat"));
    world.store.write(write).await.unwrap();
    assert_eq!(secrets.get(&Scope::Account, &id("github-pat")).await.unwrap(), None);
}

async fn a_request_is_answered_once(world: World) {
    let answer = Answered {
        principal: "user:ada".into(),
        key: "abc".into(),
        request: [3; 32],
        status: 201,
        answer: "{}".into(),
        at: at(0),
    };
    let mut write = Write::new();
    write.answered(&answer);
    world.store.write(write.clone()).await.unwrap();
    assert!(world.store.write(write).await.unwrap_err().is_conflict());
    let idempotency = world.store.idempotency();
    assert_eq!(idempotency.find("user:ada", "abc").await.unwrap(), Some(answer));
    assert_eq!(idempotency.find("user:bob", "abc").await.unwrap(), None, "keys belong to who sent them");
    let mut write = Write::new();
    write.answered(&Answered {
        principal: "system:retryOf".into(),
        ..idempotency.find("user:ada", "abc").await.unwrap().unwrap()
    });
    let gone = write.purge_answers(at(1), 10);
    assert_eq!(world.store.write(write).await.unwrap().rows(gone).unwrap(), ["abc"]);
    assert_eq!(idempotency.find("user:ada", "abc").await.unwrap(), None);
    assert!(idempotency.find("system:retryOf", "abc").await.unwrap().is_some(), "what the system did once stays done");
}

async fn policy_evaluations_are_listed(world: World) {
    let evaluation = |id: &str, action: &str, status: &str| PolicyEvaluation {
        id: id.into(),
        scope: project("platform"),
        action: action.into(),
        subject_kind: "pipeline".into(),
        subject: "payment".into(),
        run: (action == "onrun").then(|| world.run()),
        node: None,
        status: status.into(),
        at: at(0),
        body: "{}".into(),
    };
    let mut write = Write::new();
    let denied = evaluation("2", "onrun", "error");
    write.policy_evaluation(&evaluation("1", "onsave", "pass")).policy_evaluation(&denied);
    world.store.write(write).await.unwrap();
    let list = async |filter| {
        let page = world.store.policy_evaluations().list(&filter, &PageRequest::default()).await.unwrap();
        page.items.into_iter().map(|evaluation| evaluation.id).collect::<Vec<_>>()
    };
    let any = PolicyEvaluationFilter::default;
    assert_eq!(list(any()).await, ["2", "1"]);
    assert_eq!(list(PolicyEvaluationFilter { run: denied.run, ..any() }).await, ["2"]);
    assert_eq!(list(PolicyEvaluationFilter { status: Some("pass".into()), ..any() }).await, ["1"]);
    assert_eq!(list(PolicyEvaluationFilter { action: Some("onstep".into()), ..any() }).await, [""; 0]);
}

async fn logs_of_a_run_are_listed(world: World) {
    let run = world.run();
    let entry = |key: &str, position| LogEntry {
        key: key.into(),
        run,
        node: "deploy.apply".into(),
        unit: "Apply".into(),
        position,
        opened_at: at(0),
        closed_at: None,
        lines: 0,
        bytes: 0,
    };
    let mut write = Write::new();
    write.log_opened(&entry("b", 1)).log_opened(&entry("a", 2)).log_opened(&entry("a", 3));
    write.log_closed("b", 10, 500, at(5)).log_closed("b", 10, 500, at(6));
    world.store.write(write).await.unwrap();
    let logs = world.store.log_index().of_run(run).await.unwrap();
    assert_eq!(logs, [LogEntry { closed_at: Some(at(5)), lines: 10, bytes: 500, ..entry("b", 1) }, entry("a", 2)]);
    assert_eq!(world.store.log_index().get("nothing").await.unwrap(), None);
}
