//! Names of keys in `_meta` and of extensions, and the values of the trace context.

use serde_json::Value;

use super::{Flaws, shown};
use crate::json::each_member;
use crate::protocol::{Facts, is_placeholder};

/// Keys without a prefix that stand in `_meta` all the same.
const TRACE: [&str; 3] = ["traceparent", "tracestate", "baggage"];

/// The keys of `_meta`.
pub(super) fn keys(facts: &Facts<'_>, flaws: &mut Flaws) {
    let Some(raw) = facts.odd_meta() else { return };
    each_member(raw, |key, value| {
        if let Some((ruling, words)) = key_fault(key) {
            flaws.add(ruling, || format!("the key {} of _meta {words}", shown(key)));
        }
        if key == TRACE[0] && !is_placeholder(value) && !is_traceparent(value.trim_matches('"')) {
            flaws.add("PAY001/trace", || format!("traceparent is {}", shown(value.trim_matches('"'))));
        }
    });
}

/// The keys of the `_meta` of what a result holds: the items of its lists, the content of messages, the resources in both. What stands in
/// data of the parties' own is not the protocol's.
pub(super) fn nested(raw: &str, flaws: &mut Flaws) {
    if !raw.contains("\"_meta\"") {
        return;
    }
    let held: Value = serde_json::from_str(raw).unwrap_or_default();
    for item in each(&held) {
        for part in std::iter::once(item).chain(each(&item["content"])) {
            names(&part["_meta"], flaws);
            names(&part["resource"]["_meta"], flaws);
        }
    }
}

/// The values of an array, or the one that stands there alone.
fn each(value: &Value) -> &[Value] {
    value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice)
}

fn names(meta: &Value, flaws: &mut Flaws) {
    for key in meta.as_object().into_iter().flat_map(serde_json::Map::keys) {
        if let Some((ruling, words)) = key_fault(key) {
            flaws.add(ruling, || format!("the key {} of a nested _meta {words}", shown(key)));
        }
    }
}

/// What is wrong with the name of a key, if anything.
fn key_fault(key: &str) -> Option<(&'static str, &'static str)> {
    let (prefix, name) = match key.rsplit_once('/') {
        Some((prefix, name)) => (Some(prefix), name),
        None => (None, key),
    };
    if let Some(prefix) = prefix {
        if prefix.is_empty() || prefix.split('.').any(|label| label.is_empty() || label.contains('/')) {
            return Some(("PAY001", "has a prefix that is no series of labels separated by dots"));
        }
        if !prefix.split('.').all(is_label) {
            let words = "has a prefix with a label that does not begin with a letter and end with a letter or digit";
            return Some(("PAY001/label", words));
        }
    }
    (!is_name(name)).then_some(("PAY001/name", "has a name that does not begin and end with a letter or digit"))
}

fn is_label(label: &str) -> bool {
    let inside = label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    inside && label.starts_with(|c: char| c.is_ascii_alphabetic()) && !label.ends_with('-')
}

fn is_name(name: &str) -> bool {
    let alphanumeric = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
    let bytes = name.as_bytes();
    name.is_empty()
        || alphanumeric(bytes.first())
            && alphanumeric(bytes.last())
            && bytes.iter().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(byte))
}

/// `00-` trace id `-` parent id `-` flags, in lower-case hexadecimal, neither id all zeros; a later version may go on behind it.
fn is_traceparent(text: &str) -> bool {
    let hex = |part: &str, length: usize| {
        part.len() == length && part.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
    };
    let parts: Vec<&str> = text.split('-').collect();
    let [version, trace, parent, flags, rest @ ..] = &parts[..] else { return false };
    let real = |id: &str| id.bytes().any(|byte| byte != b'0');
    hex(version, 2)
        && *version != "ff"
        && hex(trace, 32)
        && real(trace)
        && hex(parent, 16)
        && real(parent)
        && hex(flags, 2)
        && (*version != "00" || rest.is_empty())
}

/// The names of extensions in declared capabilities.
pub(super) fn extensions(facts: &Facts<'_>, flaws: &mut Flaws) {
    let declared = [facts.capabilities(), facts.meta_capabilities()].into_iter().flatten();
    for raw in declared.filter(|raw| raw.contains("\"extensions\"")) {
        each_member(raw, |key, value| {
            if key == "extensions" {
                each_member(value, |name, _| {
                    let bad = !name.contains('/') || key_fault(name).is_some() || name.ends_with('/');
                    let words = || format!("the extension {} is not named by a prefix and a name", shown(name));
                    flaws.add_if(bad, "PAY001/extension", words);
                });
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_keys() {
        for good in ["a", "progressToken", "com.example/", "io.modelcontextprotocol/x", "a-b.c1/x_y.z", "9", ""] {
            assert_eq!(key_fault(good), None, "{good}");
        }
        for (bad, ruling) in [
            ("/x", "PAY001"),
            ("com..example/x", "PAY001"),
            ("https://x.org/y", "PAY001"),
            ("1com/x", "PAY001/label"),
            ("com-/x", "PAY001/label"),
            ("a b/x", "PAY001/label"),
            ("_x", "PAY001/name"),
            ("com.example/x y", "PAY001/name"),
        ] {
            assert_eq!(key_fault(bad).map(|(ruling, _)| ruling), Some(ruling), "{bad}");
        }
    }

    #[test]
    fn trace_contexts() {
        let good = "00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01";
        assert!(is_traceparent(good) && is_traceparent(&format!("01{}-more", &good[2..])));
        for bad in ["", "00-0-0-01", &good.to_uppercase(), &good.replace("00f067aa0ba902b7", "0000000000000000")] {
            assert!(!is_traceparent(bad), "{bad}");
        }
        assert!(!is_traceparent(&format!("{good}-x")));
    }
}
