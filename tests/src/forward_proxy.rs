use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

/// A forward proxy as companies have them: tunnels for `CONNECT`, plain requests with whole addresses, and a list of what was
/// asked for.
#[derive(Debug)]
pub struct ForwardProxy {
    address: String,
    asked: Arc<Mutex<Vec<String>>>,
}

impl ForwardProxy {
    /// `login`: the user and password that it demands, `user:password` in base64.
    pub fn start(login: Option<&'static str>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let asked: Arc<Mutex<Vec<String>>> = Arc::default();
        let list = Arc::clone(&asked);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let list = Arc::clone(&list);
                // A connection that breaks is the business of its two ends.
                thread::spawn(move || serve(stream, login, &list).ok());
            }
        });
        Self { address, asked }
    }

    pub fn address(&self) -> &str {
        &self.address
    }

    /// Method and address of every request so far: `CONNECT 127.0.0.1:6443`, `GET http://127.0.0.1:3000/a`.
    pub fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

fn serve(mut client: TcpStream, login: Option<&str>, asked: &Arc<Mutex<Vec<String>>>) -> std::io::Result<()> {
    let head = head(&mut client)?;
    let mut words = head.split(' ');
    let (method, target) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    asked.lock().unwrap_or_else(PoisonError::into_inner).push(format!("{method} {target}"));
    let shown = head.lines().find_map(|line| line.strip_prefix("proxy-authorization: Basic "));
    let shown = shown.or_else(|| head.lines().find_map(|line| line.strip_prefix("Proxy-Authorization: Basic ")));
    if login.is_some() && shown != login {
        client.write_all(b"HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n")?;
        return Ok(());
    }
    let server = if method == "CONNECT" {
        let server = TcpStream::connect(target)?;
        client.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n")?;
        server
    } else {
        let host = target.trim_start_matches("http://").split('/').next().unwrap_or_default();
        let mut server = TcpStream::connect(host)?;
        // Further requests of this connection go to the same host and keep their whole address, which servers have to accept.
        server.write_all(head.replacen(&format!("http://{host}"), "", 1).as_bytes())?;
        server
    };
    let (from_client, to_server) = (client.try_clone()?, server.try_clone()?);
    let list = Arc::clone(asked);
    let up = thread::spawn(move || upwards(from_client, to_server, &list));
    let (mut from_server, mut to_client) = (server, client);
    let _ = std::io::copy(&mut from_server, &mut to_client);
    let _ = to_client.shutdown(Shutdown::Both);
    let _ = up.join();
    Ok(())
}

/// What a client says, to the server. Further plain requests of the same connection are noted too: each begins a read.
fn upwards(mut client: TcpStream, mut server: TcpStream, asked: &Mutex<Vec<String>>) {
    let mut bytes = [0; 16 * 1024];
    while let Ok(count @ 1..) = client.read(&mut bytes) {
        let said = String::from_utf8_lossy(&bytes[..count.min(512)]);
        if let Some((request, _)) = said.split_once(" HTTP/1.1\r\n").filter(|(request, _)| request.contains(" http://"))
        {
            asked.lock().unwrap_or_else(PoisonError::into_inner).push(request.to_owned());
        }
        if server.write_all(&bytes[..count]).is_err() {
            break;
        }
    }
    let _ = server.shutdown(Shutdown::Write);
}

/// The first line and the headers, up to the empty line and nothing of the body.
fn head(stream: &mut TcpStream) -> std::io::Result<String> {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") && head.len() < 64 * 1024 {
        stream.read_exact(&mut byte)?;
        head.push(byte[0]);
    }
    Ok(String::from_utf8_lossy(&head).into_owned())
}
