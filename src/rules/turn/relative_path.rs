//! A path that begins nowhere, where the protocol wants an absolute one.
//!
//! Left alone: addresses, variables, names without a folder, and what may be a word of a filter.

use std::borrow::Cow;

use crate::capture::Proof;
use crate::finding::Finding;
use crate::protocol::{Facts, relative_in};
use crate::rules::{Absence, Build, Duty, Occasions, On, Rule, found_by};
use crate::session::{Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "SES015",
    name: "relative-path",
    summary: "a path is relative",
    on: On::Request,
    duty: Duty::either(Occasions::NAMES_PATH.and(Occasions::NAMES_FOLDER).and(Occasions::NAMES_ROOTS)),
    needs: Proof::PAYLOAD.and(Proof::DIRECTION),
    absence: Absence::None,
    default_on: true,
    page: include_str!("../../../docs/rules/relative-path.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Request { exchange, facts, .. } = event.what else { return None };
    let case = if exchange.method.starts_with("session/") { "SES015/cwd" } else { RULE.code };
    let root = || Some((Cow::Owned(relative_in(facts.roots()?)?), "SES015/roots"));
    let (path, case) = Facts::text(facts.relative()).map(|path| (path, case)).or_else(root)?;
    let ruling = event.profile.ruling(case).filter(|_| exchange.known.is_some())?;
    let summary = format!("{} {} has the path \"{path}\", which is relative", exchange.label(), exchange.title());
    Some(found_by(RULE.code, ruling, event, summary).about(exchange))
}
