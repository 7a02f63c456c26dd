//! Reads members out of message text that may be cut off in the middle, for showing it. Judging is not done here.

use crate::json::scan;

/// The members of the object at the start of `text`: key (as written, without quotes) and raw value. The last
/// value runs to the end of the text where that was cut off. Text that is no object has no members.
pub fn members(text: &str) -> Vec<(&str, &str)> {
    let mut all = scan::members(text);
    let mut found: Vec<_> = all.by_ref().map(|member| (member.key, member.value)).collect();
    found.extend(all.cut().map(|member| (member.key, member.value.trim_end())));
    found
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
