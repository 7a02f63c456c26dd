//! The verdict on an exchange that was cancelled.

use super::answer::{Answer, effective_cancel, mechanism};
use super::exchange::{Case, Opinion};
use crate::number::duration;
use crate::protocol::{Ending, Mechanism};
use crate::replay::recording::Fault;
use crate::replay::run::CancelRun;
use crate::replay::verdict::Verdict;
use crate::rules::{self, On};

impl Case<'_> {
    pub(super) fn raced(&self, found: &mut Opinion, cancel: &CancelRun) {
        let run = self.run();
        let took = run.answered_us.zip(run.sent_us).map(|(end, start)| format!(" after {}", duration(end - start)));
        let answer = self.live_text().map_or("answered".to_string(), |text| Answer::read(text).words());
        let sent = if cancel.harness_made { "; the cancel was sent all the same" } else { "" };
        found.add(Verdict::Raced, format!("{answer}{} came before the cancel{sent}", took.unwrap_or_default()));
    }

    /// Outcome classes, not payloads: what a cancelled request still says depends on the moment.
    pub(super) fn cancelled(&self, found: &mut Opinion, cancel: &CancelRun) {
        let live_profile = self.live.map_or(self.recorded.profile, |live| live.profile);
        let now = self.live_text().map(Answer::read);
        let before = self.answer_then(now.as_ref());
        let was = Answer::ending(self.recorded.profile, before.as_ref());
        let is = Answer::ending(live_profile, now.as_ref());
        let how = self.cancelled_by();
        let permits = |ending| how.and_then(|how| live_profile.permits(how, ending));
        if is == Ending::Silence && self.cut_off() && cancel.cut_short {
            return found.add(Verdict::Unknown, self.ended());
        }
        if let Some(cut) = self.run().cut_us.filter(|_| is == Ending::Silence && !self.cancel_closed_its_stream()) {
            let after = duration((cut - cancel.sent_us.unwrap_or(cut)).max(0));
            let why =
                format!("its stream was cut off {after} after the cancel: what would have come there is not known");
            return found.add(Verdict::Unknown, why);
        }
        if is == Ending::Silence && !self.recorded.keeps_answers() {
            return self.unknown(found);
        }
        found.compared = true;
        if self.may_have_crossed(permits(is), is) {
            // Where an answer is due, an error of another kind is another error either way.
            if live_profile.answers_cancelled() && is_other_error(&before, &now) {
                found.add(Verdict::ErrorChanged, format!("{} became {}", words(&before), words(&now)));
            }
            return self.crossed(found, cancel, permits(was) == Some(false) && was != Ending::Silence);
        }
        if is == Ending::Silence && permits(is) != Some(false) {
            found.note(format!("no answer, watched {} after the cancel", duration(cancel.horizon_us)));
        }
        if self.cancel_closed_its_stream() {
            found.note("its stream was closed: what the server does after that cannot be seen");
        }
        if cancel.progress_after.0 > 0 {
            found.note(format!("progress after the cancel: {}", cancel.progress_after.0));
        }
        if is == was {
            match (&before, &now) {
                (Some(Answer::Error(a)), Some(Answer::Error(b))) if a != b => {
                    found.add(Verdict::ErrorChanged, format!("{} became {}", words(&before), words(&now)));
                }
                _ => {}
            }
        } else {
            match permits(is) {
                // What the recording does not prove, nobody has mended.
                Some(true) if self.was_proven() && !self.cancel_closed_its_stream() => {
                    found.add(Verdict::Fixed, format!("{} after the cancel, {} before", is.as_str(), was.as_str()));
                }
                Some(true) => {
                    found.note(format!("other permitted outcome: {}, recorded {}", is.as_str(), was.as_str()));
                }
                Some(false) if is == Ending::Silence => self.never_answered(found, cancel),
                // It is proven to be late, and said as the violation that it is.
                Some(false) if self.is_judged() && (was, is) != (Ending::CancelledError, Ending::OtherError) => {}
                Some(false) | None if was == Ending::Silence && self.unseen_answer().is_some() => self.unknown(found),
                Some(false) | None => {
                    let verdict = if is == Ending::OtherError { Verdict::ErrorChanged } else { Verdict::Changed };
                    found.add(verdict, format!("{} after the cancel, recorded {}", is.as_str(), was.as_str()));
                }
            }
        }
        if let (true, Some(a), Some(b)) = (self.options.compare.cancelled, self.recorded_text(), self.live_text()) {
            self.payload(found, a, b);
        }
    }

    /// How the recording cancelled it.
    fn cancelled_by(&self) -> Option<Mechanism> {
        effective_cancel(self.own()).and_then(|cancel| mechanism(self.recorded, cancel))
    }

    /// True if closing its stream was the cancel, over the transport of now: nobody sees what the server still does.
    pub(super) fn cancel_closed_its_stream(&self) -> bool {
        let live = self.live.zip(self.twin).and_then(|(live, twin)| {
            let cancel = effective_cancel(&live.exchanges[twin])?;
            mechanism(live, cancel)
        });
        live.or_else(|| self.cancelled_by()) == Some(Mechanism::StreamClose)
    }

    /// True for an answer that the protocol does not want after a cancel, and that the audit cannot prove to be later than it.
    fn may_have_crossed(&self, permitted: Option<bool>, is: Ending) -> bool {
        permitted == Some(false) && is != Ending::Silence && self.is_judged() && !self.is_proven()
    }

    /// The cancel was not exercised. That is no difference only where it was not in the recording either.
    fn crossed(&self, found: &mut Opinion, cancel: &CancelRun, answered_then: bool) {
        found.crossed = true;
        let after = self.run().answered_us.zip(cancel.sent_us).map(|(answer, cancel)| (answer - cancel).max(0));
        let after = after.map_or(String::new(), |us| format!(" {}", duration(us)));
        let answer = self.live_text().map_or("answered".to_string(), |text| Answer::read(text).words());
        let why = format!("{answer} came{after} after the cancel and may have crossed it");
        match answered_then && !self.was_proven() {
            true => found.note(format!("{why}, as in the recording: the cancel was not exercised")),
            false => found.add(Verdict::Raced, format!("{why}: the cancel was not exercised")),
        }
    }

    /// True if the audit of the live session says something about how this exchange ended.
    fn is_judged(&self) -> bool {
        let about = |list: &[&Fault]| list.iter().any(|fault| ends(&fault.code));
        self.faults().is_some_and(|faults| about(&faults.new) || about(&faults.still) || about(&faults.open))
    }

    /// True if it proves a violation in that.
    fn is_proven(&self) -> bool {
        self.faults().is_some_and(|faults| faults.new.iter().chain(&faults.still).any(|fault| ends(&fault.code)))
    }

    /// True if the audit of the recording proves one.
    fn was_proven(&self) -> bool {
        let faults = self.recorded.faults.of(Some(self.place));
        faults.iter().any(|fault| fault.certainty == "violation" && ends(&fault.code))
    }

    /// An answer was due after the cancel, and none came while we watched. Whether that breaks the rule the audit says.
    fn never_answered(&self, found: &mut Opinion, cancel: &CancelRun) {
        let watched = duration(cancel.horizon_us);
        found.add(Verdict::Stuck, format!("no answer after the cancel, watched {watched}"));
    }
}

/// True for a rule about how a request ended.
fn ends(code: &str) -> bool {
    let on = rules::find(code).map(|rule| rule.on);
    matches!(on, Some(On::Answer | On::LateAnswer | On::Unanswered | On::TaskCancelAnswer))
}

/// True for an error where there was a result, the other way round, and for another code.
fn is_other_error(before: &Option<Answer>, now: &Option<Answer>) -> bool {
    match (before, now) {
        (Some(Answer::Error(a)), Some(Answer::Error(b))) => a != b,
        (Some(a), Some(b)) => a.outcome() != b.outcome(),
        _ => false,
    }
}

fn words(answer: &Option<Answer>) -> String {
    answer.as_ref().map_or("no answer".into(), Answer::words)
}
