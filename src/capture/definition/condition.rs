//! Conditions of a definition: `missing(/jsonrpc) && missing(/method)`, `dir == meta`, `/type == "ping" || present(/x)`.

use super::pointer::Pointer;
use crate::json::scan::unquoted;

/// Something to compare: a named group of the record's start, or a value in its payload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Term {
    Group(String),
    Pointer(Pointer),
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Test {
    Present(Term),
    Missing(Term),
    Equal(Term, String),
    Unequal(Term, String),
}

/// Alternatives, each of them tests that must all hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Condition(Vec<Vec<Test>>);

impl Condition {
    /// Reads a condition; the error says what is wrong with it.
    pub(super) fn parse(text: &str) -> Result<Condition, String> {
        let tests = |text: &str| text.split("&&").map(|test| one(test.trim())).collect::<Result<Vec<_>, _>>();
        text.split("||").map(tests).collect::<Result<Vec<_>, _>>().map(Condition)
    }

    /// True if it holds, where `value` gives the value of a term as written.
    pub(super) fn holds<'a>(&self, value: impl Fn(&Term) -> Option<&'a str>) -> bool {
        let equal = |term: &Term, wanted: &str| value(term).is_some_and(|found| unquoted(found) == wanted);
        let test = |test: &Test| match test {
            Test::Present(term) => value(term).is_some(),
            Test::Missing(term) => value(term).is_none(),
            Test::Equal(term, wanted) => equal(term, wanted),
            Test::Unequal(term, wanted) => !equal(term, wanted),
        };
        self.0.iter().any(|tests| tests.iter().all(test))
    }

    /// True if it can only hold for a text without this member: a quick test spares the scan.
    pub(super) fn needs_missing(&self, key: &str) -> bool {
        let pointer = Pointer::parse(&format!("/{key}")).map(Term::Pointer);
        let says = |test: &Test| matches!(test, Test::Missing(term) if Some(term) == pointer.as_ref());
        !self.0.is_empty() && self.0.iter().all(|tests| tests.iter().any(says))
    }

    /// Names of the groups that it asks for.
    pub(super) fn groups(&self) -> impl Iterator<Item = &str> {
        self.0.iter().flatten().filter_map(|test| match test {
            Test::Present(Term::Group(name)) | Test::Missing(Term::Group(name)) => Some(name.as_str()),
            Test::Equal(Term::Group(name), _) | Test::Unequal(Term::Group(name), _) => Some(name.as_str()),
            _ => None,
        })
    }
}

fn one(text: &str) -> Result<Test, String> {
    for (word, make) in [("missing(", Test::Missing as fn(Term) -> Test), ("present(", Test::Present)] {
        if let Some(inner) = text.strip_prefix(word).and_then(|rest| rest.strip_suffix(')')) {
            return Ok(make(term(inner.trim())?));
        }
    }
    let (left, right, equal) = match (text.split_once("=="), text.split_once("!=")) {
        (Some((left, right)), _) => (left, right, true),
        (_, Some((left, right))) => (left, right, false),
        _ => return Err(format!("{text:?} is no test; write missing(X), present(X), X == word or X != word")),
    };
    let (left, right) = (term(left.trim())?, unquoted(right.trim()).to_string());
    Ok(if equal { Test::Equal(left, right) } else { Test::Unequal(left, right) })
}

/// A pointer or the name of a group.
pub(super) fn term(text: &str) -> Result<Term, String> {
    if text.starts_with('/') {
        return Pointer::parse(text).map(Term::Pointer).ok_or_else(|| format!("{text:?} is no JSON pointer"));
    }
    let named = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    named.then(|| Term::Group(text.to_string())).ok_or_else(|| format!("{text:?} is no JSON pointer and no group"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_hold_as_written() {
        let payload = r#"{"result":1,"type":"ping"}"#;
        let holds = |text: &str| {
            Condition::parse(text).expect("a condition").holds(|term| match term {
                Term::Group(name) => (name == "dir").then_some("meta"),
                Term::Pointer(pointer) => pointer.find(payload).map(|(value, _)| value),
            })
        };
        assert!(holds("missing(/jsonrpc) && missing(/method)"));
        assert!(!holds("missing(/jsonrpc) && missing(/result)"));
        assert!(holds("missing(/result) || /type == \"ping\" && dir == meta"));
        assert!(holds("dir != x") && holds("present(/type)") && !holds("present(ts)"));
        assert!(Condition::parse("missing(/jsonrpc) && /a == 1").expect("one").needs_missing("jsonrpc"));
        assert!(!Condition::parse("missing(/jsonrpc) || /a == 1").expect("one").needs_missing("jsonrpc"));
        for text in ["", "a", "missing()", "/a ="] {
            assert!(Condition::parse(text).is_err(), "{text}");
        }
    }
}
