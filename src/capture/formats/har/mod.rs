//! HAR documents: HTTP traffic as browsers, mitmproxy and other proxies export it.
//!
//! MCP over HTTP in all its forms: a POST and its answer as JSON or event stream, streams that a GET opens, sessions by
//! header or by URL, WebSockets. An entry is one stream; entries are put in the order of time, for documents list them
//! by start or by end. Messages within an event stream have no time of their own, but for the answer that ends it.

mod document;
#[cfg(test)]
mod tests;

use self::document::{Creator, Entry};
use super::document::{Elements, offset_in, value_of};
use super::exchange::{Collected, Delivered};
use crate::capture::format::{Format, Match, Reader, WholeReader};
use crate::capture::lines::LineNumbers;
use crate::capture::out::Out;
use crate::capture::sample::Sample;
use crate::capture::{Skip, Vantage};
use crate::error::Result;
use crate::json::scan::value_end;

/// The format.
pub(crate) struct Har;

impl Format for Har {
    fn name(&self) -> &'static str {
        "har"
    }

    fn about(&self) -> &'static str {
        "HAR: HTTP traffic exported by a browser, mitmproxy or another proxy"
    }

    fn detect(&self, sample: &Sample) -> Option<Match> {
        let text = sample.text();
        let end = (0..=text.len().min(4096)).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        let head = text[..end].trim_start();
        let document = head.starts_with('{') && head.contains("\"log\"");
        let entries = text.contains("\"entries\"") && text.contains("\"startedDateTime\"");
        // A long list of pages may stand before the entries.
        let creator = text.contains("\"creator\"") && text.contains("\"version\"") && text.contains("\"pages\"");
        (document && (entries || creator)).then(|| Match::new(88, "it is a JSON document with `log.entries`"))?
    }

    fn reader(&self, _: &Sample) -> Reader {
        Reader::Whole(Box::new(HarReader))
    }
}

struct HarReader;

impl WholeReader for HarReader {
    fn read(&mut self, text: &str, base: u64, out: &mut Out<'_>) -> Result<()> {
        let log = value_of(text, 0, &["log"]);
        let vantage = log.and_then(|log| vantage(text, log)).unwrap_or(Vantage::Unknown);
        let mut list = Elements::new(text, log.and_then(|log| value_of(text, log, &["entries"])), "list of entries")?;
        let (mut found, mut lines, mut seen) =
            (Collected::new(vantage, false, true), LineNumbers::new(text), Delivered::default());
        for (offset, raw) in list.by_ref() {
            let line = lines.of(offset);
            let entry = serde_json::from_str::<Entry<'_>>(raw);
            let exchange = entry.map(|entry| entry.exchange(line, offset, |part| offset_in(text, part)));
            match exchange {
                Ok(exchange) if seen.knows(raw, std::slice::from_ref(&exchange), out) => {
                    out.skip(line, Skip::Duplicate)
                }
                Ok(exchange) => {
                    if !found.take(exchange) {
                        out.skip(line, Skip::NotAMessage);
                    }
                }
                Err(_) => out.skip(line, Skip::NotAMessage),
            }
        }
        if let Some(cut) = list.cut {
            out.skip(lines.of(cut), Skip::CutOff);
        }
        found.hand_on(true, base, out)
    }
}

/// Where the program sits that wrote the log at `log`; it names itself before the entries.
fn vantage(text: &str, log: usize) -> Option<Vantage> {
    let found = value_of(text, log, &["creator", "entries"])?;
    let creator = &text[found..value_end(text.as_bytes(), found).filter(|_| text[found..].starts_with('{'))?];
    let name = serde_json::from_str::<Creator>(creator).ok()?.name.to_lowercase();
    let is = |names: &[&str]| names.iter().any(|known| name.contains(known));
    if is(&["mitmproxy", "charles", "fiddler", "proxy", "burp", "zap", "mcpsnoop"]) {
        Some(Vantage::Proxy)
    } else if is(&["inspector", "firefox", "browser", "playwright", "puppeteer", "chrome", "webkit"]) {
        Some(Vantage::Client)
    } else {
        None
    }
}
