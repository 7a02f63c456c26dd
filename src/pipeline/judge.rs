//! Stands between the fold and the store: events become findings, and everything derived is written as it comes.

use std::cell::RefCell;

use super::watcher::Watcher;
use crate::error::{Error, Result};
use crate::protocol::Side;
use crate::rules::{Auditor, RULES, Selection, Undecided};
use crate::session::{Cancellation, Connection, Event, Exchange, FrameId, Ledger, Sink};
use crate::store::{Derived, Store};

/// A sink that judges and stores. What fails is kept until [`Judge::failed`] is asked: a sink returns nothing.
pub(super) struct Judge<'s> {
    auditor: Auditor,
    derived: Derived<'s>,
    watcher: Option<&'s RefCell<dyn Watcher>>,
    error: Option<Error>,
}

impl<'s> Judge<'s> {
    pub(super) fn new(store: &'s Store, selection: &Selection) -> Result<Judge<'s>> {
        let rules: Vec<_> = RULES.iter().map(|rule| (rule.code, rule.name)).collect();
        Ok(Judge { auditor: Auditor::new(selection), derived: store.derived(&rules)?, watcher: None, error: None })
    }

    /// The same, and somebody is told of all that it is told and of all that it finds.
    pub(super) fn watched(self, watcher: &'s RefCell<dyn Watcher>) -> Judge<'s> {
        Judge { watcher: Some(watcher), ..self }
    }

    /// The first error since it was asked last.
    pub(super) fn failed(&mut self) -> Result<()> {
        self.error.take().map_or(Ok(()), Err)
    }

    /// Rules that would have spoken, had the log shown more.
    pub(super) fn undecided(&self) -> Vec<Undecided> {
        self.auditor.undecided()
    }

    fn keep(&mut self, done: Result<()>) {
        if let Err(error) = done {
            self.error.get_or_insert(error);
        }
    }
}

impl Sink for Judge<'_> {
    fn event(&mut self, event: &Event<'_>) {
        let Judge { auditor, derived, watcher, error } = self;
        if let Some(watcher) = watcher {
            watcher.borrow_mut().event(event);
        }
        auditor.judge(event, |finding| {
            if let Some(watcher) = watcher {
                watcher.borrow_mut().finding(&finding);
            }
            if let Err(fault) = derived.finding(&finding) {
                error.get_or_insert(fault);
            }
        });
    }

    fn inferred(&mut self, frame: FrameId, sender: Side) {
        let done = self.derived.inferred(frame, sender);
        self.keep(done);
    }

    fn exchange(&mut self, connection: u32, exchange: &Exchange) {
        if let Some(watcher) = self.watcher {
            watcher.borrow_mut().settled(exchange);
        }
        let done = self.derived.exchange(connection, exchange);
        self.keep(done);
    }

    fn cancellation(&mut self, connection: u32, cancellation: &Cancellation) {
        let done = self.derived.cancellation(connection, cancellation);
        self.keep(done);
    }

    fn connection(&mut self, connection: &Connection, ledger: Ledger<'_>, logger: Option<Side>) {
        let done = self.derived.connection(connection, ledger, logger);
        self.keep(done);
        for seized in self.auditor.seized(connection) {
            let bits = [seized.client.bits(), seized.server.bits()];
            let done = self.derived.occasions(connection, seized.profile, bits);
            self.keep(done);
        }
    }
}
