//! The walk over two messages at once.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use super::hidden::hides;
use super::place::{PathStep, Pattern, TreePath};
use super::tree::{Node, Tree, same, same_scalar};
use super::{Comparison, Rules, Terms};
use crate::replay::verdict::Difference;

/// Differences of one exchange that are kept; the others are counted.
const KEPT: usize = 50;
/// The shortest value that is looked for inside of longer strings.
const TELLING: usize = 4;

/// One walk.
pub(super) struct Walk<'r> {
    rules: &'r Rules,
    terms: &'r Terms<'r>,
    texts: &'r [Pattern],
    place: TreePath,
    /// What was found.
    pub found: Comparison,
}

impl<'r> Walk<'r> {
    pub(super) fn new(rules: &'r Rules, terms: &'r Terms<'r>, texts: &'r [Pattern]) -> Walk<'r> {
        Walk { rules, terms, texts, place: TreePath::default(), found: Comparison::default() }
    }

    /// Compares two messages, or what stands at one place in them. At least one of the two is there.
    pub(super) fn pair(&mut self, recorded: Option<&Tree<'_>>, live: Option<&Tree<'_>>) {
        if self.is_settled(recorded, live) {
            return;
        }
        match (recorded, live) {
            (Some(recorded), Some(live)) => self.both(recorded, live),
            (None, Some(_)) if self.rules.allow_added && self.is_named() => self.found.added += 1,
            (recorded, live) => self.differ(recorded, live, None),
        }
    }

    fn step(&mut self, step: PathStep, recorded: Option<&Tree<'_>>, live: Option<&Tree<'_>>) {
        self.place.0.push(step);
        self.pair(recorded, live);
        self.place.0.pop();
    }

    /// Places that a rule speaks of, and those that nothing depends on.
    fn is_settled(&mut self, recorded: Option<&Tree<'_>>, live: Option<&Tree<'_>>) -> bool {
        if self.rules.ignores(&self.place, self.terms.asked) {
            return true;
        }
        if let Some(matcher) = self.rules.matcher(&self.place, self.terms.asked) {
            if let Some(why) = matcher.fault(recorded, live) {
                self.differ(recorded, live, Some(why));
            }
            return true;
        }
        if !self.terms.captured.is_empty() && self.terms.captured.contains(&self.place.to_string()) {
            match (recorded, live) {
                (Some(recorded), Some(live)) if recorded.kind() != live.kind() => {
                    let why = format!("a value that later requests need is of another type ({})", live.kind());
                    self.differ(Some(recorded), Some(live), Some(why));
                }
                (Some(recorded), None) => {
                    self.differ(Some(recorded), None, Some("a value that later requests need is missing".into()));
                }
                _ => {}
            }
            return true;
        }
        let same = || matches!((recorded, live), (Some(a), Some(b)) if a.text == b.text);
        let names: Vec<&str> = self.place.0.iter().filter_map(name).collect();
        if names.len() != self.place.0.len() {
            return false;
        }
        match names.as_slice() {
            ["jsonrpc" | "id"] | ["params", "_meta"] => true,
            ["error", "message"] => {
                if !same() {
                    self.found.notes.push("the error message differs".into());
                }
                true
            }
            ["result", "_meta", key] => !self.terms.profile.compared_meta().contains(key),
            ["result", "_meta"] if recorded.is_none() || live.is_none() => {
                let known = self.terms.profile.compared_meta();
                let has =
                    |tree: Option<&Tree<'_>>| known.iter().any(|key| tree.and_then(|it| it.member(key)).is_some());
                !(has(recorded) || has(live))
            }
            ["result", member] if self.terms.profile.volatile_members().contains(member) => {
                if !same() {
                    self.found.notes.push(format!("{member} differs"));
                }
                true
            }
            _ => false,
        }
    }

    /// True for a member of an object or of a list that is compared as one.
    fn is_named(&self) -> bool {
        matches!(self.place.0.last(), Some(PathStep::Member(_)))
    }

    fn both(&mut self, recorded: &Tree<'_>, live: &Tree<'_>) {
        match (&recorded.node, &live.node) {
            _ if self.gives_back(recorded, live) => self.given_back(),
            (Node::Map(a), Node::Map(b)) => self.maps(a, b),
            (Node::List(a), Node::List(b)) => match self.keys(a, b) {
                Some((a_keys, b_keys)) => self.keyed(a, b, &a_keys, &b_keys),
                None => self.lists(a, b),
            },
            (Node::Text, Node::Text) if self.holds_json() && self.inner(recorded, live) => {}
            _ if same_scalar(recorded, live) => {
                if self.is_stale(recorded) {
                    self.differ(Some(recorded), Some(live), Some(STALE.to_string()));
                }
            }
            // What was replaced by a placeholder on either side cannot be compared.
            (Node::Text, Node::Text) if hides(recorded.text, live.text) || hides(live.text, recorded.text) => {}
            _ if self.is_echo(recorded, live) => self.harmless(recorded, live),
            _ => self.differ(Some(recorded), Some(live), None),
        }
    }

    fn maps(&mut self, a: &[(Cow<'_, str>, Tree<'_>)], b: &[(Cow<'_, str>, Tree<'_>)]) {
        // A name that stands twice is compared occurrence by occurrence.
        let mut places: HashMap<&str, Vec<usize>> = HashMap::new();
        for (at, (name, _)) in b.iter().enumerate().rev() {
            places.entry(name).or_default().push(at);
        }
        let mut taken = HashSet::new();
        for (name, tree) in a {
            let at = places.get_mut(name.as_ref()).and_then(Vec::pop);
            taken.extend(at);
            self.step(PathStep::Member(name.to_string()), Some(tree), at.map(|at| &b[at].1));
        }
        for (_, (name, tree)) in b.iter().enumerate().filter(|(at, _)| !taken.contains(at)) {
            self.step(PathStep::Member(name.to_string()), None, Some(tree));
        }
    }

    /// The keys of both lists, where they are maps in disguise and every member has a key of its own.
    fn keys(&mut self, a: &[Tree<'_>], b: &[Tree<'_>]) -> Option<(Vec<String>, Vec<String>)> {
        let own = self.rules.key(&self.place, self.terms.asked).map(str::to_string);
        let key = match &own {
            Some(key) => key.as_str(),
            None => {
                let place = self.place.to_string();
                self.terms.profile.keyed_lists().iter().find(|(list, _)| *list == place)?.1
            }
        };
        let keys = |list: &[Tree<'_>]| {
            let keys: Option<Vec<String>> =
                list.iter().map(|member| member.at(key).map(|key| key.canonical(&[]))).collect();
            keys.filter(|keys| keys.iter().collect::<HashSet<_>>().len() == keys.len())
        };
        let mut both = keys(a).zip(keys(b));
        if both.is_none() && own.is_some() {
            let text = format!("{} is compared in order: {key} is not there in each member, or not unique", self.place);
            self.found.notes.push(text);
        }
        if let Some((a_keys, b_keys)) = &mut both {
            // A key that a later request takes from here is another one in each session: its member stands in the same place.
            for at in 0..a_keys.len().min(b_keys.len()) {
                let is_taken = self.terms.captured.contains(&format!("{}/{at}{key}", self.place));
                if is_taken && !b_keys.contains(&a_keys[at]) && !a_keys.contains(&b_keys[at]) {
                    b_keys[at] = a_keys[at].clone();
                }
            }
        }
        both
    }

    fn keyed(&mut self, a: &[Tree<'_>], b: &[Tree<'_>], a_keys: &[String], b_keys: &[String]) {
        let place_in = |keys: &[String]| -> HashMap<String, usize> {
            keys.iter().enumerate().map(|(at, key)| (key.clone(), at)).collect()
        };
        let (in_a, in_b) = (place_in(a_keys), place_in(b_keys));
        let common: Vec<&String> = a_keys.iter().filter(|key| in_b.contains_key(*key)).collect();
        let live: Vec<&String> = b_keys.iter().filter(|key| in_a.contains_key(*key)).collect();
        let moved = common.iter().zip(&live).filter(|(a, b)| a != b).count();
        if moved > 0 {
            let list = |keys: &[String]| Some(format!("[{}]", keys.join(",")));
            self.push(Difference {
                at: self.place.to_string(),
                recorded: list(a_keys),
                live: list(b_keys),
                harmless: true,
                ..Difference::default()
            });
            let what = self.place.0.last().and_then(name).unwrap_or("members");
            self.found.notes.push(format!("order of {moved} {what}"));
            self.found.reordered = true;
        }
        for (at, (tree, key)) in a.iter().zip(a_keys).enumerate() {
            self.step(PathStep::Index(at), Some(tree), in_b.get(key).map(|at| &b[*at]));
        }
        for (at, (tree, _)) in b.iter().zip(b_keys).enumerate().filter(|(_, (_, key))| !in_a.contains_key(*key)) {
            self.place.0.push(PathStep::Index(at));
            if self.rules.allow_added && !self.is_settled(None, Some(tree)) {
                self.found.added += 1;
            } else if !self.rules.allow_added {
                self.pair(None, Some(tree));
            }
            self.place.0.pop();
        }
    }

    /// Lists in order. Where their lengths differ, what is equal at both ends is set aside, so that one member more does not
    /// make all that follow differ.
    fn lists(&mut self, a: &[Tree<'_>], b: &[Tree<'_>]) {
        let shorter = a.len().min(b.len());
        let (mut head, mut tail) = (0, 0);
        if a.len() != b.len() {
            while head < shorter && self.equal(PathStep::Index(head), &a[head], &b[head]) {
                head += 1;
            }
            while tail < shorter - head
                && self.equal(PathStep::Index(a.len() - 1 - tail), &a[a.len() - 1 - tail], &b[b.len() - 1 - tail])
            {
                tail += 1;
            }
        }
        for at in head..(a.len() - tail).max(b.len() - tail) {
            let recorded = a.get(at).filter(|_| at < a.len() - tail);
            let live = b.get(at).filter(|_| at < b.len() - tail);
            self.step(PathStep::Index(at), recorded, live);
        }
    }

    fn equal(&mut self, step: PathStep, a: &Tree<'_>, b: &Tree<'_>) -> bool {
        self.place.0.push(step);
        let mut trial = Walk { place: self.place.clone(), found: Comparison::default(), ..*self };
        trial.pair(Some(a), Some(b));
        self.place.0.pop();
        trial.found.is_same()
    }

    /// True if the string here is to be read as JSON.
    fn holds_json(&self) -> bool {
        self.texts.iter().any(|text| text.fits(&self.place)) || self.rules.lead_into(&self.place, self.terms.asked)
    }

    /// Compares the JSON inside two strings; false if one of them holds no object and no array.
    fn inner(&mut self, recorded: &Tree<'_>, live: &Tree<'_>) -> bool {
        let (Some(a), Some(b)) = (recorded.string(), live.string()) else { return false };
        let nested = |tree: &Tree<'_>| matches!(tree.node, Node::Map(_) | Node::List(_));
        let (Some(a), Some(b)) = (Tree::read(&a).filter(nested), Tree::read(&b).filter(nested)) else { return false };
        self.step(PathStep::Into, Some(&a), Some(&b));
        true
    }

    /// True if the live value is what the recorded one becomes when values that were put into requests are put into it too.
    fn is_echo(&self, recorded: &Tree<'_>, live: &Tree<'_>) -> bool {
        let whole = |(old, new): &&(String, String)| {
            let (Some(old), Some(new)) = (Tree::read(old), Tree::read(new)) else { return false };
            same_scalar(&old, recorded) && same_scalar(&new, live)
        };
        if self.terms.echoes.iter().any(|echo| whole(&echo)) {
            return true;
        }
        let (Some(mut text), Some(live)) = (recorded.string(), live.string()) else { return false };
        for (old, new) in self.terms.echoes {
            let plain =
                |json: &str| Tree::read(json).map(|it| it.string().unwrap_or(Cow::Borrowed(it.text)).into_owned());
            let (Some(old), Some(new)) = (plain(old), plain(new)) else { continue };
            if old.len() >= TELLING && text.contains(&old) {
                text = Cow::Owned(text.replace(&old, &new));
            }
        }
        text == live
    }

    /// True if a value is that of the recorded request, where another one was put into this one.
    fn is_stale(&self, value: &Tree<'_>) -> bool {
        self.terms.due.iter().any(|(old, new)| {
            let (Some(old), Some(new)) = (Tree::read(old), Tree::read(new)) else { return false };
            let within = || {
                let (Some(text), Some(old), Some(new)) = (value.string(), old.string(), new.string()) else {
                    return false;
                };
                says_what_it_is(&old) && text.contains(old.as_ref()) && !text.contains(new.as_ref())
            };
            same_scalar(&old, value) || within()
        })
    }

    /// True if both are what was put into the request, and is not shown.
    fn gives_back(&self, recorded: &Tree<'_>, live: &Tree<'_>) -> bool {
        self.terms.hidden.iter().any(|(old, new)| same(old, recorded.text) && same(new, live.text))
    }

    fn given_back(&mut self) {
        let hidden = || Some(HIDDEN.to_string());
        let (at, why) = (self.place.to_string(), Some(PUT.to_string()));
        self.push(Difference { at, recorded: hidden(), live: hidden(), harmless: true, why, of: None });
    }

    fn harmless(&mut self, recorded: &Tree<'_>, live: &Tree<'_>) {
        let difference = self.difference(Some(recorded), Some(live), Some(PUT));
        self.push(Difference { harmless: true, ..difference });
    }

    fn differ(&mut self, recorded: Option<&Tree<'_>>, live: Option<&Tree<'_>>, why: Option<String>) {
        let difference = self.difference(recorded, live, why.as_deref());
        self.push(difference);
    }

    fn difference(&self, recorded: Option<&Tree<'_>>, live: Option<&Tree<'_>>, why: Option<&str>) -> Difference {
        let opaque = self.terms.profile.opaque_members();
        let hidden = self.place.0.iter().filter_map(name).any(|name| opaque.contains(&name));
        let text = |tree: &Tree<'_>| if hidden { HIDDEN.to_string() } else { shown(tree, opaque) };
        Difference {
            at: self.place.to_string(),
            recorded: recorded.map(text),
            live: live.map(text),
            harmless: false,
            why: why.map(str::to_string),
            of: None,
        }
    }

    fn push(&mut self, difference: Difference) {
        self.found.changed |= !difference.harmless;
        if self.found.differences.len() < KEPT {
            self.found.differences.push(difference);
        } else {
            self.found.more += 1;
        }
    }
}

/// Why a value may be another one.
const PUT: &str = "the value that was put into the request";

/// Why a value is a change though it is the recorded one.
const STALE: &str = "the value of the recorded request; another one was asked for";

/// How many characters a name or a path has that is not a word of the text around it.
const SAYING: usize = 8;

/// True for a value that is meant wherever it stands within a text: an id or a path.
fn says_what_it_is(value: &str) -> bool {
    value.len() >= SAYING && value.contains(|sign: char| sign.is_ascii_digit() || sign == '/')
}
const HIDDEN: &str = "\"(not shown)\"";

/// The text of a value without what is never printed.
fn shown(tree: &Tree<'_>, opaque: &[&str]) -> String {
    fn spans(tree: &Tree<'_>, opaque: &[&str], base: usize, out: &mut Vec<(usize, usize)>) {
        match &tree.node {
            Node::List(members) => members.iter().for_each(|member| spans(member, opaque, base, out)),
            Node::Map(members) => {
                for (name, member) in members {
                    if opaque.contains(&name.as_ref()) {
                        let start = member.text.as_ptr() as usize - base;
                        out.push((start, start + member.text.len()));
                    } else {
                        spans(member, opaque, base, out);
                    }
                }
            }
            _ => {}
        }
    }
    let mut hidden = Vec::new();
    if !opaque.is_empty() {
        spans(tree, opaque, tree.text.as_ptr() as usize, &mut hidden);
    }
    let (mut text, mut from) = (String::with_capacity(tree.text.len()), 0);
    for (start, end) in hidden {
        text.push_str(&tree.text[from..start]);
        text.push_str(HIDDEN);
        from = end;
    }
    text.push_str(&tree.text[from..]);
    text
}

fn name(step: &PathStep) -> Option<&str> {
    match step {
        PathStep::Member(name) => Some(name),
        _ => None,
    }
}
