//! What counts as the same, ready for use: patterns and expressions are checked once, and which of them ever fitted is
//! remembered, so that a rule with a typing error does not pass for one that has nothing to say.

use std::cell::Cell;

use super::matchers::Ready;
use super::place::{Pattern, TreePath};
use crate::error::{Error, ErrorKind, Result};
use crate::replay::options::Compare;
use crate::replay::policy;
use crate::replay::recording::Exchange;

/// A pattern with what holds where it fits.
#[derive(Clone, Debug)]
struct Rule<T> {
    /// The requests that it holds for, where not for all.
    scope: Option<String>,
    pattern: Pattern,
    what: T,
    used: Cell<bool>,
}

impl<T> Rule<T> {
    fn new(pattern: &str, what: T) -> Result<Rule<T>> {
        let (scope, pattern) = scoped(pattern);
        let pattern = Pattern::read(pattern).map_err(fault)?;
        Ok(Rule { scope: scope.map(str::to_string), pattern, what, used: Cell::new(false) })
    }

    fn at(&self, place: &TreePath, asked: Option<&Exchange>) -> Option<&T> {
        (self.pattern.fits(place) && self.holds_for(asked)).then(|| {
            self.used.set(true);
            &self.what
        })
    }

    fn holds_for(&self, asked: Option<&Exchange>) -> bool {
        match (&self.scope, asked) {
            (None, _) => true,
            (Some(scope), Some(asked)) => policy::fits(scope, asked),
            (Some(_), None) => false,
        }
    }

    fn text(&self) -> String {
        self.scope.as_ref().map_or(String::new(), |scope| format!("{scope} ")) + &self.pattern.text
    }
}

/// The requests that a rule holds for, and the place: `tools/call:order /result/id`, or the place alone.
pub fn scoped(text: &str) -> (Option<&str>, &str) {
    match text.find(" /").or_else(|| text.ends_with(' ').then(|| text.len() - 1)) {
        Some(at) if !text.starts_with('/') => (Some(text[..at].trim()), &text[at + 1..]),
        _ => (None, text),
    }
}

fn fault(text: String) -> Error {
    Error::new(ErrorKind::Usage, text)
        .hint("places are JSON pointers with * for any member: /result/content/*/text -> /at")
}

/// The rules of one comparison.
#[derive(Clone, Debug)]
pub struct Rules {
    ignore: Vec<Rule<()>>,
    matches: Vec<Rule<Ready>>,
    sets: Vec<Rule<String>>,
    /// Additions to objects are no change.
    pub allow_added: bool,
}

impl Rules {
    /// Reads all patterns and expressions; a broken one is an error that names it.
    pub fn new(options: &Compare) -> Result<Rules> {
        let ignore = options.ignore.iter().map(|pattern| Rule::new(pattern, ()));
        let matches = options.matches.iter().map(|(pattern, matcher)| {
            let ready = Ready::new(matcher).map_err(|text| {
                Error::new(ErrorKind::Usage, format!("the expression for {pattern} is broken: {text}"))
                    .hint("expressions are those of the Rust crate `regex`")
            })?;
            Rule::new(pattern, ready)
        });
        let sets = options.sets.iter().map(|(pattern, key)| {
            Pattern::read(key).map_err(fault)?;
            Rule::new(pattern, key.clone())
        });
        Ok(Rules {
            ignore: ignore.collect::<Result<_>>()?,
            matches: matches.collect::<Result<_>>()?,
            sets: sets.collect::<Result<_>>()?,
            allow_added: options.allow_added,
        })
    }

    /// True if a place is not compared.
    pub fn ignores(&self, place: &TreePath, asked: Option<&Exchange>) -> bool {
        self.ignore.iter().filter(|rule| rule.at(place, asked).is_some()).count() > 0
    }

    /// What a value at a place must be.
    pub fn matcher(&self, place: &TreePath, asked: Option<&Exchange>) -> Option<&Ready> {
        self.matches.iter().find_map(|rule| rule.at(place, asked))
    }

    /// The key of the members of a list that is a map.
    pub fn key(&self, place: &TreePath, asked: Option<&Exchange>) -> Option<&str> {
        self.sets.iter().find_map(|rule| rule.at(place, asked)).map(String::as_str)
    }

    /// True if a rule is about JSON inside the string at a place.
    pub fn lead_into(&self, place: &TreePath, asked: Option<&Exchange>) -> bool {
        let ignored = self.ignore.iter().any(|rule| rule.pattern.leads_into(place) && rule.holds_for(asked));
        let matched = self.matches.iter().any(|rule| rule.pattern.leads_into(place) && rule.holds_for(asked));
        ignored || matched || self.sets.iter().any(|rule| rule.pattern.leads_into(place) && rule.holds_for(asked))
    }

    /// Rules that fitted nothing so far, as they were written.
    pub fn unused(&self) -> Vec<String> {
        let unused = |used: &Cell<bool>, kind: &str, rule: String| {
            (!used.get()).then(|| format!("the {kind} rule for {rule} fitted nothing"))
        };
        let ignore = self.ignore.iter().filter_map(|rule| unused(&rule.used, "ignore", rule.text()));
        let matches = self.matches.iter().filter_map(|rule| unused(&rule.used, "match", rule.text()));
        let sets = self.sets.iter().filter_map(|rule| unused(&rule.used, "set", rule.text()));
        ignore.chain(matches).chain(sets).collect()
    }
}
