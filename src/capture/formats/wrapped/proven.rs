//! Directions under keys and words of any name, told by what the messages prove: a scalar beside them that has some values where
//! the client sends and others where the server does.
//!
//! A kind (`request`, `response`) falls apart that way too, as long as only the client asks. So one value must stand beside what one
//! side asks or tells and beside what it answers, unless its key (`from`) names who sends.

use serde_json::Value;

use super::example::{Example, Scalar};
use crate::capture::Direction;
use crate::capture::senders::{Spoken, prove};
use crate::capture::words::{Word, direction, names_a_kind, names_parties, own_key};
use crate::protocol::Side;

/// How many values it may have.
pub(crate) const VALUES: usize = 6;

/// How many messages of each side must prove it.
const PROOFS: usize = 2;

/// Of more than so many messages one may be sent by another side than its word names: whoever sent it is at fault, and not the word.
const FEW_IN: usize = 5;

/// How long a value may be, in bytes.
pub(crate) const LONGEST: usize = 64;

/// A scalar that tells who sent a message.
pub(super) struct Proven {
    pub path: Vec<String>,
    /// What its values say, as they are written, without quotes.
    pub words: Vec<(Box<str>, Word)>,
}

/// The scalars beside the messages of a log, held against what those prove of their senders.
pub(super) struct Columns(Vec<Column>);

impl Columns {
    pub(super) fn of(examples: &[Example<'_>]) -> Columns {
        let mut spoken: Vec<Option<Spoken>> = examples.iter().map(Example::spoken).collect();
        prove(spoken.iter_mut().flatten());
        let mut columns = Columns(Vec::new());
        for (example, said) in examples.iter().zip(&spoken) {
            let Some(said) = said else { continue };
            for Scalar { path, value, .. } in example.scalars() {
                if let Some(text) = written(value) {
                    columns.at(path).count(text, said.sender, said.kind.is_response());
                }
            }
        }
        columns
    }

    fn at(&mut self, path: Vec<String>) -> &mut Column {
        let place = self.0.iter().position(|column| column.path == path).unwrap_or(self.0.len());
        if place == self.0.len() {
            self.0.push(Column { path, values: Vec::new() });
        }
        &mut self.0[place]
    }

    /// True if one value of the scalar at this path stands beside what both sides sent; `named` where its values name the sides: then so
    /// often that it is no fault of who sent it.
    pub(super) fn contradict(&self, path: &[String], named: bool) -> bool {
        let parts = |column: &Column| column.parts_senders() || named && column.mostly_parts_senders();
        self.0.iter().any(|column| column.path == path && !parts(column))
    }

    /// True if more of the messages beside the scalar at this path prove another sender than its words say than prove that one.
    pub(super) fn turn_round(&self, path: &[String], says: impl Fn(&str) -> Option<Word>) -> bool {
        let (mut agree, mut against) = (0, 0);
        for value in self.0.iter().filter(|column| column.path == path).flat_map(|column| &column.values) {
            if let Some(Word::Direction(Direction::By(side))) = says(&value.text) {
                let said = usize::from(side == Side::Server);
                (agree, against) = (agree + value.by[said], against + value.by[1 - said]);
            }
        }
        against > agree
    }

    /// The scalar that tells who sent a message, if there is one: the one that is nearest to the top.
    pub(super) fn proven(self) -> Option<Proven> {
        let told = self.0.into_iter().filter(Column::tells_senders).min_by_key(|column| column.path.len())?;
        // Beside what nothing proves a word says nothing.
        let words = told.values.into_iter().filter(|value| value.by != [0, 0]).map(|value| {
            let sender = if value.by[0] > value.by[1] { Side::Client } else { Side::Server };
            (value.text.into(), Word::Direction(Direction::By(sender)))
        });
        Some(Proven { path: told.path, words: words.collect() })
    }
}

/// One scalar, and how often each of its values stands beside what which side sent.
struct Column {
    path: Vec<String>,
    values: Vec<Counted>,
}

struct Counted {
    text: String,
    /// Messages of the client and of the server.
    by: [usize; 2],
    asks: bool,
    answers: bool,
}

impl Column {
    /// Counts a value beside what a side sent, or, where nothing proves which, beside what either may have.
    fn count(&mut self, text: String, sender: Option<Side>, answers: bool) {
        if self.values.len() > VALUES {
            return;
        }
        let at = self.values.iter().position(|value| value.text == text).unwrap_or_else(|| {
            self.values.push(Counted { text, by: [0, 0], asks: false, answers: false });
            self.values.len() - 1
        });
        let value = &mut self.values[at];
        if let Some(sender) = sender {
            value.by[usize::from(sender == Side::Server)] += 1;
        }
        value.asks |= !answers;
        value.answers |= answers;
    }

    /// True if all its values are names of the sides, whatever its key.
    fn names_sides(&self) -> bool {
        let names = |text: &str| matches!(direction("", text), Some(Word::Direction(Direction::By(_))));
        self.values.iter().all(|value| names(&value.text))
    }

    fn parts_senders(&self) -> bool {
        self.values.iter().all(|value| value.by.contains(&0))
    }

    /// True if few messages were sent by another side than the others that stand beside the same value.
    fn mostly_parts_senders(&self) -> bool {
        let sum = |of: fn(&Counted) -> usize| self.values.iter().map(of).sum::<usize>();
        let few = sum(|value| value.by[0].min(value.by[1]));
        few * FEW_IN < sum(|value| value.by[0] + value.by[1])
    }

    /// True if its key says that its values are who sent or received, and they are no kinds.
    fn names_parties(&self) -> bool {
        names_parties(own_key(&self.path)) && !self.values.iter().any(|value| names_a_kind(&value.text))
    }

    /// True if one of the values stands beside what a side asks or tells and beside what it answers.
    fn is_no_kind(&self) -> bool {
        self.values.iter().any(|value| value.asks && value.answers)
    }

    fn tells_senders(&self) -> bool {
        let proofs = |side: usize| self.values.iter().map(|value| value.by[side]).sum::<usize>();
        self.values.len() <= VALUES
            && (self.parts_senders() || self.names_sides() && self.mostly_parts_senders())
            && (self.names_parties() || self.is_no_kind())
            && proofs(0) >= PROOFS
            && proofs(1) >= PROOFS
    }
}

/// A scalar as it is written, without quotes, where it is short.
fn written(value: &Value) -> Option<String> {
    match value {
        Value::String(text) if text.len() <= LONGEST => {
            let written = value.to_string();
            Some(written[1..written.len() - 1].to_string())
        }
        Value::Bool(_) | Value::Number(_) => Some(value.to_string()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::example::example;
    use super::*;

    /// Messages of the sides, each in a wrapper that the closure makes of its side and kind.
    fn told(wrapper: impl Fn(Side, &str, &str) -> String) -> Option<(String, Vec<(String, Side)>)> {
        let messages = [
            (Side::Client, "request", r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}"#),
            (Side::Server, "response", r#"{"jsonrpc":"2.0","id":0,"result":{}}"#),
            (Side::Client, "request", r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}"#),
            (Side::Server, "request", r#"{"jsonrpc":"2.0","id":1,"method":"sampling/createMessage","params":{}}"#),
            (Side::Server, "notification", r#"{"jsonrpc":"2.0","method":"notifications/message","params":{}}"#),
            (Side::Server, "request", r#"{"jsonrpc":"2.0","id":7,"method":"roots/list"}"#),
            (Side::Client, "response", r#"{"jsonrpc":"2.0","id":7,"result":{}}"#),
        ];
        told_by(messages.map(|(side, kind, message)| wrapper(side, kind, message)).to_vec())
    }

    fn told_by(lines: Vec<String>) -> Option<(String, Vec<(String, Side)>)> {
        let values: Vec<Value> = lines.iter().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        let examples: Vec<Example<'_>> = values.iter().filter_map(example).collect();
        let found = Columns::of(&examples).proven()?;
        let side = |word: Word| match word {
            Word::Direction(Direction::By(side)) => Some(side),
            _ => None,
        };
        let words = found.words.into_iter().filter_map(|(text, word)| Some((text.to_string(), side(word)?)));
        Some((found.path.join("/"), words.collect()))
    }

    #[test]
    fn any_scalar_that_parts_the_senders_is_a_direction() {
        let names = |side: Side| if side == Side::Client { "desk" } else { "weather" };
        let expected = Some(vec![("desk".to_string(), Side::Client), ("weather".to_string(), Side::Server)]);
        for (path, wrapper) in [
            ("who", r#"{"who":"NAME","msg":MESSAGE}"#),
            ("a/b/c", r#"{"a":{"b":{"c":"NAME"}},"msg":MESSAGE}"#),
            ("x/who", r#"{"x":{"who":"NAME","msg":MESSAGE}}"#),
        ] {
            let found = told(|side, _, message| wrapper.replace("NAME", names(side)).replace("MESSAGE", message));
            assert_eq!(found.as_ref().map(|(path, _)| path.as_str()), Some(path));
            assert_eq!(found.map(|(_, words)| words), expected);
        }
    }

    #[test]
    fn a_kind_is_none_and_what_is_beside_both_sides_is_none() {
        assert_eq!(told(|_, kind, message| format!(r#"{{"kind":"{kind}","msg":{message}}}"#)), None);
        assert_eq!(told(|_, _, message| format!(r#"{{"kind":"x","msg":{message}}}"#)), None);
        // Where only the client asks, the kind and the direction are one, but for what comes later.
        let lines = [
            r#"{"k":"a","msg":{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}}"#,
            r#"{"k":"b","msg":{"jsonrpc":"2.0","id":0,"result":{}}}"#,
            r#"{"k":"a","msg":{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}}"#,
            r#"{"k":"b","msg":{"jsonrpc":"2.0","id":1,"result":{}}}"#,
        ];
        assert_eq!(told_by(lines.map(str::to_string).to_vec()), None);
        // A key that names who sends needs no more, unless its words are kinds all the same.
        let named = |words: [&str; 2]| {
            let said = |line: &str| line.replace(r#""k":"a""#, &format!(r#""from":"{}""#, words[0]));
            told_by(lines.map(|line| said(line).replace(r#""k":"b""#, &format!(r#""from":"{}""#, words[1]))).to_vec())
        };
        assert!(named(["desk", "weather"]).is_some());
        assert_eq!(named(["request", "response"]), None);
        let and = r#"{"k":"b","msg":{"jsonrpc":"2.0","method":"notifications/message","params":{}}}"#;
        assert!(told_by(lines.into_iter().chain([and]).map(str::to_string).collect()).is_some());
    }
}
