//! What was learned of a log, in a sentence and as a definition.

use std::fmt::Write;
use std::sync::LazyLock;

use regex::Regex;

use super::evidence::{Sampled, sample};
use super::separate::{Words, common, separate};
use super::times;
use super::tokens::expression;
use crate::capture::Direction;
use crate::capture::sample::Sample;
use crate::capture::time;
use crate::jsonrpc::Kind;
use crate::protocol::Side;

/// The first shape of times with a fraction of the second: behind the time of who shows a log, which may have none, stands its own.
const FINE: &str = r"\d{4}[-/]\d\d[-/]\d\d[T ]\d{1,2}:\d\d:\d\d[.,]\d+(?: ?(?:Z|[+-]\d\d:?\d\d))?";

/// What a definition says of a log of which much was cut, and of one that holds requests alone.
const CUT: &str = "lost = ['payload', 'cancel_target']\n";
const ONE_SIDED: &str = "midway = ['all_answers', 'both_sides']\n";

/// So many messages make a log, however few of its lines they are.
const MANY: usize = 20;

/// The shape of a log.
#[derive(Clone, Debug, Default)]
pub(super) struct Shape {
    messages: usize,
    cut: usize,
    below: bool,
    /// True if brackets around one message are those of an array.
    arrays: bool,
    /// True if some messages take several lines.
    pub joined: bool,
    /// True if some messages have nothing before them.
    pub mixed: bool,
    /// True if most have.
    pub bare: bool,
    one_sided: bool,
    /// What was sent is written down once it is sent.
    sent_late: bool,
    words: Words,
    /// Messages that tell their sender: those whose words say the same, and those whose words say the opposite.
    agree: usize,
    against: usize,
    /// The method and the line that tell who is the client.
    proof: Option<(Side, String, u64)>,
    logger: Option<Side>,
    /// The expression of the time, and whether the direction stands before it.
    time: Option<(&'static str, bool)>,
}

/// True where every message has a time with a fraction before it, and in front of that another one without.
fn is_finer_behind(sampled: &Sampled, first: &Regex) -> bool {
    static REGEX: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(FINE).ok());
    let Some(fine) = REGEX.as_ref() else { return false };
    let is_behind = |before: &str| {
        let places = fine.find(before).zip(first.find(before));
        places.is_some_and(|(fine, first)| first.end() <= fine.start())
    };
    !sampled.seen.is_empty() && sampled.seen.iter().all(|seen| is_behind(&seen.before))
}

/// True for the words of the MCP SDK for Go (`LoggingTransport`), behind whatever its writer puts before them: it writes down what it
/// has written.
fn is_told_late(before: &str) -> bool {
    ["read: ", "write: "].iter().any(|words| before.ends_with(words))
}

impl Shape {
    /// Learns from the head of a log. `None` where it has no messages behind a text, or they are parts of JSON.
    pub(super) fn learn(head: &Sample) -> Option<Shape> {
        let text = head.whole_lines();
        let mut sampled = sample(text, false);
        let mut count = sampled.count();
        let mut below = false;
        if sampled.bare * 2 > count {
            sampled = sample(text, true);
            count = sampled.count();
            below = sampled.above * 5 >= count * 4;
            if !below {
                sampled = sample(text, false);
            }
        }
        let bare = sampled.bare * 2 > count && !below;
        if count == 0 || sampled.inside * 2 > count {
            return None;
        }
        let words = if bare { Words::default() } else { separate(&sampled).unwrap_or_default() };
        // A text that quotes a message here and there is no log.
        if words == Words::default() && count < MANY && count * 20 < head.line_count() {
            return None;
        }
        let mut shape = Shape {
            messages: sampled.seen.len() + sampled.batches,
            cut: sampled.cut,
            below,
            arrays: sampled.has_arrays(),
            joined: sampled.joined,
            mixed: sampled.bare > 0 && !below,
            bare,
            one_sided: sampled.is_one_sided(),
            words,
            ..Shape::default()
        };
        shape.time = shape.time_of(&sampled);
        shape.judge(&sampled);
        shape.sent_late = shape.has_words() && sampled.seen.iter().all(|seen| is_told_late(&seen.before));
        if let Some((_, _, line)) = &mut shape.proof {
            *line += head.lines_before;
        }
        Some(shape)
    }

    /// True if words were found that tell directions.
    pub(super) fn has_words(&self) -> bool {
        self.words != Words::default()
    }

    fn expression(&self) -> Option<String> {
        let runs: Vec<&str> = self.words.of.iter().flatten().map(String::as_str).collect();
        (!runs.is_empty()).then(|| expression(&runs))
    }

    /// Holds what the words say against what the messages prove; words that fail are given up.
    fn judge(&mut self, sampled: &Sampled) {
        let Some(regex) = self.expression().and_then(|text| Regex::new(&format!("^.*{text}")).ok()) else { return };
        let says = |before: &str| {
            let word = regex.captures(before)?.name("dir")?.as_str().to_string();
            Some(if self.words.of[0].contains(&word) { Side::Client } else { Side::Server })
        };
        let said: Vec<Option<Side>> = sampled.seen.iter().map(|seen| says(&seen.before)).collect();
        for (at, seen) in sampled.seen.iter().enumerate() {
            // An answer runs against its request, whatever that should not have asked; a method tells of itself alone.
            let proven = match seen.said.answers {
                Some(request) => said[request].map(Side::peer).or(seen.said.sender),
                None => seen.said.sender,
            };
            if let (Some(said), Some(proven)) = (said[at], proven) {
                *(if said == proven { &mut self.agree } else { &mut self.against }) += 1;
            }
        }
        let proof = [Side::Client, Side::Server].into_iter().find_map(|side| Some((side, sampled.proof(side)?)));
        self.proof = proof.map(|(side, seen)| (side, seen.said.method.clone(), seen.line));
        let asks = |side| {
            let asked = sampled.seen.iter().zip(&said).filter(|(seen, _)| seen.said.kind == Kind::Request);
            asked.filter(|(_, said)| **said == Some(side)).count()
        };
        let backwards = self.proof.is_none() && self.names_sides() && asks(Side::Client) < asks(Side::Server);
        if self.against > 0 && self.against * 4 > self.agree || backwards {
            self.words = Words::default();
        }
        self.logger = self.logger_by_words();
    }

    fn names_sides(&self) -> bool {
        self.words.of.iter().flatten().any(|word| matches!(common(word), Some(Direction::By(_))))
    }

    /// Who wrote the log: `received` before what the client sends is the server's word. Arrows point both ways.
    fn logger_by_words(&self) -> Option<Side> {
        self.proof.as_ref()?;
        let mut logger = None;
        for side in [Side::Client, Side::Server] {
            for word in &self.words.of[usize::from(side == Side::Server)] {
                let own = match common(word) {
                    Some(Direction::Sent) if word.chars().any(char::is_alphabetic) => side,
                    Some(Direction::Received) if word.chars().any(char::is_alphabetic) => side.peer(),
                    _ => return None,
                };
                if *logger.get_or_insert(own) != own {
                    return None;
                }
            }
        }
        logger
    }

    /// The shape of time that most of the texts have.
    fn time_of(&self, sampled: &Sampled) -> Option<(&'static str, bool)> {
        let words = self.expression().and_then(|text| Regex::new(&text).ok());
        times::all().find_map(|(shape, regex)| {
            let read = |before: &str| {
                regex.find(before).filter(|found| time::parse(found.as_str()).is_some()).map(|found| found.start())
            };
            let have = sampled.seen.iter().filter(|seen| read(&seen.before).is_some()).count();
            let after = |before: &str| {
                let word =
                    words.as_ref().and_then(|words| words.captures(before)?.name("dir").map(|word| word.start()));
                read(before).zip(word).is_some_and(|(time, word)| word < time)
            };
            let behind = sampled.seen.iter().filter(|seen| after(&seen.before)).count();
            let shape = if shape == times::FIRST && is_finer_behind(sampled, regex) { FINE } else { shape };
            (have > 0 && have * 2 >= sampled.seen.len()).then_some((shape, behind * 2 > have))
        })
    }

    /// The expression for the text before a message.
    fn start(&self) -> String {
        let words = self.expression().map(|words| format!("(?:.*{words})?"));
        let (time, behind) = match self.time {
            Some((shape, behind)) => (Some(format!("(?:.*?(?<ts>{shape}))?")), behind),
            None => (None, false),
        };
        let parts = if behind { [words, time] } else { [time, words] };
        let text: String = parts.into_iter().flatten().collect();
        if text.is_empty() { text } else { format!("^{text}") }
    }

    /// True if the messages prove whose words these are, or the words do.
    fn says_whose(&self) -> bool {
        self.proof.is_some() || self.names_sides()
    }

    /// What was learned, in a sentence.
    pub(super) fn sentence(&self) -> String {
        let (messages, where_) = (counted(self.messages + self.cut), if self.below { "above" } else { "before" });
        let [client, server] = [quoted(&self.words.of[0]), quoted(&self.words.of[1])];
        if !self.has_words() {
            return format!(
                "its head holds {messages} behind other text; nothing that stands {where_} them tells who sent them, so senders are inferred"
            );
        }
        let mut text = match (client.is_empty(), server.is_empty()) {
            (false, false) if self.proof.is_some() => {
                format!(
                    "learned from {messages}: {client} stands {where_} what the client sends, {server} {where_} what the server sends"
                )
            }
            (false, false) => {
                format!("learned from {messages}: {client} and {server} stand {where_} the two directions")
            }
            (false, true) if self.says_whose() => {
                format!("learned from {messages}: {client} stands {where_} what the client sends")
            }
            (true, false) if self.says_whose() => {
                format!("learned from {messages}: {server} stands {where_} what the server sends")
            }
            _ => format!("learned from {messages}: {client}{server} stands {where_} one direction"),
        };
        match &self.proof {
            Some((side, method, line)) => {
                let _ = write!(
                    text,
                    "; {} of {} messages that prove their sender agree, the first is {method} of the {} at line {line}",
                    self.agree,
                    self.agree + self.against,
                    side.as_str()
                );
            }
            None => text.push_str("; no message proves which is the client's, so that is inferred"),
        }
        text
    }

    /// The definition that reads such a log.
    pub(super) fn definition(&self) -> String {
        let mut text = format!("name = \"text-log\"\nabout = {}\n\n[record]\n", toml(&self.sentence()));
        let _ = writeln!(text, "message = {}", toml(if self.below { "below" } else { "anywhere" }));
        if self.arrays {
            text.push_str("arrays = true\n");
        }
        let start = self.start();
        if !start.is_empty() {
            let _ = writeln!(text, "start = {}", toml(&start));
        }
        if self.has_words() {
            let vantage = self.logger.map_or("infer", |side| if side == Side::Client { "client" } else { "server" });
            let _ = writeln!(text, "\n[direction]\nvantage = \"{vantage}\"");
            if self.sent_late {
                text.push_str("sent_late = true\n");
            }
            text.push_str("[direction.map]\n");
            for side in [Side::Client, Side::Server] {
                for word in &self.words.of[usize::from(side == Side::Server)] {
                    let _ = writeln!(text, "{} = \"{}\"", toml(word), self.meaning(word, side));
                }
            }
        }
        // A few messages that are cut are gaps; where many are, what was long enough is missing everywhere.
        match (self.one_sided, self.cut * 4 > self.messages) {
            (true, true) => text.push_str(&format!("\n[proof]\n{CUT}{ONE_SIDED}")),
            (true, false) => text.push_str(&format!("\n[proof]\n{ONE_SIDED}")),
            (false, true) => text.push_str(&format!("\n[proof]\n{CUT}")),
            (false, false) => {}
        }
        text
    }

    /// What a word means: a side where that is proven, else the logger's own view.
    fn meaning(&self, word: &str, side: Side) -> &'static str {
        let named = matches!(common(word), Some(Direction::By(_)));
        match (side, self.logger) {
            (side, Some(logger)) => {
                if side == logger {
                    "sent"
                } else {
                    "received"
                }
            }
            (Side::Client, None) if self.proof.is_some() || named => "c2s",
            (Side::Server, None) if self.proof.is_some() || named => "s2c",
            // Two directions of which it is not proven whose they are: as if the log were a server's.
            (Side::Client, None) => "received",
            (Side::Server, None) => "sent",
        }
    }
}

fn counted(messages: usize) -> String {
    if messages == 1 { "1 message".to_string() } else { format!("{messages} messages") }
}

fn quoted(words: &[String]) -> String {
    words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
}

/// A text as a string of TOML: as it is where that can be, else with escapes.
fn toml(text: &str) -> String {
    if !text.contains('\'') && !text.chars().any(char::is_control) {
        return format!("'{text}'");
    }
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if c.is_control() => {
                let _ = write!(quoted, "\\u{:04x}", u32::from(c));
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}
