//! Prompt turns of ACP, and what `session/cancel` does to them.

use rpctape::protocol::Side;

use super::sim::{Deed, Kind, Meaning, Sim};
use super::speech::{Ask, acp_agent, error, notification, result};

impl Sim {
    fn answers_at_once(&self) -> bool {
        self.speech.profile.revision == "2"
    }

    pub fn open_sessions(&mut self) {
        for session in 0..self.rng.between(1, 2) as usize {
            self.turns.push(None);
            let id = self.fresh_id(Side::Client);
            let ask = Ask::new("session/new", r#""cwd":"/""#, &format!(r#"{{"sessionId":"S{session}"}}"#)).sure();
            self.request(Side::Client, id, ask, Kind::NewSession(session));
        }
    }

    pub fn prompt(&mut self, session: usize) {
        if self.wishes[1] == 0 || self.turns[session].is_some() {
            return;
        }
        self.wishes[1] -= 1;
        let id = self.fresh_id(Side::Client);
        let params = format!(r#""sessionId":"S{session}","prompt":[{{"type":"text","text":"x"}}]"#);
        let stop = if self.answers_at_once() { "{}" } else { r#"{"stopReason":"end_turn"}"# };
        let request =
            self.request(Side::Client, id, Ask::new("session/prompt", &params, stop).sure(), Kind::Prompt(session));
        self.turns[session] = Some(request);
        if self.rng.chance(60) {
            self.later(0, 2500, Deed::CancelTurn(session));
        }
        if self.rng.chance(20) {
            self.later(0, 2500, Deed::Cancel(request));
        }
    }

    /// The client ends the turn, as long as it knows of no end. All that it was asked meanwhile it answers accordingly.
    pub fn cancel_turn(&mut self, session: usize) {
        let Some(request) = self.turns[session] else { return };
        if self.requests[request].turn_cancel_sent {
            return;
        }
        self.requests[request].turn_cancel_sent = true;
        let text = notification("session/cancel", &format!(r#""sessionId":"S{session}""#));
        self.send(Side::Client, text, Meaning::TurnCancel(request));
        for at in 0..self.requests.len() {
            let asked = &mut self.requests[at];
            let here = asked.ask.params.contains(&format!("\"S{session}\""));
            if here && matches!(asked.kind, Kind::Permission(_)) && asked.arrived && !asked.answered {
                asked.turn_cancel_sent = true;
                self.later(0, 30, Deed::Answer(at));
            }
        }
    }

    pub fn take_prompt(&mut self, request: usize) {
        if self.answers_at_once() {
            self.later(0, 50, Deed::Answer(request));
        }
        for _ in 0..self.rng.between(0, 4) {
            self.later(0, 2000, Deed::Update(request));
        }
        for _ in 0..self.rng.between(0, 3) {
            self.later(0, 2000, Deed::Nested(request));
        }
        self.later(0, 3000, Deed::EndTurn(request));
    }

    /// True while the agent works on a turn.
    fn runs(&self, request: usize) -> bool {
        let asked = &self.requests[request];
        if self.answers_at_once() { asked.value == 0.0 } else { !asked.answered }
    }

    pub fn say_update(&mut self, request: usize, kind: &str, more: &str) -> usize {
        let Kind::Prompt(session) = self.requests[request].kind else { return 0 };
        let params = format!(r#""sessionId":"S{session}","update":{{"sessionUpdate":"{kind}"{more}}}"#);
        self.send(Side::Server, notification("session/update", &params), Meaning::Nothing)
    }

    /// Updates may come until the answer, cancelled or not.
    pub fn update(&mut self, request: usize) {
        if self.runs(request) {
            let kind = *self.rng.pick(&["agent_message_chunk", "tool_call", "plan", "available_commands_update"]);
            self.say_update(request, kind, "");
        }
    }

    /// Something that the agent needs from the client for its work; once cancelled it needs nothing more.
    pub fn nested(&mut self, request: usize) {
        let asked = &self.requests[request];
        if !self.runs(request) || asked.cancel_came || asked.turn_cancel_came {
            return;
        }
        let Kind::Prompt(session) = asked.kind else { return };
        let (ask, kind) = match self.rng.chance(50) {
            true => (permission(session), Kind::Permission(request)),
            false => {
                let list = acp_agent(&format!("S{session}"), self.requests.len());
                (self.rng.pick(&list).clone(), Kind::Nested(request))
            }
        };
        let id = self.fresh_id(Side::Server);
        let nested = self.request(Side::Server, id, ask, kind);
        self.consider_cancel(nested);
    }

    pub fn take_permission(&mut self, request: usize) {
        let Kind::Permission(prompt) = self.requests[request].kind else { return };
        let soon = self.requests[prompt].turn_cancel_sent;
        self.later(0, if soon { 30 } else { 2000 }, Deed::Answer(request));
    }

    /// What the user said, or `cancelled` once the turn is.
    pub fn permission_answer(&mut self, request: usize, prompt: usize) -> String {
        let id = self.requests[request].id.clone();
        if self.requests[prompt].turn_cancel_sent || self.requests[request].turn_cancel_sent {
            return result(&id, r#"{"outcome":{"outcome":"cancelled"}}"#);
        }
        match self.requests[request].cancel_came && self.rng.chance(70) {
            true => error(&id, -32800),
            false => result(&id, &self.requests[request].ask.result),
        }
    }

    pub fn take_turn_cancel(&mut self, request: usize) {
        if self.requests[request].rigged {
            return self.take_rigged_cancel(request);
        }
        self.requests[request].turn_cancel_came = true;
        self.later(0, 200, Deed::EndTurn(request));
    }

    pub fn end_turn(&mut self, request: usize) {
        if !self.runs(request) {
            return;
        }
        let asked = &self.requests[request];
        let (cancelled, stopped, id) = (asked.cancel_came, asked.turn_cancel_came, asked.id.clone());
        if !cancelled && !stopped && self.open_nested(request) {
            return self.later(10, 100, Deed::EndTurn(request));
        }
        let reason = if stopped { "cancelled" } else { "end_turn" };
        if self.answers_at_once() {
            if !self.requests[request].answered {
                self.reply_result(request);
            }
            self.requests[request].value = 1.0;
            self.say_update(request, "state_update", &format!(r#","state":"idle","stopReason":"{reason}""#));
            return self.turn_ended_at_agent(request);
        }
        let text = match cancelled && !stopped && self.rng.chance(70) {
            true => error(&id, -32800),
            false => result(&id, &format!(r#"{{"stopReason":"{reason}"}}"#)),
        };
        self.reply(request, text);
    }

    /// True while the agent waits for something that it asked for in this turn.
    fn open_nested(&self, prompt: usize) -> bool {
        self.requests.iter().any(|request| {
            matches!(request.kind, Kind::Permission(of) | Kind::Nested(of) if of == prompt) && !request.settled
        })
    }

    /// In version 2 the update ends the turn; the client goes on when it has come, which the answer never proves.
    fn turn_ended_at_agent(&mut self, request: usize) {
        let Kind::Prompt(session) = self.requests[request].kind else { return };
        self.later(1000, 1500, Deed::Prompt(session));
        self.turns[session] = None;
    }

    /// The client knows that the turn is over, and asks again some time.
    pub fn turn_is_over(&mut self, session: usize) {
        if !self.answers_at_once() {
            self.turns[session] = None;
            self.later(0, 800, Deed::Prompt(session));
        }
    }
}

pub fn permission(session: usize) -> Ask {
    let params = format!(r#""sessionId":"S{session}","toolCall":{{}},"options":[]"#);
    let outcome = r#"{"outcome":{"outcome":"selected","optionId":"yes"}}"#;
    Ask::new("session/request_permission", &params, outcome).sure()
}
