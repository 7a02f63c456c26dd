//! JSON pointers into a payload: several looked up in one scan, nothing parsed.

use crate::json::pointer;
use crate::json::scan;

/// A JSON pointer (`/a/b`) as its keys; empty for the whole.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Pointer(Vec<Box<str>>);

/// A value that was found, as written, and where it starts in the text.
pub(super) type Found<'a> = Option<(&'a str, usize)>;

impl Pointer {
    /// Reads `/a/b`; `None` where the text is no pointer.
    pub(super) fn parse(text: &str) -> Option<Pointer> {
        if text.is_empty() {
            return Some(Pointer::default());
        }
        let rest = text.strip_prefix('/')?;
        Some(Pointer(rest.split('/').map(|key| pointer::unescape(key).into()).collect()))
    }

    /// True for the pointer to the whole text.
    pub(super) fn is_whole(&self) -> bool {
        self.0.is_empty()
    }

    /// The value in the object at the start of `text`.
    pub(super) fn find<'a>(&self, text: &'a str) -> Found<'a> {
        let mut found = [None];
        find_all(text, &[self], &mut found);
        found[0]
    }
}

/// Looks up all pointers in the object at the start of `text`; gives the byte after the object, where it ends.
pub(super) fn find_all<'a>(text: &'a str, pointers: &[&Pointer], found: &mut [Found<'a>]) -> Option<usize> {
    walk(text, 0, 0, pointers, found)
}

fn walk<'a>(text: &'a str, base: usize, depth: usize, pointers: &[&Pointer], found: &mut [Found<'a>]) -> Option<usize> {
    let mut members = scan::members(text);
    for member in members.by_ref() {
        let mut inside = false;
        for (pointer, found) in pointers.iter().zip(found.iter_mut()) {
            match pointer.0.get(depth) {
                Some(key) if **key == *member.key && pointer.0.len() == depth + 1 => {
                    *found = Some((member.value, base + member.at));
                }
                Some(key) if **key == *member.key => inside = true,
                _ => {}
            }
        }
        // Only pointers that share the whole way so far lead on; telling them apart again is not worth a list.
        if inside && depth < 8 {
            let on: Vec<usize> = (0..pointers.len())
                .filter(|at| pointers[*at].0.len() > depth + 1 && *pointers[*at].0[depth] == *member.key)
                .collect();
            let inner: Vec<&Pointer> = on.iter().map(|at| pointers[*at]).collect();
            let mut values = vec![None; inner.len()];
            walk(member.value, base + member.at, depth + 1, &inner, &mut values);
            for (at, value) in on.into_iter().zip(values) {
                found[at] = value.or(found[at]);
            }
        }
    }
    members.end()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_found_at_any_depth_in_one_scan() {
        let text = r#"{"a":{"b":[1],"c":"x"},"d~/":7,"b":2} tail"#;
        let pointers = ["/a/b", "/d~0~1", "/a/c", "/a/none", "/b/c"].map(|text| Pointer::parse(text).expect("one"));
        let mut found = [None; 5];
        let end = find_all(text, &pointers.each_ref(), &mut found);
        assert_eq!(end.map(|end| &text[end..]), Some(" tail"));
        let texts = found.map(|found| found.map(|(value, at)| (value, &text[at..at + 1])));
        assert_eq!(texts, [Some(("[1]", "[")), Some(("7", "7")), Some(("\"x\"", "\"")), None, None]);
        assert_eq!(Pointer::parse("a"), None);
        assert!(Pointer::parse("").is_some_and(|pointer| pointer.is_whole()));
    }
}
