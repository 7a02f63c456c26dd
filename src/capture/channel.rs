//! Channels: what a format says of the connections in it, before they are split.

use crate::protocol::{Profile, Side};
use crate::wire::Framing;

/// Where a capture was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Vantage {
    /// In or at the client.
    Client,
    /// In or at the server.
    Server,
    /// Between them.
    Proxy,
    /// Not known; treated as between them.
    Unknown,
    /// Two captures in one source, one at each side.
    Merged,
}

impl Vantage {
    /// The name used in flags, in the database and in reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Vantage::Client => "client",
            Vantage::Server => "server",
            Vantage::Proxy => "proxy",
            Vantage::Unknown => "unknown",
            Vantage::Merged => "merged",
        }
    }

    /// Reads the name back.
    pub fn from_name(name: &str) -> Option<Vantage> {
        use Vantage::*;
        [Client, Server, Proxy, Unknown, Merged].into_iter().find(|vantage| vantage.as_str() == name)
    }

    /// The side at which the tap sits, where it sits at one.
    pub fn side(self) -> Option<Side> {
        match self {
            Vantage::Client => Some(Side::Client),
            Vantage::Server => Some(Side::Server),
            _ => None,
        }
    }
}

/// Whether messages of one direction keep their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Transport {
    /// One ordered channel a direction: stdio, one TCP or WebSocket connection.
    Ordered,
    /// HTTP: order holds only within a stream.
    Http,
}

/// What a log can prove. A rule that needs more is not decidable from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Proof(u16);

impl Proof {
    /// Nothing at all.
    pub const NONE: Proof = Proof(0);
    /// Parameters and results are in the log.
    pub const PAYLOAD: Proof = Proof(1);
    /// The id inside a cancel is in the log.
    pub const CANCEL_TARGET: Proof = Proof(2);
    /// Error codes are in the log.
    pub const ERROR_CODE: Proof = Proof(4);
    /// The log says who sent each message.
    pub const DIRECTION: Proof = Proof(8);
    /// Envelopes are as they were on the wire (`jsonrpc` member and all).
    pub const ENVELOPE: Proof = Proof(16);
    /// Every response is in the log, also late and unmatched ones.
    pub const ALL_ANSWERS: Proof = Proof(32);
    /// The log tells which HTTP stream carried a message, and when streams were closed.
    pub const STREAMS: Proof = Proof(64);
    /// Messages of both sides are in the log.
    pub const BOTH_SIDES: Proof = Proof(128);
    /// The log tells which client sent a message: all of it comes from one, or a session's name keeps them apart.
    pub const CLIENT: Proof = Proof(256);
    /// What belongs to one connection, and to one request, can be told from what belongs to another.
    pub const PAIRING: Proof = Proof(512);
    /// Both: what a stream cannot prove in which messages of several clients may stand.
    pub const WHOSE: Proof = Proof(256 | 512);
    /// What a handshake shows of its connection: one client began it, and messages have their parameters.
    pub const GREETED: Proof = Proof(1 | 2 | 256 | 512);
    /// What an answer shows that the other side gave.
    pub const ANSWERED: Proof = Proof(32 | 128);
    /// Messages stand in the log in the order in which they passed, or their times tell it.
    pub const ORDER: Proof = Proof(1024);
    /// When requests were answered: before what the other side said next, or after it.
    pub const ANSWER_TIME: Proof = Proof(2048);
    /// Whoever wrote the log counted what passed: no kind of message was left out of it. A recorder does; a full capture need not.
    pub const COUNTED: Proof = Proof(4096);
    /// What is not in the log was not sent: it says so, or its user does (`--whole`).
    pub const WHOLE: Proof = Proof(8192);
    /// Which requests were in flight at any time: each stands in the log with its end. Who has the messages of both sides has that, too.
    pub const IN_FLIGHT: Proof = Proof(16384);
    /// All that a full capture of an ordered channel has.
    pub const FULL: Proof = Proof(63 | 128 | 256 | 512 | 1024 | 2048);

    /// Both together.
    pub const fn and(self, other: Proof) -> Proof {
        Proof(self.0 | other.0)
    }
    /// Without what `other` has.
    pub const fn without(self, other: Proof) -> Proof {
        Proof(self.0 & !other.0)
    }
    /// What is asked for and not there.
    pub const fn lacking(self, wanted: Proof) -> Proof {
        let known = if self.covers(Proof::BOTH_SIDES) { self.and(Proof::IN_FLIGHT) } else { self };
        wanted.without(known)
    }
    /// True if nothing that is asked for lacks.
    pub const fn proves(self, wanted: Proof) -> bool {
        self.lacking(wanted).0 == Proof::NONE.0
    }
    /// True if all that `other` asks is there.
    pub const fn covers(self, other: Proof) -> bool {
        self.0 & other.0 == other.0
    }
    /// With what is needed to tell who answered what, and when, by whoever needs to know more than the message itself.
    pub const fn in_context(self) -> Proof {
        let alone = Proof::PAYLOAD.and(Proof::ERROR_CODE).and(Proof::ENVELOPE);
        if alone.covers(self) { self } else { self.and(Proof::PAIRING).and(Proof::ORDER) }
    }
    /// As a number, for the store.
    pub const fn bits(self) -> u16 {
        self.0
    }
    /// From a number.
    pub const fn from_bits(bits: u16) -> Proof {
        Proof(bits)
    }

    /// These words of [`Proof::missing`], in the order in which it has them.
    pub fn in_order(words: &[String]) -> Vec<String> {
        let all = Proof::NONE.missing(Proof(!Proof::NONE.0));
        all.into_iter().filter(|word| words.iter().any(|known| known == word)).map(str::to_string).collect()
    }

    /// What is asked for and not there, in words.
    pub fn missing(self, wanted: Proof) -> Vec<&'static str> {
        let names = [
            (Proof::PAYLOAD, "parameters and results"),
            (Proof::CANCEL_TARGET, "which request a cancel met"),
            (Proof::ERROR_CODE, "error codes"),
            (Proof::DIRECTION, "who sent each message"),
            (Proof::ENVELOPE, "envelopes as they were on the wire"),
            (Proof::ALL_ANSWERS, "late and unmatched responses"),
            (Proof::STREAMS, "HTTP streams"),
            (Proof::BOTH_SIDES, "the messages of both sides"),
            (Proof::CLIENT, "which client sent a message"),
            (Proof::PAIRING, "which of several connections or requests a message belongs to"),
            (Proof::ORDER, "the order of the messages"),
            (Proof::ANSWER_TIME, "when requests were answered"),
            (Proof::COUNTED, "a count of what passed"),
            (Proof::WHOLE, "word that nothing is left out"),
            (Proof::IN_FLIGHT, "which requests were in flight"),
        ];
        let lacking = self.lacking(wanted);
        names.into_iter().filter(|(bit, _)| lacking.covers(*bit)).map(|(_, name)| name).collect()
    }
}

/// One channel of a capture: what becomes one connection, or several in a row where the client starts anew.
#[derive(Clone, Debug)]
pub struct Channel {
    /// Name that the log gives it; `None` where the source itself is the channel.
    pub name: Option<String>,
    /// The recording it belongs to, where the format has one.
    pub session: Option<String>,
    /// The recording that it replays, where it is the session of a replay.
    pub replay_of: Option<String>,
    /// The profile that the log itself declares.
    pub profile: Option<&'static Profile>,
    /// Where the capture was taken.
    pub vantage: Vantage,
    /// Whether order holds.
    pub transport: Transport,
    /// Whether the capture starts with the first message; `None` where the format does not say.
    pub complete_head: Option<bool>,
    /// True where who gave the logs says that they show their connections from the first message on: a connection that begins with this
    /// channel begins here, and one that goes on in it stands in a log before.
    pub shown_whole: bool,
    /// True if the format itself separates connections: a second `initialize` is then not a new one.
    pub one_connection: bool,
    /// True if its messages are in the order of their times, whatever that of the log is.
    pub by_time: bool,
    /// True where the log has no ids: its reader counts requests, and gives an answer to the one that is open when it comes.
    pub counts_ids: bool,
    /// True where the log has what was sent once it was sent: what was read meanwhile may stand before it.
    pub sends_late: bool,
    /// What the log can prove.
    pub proof: Proof,
    /// What of that it proves only behind a part of the log that shows it: one that starts amid the work of a client may look like that
    /// of several, or of one side.
    pub midway: Proof,
    /// Resolution of its clock in microseconds.
    pub resolution_us: i64,
    /// How its messages were told apart on the wire, where the log shows it.
    pub framing: Option<Framing>,
}

impl Default for Channel {
    fn default() -> Channel {
        Channel {
            name: None,
            session: None,
            replay_of: None,
            profile: None,
            vantage: Vantage::Unknown,
            transport: Transport::Ordered,
            complete_head: None,
            shown_whole: false,
            one_connection: false,
            by_time: false,
            counts_ids: false,
            sends_late: false,
            proof: Proof::FULL,
            midway: Proof::NONE,
            resolution_us: 1,
            framing: None,
        }
    }
}

impl Channel {
    /// The same where it goes on with nothing that was seen before.
    pub fn alone(self) -> Channel {
        let mixed = self.midway.covers(Proof::PAIRING);
        let proof = self.proof_behind(Proof::NONE);
        // Where two connections are in one stream, a second handshake does not begin another one.
        Channel { proof, midway: Proof::NONE, one_connection: self.one_connection || mixed, ..self }
    }

    /// What it proves behind a part of the log that has shown so much.
    pub fn proof_behind(&self, shown: Proof) -> Proof {
        self.proof.without(self.midway.without(shown))
    }
}
