//! Kinds of requests none of which has an answer in the log, though their receiver answered others all the while: a logger
//! that leaves out the answers to a method, or those with errors, looks like that, and so does a side that hangs. Which it was
//! the log does not tell.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::exchange::Exchange;
use super::state::{Issued, Slot};

/// How many requests of one kind have to be without an answer to be a kind that is not logged.
const SEVERAL: usize = 3;

/// What of one side's requests is never answered in the log.
#[derive(Default)]
pub(super) struct Unheard {
    methods: FxHashMap<Rc<str>, usize>,
    cancelled: usize,
    /// True where requests of more than one method are open, and the other side, which asks in its turn, has not answered one.
    pub(super) all: bool,
}

impl Unheard {
    /// Of the requests that a side has issued, to a side that has answered as often as `peer` tells.
    pub(super) fn of(issued: &Issued, peer: &Issued) -> Unheard {
        let (mut unheard, answers) = (Unheard::default(), peer.answers);
        let open = |slot: &&Slot| slot.is_at_work() && (answers == 0 || slot.answers_before < answers);
        for exchange in issued.live.values().map(|slot| &**slot).filter(open).map(|slot| &slot.exchange) {
            if exchange.cancel().is_some() {
                unheard.cancelled += usize::from(!issued.refused);
            } else if !issued.heard.contains(&exchange.method) {
                *unheard.methods.entry(exchange.method.clone()).or_default() += 1;
            }
        }
        let asks = peer.count.has_begun() || !peer.live.is_empty();
        unheard.all = answers == 0 && asks && unheard.methods.len() > 1;
        unheard
    }

    /// Why the answer to this request may be missing for the kind that it is of.
    pub(super) fn excuse(&self, exchange: &Exchange) -> Option<&'static str> {
        if exchange.cancel().is_some() {
            return (self.cancelled >= SEVERAL)
                .then_some("no request is answered with an error in it, and several cancelled ones are not at all");
        }
        if self.all {
            return Some("no answer of its receiver is in the log");
        }
        let count = self.methods.get(&exchange.method).copied().unwrap_or(0);
        (count >= SEVERAL).then_some("it has no answer to any request of this method, and answers to others")
    }
}
