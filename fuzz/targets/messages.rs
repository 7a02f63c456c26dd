//! Any text as a message. What is taken for one is JSON for another parser, too, and ids are written as they were read.
#![no_main]

use libfuzzer_sys::fuzz_target;
use rpctape::jsonrpc::{Id, Parsed, parse};
use rpctape::protocol::Facts;

fuzz_target!(|text: &str| {
    // Around a message a log may have more than JSON calls white space.
    let text = text.trim_ascii();
    if let Ok(parsed) = parse::<Facts<'_>>(text) {
        let other = serde_json::from_str::<&serde_json::value::RawValue>(text);
        // serde_json has a limit of depth that we do not have.
        let deep = other.as_ref().is_err_and(|error| error.to_string().contains("recursion limit"));
        assert!(other.is_ok() || deep, "{other:?}");
        if let Parsed::Batch(members) = parsed {
            members.iter().for_each(|(range, _)| assert!(text.get(range.clone()).is_some()));
        }
    }
    // An id is read from a value that was found in a message.
    let value = serde_json::from_str::<&serde_json::value::RawValue>(text);
    if let Some(id) = value.ok().and_then(|value| Id::from_json(value.get())) {
        assert_eq!(Id::from_json(&id.to_json()).as_ref(), Some(&id), "{}", id.to_json());
    }
});
