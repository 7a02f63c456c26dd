//! Parameters as requests are matched by them: `_meta` and tokens do not count, nor the order of members, nor how a number is spelled.

use std::borrow::Cow;

use crate::json::pointer;
use crate::replay::compare::hidden::{hides, placeholder};
use crate::replay::compare::{Node, Tree, same_scalar};

/// Members of `params` that name a request, and tell nothing of what it asks.
const NAMES: [&str; 3] = ["_meta", "partialResultToken", "workDoneToken"];

/// The parameters of one request.
#[derive(Clone, Debug)]
pub(super) struct Params<'a>(Option<Tree<'a>>);

impl<'a> Params<'a> {
    /// Those of a message.
    pub(super) fn of(message: &'a str) -> Params<'a> {
        let Some(Tree { node: Node::Map(members), .. }) = Tree::read(message) else { return Params(None) };
        // Of a member that stands twice, the last one counts, as in the envelope.
        let params = members.into_iter().rev().find(|(name, _)| name == "params").map(|(_, tree)| tree);
        let Some(mut params) = params else { return Params(None) };
        if let Node::Map(members) = &mut params.node {
            members.retain(|(name, _)| !NAMES.contains(&name.as_ref()));
        }
        let empty = match &params.node {
            Node::Map(members) => members.is_empty(),
            Node::List(members) => members.is_empty(),
            _ => params.text == "null",
        };
        Params(Some(params).filter(|_| !empty))
    }

    /// One text per value.
    pub(super) fn key(&self) -> String {
        self.0.as_ref().map(|tree| tree.canonical(&[])).unwrap_or_default()
    }

    /// How many values differ, and the place of the first of them. `self` is the recorded side.
    pub(super) fn differences(&self, live: &Params<'_>) -> Differences {
        let mut found = Differences::default();
        found.compare(self.0.as_ref(), live.0.as_ref(), &mut "/params".to_string());
        found
    }

    /// True if a secret of it was replaced when it was recorded.
    pub(super) fn has_secret(&self) -> bool {
        self.0.as_ref().is_some_and(|tree| placeholder(tree.text).is_some())
    }
}

/// What differs between two parameters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Differences {
    /// How many values.
    pub(super) count: usize,
    /// JSON pointer of the first.
    pub(super) first: Option<String>,
}

impl Differences {
    fn compare(&mut self, recorded: Option<&Tree<'_>>, live: Option<&Tree<'_>>, at: &mut String) {
        let (Some(recorded), Some(live)) = (recorded, live) else {
            if recorded.is_some() || live.is_some() {
                self.add(at);
            }
            return;
        };
        match (&recorded.node, &live.node) {
            (Node::Map(a), Node::Map(b)) => {
                let member = |members: &'_ [(Cow<'_, str>, Tree<'_>)], name: &str| {
                    members.iter().rposition(|(own, _)| own == name)
                };
                for (name, tree) in a {
                    let other = member(b, name).map(|at| &b[at].1);
                    self.below(name, Some(tree), other, at);
                }
                for (name, tree) in b.iter().filter(|(name, _)| member(a, name).is_none()) {
                    self.below(name, None, Some(tree), at);
                }
            }
            (Node::List(a), Node::List(b)) => {
                for index in 0..a.len().max(b.len()) {
                    self.below(&index.to_string(), a.get(index), b.get(index), at);
                }
            }
            (Node::Text, Node::Text) if hides(recorded.text, live.text) => {}
            _ if same_scalar(recorded, live) => {}
            _ => self.add(at),
        }
    }

    fn below(&mut self, name: &str, recorded: Option<&Tree<'_>>, live: Option<&Tree<'_>>, at: &mut String) {
        let length = at.len();
        at.push('/');
        at.push_str(&pointer::escape(name));
        self.compare(recorded, live, at);
        at.truncate(length);
    }

    fn add(&mut self, at: &str) {
        self.count += 1;
        self.first.get_or_insert_with(|| at.to_string());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn differ(recorded: &str, live: &str) -> (usize, Option<String>) {
        let wrap = |params: &str| format!(r#"{{"id":1,"method":"m","params":{params}}}"#);
        let (recorded, live) = (wrap(recorded), wrap(live));
        let Differences { count, first } = Params::of(&recorded).differences(&Params::of(&live));
        (count, first)
    }

    #[test]
    fn what_names_a_request_does_not_count() {
        let same = [
            (r#"{"a":1,"b":[2]}"#, r#"{"b":[2.0],"a":1e0}"#),
            (r#"{"a":1,"_meta":{"progressToken":1}}"#, r#"{"a":1,"_meta":{"progressToken":"x"}}"#),
            (r#"{"a":1,"workDoneToken":1}"#, r#"{"a":1,"partialResultToken":2}"#),
            (r#"{"_meta":{}}"#, "null"),
            ("[]", "{}"),
            (r#"{"a":"\u0061"}"#, r#"{"a":"a"}"#),
        ];
        for (a, b) in same {
            assert_eq!(differ(a, b), (0, None), "{a} {b}");
        }
        assert_eq!(Params::of(r#"{"params":{"b":1,"a":2}}"#).key(), Params::of(r#"{"params":{"a":2.0,"b":1}}"#).key());
        assert_eq!(Params::of(r#"{"params":{}}"#).key(), Params::of("{}").key());
    }

    #[test]
    fn the_first_difference_is_named() {
        let recorded = r#"{"name":"search","arguments":{"q":"a","n":[1,2]}}"#;
        let q = differ(recorded, r#"{"name":"search","arguments":{"q":"b","n":[1,2]}}"#);
        assert_eq!(q, (1, Some("/params/arguments/q".into())));
        let n = differ(recorded, r#"{"name":"search","arguments":{"q":"a","n":[1,2,3],"x/y":1}}"#);
        assert_eq!(n, (2, Some("/params/arguments/n/2".into())));
        assert_eq!(differ("{}", r#"{"x/y":1}"#), (1, Some("/params".into())));
        assert_eq!(differ(r#"{"a":{"_meta":1}}"#, r#"{"a":{"_meta":2}}"#), (1, Some("/params/a/_meta".into())));
        assert_eq!(differ(r#"{"a":12345678901234567890123}"#, r#"{"a":12345678901234567890124}"#).0, 1);
    }

    #[test]
    fn a_replaced_secret_stands_for_any() {
        let fits =
            |recorded: &str, live: &str| differ(&format!("{{\"k\":{recorded}}}"), &format!("{{\"k\":{live}}}")).0 == 0;
        assert!(fits(r#""<<secret:token#1>>""#, r#""sk-abc""#));
        let two = r#""Bearer <<secret:jwt#2>> of <<secret:user#1>>!""#;
        assert!(
            fits(two, r#""Bearer x.y of me!""#) && !fits(two, r#""Bearer x.y of me""#) && !fits(two, r#""Basic x""#)
        );
        assert!(!fits(r#""<<secret:b>>""#, r#""<<secret:i>>""#), "no number, no placeholder");
        assert!(!fits(r#""<<secret:token#1>>""#, "7"), "another type");
        assert!(Params::of(r#"{"params":{"a":"<<secret:token#1>>"}}"#).has_secret());
    }
}
