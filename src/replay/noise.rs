//! Noise: values that differ from one run to the next against the same target, and what they have in common.
//!
//! Learnt is only what can be said by shape: a UUID, a date and time, a number. A member that is there in one run and not in the other is
//! never noise, and a value that differs in one run only, or without a shape, is `unstable`: it is told, not learnt.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::compare::{Node, PathStep, Tree, TreePath, is_datetime, is_uuid, same_scalar};
use super::options::Matcher;
use super::policy;
use super::recording::Recording;
use super::run::RunLog;
use crate::protocol::Side;

/// What several runs have in common, and what they do not.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Learnt {
    /// Proposals: where, what must stand there, and the pattern of the requests for which it was seen.
    pub rules: Vec<(String, Matcher, String)>,
    /// What differs and is not learnt, in words.
    pub unstable: Vec<String>,
}

impl Learnt {
    /// The rules as lines of `rpctape.toml`.
    pub fn toml(&self) -> String {
        self.rules.iter().map(|(at, matcher, scope)| format!("\n{}", rule_lines(at, matcher, scope))).collect()
    }
}

/// One rule as lines of `rpctape.toml`; `scope` is the pattern of the requests that it holds for.
pub fn rule_lines(at: &str, matcher: &Matcher, scope: &str) -> String {
    // A JSON string is a TOML string, but for one character.
    let quote = |text: &str| serde_json::Value::from(text).to_string().replace('\u{7f}', "\\u007f");
    format!("[[replay.match]]\nfor = {}\nat = {}\nkind = {}\n", quote(scope), quote(at), quote(&matcher.text()))
}

/// What two values that should be equal have in common by shape.
pub fn shape(a: &str, b: &str) -> Option<Matcher> {
    let (a, b) = (Tree::read(a)?, Tree::read(b)?);
    let both = |test: fn(&str) -> bool| [&a, &b].iter().all(|tree| tree.string().is_some_and(|text| test(&text)));
    match () {
        () if both(is_uuid) => Some(Matcher::Uuid),
        () if both(is_datetime) => Some(Matcher::Datetime),
        () if a.kind() == "number" && b.kind() == "number" => Some(Matcher::Type),
        () => None,
    }
}

/// Compares runs of the same recording; each is the logs of its connections.
pub fn learn(recorded: &Recording, runs: &[Vec<RunLog>]) -> Learnt {
    // Requests and pattern of the place -> what was seen there.
    let mut seen: BTreeMap<(String, String), Shapes> = BTreeMap::new();
    let mut unstable = BTreeSet::new();
    for (index, connection) in recorded.connections.iter().enumerate() {
        for (place, exchange) in connection.exchanges.iter().enumerate().filter(|(_, it)| it.issuer == Side::Client) {
            let who = policy::pattern(exchange);
            let text = |run: &Vec<RunLog>| run.get(index)?.exchanges.get(place)?.text.clone();
            let texts: Vec<Option<String>> = runs.iter().map(text).collect();
            if texts.iter().any(Option::is_none) && texts.iter().any(Option::is_some) {
                unstable.insert(format!("{} {who}: not answered in each run", exchange.label()));
                continue;
            }
            let trees: Option<Vec<Tree<'_>>> = texts.iter().map(|text| Tree::read(text.as_deref()?)).collect();
            let Some(trees) = trees.filter(|trees| trees.len() > 1) else { continue };
            let mut walk =
                Walk { texts: connection.profile.json_texts(), seen: &mut seen, unstable: &mut unstable, who };
            let refs: Vec<&Tree<'_>> = trees.iter().collect();
            walk.all(&refs, &mut TreePath::default());
        }
    }
    let mut learnt = Learnt::default();
    for ((who, at), seen) in seen {
        match (seen.shapes.as_slice(), seen.once) {
            ([Some(matcher)], false) => learnt.rules.push((at, matcher.clone(), who)),
            (_, true) => {
                unstable.insert(format!("{at} of {who}: one run differs from the others"));
            }
            _ => {
                unstable.insert(format!("{at} of {who}: without a common shape"));
            }
        }
    }
    learnt.unstable = unstable.into_iter().collect();
    learnt
}

#[derive(Default)]
struct Shapes {
    shapes: Vec<Option<Matcher>>,
    /// True if somewhere only one of three or more runs differs.
    once: bool,
}

struct Walk<'w> {
    texts: &'static [&'static str],
    seen: &'w mut BTreeMap<(String, String), Shapes>,
    unstable: &'w mut BTreeSet<String>,
    who: String,
}

impl Walk<'_> {
    /// The same place in all runs.
    fn all(&mut self, trees: &[&Tree<'_>], place: &mut TreePath) {
        if matches!(place.0.as_slice(), [PathStep::Member(name)] if name == "id" || name == "jsonrpc") {
            return;
        }
        let first = trees[0];
        match &first.node {
            Node::Map(_) if trees.iter().all(|tree| matches!(tree.node, Node::Map(_))) => {
                let named: Vec<HashMap<&str, &Tree<'_>>> = trees.iter().map(|tree| tree.named()).collect();
                let names: BTreeSet<&str> = named.iter().flat_map(|named| named.keys().copied()).collect();
                for name in names {
                    let found: Vec<&Tree<'_>> = named.iter().filter_map(|named| named.get(name).copied()).collect();
                    place.0.push(PathStep::Member(name.to_string()));
                    match found.len() == trees.len() {
                        true => self.all(&found, place),
                        false => self.uneven(place, "not there in each run"),
                    }
                    place.0.pop();
                }
            }
            Node::List(members) => {
                let length = |tree: &&Tree<'_>| match &tree.node {
                    Node::List(members) => Some(members.len()),
                    _ => None,
                };
                if trees.iter().any(|tree| length(tree) != Some(members.len())) {
                    return self.uneven(place, "not of the same length in each run");
                }
                for index in 0..members.len() {
                    let found: Vec<&Tree<'_>> = trees
                        .iter()
                        .filter_map(|tree| match &tree.node {
                            Node::List(members) => members.get(index),
                            _ => None,
                        })
                        .collect();
                    place.0.push(PathStep::Index(index));
                    self.all(&found, place);
                    place.0.pop();
                }
            }
            _ if trees.iter().any(|tree| tree.kind() != first.kind()) => self.uneven(place, "of another type"),
            _ => self.scalars(trees, place),
        }
    }

    fn uneven(&mut self, place: &TreePath, how: &str) {
        self.unstable.insert(format!("{} of {}: {how}", pattern(place), self.who));
    }

    fn scalars(&mut self, trees: &[&Tree<'_>], place: &mut TreePath) {
        let groups = trees.iter().map(|tree| trees.iter().filter(|other| same_scalar(tree, other)).count());
        let groups: Vec<usize> = groups.collect();
        if groups[0] == trees.len() {
            return;
        }
        let at = pattern(place);
        if self.texts.contains(&at.as_str()) && self.inner(trees, place) {
            return;
        }
        let once = trees.len() > 2
            && groups.iter().filter(|size| **size == 1).count() == 1
            && groups.contains(&(trees.len() - 1));
        let shapes: Vec<Option<Matcher>> = trees[1..].iter().map(|tree| shape(trees[0].text, tree.text)).collect();
        let common = shapes[0].clone().filter(|first| shapes.iter().all(|shape| shape.as_ref() == Some(first)));
        let seen = self.seen.entry((self.who.clone(), at)).or_default();
        if !seen.shapes.contains(&common) {
            seen.shapes.push(common);
        }
        seen.once |= once;
    }

    /// The JSON that a string holds in each run; false where one of them holds none.
    fn inner(&mut self, trees: &[&Tree<'_>], place: &mut TreePath) -> bool {
        let texts: Option<Vec<_>> = trees.iter().map(|tree| tree.string()).collect();
        let Some(texts) = texts else { return false };
        let nested = |text| Tree::read(text).filter(|tree| matches!(tree.node, Node::Map(_) | Node::List(_)));
        let inner: Option<Vec<Tree<'_>>> = texts.iter().map(|text| nested(text.as_ref())).collect();
        let Some(inner) = inner else { return false };
        place.0.push(PathStep::Into);
        let refs: Vec<&Tree<'_>> = inner.iter().collect();
        self.all(&refs, place);
        place.0.pop();
        true
    }
}

/// The place with `*` for every index.
fn pattern(place: &TreePath) -> String {
    let steps = place.0.iter().map(|step| match step {
        PathStep::Index(_) => PathStep::Member("*".into()),
        step => step.clone(),
    });
    TreePath(steps.collect()).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::replay::run::ExchangeRun;
    use crate::replay::testing::connection;

    fn learnt(answers: &[&str]) -> Learnt {
        let trace = r#"0 c> {"id":1,"method":"tools/call","params":{"name":"t"}}"#;
        let recorded = Recording {
            name: "a".into(),
            format: "rec".into(),
            connections: vec![connection("mcp 2025-11-25", trace)],
            unread: Vec::new(),
        };
        let run = |answer: &&str| {
            let text = (!answer.is_empty()).then(|| format!("{{\"id\":1,\"result\":{answer}}}"));
            vec![RunLog { exchanges: vec![ExchangeRun { text, ..ExchangeRun::default() }], ..RunLog::default() }]
        };
        learn(&recorded, &answers.iter().map(run).collect::<Vec<_>>())
    }

    #[test]
    fn shapes_are_learnt() {
        let found = learnt(&[
            r#"{"items":[{"at":"2026-01-01T00:00:00Z","n":1}],"text":"same"}"#,
            r#"{"items":[{"at":"2026-01-02T00:00:00Z","n":2}],"text":"same"}"#,
        ]);
        let who = "tools/call:t".to_string();
        assert_eq!(
            found.rules,
            [
                ("/result/items/*/at".into(), Matcher::Datetime, who.clone()),
                ("/result/items/*/n".into(), Matcher::Type, who)
            ]
        );
        assert!(found.unstable.is_empty());
        assert!(
            found.toml().contains(
                "[[replay.match]]\nfor = \"tools/call:t\"\nat = \"/result/items/*/at\"\nkind = \"datetime\"\n"
            )
        );
    }

    #[test]
    fn json_in_texts_is_looked_into() {
        let text =
            |id: &str| format!("{{\"content\":[{{\"type\":\"text\",\"text\":\"{{\\\"id\\\":\\\"{id}\\\"}}\"}}]}}");
        let found =
            learnt(&[&text("123e4567-e89b-12d3-a456-426614174000"), &text("123e4567-e89b-12d3-a456-426614174001")]);
        assert_eq!(found.rules[0].0, "/result/content/*/text -> /id");
        assert_eq!(found.rules[0].1, Matcher::Uuid);
    }

    #[test]
    fn what_has_no_shape_is_told_and_not_learnt() {
        for (answers, why) in [
            (vec![r#"{"a":"x"}"#, r#"{"a":"y"}"#], "/result/a of tools/call:t: without a common shape"),
            (
                vec![r#"{"a":1}"#, r#"{"a":1}"#, r#"{"a":2}"#],
                "/result/a of tools/call:t: one run differs from the others",
            ),
            (vec![r#"{"a":1}"#, "{}"], "/result/a of tools/call:t: not there in each run"),
            (vec!["[1]", "[1,2]"], "/result of tools/call:t: not of the same length in each run"),
            (vec!["[1]", ""], "#1 tools/call:t: not answered in each run"),
            (vec!["1", "\"1\""], "/result of tools/call:t: of another type"),
        ] {
            let found = learnt(&answers);
            assert_eq!(found.unstable, [why]);
            assert!(found.rules.is_empty(), "{answers:?}");
        }
        assert_eq!(learnt(&["{\"a\":1}", "{\"a\":1.0}"]), Learnt::default());
    }
}
