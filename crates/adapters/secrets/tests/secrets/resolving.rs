use serde_json::json;
use windlass_model::task::{SecretBinding, SecretSource, Secrets};
use windlass_model::{Scope, TaskId};
use windlass_secrets::{
    Clear, Delivery, EnvironmentStore, FileStore, Keyring, MasterKey, SecretPlace, SecretStores, UnknownToken, Vault,
    WorkerKey, masked,
};

fn task() -> TaskId {
    "task_01J9ZB2V1Q3W4E5R6T7Y8Z9A0B".parse().unwrap()
}

fn bound(reference: &str, source: SecretSource) -> SecretBinding {
    SecretBinding { reference: reference.into(), source }
}

/// One secret from each store, and tokens for all of them in one document.
#[tokio::test]
async fn a_task_gets_its_secrets_from_all_stores() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("kubeconfig"), "token: fromfile\n").unwrap();
    let key = WorkerKey::generate().unwrap();
    let place = SecretPlace { scope: Scope::Account, identifier: "pat".parse().unwrap() };
    let vault = Vault::new(Keyring::new(MasterKey::generate("k1").unwrap()));
    let stored = vault.store(&place, &Clear::from("fromstore")).unwrap();
    let delivery = Delivery { task: task(), attempt: 1, reference: "account/pat" };
    let sealed = vault.seal_for(&key.public(), &delivery, &place, &stored).unwrap();
    let environment = EnvironmentStore::new(
        "WINDLASS_SECRET_",
        [("WINDLASS_SECRET_X".into(), "fromenv".into()), ("HOME".into(), "/root".into())],
    );
    let stores = SecretStores::new(key, Some(FileStore::new(folder.path())), environment);

    let secrets = Secrets {
        nonce: "n1".into(),
        bindings: vec![
            bound("account/pat", sealed),
            bound("account/file", SecretSource::File { path: "kubeconfig".into() }),
            bound("org:acme/env", SecretSource::Environment { variable: "WINDLASS_SECRET_X".into() }),
        ],
        ..Secrets::default()
    };
    let opened = stores.open(task(), 1, &secrets).await.unwrap();
    let token = |reference: &str| secrets.token(reference);
    let foreign = Secrets { nonce: "n2".into(), ..Secrets::default() }.token("account/pat");
    let document = json!({
        "url": format!("https://u:{}@git/{}", token("account/pat"), token("org:acme/env")),
        "nested": [{"file": token("account/file")}, 7, null],
        "payload": foreign,
    });
    assert_eq!(
        opened.json(&document).unwrap(),
        json!({
            "url": "https://u:fromstore@git/fromenv", "nested": [{"file": "token: fromfile"}, 7, null], "payload": foreign,
        })
    );
    assert!(opened.has_secret(&token("account/pat")) && !opened.has_secret(&foreign));
    assert_eq!(opened.text(&token("account/none")), Err(UnknownToken("account/none".into())));
    assert_eq!(masked(&opened.mask(), "git clone https://u:fromstore@git"), "git clone https://u:**************@git");
    assert!(!format!("{opened:?} {stores:?}").contains("from"));

    // What was sealed for another attempt does not open.
    let errors = stores.open(task(), 2, &secrets).await.unwrap_err();
    assert_eq!(errors.to_string(), "secret `account/pat` was not sealed to this worker for this task");
}

#[tokio::test]
async fn everything_that_is_missing_is_told_at_once() {
    let stores =
        SecretStores::new(WorkerKey::generate().unwrap(), None, EnvironmentStore::new("", [("A".into(), "b".into())]));
    let secrets = Secrets {
        nonce: "n1".into(),
        bindings: vec![
            bound("account/a", SecretSource::Pending),
            bound("account/b", SecretSource::File { path: "x".into() }),
            bound("account/c", SecretSource::Environment { variable: "A".into() }),
        ],
        ..Secrets::default()
    };
    let errors = stores.open(task(), 1, &secrets).await.unwrap_err();
    insta::assert_snapshot!(errors.to_string().replace("; ", "\n"), @r"
    secret `account/a` came without a value
    secret `account/b` names file x, and this worker has no folder for secrets
    secret `account/c` names environment variable A, which this worker does not allow
    ");
}

#[tokio::test]
async fn a_secret_that_looks_like_a_token_is_not_looked_into() {
    let secrets = Secrets {
        nonce: "n1".into(),
        bindings: vec![
            bound("account/a", SecretSource::Environment { variable: "S_A".into() }),
            bound("account/b", SecretSource::Environment { variable: "S_B".into() }),
        ],
        ..Secrets::default()
    };
    let tricky = secrets.token("account/b");
    let environment = EnvironmentStore::new("S_", [("S_A".into(), tricky.clone()), ("S_B".into(), "hidden".into())]);
    let stores = SecretStores::new(WorkerKey::generate().unwrap(), None, environment);
    let opened = stores.open(task(), 1, &secrets).await.unwrap();
    assert_eq!(opened.text(&secrets.token("account/a")), Ok(Clear::from(tricky)));
}
