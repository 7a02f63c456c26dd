//! strace of a process that speaks over pipes or sockets: `strace -f -tt -e trace=read,write -s 70000`.
//!
//! What a process reads it received, what it writes it sent; which side it is shows in the traffic. Descriptors are
//! often not 0 and 1, for programs copy them, so any that carries messages counts. A call may be in two halves
//! (`<unfinished ...>`, `<... read resumed>`), bytes are escaped as in C, and strings that strace cut short end in
//! `"...`: a message that was cut is a gap, not a fault.

use rustc_hash::FxHashMap;

use super::trace::Days;
use crate::capture::format::{Format, LineReader, Match, Reader};
use crate::capture::lines::{Line, RECORD_LIMIT};
use crate::capture::out::{Out, Place};
use crate::capture::sample::{Sample, looks_like_message};
use crate::capture::{Body, Channel, Direction, Skip, time};
use crate::error::Result;
use crate::jsonrpc::read_header;

/// The format.
pub(crate) struct Strace;

/// Calls that move bytes, and whether they send them.
const CALLS: [(&str, bool); 8] = [
    ("read", false),
    ("recvfrom", false),
    ("recv", false),
    ("pread64", false),
    ("write", true),
    ("sendto", true),
    ("send", true),
    ("pwrite64", true),
];

impl Format for Strace {
    fn name(&self) -> &'static str {
        "strace"
    }

    fn about(&self) -> &'static str {
        "strace -f -tt -s 70000 -e trace=read,write of a process"
    }

    fn detect(&self, sample: &Sample) -> Option<Match> {
        let calls = sample.lines().filter(|line| Call::read(line).is_some_and(|call| call.data.is_some())).count();
        let json = sample.lines().any(|line| line.contains("\\\"jsonrpc\\\"") || line.contains("Content-Length: "));
        (calls > 0 && json).then(|| Match::new(80, format!("{calls} lines are calls of read and write")))?
    }

    fn reader(&self, sample: &Sample) -> Reader {
        let time = sample.lines().find_map(|line| Call::read(line)?.time);
        let resolution_us = time.and_then(time::parse).map_or(1, |time| time.resolution_us);
        Reader::Ordered(Box::new(StraceReader { resolution_us, ..StraceReader::default() }))
    }
}

/// One line of a trace, taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Call<'a> {
    pid: &'a str,
    time: Option<&'a str>,
    sends: bool,
    /// `None` in the second half of a call.
    descriptor: Option<&'a str>,
    /// The bytes, still escaped.
    data: Option<&'a str>,
    /// True if strace left bytes out.
    cut: bool,
    /// What the call returned, where it has.
    returned: Option<i64>,
}

impl<'a> Call<'a> {
    fn read(line: &'a str) -> Option<Call<'a>> {
        let (pid, rest) = pid(line);
        let (time, rest) = match rest.split_once(' ') {
            Some((word, rest)) if word.starts_with(|c: char| c.is_ascii_digit()) => (Some(word), rest.trim_start()),
            _ => (None, rest),
        };
        let (name, descriptor, rest) = match rest.strip_prefix("<... ") {
            Some(rest) => {
                let (name, rest) = rest.split_once(' ')?;
                (name, None, rest.strip_prefix("resumed>")?)
            }
            None => {
                let (name, rest) = rest.split_once('(')?;
                let end = rest.find([',', ' ', '<', ')'])?;
                (name, Some(&rest[..end]), rest[end..].trim_start_matches([',', ' ']))
            }
        };
        let (_, sends) = CALLS.into_iter().find(|(known, _)| *known == name)?;
        let (data, rest) = quoted(rest);
        let cut = data.is_some() && rest.starts_with("...");
        let returned = rest.rsplit_once(" = ").and_then(|(_, value)| value.split(' ').next()?.parse().ok());
        Some(Call { pid, time, sends, descriptor, data, cut, returned })
    }
}

/// `19723 ` or `[pid 19723] ` before a line.
fn pid(line: &str) -> (&str, &str) {
    if let Some((pid, rest)) = line.strip_prefix("[pid").and_then(|rest| rest.split_once(']')) {
        return (pid.trim(), rest.trim_start());
    }
    match line.split_once(' ') {
        Some((word, rest)) if word.len() < 9 && word.bytes().all(|b| b.is_ascii_digit()) => (word, rest.trim_start()),
        _ => ("", line),
    }
}

/// The string at the start of a text, and what follows it.
fn quoted(text: &str) -> (Option<&str>, &str) {
    let Some(inner) = text.strip_prefix('"') else { return (None, text) };
    match crate::capture::scan::closing_quote(text.as_bytes(), 1) {
        Some(end) => (Some(&text[1..end]), &text[end + 1..]),
        None => (Some(inner), ""),
    }
}

/// Takes the escapes of C out of a string.
fn unescape(text: &str, out: &mut Vec<u8>) {
    let mut bytes = text.bytes().peekable();
    while let Some(byte) = bytes.next() {
        if byte != b'\\' {
            out.push(byte);
            continue;
        }
        let Some(escape) = bytes.next() else { return };
        let (radix, digits, first) = match escape {
            b'n' => (0, 0, b'\n'),
            b't' => (0, 0, b'\t'),
            b'r' => (0, 0, b'\r'),
            b'v' => (0, 0, 11),
            b'f' => (0, 0, 12),
            b'x' => (16, 2, 0),
            b'0'..=b'7' => (8, 2, escape - b'0'),
            other => (0, 0, other),
        };
        let mut value = u32::from(first);
        for _ in 0..digits {
            let Some(digit) = bytes.peek().and_then(|byte| (*byte as char).to_digit(radix)) else { break };
            value = value * radix + digit;
            bytes.next();
        }
        out.push(value as u8);
    }
}

/// What one descriptor carries in one direction.
#[derive(Default)]
struct Flow {
    bytes: Vec<u8>,
    /// Where its first byte was, and when.
    line: u64,
    offset: u64,
    at_us: Option<i64>,
    /// True while bytes are passed over up to the next line, because some of them are missing.
    lost: bool,
}

impl Flow {
    /// Lines that cannot be a message are not kept: a file that is read may be large.
    fn pass_over_noise(&mut self) {
        while self.bytes.iter().find(|byte| !byte.is_ascii_whitespace()).is_some_and(|b| !b"{[Cc".contains(b)) {
            match memchr::memchr(b'\n', &self.bytes) {
                Some(end) => drop(self.bytes.drain(..=end)),
                None => {
                    self.bytes.clear();
                    self.lost = true;
                }
            }
        }
    }
}

#[derive(Default)]
struct StraceReader {
    flows: FxHashMap<(String, bool), Flow>,
    /// Calls that have not returned: the descriptor of each thread.
    unfinished: FxHashMap<(String, bool), String>,
    channel: Option<u32>,
    days: Days,
    resolution_us: i64,
    data: Vec<u8>,
}

impl LineReader for StraceReader {
    fn line(&mut self, line: &Line<'_>, out: &mut Out<'_>) -> Result<()> {
        let text = String::from_utf8_lossy(line.bytes);
        let Some(call) = Call::read(&text) else {
            let why = if line.bytes.trim_ascii().is_empty() { Skip::Blank } else { Skip::NotAMessage };
            out.skip(line.number, why);
            return Ok(());
        };
        let thread = (call.pid.to_string(), call.sends);
        let descriptor = match call.descriptor {
            Some(descriptor) => descriptor.to_string(),
            None => self.unfinished.remove(&thread).unwrap_or_default(),
        };
        if call.returned.is_none() && call.descriptor.is_some() {
            self.unfinished.insert(thread, descriptor.clone());
        }
        let Some(data) = call.data.filter(|_| descriptor != "2" && call.returned.is_none_or(|count| count > 0)) else {
            out.skip(line.number, Skip::Header);
            return Ok(());
        };
        let mut bytes = std::mem::take(&mut self.data);
        bytes.clear();
        unescape(data, &mut bytes);
        if let Some(count) = call.returned.and_then(|count| usize::try_from(count).ok()).filter(|_| !call.cut) {
            bytes.truncate(count);
        }
        let at_us = self.at(call.time);
        let taken = self.take(&descriptor, &call, &bytes, at_us, line, out);
        self.data = bytes;
        taken
    }

    fn end(&mut self, out: &mut Out<'_>) -> Result<()> {
        let mut flows: Vec<_> = self.flows.drain().collect();
        flows.sort_by_key(|(_, flow)| flow.line);
        for ((_, sends), mut flow) in flows {
            let text = String::from_utf8_lossy(&std::mem::take(&mut flow.bytes)).into_owned();
            if looks_like_message(text.trim_start()) {
                let place = place(&mut self.channel, self.resolution_us, sends, &flow, out)?;
                out.promised(&place, text.trim(), true)?;
            }
        }
        Ok(())
    }
}

impl StraceReader {
    fn at(&mut self, text: Option<&str>) -> Option<i64> {
        let us = time::parse(text?)?.us;
        // Seconds since the epoch (-ttt) need no day.
        Some(if us < 86_400_000_000 { self.days.place(us) } else { us })
    }

    fn take(
        &mut self,
        descriptor: &str,
        call: &Call<'_>,
        bytes: &[u8],
        at_us: Option<i64>,
        line: &Line<'_>,
        out: &mut Out<'_>,
    ) -> Result<()> {
        let flow = self.flows.entry((descriptor.to_string(), call.sends)).or_default();
        let mut found = false;
        let mut bytes = bytes;
        // A process mostly writes whole messages, so one that looks like the start of one is one.
        if flow.lost && !looks_like_message(&String::from_utf8_lossy(bytes)) {
            let Some(end) = memchr::memchr(b'\n', bytes) else { return Ok(()) };
            bytes = &bytes[end + 1..];
        }
        flow.lost = false;
        if flow.bytes.is_empty() {
            (flow.line, flow.offset, flow.at_us) = (line.number, line.offset, at_us);
        }
        flow.bytes.extend_from_slice(bytes);
        flow.pass_over_noise();
        while let Some((start, end, next)) = message(&flow.bytes) {
            let record = flow.bytes[start..end].to_vec();
            let text = String::from_utf8_lossy(&record);
            if looks_like_message(text.trim_start()) {
                let place = place(&mut self.channel, self.resolution_us, call.sends, flow, out)?;
                out.promised(&place, text.trim(), false)?;
                found = true;
            }
            flow.bytes.drain(..next);
            (flow.line, flow.offset, flow.at_us) = (line.number, line.offset, at_us);
        }
        if call.cut || flow.bytes.len() > RECORD_LIMIT {
            let was_message = looks_like_message(&String::from_utf8_lossy(&flow.bytes));
            flow.bytes.clear();
            flow.lost = true;
            if was_message {
                let place = place(&mut self.channel, self.resolution_us, call.sends, flow, out)?;
                out.skip(line.number, Skip::CutOff);
                return out.put(&place, Body::Gap { lost: Some(1) });
            }
        }
        if !found && flow.bytes.is_empty() {
            out.skip(line.number, Skip::NotAMessage);
        }
        Ok(())
    }
}

/// The first record of a flow: its start, its end, and where the next one starts.
fn message(bytes: &[u8]) -> Option<(usize, usize, usize)> {
    if bytes.first().is_some_and(|byte| byte.eq_ignore_ascii_case(&b'c')) && bytes[1..].starts_with(b"ontent-") {
        let header = read_header(bytes, RECORD_LIMIT).ok()?;
        let end = header.length + header.content_length;
        return (bytes.len() >= end).then_some((header.length, end, end));
    }
    let end = memchr::memchr(b'\n', bytes)?;
    Some((0, end, end + 1))
}

fn place(known: &mut Option<u32>, resolution_us: i64, sends: bool, flow: &Flow, out: &mut Out<'_>) -> Result<Place> {
    let channel = match *known {
        Some(channel) => channel,
        None => out.channel(Channel { resolution_us, ..Channel::default() })?,
    };
    *known = Some(channel);
    Ok(Place {
        line: flow.line,
        byte_offset: flow.offset,
        channel,
        at_us: flow.at_us,
        direction: if sends { Direction::Sent } else { Direction::Received },
        stream: None,
        taps: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::testing::{read, read_as};
    use proptest::prelude::*;

    const SAMPLE: &str = include_str!("../../../samples/formats/strace/1.txt");

    #[test]
    fn calls_in_halves_pieces_and_cut_short() {
        let kept = read("strace", SAMPLE);
        let got: Vec<_> =
            kept.frames.iter().map(|f| (f.kind, f.line, f.direction, f.at_us.map(|at| at % 1_000_000))).collect();
        let (sent, received) = (Direction::Sent, Direction::Received);
        assert_eq!(
            got,
            [
                ("message", 1, received, Some(776_349)),
                ("message", 3, sent, Some(779_582)),
                ("message", 4, received, Some(91_640)),
                ("message", 5, received, Some(92_610)),
                ("gap", 7, sent, Some(194_562)),
                ("message", 8, sent, Some(200_000)),
            ]
        );
        assert!(kept.frames[3].text.contains("h\u{e9}llo"), "{}", kept.frames[3].text);
    }

    #[test]
    fn other_calls_and_framed_bodies() {
        let body = r#"{\"jsonrpc\":\"2.0\",\"method\":\"exit\"}"#;
        let text = format!(
            "read(3, \"\\177ELF\\2\\1\", 832) = 832\nread(0, \"Content-Length: 33\\r\\n\\r\\n{body}\", 4096) = 55\n+++ exited with 0 +++\n"
        );
        let kept = read("strace", &text);
        assert_eq!(kept.texts(), [("message", r#"{"jsonrpc":"2.0","method":"exit"}"#)]);
    }

    fn escaped(bytes: &[u8]) -> String {
        bytes
            .iter()
            .map(|byte| match byte {
                b'\n' => "\\n".to_string(),
                b'"' => "\\\"".to_string(),
                b'\\' => "\\\\".to_string(),
                b' '..=b'~' => (*byte as char).to_string(),
                other => format!("\\{other:03o}"),
            })
            .collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]
        #[test]
        fn messages_come_back_as_they_were(texts in proptest::collection::vec("\\PC{0,20}", 1..6), size in 1usize..60) {
            let messages: Vec<String> = texts.iter().map(|text| serde_json::json!({"jsonrpc": "2.0", "method": text}).to_string()).collect();
            let whole: Vec<u8> = messages.iter().flat_map(|message| [message.as_bytes(), b"\n"].concat()).collect();
            let trace: String = whole.chunks(size).map(|part| format!("7 06:45:06.776349 write(7, \"{}\", {}) = {}\n", escaped(part), part.len(), part.len())).collect();
            let kept = read_as("strace", trace.as_bytes());
            prop_assert_eq!(kept.frames.iter().map(|frame| frame.text.clone()).collect::<Vec<_>>(), messages);
        }

        #[test]
        fn no_text_makes_it_panic(text in "\\PC{0,40}", tail in "[a-z0-9\\\\\",() =.<>-]{0,60}") {
            read_as("strace", text.as_bytes());
            read_as("strace", format!("7 1 read({tail}\n7 <... read resumed>{tail}\nwrite(1, \"{tail}\", 9) = 7").as_bytes());
        }
    }
}
