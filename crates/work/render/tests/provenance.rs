//! Charts whose packers are asked for: beside the chart, in repositories, in registries. Keys are made here.
#![allow(clippy::unwrap_used, reason = "tests may fail by panic, their helpers too")]

use axum::Router;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use flate2::Compression;
use flate2::write::GzEncoder;
use pgp::composed::{ArmorOptions, CleartextSignedMessage, KeyType, SecretKeyParamsBuilder, SignedSecretKey};
use pgp::ser::Serialize as _;
use pgp::types::Password;
use rand08::SeedableRng as _;
use rand08::rngs::StdRng;
use std::collections::BTreeMap;
use std::sync::Arc;
use tempfile::TempDir;
use tokio::runtime::Runtime;
use windlass_clock::Clock;
use windlass_git::{Options, Repositories};
use windlass_helm::Chart;
use windlass_http::{AddressRules, Client, Config};
use windlass_model::Timestamp;
use windlass_model::task::source::ChartRepository;
use windlass_render::local::Local;
use windlass_render::provenance::{ProvenanceError, Verification};

/// Later than any test is run: keys are bound to their names when they are made.
const NOW: Timestamp = Timestamp::from_secs(4_000_000_000);
const NAME: &str = "shop-1.0.0.tgz";

fn key(seed: u64) -> SignedSecretKey {
    let mut key = SecretKeyParamsBuilder::default();
    key.key_type(KeyType::Ed25519Legacy).can_certify(true).can_sign(true).primary_user_id("Packer".to_owned());
    key.build().unwrap().generate(StdRng::seed_from_u64(seed)).unwrap()
}

fn verification(key: &SignedSecretKey) -> Verification {
    Verification::new(&key.to_public_key().to_bytes().unwrap(), NOW).unwrap()
}

fn signed(text: &str, key: &SignedSecretKey) -> Vec<u8> {
    let message =
        CleartextSignedMessage::sign(StdRng::seed_from_u64(7), text, &key.primary_key, &Password::empty()).unwrap();
    message.to_armored_bytes(ArmorOptions::default()).unwrap()
}

/// As `helm package --sign` writes it.
fn provenance(archive: &[u8], key: &SignedSecretKey) -> Vec<u8> {
    let sum = windlass_registry::sha256(archive);
    let text = format!("apiVersion: v2\nname: shop\nversion: 1.0.0\n\n...\nfiles:\n  {NAME}: sha256:{sum}\n");
    signed(&text, key)
}

fn packed(dependency: &str) -> Vec<u8> {
    let mut builder = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
    let chart = format!("apiVersion: v2\nname: shop\nversion: 1.0.0\n{dependency}");
    let mut header = tar::Header::new_gnu();
    header.set_size(chart.len() as u64);
    builder.append_data(&mut header, "shop/Chart.yaml", chart.as_bytes()).unwrap();
    builder.into_inner().unwrap().finish().unwrap()
}

#[test]
fn archives_are_those_that_were_signed() {
    let (packer, other) = (key(1), key(2));
    let archive = packed("");
    let good = provenance(&archive, &packer);
    let ours = verification(&packer);
    assert_eq!(ours.check(NAME, &archive, &good).unwrap().user, "Packer");

    let mut tampered = archive.clone();
    *tampered.last_mut().unwrap() ^= 1;
    let told = |result: Result<_, ProvenanceError>| result.unwrap_err().to_string();
    assert!(
        told(ours.check(NAME, &tampered, &good)).starts_with("sha256 sum does not match for shop-1.0.0.tgz: \"sha256:")
    );
    assert_eq!(told(verification(&other).check(NAME, &archive, &good)), "openpgp: signature made by unknown entity");
    assert_eq!(
        told(ours.check("other-1.0.0.tgz", &archive, &good)),
        "provenance does not contain a SHA for a file named \"other-1.0.0.tgz\""
    );
    let forged = String::from_utf8(good).unwrap().replace("version: 1.0.0", "version: 6.6.6");
    assert!(told(ours.check(NAME, &archive, forged.as_bytes())).starts_with("openpgp: invalid signature"));
    for (text, wanted) in [
        ("name: shop\n", "message block must have at least two parts"),
        ("name: shop\n...\nfiles: []\n", "provenance does not contain a SHA for a file named \"shop-1.0.0.tgz\""),
        ("name: [\n...\nfiles: {}\n", "what was signed for shop-1.0.0.tgz is no YAML"),
    ] {
        assert_eq!(told(ours.check(NAME, &archive, &signed(text, &packer))), wanted);
    }
    for nothing in [&b""[..], b"text", b"\xff\xfe"] {
        assert_eq!(told(ours.check(NAME, &archive, nothing)), "failed to decode signature: signature block not found");
    }
}

/// A server with fixed answers, and a way there.
struct Shelf {
    url: String,
    runtime: Runtime,
    folder: TempDir,
}

async fn answer(State(answers): State<Arc<BTreeMap<String, Vec<u8>>>>, asked: Request) -> Response {
    let found = answers.get(asked.uri().path()).cloned();
    found.map_or_else(|| StatusCode::NOT_FOUND.into_response(), axum::response::IntoResponse::into_response)
}

impl Shelf {
    fn new(answers: &[(String, Vec<u8>)]) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let listener = runtime.block_on(tokio::net::TcpListener::bind("127.0.0.1:0")).unwrap();
        let url = listener.local_addr().unwrap().to_string();
        let answers: Arc<BTreeMap<_, _>> = Arc::new(answers.iter().cloned().collect());
        let router = Router::new().fallback(answer).with_state(answers);
        runtime.spawn(async move { axum::serve(listener, router).await });
        Self { url, runtime, folder: tempfile::tempdir().unwrap() }
    }

    fn local(&self, verification: Verification) -> Local {
        let clock = Clock::system();
        let repositories = Repositories::open(Options::new(self.folder.path(), clock)).unwrap();
        let config = Config { addresses: AddressRules::worker(), ..Config::default() };
        let client = Client::new(config, clock, Arc::new(|| 0.5)).unwrap();
        Local::new(Arc::new(repositories), client, self.runtime.handle().clone()).verifying(verification)
    }

    fn repository(&self, kind: &str) -> ChartRepository {
        ChartRepository {
            connector: String::new(),
            url: format!("{kind}://{}/charts", self.url),
            username: None,
            password: None,
        }
    }
}

fn of_repository(archive: &[u8], provenance: Option<Vec<u8>>) -> Shelf {
    let index = format!("apiVersion: v1\nentries: {{shop: [{{version: 1.0.0, urls: [{NAME}]}}]}}\n");
    let mut answers =
        vec![("/charts/index.yaml".to_owned(), index.into_bytes()), (format!("/charts/{NAME}"), archive.to_vec())];
    answers.extend(provenance.map(|text| (format!("/charts/{NAME}.prov"), text)));
    Shelf::new(&answers)
}

fn of_registry(archive: &[u8], provenance: Option<Vec<u8>>) -> Shelf {
    let mut answers = Vec::new();
    let mut layers = Vec::new();
    let kinds = ["chart.content.v1.tar+gzip", "chart.provenance.v1.prov"];
    for (kind, bytes) in kinds.into_iter().zip([Some(archive.to_vec()), provenance]) {
        let Some(bytes) = bytes else { continue };
        let digest = windlass_registry::sha256(&bytes);
        layers.push(format!(r#"{{"mediaType":"application/vnd.cncf.helm.{kind}","digest":"sha256:{digest}"}}"#));
        answers.push((format!("/v2/charts/shop/blobs/sha256:{digest}"), bytes));
    }
    let manifest = format!(r#"{{"layers":[{}]}}"#, layers.join(","));
    answers.push(("/v2/charts/shop/manifests/1.0.0".to_owned(), manifest.into_bytes()));
    Shelf::new(&answers)
}

#[test]
fn charts_of_repositories_and_registries_are_checked() {
    let (packer, other) = (key(1), key(2));
    let archive = packed("");
    let good = provenance(&archive, &packer);
    for (kind, shelf) in [("http", of_repository as fn(&[u8], _) -> Shelf), ("oci", of_registry)] {
        let there = shelf(&archive, Some(good.clone()));
        let pulled = there.local(verification(&packer)).chart(&there.repository(kind), "shop", "1.0.0");
        assert_eq!(pulled.unwrap().metadata.version, "1.0.0", "{kind}");
        let wrong = there.local(verification(&other)).chart(&there.repository(kind), "shop", "1.0.0").unwrap_err();
        assert!(wrong.contains("openpgp: signature made by unknown entity"), "{kind}: {wrong}");
        let unsigned = shelf(&archive, None);
        let refused = unsigned.local(verification(&packer)).chart(&unsigned.repository(kind), "shop", "1.0.0");
        let refused = refused.unwrap_err();
        assert!(refused.contains("failed to fetch provenance \"shop-1.0.0.tgz.prov of "), "{kind}: {refused}");
        let replaced = shelf(&packed("description: another one\n"), Some(good.clone()));
        let refused = replaced.local(verification(&packer)).chart(&replaced.repository(kind), "shop", "1.0.0");
        assert!(refused.unwrap_err().contains("sha256 sum does not match for shop-1.0.0.tgz"), "{kind}");
    }
}

#[test]
fn what_a_chart_depends_on_is_checked_too() {
    let packer = key(1);
    let archive = packed("");
    for (provenance, fits) in [(Some(provenance(&archive, &packer)), true), (None, false)] {
        let shelf = of_repository(&archive, provenance);
        let url = shelf.repository("http").url;
        let mine = format!(
            "apiVersion: v2\nname: mine\nversion: 1.0.0\ndependencies: [{{name: shop, version: 1.0.0, repository: '{url}'}}]\n"
        );
        let mut chart = Chart::load([("Chart.yaml".to_owned(), mine.into_bytes())].into()).unwrap();
        let completed = shelf.local(verification(&packer)).complete(&mut chart, None, None);
        match fits {
            true => assert_eq!(completed, Ok(())),
            false => assert!(completed.unwrap_err().contains("failed to fetch provenance")),
        }
    }
}

#[test]
fn an_address_has_its_provenance_beside_it() {
    let packer = key(1);
    let archive = packed("");
    let shelf = of_repository(&archive, Some(provenance(&archive, &packer)));
    let address = format!("{}/{NAME}", shelf.repository("http").url);
    assert_eq!(shelf.local(verification(&packer)).packed(&address).unwrap().name(), "shop");
    let unsigned = of_repository(&archive, None);
    let address = format!("{}/{NAME}", unsigned.repository("http").url);
    let refused = unsigned.local(verification(&packer)).packed(&address).unwrap_err();
    assert_eq!(refused, format!("failed to fetch provenance \"{address}.prov\""));
}
