//! The rules: one file and one page each, same name. Pure functions of one event; they keep no state.

mod auditor;
mod rule;

mod cancel;
mod capture;
mod lifecycle;
mod progress;
mod rpc;
mod stuck;
mod task;
mod turn;

pub use auditor::{Auditor, Selection, Undecided};
pub use rule::{Build, On, Rule, duration, found, noted, race_text};

/// All rules, in the order of their codes. Registering a rule is one line here.
pub static RULES: &[&Rule] = &[
    &cancel::response_after_cancel::RULE,
];

/// A rule by code or name, without regard to case.
pub fn find(id: &str) -> Option<&'static Rule> {
    RULES.iter().copied().find(|rule| rule.code.eq_ignore_ascii_case(id) || rule.name.eq_ignore_ascii_case(id))
}
