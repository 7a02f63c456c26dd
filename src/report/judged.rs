//! What the rules say about a cancel, in the one word of the screens. Words come from findings; nothing is judged here.

use crate::rules::{Charge, charge};
use crate::store::CancellationRow;

/// What the findings about a cancel come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judged<'a> {
    /// Proven: what its request is charged with.
    Proven(Charge),
    /// Proven: the cancel itself is at fault, by this rule.
    Fault(&'a str),
    /// The two may have crossed on the wire.
    Crossed,
    /// The log cannot tell.
    Undecided,
    /// No rule objects.
    Nothing,
}

impl<'a> Judged<'a> {
    /// What the findings about a cancel come to: the strongest certainty, and of that the gravest charge.
    pub fn of(row: &'a CancellationRow) -> Judged<'a> {
        let sure = |wanted: &'static str| row.findings.iter().filter(move |(_, certainty)| certainty == wanted);
        if let Some(worst) = sure("violation").filter_map(|(code, _)| charge(code)).min() {
            return Judged::Proven(worst);
        }
        if let Some((code, _)) = sure("violation").next() {
            return Judged::Fault(code);
        }
        match (sure("race").next(), sure("undecidable").next()) {
            (Some(_), _) => Judged::Crossed,
            (None, Some(_)) => Judged::Undecided,
            (None, None) => Judged::Nothing,
        }
    }

    /// True if it is proven that the cancel was not honoured.
    pub fn defied(self) -> bool {
        matches!(self, Judged::Proven(charge) if charge.defies_cancel())
    }

    /// The word; a rule by its code, and nothing where no rule objects.
    pub fn as_str(self) -> &'a str {
        match self {
            Judged::Proven(charge) => charge.as_str(),
            Judged::Fault(code) => code,
            Judged::Crossed => "crossed",
            Judged::Undecided => "undecided",
            Judged::Nothing => "",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_strongest_certainty_and_the_gravest_charge() {
        let judged = |findings: &[(&str, &str)]| {
            let findings = findings.iter().map(|(code, sure)| (code.to_string(), sure.to_string())).collect();
            let row = CancellationRow { findings, ..CancellationRow::default() };
            Judged::of(&row).as_str().to_string()
        };
        assert_eq!(judged(&[("PRG002", "violation"), ("CAN010", "violation")]), "TOO LATE");
        assert_eq!(judged(&[("PRG002", "violation"), ("CAN010", "race")]), "WENT ON");
        assert_eq!(judged(&[("CAN006", "violation"), ("CAN010", "race")]), "CAN006");
        assert_eq!(judged(&[("CAN010", "undecidable"), ("PRG002", "race")]), "crossed");
        assert_eq!(judged(&[("CAN010", "undecidable")]), "undecided");
        assert_eq!(judged(&[]), "");
    }
}
