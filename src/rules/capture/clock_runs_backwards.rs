//! Times that step back from one message to the next at one tap.

use crate::capture::Proof;
use crate::finding::Finding;
use crate::number::duration;
use crate::rules::{Absence, Duty, On, Rule, noted};
use crate::session::{CaptureNote, Event, What};

/// The rule.
pub static RULE: Rule = Rule {
    code: "CAP003",
    name: "clock-runs-backwards",
    summary: "the clock of the capture ran backwards",
    on: On::Capture,
    duty: Duty::NONE,
    needs: Proof::NONE,
    absence: Absence::None,
    default_on: true,
    page: include_str!("../../../docs/rules/clock-runs-backwards.md"),
    check,
};

fn check(event: &Event<'_>) -> Option<Finding> {
    let What::Capture(CaptureNote::ClockBackwards { times, worst_us }) = event.what else { return None };
    let step = duration(worst_us.saturating_abs());
    let summary = match times {
        1 => format!("the clock of the capture ran backwards by {step}"),
        _ => format!("the clock of the capture ran backwards {times} times, at worst by {step}"),
    };
    noted(RULE.code, event, summary)
}
