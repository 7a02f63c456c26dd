//! How a conforming side behaves: what it asks, when it cancels, and what it owes after a cancel.

use rpctape::protocol::Side;

use super::sim::{Deed, Kind, Meaning, Sim};
use super::speech::{Ask, Tongue, error, result};
use super::wire::side;

/// A number that a float cannot hold.
const HUGE: i64 = 9_007_199_254_740_993;

impl Sim {
    /// An id that no request of this side in flight has: number or string, and often one of the other side's.
    pub fn fresh_id(&mut self, issuer: Side) -> String {
        if self.speech.reuses_ids() && self.rng.chance(20) {
            let kept = |kind| kind == Kind::Initialize && self.sabotage.is_some();
            let over = |at: usize| {
                let old = &self.requests[at];
                old.settled && !old.rigged && !kept(old.kind)
            };
            let old = self.ids.iter().filter(|((of, _), at)| *of == side(issuer) && over(**at));
            let mut old: Vec<String> = old.map(|((_, id), _)| id.clone()).collect();
            old.sort();
            if !old.is_empty() {
                return self.rng.pick(&old).clone();
            }
        }
        loop {
            let number = self.counter[side(issuer)];
            self.counter[side(issuer)] += self.rng.between(0, 1);
            let id = match self.rng.between(0, 9) {
                0..=5 => number.to_string(),
                6..=7 => format!("\"{number}\""),
                8 => (HUGE + number).to_string(),
                _ => format!("\"r{number}\""),
            };
            if !self.ids.contains_key(&(side(issuer), id.clone())) {
                return id;
            }
            self.counter[side(issuer)] += 1;
        }
    }

    /// A token that no request of this side has that is in flight: its id, or a name, sometimes one used before.
    pub fn fresh_token(&mut self, issuer: Side, id: &str) -> String {
        let number = self.rng.between(0, 30);
        let candidates = [id.to_string(), number.to_string(), format!("\"t{number}\"")];
        let taken = |token: &String| {
            let mut mine = self.requests.iter().filter(|request| request.issuer == issuer);
            mine.any(|request| request.token.as_ref() == Some(token) && !request.settled)
        };
        let free: Vec<String> = candidates.into_iter().filter(|token| !taken(token)).collect();
        match free.is_empty() {
            true => format!("\"t-{}\"", self.requests.len()),
            false => self.rng.pick(&free).clone(),
        }
    }

    /// What a side does when its time has come.
    pub fn act(&mut self, deed: Deed) {
        match deed {
            Deed::Ask(side) => self.ask(side),
            Deed::Chat(by) => {
                if let Some(text) = self.speech.chatter(by).filter(|_| self.ready[side(by)]) {
                    self.send(by, text, Meaning::Nothing);
                }
            }
            Deed::Initialized => self.initialized(),
            Deed::Again => self.greet_again(Kind::Again),
            Deed::Answer(request) => self.answer(request),
            Deed::AnswerArray(array) => self.answer_array(array),
            Deed::Progress(request) => self.report(request),
            Deed::Cancel(request) => self.cancel(request),
            Deed::Prompt(session) => self.prompt(session),
            Deed::Update(request) => self.update(request),
            Deed::Nested(request) => self.nested(request),
            Deed::EndTurn(request) => self.end_turn(request),
            Deed::CancelTurn(session) => self.cancel_turn(session),
            Deed::Feed(request) => self.feed(request),
            Deed::TakeDown(request) => self.take_down(request),
            Deed::Conclude(request) => self.conclude(request),
            Deed::Sabotage => self.sabotage(),
            Deed::Strike(step) => self.strike(step),
        }
    }

    /// The next request that a side wants to make.
    fn ask(&mut self, by: Side) {
        if self.wishes[side(by)] == 0 || !self.speech.may_ask(by) {
            return;
        }
        self.wishes[side(by)] -= 1;
        self.later(0, 400, Deed::Ask(by));
        if !self.ready[side(by)] {
            // A server has nobody to ask before its client has spoken.
            let met = by == Side::Client || self.requests.iter().any(|asked| asked.issuer != by && asked.arrived);
            if self.speech.tongue == Tongue::Mcp && met && self.rng.chance(30) {
                let id = self.fresh_id(by);
                self.request(by, id, Ask::new("ping", "", "{}").sure(), Kind::Plain);
            } else {
                self.wishes[side(by)] += 1;
            }
            return;
        }
        if self.speech.tongue == Tongue::McpNext && self.rng.chance(25) {
            return self.listen();
        }
        if self.speech.has_batches() && self.rng.chance(20) {
            return self.ask_in_array(by);
        }
        let id = self.fresh_id(by);
        let number = self.requests.len();
        let ask = self.speech.ask(&mut self.rng, by, number);
        let request = self.request(by, id, ask, Kind::Plain);
        self.consider_cancel(request);
    }

    fn ask_in_array(&mut self, by: Side) {
        let count = self.rng.between(1, 3);
        let (mut texts, mut meanings) = (Vec::new(), Vec::new());
        let array = self.sent.len();
        for _ in 0..count {
            let id = self.fresh_id(by);
            let number = self.requests.len();
            let ask = self.speech.ask(&mut self.rng, by, number);
            let (request, text) = self.compose(by, id, ask, Kind::Plain);
            self.requests[request].array = Some(array);
            texts.push(text);
            meanings.push(Meaning::Request(request));
            self.consider_cancel(request);
        }
        self.send(by, format!("[{}]", texts.join(",")), Meaning::Array(meanings));
    }

    pub fn consider_cancel(&mut self, request: usize) {
        if self.rng.chance(35) {
            self.later(0, 1200, Deed::Cancel(request));
        }
    }

    /// A side cancels its own request, as long as it knows of no answer.
    fn cancel(&mut self, request: usize) {
        let Sim { cancels, speech, .. } = self;
        let asked = &self.requests[request];
        let greets = matches!(asked.kind, Kind::Initialize | Kind::Refused | Kind::Again);
        let forbidden = greets || asked.kind == Kind::Shutdown || !*cancels;
        if asked.settled || asked.cancel_sent || forbidden {
            return;
        }
        let Some(text) = speech.cancel(&asked.id) else { return };
        let issuer = asked.issuer;
        self.requests[request].cancel_sent = true;
        self.send(issuer, text, Meaning::Cancel(request));
    }

    /// A message arrives.
    pub fn receive(&mut self, meaning: &Meaning) {
        match meaning {
            Meaning::Request(request) => self.take_request(*request),
            Meaning::Array(members) => {
                members.iter().for_each(|member| self.receive(member));
            }
            Meaning::Answer(request) => self.take_answer(*request),
            Meaning::Cancel(request) => self.take_cancel(*request),
            Meaning::TurnCancel(prompt) => self.take_turn_cancel(*prompt),
            // Over HTTP the client has waited until its POST was accepted.
            Meaning::Initialized => self.ready = [true; 2],
            // No answer: its id stays in use.
            Meaning::TakenDown(request) => self.requests[*request].cancel_sent = true,
            Meaning::About(_) | Meaning::Nothing => {}
        }
    }

    fn take_request(&mut self, request: usize) {
        self.requests[request].arrived = true;
        if self.requests[request].rigged {
            return self.take_rigged(request);
        }
        match self.requests[request].kind {
            Kind::Prompt(_) => return self.take_prompt(request),
            Kind::Permission(_) => return self.take_permission(request),
            Kind::Listen => return self.take_listen(request),
            _ => {}
        }
        let worst = *self.rng.pick(&[2, 20, 300, 2500]);
        if self.requests[request].token.is_some() {
            for _ in 0..self.rng.between(0, 4) {
                self.later(0, worst, Deed::Progress(request));
            }
        }
        match self.requests[request].array {
            Some(array) if self.rng.chance(60) => self.later(0, worst, Deed::AnswerArray(array)),
            _ => self.later(0, worst, Deed::Answer(request)),
        }
    }

    /// True if the receiver of a request still owes it an answer.
    pub fn owes(&self, request: usize) -> bool {
        let asked = &self.requests[request];
        !asked.answered && (!asked.cancel_came || self.speech.profile.answers_cancelled())
    }

    /// The answer that is right at this moment.
    fn right_answer(&mut self, request: usize) -> String {
        if let Kind::Permission(prompt) = self.requests[request].kind {
            return self.permission_answer(request, prompt);
        }
        let asked = &self.requests[request];
        let (id, fails) = (asked.id.clone(), asked.ask.fails);
        if asked.cancel_came && self.rng.chance(60) {
            return error(&id, -32800);
        }
        if self.requests[request].ask.result.is_empty() {
            return error(&id, -32002);
        }
        if fails && self.rng.chance(12) {
            let code = *self.rng.pick(&[-32602, -32603, 1]);
            if !self.requests[request].cancel_came {
                return error(&id, code);
            }
        }
        result(&id, &self.requests[request].ask.result)
    }

    fn answer(&mut self, request: usize) {
        if !self.owes(request) {
            return;
        }
        let begun = self.requests[request].progress > 0;
        if begun && self.speech.tongue == Tongue::Lsp && self.rng.chance(70) {
            self.report_kind(request, "end");
        }
        let text = self.right_answer(request);
        self.reply(request, text);
        let greets = matches!(self.requests[request].kind, Kind::Initialize | Kind::Again);
        if greets && self.speech.tongue != Tongue::Mcp {
            self.ready[side(Side::Server)] = true;
        }
    }

    /// All that is owed to the requests of one array, in one array.
    fn answer_array(&mut self, array: usize) {
        let members = (0..self.requests.len()).filter(|at| self.requests[*at].array == Some(array));
        let owed: Vec<usize> = members.filter(|at| self.owes(*at)).collect();
        let Some(first) = owed.first() else { return };
        let from = self.requests[*first].issuer.peer();
        let texts: Vec<String> = owed.iter().map(|request| self.right_answer(*request)).collect();
        owed.iter().for_each(|request| self.requests[*request].answered = true);
        let meanings = owed.into_iter().map(Meaning::Answer).collect();
        self.send(from, format!("[{}]", texts.join(",")), Meaning::Array(meanings));
    }

    /// Progress, while an answer is owed.
    fn report(&mut self, request: usize) {
        if self.owes(request) {
            let kind = if self.requests[request].progress == 0 { "begin" } else { "report" };
            self.report_kind(request, kind);
        }
    }

    pub fn report_kind(&mut self, request: usize, kind: &str) -> usize {
        let step = *self.rng.pick(&[0.5, 1.0, 7.0]);
        let asked = &mut self.requests[request];
        asked.progress += 1;
        asked.value += step;
        let token = asked.token.clone().unwrap_or_default();
        let (from, value) = (asked.issuer.peer(), asked.value);
        self.send(from, self.speech.progress(&token, value, kind), Meaning::About(request))
    }

    /// A cancel arrives: from here on the receiver obeys its profile.
    fn take_cancel(&mut self, request: usize) {
        // It has overtaken its request, which is answered as if it had not been sent.
        if !self.requests[request].arrived {
            return;
        }
        if self.requests[request].rigged {
            return self.take_rigged_cancel(request);
        }
        self.requests[request].cancel_came = true;
        if matches!(self.requests[request].kind, Kind::Prompt(_)) {
            return self.later(0, 200, Deed::EndTurn(request));
        }
        if self.rng.chance(60) {
            self.later(0, 60, Deed::Answer(request));
        }
    }

    fn take_answer(&mut self, request: usize) {
        self.requests[request].settled = true;
        if self.requests[request].rigged {
            return self.take_rigged_answer(request);
        }
        match (self.requests[request].kind, self.speech.tongue) {
            (Kind::Refused, _) => self.greet_again(Kind::Initialize),
            // One answer is enough to go on.
            (Kind::Initialize | Kind::Again, _) if std::mem::replace(&mut self.greeted, true) => {}
            (Kind::Initialize | Kind::Again, Tongue::Acp) => {
                self.ready[side(Side::Client)] = true;
                self.open_sessions();
            }
            (Kind::Initialize | Kind::Again, _) => self.later(0, 50, Deed::Initialized),
            (Kind::NewSession(session), _) => self.later(0, 300, Deed::Prompt(session)),
            (Kind::Prompt(session), _) => self.turn_is_over(session),
            _ => {}
        }
    }
}
