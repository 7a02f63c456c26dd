//! Raw JSON text: where values stand, and how to replace some of them while every other byte stays as it is.
//!
//! Nothing is parsed into a tree and nothing is re-serialised. What is no JSON has no places.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use crate::json::pointer;
use crate::jsonrpc::MemberName;

/// How deep a value is looked into: real messages are far flatter, and a hostile one must not exhaust the stack.
const DEEP: usize = 100;

/// The members of an object or array at the start of `text`: the key (or the place), and the byte range of the value.
/// A key that stands twice is given twice. Empty for anything else.
pub(crate) fn members(text: &str) -> Vec<(Cow<'_, str>, Range<usize>)> {
    let base = text.as_ptr() as usize;
    let range = |raw: &RawValue| {
        let from = raw.get().as_ptr() as usize - base;
        from..from + raw.get().len()
    };
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let raw = match deserializer.deserialize_any(Children) {
        Ok(raw) => raw,
        Err(_) => return Vec::new(),
    };
    raw.into_iter().map(|(key, value)| (key, range(value))).collect()
}

/// Reads the members of one level, whatever they hold.
struct Children;

impl<'de> Visitor<'de> for Children {
    type Value = Vec<(Cow<'de, str>, &'de RawValue)>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object or an array")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut all = Vec::new();
        while let Some(key) = map.next_key::<MemberName<'de>>()? {
            all.push((key.0, map.next_value::<&RawValue>()?));
        }
        Ok(all)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let mut all = Vec::new();
        while let Some(value) = seq.next_element::<&RawValue>()? {
            all.push((Cow::Owned(all.len().to_string()), value));
        }
        Ok(all)
    }
}

/// Where the value at a JSON pointer stands. Of a key that stands twice the last one counts, as for the peers.
pub(crate) fn locate(text: &str, pointer: &str) -> Option<Range<usize>> {
    let mut here = 0..text.len();
    let mut steps = pointer.split('/');
    steps.next().filter(|first| first.is_empty())?;
    for step in steps {
        let key = pointer::unescape(step);
        let found = members(&text[here.clone()]).into_iter().rev().find(|(name, _)| *name == key)?.1;
        here = here.start + found.start..here.start + found.end;
    }
    Some(here)
}

/// The raw text at a JSON pointer.
pub(crate) fn at<'a>(text: &'a str, pointer: &str) -> Option<&'a str> {
    locate(text, pointer).map(|range| &text[range])
}

/// The raw text at a path: a pointer that may lead on into the JSON that a string holds (`/result/content/0/text -> /id`).
pub(crate) fn along<'a>(text: &'a str, path: &str) -> Option<Cow<'a, str>> {
    let mut parts = pointer::pointers(path);
    let mut here = Cow::Borrowed(at(text, parts.next()?)?);
    for part in parts {
        let inner = serde_json::from_str::<String>(&here).ok()?;
        here = Cow::Owned(at(&inner, part)?.to_string());
    }
    Some(here)
}

/// All places that a pointer with `*` for any member fits: the plain pointer and the byte range of the value.
pub(crate) fn each(text: &str, glob: &str) -> Vec<(String, Range<usize>)> {
    let mut found = vec![(String::new(), 0..text.len())];
    for step in glob.split('/').skip(1) {
        let key = pointer::unescape(step);
        found = found
            .into_iter()
            .flat_map(|(pointer, range)| {
                let all = members(&text[range.clone()]).into_iter();
                let fits = all.filter(|(name, _)| step == "*" || *name == key);
                fits.map(|(name, inner)| {
                    let place = range.start + inner.start..range.start + inner.end;
                    (format!("{pointer}/{}", pointer::escape(&name)), place)
                })
                .collect::<Vec<_>>()
            })
            .collect();
    }
    found
}

/// All scalars below the value in `range`: pointer and byte range.
pub(crate) fn scalars(text: &str, range: Range<usize>, pointer: &str, found: &mut Vec<(String, Range<usize>)>) {
    if !text[range.clone()].starts_with(['{', '[']) || pointer.matches('/').count() >= DEEP {
        found.push((pointer.to_string(), range));
        return;
    }
    for (key, inner) in members(&text[range.clone()]) {
        let place = range.start + inner.start..range.start + inner.end;
        scalars(text, place, &format!("{pointer}/{}", pointer::escape(&key)), found);
    }
}

/// A text as a JSON string, quotes included.
pub(crate) fn quote(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// Replacements in one text. Where two overlap, the one that was added first stands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Edits(Vec<(Range<usize>, String)>);

impl Edits {
    /// Replaces what stands in `range`, unless something in it is replaced already. An empty range is an insertion.
    pub(crate) fn put(&mut self, range: Range<usize>, new: impl Into<String>) -> bool {
        let overlaps = |other: &Range<usize>| other.start < range.end && range.start < other.end;
        if self.0.iter().any(|(other, _)| overlaps(other) || *other == range) {
            return false;
        }
        self.0.push((range, new.into()));
        true
    }

    /// The text with everything replaced.
    pub(crate) fn apply(mut self, text: &str) -> String {
        self.0.sort_by_key(|(range, _)| (range.start, range.end));
        let mut out = String::with_capacity(text.len());
        let mut from = 0;
        for (range, new) in &self.0 {
            out.push_str(&text[from..range.start]);
            out.push_str(new);
            from = range.end;
        }
        out.push_str(&text[from..]);
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn values_are_found_where_they_stand() {
        let text = r#" {"a/b" : {"c":[1, "x" ,{"d":null}]}, "e~":2, "e~":3} "#;
        assert_eq!(at(text, "/a~1b/c/1"), Some("\"x\""));
        assert_eq!(at(text, "/a~1b/c/2/d"), Some("null"));
        assert_eq!(at(text, "/e~0"), Some("3"), "the last of two counts");
        assert_eq!(at(text, "/nope"), None);
        assert_eq!(at("{\"a\":", "/a"), None);
        let inner = r#"{"a":["{\"id\": 7}", "x"]}"#;
        assert_eq!(along(inner, "/a/0 -> /id").as_deref(), Some("7"));
        assert_eq!((along(inner, "/a/1->/id"), along(inner, "/a -> /id")), (None, None));
        assert_eq!(along(inner, "/a/1").as_deref(), Some("\"x\""));
        let all = each(r#"{"r":[{"u":1},{"v":2},{"u":3}]}"#, "/r/*/u");
        assert_eq!(all.iter().map(|(pointer, _)| pointer.as_str()).collect::<Vec<_>>(), ["/r/0/u", "/r/2/u"]);
    }

    #[test]
    fn the_first_edit_stands() {
        let text = r#"{"a":{"b":1},"c":2}"#;
        let mut edits = Edits::default();
        assert!(edits.put(locate(text, "/a").expect("a"), "7"));
        assert!(!edits.put(locate(text, "/a/b").expect("b"), "8"));
        assert!(edits.put(locate(text, "/c").expect("c"), "9"));
        assert_eq!(edits.apply(text), r#"{"a":7,"c":9}"#);
    }

    proptest! {
        /// A splice changes the bytes of its value and nothing else, whatever stands around it.
        #[test]
        fn bytes_outside_a_splice_stay(
            before in "[ \t]{0,3}", key in "[a-z/~\"\\\\é]{1,5}", other in ".{0,8}", new in "[0-9]{1,5}"
        ) {
            let (key_text, other) = (quote(&key), quote(&other));
            let text = format!(r#"{before}{{ "x" : {other} , {key_text}:{before}"old" , "é":[1e400,{other}]}}"#);
            let pointer = format!("/{}", pointer::escape(&key));
            prop_assume!(key != "x" && key != "é");
            let range = locate(&text, &pointer).expect("the key is there");
            prop_assert_eq!(&text[range.clone()], "\"old\"");
            let mut edits = Edits::default();
            edits.put(range.clone(), new.clone());
            let spliced = edits.apply(&text);
            prop_assert_eq!(&spliced[..range.start], &text[..range.start]);
            prop_assert_eq!(&spliced[range.start + new.len()..], &text[range.end..]);
        }

        #[test]
        fn no_text_makes_it_panic(text in "[\\[\\]{}\",:\\\\u0-9d é]{0,40}") {
            members(&text);
            let mut all = Vec::new();
            scalars(&text, 0..text.len(), "", &mut all);
        }
    }
}
