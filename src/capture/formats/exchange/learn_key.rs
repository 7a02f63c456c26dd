//! Learning what tells connections apart where no word says it: what each handshake has its own of, and all that follows one of theirs.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::body::plain;
use super::path::Path;
use super::scalars::{Leaves, Scalars};
use crate::capture::time;

/// How many handshakes have to be apart.
const HANDSHAKES: usize = 2;

/// The place beside the bodies at which each handshake has a value of its own, and every other record that of a handshake, with one of
/// each at least.
pub(super) fn opened_apart(values: &[Value], taken: &[&Path], request: &Path) -> Option<Path> {
    let opens: Vec<bool> = values.iter().map(|value| is_handshake(value, request)).collect();
    let handshakes = opens.iter().filter(|opens| **opens).count();
    if handshakes < HANDSHAKES {
        return None;
    }
    let records: Vec<Scalars<'_>> = values.iter().map(|value| beside(value, taken, request)).collect();
    let apart = |path: &&Path| {
        let value_of = |record: &Scalars<'_>| record.get(path).and_then(|values| label(values[0]));
        let Some(named) = records.iter().map(value_of).collect::<Option<Vec<String>>>() else { return false };
        let with = |opening: bool| named.iter().zip(&opens).filter(move |(_, opens)| **opens == opening);
        let [own, others] = [true, false].map(|opening| with(opening).map(|(name, _)| name).collect::<BTreeSet<_>>());
        own.len() == handshakes && own == others
    };
    records[0].keys().filter(apart).min_by_key(|path| path.0.len()).cloned()
}

/// A label: a text that is neither a time nor a number, of which a slow log has the same few, too.
fn label(value: &Value) -> Option<String> {
    let text = value.as_str().filter(|text| time::parse(text).is_none() && text.parse::<f64>().is_err())?;
    Some(text.to_string())
}

fn beside<'v>(value: &'v Value, taken: &[&Path], request: &Path) -> Scalars<'v> {
    let mut found = BTreeMap::new();
    Leaves { taken, request, found: &mut found }.walk(value, &mut Vec::new());
    found
}

fn is_handshake(value: &Value, request: &Path) -> bool {
    let body = request.0.iter().try_fold(value, |value, key| value.get(&**key));
    let text = body.map_or(String::new(), |body| match body {
        Value::String(text) => plain(text).into_owned(),
        other => other.to_string(),
    });
    serde_json::from_str::<Value>(&text).is_ok_and(|message| message["method"] == "initialize")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn record(peer: &str, method: &str) -> Value {
        json!({"peer": peer, "node": "n1", "at": format!("{peer} {method}"), "request": {"method": method}})
    }

    fn told(records: &[Value]) -> Option<String> {
        let request = Path(vec!["request".into()]);
        opened_apart(records, &[&request], &request).map(|path| path.to_string())
    }

    #[test]
    fn each_handshake_has_its_own() {
        let two = ["a", "b"].map(|peer| ["initialize", "tools/list", "tools/call"].map(|method| record(peer, method)));
        assert_eq!(told(two.as_flattened()).as_deref(), Some("/peer"));
        let strange = [two.as_flattened(), &[record("c", "tools/list")]].concat();
        assert_eq!(told(&strange), None, "c has no handshake");
        assert_eq!(told(&[&two[0][..], &two[0][..]].concat()), None, "a second handshake of the same");
        assert_eq!(told(&[&two[0][..], &two[1][..1]].concat()), None, "nothing follows that of b");
        assert_eq!(told(&two[0]), None, "one handshake");
        let at = |second: i64, method: &str| json!({"took_ms": second, "at": format!("2026-03-02T08:15:0{second}Z"), "request": {"method": method}});
        let slow = [1, 4].map(|second| ["initialize", "tools/list"].map(|method| at(second, method)));
        assert_eq!(told(slow.as_flattened()), None, "what happens in one second is not one connection");
    }
}
