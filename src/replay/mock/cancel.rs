//! Cancels of the live client. Of a request that was cancelled in the recording: what the server did then, timed from
//! this cancel. Of any other: stop, and do what the protocol asks for.

use std::sync::Arc;

use super::Mock;
use crate::json::lenient_string;
use crate::jsonrpc::{Id, Parsed, parse};
use crate::live::Outgoing;
use crate::protocol::{AfterCancel, CancelForm, Facts, Mechanism, Role, Side, Target, cancel_form, role};

impl Mock {
    /// A cancel by message. False if it hits no request, or was none in the recording: a spelling that the recorded server did
    /// not know.
    pub(super) fn cancel(&mut self, now: i64, method: &str, cancel: &CancelForm<'_>) -> bool {
        let runs = self.targets(&cancel.target);
        let Some(first) = runs.first() else { return false };
        if let Some(event) = self.recorded_without_effect(method, *first) {
            self.happen(now, event);
            return true;
        }
        self.cancel_runs(now, &runs, cancel.mechanism);
        true
    }

    /// What the recorded client told with the same method about the same request, to no effect.
    fn recorded_without_effect(&self, method: &str, run: usize) -> Option<usize> {
        let connection = &self.script.connection;
        let asked = Id::from_json(&connection.exchanges[self.runs[run].exchange].rpc_id);
        let named = |event: &usize| match parse::<Facts<'_>>(&connection.events[*event].text) {
            Ok(Parsed::One(message, facts)) => cancel_form(connection.profile, message.method(), &facts)
                .and_then(|form| Id::from_json(form.target_text?))
                .is_some_and(|id| Some(id) == asked),
            _ => false,
        };
        let told = self.told.get(method).into_iter().flatten().copied();
        told.filter(|event| !self.happened[*event]).find(named)
    }

    /// The runs that a cancel names: those in flight before one that is done, the newest first. Only a turn may have several.
    fn targets(&self, target: &Target<'_>) -> Vec<usize> {
        let exchanges = &self.script.connection.exchanges;
        let newest = |most: usize, fits: &dyn Fn(&super::Run) -> bool| {
            let all = || self.runs.iter().enumerate().rev().filter(|(_, run)| fits(run));
            let in_flight: Vec<usize> = all().filter(|(_, run)| run.in_flight()).map(|(at, _)| at).take(most).collect();
            if in_flight.is_empty() { all().map(|(at, _)| at).take(1).collect() } else { in_flight }
        };
        match target {
            Target::Request(id) => newest(1, &|run| run.live.id.as_ref() == Some(id)),
            Target::Token(token) => newest(1, &|run| run.live.tokens.has(token)),
            Target::Turn(session) => {
                let session = lenient_string(session);
                newest(usize::MAX, &|run| {
                    let own = run.live.session.as_deref().map(lenient_string);
                    own.as_ref() == Some(&session) && role(&exchanges[run.exchange].method) == Role::Prompt
                })
            }
            Target::Task(_) | Target::Malformed(_) | Target::Null => Vec::new(),
        }
    }

    /// The client cancelled a task with a request of its own, this event of the recording.
    pub(super) fn task_cancelled(&mut self, now: i64, event: usize) {
        let exchanges = &self.script.connection.exchanges;
        if let Some(run) = self.runs.iter().rposition(|run| exchanges[run.exchange].cancels.contains(&event)) {
            self.cancel_runs(now, &[run], Mechanism::TasksCancel);
        }
    }

    /// The client closed a stream; where that is a cancel, it is one.
    pub(super) fn stream_closed(&mut self, now: i64, stream: u32) {
        if !self.script.connection.profile.stream_close_cancels {
            return;
        }
        for run in 0..self.runs.len() {
            if self.runs[run].live.stream == Some(stream) && self.runs[run].in_flight() {
                self.cancel_runs(now, &[run], Mechanism::StreamClose);
            }
        }
    }

    /// One cancel hits all of these: it is the next that hit them in the recording.
    fn cancel_runs(&mut self, now: i64, runs: &[usize], mechanism: Mechanism) {
        let script = Arc::clone(&self.script);
        let connection = &script.connection;
        let cancels = runs.iter().flat_map(|at| &connection.exchanges[self.runs[*at].exchange].cancels).copied();
        let fresh = |event: &usize| !self.happened[*event] && connection.events[*event].side == Some(Side::Client);
        if let Some(event) = cancels.filter(fresh).min() {
            self.happen(now, event);
        }
        runs.iter().for_each(|at| self.cancel_run(now, *at, mechanism));
    }

    fn cancel_run(&mut self, now: i64, at: usize, mechanism: Mechanism) {
        let script = Arc::clone(&self.script);
        let run = &self.runs[at];
        let (next, exchange) = (run.at, &script.connection.exchanges[run.exchange]);
        let chain = &script.chains[run.exchange];
        let profile = script.connection.profile;
        let initialize = profile.opening.initialize == Some(exchange.method.as_str());
        match chain.cancel {
            Some(cancel) if next > cancel => {}
            Some(cancel) if chain.cancelled_in_flight() || chain.response.is_some_and(|response| next > response) => {
                self.jump(now, at, cancel + 1);
            }
            // Servers are to pay no heed to a cancel of the handshake.
            _ if initialize && profile.initialize_cancel_always_wrong => {}
            _ => self.stop(at, mechanism),
        }
    }

    /// Stops serving a request that the recorded client had not cancelled.
    fn stop(&mut self, at: usize, mechanism: Mechanism) {
        let script = Arc::clone(&self.script);
        let exchange = self.runs[at].exchange;
        let links = script.chains[exchange].links.len();
        let idle = self.runs[at].answered && self.runs[at].at >= links;
        if self.runs[at].stopped || idle {
            return;
        }
        self.unschedule(at);
        let run = &mut self.runs[at];
        let in_flight = run.in_flight();
        run.stopped = true;
        run.at = links;
        let (id, stream) = (run.live.id_text.clone(), run.live.stream);
        let profile = script.connection.profile;
        let label = format!(
            "{} {}",
            script.connection.exchanges[exchange].label(),
            script.connection.exchanges[exchange].method
        );
        let mut did = "nothing more is sent for it";
        let order = script.connection.exchanges[exchange].request;
        match (mechanism, profile.after_cancel) {
            (Mechanism::SessionCancel, _) if in_flight => {
                did = "it is answered with the stop reason `cancelled`";
                let answer = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"stopReason":"cancelled"}}}}"#);
                self.respond(at, order, answer.into_bytes());
            }
            (Mechanism::SessionCancel, _) => self.end_turn(at),
            (_, AfterCancel::Answer) if in_flight => {
                did = "it is answered with the error that says so";
                let code = profile.cancelled_code.unwrap_or(-32800);
                let error = format!(r#"{{"code":{code},"message":"Request cancelled"}}"#);
                let answer = format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{error}}}"#);
                self.respond(at, order, answer.into_bytes());
            }
            _ => {
                self.leave_group(at);
                self.out.extend(stream.map(|stream| Outgoing::CloseStream { stream }));
            }
        }
        self.report.notes.push(format!("{label}: cancelled, which it was not in the recording; {did}"));
    }

    /// A turn whose prompt was answered when it was accepted (ACP 2) ends with a word about its state.
    fn end_turn(&mut self, at: usize) {
        let run = &self.runs[at];
        let exchange = &self.script.connection.exchanges[run.exchange];
        let answer = self.script.connection.response(exchange).map(parse::<Facts<'_>>);
        if matches!(answer, Some(Ok(Parsed::One(_, facts))) if facts.stop_reason().is_some()) {
            return;
        }
        if let Some(session) = run.live.session.clone() {
            let update = r#"{"sessionUpdate":"state_update","state":"idle","stopReason":"cancelled"}"#;
            let params = format!(r#"{{"sessionId":{session},"update":{update}}}"#);
            let text = format!(r#"{{"jsonrpc":"2.0","method":"session/update","params":{params}}}"#);
            self.send(run.live.stream, text.into_bytes());
        }
    }
}
