//! JSON Schema, as far as every dialect since draft 4 agrees on what is one.

use serde_json::Value;

/// How deep schemas are followed.
const DEEPEST: u32 = 32;
const TYPES: [&str; 7] = ["array", "boolean", "integer", "null", "number", "object", "string"];
/// Members that hold one schema.
const ONE: [&str; 7] = ["additionalProperties", "not", "if", "then", "else", "contains", "propertyNames"];
/// Members that hold schemas by name.
const NAMED: [&str; 4] = ["properties", "patternProperties", "$defs", "definitions"];
/// Members that hold a list of schemas.
const LISTED: [&str; 3] = ["allOf", "anyOf", "oneOf"];

/// What makes a value no JSON Schema, if anything; a dialect of its own is taken as it is.
pub(super) fn fault(schema: &Value) -> Option<String> {
    let dialect = schema["$schema"].as_str();
    if dialect.is_some_and(|named| !named.contains("json-schema.org/")) {
        return None;
    }
    part_fault(schema, 0)
}

fn part_fault(schema: &Value, depth: u32) -> Option<String> {
    let Value::Object(members) = schema else {
        return (!schema.is_boolean()).then(|| "a schema is neither an object nor a boolean".to_string());
    };
    if depth == DEEPEST {
        return None;
    }
    let inner = |value: &Value| part_fault(value, depth + 1);
    members.iter().find_map(|(key, value)| match key.as_str() {
        "type" if !is_type(value) => Some(format!("\"type\" is {value}")),
        "required" if depth > 0 && value.is_boolean() => None,
        "required" if !value.as_array().is_some_and(|names| names.iter().all(Value::is_string)) => {
            Some("\"required\" is no list of names".to_string())
        }
        "enum" if !value.is_array() => Some("\"enum\" is no list".to_string()),
        "$ref" if !value.is_string() => Some("\"$ref\" is no string".to_string()),
        key if ONE.contains(&key) => inner(value),
        "items" if !value.is_array() => inner(value),
        key if NAMED.contains(&key) => match value {
            Value::Object(parts) => parts.values().find_map(inner),
            _ => Some(format!("\"{key}\" is no object")),
        },
        key if LISTED.contains(&key) => match value {
            Value::Array(parts) => parts.iter().find_map(inner),
            _ => Some(format!("\"{key}\" is no list")),
        },
        _ => None,
    })
}

fn is_type(value: &Value) -> bool {
    let named = |value: &Value| value.as_str().is_some_and(|name| TYPES.contains(&name));
    named(value) || value.as_array().is_some_and(|names| !names.is_empty() && names.iter().all(named))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_is_a_schema() {
        for good in [
            json!({}),
            json!({"type": "object", "properties": {"a": {"type": ["string", "null"], "enum": ["x"]}, "b": true}, "required": ["a"]}),
            json!({"items": [{}], "anyOf": [{"$ref": "#/$defs/a"}], "$defs": {"a": false}}),
            // Draft 3 had it so, and nobody is confused by it.
            json!({"properties": {"a": {"type": "string", "required": true}}}),
            json!({"$schema": "https://example.com/own", "type": "text"}),
        ] {
            assert_eq!(fault(&good), None, "{good}");
        }
        for bad in [
            json!(1),
            json!({"type": "str"}),
            json!({"required": "a"}),
            json!({"properties": []}),
            json!({"properties": {"a": {"items": 3}}}),
            json!({"oneOf": {}}),
            json!({"$schema": "http://json-schema.org/draft-07/schema#", "enum": "x"}),
        ] {
            assert!(fault(&bad).is_some(), "{bad}");
        }
    }
}
