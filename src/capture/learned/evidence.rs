//! The messages of a sample, what stands before each, and what they prove of their senders.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::capture::anywhere::{Piece, Row, Scanner, is_sign};
use crate::capture::encoded::json_of;
use crate::capture::senders::{self, Spoken};
use crate::json::scan::{skip_white, value_end};
use crate::jsonrpc::{Kind, NoLift, Parsed, parse_at};
use crate::protocol::{Side, answers_handshake};

/// How many messages are learned from at most.
const MOST: usize = 4096;

/// One message of the sample.
#[derive(Clone, Debug)]
pub(super) struct Example {
    /// What stands before it.
    pub before: String,
    pub line: u64,
    pub said: Spoken,
    /// True if it stands alone between brackets.
    pub enclosed: bool,
}

impl Example {
    /// The words before it, without times, numbers and brackets.
    fn words(&self) -> String {
        self.before.chars().filter(|c| c.is_alphabetic() || is_sign(*c)).collect()
    }
}

/// What a sample holds.
#[derive(Debug, Default)]
pub(super) struct Sampled {
    pub seen: Vec<Example>,
    /// Messages of which only the beginning is there.
    pub cut: usize,
    /// Arrays of messages; who sent one, its words tell, and its members are not asked.
    pub batches: usize,
    /// True if some take several lines.
    pub joined: bool,
    /// Messages that have the line above for a label.
    pub above: usize,
    /// Messages with nothing before them.
    pub bare: usize,
    /// Messages that are a part of a line that is JSON.
    pub inside: usize,
    /// True if one answers a handshake.
    pub greeted: bool,
}

/// Goes through the lines of a sample; `below` says that a line may be the label of the message below it.
pub(super) fn sample(text: &str, below: bool) -> Sampled {
    let (mut scanner, mut all) = (Scanner::new(below), Sampled::default());
    let (mut scratch, mut bytes) = (String::new(), Vec::new());
    for (index, line) in text.split('\n').enumerate() {
        let row = Row { text: line.trim_end_matches('\r'), number: index as u64 + 1, offset: 0 };
        let white = skip_white(row.text.as_bytes(), 0);
        let is_json = row.text[white..].starts_with(['{', '[']);
        let json = is_json.then(|| value_end(row.text.as_bytes(), white)).flatten().unwrap_or(0) as u64;
        // The closure never fails, so neither does the scanner.
        let _ = scanner.line(&row, &mut |piece| {
            all.inside += usize::from(!piece.joined && (white as u64 + 1..json).contains(&piece.offset));
            all.add(piece, &mut scratch, &mut bytes);
            Ok(())
        });
        if all.seen.len() >= MOST {
            break;
        }
    }
    senders::prove(all.seen.iter_mut().map(|seen| &mut seen.said));
    all
}

impl Sampled {
    fn add(&mut self, piece: &Piece<'_>, scratch: &mut String, bytes: &mut Vec<u8>) {
        self.joined |= piece.joined;
        self.above += usize::from(piece.above);
        self.bare += usize::from(piece.before.trim().is_empty());
        let json = json_of(piece.payload, scratch, bytes).ok().map(|(json, _)| json);
        let (json, message) = match json.map(|json| (json, parse_at::<NoLift>(json, 0))) {
            Some((json, Ok((Parsed::One(message, _), _)))) => (json, message),
            Some((_, Ok((Parsed::Batch(_), _)))) => return self.batches += 1,
            _ => return self.cut += 1,
        };
        self.greeted |= message.kind == Kind::Result && answers_handshake(json);
        let (before, line, said) = (piece.before.to_string(), piece.line, Spoken::of(&message));
        self.seen.push(Example { before, line, said, enclosed: piece.enclosed });
    }

    /// How many messages and arrays there are, whole or not.
    pub(super) fn count(&self) -> usize {
        self.seen.len() + self.batches + self.cut
    }

    /// True if some messages stand alone between brackets, and behind the same words others without: the logger writes none, so that
    /// these are arrays that were sent.
    pub(super) fn has_arrays(&self) -> bool {
        let mut enclosed = self.seen.iter().filter(|seen| seen.enclosed).peekable();
        if enclosed.peek().is_none() {
            return false;
        }
        let open: FxHashSet<String> = self.seen.iter().filter(|seen| !seen.enclosed).map(Example::words).collect();
        enclosed.all(|seen| open.contains(&seen.words()))
    }

    /// True if no message answers another, where there are requests: what is missing was never logged.
    pub(super) fn is_one_sided(&self) -> bool {
        let requests = self.seen.iter().filter(|seen| seen.said.kind == Kind::Request).count();
        requests + self.cut > 2 && !self.seen.iter().any(|seen| seen.said.kind.is_response())
    }

    /// True if most requests have an answer behind them, and most answers a request before them. Ids of what one side asks and answers
    /// pair by chance, too, but not throughout.
    pub(super) fn answers_itself(&self) -> bool {
        let (mut open, mut asked, mut answers, mut pairs) = (FxHashMap::<&str, usize>::default(), 0, 0, 0);
        for said in self.seen.iter().map(|seen| &seen.said) {
            let Some(id) = said.id.as_deref() else { continue };
            let open = open.entry(id).or_default();
            match said.kind {
                Kind::Request => (*open, asked) = (*open + 1, asked + 1),
                kind if kind.is_response() => {
                    pairs += usize::from(*open > 0);
                    (*open, answers) = (open.saturating_sub(1), answers + 1);
                }
                _ => {}
            }
        }
        pairs * 2 > asked && pairs * 2 > answers
    }

    /// The first message that proves what a side sends, by its method.
    pub(super) fn proof(&self, side: Side) -> Option<&Example> {
        self.seen.iter().find(|seen| seen.said.sender == Some(side) && !seen.said.method.is_empty())
    }
}
