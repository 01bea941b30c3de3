//! The packet lines of Git's wire protocol.

use bytes::Bytes;

/// The longest line that four hex digits and Git allow, with its length.
const LONGEST: usize = 65_520;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Packet {
    Data(Bytes),
    Flush,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum PktError {
    #[error("the packet length is not four hex digits")]
    Length,
    #[error("a packet ends in the middle")]
    Short,
}

/// Takes the first packet off; `None` while it is not complete.
pub(crate) fn take(input: &mut Bytes) -> Result<Option<Packet>, PktError> {
    let Some(digits) = input.get(..4) else { return Ok(None) };
    let length = std::str::from_utf8(digits).ok().and_then(|d| usize::from_str_radix(d, 16).ok());
    match length.ok_or(PktError::Length)? {
        0 => {
            let _ = input.split_to(4);
            Ok(Some(Packet::Flush))
        }
        1..=3 => Err(PktError::Length),
        length if length > LONGEST => Err(PktError::Length),
        length if input.len() < length => Ok(None),
        length => Ok(Some(Packet::Data(input.split_to(length).slice(4..)))),
    }
}

/// Everything up to the first flush.
pub(crate) fn section(mut input: Bytes) -> Result<Vec<Bytes>, PktError> {
    let mut lines = Vec::new();
    loop {
        match take(&mut input)? {
            Some(Packet::Data(line)) => lines.push(line),
            Some(Packet::Flush) => return Ok(lines),
            None => return Err(PktError::Short),
        }
    }
}

/// Appends one line. What is longer than a packet is cut into several.
pub(crate) fn put(out: &mut Vec<u8>, line: &[u8]) {
    for part in line.chunks(LONGEST - 4) {
        out.extend_from_slice(format!("{:04x}", part.len() + 4).as_bytes());
        out.extend_from_slice(part);
    }
}

pub(crate) fn flush(out: &mut Vec<u8>) {
    out.extend_from_slice(b"0000");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_round_trip_and_bad_lengths_are_refused() {
        let mut wire = Vec::new();
        put(&mut wire, b"hello\n");
        put(&mut wire, &vec![b'x'; LONGEST]);
        flush(&mut wire);
        wire.extend_from_slice(b"PACK");
        let lines = section(Bytes::from(wire)).unwrap();
        assert_eq!(lines.iter().map(Bytes::len).collect::<Vec<_>>(), [6, LONGEST - 4, 4]);
        assert_eq!(&lines[0][..], b"hello\n");
        for (wire, error) in [
            ("0003", PktError::Length),
            ("zzzz", PktError::Length),
            ("fff5", PktError::Length),
            ("0006a", PktError::Short),
            ("00", PktError::Short),
        ] {
            assert_eq!(section(Bytes::from_static(wire.as_bytes())), Err(error), "{wire}");
        }
    }
}
