//! What the fold remembers of one connection.

use std::collections::VecDeque;
use std::hash::Hasher;
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::connection::{Connection, Directions, End, Lifecycle};
use super::document::Documents;
use super::event::{Event, FrameId, Seen, What};
use super::exchange::{Cancellation, Exchange};
use super::fold::{Opened, Settings, Sink};
use super::http::Http;
use super::ledger::{Ledger, Shelf, Stretches};
use super::progress::LateProgress;
use super::questions::Question;
use super::race::{Crossing, Judgement, Leg, Tap, Witness};
use super::resolve::Pending;
use super::stream::Opener;
use super::suspect::Suspect;
use super::task::{StrangeTasks, Tasks};
use super::turn::{HalfClosed, Turn};
use super::window::Settled;
use crate::capture::{Stamp, Transport};
use crate::jsonrpc::{Id, Message};
use crate::protocol::{Capabilities, Facts, Method, Profile, Role, Side, Wanted, role};

/// Method names that are remembered for a connection; a log with more pays a look-up for each of the rest.
const METHODS: usize = 1024;

/// How many lines of stderr are remembered.
const LAST_LINES: usize = 3;

/// The longest text of a log that is kept, in bytes: the reason of a cancel, a line of stderr.
const KEPT: usize = 256;

/// What every step of the fold needs beside the connection.
pub(super) struct Step<'s> {
    pub(super) settings: &'s Settings,
    pub(super) sink: &'s mut dyn Sink,
    pub(super) settled: &'s mut Settled,
    /// What whole sources miss.
    pub(super) shelf: &'s Shelf,
}

/// A message on its way through the fold.
#[derive(Clone, Copy)]
pub(super) struct Incoming<'a> {
    pub(super) seen: Seen,
    pub(super) line: u64,
    pub(super) sender: Side,
    pub(super) stream: Option<u32>,
    pub(super) batch: Option<FrameId>,
    pub(super) message: &'a Message<'a>,
    pub(super) facts: &'a Facts<'a>,
    pub(super) profile: &'static Profile,
}

/// An exchange with what only the fold needs to know of it.
pub(super) struct Slot {
    pub(super) exchange: Exchange,
    pub(super) role: Role,
    /// Superseded instances of this id that were not answered yet.
    pub(super) absorb: Absorb,
    /// How the request spelled its id, where that is not the canonical way.
    pub(super) spelling: Option<Box<str>>,
    /// Answers that the other side had sent when the request passed.
    pub(super) answers_before: u64,
    /// The cancel was itself against the rules: nothing that follows is held against the receiver.
    pub(super) cancel_void: bool,
    /// `session/cancel` of the turn that this (permission) request belongs to.
    pub(super) turn_cancel: Option<Seen>,
    /// The turn or task it names, where it names one.
    pub(super) topic: Option<Rc<str>>,
    /// The request states its revision and the client's capabilities.
    pub(super) has_meta: bool,
    /// The exchange that it serves, as it is known here.
    pub(super) parent: Option<Handle>,
    /// Progress that came after the cancel.
    pub(super) late_progress: Vec<LateProgress>,
    /// Its token for partial results, which is not its progress token.
    pub(super) partial_token: Option<Id>,
    /// The last progress value.
    pub(super) progress_value: Option<f64>,
    /// It was answered by a question for input.
    pub(super) asks_input: bool,
    /// A subscription that was acknowledged, or of which it was said that it was not.
    pub(super) acknowledged: bool,
    /// Partial results were reported.
    pub(super) partial: bool,
    /// The work that was begun with its token, and whether it was ended.
    pub(super) work: Option<(Seen, bool)>,
    /// What a subscription asks for.
    pub(super) wanted: Wanted,
    /// What the request itself states of its issuer's capabilities.
    pub(super) stated: Option<Capabilities>,
    /// Key among the calls in flight (rule CAN025).
    pub(super) call: Option<u64>,
}

impl Slot {
    /// True if the request gave this token for progress or partial results.
    pub(super) fn gave(&self, token: &Id) -> bool {
        self.exchange.progress_token.as_ref() == Some(token) || self.partial_token.as_ref() == Some(token)
    }
}

/// A request as others know it: its id may have been used again since.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Handle {
    pub(super) issuer: Side,
    pub(super) id: Id,
    pub(super) request: FrameId,
}

/// Superseded instances of an id: each absorbs one response.
#[derive(Clone, Copy, Default)]
pub(super) struct Absorb {
    pub(super) answers: u32,
    /// How many of them were cancelled.
    pub(super) cancelled: u32,
}

/// Whether a request is one that its sender has sent before.
pub(super) enum Again {
    /// It is not.
    New,
    /// On a stream that goes on with another one.
    Replayed,
    /// On another stream; how sure it is that this is no resumption.
    Sent(Judgement),
}

/// A response without an id, and the notification that may have caused it.
pub(super) struct Idless {
    pub(super) seen: Seen,
    pub(super) sender: Side,
    pub(super) profile: &'static Profile,
    pub(super) error_code: Option<i64>,
    pub(super) notification: Seen,
}

/// A client's answer over HTTP whose request is not in the log so far: messages of two streams have no order.
pub(super) struct EarlyAnswer {
    pub(super) seen: Seen,
    pub(super) line: u64,
    pub(super) sender: Side,
    pub(super) profile: &'static Profile,
    pub(super) id: Id,
    pub(super) error_code: Option<i64>,
    pub(super) is_error: bool,
    pub(super) judgement: Judgement,
}

/// Requests issued by one side.
#[derive(Default)]
pub(super) struct Issued {
    /// Newest instance of each id: in flight, or settled and still remembered.
    pub(super) live: FxHashMap<Id, Box<Slot>>,
    /// Progress tokens to ids, where the two differ.
    pub(super) tokens: FxHashMap<Id, Id>,
    /// Calls in flight by method and parameters.
    pub(super) calls: FxHashMap<u64, Seen>,
    /// Cancels that found no request; one that follows soon is a hint.
    pub(super) early_cancels: Vec<Suspect>,
    /// True once something was dropped behind the window.
    pub(super) evicted: bool,
    /// The last notification.
    pub(super) notified: Option<Seen>,
    /// True once something came whose answer would have no id: a request without a usable one, or bytes that are no message.
    pub(super) nameless: bool,
    /// True once an id was used again before its request was answered.
    pub(super) superseded: bool,
    /// The highest id so far, where ids count up: a higher one cannot have been used before.
    pub(super) highest: Option<(u64, i64)>,
    /// True once an id came that may have been used before by a request that was dropped.
    pub(super) unsure: bool,
    /// Later requests whose reuse of an id was reported in the pass.
    pub(super) reused: Vec<FrameId>,
    /// Answers that this side has sent.
    pub(super) answers: u64,
    /// Messages of this side without `jsonrpc`.
    pub(super) versions_missing: u32,
    /// Newest request of the *other* side that this side has answered: proof of what it had received.
    pub(super) acknowledged: Option<Witness>,
    /// True once this side has acknowledged a cancel.
    pub(super) supports_cancel: bool,
    /// Requests sent towards this side since its last answer.
    pub(super) waiting: Option<(Seen, u32)>,
}

/// The clock of the log, as far as it was seen.
#[derive(Clone, Copy, Default)]
pub(super) struct Clock {
    pub(super) last_us: Option<i64>,
    pub(super) steps_back: u64,
    pub(super) worst_us: i64,
    pub(super) worst_at: Option<Seen>,
}

/// One connection.
pub(super) struct Conn {
    pub(super) facts: Connection,
    /// The profile was declared: nothing in the log changes it.
    pub(super) profile_fixed: bool,
    pub(super) profile_known: bool,
    /// True while a message may still tell that it is another protocol.
    pub(super) profile_guessed: bool,
    /// The format itself separates connections: frames may follow a close.
    pub(super) outlives_close: bool,
    pub(super) head_known: bool,
    /// Source and line of the last guess.
    pub(super) guessed: Option<(u32, u64)>,
    /// The side that wrote the log, where frames say only sent and received.
    pub(super) logger: Option<Side>,
    pub(super) resolution_us: i64,
    pub(super) sides: [Issued; 2],
    pub(super) legs: [Leg; 2],
    pub(super) methods: FxHashMap<Rc<str>, (Option<&'static Method>, Role)>,
    pub(super) pending: Vec<Pending>,
    pub(super) suspects: VecDeque<Suspect>,
    pub(super) questions: Vec<Question>,
    pub(super) tasks: Tasks,
    pub(super) turns: FxHashMap<Rc<str>, Turn>,
    pub(super) created_tokens: FxHashMap<Id, Created>,
    /// The last capabilities that a request stated, as text and as they were read: most requests repeat them.
    pub(super) stated: Option<(Box<str>, Capabilities)>,
    /// Prompts that were answered while the close of their session was in flight.
    pub(super) half_closed: Vec<HalfClosed>,
    /// Tasks that nobody was seen to create.
    pub(super) strange_tasks: StrangeTasks,
    /// Capabilities that were used and not declared, as far as that was said: of whom, which, and whether it refused.
    pub(super) undeclared: Vec<(Side, &'static str, bool)>,
    pub(super) versions: Versions,
    pub(super) clock: Clock,
    /// The first time in the log.
    pub(super) started_us: Option<i64>,
    /// The first message that seems to hold a secret, and its kind.
    pub(super) secret: Option<(Seen, &'static str)>,
    /// When the connection was closed.
    pub(super) closed_at: Option<i64>,
    pub(super) stderr: Stderr,
    pub(super) taps: FxHashMap<FrameId, [Option<Stamp>; 2]>,
    pub(super) orphanages: Vec<Orphanage>,
    pub(super) batches: Batches,
    pub(super) idless: Vec<Idless>,
    pub(super) early_answers: Vec<EarlyAnswer>,
    pub(super) open_task_cancels: FxHashMap<(Side, Id), Cancellation>,
    /// Which request opened an HTTP stream.
    pub(super) streams: FxHashMap<u32, Opener>,
    /// Requests of the client in flight whose id a newer one has, by the stream of their POST.
    pub(super) beside: FxHashMap<(u32, Id), Box<Slot>>,
    /// Cursors that the server has given, by their hashes.
    pub(super) cursors: FxHashSet<u64>,
    /// Features that were used and not declared, as far as that was said.
    pub(super) features_told: Vec<&'static str>,
    /// Text documents.
    pub(super) documents: Documents,
    /// What the heads of HTTP messages say.
    pub(super) http: Http,
}

/// A token that the server has created for progress of its own, and how far that has come.
#[derive(Clone, Copy)]
pub(super) struct Created {
    pub(super) request: Seen,
    pub(super) begun: Option<Seen>,
    pub(super) ended: Option<Seen>,
    pub(super) refused: Option<Seen>,
    /// Progress after the refusal was reported: once is enough.
    pub(super) refusal_told: bool,
}

/// The last lines that the server wrote to stderr.
#[derive(Default)]
pub(super) struct Stderr {
    pub(super) lines: VecDeque<Seen>,
    /// What the last line that is not blank says.
    pub(super) last: String,
}

impl Stderr {
    pub(super) fn say(&mut self, seen: Seen, text: &str) {
        let text = text.trim();
        if text.is_empty() {
            return;
        }
        if self.lines.len() == LAST_LINES {
            self.lines.pop_front();
        }
        self.lines.push_back(seen);
        self.last.clear();
        self.last.push_str(cut(text));
    }
}

/// As much of a text as is kept.
pub(super) fn cut(text: &str) -> &str {
    let mut end = text.len().min(KEPT);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// Messages without `jsonrpc`, held back until one message has it: a logger may drop the member.
#[derive(Default)]
pub(super) struct Versions {
    /// True once a message says that it is of JSON-RPC 2.0, whether it was judged yet or not.
    pub(super) two: bool,
    pub(super) present: bool,
    pub(super) held: Vec<(Seen, Side, u32)>,
}

/// Request arrays and the arrays that answer them.
#[derive(Default)]
pub(super) struct Batches {
    /// Response array to the request array that its first member answers.
    pub(super) answers: FxHashMap<FrameId, FrameId>,
    /// Request arrays whose mismatch was reported.
    pub(super) reported: FxHashSet<FrameId>,
    /// Response arrays with a member that names no request: which one it leaves out is not known.
    pub(super) nameless: FxHashSet<FrameId>,
}

/// A cancelled parent that was answered while requests which served it were open.
pub(super) struct Orphanage {
    pub(super) parent: Box<Exchange>,
    pub(super) cancel: Seen,
    pub(super) answer: Seen,
    pub(super) children: Vec<(Side, Id, FrameId)>,
}

pub(super) fn index(side: Side) -> usize {
    match side {
        Side::Client => 0,
        Side::Server => 1,
    }
}

impl Issued {
    /// Notes a new id. Most issuers count up; then no id has to be looked up among the requests that were dropped.
    pub(super) fn count_up(&mut self, id: &Id) {
        let (Some(now), before) = (rank(id), self.highest) else {
            self.unsure |= self.evicted;
            return;
        };
        match before {
            Some((series, highest)) if series == now.0 && now.1 <= highest => self.unsure |= self.evicted,
            Some((series, _)) if series != now.0 => self.unsure |= self.evicted,
            _ => self.highest = Some(now),
        }
    }
}

/// An id as a number in a series: `7`, or `7` of `req-` for `"req-7"`.
fn rank(id: &Id) -> Option<(u64, i64)> {
    match id {
        Id::Int(number) => Some((0, *number)),
        Id::Number(_) => None,
        Id::Text(text) => {
            let digits = text.bytes().rev().take_while(u8::is_ascii_digit).count();
            let (prefix, number) = text.split_at(text.len() - digits);
            // `req-07` and `req-7` are two ids with one number.
            let number = number.parse().ok().filter(|_| digits == 1 || !number.starts_with('0'))?;
            let mut hasher = rustc_hash::FxHasher::default();
            hasher.write(prefix.as_bytes());
            hasher.write_u8(1);
            Some((hasher.finish(), number))
        }
    }
}

impl Conn {
    pub(super) fn new(opened: Opened) -> Conn {
        let channel = opened.channel;
        let declared = opened.demanded.or(channel.profile);
        let fixed = declared.is_some_and(|profile| !profile.unknown_revision);
        let facts = Connection {
            id: opened.id,
            key: opened.key,
            profile: declared.unwrap_or(Profile::plain()),
            vantage: channel.vantage,
            transport: channel.transport,
            directions: Directions::Stated,
            proof: channel.proof,
            missing: Stretches::new(channel.complete_head == Some(true)),
            taken_out: Stretches::default(),
            sources: Vec::new(),
            starts_midway: channel.complete_head == Some(false),
            revision_assumed: false,
            timed: false,
            end: End::Open,
            exit: None,
            separated: channel.one_connection,
            lifecycle: Lifecycle::default(),
            client: None,
            server: None,
            client_name: None,
            server_name: None,
            first: None,
            last: None,
            messages: 0,
            unclassified: 0,
            requests: 0,
            cancels: 0,
            closed: None,
        };
        Conn {
            facts,
            profile_fixed: fixed,
            profile_known: declared.is_some(),
            profile_guessed: false,
            outlives_close: channel.one_connection,
            head_known: channel.complete_head == Some(false),
            guessed: None,
            logger: channel.vantage.side(),
            resolution_us: channel.resolution_us,
            sides: Default::default(),
            legs: Default::default(),
            methods: FxHashMap::default(),
            pending: Vec::new(),
            suspects: Default::default(),
            questions: Vec::new(),
            tasks: Tasks::default(),
            turns: FxHashMap::default(),
            created_tokens: FxHashMap::default(),
            stated: None,
            half_closed: Vec::new(),
            strange_tasks: StrangeTasks::default(),
            undeclared: Vec::new(),
            versions: Versions::default(),
            clock: Clock::default(),
            started_us: None,
            secret: None,
            closed_at: None,
            stderr: Stderr::default(),
            taps: FxHashMap::default(),
            orphanages: Vec::new(),
            batches: Batches::default(),
            idless: Vec::new(),
            early_answers: Vec::new(),
            open_task_cancels: FxHashMap::default(),
            streams: FxHashMap::default(),
            beside: FxHashMap::default(),
            cursors: FxHashSet::default(),
            features_told: Vec::new(),
            documents: Documents::default(),
            http: Http::default(),
        }
    }

    pub(super) fn side(&self, side: Side) -> &Issued {
        &self.sides[index(side)]
    }

    pub(super) fn side_mut(&mut self, side: Side) -> &mut Issued {
        &mut self.sides[index(side)]
    }

    pub(super) fn slot(&self, issuer: Side, id: &Id) -> Option<&Slot> {
        self.side(issuer).live.get(id).map(|slot| &**slot)
    }

    pub(super) fn slot_mut(&mut self, issuer: Side, id: &Id) -> Option<&mut Slot> {
        self.side_mut(issuer).live.get_mut(id).map(|slot| &mut **slot)
    }

    /// The request that a handle means, while it is remembered and its id was not used again.
    pub(super) fn known(&self, handle: &Handle) -> Option<&Slot> {
        self.slot(handle.issuer, &handle.id).filter(|slot| slot.exchange.request.frame == handle.request)
    }

    pub(super) fn known_mut(&mut self, handle: &Handle) -> Option<&mut Slot> {
        self.slot_mut(handle.issuer, &handle.id).filter(|slot| slot.exchange.request.frame == handle.request)
    }

    /// A request of this side that the log does not show before a message was not made, unless the log may lack some.
    pub(super) fn surely_new(&self, step: &Step<'_>, issuer: Side, before: Seen) -> Judgement {
        let whole = Ledger::new(&self.facts, step.shelf).hole_before(Some(issuer), before.frame).is_none();
        Judgement::exact_if(whole, "the log may lack a request with that very id")
    }

    /// True where messages of one side are seen in the order in which they were sent.
    pub(super) fn ordered(&self) -> bool {
        self.facts.transport == Transport::Ordered
    }

    /// The method's name to share, and what is known of it.
    pub(super) fn method(&mut self, name: &str) -> (Rc<str>, Option<&'static Method>, Role) {
        if let Some((shared, (known, role))) = self.methods.get_key_value(name) {
            return (shared.clone(), *known, *role);
        }
        let shared: Rc<str> = name.into();
        let value = (self.facts.profile.method(name), role(name));
        if self.methods.len() < METHODS {
            self.methods.insert(shared.clone(), value);
        }
        (shared, value.0, value.1)
    }

    /// Hands an event to the sink.
    pub(super) fn emit(
        &self,
        step: &mut Step<'_>,
        profile: &'static Profile,
        seen: Seen,
        sender: Option<Side>,
        what: What<'_>,
    ) {
        let ledger = Ledger::new(&self.facts, step.shelf);
        step.sink.event(&Event { connection: &self.facts, ledger, profile, seen, sender, what });
    }

    /// The tap as the race reasoning needs it, for a question to `crossing.decider`.
    pub(super) fn tap<'a>(&'a self, settings: &'a Settings, crossing: &Crossing) -> Tap<'a> {
        let stamps = if self.taps.is_empty() {
            None
        } else {
            let at = |seen: Seen| self.taps.get(&seen.frame).and_then(|stamps| stamps[index(crossing.decider)]);
            Some((at(crossing.first), at(crossing.second)))
        };
        Tap {
            settings,
            vantage: self.facts.vantage,
            resolution_us: self.resolution_us,
            timed: self.facts.timed,
            leg: &self.legs[index(crossing.decider)],
            stamps,
        }
    }

    /// The question whether `decider` had `first` when it sent `second`, as of now.
    pub(super) fn crossing(&self, decider: Side, first: Seen, second: Seen, content: bool) -> Crossing {
        let newest = self.side(decider).acknowledged.filter(|witness| witness.request > first.frame);
        let barrier = newest.filter(|_| self.ordered());
        let samples_before = self.legs[index(decider)].count;
        Crossing { decider, first, second, content, barrier, samples_before }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_cut_where_a_character_ends() {
        let letters = "a".repeat(KEPT);
        assert_eq!(cut(&letters), letters);
        assert_eq!(cut(&format!("{letters}b")), letters);
        let umlauts = format!("a{}", "\u{e4}".repeat(KEPT));
        assert_eq!(cut(&umlauts).len(), KEPT - 1, "half a character is none");
        assert!(umlauts.starts_with(cut(&umlauts)));
    }

    #[test]
    fn ids_that_count_up_need_not_be_looked_up() {
        let unsure = |ids: &[Id]| {
            let mut issued = Issued { evicted: true, ..Issued::default() };
            ids.iter().for_each(|id| issued.count_up(id));
            issued.unsure
        };
        let text = |text: &str| Id::Text(text.into());
        assert!(!unsure(&[Id::Int(1), Id::Int(2), Id::Int(10)]));
        assert!(unsure(&[Id::Int(1), Id::Int(1)]), "the same again");
        assert!(unsure(&[Id::Int(2), Id::Int(1)]), "one below");
        assert!(!unsure(&[text("req-9"), text("req-10")]));
        assert!(unsure(&[text("req-9"), text("job-10")]), "another series");
        assert!(unsure(&[Id::Int(9), text("10")]), "a number and a text");
        assert!(unsure(&[text("a"), text("b")]), "no numbers");
        assert!(unsure(&[text("req-1"), text("req-02")]), "two ids may have one number");
        let mut fresh = Issued::default();
        [Id::Int(2), Id::Int(1)].iter().for_each(|id| fresh.count_up(id));
        assert!(!fresh.unsure, "nothing was dropped yet");
    }
}
