//! What is noted of each message of the head.

use std::cell::RefCell;

use rustc_hash::FxHashSet;

use super::counters::Form;
use super::lanes::Lanes;
use super::marks::{
    Leaves, Marks, Signs, asks_much, digest, is_digest, is_emptied, is_hollow, is_needy, is_null_error, is_quoted,
    leaves, says_enough, shape, words,
};
use super::{Looked, clock};
use crate::capture::format::Reader;
use crate::capture::lines::{Lines, lossy};
use crate::capture::out::Out;
use crate::capture::{Body, Channel, Direction, Frame, FrameSink, Proof, Resume, Skip, Transport};
use crate::error::Result;
use crate::jsonrpc::{Defect, Id, IdField, Kind, Message, Ordinal};
use crate::protocol::{Facts, answers_handshake, is_notification, profiles};

/// The sender that is not told.
pub(super) const UNTOLD: u8 = Direction::Unknown.number();

/// What a message does to an exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Act {
    /// Asks.
    Ask,
    /// Asks for the handshake.
    Open,
    /// Answers.
    Answer,
    /// Neither.
    Tell,
}

/// What tells the digests of one text apart by who sent it.
fn of_sender(sender: u8) -> u64 {
    u64::from(sender).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

/// One message.
#[derive(Clone, Copy, Debug)]
pub(super) struct Note {
    /// Where its text starts.
    pub offset: u64,
    /// The line of its record.
    pub line: u64,
    pub at_us: Option<i64>,
    pub channel: u32,
    /// 0 and 1 are the two senders, [`UNTOLD`] is neither.
    pub sender: u8,
    /// True for what the writer of the log sent.
    pub sent: bool,
    pub act: Act,
    /// Digest of the id; 0 where there is none.
    pub id: u64,
    /// The id, where it is a whole number or the text of one.
    pub number: Option<i64>,
    /// What the id is in a count.
    pub rank: Option<Ordinal>,
    /// How the id is made.
    pub form: Option<Form>,
    /// Digest of sender and text.
    pub text: u64,
    /// Digest of the progress token that it gives or speaks of; 0 where there is none.
    pub token: u64,
    /// Digest of the id of the subscription that it is about; 0 where it is about none.
    pub about: u64,
    /// Digest of the id that it cancels; 0 where it cancels none.
    pub target: u64,
    /// What the envelope has that a logger may have put there.
    pub marks: Marks,
}

impl Note {
    /// What was said, when and in which stream: two connections may say the same at one time.
    pub(super) fn said(&self) -> (u32, u64, Option<i64>) {
        (self.channel, self.text, self.at_us)
    }

    /// Digest of its text, whoever sent it.
    pub(super) fn words(&self) -> u64 {
        self.text ^ of_sender(self.sender)
    }

    /// Who may have asked what this answers: the other sender, or one that is not told.
    pub(super) fn issuers(&self) -> &'static [u8] {
        match self.sender {
            0 => &[1, 2],
            1 => &[0, 2],
            _ => &[2, 0, 1],
        }
    }
}

/// The head.
#[derive(Clone, Default)]
pub(super) struct Notes {
    pub list: Vec<Note>,
    /// The names of its channels.
    pub names: Vec<Option<String>>,
    /// True if they are those of who served connections, and not of these.
    pub served: bool,
    /// How long the longest message is, in bytes.
    pub longest: usize,
    /// Texts that are cut off: how long they are, and whether they end in a mark.
    pub cut: Vec<usize>,
    /// True if the log itself says that messages are missing.
    pub lost: bool,
    /// Resolution of the clock in microseconds, the coarsest.
    pub resolution_us: i64,
    /// What its times themselves show of it, in microseconds; 0 where that is nothing.
    pub shown_us: i64,
    exact: bool,
    /// True if it is read line by line.
    pub by_line: bool,
    /// True if their ids were counted as they were read, so that they pair in that order and in no other.
    pub counts_ids: bool,
    /// True if what was sent is written down once it is sent: what was read meanwhile stands before it.
    pub sends_late: bool,
    /// True if a program wrote the messages anew: they are not the bytes that passed.
    pub rewritten: bool,
    /// Records that stand twice: where each stands, and where the one that is kept.
    pub again: Vec<(u64, u64)>,
    /// These records, and where each stood among all.
    pub taken: Vec<(usize, Note)>,
    /// Lists of messages, and those among them that hold a request with its answer.
    pub lists: [usize; 2],
    /// True if messages were passed over that seem to be logged twice.
    pub repeats: bool,
    signs: Signs,
    same: Same,
    handshakes: Vec<&'static str>,
    /// The id of a handshake that was not answered yet.
    opening: Option<u64>,
    /// Notifications that end a handshake.
    openers: Vec<&'static str>,
    /// Notifications that end a connection.
    farewells: Vec<&'static str>,
    /// Notifications that cancel.
    cancels: Vec<&'static str>,
    /// Codes of errors that say that a request was cancelled.
    cancelled_codes: Vec<i64>,
}

/// What a log may have in common in all its messages: once one of them differs, no other is asked.
#[derive(Clone, Default)]
struct Same {
    shape: Option<u64>,
    shapes_differ: bool,
    has_texts: bool,
}

impl Same {
    /// Digest of the keys of a message's parameters; 0 where it has none, and once they differ.
    fn shape(&mut self, text: &str) -> u64 {
        if self.shapes_differ {
            return 0;
        }
        let shape = shape(text);
        self.shapes_differ = shape != 0 && *self.shape.get_or_insert(shape) != shape;
        shape
    }

    /// What a message holds; nothing once a text was seen.
    fn leaves(&mut self, text: &str) -> Leaves {
        if self.has_texts {
            return Leaves::default();
        }
        let leaves = leaves(text);
        self.has_texts = leaves.texts;
        leaves
    }
}

impl Notes {
    /// True for a recording that says itself what belongs where, and when.
    pub(super) fn is_exact(&self) -> bool {
        self.exact
    }

    /// The names of the channels that hold a handshake.
    pub(super) fn greeted(&self) -> Vec<&Option<String>> {
        let opened = self.list.iter().filter(|note| note.act == Act::Open);
        let opened: FxHashSet<u32> = opened.map(|note| note.channel).collect();
        opened.into_iter().filter_map(|channel| self.names.get(channel as usize)).collect()
    }

    fn message(&mut self, frame: &Frame<'_>, text: &str, message: &Message<'_>, facts: &Facts<'_>) {
        self.longest = self.longest.max(text.len());
        let act = match message.kind {
            Kind::Request if self.handshakes.contains(&message.method()) => Act::Open,
            Kind::Request if message.id != IdField::Null => Act::Ask,
            Kind::Result | Kind::Error => Act::Answer,
            _ => Act::Tell,
        };
        let id = message.id.value().map_or(0, digest);
        let answers_opening = act == Act::Answer && self.opening.take_if(|opening| *opening == id).is_some();
        if act == Act::Open {
            self.opening = Some(id);
        }
        let sender = frame.direction.number();
        let cancels = self.cancels.contains(&message.method());
        let cancelled = facts.request_id().or(facts.param_id()).filter(|_| cancels);
        let null_id = message.id == IdField::Null && message.method.is_some();
        let params = message.method.as_ref().and_then(|_| self.signs.params.find(text.as_bytes()));
        let result = if message.kind == Kind::Result { self.signs.result.find(text.as_bytes()) } else { None };
        let bare = message.method.is_some() && params.is_none();
        let (printed, printed_whole) = message.method.as_ref().map_or((false, false), |_| self.signs.printed(text));
        let needy = is_needy(message.method());
        let marks = Marks {
            printed,
            printed_whole,
            void: message.kind == Kind::Result && self.signs.is_void(text)
                || message.defects.has(Defect::NeitherResultNorError),
            fails: message.error_code().is_some(),
            answers_other: answers_opening && message.kind == Kind::Result && !answers_handshake(text),
            cancelled: message.error_code().is_some_and(|code| self.cancelled_codes.contains(&code)),
            cancels,
            id_in_text: matches!(message.id.value(), Some(Id::Text(text)) if text.parse::<i64>().is_ok()),
            id_is_digest: matches!(message.id.value(), Some(Id::Text(text)) if is_digest(text)),
            target_is_number: matches!(Facts::id(cancelled), Some(Id::Int(_))),
            target_is_digest: matches!(Facts::id(cancelled), Some(Id::Text(text)) if is_digest(&text)),
            id_on_notification: message.id.value().filter(|_| is_note(message.method())).map(Id::hashed),
            null_on_notification: null_id && is_notification(message.method()),
            closes: self.farewells.contains(&message.method()),
            borrowed: facts.progress_token().is_some(),
            self_introduced: facts.token().is_some() && introduces_itself(message.method()),
            null_id,
            null_params: message.defects.has(Defect::NullParams),
            notification: message.kind == Kind::Notification,
            is_to_be_ended: act == Act::Open && text.contains("\"capabilities\""),
            greets: self.openers.contains(&message.method()),
            asks_much: act == Act::Open || asks_much(message.method(), needy),
            opened: self.openers.contains(&message.method()) || act == Act::Ask && message.method() != "ping",
            bare,
            hollow: bare && is_hollow(text),
            emptied: params.or(result).is_some_and(|at| is_emptied(text, at)),
            quoted: params.or(result).is_some_and(|at| is_quoted(text, at)),
            needy,
            says_enough: !needy && says_enough(message.method()),
            shape: if bare || message.method.is_none() { 0 } else { self.same.shape(text) },
            null_error: message.defects.has(Defect::ErrorObject) && is_null_error(text),
            bad_error: message.defects.has(Defect::ErrorObject),
            unversioned: message.defects.has(Defect::JsonrpcMember),
            holds: self.same.leaves(text),
            word: words(message, facts, text),
            structured: !bare
                && message.method.is_some()
                && !message.defects.has(Defect::Params)
                && !message.defects.has(Defect::NullParams),
        };
        let tokens = [facts.progress_token(), facts.work_done_token(), facts.partial_result_token(), facts.token()];
        self.list.push(Note {
            offset: frame.byte_offset,
            line: frame.line,
            at_us: frame.at_us,
            channel: frame.channel,
            sender,
            sent: frame.direction == Direction::Sent,
            act,
            id,
            number: message.id.value().and_then(number),
            rank: message.id.value().map(Ordinal::of),
            form: message.id.value().map(Form::of),
            text: digest(text) ^ of_sender(sender),
            token: tokens.into_iter().flatten().next().map_or(0, digest),
            about: Facts::id(facts.subscription()).map_or(0, digest),
            target: Facts::id(cancelled).map_or(0, digest),
            marks,
        });
    }
}

/// True if a list holds a request and its answer, which no side sends.
fn holds_exchange<'m>(members: impl Iterator<Item = &'m (Message<'m>, Facts<'m>)> + Clone) -> bool {
    let asked = |id: &Id| members.clone().any(|(other, _)| other.kind == Kind::Request && other.id.value() == Some(id));
    members.clone().any(|(message, _)| message.kind.is_response() && message.id.value().is_some_and(asked))
}

/// The number that an id counts with.
fn number(id: &Id) -> Option<i64> {
    match id {
        Id::Int(number) => Some(*number),
        Id::Number(_) => None,
        Id::Text(text) => text.parse().ok(),
    }
}

/// True for the method of a notification: asked of every message, so most are told by how their names begin.
fn is_note(method: &str) -> bool {
    const HEADS: [&str; 6] = ["notifications/", "$/", "session/", "textDocument/did", "window/", "initialized"];
    HEADS.iter().any(|head| method.starts_with(head)) && is_notification(method)
}

/// True for progress of a protocol that introduces it by an event.
fn introduces_itself(method: &str) -> bool {
    profiles().any(|profile| profile.progress_step(method).is_some())
}

/// Shared, so that whoever reads can see how many there are.
impl FrameSink for &RefCell<Notes> {
    fn channel(&mut self, _: u32, channel: Channel) -> Result<()> {
        let mut notes = self.borrow_mut();
        // HTTP alone keeps nothing apart; who knows its streams does.
        let keeps_apart = channel.transport == Transport::Http && channel.proof.covers(Proof::STREAMS);
        notes.exact |= channel.one_connection || channel.session.is_some() || keeps_apart;
        notes.counts_ids |= channel.counts_ids;
        notes.sends_late |= channel.sends_late;
        notes.resolution_us = notes.resolution_us.max(channel.resolution_us);
        notes.names.push(channel.name);
        Ok(())
    }

    fn frame(&mut self, frame: &Frame<'_>) -> Result<()> {
        let mut notes = self.borrow_mut();
        notes.exact |= frame.taps.is_some() || frame.stream.is_some();
        match &frame.body {
            Body::Message(captured) => {
                let text = captured.json.unwrap_or(captured.text);
                notes.message(frame, text, &captured.message, &captured.facts);
            }
            Body::Batch { text, members } => {
                notes.lists[0] += 1;
                notes.lists[1] += usize::from(holds_exchange(members.iter().filter_map(|(_, one)| one.as_ref().ok())));
                for (range, member) in members {
                    if let Ok((message, facts)) = member {
                        notes.message(frame, &text[range.clone()], message, facts);
                    }
                }
            }
            Body::Malformed { bytes, .. } => notes.cut.push(bytes.len()),
            Body::Missing(_) => notes.lost = true,
            _ => {}
        }
        Ok(())
    }

    fn skipped(&mut self, _: u64, why: Skip) {
        self.borrow_mut().repeats |= why == Skip::Duplicate;
    }
    fn progress(&mut self, _: u64) {}
}

/// How many messages are looked at where the head is not all.
const MESSAGES: usize = 1000;

/// Formats that keep the bytes that passed. Any other may be a program's that read a message and wrote it down.
const AS_THEY_PASSED: [&str; 4] = ["ndjson", "content-length", "strace", "rec"];

/// Notes on the head of a log; nothing where it cannot be looked at without reading all of it.
pub(super) fn take(of: &Looked<'_>, head: &[u8], whole: bool, repeats: bool) -> Option<Notes> {
    let (format, telling) = (of.format, of.telling());
    let handshakes = profiles().filter_map(|profile| profile.opening.initialize).collect();
    let rewritten = !AS_THEY_PASSED.contains(&format.name());
    let openers = profiles().filter_map(|profile| profile.opening.initialized).collect();
    let farewells = profiles().flat_map(|profile| [profile.opening.shutdown, profile.opening.exit]).flatten().collect();
    let cancels = profiles().filter_map(|profile| Some(profile.cancel?.0)).collect();
    let cancelled_codes = profiles().filter_map(|profile| profile.cancelled_code).collect();
    let notes = Notes { handshakes, openers, farewells, cancels, cancelled_codes, rewritten, ..Notes::default() };
    let notes = RefCell::new(notes);
    let mut sink = &notes;
    let mut out = Out::new(&mut sink, 0, of.overrides);
    if repeats {
        out = out.with_repeats();
    }
    let kept_apart = !telling.is_empty();
    let reader = format.reader(of.sample);
    let by_line = matches!(reader, Reader::Lines(_) | Reader::Ordered(_));
    match reader {
        Reader::Lines(mut reader) | Reader::Ordered(mut reader) => {
            if kept_apart {
                out.look_for_key();
                reader = Box::new(Lanes::new(telling, format, of.sample));
            }
            let end = if whole { head.len() } else { memchr::memrchr(b'\n', head)? + 1 };
            let mut lines = Lines::new(&head[..end], Resume::default(), false).ok()?;
            while let Some(line) = lines.next().ok()?.filter(|_| whole || notes.borrow().list.len() < MESSAGES) {
                match line.oversized {
                    None => reader.line(&line, &mut out).ok()?,
                    Some(_) => reader.oversized(&line, &mut out).ok()?,
                }
            }
            reader.end(&mut out).ok()?;
        }
        Reader::Whole(mut reader) if whole => reader.read(&lossy(head), 0, &mut out).ok()?,
        Reader::Whole(_) | Reader::Bytes(_) => return None,
    }
    let served = !kept_apart && out.named_around();
    drop(out);
    let mut notes = notes.into_inner();
    let times: Vec<i64> = notes.list.iter().filter_map(|note| note.at_us).collect();
    if let Some(step_us) = clock::shown_us(&times, notes.resolution_us).filter(|_| of.format.name() != "rec") {
        notes.shown_us = step_us;
        notes.resolution_us = notes.resolution_us.max(step_us);
    }
    Some(Notes { served, by_line, ..notes })
}

/// How far before its request what it brings about may stand where two threads write a log, in messages.
pub(super) const NEAR: usize = 8;
