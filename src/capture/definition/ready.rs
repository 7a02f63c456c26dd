//! A definition as it is read with: expressions, pointers and what words mean. `compile` makes it of a file.

use memchr::memmem::Finder;
use regex::Regex;

use super::clock::Times;
use super::condition::{Condition, Term, term};
use super::parts::{Kind, Made};
use super::pointer::Pointer;
use super::schema::{Continuation, Encoding, Standing};
use crate::capture::{Direction, Proof, Transport, Vantage};
use crate::protocol::Profile;

/// A definition, ready to read with.
pub(crate) struct Definition {
    pub(super) name: &'static str,
    pub(super) about: &'static str,
    pub(super) score: u8,
    pub(super) strip: Vec<Regex>,
    pub(super) unwrap: Option<Unwrap>,
    pub(super) start: Pattern,
    /// Set where messages are looked for anywhere in a line.
    pub(super) standing: Option<Standing>,
    /// Brackets around one message are those of an array that was sent.
    pub(super) arrays: bool,
    pub(super) contains: Vec<Finder<'static>>,
    pub(super) continuation: Continuation,
    pub(super) sticky: bool,
    pub(super) duplicate: Option<Regex>,
    pub(super) header: Option<Regex>,
    pub(super) stderr: Option<Pattern>,
    pub(super) splits: Vec<Regex>,
    pub(super) payload: Payload,
    /// Where the parts of a message stand that the record tells.
    pub(super) made: Made,
    /// True if messages are made of what records tell, and not held by them.
    pub(super) makes: bool,
    pub(super) kinds: Vec<(String, Kind)>,
    /// The kind of a record that no word and no test tells.
    pub(super) kind_default: Option<Kind>,
    pub(super) directions: Vec<(String, Meaning)>,
    pub(super) direction_rules: Vec<(Condition, Meaning)>,
    pub(super) direction_default: Meaning,
    /// `None` where it is told by who sends what.
    pub(super) vantage: Option<Vantage>,
    /// Whose log it is where nothing tells.
    pub(super) otherwise: Vantage,
    /// What it says was sent stands in the log once it was sent.
    pub(super) sent_late: bool,
    /// What its emitter speaks, where it speaks one protocol.
    pub(super) profile: Option<&'static Profile>,
    pub(super) times: Times,
    pub(super) keys: Vec<ConnectionKey>,
    pub(super) transport: Transport,
    pub(super) proof: Proof,
    /// What of that it proves only behind a part of the log that shows it.
    pub(super) midway: Proof,
}

/// How a payload is taken apart.
pub(super) struct Payload {
    pub(super) encoding: Encoding,
    pub(super) pointer: Pointer,
    pub(super) direction: Option<Pointer>,
    /// Who sent it, and who received it, as names of processes.
    pub(super) from: Option<Pointer>,
    pub(super) to: Option<Pointer>,
    pub(super) time: Option<Pointer>,
    /// When the request of an exchange was sent, or how long the exchange took.
    pub(super) start: Option<Pointer>,
    pub(super) took: Option<Term>,
    pub(super) after: Option<String>,
    pub(super) allow_trailing: bool,
    pub(super) may_be_cut: bool,
    pub(super) or_header: bool,
    pub(super) drop_if: Option<Condition>,
    pub(super) strings: Vec<String>,
}

/// Lines that are JSON objects, with the line of the log in a string.
pub(super) struct Unwrap {
    pub(super) pointer: Pointer,
    pub(super) until_newline: bool,
    pub(super) ts: Option<Pointer>,
}

/// An expression with its named groups.
pub(super) struct Pattern {
    pub(super) regex: Regex,
    pub(super) roles: Roles,
}

/// Which group is what.
#[derive(Clone, Debug, Default)]
pub(super) struct Roles {
    pub(super) ts: Option<usize>,
    pub(super) dir: Option<usize>,
    pub(super) kind: Option<usize>,
    pub(super) method: Option<usize>,
    pub(super) id: Option<usize>,
    pub(super) code: Option<usize>,
    pub(super) error: Option<usize>,
    pub(super) payload: Option<usize>,
    pub(super) logger: Option<usize>,
    pub(super) length: Option<usize>,
    pub(super) text: Option<usize>,
    pub(super) names: Vec<(String, usize)>,
}

impl Pattern {
    /// The groups of an expression, by what they are called.
    pub(super) fn new(regex: Regex) -> Pattern {
        let mut roles = Roles::default();
        for (at, name) in regex.capture_names().enumerate() {
            let Some(name) = name else { continue };
            roles.names.push((name.to_string(), at));
            let slot = match name {
                "ts" => &mut roles.ts,
                "dir" => &mut roles.dir,
                "kind" => &mut roles.kind,
                "method" => &mut roles.method,
                "id" => &mut roles.id,
                "code" => &mut roles.code,
                "error" => &mut roles.error,
                "payload" => &mut roles.payload,
                "logger" => &mut roles.logger,
                "length" => &mut roles.length,
                "text" => &mut roles.text,
                _ => continue,
            };
            *slot = Some(at);
        }
        Pattern { regex, roles }
    }
}

/// What a direction word means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    Frame(Direction),
    Stderr,
    Skip,
}

/// What tells connections apart.
#[derive(Clone, Debug)]
pub(super) enum ConnectionKey {
    /// The first of these groups that took part in the match.
    Groups(Vec<String>),
    Pointer(Pointer),
    /// The first group of an expression that is looked for in the record.
    Expression(Regex),
}

impl ConnectionKey {
    /// Reads a key: a pointer, names of groups with bars between, or `~ EXPRESSION`.
    pub(super) fn parse(text: &str) -> std::result::Result<ConnectionKey, String> {
        if let Some(expression) = text.strip_prefix('~') {
            return match Regex::new(expression.trim()) {
                Ok(regex) if regex.captures_len() > 1 => Ok(ConnectionKey::Expression(regex)),
                Ok(_) => Err(format!("{text:?} has no group: put what tells connections apart in round brackets")),
                Err(error) => {
                    let said = error.to_string();
                    let what = said.lines().last().unwrap_or_default().trim_start_matches("error: ");
                    Err(format!("{text:?} is no regular expression: {what}"))
                }
            };
        }
        match term(text) {
            Ok(Term::Pointer(pointer)) => Ok(ConnectionKey::Pointer(pointer)),
            _ if text.starts_with('/') => Err(format!("{text:?} is no JSON pointer")),
            _ => Ok(ConnectionKey::Groups(text.split('|').map(|name| name.trim().to_string()).collect())),
        }
    }
}
