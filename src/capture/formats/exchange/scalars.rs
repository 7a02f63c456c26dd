//! What a record holds besides messages: its scalars, each with its path.

use std::collections::BTreeMap;

use serde_json::Value;

use super::path::{Path, is_name};
use crate::json::scan::unquoted;
use crate::json::without_byte_escapes;

/// How deep a record may be.
pub(super) const DEPTH: usize = 12;

/// Values by their paths: those of all examples.
pub(super) type Scalars<'v> = BTreeMap<Path, Vec<&'v Value>>;

/// True for a status of HTTP, or 0 for none, with a key that says so.
pub(super) fn is_status(key: &str, value: &Value) -> bool {
    let number = || value.as_i64().or_else(|| value.as_str()?.parse().ok());
    let named = key.contains("status") || matches!(key, "code" | "responsecode" | "httpcode");
    named && number().is_some_and(|number| number == 0 || (100..600).contains(&number))
}

/// Collects the scalars that stand beside the bodies.
pub(super) struct Leaves<'x, 'v> {
    pub(super) taken: &'x [&'x Path],
    /// Where a request lies: what it passes with a `*` is an array of exchanges.
    pub(super) request: &'x Path,
    pub(super) found: &'x mut Scalars<'v>,
}

impl<'v> Leaves<'_, 'v> {
    pub(super) fn walk(&mut self, value: &'v Value, path: &mut Vec<Box<str>>) {
        if path.len() >= DEPTH || self.taken.iter().any(|taken| taken.0 == *path) {
            return;
        }
        let inner = children(value);
        for (key, value) in &inner {
            path.push(key.as_str().into());
            self.walk(value, path);
            path.pop();
        }
        match value {
            Value::Array(list) if inner.is_empty() => {
                let key = self.request.0.get(path.len()).filter(|_| self.request.0.starts_with(path));
                let all = key.is_some_and(|key| &**key == "*");
                for one in list.iter().take(if all { usize::MAX } else { 1 }) {
                    path.push(if all { "*" } else { "0" }.into());
                    self.walk(one, path);
                    path.pop();
                }
            }
            Value::String(_) | Value::Number(_) => self.found.entry(Path(path.clone())).or_default().push(value),
            _ => {}
        }
    }
}

/// A record as a value, also where bytes in its strings are escaped as nginx does it.
pub(super) fn read_record(record: &str) -> Option<Value> {
    let plain = || serde_json::from_str(&without_byte_escapes(record)?).ok();
    serde_json::from_str(record).ok().or_else(plain)
}

/// The members of an object, or of a list of pairs.
pub(super) fn children(value: &Value) -> Vec<(String, &Value)> {
    match value {
        Value::Object(members) => members.iter().map(|(key, value)| (key.clone(), value)).collect(),
        Value::Array(list) => list.iter().filter_map(as_pair).collect(),
        _ => Vec::new(),
    }
}

fn as_pair(value: &Value) -> Option<(String, &Value)> {
    match value {
        Value::Array(two) if two.len() == 2 => {
            Some((two[0].as_str().filter(|name| is_name(name))?.to_string(), &two[1]))
        }
        Value::Object(members) => {
            let name = ["name", "key", "Name", "Key"].iter().find_map(|key| members.get(*key)?.as_str())?;
            let value = ["value", "Value", "values", "raw_value"].iter().find_map(|key| members.get(*key))?;
            Some((name.to_string(), value))
        }
        _ => None,
    }
}

/// The string of a value, without its quotes.
pub(super) fn text_of(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => unquoted(&other.to_string()).to_string(),
    }
}
