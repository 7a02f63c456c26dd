//! What a finding comes to for the request that it is about, in one word. `why`, `stats`, `show` and drawings say it, and
//! have no opinion of their own: where no rule objects, there is no such word.

use super::{On, find};

/// What a request, or whoever had to answer it, is charged with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Charge {
    /// It was answered although it was cancelled.
    TooLate,
    /// It ended as if it had not been cancelled.
    Ignored,
    /// It was answered after its cancel, but not in the way that the protocol has for that.
    WrongAnswer,
    /// Work on it went on after its cancel.
    WentOn,
    /// Requests that served it were left open.
    LeftOpen,
    /// It was never answered.
    Stuck,
    /// It was cancelled when it had long been answered.
    LateCancel,
}

impl Charge {
    /// The word of the screens.
    pub fn as_str(self) -> &'static str {
        match self {
            Charge::TooLate => "TOO LATE",
            Charge::Ignored => "IGNORED",
            Charge::WrongAnswer => "WRONG ANSWER",
            Charge::WentOn => "WENT ON",
            Charge::LeftOpen => "LEFT OPEN",
            Charge::Stuck => "NO ANSWER",
            Charge::LateCancel => "LATE CANCEL",
        }
    }

    /// True if it says that a cancel was not honoured.
    pub fn defies_cancel(self) -> bool {
        !matches!(self, Charge::LateCancel | Charge::Stuck)
    }
}

/// What a finding of this code charges its request with; `None` where it is about something else.
pub fn charge(code: &str) -> Option<Charge> {
    let rule = find(code)?;
    Some(match (rule.on, rule.code) {
        (On::LateAnswer, "CAN010") => Charge::TooLate,
        (On::LateAnswer, "SES001") => Charge::Ignored,
        (On::LateAnswer, _) => Charge::WrongAnswer,
        (On::ProgressAfterCancel | On::NotificationAfterCancel | On::NestedAfterCancel, _) => Charge::WentOn,
        (On::Orphans, _) => Charge::LeftOpen,
        (On::Unanswered, _) => Charge::Stuck,
        (On::Hop, "HOP001") => Charge::LeftOpen,
        (On::Hop, "HOP002") => Charge::WentOn,
        (On::Cancel, "CAN005") => Charge::LateCancel,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::RULES;

    fn codes(wanted: impl Fn(Charge) -> bool) -> Vec<&'static str> {
        RULES.iter().map(|rule| rule.code).filter(|code| charge(code).is_some_and(&wanted)).collect()
    }

    #[test]
    fn a_late_cancel_and_a_missing_answer_are_no_defiance() {
        let defies = |code: &str| charge(code).map(Charge::defies_cancel);
        assert_eq!(["CAN010", "CAN012", "HOP001", "HOP002"].map(defies), [Some(true); 4]);
        assert_eq!(["CAN005", "STK001"].map(defies), [Some(false); 2]);
        assert_eq!(["RPC004", "CAP003", "no rule"].map(defies), [None; 3]);
    }

    /// The views that name rules name those that the screens know.
    #[test]
    fn views_and_screens_speak_of_the_same_rules() {
        let late = |charge| matches!(charge, Charge::TooLate | Charge::Ignored | Charge::WrongAnswer);
        for (view, codes) in [
            (include_str!("../../sql/views/late_responses.sql"), codes(late)),
            (include_str!("../../sql/views/stuck_requests.sql"), codes(|charge| charge == Charge::Stuck)),
        ] {
            let named: Vec<&str> = view.split('\'').filter(|word| find(word).is_some()).collect();
            let mut named: Vec<&str> = named.into_iter().collect();
            named.sort_unstable();
            let mut codes: Vec<&str> = codes;
            codes.sort_unstable();
            assert_eq!(named, codes);
        }
    }
}
