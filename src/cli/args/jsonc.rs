//! JSON as editors keep their settings in: with comments, commas behind the last member, and a byte order mark.

use jsonc_parser::{JsonValue, ParseOptions, parse_to_value};
use serde_json::Value;

/// What is taken beside JSON.
pub fn syntax() -> ParseOptions {
    ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    }
}

/// A text as a value; in words, what is wrong with it.
pub fn read(text: &str) -> Result<Value, String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    match parse_to_value(text, &syntax()).map_err(|error| error.to_string())? {
        Some(found) => Ok(value(found)),
        None => Err("it is empty".to_string()),
    }
}

/// The parser does not go deeper than a stack bears.
fn value(found: JsonValue<'_>) -> Value {
    match found {
        JsonValue::Null => Value::Null,
        JsonValue::Boolean(it) => it.into(),
        JsonValue::Number(text) => serde_json::from_str(text).unwrap_or_default(),
        JsonValue::String(text) => text.into_owned().into(),
        JsonValue::Array(all) => all.into_iter().map(value).collect(),
        JsonValue::Object(all) => all.into_iter().map(|(name, member)| (name.to_string(), value(member))).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn settings_are_read_as_editors_write_them() {
        let text =
            "\u{feff}{ // a \"b\"\n \"u\": \"http://x/*y*/,}\\\"\", /* \u{fc} */ \"l\": [1, 2.5, null, true, ], }";
        let expected = serde_json::json!({"u": "http://x/*y*/,}\"", "l": [1, 2.5, null, true]});
        assert_eq!(read(text), Ok(expected));
        assert!(read("").is_err() && read("{\"a\": }").is_err_and(|why| !why.is_empty()));
    }
}
