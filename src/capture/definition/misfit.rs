//! Why a definition does not fit a log: which part of it failed, and on which line it came furthest.

use std::sync::Arc;

use regex::Regex;
use regex_syntax::ast::{Ast, parse::Parser};

use super::reader::DefinitionReader;
use super::ready::Definition;
use crate::capture::format::{LineReader, Misfit};
use crate::capture::lines::{Line, Lines};
use crate::capture::out::Out;
use crate::capture::sample::Sample;
use crate::capture::{Body, Channel, Frame, FrameSink, Overrides, Resume, Skip, Vantage};
use crate::error::Result;

/// How many lines are tried.
const LINES: usize = 200;

/// The parts of an expression: what comes before each, and the part itself.
pub(super) struct Prefixes(Vec<(Regex, String)>);

impl Prefixes {
    /// Takes an expression apart, the longest beginning first.
    pub(super) fn of(start: &Regex) -> Prefixes {
        let text = start.as_str();
        let Ok(ast) = Parser::new().parse(text) else { return Prefixes(Vec::new()) };
        let Ast::Concat(whole) = &ast else { return Prefixes(Vec::new()) };
        // The parts are shown as whoever wrote them knows them, characters one after the other as one text.
        let each = (1..whole.asts.len()).rev().filter_map(|at| {
            let is_text = |part: &&Ast| matches!(part, Ast::Literal(_));
            let texts = whole.asts[at..].iter().take_while(is_text).count();
            let (from, to) = (whole.asts[at].span().start.offset, whole.asts[at + texts.max(1) - 1].span().end.offset);
            Some((Regex::new(text.get(..from)?).ok()?, text.get(from..to)?.to_string()))
        });
        Prefixes(each.collect())
    }

    /// The column up to which a line fits, and the part that does not.
    fn furthest(&self, line: &str) -> Option<(usize, &str)> {
        let (found, part) = self.0.iter().find_map(|(before, part)| Some((before.find(line)?, part)))?;
        Some((found.end(), part))
    }
}

/// What became of the lines.
#[derive(Default)]
struct LineTally {
    skipped: Vec<(u64, Skip)>,
    malformed: Vec<(u64, String)>,
    messages: usize,
}

impl FrameSink for LineTally {
    fn channel(&mut self, _: u32, _: Channel) -> Result<()> {
        Ok(())
    }

    fn frame(&mut self, frame: &Frame<'_>) -> Result<()> {
        match &frame.body {
            Body::Message(_) | Body::Batch { .. } => self.messages += 1,
            Body::Malformed { reason, .. } => self.malformed.push((frame.line, reason.clone())),
            Body::Missing(_) => {
                self.malformed.push((frame.line, "what it holds was cut or cannot be read".to_string()))
            }
            _ => {}
        }
        Ok(())
    }

    fn skipped(&mut self, line: u64, why: Skip) {
        self.skipped.push((line, why));
    }

    fn progress(&mut self, _: u64) {}
}

fn each_line(sample: &Sample, mut each: impl FnMut(&Line<'_>) -> Result<()>) {
    let Ok(mut lines) = Lines::new(sample.text().as_bytes(), Resume::default(), false) else { return };
    while let Ok(Some(line)) = lines.next() {
        if line.number as usize > LINES || each(&line).is_err() {
            return;
        }
    }
}

/// Why a definition finds no message in the head of a log; `None` where it finds one.
pub(super) fn misfit(definition: &Arc<Definition>, prefixes: &Prefixes, sample: &Sample) -> Option<Misfit> {
    let mut seen = LineTally::default();
    let overrides = Overrides::default();
    let mut out = Out::new(&mut seen, 0, &overrides);
    let mut reader = DefinitionReader::new(Arc::clone(definition), Vantage::Unknown);
    each_line(sample, |line| reader.line(line, &mut out));
    let _ = reader.end(&mut out);
    if seen.messages > 0 {
        return None;
    }
    let mut best: Option<Misfit> = None;
    each_line(sample, |line| {
        let text = line.text();
        let found = of_line(definition, prefixes, &seen, line.number, &text);
        if best.as_ref().is_none_or(|best| (found.stage, found.column) > (best.stage, best.column)) {
            best = Some(found);
        }
        Ok(())
    });
    best
}

fn of_line(definition: &Definition, prefixes: &Prefixes, seen: &LineTally, line: u64, text: &str) -> Misfit {
    let signs = &definition.contains;
    let signed = signs.is_empty() || signs.iter().any(|sign| sign.find(text.as_bytes()).is_some());
    if signed && definition.start.regex.is_match(text) {
        // What has a payload came furthest; which of several such lines is longer tells nothing.
        let stage = if seen.malformed.iter().any(|(at, _)| *at == line) { 3 } else { 2 };
        return Misfit { stage, column: 0, line, why: after_start(definition, seen, line, text) };
    }
    let missing = || {
        let signs: Vec<_> = signs.iter().map(|sign| format!("{:?}", String::from_utf8_lossy(sign.needle()))).collect();
        format!("record.contains: it has none of {}", signs.join(", "))
    };
    match prefixes.furthest(text) {
        _ if !signed => Misfit { stage: 0, column: 0, line, why: missing() },
        Some((column, part)) if column > 0 => {
            let why = format!("record.start fits up to column {column}, then it wants `{}`", short(part));
            Misfit { stage: 1, column, line, why }
        }
        _ => Misfit { stage: 0, column: 0, line, why: "record.start does not fit its beginning".to_string() },
    }
}

/// A record starts here; what was wrong with it?
fn after_start(definition: &Definition, seen: &LineTally, line: u64, text: &str) -> String {
    if let Some((_, reason)) = seen.malformed.iter().find(|(at, _)| *at == line) {
        return format!("a record starts there, and its payload is no message: {reason}");
    }
    let payload = definition.start.regex.captures(text).and_then(|found| found.name("payload"));
    let payload = payload.map_or("", |found| found.as_str());
    let rest = if payload.is_empty() { "" } else { &text[text.find(payload).unwrap_or(0)..] };
    let pointer = &definition.payload.pointer;
    match seen.skipped.iter().find(|(at, _)| *at == line).map(|(_, why)| *why) {
        Some(Skip::Duplicate) => "a record starts there, and payload.drop_if or record.duplicate drops it".to_string(),
        Some(Skip::CutOff) => "a record starts there, and its payload ends too early".to_string(),
        Some(Skip::Header) if definition.makes => {
            "a record starts there, and [kind] says that it is no message".to_string()
        }
        _ if !pointer.is_whole() && pointer.find(rest).is_none() => {
            "a record starts there, and payload.pointer leads to nothing in it".to_string()
        }
        _ => "a record starts there, and what it holds is no JSON-RPC message".to_string(),
    }
}

fn short(part: &str) -> String {
    let cut: String = part.chars().take(60).collect();
    if cut.len() < part.len() { format!("{cut}...") } else { cut }
}
