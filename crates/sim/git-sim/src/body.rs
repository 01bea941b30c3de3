//! Request bodies: decompressed, with a limit.

use axum::body::Body;
use axum::http::{HeaderMap, header};
use bytes::Bytes;
use flate2::write::MultiGzDecoder;
use futures::StreamExt;
use std::io::Write;

/// How much is decompressed at once: a chunk of this size grows to a few MiB at most before the limit is looked at.
const PIECE: usize = 4 << 10;

#[derive(Debug, thiserror::Error)]
pub(crate) enum BodyError {
    #[error("the body is larger than {limit} bytes")]
    TooLarge { limit: u64 },
    #[error("the body is not what `Content-Encoding: gzip` promises")]
    Gzip(#[source] std::io::Error),
    #[error("`Content-Encoding: {0}` is not offered; send gzip or nothing")]
    Encoding(String),
    #[error("the body ended early")]
    Broken(#[source] axum::Error),
    #[error("cannot keep the body")]
    Keep(#[source] std::io::Error),
}

enum Decoder {
    Plain,
    Gzip(Box<MultiGzDecoder<Vec<u8>>>),
}

impl Decoder {
    fn of(headers: &HeaderMap) -> Result<Self, BodyError> {
        match headers.get(header::CONTENT_ENCODING).map(|value| value.to_str().unwrap_or("?")) {
            None | Some("identity") => Ok(Self::Plain),
            Some("gzip" | "x-gzip") => Ok(Self::Gzip(Box::new(MultiGzDecoder::new(Vec::new())))),
            Some(other) => Err(BodyError::Encoding(other.to_owned())),
        }
    }

    fn decode(&mut self, piece: &[u8]) -> Result<Bytes, BodyError> {
        match self {
            Self::Plain => Ok(Bytes::copy_from_slice(piece)),
            Self::Gzip(gzip) => {
                gzip.write_all(piece).map_err(BodyError::Gzip)?;
                Ok(std::mem::take(gzip.get_mut()).into())
            }
        }
    }

    fn end(self) -> Result<Bytes, BodyError> {
        match self {
            Self::Plain => Ok(Bytes::new()),
            Self::Gzip(gzip) => gzip.finish().map(Bytes::from).map_err(BodyError::Gzip),
        }
    }
}

/// Hands the decompressed body over, piece by piece; `limit` in bytes.
pub(crate) async fn receive(
    headers: &HeaderMap,
    body: Body,
    limit: u64,
    mut keep: impl FnMut(&[u8]) -> std::io::Result<()>,
) -> Result<(), BodyError> {
    let mut decoder = Decoder::of(headers)?;
    let mut left = limit;
    let mut stream = body.into_data_stream();
    while let Some(chunk) = stream.next().await {
        for piece in chunk.map_err(BodyError::Broken)?.chunks(PIECE) {
            let data = decoder.decode(piece)?;
            left = left.checked_sub(data.len() as u64).ok_or(BodyError::TooLarge { limit })?;
            keep(&data).map_err(BodyError::Keep)?;
        }
    }
    let rest = decoder.end()?;
    left.checked_sub(rest.len() as u64).ok_or(BodyError::TooLarge { limit })?;
    keep(&rest).map_err(BodyError::Keep)
}

/// The whole decompressed body in memory; `limit` in bytes.
pub(crate) async fn collect(headers: &HeaderMap, body: Body, limit: u64) -> Result<Bytes, BodyError> {
    let mut all = Vec::new();
    let keep = |data: &[u8]| {
        all.extend_from_slice(data);
        Ok(())
    };
    receive(headers, body, limit, keep).await?;
    Ok(all.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::GzEncoder;

    fn gzip(data: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(data).unwrap();
        encoder.finish().unwrap()
    }

    #[tokio::test]
    async fn bodies_are_unpacked_within_their_limit() {
        let mut zipped = HeaderMap::new();
        zipped.insert(header::CONTENT_ENCODING, "gzip".parse().unwrap());
        let plain = HeaderMap::new();
        let bomb = gzip(&vec![0; 64 << 20]);
        for (headers, body, limit, want) in [
            (&plain, b"hello".to_vec(), 5, Ok("hello")),
            (&plain, b"hello".to_vec(), 4, Err("the body is larger than 4 bytes")),
            (&zipped, gzip(b"hello"), 5, Ok("hello")),
            (&zipped, gzip(b"hello"), 4, Err("the body is larger than 4 bytes")),
            (&zipped, bomb, 1 << 20, Err("the body is larger than 1048576 bytes")),
            (&zipped, b"hello".to_vec(), 99, Err("the body is not what `Content-Encoding: gzip` promises")),
            (&zipped, gzip(b"hello")[..12].to_vec(), 99, Err("the body is not what `Content-Encoding: gzip` promises")),
        ] {
            let got = collect(headers, Body::from(body), limit).await.map_err(|error| error.to_string());
            assert_eq!(got, want.map(Bytes::from).map_err(str::to_owned));
        }
        let mut odd = HeaderMap::new();
        odd.insert(header::CONTENT_ENCODING, "br".parse().unwrap());
        assert!(matches!(collect(&odd, Body::empty(), 1).await, Err(BodyError::Encoding(_))));
    }
}
