//! A new handshake after a lost session, and what is sent again in it.

use super::Engine;
use super::arrive::revision;
use super::send::Handed;
use super::state::Reinit;
use crate::jsonrpc::{Id, Kind, Message};
use crate::protocol::{Facts, Side};
use crate::replay::message;
use crate::replay::policy;
use crate::replay::run::CancelStatus;

impl Engine {
    /// The server does not know the session in which these requests were asked.
    pub(super) fn session_lost(&mut self, status: u16, on: &[usize]) {
        let lost: Vec<usize> = on.iter().copied().filter(|at| self.log.exchanges[*at].answered_us.is_none()).collect();
        for exchange in &lost {
            let run = &mut self.log.exchanges[*exchange];
            run.session_lost = Some(status);
            // A cancel of what the server no longer knew has cancelled nothing.
            if let Some(cancel) = run.cancel.as_mut().filter(|cancel| cancel.status == CancelStatus::Landed) {
                cancel.status = CancelStatus::Refused;
            }
            if run.repeated {
                // Lost again: it is not waited for any longer.
                run.stuck_us.get_or_insert(self.now);
            }
        }
        if let Some(reinit) = self.http.reinit.as_mut() {
            reinit.lost.extend(lost);
            return;
        }
        if !self.options.life.reinit_on_404 || self.http.reinitialised {
            self.halted.get_or_insert_with(|| "session lost".to_string());
            return;
        }
        self.http.reinitialised = true;
        let opening = self.recorded.profile.opening.initialize;
        let first = self.recorded.exchanges.iter().position(|exchange| opening == Some(exchange.method.as_str()));
        let Some(Ok((text, id))) = first.map(|first| self.compose_again(first)) else {
            self.halted.get_or_insert_with(|| "session lost".to_string());
            return;
        };
        self.http.revision = None;
        self.hand_over(text, Handed::default());
        let until_us = self.now + self.options.life.stuck_min_us;
        self.http.reinit = Some(Reinit { id: Id::from_json(&id), lost, until_us });
        self.log.notes.push(format!("session lost (HTTP {status}): initialised once more"));
    }

    /// True if a response is the one to the new handshake.
    pub(super) fn reinit_answered(&mut self, read: &Message<'_>, facts: &Facts<'_>) -> bool {
        let mine = self.http.reinit.as_ref().is_some_and(|reinit| read.id.value() == reinit.id.as_ref());
        if !mine {
            return false;
        }
        let lost = self.http.reinit.take().map(|reinit| reinit.lost).unwrap_or_default();
        if read.kind != Kind::Result {
            self.halted.get_or_insert_with(|| "session lost".to_string());
            return true;
        }
        self.http.revision = revision(facts);
        if let Some(text) = self.initialized() {
            self.hand_over(text, Handed::default());
        }
        for exchange in lost {
            let asked = &self.recorded.exchanges[exchange];
            if !policy::repeatable(&self.recorded, asked, &self.options.policy) {
                self.log.notes.push(format!("{} is not sent again: it may not be safe to repeat", asked.label()));
                continue;
            }
            if self.log.exchanges[exchange].cancel.is_some() {
                self.log.notes.push(format!("{} is not sent again: it was cancelled", asked.label()));
                continue;
            }
            if let Ok((text, _)) = self.compose_again(exchange) {
                self.send_again(exchange, &text);
            }
        }
        self.moved_us = self.now;
        true
    }

    fn initialized(&self) -> Option<String> {
        let method = self.recorded.profile.opening.initialized?;
        let said = |text: &str| message::method(text).as_deref() == Some(method);
        let mine = self.recorded.events.iter().filter(|event| event.side == Some(Side::Client));
        mine.map(|event| &event.text).find(|text| said(text)).cloned()
    }

    fn send_again(&mut self, exchange: usize, text: &str) {
        let stream = self.hand_over(text.to_string(), Handed { opens: vec![exchange], cancels: Vec::new() });
        self.live[exchange].stream = Some(stream);
        self.live[exchange].sign_us = self.now;
        self.flight.insert(exchange);
        let run = &mut self.log.exchanges[exchange];
        run.sent_us = Some(self.now);
        run.repeated = true;
        self.note_text(text, &[exchange]);
    }

    pub(super) fn watch_reinit(&mut self) {
        if self.http.reinit.as_ref().is_some_and(|reinit| reinit.until_us <= self.now) {
            self.http.reinit = None;
            self.halted.get_or_insert_with(|| "session lost".to_string());
        }
    }

    pub(super) fn reinit_until(&self) -> Option<i64> {
        self.http.reinit.as_ref().map(|reinit| reinit.until_us)
    }
}
