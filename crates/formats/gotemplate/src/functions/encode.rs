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
    let plain = text.replace(['\n', '\r'], "");
    match BASE64_STANDARD.decode(&plain) {
        Ok(bytes) => Value::text_of(&bytes),
        Err(problem) => {
            use base64::DecodeError::{InvalidByte, InvalidLastSymbol, InvalidLength, InvalidPadding};
            let at = match problem {
                InvalidByte(at, _) | InvalidLastSymbol(at, _) => at,
                InvalidLength(_) | InvalidPadding => plain.len() - plain.len() % 4,
            };
            format!("illegal base64 data at input byte {at}").into()
        }
    }
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
