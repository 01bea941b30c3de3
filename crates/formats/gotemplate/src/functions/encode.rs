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
        let text = a.text(0).replace(['\n', '\r'], "");
        Ok(BASE32.decode(text.as_bytes()).map_or_else(
            |problem| format!("illegal base32 data at input byte {}", problem.position).into(),
            |bytes| Value::text_of(&bytes),
        ))
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
