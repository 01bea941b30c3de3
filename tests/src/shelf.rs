//! A repository of charts: fixed answers to one user, over plain HTTP on this machine.

use flate2::Compression;
use flate2::write::GzEncoder;
use sha2::{Digest as _, Sha256};
use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

/// Serves until the test process ends.
#[derive(Clone, Debug)]
pub struct Shelf {
    address: SocketAddr,
    authorization: String,
    answers: Arc<Mutex<BTreeMap<String, Vec<u8>>>>,
}

/// A packed chart.
pub fn packed(name: &str, files: &[(&str, String)]) -> Vec<u8> {
    let mut builder = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
    for (path, text) in files {
        let mut header = tar::Header::new_gnu();
        header.set_size(text.len() as u64);
        header.set_mode(0o644);
        builder.append_data(&mut header, format!("{name}/{path}"), text.as_bytes()).unwrap();
    }
    builder.into_inner().unwrap().finish().unwrap()
}

impl Shelf {
    pub fn new(user: &str, password: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let text = format!("{user}:{password}");
        let authorization = format!("Basic {}", base64::Engine::encode(&base64::prelude::BASE64_STANDARD, text));
        let shelf = Self { address: listener.local_addr().unwrap(), authorization, answers: Arc::default() };
        shelf.put("/v2/", "{}");
        let serving = shelf.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let shelf = serving.clone();
                std::thread::spawn(move || shelf.answer(stream));
            }
        });
        shelf
    }

    /// `127.0.0.1:PORT`
    pub fn address(&self) -> String {
        self.address.to_string()
    }

    pub fn put(&self, path: &str, content: impl Into<Vec<u8>>) {
        self.answers.lock().unwrap().insert(path.to_owned(), content.into());
    }

    /// SHA-256 in hexadecimal.
    pub fn digest(&self, bytes: &[u8]) -> String {
        Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// A chart as registries have it, under the tag of its version; the list of tags is that of all so far.
    pub fn chart(&self, name: &str, version: &str, packed: Vec<u8>) {
        let digest = self.digest(&packed);
        let layer = format!(
            r#"{{"mediaType":"application/vnd.cncf.helm.chart.content.v1.tar+gzip","digest":"sha256:{digest}","size":{}}}"#,
            packed.len()
        );
        self.put(&format!("/v2/{name}/blobs/sha256:{digest}"), packed);
        self.put(&format!("/v2/{name}/manifests/{version}"), format!(r#"{{"schemaVersion":2,"layers":[{layer}]}}"#));
        let list = format!("/v2/{name}/tags/list");
        if !self.answers.lock().unwrap().contains_key(&list) {
            self.tags(name, &[version]);
        }
    }

    /// The tags of a chart.
    pub fn tags(&self, name: &str, versions: &[&str]) {
        let tags: Vec<String> = versions.iter().map(|version| format!("\"{version}\"")).collect();
        self.put(&format!("/v2/{name}/tags/list"), format!(r#"{{"tags":[{}]}}"#, tags.join(",")));
    }

    fn answer(&self, mut stream: TcpStream) {
        let mut lines = BufReader::new(stream.try_clone().unwrap()).lines().map_while(Result::ok);
        let Some(first) = lines.next() else { return };
        let path = first.split(' ').nth(1).unwrap_or_default();
        let path = path.split('?').next().unwrap_or_default().to_owned();
        let headers: Vec<String> = lines.take_while(|line| !line.is_empty()).collect();
        let known = headers.iter().any(|line| {
            line.split_once(": ")
                .is_some_and(|(name, value)| name.eq_ignore_ascii_case("authorization") && value == self.authorization)
        });
        let found = self.answers.lock().unwrap().get(&path).cloned();
        let (status, more, body) = match (known, found) {
            (false, _) => ("401 Unauthorized", "www-authenticate: Basic realm=\"shelf\"\r\n", Vec::new()),
            (true, Some(body)) => ("200 OK", "", body),
            (true, None) => ("404 Not Found", "", Vec::new()),
        };
        let head = format!("HTTP/1.1 {status}\r\ncontent-length: {}\r\nconnection: close\r\n{more}\r\n", body.len());
        let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(&body));
    }
}
