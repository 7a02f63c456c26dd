//! Values that an export spells out with their types, and back: what OpenTelemetry (`{"stringValue":"in"}`, `common.proto`, AnyValue),
//! DynamoDB (`{"S":"in"}`), Firestore (`{"mapValue":{"fields":{..}}}`) and MongoDB's extended JSON (`{"$numberInt":"1"}`) write.

use memchr::memmem;
use serde_json::{Map, Number, Value};

/// The member of an object that OpenTelemetry spells out.
pub(crate) const KVLIST: &str = "kvlistValue";

/// The object that is spelled out in the value of such a member; nothing where it is another one.
pub(crate) fn plain(text: &str) -> Option<String> {
    let list: Value = serde_json::from_str(text).ok().filter(|_| text.starts_with('{'))?;
    Some(Value::Object(pairs(&list)?).to_string())
}

/// The message that an export spelled out, member by member or in some of its values; nothing where it is as it was sent.
pub(super) fn untyped(text: &str) -> Option<String> {
    let signs = ["\"S\"", "\"stringValue\"", "\"$"];
    if !signs.iter().any(|sign| memmem::find(text.as_bytes(), sign.as_bytes()).is_some()) {
        return None;
    }
    let written: Map<String, Value> = serde_json::from_str(text).ok()?;
    let is_version = |plain: &Map<String, Value>| plain.get("jsonrpc").is_some_and(|version| version == "2.0");
    let plain = match fields(&written).filter(is_version) {
        Some(plain) => Value::Object(plain),
        None => extended(&Value::Object(written.clone()))?,
    };
    (plain.as_object() != Some(&written)).then(|| plain.to_string())
}

/// An object of which every member is spelled out.
fn fields(members: &Map<String, Value>) -> Option<Map<String, Value>> {
    members.iter().map(|(key, typed)| Some((key.clone(), value(typed)?))).collect()
}

/// The members that stand in a list of pairs.
fn pairs(list: &Value) -> Option<Map<String, Value>> {
    let pairs = list.as_object().filter(|list| list.len() == 1)?.get("values")?.as_array()?;
    let pair = |pair: &Value| Some((pair.get("key")?.as_str()?.to_string(), value(pair.get("value")?)?));
    pairs.iter().map(pair).collect()
}

/// A value without its type; one without any is null.
fn value(typed: &Value) -> Option<Value> {
    let members = typed.as_object()?;
    let Some((kind, of)) = members.iter().next() else { return Some(Value::Null) };
    if members.len() > 1 {
        return None;
    }
    match kind.as_str() {
        "stringValue" | "boolValue" | "booleanValue" | "doubleValue" | "bytesValue" | "timestampValue" | "S"
        | "BOOL" | "B" => Some(of.clone()),
        "nullValue" | "NULL" => Some(Value::Null),
        "intValue" | "integerValue" | "N" => of.as_str().map_or(Some(of.clone()), number),
        "arrayValue" => each(of.get("values")),
        "L" => each(Some(of)),
        "SS" => Some(of.clone()),
        "NS" => Some(Value::Array(of.as_array()?.iter().map(|one| number(one.as_str()?)).collect::<Option<_>>()?)),
        "mapValue" => of.get("fields").map_or(Some(Map::new()), |of| fields(of.as_object()?)).map(Value::Object),
        "M" => fields(of.as_object()?).map(Value::Object),
        KVLIST if of.get("values").is_none() => Some(Value::Object(Map::new())),
        KVLIST => pairs(of).map(Value::Object),
        _ => None,
    }
}

fn each(list: Option<&Value>) -> Option<Value> {
    let Some(list) = list else { return Some(Value::Array(Vec::new())) };
    list.as_array()?.iter().map(value).collect::<Option<Vec<Value>>>().map(Value::Array)
}

/// A number as it is written. One that would not come out with all of its digits is none.
fn number(written: &str) -> Option<Value> {
    let whole = written.strip_suffix(".0").unwrap_or(written);
    let is_whole = whole.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
    let number: Number = whole.parse().ok()?;
    (!is_whole || number.is_i64() || number.is_u64()).then_some(Value::Number(number))
}

/// A value of extended JSON without its types, whatever is around it.
fn extended(value: &Value) -> Option<Value> {
    match value {
        Value::Array(list) => list.iter().map(extended).collect::<Option<Vec<Value>>>().map(Value::Array),
        Value::Object(members) => match members.iter().next() {
            Some((kind, of)) if kind.starts_with('$') && members.len() == 1 => unextended(kind, of, value),
            _ => {
                let each = members.iter().map(|(key, value)| Some((key.clone(), extended(value)?)));
                each.collect::<Option<Map<_, _>>>().map(Value::Object)
            }
        },
        other => Some(other.clone()),
    }
}

fn unextended(kind: &str, of: &Value, all: &Value) -> Option<Value> {
    match kind {
        "$numberInt" | "$numberLong" | "$numberDouble" | "$numberDecimal" => number(of.as_str()?),
        "$date" => extended(of),
        "$oid" | "$symbol" => Some(of.clone()),
        "$undefined" => Some(Value::Null),
        _ => Some(all.clone()),
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

    #[test]
    fn messages_that_a_database_spelled_out() {
        let message: Value = serde_json::from_str(
            r#"{"jsonrpc":"2.0","id":7,"result":{"list":[true,0.5,null,"a"],"none":{},"big":9007199254740993}}"#,
        )
        .expect("JSON");
        for typed in [
            r#"{"jsonrpc":{"S":"2.0"},"id":{"N":"7"},"result":{"M":{"list":{"L":[{"BOOL":true},{"N":"0.5"},{"NULL":true},{"S":"a"}]},"none":{"M":{}},"big":{"N":"9007199254740993"}}}}"#,
            r#"{"jsonrpc":{"stringValue":"2.0"},"id":{"integerValue":"7"},"result":{"mapValue":{"fields":{"list":{"arrayValue":{"values":[{"booleanValue":true},{"doubleValue":0.5},{"nullValue":null},{"stringValue":"a"}]}},"none":{"mapValue":{}},"big":{"integerValue":"9007199254740993"}}}}}"#,
            r#"{"jsonrpc":"2.0","id":{"$numberInt":"7"},"result":{"list":[true,{"$numberDouble":"0.5"},null,"a"],"none":{},"big":{"$numberLong":"9007199254740993"}}}"#,
            r#"{"jsonrpc":"2.0","id":{"$numberDouble":"7.0"},"result":{"list":[true,0.5,null,"a"],"none":{},"big":{"$numberLong":"9007199254740993"}}}"#,
        ] {
            let found: Option<Value> = untyped(typed).and_then(|text| serde_json::from_str(&text).ok());
            assert_eq!(found.as_ref(), Some(&message), "{typed}");
        }
        for other in [
            r#"{"jsonrpc":"2.0","id":{"S":"7"},"method":"a"}"#,
            r#"{"jsonrpc":"2.0","id":{"n":7},"method":"a"}"#,
            r#"{"jsonrpc":"2.0","id":{"$ref":"a"},"method":"a"}"#,
            r#"{"jsonrpc":{"N":"2.0"},"id":{"N":"7"}}"#,
            r#"{"jsonrpc":{"S":"2.0"},"id":7}"#,
            r#"{"jsonrpc":{"S":"2.0"},"id":{"N":"99999999999999999999999"}}"#,
        ] {
            assert_eq!(untyped(other), None, "{other}");
        }
    }
}
