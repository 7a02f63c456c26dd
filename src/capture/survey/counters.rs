//! Two counters in one stream: a client that counts its ids up has one, and two clients that write into one stream have two. Others make
//! their ids in another way: a client that counts, and one that does not.

use crate::jsonrpc::Id;

/// How often a count has to go on after another one did: an id that is used again by mistake begins none that does.
const TURNS: usize = 2;

/// How many counts are followed at once.
const COUNTS: usize = 8;

/// One count: its newest number, how many it has, and whether it began no higher than another one was.
struct Count {
    newest: i64,
    length: usize,
    below: bool,
}

/// The counts of one sender.
#[derive(Default)]
pub(super) struct Counts {
    /// The one that went on last at the end.
    list: Vec<Count>,
    /// Where those were that a new handshake ended.
    ended: Vec<i64>,
    /// How often another one than the last went on.
    turns: usize,
    /// True once a count went on that had ended.
    undead: bool,
}

impl Counts {
    /// A number goes on with a count, of several with the one that has waited longest, or begins one.
    pub(super) fn take(&mut self, number: i64) {
        let goes_on = |newest: i64| newest.checked_add(1) == Some(number);
        let Some(at) = self.list.iter().position(|count| goes_on(count.newest)) else {
            self.undead |= !self.list.is_empty() && self.ended.iter().any(|newest| goes_on(*newest));
            if self.list.len() == COUNTS {
                self.list.remove(0);
            }
            let below = self.list.iter().any(|count| number <= count.newest);
            return self.list.push(Count { newest: number, length: 1, below });
        };
        self.turns += usize::from(at + 1 < self.list.len());
        let count = self.list.remove(at);
        self.list.push(Count { newest: number, length: count.length + 1, ..count });
    }

    /// A new handshake: who begins it counts anew.
    pub(super) fn begin_anew(self) -> Counts {
        Counts { ended: self.list.iter().map(|count| count.newest).collect(), ..Counts::default() }
    }

    /// True if they are those of two clients: they take turns, or one has begun again where another one was, and goes on.
    pub(super) fn are_two(&self) -> bool {
        let mut long = self.list.iter().filter(|count| count.length > 1);
        self.undead || long.clone().any(|count| count.below) || self.turns >= TURNS && long.nth(1).is_some()
    }
}

/// How ids are made, as they are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Number,
    /// A number as text.
    Numeral,
    /// Letters, and a number behind them: `req-7`.
    Labelled,
    Text,
}

impl Form {
    pub(super) fn of(id: &Id) -> Form {
        let Id::Text(text) = id else { return Form::Number };
        let label = text.trim_end_matches(|c: char| c.is_ascii_digit());
        let letters = label.trim_end_matches(|c: char| c.is_ascii_punctuation());
        match (label, label.len() < text.len()) {
            ("", true) => Form::Numeral,
            (_, true) if letters.bytes().all(|byte| byte.is_ascii_alphabetic()) => Form::Labelled,
            _ => Form::Text,
        }
    }
}

/// The forms of the ids of one sender.
#[derive(Clone, Copy, Default)]
pub(super) struct Forms {
    used: [bool; 4],
    last: Option<Form>,
    /// How often one came back after another one.
    turns: usize,
    /// True once a request of another form than the handshake's did not wait for the answer to that.
    amid: bool,
}

impl Forms {
    /// An id of a request, `within` a handshake of this form that is not answered.
    pub(super) fn take(&mut self, form: Form, within: Option<Form>) {
        self.amid |= within.is_some_and(|opening| opening != form);
        let used = std::mem::replace(&mut self.used[form as usize], true);
        self.turns += usize::from(used && self.last != Some(form));
        self.last = Some(form);
    }

    /// True if they are as well those of two clients, one of which went on amid the handshake of the other: who names his handshake
    /// after nothing else does not come back to that, time and again.
    pub(super) fn may_be_two(&self) -> bool {
        self.amid && self.turns >= TURNS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_ids() {
        let of = |text: &str| Form::of(&Id::Text(text.into()));
        assert_eq!(
            [of("7"), of("req-7"), of("call_12"), of("r7")],
            [Form::Numeral, Form::Labelled, Form::Labelled, Form::Labelled]
        );
        for text in ["", "-", "init", "s-2-0001-4a", "b8a1abcd-1a69-16c7-4da4-f9fc3c6da5d7", "é7"] {
            assert_eq!(of(text), Form::Text, "{text}");
        }
        assert_eq!(Form::of(&Id::Int(7)), Form::Number);
    }

    #[test]
    fn two_forms_that_take_turns_amid_a_handshake_are_two_clients() {
        let two = |ids: &[(Form, bool)]| {
            let mut forms = Forms::default();
            forms.take(ids[0].0, None);
            ids[1..].iter().for_each(|(form, within)| forms.take(*form, within.then_some(ids[0].0)));
            forms.may_be_two()
        };
        let (number, text) = (Form::Number, Form::Text);
        assert!(two(&[(text, false), (number, true), (text, false), (number, false)]));
        assert!(!two(&[(text, false), (number, false), (text, false), (number, false)]), "it waits");
        assert!(!two(&[(text, false), (number, true), (number, false), (text, false)]), "the first and the last");
        assert!(!two(&[(number, false), (number, true), (number, true)]));
    }
}
