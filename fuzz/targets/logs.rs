//! Any bytes as a log: what it is, its reader, the parser, the fold, the rules. The same bytes are judged the same way twice.
#![no_main]

use libfuzzer_sys::fuzz_target;
use rpctape::Options;
use rpctape_fuzz::judged;

fuzz_target!(|log: &[u8]| {
    let options = Options::default();
    assert_eq!(judged(log, &options), judged(log, &options));
});
