//! Reads members out of message text that may be cut off in the middle, for showing it. Judging is not done here.

/// The members of the object at the start of `text`: key (as written, without quotes) and raw value. The last
/// value runs to the end of the text where that was cut off. Text that is no object has no members.
pub fn members(text: &str) -> Vec<(&str, &str)> {
    let mut found = Vec::new();
    let Some(mut rest) = text.trim_start().strip_prefix('{') else { return found };
    loop {
        rest = rest.trim_start_matches([',', ' ', '\t', '\r', '\n']);
        let Some(quoted) = rest.strip_prefix('"') else { return found };
        let key_end = string_end(quoted);
        let key = &quoted[..key_end];
        let Some(after) = quoted[key_end..].strip_prefix('"') else { return found };
        let Some(value) = after.trim_start().strip_prefix(':') else { return found };
        let value = value.trim_start();
        let end = value_end(value);
        found.push((key, value[..end].trim_end()));
        rest = &value[end..];
        if rest.is_empty() || rest.starts_with('}') {
            return found;
        }
    }
}

/// The raw value of a member of the object at the start of `text`.
pub fn member<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    members(text).into_iter().find(|(name, _)| *name == key).map(|(_, value)| value)
}

/// The raw value behind a path of keys.
pub fn at<'a>(text: &'a str, path: &[&str]) -> Option<&'a str> {
    path.iter().try_fold(text, |text, key| member(text, key))
}

/// The text of a JSON string, or the raw value where it is none (or cut off).
pub fn plain(raw: &str) -> String {
    serde_json::from_str::<String>(raw).unwrap_or_else(|_| raw.to_string())
}

/// Bytes up to the closing quote of a string whose opening quote is already behind us.
fn string_end(text: &str) -> usize {
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return at,
            _ => {}
        }
    }
    text.len()
}

/// Bytes up to the comma or brace that ends a value.
fn value_end(text: &str) -> usize {
    let bytes = text.as_bytes();
    let (mut at, mut depth) = (0, 0usize);
    while at < bytes.len() {
        match bytes[at] {
            b'"' => at += 1 + string_end(&text[at + 1..]),
            b'{' | b'[' => depth += 1,
            b'}' | b']' | b',' if depth == 0 => return at,
            b'}' | b']' => depth -= 1,
            _ => {}
        }
        at += 1;
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_of_whole_and_of_cut_text() {
        let text = r#" {"jsonrpc":"2.0" , "id":1,"params":{"name":"a\"}b","arguments":{"q":[1,2]}},"x":null}"#;
        let keys: Vec<&str> = members(text).into_iter().map(|(key, _)| key).collect();
        assert_eq!(keys, ["jsonrpc", "id", "params", "x"]);
        assert_eq!(at(text, &["params", "name"]).map(plain).as_deref(), Some("a\"}b"));
        assert_eq!(at(text, &["params", "arguments"]), Some(r#"{"q":[1,2]}"#));
        assert_eq!(at(text, &["params", "arguments", "q", "x"]), None);
        for cut in 0..text.len() {
            members(&text[..cut]);
        }
        assert_eq!(member(r#"{"id":1,"params":{"na"#, "params"), Some(r#"{"na"#));
    }

    #[test]
    fn what_is_no_object_has_no_members() {
        for text in ["", "[1]", "Content-Length: 5", "{", "{a:1}", "\u{1b}[31m"] {
            assert_eq!(members(text), [], "{text}");
        }
    }
}
