//! Attributes that leave what they stand at as it is.

use proc_macro::TokenStream;

/// What is to be verified.
#[proc_macro_attribute]
pub fn verus_verify(_: TokenStream, item: TokenStream) -> TokenStream {
    item
}

/// What a function promises.
#[proc_macro_attribute]
pub fn verus_spec(_: TokenStream, item: TokenStream) -> TokenStream {
    item
}
