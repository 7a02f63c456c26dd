//! Whether the server takes longer for an answer than it did.

use super::exchange::{Case, Opinion, is_slower};
use crate::number::duration;
use crate::protocol::Side;
use crate::replay::recording::Exchange;
use crate::replay::run::ExchangeRun;
use crate::replay::verdict::Verdict;

impl Case<'_> {
    /// The first answer of a connection waits for the process to start, which a recording may not show.
    fn is_first(&self) -> bool {
        let answered = |(own, run): (&Exchange, &ExchangeRun)| run.answered_us.filter(|_| own.issuer == Side::Client);
        let mut answers = self.recorded.exchanges.iter().zip(&self.log.exchanges).filter_map(answered);
        !answers.any(|answer| self.run().sent_us.is_some_and(|sent| answer < sent))
    }

    /// True if it was asked while the other side was still at work on a cancelled request that was over when it was recorded.
    fn was_asked_early(&self) -> bool {
        let request = self.own().request;
        let mut all = self.recorded.exchanges.iter().zip(&self.log.exchanges);
        all.any(|(other, run)| {
            let over = other.response.max(other.progress.last().copied()).is_some_and(|last| last < request);
            let last = run.answered_us.max(run.cancel.as_ref().and_then(|cancel| cancel.progress_after.1));
            !other.cancels.is_empty() && over && last.zip(self.run().sent_us).is_some_and(|(last, sent)| last > sent)
        })
    }

    pub(super) fn slower(&self, found: &mut Opinion) {
        let run = self.run();
        if self.delayed || self.cancel().is_some() || !self.is_diff && (self.is_first() || self.was_asked_early()) {
            return;
        }
        let took = run.answered_us.zip(run.sent_us).map(|(end, start)| end - start);
        let Some((recorded, took)) = self.own().latency_us.zip(took).filter(|(then, now)| is_slower(*then, *now))
        else {
            return;
        };
        let live = took - self.kept_waiting();
        if is_slower(recorded, live) {
            found.add(Verdict::Slower, format!("{} instead of {}", duration(live), duration(recorded)));
        }
    }

    /// How much longer than the recorded client we let the server wait for answers of ours while it was at work on this one, microseconds.
    /// One that waits may do nothing else meanwhile, whatever it asked for.
    fn kept_waiting(&self) -> i64 {
        let time = |event: usize| self.recorded.events[event].at_us;
        let then = |asked: &Exchange| time(asked.request).zip(asked.response.and_then(time));
        let now = |run: &ExchangeRun| run.sent_us.zip(run.answered_us);
        let (own_then, own_now) = (then(self.own()), now(self.run()));
        let longer = |(asked, run): (&Exchange, &ExchangeRun)| {
            (common(own_now, now(run)) - common(own_then, then(asked))).max(0)
        };
        let all = self.recorded.exchanges.iter().zip(&self.log.exchanges);
        all.filter(|(asked, _)| asked.issuer == Side::Server).map(longer).sum()
    }
}

/// How long two spans of time lie over each other.
fn common(a: Option<(i64, i64)>, b: Option<(i64, i64)>) -> i64 {
    a.zip(b).map_or(0, |((a, to_a), (b, to_b))| (to_a.min(to_b) - a.max(b)).max(0))
}
