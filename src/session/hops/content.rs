//! What a request asks for, so that the same request is known again at the next hop.

use serde_json::Value;

/// What a request asks for, whatever its id, its spelling and its `_meta`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Content {
    /// The tool or prompt: a gateway may have put a prefix before it.
    pub name: Option<Box<str>>,
    /// A hash of all other parameters, whatever the order of their members.
    pub rest: [u8; 16],
    /// The trace that it belongs to (W3C `traceparent`, in `_meta`), where it says so.
    pub trace: Option<Box<str>>,
}

impl Content {
    /// Of a request as JSON text. `None` where it asks for nothing that would tell it from others.
    pub fn of(text: &str) -> Option<Content> {
        let Value::Object(mut request) = serde_json::from_str(text).ok()? else { return None };
        let Some(Value::Object(mut params)) = request.remove("params") else { return None };
        let meta = params.remove("_meta");
        let trace = meta.as_ref().and_then(|meta| trace_id(meta.get("traceparent")?.as_str()?));
        let name = match params.remove("name") {
            Some(Value::String(name)) => Some(name.into_boxed_str()),
            Some(other) => {
                params.insert("name".to_string(), other);
                None
            }
            None => None,
        };
        if params.is_empty() && name.is_none() && trace.is_none() {
            return None;
        }
        let mut hasher = blake3::Hasher::new();
        write(&Value::Object(params), &mut hasher);
        let mut rest = [0; 16];
        rest.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
        Some(Content { name, rest, trace })
    }

    /// True if both may be one request: the names are the same, or one is the other behind a prefix, and the traces do not differ.
    pub fn fits(&self, other: &Content) -> bool {
        let named = match (&self.name, &other.name) {
            (Some(one), Some(two)) => one == two || prefixed(one, two) || prefixed(two, one),
            (None, None) => true,
            _ => false,
        };
        named && (self.traced_with(other) || self.trace.is_none() || other.trace.is_none())
    }

    /// True if both say that they belong to one trace.
    pub fn traced_with(&self, other: &Content) -> bool {
        self.trace.is_some() && self.trace == other.trace
    }
}

/// True if `long` is a prefix that ends with a mark, and then `short`: `github__search`, `github.search`.
fn prefixed(long: &str, short: &str) -> bool {
    let prefix = long.strip_suffix(short);
    prefix.and_then(|prefix| prefix.chars().next_back()).is_some_and(|mark| !mark.is_alphanumeric())
}

/// The second field of a `traceparent` (W3C Trace Context): 32 digits, not all of them 0.
fn trace_id(parent: &str) -> Option<Box<str>> {
    let id = parent.split('-').nth(1)?;
    let digits = id.len() == 32 && id.bytes().all(|byte| byte.is_ascii_hexdigit());
    (digits && id.bytes().any(|byte| byte != b'0')).then(|| id.to_ascii_lowercase().into_boxed_str())
}

/// One spelling for a value: members in the order of their names, lengths before texts.
fn write(value: &Value, to: &mut blake3::Hasher) {
    match value {
        Value::Object(members) => {
            let mut members: Vec<_> = members.iter().collect();
            members.sort_unstable_by_key(|(name, _)| *name);
            tag(to, b'{', members.len());
            for (name, value) in members {
                tag(to, b'"', name.len());
                to.update(name.as_bytes());
                write(value, to);
            }
        }
        Value::Array(items) => {
            tag(to, b'[', items.len());
            items.iter().for_each(|item| write(item, to));
        }
        Value::String(text) => {
            tag(to, b'"', text.len());
            to.update(text.as_bytes());
        }
        other => {
            let text = other.to_string();
            tag(to, b'=', text.len());
            to.update(text.as_bytes());
        }
    }
}

fn tag(to: &mut blake3::Hasher, kind: u8, length: usize) {
    to.update(&[kind]).update(&(length as u64).to_le_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn content(params: &str) -> Option<Content> {
        Content::of(&format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{params}}}"#))
    }

    fn fit(one: &str, two: &str) -> bool {
        let (one, two) = (content(one).unwrap(), content(two).unwrap());
        one.rest == two.rest && one.fits(&two)
    }

    #[test]
    fn a_request_is_known_again_in_another_spelling_and_behind_a_prefix() {
        let own = r#"{"name":"search","arguments":{"q":"a","n":[1,2]},"_meta":{"progressToken":1}}"#;
        assert!(fit(own, r#"{"arguments":{"n": [1, 2], "q":"\u0061"},"name":"search"}"#));
        assert!(fit(own, r#"{"name":"docs__search","arguments":{"q":"a","n":[1,2]}}"#));
        assert!(!fit(own, r#"{"name":"research","arguments":{"q":"a","n":[1,2]}}"#));
        assert!(!fit(own, r#"{"name":"search","arguments":{"q":"a","n":[2,1]}}"#));
        assert!(!fit(own, r#"{"name":"search","arguments":{"q":"a","n":[1]},"m":2}"#));
        assert!(!fit(r#"{"name":"search"}"#, r#"{"name":{"x":1}}"#));
    }

    #[test]
    fn traces_tell_apart_what_is_alike() {
        let with =
            |trace: &str| format!(r#"{{"name":"x","_meta":{{"traceparent":"00-{trace}-b7ad6b7169203331-01"}}}}"#);
        let (one, two) = (with("0af7651916cd43dd8448eb211c80319c"), with("1af7651916cd43dd8448eb211c80319c"));
        assert!(fit(&one, &one) && !fit(&one, &two) && fit(&one, r#"{"name":"x"}"#));
        assert!(content(&one).unwrap().traced_with(&content(&one).unwrap()));
        assert!(content(&with("00000000000000000000000000000000")).unwrap().trace.is_none());
    }

    #[test]
    fn what_asks_for_nothing_has_no_content() {
        assert!(
            content("{}").is_none() && content("[]").is_none() && content(r#"{"_meta":{"progressToken":1}}"#).is_none()
        );
    }
}
