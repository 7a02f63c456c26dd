//! A look at the head of a log by a definition: does it fit, and whose log is it?

use std::sync::Arc;

use super::reader::DefinitionReader;
use super::ready::Definition;
use crate::capture::format::LineReader;
use crate::capture::lines::Lines;
use crate::capture::out::Out;
use crate::capture::sample::Sample;
use crate::capture::{Body, Channel, Direction, Frame, FrameSink, Overrides, Resume, Skip, Vantage};
use crate::error::Result;
use crate::jsonrpc::{Defect, Kind};
use crate::protocol::{Sender, Side, sender_of};

/// What was seen.
#[derive(Debug, Default)]
pub(super) struct Probe {
    /// How many messages.
    pub(super) messages: usize,
    /// The line of the first.
    pub(super) first: u64,
    /// The side that wrote the log, and the method that tells it.
    pub(super) logger: Option<(Side, String)>,
    /// How many messages have the `jsonrpc` member.
    pub(super) enveloped: usize,
    /// How many cancels came without parameters.
    pub(super) bare: u64,
    /// How many messages came from the side that sends such, and from the other one; line and method of the first
    /// of those.
    pub(super) sides: (usize, usize),
    pub(super) contrary: Option<(u64, String)>,
    /// The direction of the first message.
    direction: Option<Direction>,
    /// True if another one has another direction.
    pub(super) both_ways: bool,
    /// True if its times have dates, or there are none.
    pub(super) dated: bool,
}

impl FrameSink for Probe {
    fn channel(&mut self, _: u32, _: Channel) -> Result<()> {
        Ok(())
    }

    fn frame(&mut self, frame: &Frame<'_>) -> Result<()> {
        let Body::Message(captured) = &frame.body else { return Ok(()) };
        if captured.message.kind == Kind::Unclassified {
            return Ok(());
        }
        if self.messages == 0 {
            (self.first, self.dated) = (frame.line, frame.at_us.is_none_or(|us| us > 40 * 86_400_000_000));
        }
        self.messages += 1;
        self.both_ways |= *self.direction.get_or_insert(frame.direction) != frame.direction;
        self.enveloped += usize::from(!captured.message.defects.has(Defect::JsonrpcMember));
        let sender = match sender_of(captured.message.method()) {
            Some(Sender::Client) => Side::Client,
            Some(Sender::Server) => Side::Server,
            _ => return Ok(()),
        };
        match frame.direction {
            Direction::By(side) if side == sender => self.sides.0 += 1,
            Direction::By(_) => {
                self.sides.1 += 1;
                self.contrary.get_or_insert_with(|| (frame.line, captured.message.method().to_string()));
            }
            _ => {}
        }
        if self.logger.is_none() {
            let logger = match frame.direction {
                Direction::Sent => sender,
                Direction::Received => sender.peer(),
                _ => return Ok(()),
            };
            self.logger = Some((logger, captured.message.method().to_string()));
        }
        Ok(())
    }

    fn skipped(&mut self, _: u64, _: Skip) {}
    fn progress(&mut self, _: u64) {}
}

/// Reads the head of a log by a definition.
pub(super) fn probe(definition: &Arc<Definition>, sample: &Sample) -> Probe {
    let mut seen = Probe { dated: true, ..Probe::default() };
    let overrides = Overrides::default();
    let mut out = Out::new(&mut seen, 0, &overrides);
    let mut reader = DefinitionReader::new(Arc::clone(definition), Vantage::Unknown);
    // Nothing here can fail: the text is in memory and the sink takes all.
    if let Ok(mut lines) = Lines::new(sample.text().as_bytes(), Resume::default(), false) {
        while let Ok(Some(line)) = lines.next() {
            let read = match line.oversized {
                None => reader.line(&line, &mut out),
                Some(_) => reader.oversized(&line, &mut out),
            };
            if read.is_err() {
                break;
            }
        }
        let _ = reader.end(&mut out);
    }
    seen.bare = reader.bare();
    seen
}
