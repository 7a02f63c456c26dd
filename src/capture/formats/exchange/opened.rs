//! Records within records: a string that holds the JSON of more than a message, as a request with its verb, its address and its body
//! in it. Such strings are opened before a record is read.

use std::borrow::Cow;

use serde_json::Value;

use super::learn_bodies::leads_to_message;
use super::path::Path;
use super::scalars::DEPTH;
use crate::capture::formats::document::content;
use crate::json::scan::value_end;

/// Puts what strings hold in their place. Gives the paths of these strings.
pub(super) fn open(values: &mut [Value]) -> Vec<Path> {
    let mut found = Vec::new();
    if !values.iter().any(may_be_packed) {
        return found;
    }
    values.iter().for_each(|value| packed(value, &mut Vec::new(), &mut found));
    for value in values {
        for path in &found {
            let member = path.0.iter().try_fold(&mut *value, |value, key| value.get_mut(&**key));
            if let Some(member) = member
                && let Some(inner) = member.as_str().and_then(object)
            {
                *member = inner;
            }
        }
    }
    found
}

/// True for what has a string in it that looks like an object. Most records have none, and their paths are not asked for.
fn may_be_packed(value: &Value) -> bool {
    match value {
        Value::Object(members) => members.values().any(may_be_packed),
        Value::String(text) => text.trim_start().starts_with('{'),
        _ => false,
    }
}

/// The paths of strings that hold more than a message.
fn packed(value: &Value, path: &mut Vec<Box<str>>, found: &mut Vec<Path>) {
    match value {
        Value::Object(members) if path.len() < DEPTH => {
            for (key, value) in members {
                path.push(key.as_str().into());
                packed(value, path, found);
                path.pop();
            }
        }
        Value::String(text) if object(text).is_some_and(|inner| leads_to_message(&inner)) => {
            let path = Path(path.clone());
            if !found.contains(&path) {
                found.push(path);
            }
        }
        _ => {}
    }
}

fn object(text: &str) -> Option<Value> {
    text.trim_start().starts_with('{').then(|| serde_json::from_str(text).ok()).flatten()
}

/// A record with what the strings at some paths hold in their place.
pub(super) fn opened<'t>(record: &'t str, paths: &[Path]) -> Cow<'t, str> {
    let mut text = Cow::Borrowed(record);
    for path in paths {
        let Some(raw) = path.member_of(&text).filter(|raw| raw.starts_with('"')) else { continue };
        let inner = content(raw);
        let inner = inner.trim();
        if inner.starts_with('{') && value_end(inner.as_bytes(), 0) == Some(inner.len()) {
            let start = raw.as_ptr().addr() - text.as_ptr().addr();
            text = Cow::Owned([&text[..start], inner, &text[start + raw.len()..]].concat());
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_with_more_than_a_message_are_opened() {
        let request = r#"{"url":"/mcp","method":"POST","body":{"jsonrpc":"2.0","id":1.0,"method":"ping"}}"#;
        let (packed, answer) = (Value::from(request), Value::from(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#));
        let record = format!(r#"{{"at":1,"request":{packed},"response":{answer}}}"#);
        let mut values = [serde_json::from_str(&record).expect("a record")];
        let paths = open(&mut values);
        assert_eq!(paths.iter().map(Path::to_string).collect::<Vec<_>>(), ["/request"]);
        assert_eq!(values[0]["request"]["body"]["method"], "ping");
        assert_eq!(opened(&record, &paths), format!(r#"{{"at":1,"request":{request},"response":{answer}}}"#));
        let other = r#"{"request":"{\"url\":","response":"{}"}"#;
        assert_eq!(opened(other, &paths), other);
    }
}
