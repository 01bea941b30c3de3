#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| windlass_test_fuzz::expression(bytes));
