//! Server-sent events, one at a time.

use crate::client::Client;
use crate::failure::CliFailure;
use futures::StreamExt as _;
use futures::stream::BoxStream;
use reqwest::{RequestBuilder, Response};
use windlass_model::Millis;

/// How long a server that does not answer is waited for.
const PATIENCE: Millis = Millis::from_mins(2);

/// Between two tries.
const PAUSE: Millis = Millis(500);

/// The events of one answer.
pub(super) struct Events {
    chunks: BoxStream<'static, Vec<u8>>,
    /// What was received and is not a whole event yet. Bytes: a character may lie across two chunks.
    buffer: Vec<u8>,
}

impl Events {
    pub(super) async fn open(client: &Client, request: RequestBuilder) -> Result<Self, CliFailure> {
        Ok(Self::of(client.send(request).await?))
    }

    /// Asks once more after a stream ended before its time: the server was restarted, or a proxy cut it. A server that does not
    /// answer is waited for.
    pub(super) async fn again(client: &Client, request: RequestBuilder) -> Result<Self, CliFailure> {
        let clock = windlass_clock::Clock::system();
        let until = clock.now() + PATIENCE;
        loop {
            clock.sleep(PAUSE).await;
            let once = request.try_clone().ok_or_else(|| CliFailure::internal("a request that cannot be repeated"))?;
            match client.send(once).await {
                Err(failure) if failure.is_temporary() && clock.now() < until => {}
                answer => return answer.map(Self::of),
            }
        }
    }

    fn of(answer: Response) -> Self {
        // A connection that breaks ends the stream; the caller asks again.
        let chunks = answer.bytes_stream().take_while(|chunk| std::future::ready(chunk.is_ok()));
        let chunks = chunks.filter_map(|chunk| std::future::ready(chunk.ok().map(|chunk| chunk.to_vec()))).boxed();
        Self { chunks, buffer: Vec::new() }
    }

    /// Name and data of the next event; comments are passed over. `None`: the stream has ended.
    pub(super) async fn next(&mut self) -> Option<(String, String)> {
        loop {
            while let Some(end) = self.buffer.windows(2).position(|two| two == b"\n\n") {
                let message: Vec<u8> = self.buffer.drain(..end + 2).collect();
                if let Some(event) = read(&String::from_utf8_lossy(&message)) {
                    return Some(event);
                }
            }
            self.buffer.extend(self.chunks.next().await?);
        }
    }
}

fn read(message: &str) -> Option<(String, String)> {
    let field = |line: &str, name: &str| {
        let value = line.strip_prefix(name)?.strip_prefix(':')?;
        Some(value.strip_prefix(' ').unwrap_or(value).to_owned())
    };
    let kind = message.lines().find_map(|line| field(line, "event")).unwrap_or_default();
    let data: Vec<String> = message.lines().filter_map(|line| field(line, "data")).collect();
    (!data.is_empty()).then(|| (kind, data.join("\n")))
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn events_are_read_and_comments_are_not() {
        assert_eq!(read("event: line\ndata: {}\n\n"), Some(("line".into(), "{}".into())));
        assert_eq!(read("data:a\ndata: b\nid: 3\n\n"), Some((String::new(), "a\nb".into())));
        assert_eq!(read(":\n\n"), None);
    }
}
