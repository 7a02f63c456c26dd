//! The simulation: two sides, the wire between them, and a queue of what happens next.
//!
//! A message is logged at three taps as it goes: where it is sent, at the proxy, where it arrives. Each log is in the
//! order in which things happened there, so each of them is a capture of the same conforming run.

use std::collections::{BTreeMap, HashMap};

use rpctape::capture::{Channel, Proof, Transport, Vantage};
use rpctape::protocol::{Profile, Side};

use super::fault::Sabotage;
use super::rng::Rng;
use super::speech::{Ask, Speech, Tongue, result};
use super::wire::{Delays, Wire, side};
use crate::support::trace::{Step, Trace, What};

/// What a message means to the one who gets it.
#[derive(Clone, Debug)]
pub enum Meaning {
    Request(usize),
    Array(Vec<Meaning>),
    Answer(usize),
    Cancel(usize),
    /// ACP: the end of the turn that is running, by its prompt.
    TurnCancel(usize),
    Initialized,
    /// MCP 2026-07-28: the server has taken a subscription down.
    TakenDown(usize),
    /// Something about a request that nobody acts on.
    About(usize),
    /// Nothing that anybody acts on.
    Nothing,
}

/// What a side does by its own clock.
#[derive(Clone, Copy, Debug)]
pub enum Deed {
    Ask(Side),
    Chat(Side),
    Initialized,
    /// The client asks for the handshake once more, if it has no answer yet.
    Again,
    Answer(usize),
    AnswerArray(usize),
    Progress(usize),
    Cancel(usize),
    Prompt(usize),
    Update(usize),
    Nested(usize),
    EndTurn(usize),
    CancelTurn(usize),
    /// Something for a subscription.
    Feed(usize),
    /// The server takes a subscription down.
    TakeDown(usize),
    /// The answer to a subscription that was taken down.
    Conclude(usize),
    Sabotage,
    /// The next step of a fault.
    Strike(usize),
}

/// What a request is beyond an ordinary one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Plain,
    Initialize,
    /// A handshake that the server refuses: the client asks again.
    Refused,
    /// A second handshake, by a client that did not want to wait for the answer to the first.
    Again,
    NewSession(usize),
    Prompt(usize),
    /// An agent's request within a turn, by the prompt.
    Nested(usize),
    Permission(usize),
    Listen,
    Shutdown,
}

/// A request, as both sides know it.
pub struct Request {
    pub issuer: Side,
    pub id: String,
    pub ask: Ask,
    pub kind: Kind,
    pub token: Option<String>,
    /// Index of the message.
    pub message: usize,
    /// The array it came in.
    pub array: Option<usize>,
    // At the receiver.
    pub arrived: bool,
    pub cancel_came: bool,
    pub turn_cancel_came: bool,
    pub answered: bool,
    pub progress: u32,
    pub value: f64,
    // At the issuer.
    pub settled: bool,
    pub cancel_sent: bool,
    pub turn_cancel_sent: bool,
    /// This request is part of a fault; the ordinary behaviour leaves it alone.
    pub rigged: bool,
}

/// One message that was sent.
pub struct Sent {
    pub from: Side,
    pub text: String,
    pub meaning: Meaning,
}

enum Event {
    Pass(usize),
    Arrive(usize),
    Do(Deed),
}

/// One run.
pub struct Sim {
    pub rng: Rng,
    pub speech: Speech,
    pub now: i64,
    wire: Wire,
    queue: BTreeMap<(i64, u64), Event>,
    order: u64,
    pub sent: Vec<Sent>,
    /// Time and message, at the client, at the proxy, at the server.
    pub taps: [Vec<(i64, usize)>; 3],
    pub closed: Option<(i64, Option<Side>)>,
    pub requests: Vec<Request>,
    /// Newest request of each id.
    pub ids: HashMap<(usize, String), usize>,
    pub counter: [i64; 2],
    pub ready: [bool; 2],
    /// The client has taken an answer to a handshake.
    pub greeted: bool,
    /// How many requests each side still wants to make.
    pub wishes: [usize; 2],
    /// ACP sessions: the prompt that runs in each.
    pub turns: Vec<Option<usize>>,
    /// Whether both sides declared that they support cancels (ACP RFD).
    pub cancels: bool,
    /// Each message of the client is a POST of its own, which carries what is about its request.
    pub http: bool,
    pub sabotage: Option<Sabotage>,
}

impl Sim {
    pub fn new(seed: u64, profile: &'static Profile, delays: Delays, size: usize) -> Sim {
        let mut rng = Rng::new(seed);
        let wire = Wire::new(&mut rng, delays);
        let cancels = !profile.cancel_needs_capability || rng.chance(80);
        let start = [rng.between(0, 2), rng.between(0, 2)];
        Sim {
            rng,
            speech: Speech::new(profile),
            now: 1_000_000,
            wire,
            queue: BTreeMap::new(),
            order: 0,
            sent: Vec::new(),
            taps: Default::default(),
            closed: None,
            requests: Vec::new(),
            ids: HashMap::new(),
            counter: start,
            ready: [false; 2],
            greeted: false,
            wishes: [size, size / 2],
            turns: Vec::new(),
            cancels,
            http: false,
            sabotage: None,
        }
    }

    /// Runs from the handshake to the orderly end.
    pub fn run(mut self) -> Sim {
        self.begin();
        self.drain();
        self.farewell();
        self
    }

    pub fn drain(&mut self) {
        while let Some(((at, _), event)) = self.queue.pop_first() {
            self.now = at;
            match event {
                Event::Pass(message) => self.taps[1].push((at, message)),
                Event::Arrive(message) => {
                    let to = self.sent[message].from.peer();
                    self.taps[side(to) * 2].push((at, message));
                    let meaning = self.sent[message].meaning.clone();
                    self.receive(&meaning);
                }
                Event::Do(deed) => self.act(deed),
            }
            assert!(self.sent.len() < 20_000, "the model does not come to an end");
        }
    }

    fn schedule(&mut self, at: i64, event: Event) {
        self.order += 1;
        self.queue.insert((at, self.order), event);
    }

    /// Something that a side will do after a random time, in milliseconds.
    pub fn later(&mut self, low_ms: i64, high_ms: i64, deed: Deed) {
        let at = self.now + self.rng.between(low_ms * 1000, high_ms * 1000);
        self.schedule(at, Event::Do(deed));
    }

    /// Puts a message on the wire.
    pub fn send(&mut self, from: Side, text: String, meaning: Meaning) -> usize {
        let message = self.sent.len();
        self.sent.push(Sent { from, text, meaning });
        self.taps[side(from) * 2].push((self.now, message));
        let lane = if self.http { self.stream(message) } else { 0 };
        let (pass, arrive) = self.wire.carry(&mut self.rng, from, lane, self.now);
        self.schedule(pass, Event::Pass(message));
        self.schedule(arrive, Event::Arrive(message));
        message
    }

    /// Makes a request known, and gives its text. It is sent by whoever called.
    pub fn compose(&mut self, issuer: Side, id: String, ask: Ask, kind: Kind) -> (usize, String) {
        let token = if ask.progress && self.rng.chance(60) { Some(self.fresh_token(issuer, &id)) } else { None };
        let text = self.speech.request(&id, &ask, token.as_deref());
        let request = self.requests.len();
        self.ids.insert((side(issuer), id.clone()), request);
        self.requests.push(Request {
            issuer,
            id,
            ask,
            kind,
            token,
            message: self.sent.len(),
            array: None,
            arrived: false,
            cancel_came: false,
            turn_cancel_came: false,
            answered: false,
            progress: 0,
            value: 0.0,
            settled: false,
            cancel_sent: false,
            turn_cancel_sent: false,
            rigged: false,
        });
        (request, text)
    }

    /// Makes a request and sends it.
    pub fn request(&mut self, issuer: Side, id: String, ask: Ask, kind: Kind) -> usize {
        let (request, text) = self.compose(issuer, id, ask, kind);
        self.send(issuer, text, Meaning::Request(request));
        request
    }

    /// Sends an answer.
    pub fn reply(&mut self, request: usize, text: String) -> usize {
        self.requests[request].answered = true;
        let from = self.requests[request].issuer.peer();
        self.send(from, text, Meaning::Answer(request))
    }

    /// Sends the result that a request gets in the ordinary course.
    pub fn reply_result(&mut self, request: usize) -> usize {
        let text = result(&self.requests[request].id, &self.requests[request].ask.result);
        self.reply(request, text)
    }

    /// The HTTP stream that carries a message: a POST of the client, or what a GET opened.
    pub fn stream(&self, message: usize) -> u32 {
        let sent = &self.sent[message];
        let of = |meaning: &Meaning| match (sent.from, meaning) {
            (Side::Client, _) => Some(message),
            (_, Meaning::Answer(request) | Meaning::About(request)) => {
                let asked = &self.requests[*request];
                (asked.issuer == Side::Client).then_some(asked.array.unwrap_or(asked.message))
            }
            _ => None,
        };
        let post = match &sent.meaning {
            Meaning::Array(members) => members.first().and_then(of),
            single => of(single),
        };
        post.map_or(0, |post| post as u32 + 1)
    }

    /// The run as one tap saw it.
    pub fn trace(&self, vantage: Vantage) -> Trace {
        let mut steps: Vec<Step> = self.tap(vantage).iter().map(|(at, message)| self.step(*at, *message)).collect();
        if let Some((at, by)) = self.closed {
            steps.push(Step { at_ms: at / 1000, side: by, stream: None, hop: 1, what: What::Close });
        }
        let channel = Channel {
            profile: Some(self.speech.profile),
            vantage,
            transport: if self.http { Transport::Http } else { Transport::Ordered },
            proof: if self.http { Proof::FULL.and(Proof::STREAMS) } else { Proof::FULL },
            complete_head: Some(true),
            one_connection: true,
            resolution_us: 1000,
            ..Channel::default()
        };
        Trace { channel, steps, timed: true, logger: None }
    }

    fn step(&self, at: i64, message: usize) -> Step {
        let sent = &self.sent[message];
        let step = |stream, what| Step { at_ms: at / 1000, side: Some(sent.from), stream, hop: 1, what };
        match sent.meaning {
            // From MCP 2026-07-28 on the stream is closed instead.
            Meaning::Cancel(request) if self.closes_streams() => {
                step(Some(self.stream(self.requests[request].message)), What::Close)
            }
            _ => step(self.http.then(|| self.stream(message)), What::Json(sent.text.clone())),
        }
    }

    /// True where a request is cancelled by closing its stream.
    pub fn closes_streams(&self) -> bool {
        self.http && self.speech.tongue == Tongue::McpNext
    }

    /// Time and message at the tap of a vantage.
    pub fn tap(&self, vantage: Vantage) -> &[(i64, usize)] {
        match vantage.side() {
            Some(at) => &self.taps[side(at) * 2],
            None => &self.taps[1],
        }
    }
}
