//! Who wrote a trace, told from its head.

use super::clock;
use super::header::{Header, RecordKind};
use super::record::{label, says_nothing};
use crate::capture::sample::Sample;
use crate::capture::{Proof, Vantage};
use crate::protocol::{Sender, Side, sender_of};

/// The writers of the family.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dialect {
    /// vscode-languageclient up to 9, and coc.nvim.
    VsCode,
    /// vscode-languageclient from 10 on: a log output channel instead of brackets.
    VsCodeChannel,
    /// LSP4J, mostly within a server.
    Lsp4j,
    /// The console of LSP4IJ, within a JetBrains IDE.
    Lsp4ij,
    /// gopls, which takes the client's part in what it says.
    Gopls,
    /// Emacs lsp-mode.
    LspMode,
}

/// What the head of a trace tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Told {
    pub dialect: Dialect,
    /// How many headers there are.
    pub headers: usize,
    /// False at the level that shows no parameters and results.
    pub payloads: bool,
    /// The side whose sending is called sending.
    pub writer: Side,
    pub resolution_us: i64,
}

impl Told {
    /// Where the log was written, which for gopls is not the side that it speaks for.
    pub(super) fn vantage(&self) -> Vantage {
        match (self.dialect, self.writer) {
            (Dialect::Gopls, _) | (_, Side::Server) => Vantage::Server,
            (_, Side::Client) => Vantage::Client,
        }
    }

    pub(super) fn proof(&self) -> Proof {
        let mut proof = Proof::FULL.without(Proof::ENVELOPE);
        if !self.payloads {
            proof = proof.without(Proof::PAYLOAD.and(Proof::CANCEL_TARGET));
        }
        match self.dialect {
            Dialect::Gopls => proof.without(Proof::ERROR_CODE),
            // An error that LSP4J sends is printed as a null result; what answers no known request is not printed.
            Dialect::Lsp4j if self.writer == Side::Server => proof.without(Proof::ERROR_CODE.and(Proof::ALL_ANSWERS)),
            Dialect::Lsp4j => proof.without(Proof::ALL_ANSWERS),
            _ => proof,
        }
    }
}

/// Signs that tell dialects apart.
#[derive(Default)]
struct Signs {
    channel: bool,
    gopls: bool,
    unbalanced: bool,
    padded: bool,
    halves: bool,
    bare_request: bool,
    bare_notification: bool,
    narrow: bool,
}

impl Signs {
    fn add(&mut self, header: &Header<'_>) {
        self.channel |= header.time.is_none();
        let time = header.time.unwrap_or("");
        let half = time.ends_with(" AM") || time.ends_with(" PM");
        self.halves |= half;
        self.gopls |= header.what == RecordKind::Failure || half && time.contains('.');
        self.padded |= half && time.starts_with('0');
        match header.what {
            RecordKind::Request if !header.rest.starts_with('\'') => self.unbalanced = true,
            RecordKind::Request => self.bare_request |= header.rest == "'",
            RecordKind::Notification => self.bare_notification |= header.rest.is_empty(),
            _ => {}
        }
    }

    fn dialect(&self) -> Dialect {
        match self {
            Signs { gopls: true, .. } => Dialect::Gopls,
            Signs { channel: true, .. } => Dialect::VsCodeChannel,
            Signs { unbalanced: true, .. } => Dialect::LspMode,
            Signs { bare_request: true, .. } => Dialect::Lsp4j,
            Signs { bare_notification: true, halves: true, .. } => Dialect::Lsp4j,
            Signs { bare_notification: true, .. } => Dialect::Lsp4ij,
            Signs { padded: true, .. } => Dialect::LspMode,
            Signs { halves: true, narrow: true, .. } => Dialect::LspMode,
            _ => Dialect::VsCode,
        }
    }
}

/// Tells the dialect of a text that has headers of this family.
pub(super) fn tell(sample: &Sample) -> Option<Told> {
    let text = sample.text();
    if !["[Trace - ", "[Error - ", "[trace] "].iter().any(|sign| text.contains(sign)) {
        return None;
    }
    let (mut signs, mut headers, mut payloads) = (Signs::default(), 0, false);
    let (mut writer, mut resolution_us) = (None, 1_000_000);
    let mut after_label = false;
    for line in text.lines() {
        if let Some(header) = Header::read(line) {
            headers += 1;
            signs.add(&header);
            writer = writer.or_else(|| writer_by(&header));
            resolution_us = resolution_us.min(resolution(&header));
        } else if headers > 0 {
            signs.narrow |= after_label && line.starts_with("  \"");
            payloads |= label(line.as_bytes()).is_some() || says_nothing(line.as_bytes());
        }
        after_label = label(line.as_bytes()).is_some() && line.ends_with('{');
    }
    let dialect = signs.dialect();
    let writer = match dialect {
        Dialect::Gopls => Side::Client,
        Dialect::Lsp4j => writer.unwrap_or(Side::Server),
        _ => writer.unwrap_or(Side::Client),
    };
    (headers > 0).then_some(Told { dialect, headers, payloads, writer, resolution_us })
}

/// The side that wrote a header, where the method is one that only one side sends.
fn writer_by(header: &Header<'_>) -> Option<Side> {
    let sender = match (header.what, sender_of(header.method)?) {
        (RecordKind::Response | RecordKind::Failure, _) => return None,
        (_, Sender::Client) => Side::Client,
        (_, Sender::Server) => Side::Server,
        _ => return None,
    };
    Some(if header.sent { sender } else { sender.peer() })
}

fn resolution(header: &Header<'_>) -> i64 {
    match (header.outer_time, header.time) {
        (Some(time), _) => crate::capture::time::parse(time).map_or(1_000_000, |time| time.resolution_us),
        (None, Some(time)) => clock::time_of_day(time).map_or(1_000_000, |(_, resolution)| resolution),
        _ => 1_000_000,
    }
}
