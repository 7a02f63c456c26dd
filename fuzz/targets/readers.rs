//! Any bytes, by the reader of any format: the first byte says which.
#![no_main]

use libfuzzer_sys::fuzz_target;
use rpctape::capture::{Overrides, formats};
use rpctape_fuzz::read;

fuzz_target!(|bytes: &[u8]| {
    let Some((which, log)) = bytes.split_first() else { return };
    let names: Vec<String> = formats().map(|format| format.name.to_string()).collect();
    let format = Some(names[usize::from(*which) % names.len()].clone());
    read(log, &Overrides { format, ..Overrides::default() });
});
