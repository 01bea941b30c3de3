//! One port for HTTPS and, from this machine only, for plain HTTP.

use super::Identity;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;
use windlass_clock::Clock;
use windlass_model::Millis;

/// How long a client may take to say hello.
const HELLO: Millis = Millis::from_secs(10);
/// The pause after the system refused to accept, for example because too many files are open.
const PAUSE: Millis = Millis(100);
/// The first byte of every TLS connection: a handshake record.
const HANDSHAKE: u8 = 0x16;
/// What a Go server says to somebody who forgot the `s`.
const WRONG_DOOR: &[u8] =
    b"HTTP/1.0 400 Bad Request\r\nconnection: close\r\n\r\nClient sent an HTTP request to an HTTPS server.\n";

/// Connections that have said hello. A slow or silent client keeps nobody waiting.
pub(crate) struct SecureListener {
    ready: mpsc::Receiver<(Connection, SocketAddr)>,
    address: SocketAddr,
    accepting: tokio::task::JoinHandle<()>,
}

/// A connection whose bytes are in clear on our side.
pub(crate) enum Connection {
    Plain(TcpStream),
    Tls(Box<TlsStream<TcpStream>>),
}

impl SecureListener {
    pub(crate) fn new(listener: TcpListener, identity: Identity, clock: Clock) -> io::Result<Self> {
        let address = listener.local_addr()?;
        let (sender, ready) = mpsc::channel(64);
        let clock = clock.real();
        let accepting = tokio::spawn(async move {
            loop {
                let (stream, peer) = match listener.accept().await {
                    Ok(accepted) => accepted,
                    Err(error) => {
                        tracing::debug!(%error, "cannot accept");
                        clock.sleep(PAUSE).await;
                        continue;
                    }
                };
                let (sender, acceptor) = (sender.clone(), identity.acceptor.clone());
                tokio::spawn(async move {
                    match clock.timeout(HELLO, hello(stream, peer, &acceptor)).await {
                        // The receiver is gone when the server is.
                        Ok(Ok(Some(connection))) => drop(sender.send((connection, peer)).await),
                        Ok(Ok(None)) => {}
                        Ok(Err(error)) => tracing::debug!(%peer, %error, "no handshake"),
                        Err(error) => tracing::debug!(%peer, %error, "no hello"),
                    }
                });
            }
        });
        Ok(Self { ready, address, accepting })
    }
}

impl Drop for SecureListener {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

async fn hello(mut stream: TcpStream, peer: SocketAddr, acceptor: &TlsAcceptor) -> io::Result<Option<Connection>> {
    stream.set_nodelay(true)?;
    let mut first = [0];
    match stream.peek(&mut first).await? {
        0 => Ok(None),
        _ if first[0] == HANDSHAKE => Ok(Some(Connection::Tls(Box::new(acceptor.accept(stream).await?)))),
        _ if peer.ip().to_canonical().is_loopback() => Ok(Some(Connection::Plain(stream))),
        _ => {
            stream.write_all(WRONG_DOOR).await?;
            stream.shutdown().await?;
            Ok(None)
        }
    }
}

impl axum::serve::Listener for SecureListener {
    type Io = Connection;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Connection, SocketAddr) {
        match self.ready.recv().await {
            Some(accepted) => accepted,
            // The accepting task ends with this listener, not before.
            None => std::future::pending().await,
        }
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        Ok(self.address)
    }
}

/// Hands a call on to whichever stream it is.
macro_rules! each {
    ($self:ident, $call:ident $(, $argument:ident)*) => {
        match $self.get_mut() {
            Connection::Plain(stream) => Pin::new(stream).$call($($argument),*),
            Connection::Tls(stream) => Pin::new(stream).$call($($argument),*),
        }
    };
}

impl AsyncRead for Connection {
    fn poll_read(self: Pin<&mut Self>, context: &mut Context<'_>, to: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        each!(self, poll_read, context, to)
    }
}

impl AsyncWrite for Connection {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        each!(self, poll_write, context, bytes)
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        each!(self, poll_flush, context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        each!(self, poll_shutdown, context)
    }
}
