//! The SARIF schema, and what it says about a log.

use serde_json::Value;

/// What is wrong with a SARIF log by the official schema.
pub fn errors(log: &Value) -> Vec<String> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/sarif-schema-2.1.0.json");
    let text = std::fs::read_to_string(path).expect("the schema");
    // One pattern of the schema, of a member that we do not write, is no regular expression: it has a stray bracket.
    let text = text.replace("[a-zA-Z]{2}]?$", "[a-zA-Z]{2}$");
    let schema = jsonschema::validator_for(&serde_json::from_str(&text).expect("JSON")).expect("a schema");
    schema.iter_errors(log).map(|error| format!("{error} at {}", error.instance_path())).collect()
}
