use super::{ANSWER, Endpoint, NoAnswer, poll};
use crate::codec::{decode, encode};
use crate::message::{ToServer, ToWorker};
use crate::socket::{Channel, batch, channel_pair, forward};
use futures::{SinkExt, StreamExt};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::handshake::client::generate_key;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;
use tokio_tungstenite::tungstenite::protocol::{Role, WebSocketConfig};

/// What carries the frames.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Transport {
    /// WebSocket; long-polls when the way there does not let it through.
    #[default]
    Auto,
    WebSocket,
    Poll,
}

/// Why there is no connection.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    #[error("cannot reach {server}")]
    Unreachable { server: String, source: NoAnswer },
    #[error("the server no longer accepts the worker's token: register again")]
    Token,
    #[error("{server} did not switch to WebSocket (status {status}): a proxy on the way may not let it through")]
    NotSwitched { server: String, status: u16 },
}

/// Opens a connection. The pump runs in a task of its own and ends when the channel is dropped or the server goes away.
pub async fn connect(
    endpoint: &Endpoint,
    token: &str,
    transport: Transport,
) -> Result<Channel<ToWorker, ToServer>, ConnectError> {
    if transport != Transport::Poll {
        match websocket(endpoint, token).await {
            Err(ConnectError::NotSwitched { server, status }) if transport == Transport::Auto => {
                tracing::warn!(%server, status, "no WebSocket on the way to the server; falling back to long-polls");
            }
            other => return other,
        }
    }
    let (near, far) = channel_pair();
    tokio::spawn(poll::pump(endpoint.clone(), token.to_owned(), near));
    Ok(far)
}

/// The handshake goes through the HTTP client, so proxies and own authorities work as for everything else.
async fn websocket(endpoint: &Endpoint, token: &str) -> Result<Channel<ToWorker, ToServer>, ConnectError> {
    let server = || endpoint.server.clone();
    let key = generate_key();
    let request = endpoint
        .http
        .get(endpoint.url("connect"))
        .version(http::Version::HTTP_11)
        .header("connection", "Upgrade")
        .header("upgrade", "websocket")
        .header("sec-websocket-version", "13")
        .header("sec-websocket-key", &key);
    let answer = endpoint
        .answer(endpoint.signed(request, token), ANSWER)
        .await
        .map_err(|source| ConnectError::Unreachable { server: server(), source })?;
    let status = answer.status().as_u16();
    if status == 401 || status == 403 {
        return Err(ConnectError::Token);
    }
    let accepted =
        answer.headers().get("sec-websocket-accept").is_some_and(|a| a == &derive_accept_key(key.as_bytes()));
    if status != 101 || !accepted {
        return Err(ConnectError::NotSwitched { server: server(), status });
    }
    let broken = |source| ConnectError::Unreachable { server: server(), source: NoAnswer::Broken(source) };
    let stream = answer.upgrade().await.map_err(broken)?;
    let limits =
        WebSocketConfig::default().max_message_size(Some(64 * 1024 * 1024)).read_buffer_size(crate::READ_BUFFER);
    let socket = WebSocketStream::from_raw_socket(stream, Role::Client, Some(limits)).await;
    let (near, far) = channel_pair();
    tokio::spawn(pump(socket, near));
    Ok(far)
}

async fn pump(socket: WebSocketStream<reqwest::Upgraded>, near: Channel<ToServer, ToWorker>) {
    let (to_worker, mut from_worker) = near.split();
    let (mut sink, mut stream) = socket.split();
    let write = async {
        while let Some(first) = from_worker.recv().await {
            let frames = batch(first, &mut from_worker);
            if sink.send(Message::Binary(encode(&frames))).await.is_err() {
                return;
            }
        }
        let _ = sink.send(Message::Close(None)).await;
    };
    let read = async {
        while let Some(Ok(message)) = stream.next().await {
            let goes_on = match message {
                Message::Binary(bytes) => forward(decode(bytes), &to_worker).await,
                Message::Close(_) => false,
                _ => true,
            };
            if !goes_on {
                return;
            }
        }
    };
    tokio::select! { () = write => {}, () = read => {} }
}
