//! Frames to bytes and back: each frame prefixed with its length as a varint.

use crate::wire::Frame;
use bytes::{Buf, Bytes, BytesMut};
use prost::Message;

/// No frame is larger. A release of 5 MiB of manifests fits many times once compressed.
pub(crate) const LARGEST_FRAME: usize = 16 * 1024 * 1024;

/// Why bytes are not frames.
#[derive(Debug, thiserror::Error)]
pub enum CodecError {
    #[error("a frame of {0} bytes is larger than the {LARGEST_FRAME} bytes allowed")]
    TooLarge(usize),
    #[error("the frame is cut short or not a frame")]
    Malformed(#[source] prost::DecodeError),
    #[error("the frame names a kind this version does not know")]
    Unknown,
    #[error("cannot unpack the {what}")]
    Unpack { what: &'static str, source: std::io::Error },
    #[error("the {what} is not valid JSON of its kind")]
    Json { what: &'static str, source: serde_json::Error },
    #[error("`{text}` is not an id")]
    Id { text: String, source: windlass_model::id::IdError },
}

/// All frames of one WebSocket message or poll body.
pub fn encode(frames: &[Frame]) -> Bytes {
    let mut out = BytesMut::with_capacity(frames.iter().map(|f| f.encoded_len() + 4).sum());
    for frame in frames {
        // A BytesMut grows: encoding into it cannot fail.
        let _ = frame.encode_length_delimited(&mut out);
    }
    out.freeze()
}

pub fn decode(mut bytes: Bytes) -> Result<Vec<Frame>, CodecError> {
    let mut frames = Vec::new();
    while bytes.has_remaining() {
        let length = prost::decode_length_delimiter(&mut bytes).map_err(CodecError::Malformed)?;
        if length > LARGEST_FRAME {
            return Err(CodecError::TooLarge(length));
        }
        if length > bytes.remaining() {
            return Err(CodecError::TooLarge(length));
        }
        frames.push(Frame::decode(bytes.split_to(length)).map_err(CodecError::Malformed)?);
    }
    Ok(frames)
}

/// JSON, compressed. Small bodies gain nothing and cost little.
pub(crate) fn pack<T: serde::Serialize>(value: &T) -> Vec<u8> {
    // Our own types with string keys: serialising them cannot fail; compression into memory neither.
    let json = serde_json::to_vec(value).unwrap_or_default();
    zstd::bulk::compress(&json, 1).unwrap_or_default()
}

pub(crate) fn unpack<T: serde::de::DeserializeOwned>(what: &'static str, bytes: &[u8]) -> Result<T, CodecError> {
    use std::io::Read;
    let mut json = Vec::new();
    zstd::Decoder::new(bytes)
        .and_then(|decoder| decoder.take(UNPACKED as u64 + 1).read_to_end(&mut json))
        .map_err(|source| CodecError::Unpack { what, source })?;
    if json.len() > UNPACKED {
        return Err(CodecError::TooLarge(json.len()));
    }
    serde_json::from_slice(&json).map_err(|source| CodecError::Json { what, source })
}

/// What a body may unpack to: a bomb stops here.
const UNPACKED: usize = 64 * 1024 * 1024;

#[cfg(test)]
mod tests {
    use super::{CodecError, decode, encode, pack, unpack};
    use crate::wire::{Accept, Frame, frame::Body};

    fn accept(task: &str) -> Frame {
        Frame { body: Some(Body::Accept(Accept { task: task.into(), attempt: 1 })) }
    }

    #[test]
    fn frames_round_trip() {
        let frames = vec![accept("a"), accept("b")];
        assert_eq!(decode(encode(&frames)).unwrap(), frames);
        assert!(decode(bytes::Bytes::new()).unwrap().is_empty());
    }

    #[test]
    fn lengths_that_lie_are_refused() {
        for bytes in [&[0xff, 0xff, 0xff, 0xff, 0x0f][..], &[200, 1, 0], &[5, 1]] {
            assert!(decode(bytes::Bytes::copy_from_slice(bytes)).is_err(), "{bytes:?}");
        }
    }

    #[test]
    fn a_bomb_is_stopped() {
        let bomb = pack(&"x".repeat(super::UNPACKED + 10));
        assert!(bomb.len() < 100_000);
        assert!(matches!(unpack::<String>("result", &bomb), Err(CodecError::TooLarge(_))));
        assert_eq!(unpack::<String>("result", &pack(&"ok")).unwrap(), "ok");
    }
}
