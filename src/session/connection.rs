//! A connection's facts, as rules see them.

use super::missing::Stretches;
use super::seen::{FrameId, Seen};
use crate::capture::Channel;
use crate::capture::{Exit, Proof, Transport, Vantage, Why};
use crate::jsonrpc::Id;
use crate::protocol::{About, Capabilities, Profile, Side};

/// How the log tells who sent what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Directions {
    /// The log says so, or the vantage resolves it.
    Stated,
    /// At least one message's sender had to be inferred.
    Inferred,
}

/// How a connection ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The capture merely ends.
    Open,
    /// A close or exit was seen, and who ended it, where known.
    Closed(Option<Side>),
}

/// The steps of a handshake and of an orderly end, each with the message that took it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Lifecycle {
    /// The handshake request: of several attempts the last, unless one before it was answered with success.
    pub initialize: Option<Seen>,
    /// The first attempt of all.
    pub first_initialize: Option<Seen>,
    /// Its answer.
    pub initialize_answer: Option<Seen>,
    /// True if that answer was an error.
    pub initialize_failed: bool,
    /// The first answer in which a server without a handshake declares itself.
    pub discovered: Option<Seen>,
    /// The notification that ends the handshake.
    pub initialized: Option<Seen>,
    /// True if rule LIF005 has spoken for this connection.
    pub operated_early: bool,
    /// The `shutdown` request.
    pub shutdown: Option<Seen>,
    /// Its answer.
    pub shutdown_answer: Option<Seen>,
    /// The `exit` notification.
    pub exit: Option<Seen>,
    /// A client request before any `initialize` was seen in a complete capture.
    pub early_request: Option<Seen>,
}

/// What is said of a connection when it is opened.
#[derive(Clone, Debug)]
pub struct Opened {
    /// Row in the store, and index in the fold.
    pub id: u32,
    /// The key.
    pub key: String,
    /// What the log says of the channel.
    pub channel: Channel,
    /// A profile that the user demands, overruling all else.
    pub demanded: Option<&'static Profile>,
}

/// Facts of one connection.
#[derive(Clone, Debug)]
pub struct Connection {
    /// Row in the store, and index in the fold.
    pub id: u32,
    /// The key: the same string wherever the audit runs.
    pub key: String,
    /// The profile, once known.
    pub profile: &'static Profile,
    /// Where the capture was taken.
    pub vantage: Vantage,
    /// Whether order holds.
    pub transport: Transport,
    /// How the log tells who sent what.
    pub directions: Directions,
    /// What the log can prove.
    pub proof: Proof,
    /// What the log does not show of it. Ask the [`super::Ledger`], which knows what its sources miss, too.
    pub missing: Stretches,
    /// Messages of which a filter has taken something out, by what they are about.
    pub taken_out: Vec<(About, Stretches)>,
    /// What looks like messages, in few records of a log that says of its messages who sent them and of these does not.
    pub doubtful: Option<Box<Stretches>>,
    /// The sources that it has frames from.
    pub sources: Vec<u32>,
    /// Whether the log is known to start in the middle of it; a log that starts with its first message is no such.
    pub starts_midway: bool,
    /// True while only the protocol was told, and the revision that is meant where none is stated was taken.
    pub revision_assumed: bool,
    /// True if the handshake agreed on a revision that this program does not know.
    pub revision_strange: bool,
    /// True while the revision is the one that the client asked for, and no answer has agreed to it.
    pub revision_asked: bool,
    /// Whether the messages have a usable time.
    pub timed: bool,
    /// How it ended, as far as the capture was read.
    pub end: End,
    /// How the server's process ended, where the log shows it.
    pub exit: Option<(Seen, Exit)>,
    /// True if the format itself tells connections apart: a second handshake is none of a server that was started anew.
    pub separated: bool,
    /// The handshake.
    pub lifecycle: Lifecycle,
    /// The token that the handshake request gave for progress on itself.
    pub handshake_token: Option<Id>,
    /// Capabilities that the client declared.
    pub client: Option<Capabilities>,
    /// Capabilities that the server declared.
    pub server: Option<Capabilities>,
    /// Name and version of the client, as it says.
    pub client_name: Option<String>,
    /// Name and version of the server, as it says.
    pub server_name: Option<String>,
    /// First frame.
    pub first: Option<Seen>,
    /// Last frame.
    pub last: Option<Seen>,
    /// The first time and the last one that frames tell, in microseconds since the epoch: those at the ends may tell none.
    pub times: Option<(i64, i64)>,
    /// Messages, malformed ones not counted.
    pub messages: u64,
    /// Those among them that are JSON, and neither request nor notification nor response.
    pub unclassified: u64,
    /// Requests.
    pub requests: u64,
    /// Cancels of any kind.
    pub cancels: u64,
    /// True at its end if the server answered a request of the client that the log does not have, or told of its progress, and nothing
    /// says which of the two is at fault, server or log.
    pub unclaimed: bool,
    /// The close or exit frame, where one was seen.
    pub closed: Option<FrameId>,
}

impl Connection {
    /// True if the log is known to show how the connection began.
    pub fn complete_head(&self) -> bool {
        let head = self.missing.list.iter().find(|stretch| stretch.why == Why::Head);
        head.is_none() || self.missing.begins > 0
    }

    /// How the server's process ended, where nothing shows that its client had ended the connection before.
    pub fn died(&self) -> Option<(Seen, Exit)> {
        self.exit.filter(|_| self.end == End::Closed(Some(Side::Server)) && self.lifecycle.exit.is_none())
    }

    /// Name and version of a side, as it says.
    pub fn name(&self, side: Side) -> Option<&str> {
        match side {
            Side::Client => self.client_name.as_deref(),
            Side::Server => self.server_name.as_deref(),
        }
    }

    /// A side says who it is, or does not.
    pub(super) fn introduce(&mut self, side: Side, name: Option<String>) {
        let own = match side {
            Side::Client => &mut self.client_name,
            Side::Server => &mut self.server_name,
        };
        *own = name.or(own.take());
    }

    /// Capabilities declared by a side.
    pub fn capabilities(&self, side: Side) -> Option<&Capabilities> {
        match side {
            Side::Client => self.client.as_ref(),
            Side::Server => self.server.as_ref(),
        }
    }
}
