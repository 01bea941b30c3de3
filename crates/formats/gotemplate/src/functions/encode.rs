//! Encodings and checksums.

use crate::function::Function;
use crate::function::Parameter::Text;
use crate::value::Value;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use sha1::Sha1;
use sha2::{Digest, Sha256, Sha512};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::pure("b64enc", &[Text], |a| Ok(BASE64_STANDARD.encode(a.text(0).as_bytes()).into())),
    Function::pure("b64dec", &[Text], |a| Ok(decoded(&a.text(0)).into())),
    Function::pure("sha1sum", &[Text], |a| Ok(hex(&Sha1::digest(a.text(0).as_bytes())))),
    Function::pure("sha256sum", &[Text], |a| Ok(hex(&Sha256::digest(a.text(0).as_bytes())))),
    Function::pure("sha512sum", &[Text], |a| Ok(hex(&Sha512::digest(a.text(0).as_bytes())))),
];

/// What cannot be decoded becomes the reason, as the reference does.
fn decoded(text: &str) -> String {
    match BASE64_STANDARD.decode(text.replace(['\n', '\r'], "")) {
        Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
        Err(problem) => problem.to_string(),
    }
}

fn hex(bytes: &[u8]) -> Value {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>().into()
}
