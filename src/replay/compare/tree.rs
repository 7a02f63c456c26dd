//! JSON as a tree over its own text: numbers and strings stay as they were spelled, members as often and in the order
//! in which they stand. Nothing is lost that a comparison could need, and nothing passes through a float.

use std::borrow::Cow;

use crate::jsonrpc::{Id, lenient_string};
use crate::pointer;

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
        let mut reader = Reader { text, at: 0 };
        let tree = reader.value(0)?;
        reader.blanks();
        (reader.at == text.len()).then_some(tree)
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

    /// A string unescaped.
    pub fn string(&self) -> Option<Cow<'a, str>> {
        matches!(self.node, Node::Text).then(|| lenient_string(self.text))
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
            Node::Text => out.push_str(&serde_json::Value::from(lenient_string(self.text)).to_string()),
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

/// True if two scalars are equal by value; strings by their code units, so that lone surrogates stay apart.
pub fn same_scalar(a: &Tree<'_>, b: &Tree<'_>) -> bool {
    match (&a.node, &b.node) {
        (Node::Number, Node::Number) => a.text == b.text || Id::from_json(a.text) == Id::from_json(b.text),
        (Node::Text, Node::Text) => {
            a.text == b.text || (a.text.contains('\\') || b.text.contains('\\')) && units(a.text).eq(units(b.text))
        }
        (Node::Word, Node::Word) | (Node::Deep, Node::Deep) => a.text == b.text,
        _ => false,
    }
}

/// The UTF-16 code units that a JSON string stands for.
fn units(raw: &str) -> impl Iterator<Item = u16> {
    let mut chars = raw.get(1..raw.len().saturating_sub(1)).unwrap_or("").chars();
    let mut rest: Vec<u16> = Vec::new();
    std::iter::from_fn(move || {
        if let Some(unit) = rest.pop() {
            return Some(unit);
        }
        let mut push = |c: char| {
            let mut buffer = [0; 2];
            rest.extend(c.encode_utf16(&mut buffer).iter().rev());
        };
        match chars.next()? {
            '\\' => match chars.next()? {
                'n' => push('\n'),
                't' => push('\t'),
                'r' => push('\r'),
                'b' => push('\u{8}'),
                'f' => push('\u{c}'),
                'u' => rest.push((0..4).fold(0, |unit: u16, _| {
                    let digit = chars.next().and_then(|c| c.to_digit(16)).unwrap_or(0);
                    unit << 4 | digit as u16
                })),
                other => push(other),
            },
            c => push(c),
        }
        rest.pop()
    })
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    fn blanks(&mut self) {
        let rest = &self.text.as_bytes()[self.at..];
        self.at += rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r')).count();
    }

    fn peek(&mut self) -> Option<u8> {
        self.blanks();
        self.text.as_bytes().get(self.at).copied()
    }

    fn take(&mut self, byte: u8) -> Option<()> {
        (self.peek()? == byte).then(|| self.at += 1)
    }

    fn value(&mut self, depth: usize) -> Option<Tree<'a>> {
        let first = self.peek()?;
        let start = self.at;
        let node = match first {
            b'{' | b'[' if depth >= DEEPEST => {
                self.skip_nested()?;
                Node::Deep
            }
            b'{' => Node::Map(self.map(depth)?),
            b'[' => Node::List(self.list(depth)?),
            b'"' => {
                self.string()?;
                Node::Text
            }
            b'-' | b'0'..=b'9' => {
                self.number()?;
                Node::Number
            }
            _ => {
                let rest = &self.text[self.at..];
                let word = ["null", "true", "false"].into_iter().find(|word| rest.starts_with(word))?;
                self.at += word.len();
                Node::Word
            }
        };
        Some(Tree { text: &self.text[start..self.at], node })
    }

    fn list(&mut self, depth: usize) -> Option<Vec<Tree<'a>>> {
        let mut members = Vec::new();
        self.take(b'[')?;
        if self.take(b']').is_some() {
            return Some(members);
        }
        loop {
            members.push(self.value(depth + 1)?);
            if self.take(b']').is_some() {
                return Some(members);
            }
            self.take(b',')?;
        }
    }

    fn map(&mut self, depth: usize) -> Option<Vec<(Cow<'a, str>, Tree<'a>)>> {
        let mut members = Vec::new();
        self.take(b'{')?;
        if self.take(b'}').is_some() {
            return Some(members);
        }
        loop {
            self.blanks();
            let name = lenient_string(self.string()?);
            self.take(b':')?;
            members.push((name, self.value(depth + 1)?));
            if self.take(b'}').is_some() {
                return Some(members);
            }
            self.take(b',')?;
        }
    }

    fn string(&mut self) -> Option<&'a str> {
        let start = self.at;
        let bytes = self.text.as_bytes();
        if bytes.get(start) != Some(&b'"') {
            return None;
        }
        self.at += 1;
        loop {
            match bytes.get(self.at)? {
                b'"' => {
                    self.at += 1;
                    return Some(&self.text[start..self.at]);
                }
                b'\\' => self.at += 2,
                0..0x20 => return None,
                _ => self.at += 1,
            }
        }
    }

    /// A number as JSON writes it: no leading zeros, digits on both sides of a point, digits in an exponent.
    fn number(&mut self) -> Option<()> {
        let bytes = self.text.as_bytes();
        self.at += usize::from(bytes[self.at] == b'-');
        let whole = self.digits();
        if whole == 0 || whole > 1 && bytes[self.at - whole] == b'0' {
            return None;
        }
        if bytes.get(self.at) == Some(&b'.') {
            self.at += 1;
            (self.digits() > 0).then_some(())?;
        }
        if matches!(bytes.get(self.at), Some(b'e' | b'E')) {
            self.at += 1;
            self.at += usize::from(matches!(bytes.get(self.at), Some(b'+' | b'-')));
            (self.digits() > 0).then_some(())?;
        }
        Some(())
    }

    fn digits(&mut self) -> usize {
        let count = self.text.as_bytes()[self.at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        self.at += count;
        count
    }

    /// Passes over a list or an object by its brackets alone.
    fn skip_nested(&mut self) -> Option<()> {
        let mut open = 0usize;
        loop {
            match self.peek()? {
                b'{' | b'[' => open += 1,
                b'}' | b']' => open -= 1,
                b'"' => {
                    self.string()?;
                    continue;
                }
                byte if !byte.is_ascii() => return None,
                _ => {}
            }
            self.at += 1;
            if open == 0 {
                return Some(());
            }
        }
    }
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
    fn depth_and_duplicates_do_no_harm() {
        let deep = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
        assert_eq!(tree(&deep).kind(), "array");
        assert!(Tree::read(&"[".repeat(100_000)).is_none());
        assert!(matches!(&tree(r#"{"a":1,"a":2}"#).node, Node::Map(members) if members.len() == 2));
    }
}
