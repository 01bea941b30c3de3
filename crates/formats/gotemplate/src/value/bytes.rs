use std::rc::Rc;

/// Bytes: a `[]byte`, or a text of Go that is no UTF-8.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bytes {
    pub data: Rc<[u8]>,
    /// Go calls it a string.
    pub is_text: bool,
}

impl Bytes {
    pub(crate) fn lossy(&self) -> String {
        String::from_utf8_lossy(&self.data).into_owned()
    }
}
