//! At two hops requests are given up by the clock, and at the upper one sooner: what the lower hop still waits for, nobody wants any more.
//!
//! Left alone: cancels of people, which come at any age, and cancels that were only passed on.

use crate::capture::Proof;
use crate::finding::Finding;
use crate::number::duration;
use crate::rules::{Absence, Duty, Occasions, On, Rule};
use crate::session::{Event, HopFault, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "HOP004",
    name: "shorter-patience",
    summary: "requests are given up sooner than those that serve them at the next hop",
    on: On::Hop,
    duty: Duty::either(Occasions::CANCELS),
    needs: Proof::CANCEL_TARGET.and(Proof::ANSWER_TIME).and(Proof::DIRECTION).and(Proof::PAYLOAD),
    absence: Absence::None,
    default_on: true,
    page: include_str!("../../../docs/rules/shorter-patience.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Hop(hop) = &event.what else { return None };
    let HopFault::Outlasted { cancels, after_us } = hop.fault else { return None };
    let ((upper, lower), (here, below)) = (hop.names, (duration(after_us.0), duration(after_us.1)));
    let says = format!(
        "requests at {upper} are given up after {here}, and those at {lower} that serve them only after {below}"
    );
    super::between(RULE.code, event, hop, says, &[("cancel", cancels.0), ("cancel below", cancels.1)])
}
