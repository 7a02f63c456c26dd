//! Places in a record: like JSON pointers, with `*` for every member of an array.
//!
//! A list of pairs (`[{"name":"a","value":"x"}]`, `[{"key":..,"value":..}]`, `[["a","x"]]`), which is how headers and attributes
//! are often kept, counts as an object. Keys are compared without regard to case: headers are.

use crate::capture::formats::document::Elements;
use crate::json::pointer;
use crate::json::scan::{members, members_at, unquoted, value_end};

/// The place of a value.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(in crate::capture) struct Path(pub Vec<Box<str>>);

impl Path {
    /// Reads `/a/*/b`; `None` where the text is no path.
    pub(in crate::capture) fn parse(text: &str) -> Option<Path> {
        let rest = text.strip_prefix('/')?;
        Some(Path(rest.split('/').map(|key| pointer::unescape(key).into()).collect()))
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
    children: Vec<(Box<str>, Tree)>,
}

/// The values of the paths in a record, as written, each with the byte at which it starts.
pub(super) type Row<'t> = Vec<Option<(&'t str, usize)>>;

impl Tree {
    /// The tree of paths, which are numbered as they come.
    pub(super) fn new<'p>(paths: impl Iterator<Item = &'p Path>) -> Tree {
        let mut root = Tree::default();
        for (number, path) in paths.enumerate() {
            let mut node = &mut root;
            for key in &path.0 {
                let at = node.children.iter().position(|(known, _)| known == key).unwrap_or_else(|| {
                    node.children.push((key.clone(), Tree::default()));
                    node.children.len() - 1
                });
                node = &mut node.children[at].1;
            }
            node.ends.push(number);
        }
        root
    }

    /// Finds the values in a record: one row, or one for each member of the array that has a `*`. `width` is the number
    /// of paths.
    pub(super) fn rows<'t>(&self, text: &'t str, width: usize) -> Vec<Row<'t>> {
        self.rows_of(text, width).0
    }

    /// The same, and whether the record ends.
    pub(super) fn rows_of<'t>(&self, text: &'t str, width: usize) -> (Vec<Row<'t>>, bool) {
        let mut found = Found { common: vec![None; width], rows: Vec::new() };
        let ends = self.value(text, 0, None, &mut found).is_some();
        if found.rows.is_empty() {
            return (vec![found.common], ends);
        }
        for row in &mut found.rows {
            for (own, common) in row.iter_mut().zip(&found.common) {
                *own = own.or(*common);
            }
        }
        (found.rows, ends)
    }

    /// The value at a byte of the record: gives its end, which is found by the same look at it.
    fn value<'t>(&self, text: &'t str, at: usize, row: Option<usize>, found: &mut Found<'t>) -> Option<usize> {
        let end = match text.as_bytes().get(at) {
            Some(b'{') if !self.children.is_empty() => self.object(text, at, row, found),
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

    fn object<'t>(&self, text: &'t str, at: usize, row: Option<usize>, found: &mut Found<'t>) -> Option<usize> {
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
        found: &mut Found<'t>,
    ) -> Option<usize> {
        match self.children.iter().find(|(known, _)| known.eq_ignore_ascii_case(key)) {
            Some((_, child)) => child.value(text, at, row, found),
            None => value_end(text.as_bytes(), at),
        }
    }

    fn list<'t>(&self, text: &'t str, at: usize, row: Option<usize>, found: &mut Found<'t>) {
        let named = self.children.iter().any(|(key, _)| &**key != "*");
        let each = self.children.iter().find(|(key, _)| &**key == "*").map(|(_, tree)| tree);
        let numbered = self.children.iter().any(|(key, _)| key.bytes().all(|byte| byte.is_ascii_digit()));
        let Ok(list) = Elements::new(text, Some(at), "list") else { return };
        for (number, (at, one)) in list.enumerate() {
            if let Some(each) = each {
                // Arrays in arrays are one row each of the outer one.
                let own = row.unwrap_or_else(|| found.row(number));
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

struct Found<'t> {
    common: Row<'t>,
    rows: Vec<Row<'t>>,
}

impl<'t> Found<'t> {
    fn row(&mut self, number: usize) -> usize {
        while self.rows.len() <= number {
            self.rows.push(vec![None; self.common.len()]);
        }
        number
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
        let rows = Tree::new(paths.iter()).rows(text, paths.len());
        let value = |value: &Option<(&str, usize)>| {
            value.map(|(value, at)| {
                assert_eq!(&text[at..at + value.len()], value);
                value.to_string()
            })
        };
        rows.iter().map(|row| row.iter().map(value).collect()).collect()
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
    }
}
