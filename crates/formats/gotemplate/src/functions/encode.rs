//! Encodings and checksums.

use crate::function::Function;
use crate::function::Parameter::Text;
use crate::value::Value;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use data_encoding::BASE32;
use sha1::Sha1;
use sha2::{Digest, Sha256, Sha512};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::pure("b64enc", &[Text], |a| Ok(BASE64_STANDARD.encode(a.bytes(0)).into())),
    Function::pure("b64dec", &[Text], |a| Ok(decoded(&a.text(0)))),
    Function::pure("b32enc", &[Text], |a| Ok(BASE32.encode(a.bytes(0)).into())),
    Function::pure("b32dec", &[Text], |a| {
        Ok(match base32(a.text(0).replace(['\n', '\r'], "").as_bytes()) {
            Ok(bytes) => Value::text_of(&bytes),
            Err(at) => format!("illegal base32 data at input byte {at}").into(),
        })
    }),
    Function::pure("sha1sum", &[Text], |a| Ok(hex(&Sha1::digest(a.bytes(0))))),
    Function::pure("sha256sum", &[Text], |a| Ok(hex(&Sha256::digest(a.bytes(0))))),
    Function::pure("sha512sum", &[Text], |a| Ok(hex(&Sha512::digest(a.bytes(0))))),
    Function::pure("adler32sum", &[Text], |a| Ok(adler32(a.bytes(0)).to_string().into())),
];

/// What cannot be decoded becomes the reason, as the reference does.
fn decoded(text: &str) -> Value {
    match bytes_of(text.as_bytes()) {
        Ok(bytes) => Value::text_of(&bytes),
        Err(at) => format!("illegal base64 data at input byte {at}").into(),
    }
}

/// Go's reading: line breaks are left out, and bits that are left over at the end do not matter. Or where it stops.
fn bytes_of(text: &[u8]) -> Result<Vec<u8>, usize> {
    let mut rest = text.iter().enumerate().filter(|(_, byte)| !matches!(byte, b'\n' | b'\r'));
    let (mut out, mut bits, mut count) = (Vec::with_capacity(text.len() / 4 * 3), 0u32, 0);
    while let Some((at, byte)) = rest.next() {
        if *byte == b'=' {
            match count {
                2 => match rest.next() {
                    None => return Err(text.len()),
                    Some((_, b'=')) => out.push((bits >> 4 & 0xff) as u8),
                    Some((next, _)) => return Err(next.saturating_sub(1)),
                },
                3 => out.extend([(bits >> 10 & 0xff) as u8, (bits >> 2 & 0xff) as u8]),
                _ => return Err(at),
            }
            return rest.next().map_or(Ok(out), |(garbage, _)| Err(garbage));
        }
        let six = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return Err(at),
        };
        bits = bits << 6 | u32::from(six);
        count += 1;
        if count == 4 {
            out.extend([(bits >> 16 & 0xff) as u8, (bits >> 8 & 0xff) as u8, (bits & 0xff) as u8]);
            (bits, count) = (0, 0);
        }
    }
    if count == 0 { Ok(out) } else { Err(text.len() - count) }
}

/// Go's reading: groups of eight characters, the last one filled with `=`. Or where it stops.
fn base32(text: &[u8]) -> Result<Vec<u8>, usize> {
    let mut out = Vec::with_capacity(text.len() / 8 * 5);
    let mut rest = text;
    while !rest.is_empty() {
        let mut group = [0_u8; 8];
        let mut length = 8;
        for (place, five) in group.iter_mut().enumerate() {
            let Some((byte, after)) = rest.split_first() else { return Err(text.len() - place) };
            rest = after;
            let at = text.len() - rest.len() - 1;
            if *byte == b'=' && place >= 2 && rest.len() < 8 {
                if rest.len() + place < 7 {
                    return Err(text.len());
                }
                if let Some(wrong) = rest.iter().take(7 - place).position(|byte| *byte != b'=') {
                    return Err(at + wrong);
                }
                if matches!(place, 3 | 6) {
                    return Err(at);
                }
                (length, rest) = (place, &[]);
                break;
            }
            *five = match byte {
                b'A'..=b'Z' => byte - b'A',
                b'2'..=b'7' => byte - b'2' + 26,
                _ => return Err(at),
            };
        }
        let bits = group.iter().fold(0_u64, |bits, five| bits << 5 | u64::from(*five));
        out.extend_from_slice(&bits.to_be_bytes()[3..3 + length * 5 / 8]);
    }
    Ok(out)
}

fn adler32(bytes: &[u8]) -> u32 {
    const MODULUS: u32 = 65_521;
    let (low, high) = bytes
        .iter()
        .fold((1, 0), |(a, b), byte| ((a + u32::from(*byte)) % MODULUS, (b + a + u32::from(*byte)) % MODULUS));
    high << 16 | low
}

fn hex(bytes: &[u8]) -> Value {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>().into()
}
