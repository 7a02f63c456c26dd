//! Redaction of any text: JSON stays JSON, the envelope stays, a second look changes nothing, and a secret that its name gives away is gone.
#![no_main]

use libfuzzer_sys::fuzz_target;
use rpctape::redact::Redactor;
use serde_json::{Value, json};

const SECRET: &str = "q7Xw9-planted-0123456789abcdef";

fuzz_target!(|text: &str| {
    let mut redactor = Redactor::default();
    let clean = redactor.text(text).into_owned();
    if serde_json::from_str::<Value>(text).is_ok() {
        assert!(serde_json::from_str::<Value>(&clean).is_ok(), "{clean}");
    }
    let message = json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"text": text, "env": {"DB_PASSWORD": SECRET}}});
    let clean = redactor.text(&message.to_string()).into_owned();
    let read: Value = serde_json::from_str(&clean).expect("JSON stays JSON");
    assert_eq!((&read["id"], &read["method"]), (&message["id"], &message["method"]));
    assert!(!read["params"]["env"].to_string().contains(SECRET));
    assert_eq!(redactor.text(&clean), clean);
});
