//! Requests of the live side: matched to recorded ones and answered as recorded, or answered by default.
//! Nothing is ever done on their behalf.

use super::Engine;
use super::send::Handed;
use super::state::Asked;
use crate::jsonrpc::Id;
use crate::protocol::{DefaultAnswer, Facts, Side};
use crate::replay::compare::tree;
use crate::replay::plan::Action;
use crate::replay::run::{Extra, Fate};
use crate::replay::{message, splice};

/// The longest that a live request waits for the turn of its recorded answer, beyond think time, microseconds. A server may
/// ask earlier than it did, and hold back what the steps before the answer wait for.
const TURN_US: i64 = 2_000_000;
/// The same where what is waited for may never come: another question, or the answer to what this one serves.
const DOUBTFUL_TURN_US: i64 = 250_000;

/// Members of `params` that differ from run to run and tell nothing about what is asked.
const PASSING: &[&str] = &[
    "_meta",
    "elicitationId",
    "partialResultToken",
    "progressToken",
    "sessionId",
    "taskId",
    "terminalId",
    "token",
    "workDoneToken",
];

impl Engine {
    pub(super) fn request_came(&mut self, asked: &Asked<'_>, id: Option<&Id>, facts: &Facts<'_>) {
        let Some(exchange) = self.match_request(asked) else { return self.stranger(asked, facts) };
        let now = self.now;
        let run = &mut self.log.exchanges[exchange];
        run.fate = Fate::Sent;
        run.sent_us = Some(now);
        run.text = Some(asked.text.to_string());
        run.live_id = Some(asked.id_text.to_string());
        self.live[exchange].id = id.cloned();
        self.names.asked.extend(id.cloned().map(|id| (id, exchange)));
        self.live[exchange].serves.clone_from(&asked.serves);
        for served in &asked.serves {
            self.live[*served].asked.push(exchange);
        }
        self.flight.insert(exchange);
        self.note_sign(exchange);
        let cancelled = facts.session_id().is_some_and(|session| self.names.cancelled_turns.contains(session));
        if cancelled && self.recorded.profile.choice(asked.method).is_some() {
            self.answer(exchange);
        }
    }

    /// A request of the server, and our answer to it, begin the time anew in which what it serves must show a sign of life.
    fn note_sign(&mut self, exchange: usize) {
        for at in self.live[exchange].serves.clone().into_iter().chain([exchange]) {
            self.live[at].sign_us = self.now;
        }
    }

    /// True if the live side has sent this request before, to the letter, and has no answer yet: over HTTP it may be sent again on another
    /// stream, and is the same. Whether it should have been, the audit of the live session says. One that was answered is asked anew.
    pub(super) fn is_asked_again(&self, id: Option<&Id>, text: &str) -> bool {
        let asked = id.and_then(|id| self.names.asked.get(id)).map(|asked| &self.log.exchanges[*asked]);
        asked.is_some_and(|asked| asked.answered_us.is_none() && asked.text.as_deref() == Some(text))
    }

    /// The recorded request that a live one is: the same question, else the next; of several, one under the same parent.
    fn match_request(&mut self, asked: &Asked<'_>) -> Option<usize> {
        let question = question(asked.method, asked.text);
        let under = |at: &&usize| asked.parent().is_some() && self.recorded.exchanges[**at].parent == asked.parent();
        let same = self.known.questions.get_mut(&question).and_then(|alike| {
            let place = alike.iter().position(|at| under(&at)).unwrap_or(0);
            alike.remove(place)
        });
        let left = self.known.unseen.get_mut(asked.method)?;
        let found = same.or_else(|| left.iter().find(under).or(left.first()).copied())?;
        left.remove(&found);
        if same.is_none() {
            let request = self.recorded.request(&self.recorded.exchanges[found]);
            if let Some(alike) = self.known.questions.get_mut(&self::question(asked.method, request)) {
                alike.retain(|other| *other != found);
            }
        }
        Some(found)
    }

    /// Lists what the recorded server asked.
    pub(super) fn list_questions(&mut self) {
        for (at, exchange) in self.recorded.exchanges.iter().enumerate() {
            if exchange.issuer == Side::Server {
                let question = question(&exchange.method, self.recorded.request(exchange));
                self.known.questions.entry(question).or_default().push_back(at);
                self.known.unseen.entry(exchange.method.clone()).or_default().insert(at);
            }
        }
        let time = |event: usize| self.recorded.events[event].at_us;
        for step in self.steps.iter() {
            let Action::Answer(exchange) = step.action else { continue };
            let asked = &self.recorded.exchanges[exchange];
            let took = asked.response.and_then(time).zip(time(asked.request)).map_or(0, |(a, b)| a - b);
            self.known.waited.insert(exchange, (took - step.think_us).max(0));
        }
    }

    /// Answers a matched request as recorded: under its own id, or not at all.
    pub(super) fn answer(&mut self, exchange: usize) {
        if std::mem::replace(&mut self.live[exchange].settled, true) || self.peer.finish_us.is_some() {
            return;
        }
        let live = self.log.exchanges[exchange].text.clone().unwrap_or_default();
        let live_id = self.log.exchanges[exchange].live_id.clone().unwrap_or_else(|| "null".to_string());
        let session = message::read(&live).and_then(|(_, facts)| facts.session_id().map(str::to_string));
        let in_cancelled_turn = session.is_some_and(|session| self.names.cancelled_turns.contains(&session));
        let choice = self.recorded.profile.choice(&self.recorded.exchanges[exchange].method);
        let text = match choice.filter(|_| in_cancelled_turn) {
            Some(choice) => format!(r#"{{"jsonrpc":"2.0","id":{live_id},"result":{}}}"#, choice.cancelled),
            None => match self.compose_answer(exchange) {
                Some(Ok(text)) => text,
                Some(Err(why)) => {
                    self.log.notes.push(format!("{} not answered: {why}", self.recorded.exchanges[exchange].label()));
                    return;
                }
                None => return,
            },
        };
        self.log.exchanges[exchange].answered_us = Some(self.now);
        self.note_sign(exchange);
        self.hand_over(text, Handed::default());
    }

    /// Recorded answers whose step was passed over, or whose turn does not come.
    pub(super) fn answer_overdue(&mut self) {
        while let Some(exchange) =
            self.flight.iter().copied().find(|at| self.overdue(*at).is_some_and(|due| due <= self.now))
        {
            self.answer(exchange);
        }
    }

    /// When a live request is answered out of turn; `None` for one that has been, or never is.
    pub(super) fn overdue(&self, exchange: usize) -> Option<i64> {
        let (came, response) = self.is_to_answer(exchange)?;
        let recorded = &self.recorded.exchanges[exchange];
        let time = |event: usize| self.recorded.events[event].at_us;
        let took = time(response).zip(time(recorded.request)).map_or(0, |(a, b)| a - b);
        let think = self.options.pace.gap(took);
        // The work of the server that the recorded client waited for before it answered does not speed up.
        let waited = self.known.waited.get(&exchange).copied().unwrap_or(0);
        let turn = match self.turn_in(exchange) {
            0 => think,
            turn @ DOUBTFUL_TURN_US => think.max(waited.min(TURN_US)) + turn,
            turn => think.max(waited) + turn,
        };
        Some(came + turn)
    }

    /// When a live request came that is still to be answered, and the place of the recorded answer.
    fn is_to_answer(&self, exchange: usize) -> Option<(i64, usize)> {
        let (recorded, live) = (&self.recorded.exchanges[exchange], &self.live[exchange]);
        if recorded.issuer != Side::Server || live.settled || live.withdrawn || self.peer.finish_us.is_some() {
            return None;
        }
        self.log.exchanges[exchange].sent_us.zip(recorded.response)
    }

    /// How long the turn of a recorded answer is waited for at most, beyond what the recorded client took.
    fn turn_in(&self, exchange: usize) -> i64 {
        let awaited = self.awaited_question();
        let never_comes = awaited.is_some_and(|awaited| self.was_asked_behind(awaited, exchange));
        if self.live[exchange].passed || self.halted.is_some() || never_comes {
            return 0;
        }
        // What was answered before in the recording does not wait for us.
        let ours = self.recorded.exchanges[exchange].response;
        let first = |parent: usize| self.recorded.exchanges[parent].response.is_some_and(|at| Some(at) < ours);
        let held_up = |parent: usize| self.owed.contains(&parent) && !self.resolved(parent) && !first(parent);
        match awaited.is_some() || self.live[exchange].serves.iter().copied().any(held_up) {
            true => DOUBTFUL_TURN_US,
            false => TURN_US,
        }
    }

    /// The request of the server that the step in front waits for.
    fn awaited_question(&self) -> Option<usize> {
        match self.steps.get(self.cursor)?.action {
            Action::Answer(exchange) => Some(exchange).filter(|at| self.log.exchanges[*at].sent_us.is_none()),
            _ => None,
        }
    }

    /// True if the recorded server asked this for the same sake, and only once it had the answer to the other question: a live one that
    /// asks it without that goes another way, and waits for us.
    fn was_asked_behind(&self, other: usize, exchange: usize) -> bool {
        let (first, then) = (&self.recorded.exchanges[other], &self.recorded.exchanges[exchange]);
        first.parent.is_some() && first.parent == then.parent && first.response.is_some_and(|at| at < then.request)
    }

    /// True if an exchange cannot go on before an answer of ours that is still to be sent.
    pub(super) fn waits_for_us(&self, exchange: usize) -> bool {
        self.live[exchange].asked.iter().any(|question| self.is_to_answer(*question).is_some())
    }

    /// A request that the recording does not have.
    fn stranger(&mut self, asked: &Asked<'_>, facts: &Facts<'_>) {
        let default = self.recorded.profile.default_answer(asked.method);
        let cancelled = facts.session_id().is_some_and(|session| self.names.cancelled_turns.contains(session));
        let (body, said) = match (default, self.recorded.profile.choice(asked.method).filter(|_| cancelled)) {
            (_, Some(choice)) => (format!(r#""result":{}"#, choice.cancelled), "cancelled, as its turn is".to_string()),
            (DefaultAnswer::Result(json), None) => (format!(r#""result":{json}"#), format!("by default {json}")),
            (DefaultAnswer::Recorded(json), None) => {
                let recorded = self.recorded_result(asked.method);
                let said = if recorded.is_some() { "as the recorded client once did" } else { "by default" };
                let json = recorded.unwrap_or_else(|| json.to_string());
                (format!(r#""result":{json}"#), said.to_string())
            }
            (DefaultAnswer::Nulls, None) => {
                let items = splice::at(asked.text, "/params/items").map_or(0, |items| splice::members(items).len());
                (
                    format!(r#""result":[{}]"#, vec!["null"; items].join(",")),
                    "by default null for each item".to_string(),
                )
            }
            (DefaultAnswer::Error(code, why), None) => (
                format!(r#""error":{{"code":{code},"message":{}}}"#, splice::quote(why)),
                format!("error {code} {why}"),
            ),
        };
        self.log.extras.push(Extra {
            request: true,
            method: asked.method.to_string(),
            rpc_id: Some(asked.id_text.to_string()),
            count: 1,
            at_us: self.now,
            answered: Some(said),
        });
        if self.peer.finish_us.is_none() {
            self.hand_over(format!(r#"{{"jsonrpc":"2.0","id":{},{body}}}"#, asked.id_text), Handed::default());
        }
    }

    /// What the recorded client last answered to a method.
    fn recorded_result(&self, method: &str) -> Option<String> {
        let asked = self.recorded.exchanges.iter().rev().filter(|at| at.issuer == Side::Server && at.method == method);
        asked.filter_map(|at| splice::at(self.recorded.response(at)?, "/result")).next().map(str::to_string)
    }

    /// The live side cancels a request of its own: answered only where the protocol asks for it, or the recording shows it.
    pub(super) fn server_cancels(&mut self, id: &Id) {
        let Some(exchange) = self.asked_by_server(id) else { return };
        let recorded = &self.recorded.exchanges[exchange];
        let answered_all_the_same =
            recorded.response.is_some_and(|response| recorded.cancels.iter().any(|at| *at < response));
        if answered_all_the_same {
            return;
        }
        self.live[exchange].withdrawn = true;
        self.live[exchange].settled = true;
        if let (true, Some(code)) = (self.recorded.profile.answers_cancelled(), self.recorded.profile.cancelled_code) {
            let live_id = self.log.exchanges[exchange].live_id.clone().unwrap_or_else(|| "null".to_string());
            self.log.exchanges[exchange].answered_us = Some(self.now);
            let text = format!(r#"{{"jsonrpc":"2.0","id":{live_id},"error":{{"code":{code},"message":"cancelled"}}}}"#);
            self.hand_over(text, Handed::default());
        }
    }
}

/// What a request asks, without what differs from run to run, in one spelling.
fn question(method: &str, text: &str) -> String {
    let params = splice::at(text, "/params").map(|params| tree::canonical(params, PASSING)).unwrap_or_default();
    format!("{method}\n{params}")
}
