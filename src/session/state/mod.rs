//! What the fold remembers of one connection.

mod anew;
mod births;
mod clock;
mod controls;
mod documents;
mod eras;
mod http;
mod issued;
mod late_progress;
mod methods;
mod named;
mod near_cancels;
mod offers;
mod pending;
mod progressed;
mod question;
mod rare;
mod rounds;
mod slot;
mod stderr;
mod suspect;
mod tasks;
mod turn;

pub(super) use anew::Anew;
pub(super) use births::{Birth, Births};
pub(super) use clock::Clock;
pub(super) use controls::Offered;
pub(super) use documents::Documents;
pub(super) use eras::{Eras, Logs, Refusal};
pub(super) use http::Http;
pub(super) use issued::Issued;
pub(super) use late_progress::{LateProgress, aggregate};
pub(super) use methods::Methods;
pub(super) use named::Naming;
use near_cancels::NearCancels;
pub(super) use offers::{Choice, Offering, Offers, chosen, is_offered, option_ids};
pub(super) use pending::{MessagePlace, Pending, PendingText};
pub(super) use progressed::Progressed;
pub(super) use question::{About, Question};
pub(super) use rare::{Empty, Rare};
pub(super) use rounds::{Call, Rounds};
pub(super) use slot::{Absorb, Again, Handle, Opener, Post, Slot, Wish};
pub(super) use stderr::{Stderr, cut};
pub(super) use suspect::{Accused, CompletedCancel, EarlyCancel, LateAnswer, Near, Suspect};
pub(super) use tasks::{StrangeTasks, Task, Tasks, terminal};
pub(super) use turn::{Ended, HalfClosed, Turn};

use std::collections::VecDeque;
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::capture::{Stamp, Transport};
use crate::jsonrpc::{Id, IdField, Kind, Message};
use crate::protocol::{Capabilities, Facts, MethodKind, Profile, Side, TaskSupport};
use crate::session::connection::{Connection, Directions, End, Lifecycle, Opened};
use crate::session::event::{Event, What};
use crate::session::exchange::{Cancellation, Exchange};
use crate::session::ledger::Ledger;
use crate::session::missing::{Shelf, Stretches};
use crate::session::race::{Crossing, Judgement, Leg, Tap};
use crate::session::seen::{FrameId, Seen};
use crate::session::settings::Settings;
use crate::session::sink::Sink;
use crate::session::window::Settled;

/// What every step of the fold needs beside the connection.
pub(super) struct Step<'s> {
    pub(super) settings: &'s Settings,
    pub(super) sink: &'s mut dyn Sink,
    pub(super) settled: &'s mut Settled,
    pub(super) methods: &'s mut Methods,
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

impl<'a> Incoming<'a> {
    /// The notification that a message with the id null is, where the protocol defines its method as one: JSON-RPC 1.0 marks
    /// notifications so, and nothing can answer it. That it has an id is for RPC016 to say.
    pub(super) fn told(&self) -> Option<Message<'a>> {
        if self.message.kind != Kind::Request || self.message.id != IdField::Null {
            return None;
        }
        let known = self.profile.method(self.message.method())?;
        (known.kind == MethodKind::Notification).then(|| Message { kind: Kind::Notification, ..self.message.clone() })
    }
}

/// A response without an id, and the notification that may have caused it.
pub(super) struct Idless {
    pub(super) seen: Seen,
    pub(super) sender: Side,
    pub(super) profile: &'static Profile,
    pub(super) error_code: Option<i64>,
    pub(super) notification: Seen,
    /// Those to whom it is sent had sent responses.
    pub(super) answered: bool,
    pub(super) is_result: bool,
}

/// An answer whose request is not in the log so far: over HTTP messages of two streams have no order, and elsewhere records may
/// stand out of the order of their times.
pub(super) struct EarlyAnswer {
    pub(super) seen: Seen,
    pub(super) line: u64,
    pub(super) sender: Side,
    pub(super) profile: &'static Profile,
    pub(super) id: Id,
    pub(super) error_code: Option<i64>,
    pub(super) is_error: bool,
    pub(super) naming: Naming,
    pub(super) judgement: Judgement,
}

/// The arguments that a prompt requires, and the list that says so.
pub(super) type Required = (Box<[Box<str>]>, Seen);

/// A terminal: its session, and its id there.
pub(super) type Terminal = (Option<Rc<str>>, Id);

/// What a list says of a tool and tasks, and where that was said first.
pub(super) type Support = (Option<TaskSupport>, Seen);

/// One connection.
pub(super) struct Conn {
    pub(super) facts: Connection,
    /// The profile was declared: nothing in the log changes it.
    pub(super) profile_fixed: bool,
    pub(super) profile_known: bool,
    /// True where the log or the user says what it speaks.
    pub(super) profile_stated: bool,
    /// True while a message may still tell that it is another protocol.
    pub(super) profile_guessed: bool,
    /// The format itself separates connections: frames may follow a close.
    pub(super) outlives_close: bool,
    pub(super) head_known: bool,
    /// The log has said of a message who sent it.
    pub(super) names_senders: bool,
    /// The log shows what followed from messages that it lacks.
    pub(super) lacks_records: bool,
    /// An answer came before the first request: something had been asked before the log.
    pub(super) answered_first: bool,
    /// Source and line of the last guess.
    pub(super) guessed: Option<(u32, u64)>,
    /// The end of the file behind which the one that is read goes back in time.
    pub(super) behind_us: Option<i64>,
    /// The side that wrote the log, where frames say only sent and received.
    pub(super) logger: Option<Side>,
    pub(super) resolution_us: i64,
    pub(super) sides: [Issued; 2],
    pub(super) legs: [Leg; 2],
    pub(super) pending: Rare<Vec<Pending>>,
    pub(super) suspects: Rare<VecDeque<Suspect>>,
    pub(super) questions: Rare<Vec<Question>>,
    pub(super) tasks: Rare<Tasks>,
    /// Tasks that were not at work when they were created, over HTTP.
    pub(super) births: Rare<Births>,
    pub(super) turns: Rare<FxHashMap<Rc<str>, Turn>>,
    pub(super) created_tokens: Rare<FxHashMap<Id, Created>>,
    /// The last capabilities that a request stated, as text and as they were read: most requests repeat them.
    pub(super) stated: Option<Box<(Box<str>, Capabilities)>>,
    /// Prompts that were answered while the close of their session was in flight.
    pub(super) half_closed: Rare<Vec<HalfClosed>>,
    /// Tasks that nobody was seen to create.
    pub(super) strange_tasks: Rare<StrangeTasks>,
    /// Capabilities that were used and not declared, as far as that was said: of whom, which, and whether it refused.
    pub(super) undeclared: Rare<Vec<(Side, &'static str, bool)>>,
    pub(super) versions: Versions,
    pub(super) clock: Clock,
    /// The first message that seems to hold a secret, and its kind.
    pub(super) secret: Option<Box<(Seen, &'static str)>>,
    /// When the connection was closed.
    pub(super) closed_at: Option<i64>,
    pub(super) stderr: Rare<Stderr>,
    pub(super) taps: Rare<FxHashMap<FrameId, [Option<Stamp>; 2]>>,
    pub(super) orphanages: Rare<Vec<Orphanage>>,
    pub(super) batches: Rare<Batches>,
    pub(super) idless: Rare<Vec<Idless>>,
    pub(super) early_answers: Rare<Vec<EarlyAnswer>>,
    /// The first request before a handshake, of which nothing is said yet.
    pub(super) early_request: Option<Box<(Seen, String)>>,
    /// The last handshake that was asked for where another one was, of which nothing is said yet.
    pub(super) anew: Option<Box<Anew>>,
    /// Streams whose response answered a request that nobody had sent: what they were opened for is over.
    pub(super) strayed: Rare<FxHashSet<u32>>,
    /// Cancels of tasks that wait for their answer, by its id, and of progress that waits for its end (DAP), by its token.
    pub(super) open_task_cancels: Rare<FxHashMap<(Side, Id), Cancellation>>,
    /// Which request opened an HTTP stream.
    pub(super) streams: Rare<FxHashMap<u32, Opener>>,
    /// Requests of the client in flight whose id a newer one has, by the stream of their POST.
    pub(super) beside: Rare<FxHashMap<(u32, Id), Box<Slot>>>,
    /// Cursors that the server has given, by their hashes.
    pub(super) cursors: Rare<FxHashSet<u64>>,
    /// Features that were used and not declared, as far as that was said.
    pub(super) features_told: Rare<Vec<&'static str>>,
    /// What a side gave and had not declared, as far as that was said.
    pub(super) unannounced: Rare<Vec<&'static str>>,
    /// The tools that were listed last, as a set and in their order, by hashes.
    pub(super) tool_order: Option<Box<(u64, u64)>>,
    /// What lists say of tools and tasks, and where it was said first (MCP 2025-11-25); nothing where they do not agree.
    pub(super) support: Rare<FxHashMap<Box<str>, Support>>,
    /// The arguments that prompts require, and where that was listed first (MCP); nothing where lists do not agree.
    pub(super) prompts: Rare<FxHashMap<Box<str>, Option<Required>>>,
    /// Requests for prompts that lack such an argument, until they are answered.
    pub(super) prompts_short: Rare<FxHashMap<FrameId, (Box<str>, Seen)>>,
    /// The ids of what a server has registered (LSP).
    pub(super) registered: Rare<FxHashSet<Box<str>>>,
    /// Flaws of payloads, as far as they were said, by their hashes.
    pub(super) flaws_told: Rare<FxHashSet<u64>>,
    /// Text documents.
    pub(super) documents: Rare<Documents>,
    /// Cancels that come near to requests.
    pub(super) near_cancels: Rare<NearCancels>,
    /// What there is to choose from (ACP).
    pub(super) offers: Rare<Offers>,
    /// What the pages before one say of who may keep them, by method and cursor (MCP 2026-07-28).
    pub(super) pages: Rare<FxHashMap<u64, Option<(u64, Seen)>>>,
    /// Cancels of a tool call or a terminal that had ended, which wait for their answers (ACP 2).
    pub(super) asked_ended: Rare<FxHashMap<FrameId, u64>>,
    /// Terminals that were released, by session and id, and where that was asked for and answered (ACP).
    pub(super) released: Rare<FxHashMap<Terminal, (Seen, Seen)>>,
    /// What was asked for in several rounds (MCP 2026-07-28).
    pub(super) rounds: Rare<Rounds>,
    /// The revision that the last handshake has agreed on, as it is spelled.
    pub(super) negotiated: Option<Box<str>>,
    /// What the heads of HTTP messages say.
    pub(super) http: Rare<Http>,
    /// What the sides show of the revisions that they speak (MCP 2026-07-28).
    pub(super) eras: Eras,
    /// Log messages (MCP 2026-07-28).
    pub(super) logs: Logs,
}

/// A token that the server has created for progress of its own, and how far that has come.
#[derive(Clone, Copy)]
pub(super) struct Created {
    pub(super) request: Seen,
    pub(super) begun: Option<Seen>,
    pub(super) ended: Option<Seen>,
    pub(super) refused: Option<Seen>,
    /// The last report that says how far it has come.
    pub(super) reported: Option<(Seen, Progressed)>,
    /// Progress after the refusal was reported: once is enough.
    pub(super) refusal_told: bool,
}

impl Created {
    /// A token that is named for the first time, and whether that begins something.
    pub(super) fn by(request: Seen, begun: Option<Seen>) -> Created {
        Created { request, begun, ended: None, refused: None, reported: None, refusal_told: false }
    }
}

/// Messages without `jsonrpc`, held back until one message has it: a logger may drop the member.
#[derive(Default)]
pub(super) struct Versions {
    /// True once a message says that it is of JSON-RPC 2.0, whether it was judged yet or not.
    pub(super) two: bool,
    pub(super) present: bool,
    pub(super) held: Rare<Vec<(Seen, Side, u32)>>,
}

/// Request arrays and the arrays that answer them.
pub(super) struct Batches {
    /// Response array to the request array that its first member answers.
    pub(super) answers: FxHashMap<FrameId, FrameId>,
    /// Request arrays whose mismatch was reported.
    pub(super) reported: FxHashSet<FrameId>,
    /// Response arrays with a member that names no request: which one it leaves out is not known.
    pub(super) nameless: FxHashSet<FrameId>,
}

impl Empty for Batches {
    const NEW: Self = Batches { answers: Empty::NEW, reported: Empty::NEW, nameless: Empty::NEW };
    const EMPTY: &'static Self = &Self::NEW;
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
            taken_out: Vec::new(),
            doubtful: None,
            sources: Vec::new(),
            starts_midway: channel.complete_head == Some(false),
            revision_assumed: declared.is_some_and(|profile| profile.unknown_revision),
            revision_strange: false,
            revision_asked: false,
            timed: false,
            end: End::Open,
            exit: None,
            separated: channel.one_connection,
            lifecycle: Lifecycle::default(),
            handshake_token: None,
            client: None,
            server: None,
            client_name: None,
            server_name: None,
            first: None,
            last: None,
            times: None,
            messages: 0,
            unclassified: 0,
            requests: 0,
            cancels: 0,
            unclaimed: false,
            closed: None,
        };
        Conn {
            facts,
            profile_fixed: fixed,
            profile_known: declared.is_some(),
            profile_stated: declared.is_some(),
            profile_guessed: false,
            outlives_close: channel.one_connection,
            head_known: channel.complete_head == Some(false),
            names_senders: false,
            lacks_records: false,
            answered_first: false,
            guessed: None,
            behind_us: None,
            logger: channel.vantage.side(),
            resolution_us: channel.resolution_us,
            sides: Default::default(),
            legs: Default::default(),
            pending: Rare::default(),
            suspects: Rare::default(),
            questions: Rare::default(),
            tasks: Rare::default(),
            births: Rare::default(),
            turns: Rare::default(),
            created_tokens: Rare::default(),
            stated: None,
            half_closed: Rare::default(),
            strange_tasks: Rare::default(),
            undeclared: Rare::default(),
            versions: Versions::default(),
            clock: Clock::default(),
            secret: None,
            closed_at: None,
            stderr: Rare::default(),
            taps: Rare::default(),
            orphanages: Rare::default(),
            batches: Rare::default(),
            idless: Rare::default(),
            early_answers: Rare::default(),
            early_request: None,
            anew: None,
            strayed: Rare::default(),
            open_task_cancels: Rare::default(),
            streams: Rare::default(),
            beside: Rare::default(),
            cursors: Rare::default(),
            features_told: Rare::default(),
            flaws_told: Rare::default(),
            tool_order: None,
            support: Rare::default(),
            prompts: Rare::default(),
            prompts_short: Rare::default(),
            registered: Rare::default(),
            unannounced: Rare::default(),
            documents: Rare::default(),
            near_cancels: Rare::default(),
            offers: Rare::default(),
            pages: Rare::default(),
            asked_ended: Rare::default(),
            released: Rare::default(),
            rounds: Rare::default(),
            negotiated: None,
            http: Rare::default(),
            eras: Eras::default(),
            logs: Logs::default(),
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

    /// The question whether the sender of a message had `first` when it sent it, as of now.
    pub(super) fn crossing(&self, m: &Incoming<'_>, first: Seen, content: bool) -> Crossing {
        let (decider, second) = (m.sender, m.seen);
        let newest = self.side(decider).acknowledged.filter(|witness| witness.request > first.frame);
        let barrier = newest.filter(|_| self.ordered());
        let samples_before = self.legs[index(decider)].count;
        let heard_us = self.side(decider).heard_first_us;
        let jumped_us = self.clock.jumped_between(first.frame, second.frame);
        let redelivered = self.may_be_redelivered(m);
        Crossing {
            decider,
            first,
            second,
            content,
            barrier,
            samples_before,
            apart_us: None,
            heard_us,
            jumped_us,
            redelivered,
        }
    }
}
