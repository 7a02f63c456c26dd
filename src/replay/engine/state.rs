//! What the engine remembers: of the step in front, of each exchange, of the names in use, of the peer.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};

use super::send::Handed;
use crate::jsonrpc::Id;
use crate::replay::plan::Soft;
use crate::replay::policy::Hints;
use crate::replay::run::Anchor;

/// How far a run is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Phase {
    /// The link is not ready.
    #[default]
    Connecting,
    /// Steps are being sent.
    Playing,
    /// All is sent; answers, and the horizons of cancels, are waited for.
    Closing,
    /// The peer was asked to end.
    Ending,
    /// It has.
    Done,
}

/// A new handshake after a lost session.
#[derive(Clone, Debug)]
pub(super) struct Reinit {
    /// The id of its request.
    pub id: Option<Id>,
    /// The exchanges that lost the session.
    pub lost: Vec<usize>,
    /// When it is given up.
    pub until_us: i64,
}

/// The step in front. Times in microseconds of the run.
#[derive(Clone, Debug, Default)]
pub(super) struct Front {
    /// True once its waits were added to what is owed.
    pub entered: bool,
    /// When the answers that it waits for were there.
    pub hard_us: Option<i64>,
    /// When everything was that it waits for.
    pub free_us: Option<i64>,
    /// True if it was held back because answers to cancelled requests were due.
    pub held: bool,
    /// What it waits for only so long and has not come, that which is waited for longest last; `None` before that is looked at.
    pub soft: Option<Vec<Soft>>,
    /// When it is to be looked at again, at the latest.
    pub wake_us: Option<i64>,
}

/// One exchange, beside what the log says of it.
#[derive(Clone, Debug, Default)]
pub(super) struct Live {
    /// The id it has on the wire.
    pub id: Option<Id>,
    /// When it last showed a sign of life.
    pub sign_us: i64,
    /// When each progress came.
    pub progress: Vec<i64>,
    /// The HTTP stream that carries it.
    pub stream: Option<u32>,
    /// True while it stands in the queue of the link.
    pub queued: bool,
    /// Anchor and number of the cancel that the plan has for it.
    pub cancel_planned: Option<(Anchor, u32)>,
    /// True if the cancel was the close of its stream: nothing can be seen after it.
    pub unobservable: bool,
    /// True if its HTTP request failed: no answer will ever come.
    pub refused: bool,
    /// Of a request of the server: the exchanges of the client for whose sake it may be asked, several where nothing tells which.
    pub serves: Vec<usize>,
    /// The requests of the server that may be asked for its sake.
    pub asked: Vec<usize>,
    /// Of a request of the server: it was cancelled by its issuer.
    pub withdrawn: bool,
    /// Of a request of the server: its answer is sent, or never will be.
    pub settled: bool,
    /// Of a request of the server: its step was passed over before it came.
    pub passed: bool,
}

/// Notifications of one method.
#[derive(Clone, Debug, Default)]
pub(super) struct Told {
    /// In the recording, those that belong to an exchange left out.
    pub recorded: u32,
    /// From the live side, likewise.
    pub live: u32,
    /// All from the live side.
    pub came: u32,
    /// Not waited for any longer.
    pub missed: u32,
    /// When the first came that the recording does not have.
    pub extra_us: Option<i64>,
}

/// A request of the live side, as it is answered.
#[derive(Clone, Debug)]
pub(super) struct Asked<'a> {
    /// The whole text.
    pub text: &'a str,
    /// Its id as it is spelled.
    pub id_text: &'a str,
    /// Its method.
    pub method: &'a str,
    /// The exchanges of the client that it may serve.
    pub serves: Vec<usize>,
}

impl Asked<'_> {
    /// The exchange of the client that it serves, where that can be told.
    pub(super) fn parent(&self) -> Option<usize> {
        match self.serves[..] {
            [only] => Some(only),
            _ => None,
        }
    }
}

/// What the recording tells before anything happens.
#[derive(Clone, Debug, Default)]
pub(super) struct Known {
    /// Links by the exchange that gives the value.
    pub giving: HashMap<usize, Vec<usize>>,
    /// Recorded requests of the server that have not come, by what they ask.
    pub questions: HashMap<String, VecDeque<usize>>,
    /// The same by method.
    pub unseen: HashMap<String, BTreeSet<usize>>,
    /// By request of the server, how long the recorded client waited for others before it thought about its answer, microseconds.
    pub waited: HashMap<usize, i64>,
    /// Recorded notifications of the server, by the place of their event: method, and which one of it, from 1.
    pub numbered: HashMap<usize, (String, u32)>,
    /// By recorded stream, the status of its response.
    pub statuses: HashMap<u32, u16>,
    /// By exchange, the last event that shows it at work: its answer, its progress, what the server asked for its sake.
    pub last: Vec<Option<usize>>,
    /// Where the recorded server ended by itself, and its status.
    pub own_end: Option<(usize, Option<i64>)>,
}

/// Names in use on the wire, and what they stand for.
#[derive(Clone, Debug, Default)]
pub(super) struct Names {
    /// What was sent under an id, in order.
    pub by_id: HashMap<Id, Vec<usize>>,
    /// What the live side asked last under an id of its own.
    pub asked: HashMap<Id, usize>,
    /// Requests by the progress tokens that they carry.
    pub tokens: HashMap<Id, usize>,
    /// Prompts in flight by session, as JSON text; and the last prompt of each.
    pub prompts: HashMap<String, Vec<usize>>,
    pub turns: HashMap<String, usize>,
    /// Sessions whose turn was cancelled.
    pub cancelled_turns: HashSet<String>,
    /// Tasks that have ended, as JSON text.
    pub ended_tasks: HashSet<String>,
    /// Fresh ids and tokens for recorded ones, and how many were made.
    pub minted: HashMap<Id, String>,
    pub mint: i64,
    /// Ids that a fresh one must not be.
    pub taken: HashSet<Id>,
    /// Ids of witnesses.
    pub witnesses: HashSet<Id>,
}

/// Streams and sessions of HTTP.
#[derive(Clone, Debug, Default)]
pub(super) struct Http {
    /// Live streams by recorded ones.
    pub streams: HashMap<u32, u32>,
    pub next_stream: u32,
    /// What a live stream carries: the place of its event in the recording.
    pub carries: HashMap<u32, usize>,
    /// Live streams whose response has nothing to bring but its status, and has not come; since when.
    pub unanswered: BTreeMap<u32, i64>,
    /// Status of the response on a live stream.
    pub heads: HashMap<u32, u16>,
    /// The last SSE event on a live stream.
    pub event_ids: HashMap<u32, String>,
    /// How long to wait before a stream is resumed, as its server says, microseconds.
    pub retry_us: HashMap<u32, i64>,
    /// Streams that are to be resumed, and when.
    pub resume: BTreeMap<u32, i64>,
    /// Streams that have ended.
    pub closed: HashSet<u32>,
    /// What was handed to the link and is not yet confirmed, on any transport.
    pub handed: VecDeque<Handed>,
    /// The revision that is spoken: as negotiated, or as the last request stated it.
    pub revision: Option<String>,
    /// True once the server has given its session a name.
    pub named: bool,
    /// The new handshake that is going on; it is done once.
    pub reinit: Option<Reinit>,
    pub reinitialised: bool,
}

/// What is known of the live side.
#[derive(Clone, Debug, Default)]
pub(super) struct Peer {
    /// True once it has said anything.
    pub heard: bool,
    /// True once it has taken a message, over HTTP.
    pub let_in: bool,
    /// Notifications by method.
    pub told: HashMap<String, Told>,
    /// What its list of tools says.
    pub hints: HashMap<String, Hints>,
    /// Longest time that a method and tool took by itself, in the recording or in a control run.
    pub natural: HashMap<(String, Option<String>), i64>,
    /// The same in this run.
    pub seen: HashMap<(String, Option<String>), i64>,
    /// The last lines of its stderr.
    pub stderr: VecDeque<String>,
    /// Texts that are no JSON-RPC, and responses that answer nothing.
    pub unreadable: u32,
    pub strays: u32,
    /// True once the message was sent that tells it to exit.
    pub told_to_exit: bool,
    /// True if it ended without having been asked to.
    pub unasked: bool,
    /// Since when it is gone; and when it was asked to end.
    pub gone_us: Option<i64>,
    pub finish_us: Option<i64>,
}
