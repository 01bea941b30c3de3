//! The objects of a release as bytes.

use serde::Serialize;
use serde::de::DeserializeOwned;
use std::io::Read;
use windlass_cluster::Json;
use windlass_manifest::Object;

/// A Secret holds a mebibyte; names and labels need some of it.
const PART: usize = 900 << 10;
/// No release is larger once it is unpacked: what claims to be is refused.
const LARGEST: u64 = 64 << 20;
const LEVEL: i32 = 3;

/// Why the objects of a record cannot be read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PackError {
    #[error("its objects cannot be packed or unpacked")]
    Compression(#[from] std::io::Error),
    #[error("its objects are more than {LARGEST} bytes")]
    TooLarge,
    #[error("its objects are not JSON")]
    Json(#[from] serde_json::Error),
    #[error("one of its objects is none: {0}")]
    Object(String),
}

pub(crate) fn pack(objects: &[Object]) -> Result<Vec<u8>, PackError> {
    let all: Vec<&Json> = objects.iter().map(Object::json).collect();
    pack_any(&all)
}

pub(crate) fn pack_any(value: &impl Serialize) -> Result<Vec<u8>, PackError> {
    // The length is known: tables of that size are set up, not of the largest.
    Ok(zstd::bulk::compress(&serde_json::to_vec(value)?, LEVEL)?)
}

pub(crate) fn unpack_any<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, PackError> {
    let mut text = Vec::new();
    zstd::Decoder::new(bytes)?.take(LARGEST + 1).read_to_end(&mut text)?;
    if text.len() as u64 > LARGEST {
        return Err(PackError::TooLarge);
    }
    Ok(serde_json::from_slice(&text)?)
}

/// A packed text in parts that fit into Secrets; the first one leaves `reserved` bytes for what stands beside it.
pub(crate) fn parts(packed: &[u8], reserved: usize) -> Vec<&[u8]> {
    let (first, rest) = packed.split_at(packed.len().min(PART.saturating_sub(reserved)));
    std::iter::once(first).chain(rest.chunks(PART)).collect()
}

pub(crate) fn unpack(bytes: &[u8]) -> Result<Vec<Object>, PackError> {
    let all: Vec<Json> = unpack_any(bytes)?;
    all.into_iter().map(|json| Object::new(json, None).map_err(|why| PackError::Object(why.to_string()))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn objects_come_back_as_they_were() {
        let made = |name: String| {
            let json =
                json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": {"n": "1.10"}});
            Object::new(json, None).unwrap()
        };
        let objects: Vec<Object> = (0..300).map(|n| made(format!("cfg-{n}"))).collect();
        let packed = pack(&objects).unwrap();
        assert!(packed.len() < 4_000, "{}", packed.len());
        assert_eq!(unpack(&packed).unwrap(), objects);
        assert!(unpack(b"no zstd").is_err());
        assert!(unpack(&packed[..packed.len() / 2]).is_err());
    }

    #[test]
    fn parts_fit_beside_what_is_told() {
        let packed = vec![7; PART * 2 + 1];
        let sizes = |reserved| -> Vec<usize> { parts(&packed, reserved).iter().map(|part| part.len()).collect() };
        assert_eq!(sizes(0), [PART, PART, 1]);
        assert_eq!(sizes(PART * 3), [0, PART, PART, 1]);
        assert_eq!(parts(&packed, 10).concat(), packed);
        assert_eq!(parts(&[], 0), [&[] as &[u8]]);
    }

    #[test]
    fn what_swells_is_refused() {
        let bomb = zstd::encode_all(std::io::repeat(b' ').take(LARGEST + 2), 19).unwrap();
        assert!(bomb.len() < 64 << 10);
        assert!(matches!(unpack(&bomb), Err(PackError::TooLarge)));
    }
}
