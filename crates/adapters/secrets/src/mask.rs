//! Takes secrets out of everything a worker prints (kubernetes-deploy §4.6).

mod forms;
mod patterns;
mod stream;

pub use patterns::MaskPatterns;
pub use stream::Masker;

/// What stands where a secret was, whatever its length.
pub const MASK: &str = "**************";

/// A whole text at once.
pub fn masked(patterns: &MaskPatterns, text: &str) -> String {
    let mut masker = Masker::new(patterns.clone());
    let mut out = masker.push(text.as_bytes());
    out.extend(masker.finish());
    // A form of a binary secret may end inside a character.
    String::from_utf8_lossy(&out).into_owned()
}
