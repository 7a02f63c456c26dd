//! Occasions of single rulings: where a rule speaks of several things, each of its clauses has its own, and some can only be judged
//! where the log shows something else, too.

use super::occasion::Occasions;
use super::{Duty, Rule};
use crate::protocol::Ruling;

/// When a clause can be kept or broken, and what else the log must show to tell which.
#[derive(Clone, Copy)]
pub(super) struct Occasion {
    /// The occasions.
    pub on: Occasions,
    /// One of these must be there, too, unless there is none; the first says what is lacking.
    pub beside: Occasions,
}

/// The rulings that are narrower than the duty of their rule, and what must stand beside an occasion.
const NARROWER: &[(&str, Occasions, Occasions)] = {
    use Occasions as O;
    &[
        // In a log in which no document is opened, openings are left out.
        ("DOC002", O::CHANGES_DOCUMENT, O::OPENS_DOCUMENT),
        ("DOC002/close", O::CLOSES_DOCUMENT, O::OPENS_DOCUMENT),
        ("LIF019/fs.readtextfile", O::ASKS_FILE, O::NONE),
        ("LIF019/fs.writetextfile", O::ASKS_FILE, O::NONE),
        ("LIF019/terminal", O::ASKS_TERMINAL, O::NONE),
        ("LIF019/window.workdoneprogress", O::CREATES_TOKEN, O::NONE),
        // What was declared, only a handshake or a request that states it shows.
        ("LIF021", O::ASKS_PERSON.and(O::ASKS_MODEL), DECLARED),
        ("LIF021/elicitation.form", O::ASKS_PERSON, DECLARED),
        ("LIF021/elicitation.url", O::ASKS_PERSON, DECLARED),
        ("LIF021/sampling.context", O::ASKS_MODEL, DECLARED),
        ("LIF021/sampling.tools", O::ASKS_MODEL, DECLARED),
        ("LIF021/session.compaction", O::UPDATES, DECLARED),
        ("LIF021/session.notices", O::UPDATES, DECLARED),
        ("LIF021/session.additionaldirectories", O::NAMES_ROOTS, DECLARED),
        ("LIF021/sessioncapabilities.additionaldirectories", O::NAMES_ROOTS, DECLARED),
        ("LIF029", O::TELLS_ERA, O::NONE),
        ("LIF029/initialize", O::REFUSES_OTHER_ERA, O::NONE),
        ("SES013/login", O::LOGS_IN, O::NONE),
        ("SES013/mode", O::CHOOSES_MODE, O::NONE),
        ("SES013/option", O::ANSWERS_PERMISSION, O::NONE),
        ("SES013/terminal", O::LOGS_IN, O::NONE),
        ("SES013/value", O::CHOOSES_VALUE, O::NONE),
        ("SES015", O::NAMES_PATH, O::NONE),
        ("SES015/cwd", O::NAMES_FOLDER, O::NONE),
        ("SES015/roots", O::NAMES_ROOTS, O::NONE),
        ("TSK004", O::REPORTS_TASK_AGAIN, O::NONE),
        ("TSK004/first", O::CREATES_TASK, O::NONE),
    ]
};

/// Who declares does so in a handshake, or in the request that is answered by a question.
const DECLARED: Occasions = Occasions::HANDSHAKE_ANSWERED.and(Occasions::ASKS_INPUT);

/// The occasions of a ruling: its own, or those of its rule.
pub(super) fn occasion(ruling: &Ruling, rule: &Rule) -> Occasion {
    let Duty { on, .. } = rule.duty;
    let own = NARROWER.iter().find(|(name, ..)| *name == ruling.rule);
    own.map_or(Occasion { on, beside: Occasions::NONE }, |(_, on, beside)| Occasion { on: *on, beside: *beside })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::profiles;
    use crate::rules::rule_of;

    #[test]
    fn a_narrower_occasion_is_one_of_its_rule_and_is_of_a_ruling() {
        let rulings: Vec<&Ruling> = profiles().flat_map(|profile| profile.rulings).collect();
        for (name, on, _) in NARROWER {
            let ruling = rulings.iter().find(|ruling| ruling.rule == *name).unwrap_or_else(|| panic!("{name}"));
            let rule = rule_of(ruling).expect("a rule");
            // Those of LIF019 are requests that need a capability, whatever else they are.
            assert!(rule.duty.on.any(*on) || rule.code == "LIF019", "{name}");
        }
    }
}
