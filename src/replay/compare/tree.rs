//! JSON as a tree over its own text: numbers and strings stay as they were spelled, members as often and in the order
//! in which they stand. Nothing is lost that a comparison could need, and nothing passes through a float.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::json::pointer;
use crate::json::scan::value_end;
use crate::json::strict::{self, skip_white};
use crate::json::{escape, lenient_string};
use crate::jsonrpc::Id;

/// Levels below which a part is kept as text. Hostile depth costs memory only in proportion to its length.
const DEEPEST: usize = 200;

/// One value, with its text.
#[derive(Clone, Debug)]
pub struct Tree<'a> {
    /// The text of the value.
    pub text: &'a str,
    /// What it is.
    pub node: Node<'a>,
}

/// What a value is.
#[derive(Clone, Debug)]
pub enum Node<'a> {
    /// `null`, `true` or `false`.
    Word,
    /// A number.
    Number,
    /// A string.
    Text,
    /// Its members in order.
    List(Vec<Tree<'a>>),
    /// Its members in order, with their names unescaped; a name may stand twice.
    Map(Vec<(Cow<'a, str>, Tree<'a>)>),
    /// A list or an object that lies too deep to be looked into.
    Deep,
}

impl<'a> Tree<'a> {
    /// Reads a text that is one JSON value; `None` where it is not.
    pub fn read(text: &'a str) -> Option<Tree<'a>> {
        let (tree, end) = value(text, skip_white(text.as_bytes(), 0), 0)?;
        (skip_white(text.as_bytes(), end) == text.len()).then_some(tree)
    }

    /// `object`, `array`, `string`, `number`, `boolean` or `null`.
    pub fn kind(&self) -> &'static str {
        match (&self.node, self.text.as_bytes().first()) {
            (Node::Map(_), _) | (Node::Deep, Some(b'{')) => "object",
            (Node::List(_) | Node::Deep, _) => "array",
            (Node::Text, _) => "string",
            (Node::Number, _) => "number",
            (Node::Word, Some(b'n')) => "null",
            (Node::Word, _) => "boolean",
        }
    }

    /// A member by name, the first of that name.
    pub fn member(&self, name: &str) -> Option<&Tree<'a>> {
        match &self.node {
            Node::Map(members) => members.iter().find(|(own, _)| own == name).map(|(_, tree)| tree),
            _ => None,
        }
    }

    /// Its members by their names, each name the first time; of what is no object, none.
    pub fn named(&self) -> HashMap<&str, &Tree<'a>> {
        match &self.node {
            Node::Map(members) => members.iter().rev().map(|(name, tree)| (name.as_ref(), tree)).collect(),
            _ => HashMap::new(),
        }
    }

    /// What a JSON pointer leads to.
    pub fn at(&self, pointer: &str) -> Option<&Tree<'a>> {
        let mut tree = self;
        for part in pointer.split('/').skip(1) {
            let part = pointer::unescape(part);
            tree = match &tree.node {
                Node::List(members) => members.get(part.parse::<usize>().ok()?)?,
                _ => tree.member(&part)?,
            };
        }
        Some(tree)
    }

    /// A string unescaped; a surrogate without its other half stays as it is spelled.
    pub fn string(&self) -> Option<Cow<'a, str>> {
        matches!(self.node, Node::Text).then(|| said(self.text))
    }

    /// A number as a float, for tolerances only.
    pub fn number(&self) -> Option<f64> {
        matches!(self.node, Node::Number).then(|| self.text.parse().ok()).flatten()
    }

    /// One spelling per value: names sorted, no blanks, numbers by value. `skip` names members that are left out.
    pub fn canonical(&self, skip: &[&str]) -> String {
        let mut out = String::with_capacity(self.text.len());
        self.spell(skip, &mut out);
        out
    }

    fn spell(&self, skip: &[&str], out: &mut String) {
        match &self.node {
            Node::Number => out.push_str(&Id::from_json(self.text).map_or_else(String::new, |id| id.to_json())),
            Node::Text => out.push_str(&serde_json::Value::from(said(self.text)).to_string()),
            Node::Word | Node::Deep => out.push_str(self.text),
            Node::List(members) => {
                out.push('[');
                for (index, member) in members.iter().enumerate() {
                    out.push_str(if index > 0 { "," } else { "" });
                    member.spell(skip, out);
                }
                out.push(']');
            }
            Node::Map(members) => {
                let mut members: Vec<_> = members.iter().filter(|(name, _)| !skip.contains(&name.as_ref())).collect();
                members.sort_by(|a, b| a.0.cmp(&b.0));
                out.push('{');
                for (index, (name, member)) in members.into_iter().enumerate() {
                    out.push_str(if index > 0 { "," } else { "" });
                    out.push_str(&serde_json::Value::from(name.as_ref()).to_string());
                    out.push(':');
                    member.spell(skip, out);
                }
                out.push('}');
            }
        }
    }
}

/// True if two raw values are the same JSON value: strings unescaped, numbers by exact value, objects unordered.
pub(crate) fn same(a: &str, b: &str) -> bool {
    a == b || canonical(a, &[]) == canonical(b, &[])
}

/// One spelling for all texts of a JSON value; members of objects with one of the names in `without` are left out.
pub(crate) fn canonical(raw: &str, without: &[&str]) -> String {
    Tree::read(raw).map_or_else(|| raw.trim().to_string(), |tree| tree.canonical(without))
}

/// True if two scalars are equal by value; strings by their code units, so that lone surrogates stay apart.
pub fn same_scalar(a: &Tree<'_>, b: &Tree<'_>) -> bool {
    match (&a.node, &b.node) {
        (Node::Number, Node::Number) => a.text == b.text || Id::from_json(a.text) == Id::from_json(b.text),
        (Node::Text, Node::Text) => {
            a.text == b.text || (a.text.contains('\\') || b.text.contains('\\')) && units(a.text) == units(b.text)
        }
        (Node::Word, Node::Word) | (Node::Deep, Node::Deep) => a.text == b.text,
        _ => false,
    }
}

/// What a JSON string says, with its quotes or without; a surrogate without its other half stays as it is spelled, so that such stay
/// apart.
fn said(raw: &str) -> Cow<'_, str> {
    let text = lenient_string(raw);
    if !text.contains(char::REPLACEMENT_CHARACTER) || !raw.contains('\\') {
        return text;
    }
    let inner = raw.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(raw);
    let mut said = String::with_capacity(raw.len());
    for unit in char::decode_utf16(units_of(inner)) {
        match unit {
            Ok(c) => said.push(c),
            Err(lone) => said.push_str(&format!("\\u{:04x}", lone.unpaired_surrogate())),
        }
    }
    Cow::Owned(said)
}

/// The UTF-16 code units that a JSON string with its quotes stands for.
fn units(raw: &str) -> Vec<u16> {
    units_of(raw.get(1..raw.len().saturating_sub(1)).unwrap_or_default())
}

fn units_of(text: &str) -> Vec<u16> {
    let (mut all, mut at) = (Vec::with_capacity(text.len()), 0);
    while let Some(c) = text[at..].chars().next() {
        let (unit, end) = escape(text, at).filter(|_| c == '\\').unwrap_or((Ok(c), at + c.len_utf8()));
        match unit {
            Ok(c) => all.extend_from_slice(c.encode_utf16(&mut [0; 2])),
            Err(unit) => all.push(unit),
        }
        at = end;
    }
    all
}

/// The value at `at`, and the byte after it.
fn value(text: &str, at: usize, depth: usize) -> Option<(Tree<'_>, usize)> {
    let bytes = text.as_bytes();
    let (node, end) = match bytes.get(at)? {
        b'{' | b'[' if depth >= DEEPEST => (Node::Deep, value_end(bytes, at)?),
        b'{' => map(text, at, depth)?,
        b'[' => list(text, at, depth)?,
        first => {
            let node = match first {
                b'"' => Node::Text,
                b'-' | b'0'..=b'9' => Node::Number,
                _ => Node::Word,
            };
            (node, strict::value(bytes, at)?)
        }
    };
    Some((Tree { text: &text[at..end], node }, end))
}

fn list(text: &str, at: usize, depth: usize) -> Option<(Node<'_>, usize)> {
    let bytes = text.as_bytes();
    let (mut members, mut at) = (Vec::new(), skip_white(bytes, at + 1));
    if bytes.get(at) == Some(&b']') {
        return Some((Node::List(members), at + 1));
    }
    loop {
        let (tree, end) = value(text, at, depth + 1)?;
        members.push(tree);
        at = skip_white(bytes, end);
        match bytes.get(at)? {
            b']' => return Some((Node::List(members), at + 1)),
            b',' => at = skip_white(bytes, at + 1),
            _ => return None,
        }
    }
}

fn map(text: &str, at: usize, depth: usize) -> Option<(Node<'_>, usize)> {
    let mut members = Vec::new();
    let end = strict::members(text, at, |key, escaped, at| {
        let (tree, end) = value(text, at, depth + 1)?;
        let name = if escaped { said(key) } else { Cow::Borrowed(key) };
        members.push((name, tree));
        Some(end)
    })?;
    Some((Node::Map(members), end))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(text: &str) -> Tree<'_> {
        Tree::read(text).expect("JSON")
    }

    #[test]
    fn scalars_are_equal_by_value_and_never_by_float() {
        for (a, b) in [("1", "1.0"), ("1e0", "1"), ("100", "1E2"), ("-0", "0"), (r#""a""#, r#""\u0061""#)] {
            assert!(same_scalar(&tree(a), &tree(b)), "{a} {b}");
        }
        let apart = [
            ("9007199254740993", "9007199254740992"),
            ("12345678901234567890123", "12345678901234567890124"),
            ("1", "\"1\""),
            ("null", "false"),
            (r#""\ud800""#, r#""\ud801""#),
            (r#""\ud800""#, "\"\u{fffd}\""),
        ];
        for (a, b) in apart {
            assert!(!same_scalar(&tree(a), &tree(b)), "{a} {b}");
        }
        assert!(same_scalar(&tree(r#""\ud83d\ude00""#), &tree("\"\u{1f600}\"")));
    }

    #[test]
    fn halves_of_surrogates_stay_apart_in_texts_and_names() {
        for (a, b) in [
            (r#"["x\ud800y"]"#, r#"["x\ud801y"]"#),
            (r#"["\ud800"]"#, "[\"\u{fffd}\"]"),
            (r#"{"\ud800":1}"#, r#"{"\ud801":1}"#),
        ] {
            assert!(!same(a, b), "{a} {b}");
        }
        assert!(same(r#"{"\ud83d\ude00":"\ud800"}"#, "{\"\u{1f600}\":\"\\uD800\"}"));
    }

    #[test]
    fn what_is_no_json_is_no_tree() {
        for bad in
            ["", "{", "[1,]", "{\"a\" 1}", "01", "1.", "-", "\"a", "\"\\", "nul", "1 2", "{1:2}", "\"\n\"", "[1e]"]
        {
            assert!(Tree::read(bad).is_none(), "{bad}");
        }
        assert_eq!(tree(" [1 , {\"b\":2,\"a\":1.0}] ").canonical(&[]), r#"[1,{"a":1,"b":2}]"#);
        assert_eq!(tree(r#"{"a":1,"_meta":{}}"#).canonical(&["_meta"]), r#"{"a":1}"#);
        assert_eq!(tree(r#"{"a":[{"b/c":7}]}"#).at("/a/0/b~1c").map(|tree| tree.text), Some("7"));
    }

    #[test]
    fn sameness_is_by_value_and_type() {
        assert!(same("\"a\"", r#""\u0061""#) && same("1.0", "1") && same(r#"{"a":1,"b":[]}"#, r#"{"b":[],"a":1.0}"#));
        assert!(!same("1", "\"1\"") && !same("9007199254740993", "9007199254740992") && !same("[1]", "[1,2]"));
    }

    #[test]
    fn depth_and_duplicates_do_no_harm() {
        let deep = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
        assert_eq!(tree(&deep).kind(), "array");
        assert!(Tree::read(&"[".repeat(100_000)).is_none());
        assert!(matches!(&tree(r#"{"a":1,"a":2}"#).node, Node::Map(members) if members.len() == 2));
    }
}
