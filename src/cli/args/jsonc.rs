//! JSON as editors keep their settings in: with comments, commas behind the last member, and a byte order mark.

use jsonc_parser::{ParseOptions, parse_to_serde_value};
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
    match parse_to_serde_value(text, &syntax()).map_err(|error| error.to_string())? {
        Value::Null => Err("it is empty".to_string()),
        found => Ok(found),
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
        assert!(read(&"[".repeat(100_000)).is_err(), "no deeper than a stack bears");
    }
}
