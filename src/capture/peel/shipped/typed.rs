//! What OpenTelemetry spells out with the type of each value: `{"values":[{"key":"dir","value":{"stringValue":"in"}}]}`.
//! (open-telemetry/opentelemetry-proto `common.proto`, AnyValue.)

use serde_json::{Map, Value};

use super::walk::{KVLIST, Path, PathStep};

/// True for the path of such a member.
pub(super) fn is_typed(path: &Path) -> bool {
    matches!(path.last(), Some(PathStep::Key(key)) if **key == *KVLIST)
}

/// An object as a line of a log: what stands on several lines is the same without their ends, which are no part of any string in it.
/// All of it stays where it stands.
pub(super) fn on_one_line(object: &str) -> String {
    object.replace(['\n', '\r'], " ")
}

/// The object that is spelled out in the value of such a member; nothing where it is another one.
pub(super) fn plain(text: &str) -> Option<String> {
    let list: Value = serde_json::from_str(text).ok().filter(|_| text.starts_with('{'))?;
    Some(object(&list)?.to_string())
}

fn object(list: &Value) -> Option<Value> {
    let pairs = list.as_object().filter(|list| list.len() == 1)?.get("values")?.as_array()?;
    let pair = |pair: &Value| Some((pair.get("key")?.as_str()?.to_string(), value(pair.get("value")?)?));
    pairs.iter().map(pair).collect::<Option<Map<String, Value>>>().map(Value::Object)
}

/// A value without its type; one without any is null.
fn value(typed: &Value) -> Option<Value> {
    let Some((kind, value_of)) = typed.as_object()?.iter().next() else { return Some(Value::Null) };
    match kind.as_str() {
        "stringValue" | "boolValue" | "doubleValue" | "bytesValue" => Some(value_of.clone()),
        "intValue" => {
            value_of.as_str().map_or(Some(value_of.clone()), |digits| Some(digits.parse::<i64>().ok()?.into()))
        }
        "arrayValue" => {
            let Some(all) = value_of.get("values") else { return Some(Value::Array(Vec::new())) };
            all.as_array()?.iter().map(value).collect::<Option<Vec<Value>>>().map(Value::Array)
        }
        KVLIST if value_of.get("values").is_none() => Some(Value::Object(Map::new())),
        KVLIST => object(value_of),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_spelled_out_is_an_object() {
        let typed = r#"{"values":[{"key":"id","value":{"intValue":"7"}},{"key":"params","value":{"kvlistValue":{"values":[
            {"key":"list","value":{"arrayValue":{"values":[{"boolValue":true},{"doubleValue":0.5},{}]}}},{"key":"none","value":{"kvlistValue":{}}}]}}}]}"#;
        assert_eq!(plain(typed).as_deref(), Some(r#"{"id":7,"params":{"list":[true,0.5,null],"none":{}}}"#));
        for other in [r#"{"id":7}"#, r#"{"values":[1]}"#, r#"{"values":[{"key":"a","value":{"b":1}}]}"#, "[]", "{"] {
            assert_eq!(plain(other), None, "{other}");
        }
    }
}
