//! Faults: each is committed once, by one side, in the middle of a run that conforms otherwise.

use rpctape::protocol::{Profile, Side};

use super::sim::{Deed, Kind, Meaning, Sim};
use super::speech::{Ask, notification, result};

/// What the certainty of a finding depends on.
#[derive(Clone, Copy, Debug)]
pub enum Claim {
    /// The order at any tap proves it.
    Exact,
    /// Whether the decider had received the first message when it sent the second.
    Crossing { decider: Side, first: usize, second: usize },
    /// How the log ends, for a request of this issuer.
    Unanswered { request: usize },
}

/// A fault to commit, and what came of it.
pub struct Sabotage {
    pub code: &'static str,
    /// The request that it is about.
    pub request: usize,
    /// The message that a late one comes after.
    pub first: usize,
    /// The offending message; none for the end of the log.
    pub culprit: Option<usize>,
    pub claim: Claim,
    pub done: bool,
}

impl Sabotage {
    pub fn new(code: &'static str) -> Sabotage {
        Sabotage { code, request: 0, first: 0, culprit: None, claim: Claim::Exact, done: false }
    }
}

/// Faults that the model can commit under a profile.
pub fn faults(profile: &Profile) -> Vec<&'static str> {
    const ALL: [&str; 31] = [
        "CAN001", "CAN002", "CAN003", "CAN004", "CAN005", "CAN006", "CAN007", "CAN008", "CAN010", "CAN011", "CAN012",
        "CAN013", "CAN016", "CAN030", "RPC008", "RPC009", "RPC010", "RPC011", "RPC012", "STK001", "PRG001", "PRG002",
        "PRG003", "PRG004", "PRG005", "SES001", "SES002", "SES003", "SES005", "LIF001", "LIF002",
    ];
    ALL.into_iter().filter(|code| profile.ruling(code).is_some()).collect()
}

/// Which moment of a fault it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// The request has arrived.
    Came,
    /// Its cancel has arrived.
    CancelCame,
    /// Its answer has arrived.
    Answered,
    /// A step of its own.
    Step(usize),
}

pub const ID: &str = "777001";
pub const TWIN: &str = "\"777001\"";
pub const TOKEN: &str = "\"fault\"";

impl Sim {
    pub fn code(&self) -> &'static str {
        self.sabotage.as_ref().map_or("", |sabotage| sabotage.code)
    }

    /// An ordinary request that may be answered in any way.
    pub fn any_ask(&mut self, issuer: Side) -> Ask {
        loop {
            let ask = self.speech.ask(&mut self.rng, issuer, 999);
            if ask.fails {
                return ask;
            }
        }
    }

    pub fn rigged(&self) -> usize {
        self.sabotage.as_ref().map_or(0, |sabotage| sabotage.request)
    }

    /// Soon, or much later.
    pub fn strike_later(&mut self, step: usize) {
        let most = *self.rng.pick(&[0, 5, 30, 300, 4000]);
        self.later(0, most, Deed::Strike(step));
    }

    pub fn strike_soon(&mut self, step: usize) {
        self.later(0, 20, Deed::Strike(step));
    }

    /// The fault is committed by this message.
    pub fn guilty(&mut self, message: usize) {
        if let Some(sabotage) = &mut self.sabotage {
            sabotage.culprit = Some(message);
            sabotage.done = true;
        }
    }

    /// The fault is committed by this message, if its sender had received the first one.
    pub fn guilty_if_late(&mut self, message: usize) {
        self.guilty(message);
        let decider = self.sent[message].from;
        if let Some(sabotage) = &mut self.sabotage {
            sabotage.claim = Claim::Crossing { decider, first: sabotage.first, second: message };
        }
    }

    /// A request that nobody but the fault looks after.
    pub fn rig(&mut self, issuer: Side, id: &str, mut ask: Ask, kind: Kind, token: Option<&str>) -> usize {
        ask.progress = false;
        let text = self.speech.request(id, &ask, token);
        let (request, _) = self.compose(issuer, id.to_string(), ask, kind);
        self.requests[request].rigged = true;
        self.requests[request].token = token.map(str::to_string);
        self.send(issuer, text, Meaning::Request(request));
        request
    }

    /// Begins the fault once both sides are at work.
    pub fn sabotage(&mut self) {
        let code = self.code();
        if code.is_empty() || matches!(code, "CAN003" | "LIF001" | "LIF002") {
            return;
        }
        if self.ready != [true; 2] {
            return self.later(10, 200, Deed::Sabotage);
        }
        let acp = self.speech.profile.turns;
        let issuer = match self.speech.may_ask(Side::Server) || acp && self.rng.chance(50) {
            true if code != "CAN002" && !code.starts_with("SES") => *self.rng.pick(&Side::BOTH),
            _ => Side::Client,
        };
        match code {
            "CAN004" => return self.say_guilty(issuer, self.speech.cancel(ID)),
            "CAN007" => return self.malformed_cancel(issuer),
            "RPC009" => return self.say_guilty(issuer.peer(), Some(result(ID, r#"{"resultType":"complete"}"#))),
            "PRG003" => return self.say_guilty(issuer.peer(), Some(self.speech.progress(TOKEN, 1.0, "begin"))),
            _ => {}
        }
        let (ask, kind) = match code.starts_with("SES") {
            true => (
                Ask::new("session/prompt", r#""sessionId":"S9","prompt":[{"type":"text","text":"x"}]"#, "{}"),
                Kind::Prompt(9),
            ),
            false => (self.any_ask(issuer), Kind::Plain),
        };
        let token = code.starts_with("PRG").then_some(TOKEN);
        let request = self.rig(issuer, ID, ask, kind, token);
        let Some(sabotage) = &mut self.sabotage else { return };
        sabotage.request = request;
        match code {
            "STK001" => self.unanswered(request),
            "CAN005" | "CAN013" | "CAN001" | "CAN002" | "RPC008" | "RPC011" | "RPC012" | "PRG001" | "PRG004"
            | "SES003" => {}
            _ => self.strike_soon(1),
        }
    }

    pub fn unanswered(&mut self, request: usize) {
        if let Some(sabotage) = &mut self.sabotage {
            sabotage.claim = Claim::Unanswered { request };
            sabotage.done = true;
        }
    }

    pub fn say_guilty(&mut self, by: Side, text: Option<String>) {
        let message = self.send(by, text.unwrap_or_default(), Meaning::Nothing);
        self.guilty(message);
    }

    fn malformed_cancel(&mut self, by: Side) {
        let Some((method, member)) = self.speech.profile.cancel else { return };
        let bad = ["null", "true", "1.5", "{}", "[1]"].map(|value| format!(r#""{member}":{value}"#));
        let params = if self.rng.chance(30) { r#""reason":"x""#.to_string() } else { self.rng.pick(&bad).clone() };
        self.say_guilty(by, Some(notification(method, &params)));
    }

    pub fn take_rigged(&mut self, request: usize) {
        if request == self.rigged() {
            self.moment(Moment::Came);
        } else if self.requests[request].kind == Kind::Permission(self.rigged()) {
            self.moment(Moment::Step(2));
        } else {
            self.later(3000, 3500, Deed::Answer(request));
        }
    }

    pub fn take_rigged_cancel(&mut self, request: usize) {
        self.requests[request].cancel_came = true;
        if request == self.rigged() {
            self.moment(Moment::CancelCame);
        }
    }

    pub fn take_rigged_answer(&mut self, request: usize) {
        if request == self.rigged() || matches!(self.requests[request].kind, Kind::Permission(_)) {
            self.moment(Moment::Answered);
        }
    }

    pub fn strike(&mut self, step: usize) {
        self.moment(Moment::Step(step));
    }

    /// Faults of the handshake: `initialize` was sent, or is about to be.
    pub fn sabotage_handshake(&mut self, initialize: Option<usize>) {
        match (self.code(), initialize) {
            ("CAN003", Some(request)) => {
                if let Some(sabotage) = &mut self.sabotage {
                    sabotage.request = request;
                }
                // In LSP the ban ends with the answer.
                self.later(0, if self.speech.profile.name == "lsp" { 0 } else { 20 }, Deed::Strike(1));
            }
            ("LIF001", None) | ("LIF002", Some(_)) => {
                let method = match self.speech.profile.name {
                    "acp" => "session/new",
                    "lsp" => "workspace/symbol",
                    _ => "tools/list",
                };
                let request = self.rig(Side::Client, ID, Ask::new(method, "", "{}"), Kind::Plain, None);
                self.guilty(self.requests[request].message);
                // It is refused in the ordinary way.
                self.requests[request].rigged = false;
                self.requests[request].ask.result.clear();
            }
            _ => {}
        }
    }
}
