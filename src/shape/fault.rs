//! What does not fit, and where.

use std::fmt;

use serde_json::Value;

/// One place at which a value is not what its type says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Where: `result.content[0].text`.
    pub place: String,
    /// The definition that says so.
    pub within: String,
    /// What should stand there, in words.
    pub expected: String,
    /// What stands there, in words; `None` where it is missing.
    pub found: Option<String>,
    /// How far the value is from the type: an alternative of which a literal does not fit is meant less than one that lacks a member.
    pub(super) distance: u32,
}

/// How far a value is from a type of which it lacks a member: farther than from one of whose members several are wrong.
pub(super) const LACKS: u32 = 30;
/// A literal does not fit: another alternative is meant.
pub(super) const ANOTHER: u32 = 1_000;
/// The value is of another kind altogether.
pub(super) const KIND: u32 = 100_000;

/// How much of a string is quoted.
const QUOTED: usize = 40;

impl fmt::Display for Fault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Fault { place, within, expected, found, .. } = self;
        let (found, has) = found.as_deref().map_or(("missing", "requires"), |found| (found, "has"));
        match within.is_empty() {
            true => write!(out, "{place} is {found}, expected {expected}"),
            false => write!(out, "{place} is {found}, {within} {has} {expected}"),
        }
    }
}

/// What kind of value it is, in words.
pub fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// A value where a literal or a number is expected: short ones are quoted, as text of the log.
pub(super) fn quoted(value: &Value) -> String {
    match value {
        Value::String(text) if text.chars().nth(QUOTED).is_none() => value.to_string(),
        Value::String(text) => format!("{}...", Value::from(text.chars().take(QUOTED).collect::<String>())),
        Value::Number(number) => number.to_string(),
        Value::Bool(_) | Value::Null => value.to_string(),
        _ => kind_of(value).to_string(),
    }
}
