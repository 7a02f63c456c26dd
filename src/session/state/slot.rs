//! Exchanges as the fold keeps them.

use super::rounds::Call;
use std::rc::Rc;

use super::late_progress::LateProgress;
use super::progressed::Progressed;
use crate::jsonrpc::Id;
use crate::protocol::{Capabilities, Role, Side, Wanted};
use crate::session::exchange::Exchange;
use crate::session::race::Judgement;
use crate::session::seen::{FrameId, Seen};

/// An exchange with what only the fold needs to know of it. Thousands are held: what few of them have stands behind a pointer.
pub(in crate::session) struct Slot {
    pub(in crate::session) exchange: Exchange,
    pub(in crate::session) role: Role,
    /// Superseded instances of this id that were not answered yet.
    pub(in crate::session) absorb: Absorb,
    /// How the request spelled its id, where that is not the canonical way.
    pub(in crate::session) spelling: Option<Box<str>>,
    /// Answers that the other side had sent when the request passed.
    pub(in crate::session) answers_before: u64,
    /// The cancel was itself against the rules: nothing that follows is held against the receiver.
    pub(in crate::session) cancel_void: bool,
    /// Over HTTP a cancel of it was written down before it: which of them was sent first is not known.
    pub(in crate::session) cancelled_before: bool,
    /// `session/cancel` of the turn that this (permission) request belongs to.
    pub(in crate::session) turn_cancel: Option<Box<Seen>>,
    /// The turn or task it names, where it names one.
    pub(in crate::session) topic: Option<Rc<str>>,
    /// The request states its revision and the client's capabilities.
    pub(in crate::session) has_meta: bool,
    /// The exchange that it serves, as it is known here.
    pub(in crate::session) parent: Option<Box<Handle>>,
    /// Progress that came after the cancel.
    pub(in crate::session) late_progress: Vec<LateProgress>,
    /// Its token for partial results, which is not its progress token.
    pub(in crate::session) partial_token: Option<Box<Id>>,
    /// The last progress value, and the stream that it came on.
    pub(in crate::session) progressed: Option<Progressed>,
    pub(in crate::session) progressed_on: Option<u32>,
    /// The last one on the stream before, where they are of several.
    pub(in crate::session) progressed_before: Option<Box<Report>>,
    /// The stream that its answer came on.
    pub(in crate::session) answered_on: Option<u32>,
    /// It was answered by a question for input.
    pub(in crate::session) asks_input: bool,
    /// A subscription that was acknowledged, or of which it was said that it was not.
    pub(in crate::session) acknowledged: bool,
    /// Partial results were reported.
    pub(in crate::session) partial: bool,
    /// The work that was begun with its token, and whether it was ended.
    pub(in crate::session) work: Option<Box<(Seen, bool)>>,
    /// The last sign of work on it that is no progress: see [`Slot::sign_of_work`].
    pub(in crate::session) worked: Option<Box<Seen>>,
    /// What a subscription asks for.
    pub(in crate::session) wanted: Wanted,
    /// The options of a permission request, by their hashes.
    pub(in crate::session) options: Option<Box<[u64]>>,
    /// What it asks for, whatever it brings (MCP 2026-07-28).
    pub(in crate::session) round: Call,
    /// What the pages before the one that it asks for say of who may keep them (MCP 2026-07-28).
    pub(in crate::session) scope: Option<(u64, Seen)>,
    /// The terminal that it is about (ACP).
    pub(in crate::session) terminal: Option<Box<Id>>,
    /// It refers to an earlier result (LSP).
    pub(in crate::session) previous_result: bool,
    /// What the request itself states of its issuer's capabilities.
    pub(in crate::session) stated: Option<Capabilities>,
    /// What it says of the log messages that it wants (MCP 2026-07-28).
    pub(in crate::session) wish: Wish,
    /// What became of the POST that carried it.
    pub(in crate::session) post: Post,
    /// Where the server closed its stream in a way that lets the client take it up again.
    pub(in crate::session) hung_up: Option<Box<Seen>>,
    /// Key among the calls in flight (rule CAN025).
    pub(in crate::session) call: Option<u64>,
}

impl Slot {
    /// True if the request gave this token for progress or partial results.
    pub(in crate::session) fn gave(&self, token: &Id) -> bool {
        self.exchange.progress_token.as_ref() == Some(token) || self.partial_token.as_deref() == Some(token)
    }

    /// True while somebody may be working on it: a POST that was refused gave nobody work, and where a stream that breaks off loses its
    /// request, nobody goes on with it.
    pub(in crate::session) fn is_at_work(&self) -> bool {
        let lost = match self.post {
            Post::Open => false,
            Post::Ended => self.exchange.profile.stream_close_cancels,
            Post::Refused => true,
        };
        self.exchange.in_flight() && !lost
    }

    /// The last sign that its receiver works on it: progress, a request that serves it or the answer that this waited for, or what else
    /// comes on its stream.
    pub(in crate::session) fn sign_of_work(&self) -> Option<Seen> {
        self.exchange.last_progress.into_iter().chain(self.worked.as_deref().copied()).max_by_key(|seen| seen.frame)
    }

    /// Takes down how far something has come, and gives what came before it: of the same stream, if there is such.
    pub(in crate::session) fn report(
        &mut self,
        now: Option<Progressed>,
        seen: Seen,
        stream: Option<u32>,
    ) -> Option<Report> {
        let (how, on) =
            (std::mem::replace(&mut self.progressed, now), std::mem::replace(&mut self.progressed_on, stream));
        let last = self.exchange.last_progress.replace(seen).zip(how);
        let last = last.map(|(seen, how)| Report { how, seen, stream: on });
        if on == stream || last.is_none() {
            return last;
        }
        let older = std::mem::replace(&mut self.progressed_before, last.map(Box::new));
        older.map(|older| *older).filter(|older| older.stream == stream).or(last)
    }
}

/// What became of the POST that carried a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::session) enum Post {
    /// The answer may still come; so it may where it was only taken (202), and ended.
    #[default]
    Open,
    /// It has ended without the answer.
    Ended,
    /// It was refused or redirected, whether or not it has ended: the request has come to nobody.
    Refused,
}

/// Progress that a stream has brought.
#[derive(Clone, Copy, Debug)]
pub(in crate::session) struct Report {
    pub(in crate::session) how: Progressed,
    pub(in crate::session) seen: Seen,
    pub(in crate::session) stream: Option<u32>,
}

/// What a request says of the log messages that it wants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::session) enum Wish {
    /// Nothing.
    #[default]
    Unsaid,
    /// From a level on.
    Level,
    /// From a level on that there is not.
    Unknown,
    /// Nothing, and it was told that some came all the same.
    Told,
}

/// A request as others know it: its id may have been used again since.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::session) struct Handle {
    pub(in crate::session) issuer: Side,
    pub(in crate::session) id: Id,
    pub(in crate::session) request: FrameId,
}

/// Superseded instances of an id: each absorbs one response.
#[derive(Clone, Copy, Default)]
pub(in crate::session) struct Absorb {
    pub(in crate::session) answers: u32,
    /// How many of them were cancelled.
    pub(in crate::session) cancelled: u32,
}

impl Absorb {
    /// A cancel names one of those that wait.
    pub(in crate::session) fn one_cancelled(self) -> Absorb {
        Absorb { cancelled: (self.cancelled + 1).min(self.answers), ..self }
    }

    /// One answer less is owed: that of a cancelled one, where the answer says so.
    pub(in crate::session) fn less(self, cancelled: bool) -> Absorb {
        let answers = self.answers.saturating_sub(1);
        Absorb { answers, cancelled: self.cancelled.saturating_sub(u32::from(cancelled)).min(answers) }
    }
}

/// Whether a request is one that its sender has sent before.
pub(in crate::session) enum Again {
    /// It is not.
    New,
    /// On a stream that goes on with another one.
    Replayed,
    /// By another POST, since the first one came to nothing.
    Posted,
    /// On another stream; how sure it is that this is no resumption.
    Sent(Judgement),
}

/// The request that opened a stream.
#[derive(Clone, Debug)]
pub(in crate::session) struct Opener {
    /// True once an event with an id came on it: its client can take it up again.
    pub(in crate::session) has_ids: bool,
    pub(in crate::session) issuer: Side,
    pub(in crate::session) id: Id,
    pub(in crate::session) request: Seen,
    pub(in crate::session) answer: Option<Seen>,
}
