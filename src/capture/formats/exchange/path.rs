//! Places in a record: like JSON pointers, with `*` for every member of an array.
//!
//! `+` stands for the members of an array that are pieces of one value, one behind the other (the events of a stream, what was read at a
//! time): it is all of them together.
//!
//! A list of pairs (`[{"name":"a","value":"x"}]`, `[{"key":..,"value":..}]`, `[["a","x"]]`), which is how headers and attributes
//! are often kept, counts as an object. Keys are compared without regard to case: headers are.

use super::body::joined;
use crate::capture::formats::document::{Elements, content};
use crate::json::scan::{members, members_at, unquoted, value_end};
use crate::json::{pointer, read_string};

/// The place of a value.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(in crate::capture) struct Path(pub Vec<Box<str>>);

impl Path {
    /// Reads `/a/*/b`; `None` where the text is no path.
    pub(in crate::capture) fn parse(text: &str) -> Option<Path> {
        let rest = text.strip_prefix('/')?;
        Some(Path(rest.split('/').map(|key| pointer::unescape(key).into()).collect()))
    }

    /// The value in a record, where every step is a member of an object.
    pub(super) fn member_of<'t>(&self, record: &'t str) -> Option<&'t str> {
        let member = |text, key: &str| members(text).find(|member| member.key == key).map(|member| member.value);
        self.0.iter().try_fold(record, |text, key| member(text, key))
    }

    /// The last key in lower case, without signs.
    pub(in crate::capture) fn plain_key(&self) -> String {
        self.0.last().map_or(String::new(), |key| plain(key))
    }
}

impl std::fmt::Display for Path {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.iter().try_for_each(|key| write!(f, "/{key}"))
    }
}

/// Lower case, letters and digits only.
pub(super) fn plain(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Paths, ready to be found in one scan.
#[derive(Clone, Debug, Default)]
pub(super) struct Tree {
    /// Numbers of the paths that end here.
    ends: Vec<usize>,
    /// True if a string here will be read: it is unescaped when its end is looked for.
    is_read: bool,
    children: Vec<(Box<str>, Tree)>,
}

/// The values of the paths in a record, as written, each with the byte at which it starts.
pub(super) type Row<'t> = Vec<Option<(&'t str, usize)>>;

/// What strings of a record say that are written otherwise, by the bytes at which they start.
pub(super) type Said = Vec<(usize, String)>;

impl Tree {
    /// The tree of paths, which are numbered as they come; each with whether a string there will be read.
    pub(super) fn new<'p>(paths: impl Iterator<Item = (&'p Path, bool)>) -> Tree {
        let mut root = Tree::default();
        for (number, (path, is_read)) in paths.enumerate() {
            let mut node = &mut root;
            for key in &path.0 {
                let at = node.children.iter().position(|(known, _)| known == key).unwrap_or_else(|| {
                    node.children.push((key.clone(), Tree::default()));
                    node.children.len() - 1
                });
                node = &mut node.children[at].1;
            }
            node.ends.push(number);
            node.is_read |= is_read;
        }
        root
    }

    /// Finds the values in a record: one row, or one for each member of the innermost array that has a `*`. `width` is the
    /// number of paths; `room` is used for reading strings, and may be used again.
    pub(super) fn found<'t, 'r>(&self, text: &'t str, width: usize, room: &'r mut Vec<u8>) -> Values<'t, 'r> {
        let mut found = Values {
            common: vec![None; width],
            rows: Vec::new(),
            within: Vec::new(),
            said: Vec::new(),
            room,
            ends: false,
        };
        found.ends = self.value(text, 0, None, &mut found).is_some();
        found.share();
        found
    }

    /// The value at a byte of the record: gives its end, which is found by the same look at it.
    fn value<'t>(&self, text: &'t str, at: usize, row: Option<usize>, found: &mut Values<'t, '_>) -> Option<usize> {
        let end = match text.as_bytes().get(at) {
            Some(b'{') if !self.children.is_empty() => self.object(text, at, row, found),
            Some(b'"') if self.is_read => {
                let (end, said) = read_string(text, at + 1, found.room)?;
                found.said.extend(said.map(|said| (at, said)));
                Some(end + 1)
            }
            _ => value_end(text.as_bytes(), at),
        }?;
        for number in &self.ends {
            found.put(*number, row, &text[at..end], at);
        }
        if text.as_bytes()[at] == b'[' && !self.children.is_empty() {
            self.list(&text[..end], at, row, found);
        }
        Some(end)
    }

    fn object<'t>(&self, text: &'t str, at: usize, row: Option<usize>, found: &mut Values<'t, '_>) -> Option<usize> {
        let mut all = members_at(text, at);
        while let Some((key, at)) = all.next_key() {
            all.pass(self.member(text, key, at, row, found));
        }
        // What does not add up inside may still have its brackets in pairs.
        all.end().or_else(|| value_end(text.as_bytes(), at))
    }

    fn member<'t>(
        &self,
        text: &'t str,
        key: &str,
        at: usize,
        row: Option<usize>,
        found: &mut Values<'t, '_>,
    ) -> Option<usize> {
        // Most keys are spelled as they are known.
        match self.children.iter().find(|(known, _)| **known == *key || known.eq_ignore_ascii_case(key)) {
            Some((_, child)) => child.value(text, at, row, found),
            None => value_end(text.as_bytes(), at),
        }
    }

    /// The pieces in the members of a list, as what a string at its place says.
    fn join<'t>(&self, text: &'t str, at: usize, row: Option<usize>, found: &mut Values<'t, '_>) {
        let (Ok(list), width) = (Elements::new(text, Some(at), "list"), found.common.len()) else { return };
        let (mut texts, mut place) = (Vec::new(), None);
        for (_, one) in list {
            let own = self.found(one, width, found.room);
            let piece = own.common.iter().enumerate().find_map(|(number, piece)| Some((number, (*piece)?.0)));
            let Some((number, raw)) = piece else { continue };
            texts.push(piece_of(raw));
            place = Some(number);
        }
        if let Some(number) = place {
            found.put(number, row, &text[at..], at);
            found.said.push((at, joined(texts)));
        }
    }

    fn list<'t>(&self, text: &'t str, at: usize, row: Option<usize>, found: &mut Values<'t, '_>) {
        let named = self.children.iter().any(|(key, _)| &**key != "*");
        let each = self.children.iter().find(|(key, _)| &**key == "*").map(|(_, tree)| tree);
        let pieces = self.children.iter().find(|(key, _)| &**key == "+").map(|(_, tree)| tree);
        if let Some(pieces) = pieces {
            pieces.join(text, at, row, found);
        }
        let numbered = self.children.iter().any(|(key, _)| key.bytes().all(|byte| byte.is_ascii_digit()));
        let Ok(list) = Elements::new(text, Some(at), "list") else { return };
        for (number, (at, one)) in list.enumerate() {
            if let Some(each) = each {
                let own = found.row(row);
                each.value(text, at, Some(own), found);
            }
            if numbered {
                self.member(text, &number.to_string(), at, row, found);
            }
            if let Some((name, _, inner)) = named.then(|| pair(one)).flatten() {
                self.member(text, name, at + inner, row, found);
            }
        }
    }
}

/// What one of several pieces says.
fn piece_of(raw: &str) -> String {
    if raw.starts_with('"') { content(raw).into_owned() } else { raw.to_string() }
}

/// Name and value of a pair, and where the value starts.
pub(super) fn pair(text: &str) -> Option<(&str, &str, usize)> {
    if text.starts_with('[') {
        let mut list = Elements::new(text, Some(0), "list").ok()?;
        let ((_, name), (at, value)) = (list.next()?, list.next()?);
        let named = name.starts_with('"') && is_name(unquoted(name));
        return (named && list.next().is_none()).then(|| (unquoted(name), value, at));
    }
    let (mut name, mut value) = (None, None);
    for member in members(text) {
        match member.key {
            "name" | "key" | "Name" | "Key" if member.value.starts_with('"') => name = Some(unquoted(member.value)),
            "value" | "Value" | "values" | "raw_value" => value = Some((member.value, member.at)),
            _ => {}
        }
    }
    let (value, at) = value?;
    Some((name?, value, at))
}

/// False for the first of a time and a record (`["1788423300000000000","..."]`), which is no name.
pub(super) fn is_name(text: &str) -> bool {
    !text.starts_with(|c: char| c.is_ascii_digit())
}

/// What was found in a record.
pub(super) struct Values<'t, 'r> {
    common: Row<'t>,
    rows: Vec<Row<'t>>,
    /// For each row, that of the outer array in which it lies.
    within: Vec<Option<usize>>,
    /// What was read of it.
    pub said: Said,
    /// Room for reading it.
    room: &'r mut Vec<u8>,
    /// Whether the record ends.
    pub ends: bool,
}

impl<'t> Values<'t, '_> {
    /// The rows; what is not in a list belongs to each.
    pub(super) fn rows(&self) -> &[Row<'t>] {
        if self.rows.is_empty() { std::slice::from_ref(&self.common) } else { &self.rows }
    }

    /// A row for the next member of an array.
    fn row(&mut self, within: Option<usize>) -> usize {
        self.rows.push(vec![None; self.common.len()]);
        self.within.push(within);
        self.rows.len() - 1
    }

    /// Gives rows what stands outside of their array, and leaves those alone that hold no others. Outer rows come first.
    fn share(&mut self) {
        for at in 0..self.rows.len() {
            let (before, own) = self.rows.split_at_mut(at);
            let outer = self.within[at].map_or(&self.common, |within| &before[within]);
            own[0].iter_mut().zip(outer).for_each(|(own, outer)| *own = own.or(*outer));
        }
        let mut holds_others = vec![false; self.rows.len()];
        self.within.iter().flatten().for_each(|outer| holds_others[*outer] = true);
        let mut each = holds_others.into_iter();
        self.rows.retain(|_| each.next() == Some(false));
    }

    fn put(&mut self, number: usize, row: Option<usize>, text: &'t str, at: usize) {
        let place = match row {
            Some(row) => &mut self.rows[row][number],
            None => &mut self.common[number],
        };
        place.get_or_insert((text, at));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str, paths: &[&str]) -> Vec<Vec<Option<String>>> {
        let paths: Vec<Path> = paths.iter().map(|path| Path::parse(path).expect("a path")).collect();
        let mut room = Vec::new();
        let found = Tree::new(paths.iter().map(|path| (path, false))).found(text, paths.len(), &mut room);
        let value = |value: &Option<(&str, usize)>| {
            value.map(|(value, at)| {
                assert_eq!(&text[at..at + value.len()], value);
                value.to_string()
            })
        };
        found.rows().iter().map(|row| row.iter().map(value).collect()).collect()
    }

    #[test]
    fn values_pairs_and_rows() {
        let text = r#"{"t":1,"h":[{"name":"A-b","value":"x"},{"name":"c","value":["y"]}],"l":[["K","v"]],"r":[{"q":2},{"q":3,"s":{"u":4}}]}"#;
        let some = |text: &str| Some(text.to_string());
        assert_eq!(
            found(text, &["/t", "/h/a-B", "/l/k", "/h/1/name"]),
            [[some("1"), some("\"x\""), some("\"v\""), some("\"c\"")]]
        );
        assert_eq!(
            found(text, &["/t", "/r/*/q", "/r/*/s/u"]),
            [[some("1"), some("2"), None], [some("1"), some("3"), some("4")]]
        );
        assert_eq!(found("{\"r\":7", &["/t", "/r/*/q"]), [[None, None]]);
        let nested = r#"{"r":[{"s":[{"q":1},{"q":2}],"t":"a"},{"s":[{"q":3}],"t":"b"}]}"#;
        assert_eq!(
            found(nested, &["/r/*/t", "/r/*/s/*/q"]),
            [[some("\"a\""), some("1")], [some("\"a\""), some("2")], [some("\"b\""), some("3")]]
        );
    }
}
