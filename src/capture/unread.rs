//! Lines that were passed over: do they hold something like messages?
//!
//! Only such lines are tested, so that a log that is understood pays nothing. What is found here is no message for
//! rpctape, but it was one for somebody: what stands there must not be taken for absent.

use std::ops::Range;
use std::sync::LazyLock;

use memchr::memmem;
use regex::bytes::Regex;

use crate::json::scan::value_end;

/// The most that is quoted of such a line, in characters.
const QUOTED: usize = 160;

/// True if a text holds something like a JSON-RPC object, also in an escaped or foreign notation:
/// `jsonrpc`, or `method` with `params`, or `id` with `result` or `error`, as names of members.
pub(crate) fn looks_like_messages(text: &[u8]) -> bool {
    if !text.contains(&b':') && !text.contains(&b'=') {
        return false;
    }
    let member = |name| value_of(text, name).is_some();
    member("jsonrpc")
        || has_bare_version(text)
        || member("params") && value_of(text, "method").is_some_and(|value| !is_verb(value))
        || member("id") && (member("result") || value_of(text, "error").is_some_and(|value| value.starts_with(b"{")))
}

/// True unless what is no message cannot have been meant for one, nor be the head or the end of one: a program's own words, say. Of bytes
/// that were not kept nothing is known.
pub fn may_hold_message(bytes: &[u8]) -> bool {
    bytes.is_empty() || bytes.iter().any(|byte| b"{}".contains(byte)) || looks_like_messages(bytes)
}

/// True if the member `jsonrpc` stands there without quotes, as Lua, Node, Rust and Lisp print it, or in those of CSV and XML.
fn has_bare_version(text: &[u8]) -> bool {
    memmem::find_iter(text, "jsonrpc").any(|at| {
        let mut value = &text[at + "jsonrpc".len()..];
        while let Some(rest) = value.strip_prefix(b"&quot;").or_else(|| {
            let (first, rest) = value.split_first()?;
            (first.is_ascii_whitespace() || b"\\\"':=".contains(first)).then_some(rest)
        }) {
            value = rest;
        }
        ["2.0", "1.0", "JsonRpcVersion"].iter().any(|version| value.starts_with(version.as_bytes()))
    })
}

/// True if a record of JSON begins on a line and does not end on it.
pub(crate) fn breaks_off(line: &[u8]) -> bool {
    memchr::memchr(b'{', line).is_some_and(|at| value_end(line, at).is_none())
}

/// True if an object with quoted names begins on a line and breaks off: whoever wrote it died, or had no room left. What
/// was in it nobody knows.
pub(crate) fn is_torn(line: &[u8]) -> bool {
    let mut opens = memchr::memchr_iter(b'{', line);
    let first = opens.find_map(|at| {
        let name = after(&line[at + 1..], |byte| *byte == b'\\');
        let escaped = line.len() - at - 1 > name.len();
        matches!(name.first(), Some(b'"' | b'\'')).then_some((at, escaped))
    });
    first.is_some_and(|(at, escaped)| match escaped {
        // Within a string, quotes do not tell where strings begin.
        true => {
            let count = |byte| memchr::memchr_iter(byte, &line[at..]).count();
            count(b'{') > count(b'}')
        }
        false => value_end(line, at).is_none(),
    })
}

/// How many lines a logger says that it left out at this place: `Suppressed 37 messages from unit`, `12 lines dropped`.
pub(crate) fn said_lost(line: &[u8]) -> Option<u64> {
    static WORDS: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new("(?i-u)suppressed|dropped|discarded|omitted|lost").ok());
    static SENTENCE: LazyLock<Option<Regex>> = LazyLock::new(|| {
        let (done, what) =
            ("(?:suppressed|dropped|discarded|omitted|lost)", "(?:log )?(?:messages?|lines?|entries|records)");
        let (after, before) = (
            format!(r"\b{done} (\d+) {what}\b"),
            format!(r"\b(\d+) {what} (?:(?:were|was|have been|has been) )?{done}\b"),
        );
        Regex::new(&format!("(?i-u){after}|{before}")).ok()
    });
    WORDS.as_ref()?.is_match(line).then_some(())?;
    let found = SENTENCE.as_ref()?.captures(line)?;
    let count = found.get(1).or_else(|| found.get(2))?;
    std::str::from_utf8(count.as_bytes()).ok()?.parse().ok().filter(|lost| *lost > 0)
}

/// What is quoted of a line.
pub(crate) fn quoted(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(&text[..text.len().min(4 * QUOTED)]);
    let text = text.trim();
    match text.char_indices().nth(QUOTED) {
        None => text.to_string(),
        Some((end, _)) => format!("{}...", &text[..end]),
    }
}

/// The byte at which a second record begins on a line that begins with one, where nothing stands between them.
#[inline]
pub(crate) fn seam(line: &[u8]) -> Option<usize> {
    static GLUED: LazyLock<memmem::Finder<'static>> = LazyLock::new(|| memmem::Finder::new("}{"));
    if line.first() != Some(&b'{') {
        return None;
    }
    GLUED.find(line)?;
    let end = value_end(line, 0)?;
    (line.get(end) == Some(&b'{')).then_some(end)
}

/// Where a line goes on behind the message that ends at `read`, if another record or something like a message stands
/// there. A record of JSON ends with its last member.
pub(crate) fn behind(line: &[u8], read: usize) -> Option<usize> {
    if times_again(line, read).next().is_none() && !looks_like_messages(&line[read..]) {
        return None;
    }
    // Of one that has no end, what stands there was torn off or is another.
    let record = memchr::memchr(b'{', &line[..read]).and_then(|open| value_end(line, open));
    let read = record.map_or(read, |end| end.max(read));
    let closes = |byte: &u8| byte.is_ascii_whitespace() || b")]}\"'`,;".contains(byte);
    let from = read + line[read..].iter().position(|byte| !closes(byte))?;
    times_again(line, read).next().or_else(|| looks_like_messages(&line[from..]).then_some(from))
}

/// How many digits a word has at least to be a time: those of a time of day.
const DIGITS: usize = 4;

/// How many digits a word without any sign has to be one: those of seconds since the epoch.
const EPOCH: usize = 10;

/// How much of a time is looked for again.
const SIGN: usize = 19;

/// Where the time stands with which a line begins, perhaps behind numbers (that of a process or of a record).
fn own_time(line: &[u8]) -> Option<Range<usize>> {
    let mut words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    let word = words.find(|word| word.len() >= EPOCH || !word.iter().all(u8::is_ascii_digit))?;
    let start = word.as_ptr().addr() - line.as_ptr().addr();
    let digits = word.iter().take(SIGN).filter(|byte| byte.is_ascii_digit()).count();
    (digits >= DIGITS).then(|| start..start + word.len().min(SIGN))
}

/// Where texts that look like the time with which a line begins stand in it again at or after `from`: there another record
/// begins, if lines of the log have no such times of their own.
pub(crate) fn times_again(line: &[u8], from: usize) -> impl Iterator<Item = usize> {
    let own = if line.starts_with(b"{") { None } else { own_time(line) };
    let mut at = own.as_ref().map_or(line.len(), |own| own.end.max(from));
    std::iter::from_fn(move || {
        let sign = &line[own.clone()?];
        let same = |(a, b): (&u8, &u8)| a == b || a.is_ascii_digit() && b.is_ascii_digit();
        let mut rest = line.get(at..)?.windows(sign.len());
        let found = at + rest.position(|text| text.iter().zip(sign).all(same))?;
        at = found + sign.len();
        Some(found)
    })
}

/// What follows the name of a member, quoted in whatever way, and its `:`, `=` or `=>`.
fn value_of<'a>(text: &'a [u8], name: &str) -> Option<&'a [u8]> {
    memmem::find_iter(text, name).find_map(|at| {
        let is_quote = |byte: &u8| matches!(byte, b'"' | b'\'');
        if !at.checked_sub(1).and_then(|before| text.get(before)).is_some_and(is_quote) {
            return None;
        }
        let rest = after(&text[at + name.len()..], |byte| *byte == b'\\');
        let (quote, rest) = rest.split_first()?;
        let rest = after(rest, |byte| byte.is_ascii_whitespace());
        let (sign, rest) = rest.split_first()?;
        let rest = rest.strip_prefix(b">").unwrap_or(rest);
        let value = after(rest, |byte| byte.is_ascii_whitespace() || *byte == b'\\');
        (is_quote(quote) && matches!(sign, b':' | b'=')).then_some(value)
    })
}

fn after(text: &[u8], passed: impl Fn(&u8) -> bool) -> &[u8] {
    let at = text.iter().position(|byte| !passed(byte)).unwrap_or(text.len());
    &text[at..]
}

/// Records of web servers have methods and params, too.
fn is_verb(value: &[u8]) -> bool {
    let name = value.get(1..).unwrap_or_default();
    let verbs = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];
    verbs
        .iter()
        .any(|verb| name.starts_with(verb.as_bytes()) && !name.get(verb.len()).is_some_and(u8::is_ascii_alphabetic))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_in_any_notation() {
        for line in [
            r#"<<< {"jsonrpc":"2.0","id":1,"result":{}}"#,
            r#"msg="{\"jsonrpc\":\"2.0\",\"method\":\"ping\"}""#,
            r#"msg="{\\\"jsonrpc\\\":\\\"2.0\\\"}""#,
            r#"got {'jsonrpc': '2.0', 'method': 'ping'}"#,
            r#"got {"jsonrpc"=>"2.0", "method"=>"ping"}"#,
            r#"call { "method" : "tools/call", "params" : {} }"#,
            r#"answer {"id": 7, "result": null}"#,
            r#"answer {"id": 7, "error": {"code": -32601}}"#,
            r#"{"method":"getUser","params":[1],"id":3"#,
            r#""rpc.send" { id = 3, jsonrpc = "2.0", method = "shutdown" }"#,
            "got { jsonrpc: '2.0', id: 1 }",
            "got Request(JsonRpcRequest { jsonrpc: JsonRpcVersion2_0, id: Number(1) })",
            r#"got (:jsonrpc "2.0" :id 1)"#,
            r#"10:00,in,"{""jsonrpc"":""2.0"",""id"":1}""#,
            "<m>{&quot;jsonrpc&quot;:&quot;2.0&quot;}</m>",
        ] {
            assert!(looks_like_messages(line.as_bytes()), "{line}");
        }
    }

    #[test]
    fn words_cannot_have_been_a_message() {
        for words in ["server listening on stdio", "[info] loaded: 3", "\u{7f}ELF"] {
            assert!(!may_hold_message(words.as_bytes()), "{words}");
        }
        for text in [r#""progressToken":1}}"#, "{", r#"got (:jsonrpc "2.0" :id 1)"#, ""] {
            assert!(may_hold_message(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn other_lines() {
        for line in [
            "Starting the jsonrpc server on port 80: ready",
            "method=tools/call took 12 ms, params were fine",
            r#"{"level":"error","id":7,"error":"connection reset"}"#,
            r#"{"method":"GET","path":"/","params":{}}"#,
            r#"loaded plugin "jsonrpc""#,
            "speaks: jsonrpc 3.1, over stdio",
            "",
            "id result error method params jsonrpc",
        ] {
            assert!(!looks_like_messages(line.as_bytes()), "{line}");
        }
    }

    #[test]
    fn records_that_break_off() {
        for line in [r#"{"ts":1,"dire"#, r#"10:00 --> {"js"#, r#"m="{\"jso"#, "got {'json", r#"{"a":{"b":1},"c""#] {
            assert!(is_torn(line.as_bytes()), "{line}");
        }
        for line in ["fn main() {", "{", r#"m="{\"a\":{\"b\":1}}""#, r#"{"a":1} {"b":2}"#, "Point { x: \"1\"", ""] {
            assert!(!is_torn(line.as_bytes()), "{line}");
        }
    }

    #[test]
    fn lines_that_a_logger_says_it_left_out() {
        let said = |line: &str| said_lost(line.as_bytes());
        assert_eq!(said("systemd-journald: Suppressed 37 messages from crane.service"), Some(37));
        assert_eq!(said("imjournal: 12 messages lost due to rate-limiting (600 allowed within 600 seconds)"), Some(12));
        assert_eq!(said("... 1 lines dropped ..."), Some(1));
        assert_eq!(said("dropped 3 log entries"), Some(3));
        for line in ["0 messages dropped", "dropped 3 connections", "lost connection 12", "120 messages sent"] {
            assert_eq!(said(line), None, "{line}");
        }
    }

    #[test]
    fn records_that_were_glued_together() {
        assert_eq!(seam(br#"{"a":1}{"b":2}"#), Some(7));
        assert_eq!(seam(br#"{"a":"}{"}"#), None);
        let json = r#"{"jsonrpc":"2.0","id":1,"result":{}}"#;
        let find = |line: &str, read: usize| behind(line.as_bytes(), read).map(|at| line[at..].to_string());
        let line = format!("08:00:01 in {json}) 08:00:02 out {json}");
        assert_eq!(find(&line, 12 + json.len()), Some(format!("08:00:02 out {json}")));
        let line = format!(">> {json}<< {json}");
        assert_eq!(find(&line, 3 + json.len()), Some(format!("<< {json}")));
        let line = format!("{{\"msg\":{json},\"ts\":\"2026-05-04T08:00:00Z\"}} {{\"msg\":{json}}}");
        assert_eq!(find(&line, 7 + json.len()), Some(format!("{{\"msg\":{json}}}")));
        let line = format!("{{\"msg\":{json},\"{{\"msg\":{json}}}");
        assert_eq!(find(&line, 7 + json.len()), Some(format!("{{\"msg\":{json}}}")), "a record without an end");
        for line in [format!("08:00:01 in {json} after 12 ms of waiting"), format!("{{\"msg\":{json},\"raw\":{json}}}")]
        {
            assert_eq!(find(&line, 12 + json.len()), None, "{line}");
        }
    }

    #[test]
    fn times_that_stand_on_a_line_again() {
        let count = |line: &str| times_again(line.as_bytes(), 0).count();
        assert_eq!(count("08:15:01 in 08:15:02 out 08:15:03 in "), 2);
        assert_eq!(count("2026-09-03T08:15:00.1Z stderr F 2026-09-03T08:15:00.100 DEBUG <- "), 1);
        assert_eq!(count("4411 2026-09-03 08:15:00.000 IN "), 0, "a number is no time");
        assert_eq!(count("4411 08:15:01 in 4411 08:15:02 out "), 1);
        assert_eq!(count("DEBUG 08:15:01 in 08:15:02 out "), 0);
    }

    #[test]
    fn a_quotation_is_cut() {
        assert_eq!(quoted(b"  a line \r\n"), "a line");
        assert_eq!(quoted("\u{e9}".repeat(300).as_bytes()).chars().count(), QUOTED + 3);
    }
}
