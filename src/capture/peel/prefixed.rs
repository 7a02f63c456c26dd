//! What those who show the logs of several places put before a record in JSON: `kubectl logs --prefix`
//! (`[pod/notes-0/main] {..}`), stern (`notes-0 main {..}`), `docker compose logs` (`notes-1  | {..}`), `aws logs tail`
//! (`TIME notes/main/0 {..}`), Heroku (`TIME app[web.1]: {..}`). A place is one log. Jenkins puts a time in brackets there, and no place.
//!
//! Behind any other words (`docker logs -t`, `kubectl logs --timestamps`, a cloud's export) a record is read as one where others of the
//! log say themselves who sent their messages, or have these in a text behind a time alone, or where all are those of a known emitter: what
//! stands before it is a time, and no more is taken from there. A message itself behind words is a line of text, whose words may tell
//! directions, and so are records that say nothing: that is `learned`'s to read.

use super::peeler::{Give, Peeled, Peeler};
use crate::capture::Skip;
use crate::capture::lines::Line;
use crate::capture::sample::Sample;
use crate::capture::time::{is_time, parse};
use crate::capture::words::{direction, time_key};
use crate::error::Result;
use crate::json::scan::{members, unquoted, value_end};

/// How many words may stand before a record.
const WORDS: usize = 5;

/// Words that say how grave a line is, and not where it comes from.
const LEVELS: [&str; 8] = ["trace", "debug", "info", "notice", "warn", "warning", "error", "fatal"];

/// Place, time and record of a line.
fn read(line: &str) -> Option<(&str, &str, &str)> {
    let (head, record) = line.split_at(line.find('{')?);
    let (mut place, mut at) = (None::<&str>, "");
    for (count, word) in head.split_whitespace().filter(|word| *word != "|").enumerate() {
        let barred = head[word.as_ptr() as usize - head.as_ptr() as usize + word.len()..].trim_start().starts_with('|');
        match place {
            _ if count >= WORDS => return None,
            _ if at.is_empty() && is_time(word) => at = word,
            None if at.is_empty() && in_brackets(word).is_some() => (place, at) = (Some(""), in_brackets(word)?),
            None if is_place(word) || barred && is_name(word) => place = Some(word),
            Some(_) if is_name(word) => {}
            _ => return None,
        }
    }
    Some((place?.trim_end_matches(':'), at, record))
}

/// How much may stand before a record that says itself who sent its message, in bytes.
const BEFORE: usize = 200;

/// What stands before the record with which a line ends, and the record.
fn with_record(line: &str) -> Option<(&str, &str)> {
    if line.starts_with(['{', '[']) {
        return None;
    }
    let line = line.trim_end();
    let mut starts = line.match_indices("{\"").map(|(at, _)| at).take_while(|at| *at <= BEFORE);
    let start = starts.find(|at| value_end(line.as_bytes(), *at) == Some(line.len()))?;
    Some(line.split_at(start))
}

/// True for a line that ends in a record which says itself who sent its message, whatever stands before it.
fn says_its_sender(line: &str) -> bool {
    let is_own = |(head, record): (&str, &str)| {
        holds_message(record) && (is_time(head.trim()) && holds_text(record) || says_sender(record))
    };
    with_record(line).is_some_and(is_own)
}

/// Time and record of a line that ends in one, which is no message itself: beside others that are read, it may be without a message, or
/// hold one that lacks its `jsonrpc`.
fn behind_words(line: &str) -> Option<(&str, &str)> {
    let (head, record) = with_record(line)?;
    let is_message = members(record).any(|member| member.key == "jsonrpc");
    let time = if is_time(head.trim()) { head.trim() } else { time_in(head) };
    (!is_message).then_some((time, record))
}

/// True for a record that is no message and holds one.
fn holds_message(record: &str) -> bool {
    record.contains("jsonrpc") && members(record).all(|member| member.key != "jsonrpc")
}

/// True for a record with a word for the way that its message went.
fn says_sender(record: &str) -> bool {
    let says = |key: &str, value: &str| value.starts_with('"') && direction(key, unquoted(value)).is_some();
    members(record).any(|member| says(member.key, member.value))
}

/// True for a record whose message stands in a text.
fn holds_text(record: &str) -> bool {
    members(record).any(|member| member.value.starts_with('"') && member.value.contains("jsonrpc"))
}

/// The first time in what stands before a record; the date may stand before it as a word of its own.
fn time_in(head: &str) -> &str {
    let place = |word: &str| word.as_ptr() as usize - head.as_ptr() as usize;
    let mut words = head.split_whitespace().map(|word| word.trim_matches(['[', ']', ','])).peekable();
    while let Some(word) = words.next() {
        let both = words.peek().map(|next| &head[place(word)..place(next) + next.len()]);
        if let Some(at) = both
            .filter(|both| word.contains('-') && is_time(both))
            .or(Some(word).filter(|word| is_time(word)))
            .or_else(|| named_time(word))
        {
            return at;
        }
    }
    ""
}

/// A time behind its name: `CreateTime:1700000000123`, as Kafka's console consumer prints it.
fn named_time(word: &str) -> Option<&str> {
    let (name, time) = word.split_once(':')?;
    let is_name = name.bytes().all(|byte| byte.is_ascii_alphabetic()) && time_key(name).is_some();
    (is_name && parse(time).is_some()).then_some(time)
}

/// The time in a pair of brackets.
fn in_brackets(word: &str) -> Option<&str> {
    word.strip_prefix('[')?.strip_suffix(']').filter(|time| is_time(time))
}

/// True for the name of a pod, a stream or a process, as the viewers above write it.
fn is_place(word: &str) -> bool {
    if let Some(pod) = word.strip_prefix("[pod/") {
        return pod.ends_with(']');
    }
    if let Some((app, process)) = word.strip_suffix("]:").and_then(|word| word.split_once('[')) {
        return is_name(app) && is_name(process);
    }
    is_name(word) && word.contains(['-', '/'])
}

fn is_name(word: &str) -> bool {
    let allowed = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '/' | '$' | '[' | ']');
    let lower = word.to_ascii_lowercase();
    word.starts_with(|c: char| c.is_alphanumeric())
        && word.chars().all(allowed)
        && !LEVELS.contains(&lower.as_str())
        && direction("", word).is_none()
}

/// The name before a bar, and what stands behind it: `docker compose logs` breaks what is printed over several lines.
fn behind_bar(line: &str) -> Option<(&str, &str)> {
    let (name, rest) = line.split_once('|')?;
    let name = name.trim_end();
    is_name(name).then(|| (name, rest.strip_prefix(' ').unwrap_or(rest)))
}

/// True for a text of which nearly every line stands behind a name and a bar, which are in one column.
pub(super) fn stands_behind_bars(sample: &Sample) -> bool {
    let column = |line: &str| behind_bar(line).and_then(|_| line.find('|'));
    let first = sample.lines().find_map(column);
    let barred = sample.lines().filter(|line| first.is_some() && column(line) == first).count();
    barred > 1 && barred * 10 >= sample.line_count() * 9
}

/// True for a text of which nearly every line ends in a record, behind words.
pub(super) fn stands_behind_words(sample: &Sample) -> bool {
    let worded = sample.lines().filter(|line| behind_words(line).is_some()).count();
    worded > 1 && worded * 10 >= sample.line_count() * 9
}

/// True for a member of an object over several lines.
fn is_member(rest: &str) -> bool {
    rest.starts_with("  ") && rest.trim_start().starts_with('"') && rest.contains("\":")
}

/// True for such a line with a record that is no message itself, or with a part of what is printed over several lines.
pub(super) fn looks(line: &str) -> bool {
    if behind_bar(line).is_some_and(|(_, rest)| is_member(rest)) || says_its_sender(line) {
        return true;
    }
    let Some((_, _, record)) = read(line) else { return false };
    let own = |key: &str| matches!(key, "id" | "method" | "params" | "result" | "error");
    let alone = value_end(record.as_bytes(), 0).is_some_and(|end| record[end..].trim_ascii().is_empty());
    alone && members(record).all(|member| member.key != "jsonrpc") && members(record).any(|member| !own(member.key))
}

/// See the module.
pub(super) struct Prefixed;

impl Peeler for Prefixed {
    fn line(&mut self, line: &Line<'_>, give: Give<'_>) -> Result<Option<Skip>> {
        let text = line.text();
        let barred = || behind_bar(&text).map(|(name, rest)| (name, "", rest));
        // What goes on below is given with the blanks before it.
        let whole = read(&text).filter(|(.., record)| value_end(record.as_bytes(), 0).is_some());
        let worded = || behind_words(&text).map(|(time, record)| ("", time, record));
        let Some((key, time, record)) = whole.or_else(barred).or_else(|| read(&text)).or_else(worded) else {
            return Ok(Some(if text.trim_ascii().is_empty() { Skip::Blank } else { Skip::NotAMessage }));
        };
        let offset = line.offset + (text.len() - record.len()) as u64;
        give(&Peeled { key, number: line.number, offset, time, bytes: record.as_bytes(), ended: line.ended })?;
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn viewers_name_the_place() {
        for (line, place) in [
            ("[pod/notes-0/main] {\"a\":1}", "[pod/notes-0/main]"),
            ("[pod/notes-0/main] 2026-03-02T10:00:00.1Z {\"a\":1}", "[pod/notes-0/main]"),
            ("notes-0 main {\"a\":1}", "notes-0"),
            ("notes-1  | {\"a\":1}", "notes-1"),
            ("notes  | 2026-03-02T10:00:00.1Z {\"a\":1}", "notes"),
            ("2026-03-02T10:00:00.1+00:00 notes/main/0 {\"a\":1}", "notes/main/0"),
            ("2026-03-02T10:00:00.1+00:00 app[web.1]: {\"a\":1}", "app[web.1]"),
            ("[2026-03-02T10:00:00.118Z] {\"a\":1}", ""),
        ] {
            assert_eq!(read(line).map(|found| found.0), Some(place), "{line}");
            assert!(looks(line), "{line}");
        }
    }

    #[test]
    fn what_is_printed_over_several_lines_stands_behind_a_bar() {
        assert_eq!(behind_bar("notes-1  |   \"id\": 1,"), Some(("notes-1", "  \"id\": 1,")));
        assert!(looks("notes-1  |   \"id\": 1,") && !looks("notes-1  | started") && !looks("a | b |   \"id\": 1,"));
    }

    #[test]
    fn bars_in_one_column_stand_before_every_line_of_a_text() {
        let shows = |text: &str| stands_behind_bars(&Sample::new(text.as_bytes(), true, true));
        assert!(shows("notes-1  | started\nnotes-1  | MCP: {}\ndb-1     | ready\n"));
        for text in ["notes-1  | started\n", "a | b\nc: d\n", "notes-1 | x\ndb-1 | y\n", "INFO | x\nINFO | y\n", ""] {
            assert!(!shows(text), "{text}");
        }
    }

    #[test]
    fn records_stand_behind_any_words_of_a_text_that_is_full_of_them() {
        let shows = |text: &str| stands_behind_words(&Sample::new(text.as_bytes(), true, true));
        assert!(shows("AUDIT {\"a\":1}\nAUDIT {\"b\":{}}\n") && shows("a.log:1:{\"a\":1}\na.log:2:{\"a\":2}\n"));
        for text in
            ["AUDIT {\"a\":1}\n", "{\"a\":1}\n{\"a\":1}\n", "x {\"jsonrpc\":\"2.0\"}\nx {\"jsonrpc\":\"2.0\"}\n", ""]
        {
            assert!(!shows(text), "{text}");
        }
        assert_eq!(behind_words("x 2026-03-02T10:00:00Z y {\"a\":1} "), Some(("2026-03-02T10:00:00Z", "{\"a\":1}")));
    }

    #[test]
    fn a_direction_a_level_or_a_message_is_left_to_others() {
        for line in [
            "client->server {\"a\":1}",
            "notes-0 recv {\"a\":1}",
            "notes-0 DEBUG {\"a\":1}",
            "conn.go:44: {\"a\":1}",
            "2026-03-02T10:00:00Z {\"a\":1}",
            "notes-0 main {\"jsonrpc\":\"2.0\",\"method\":\"x\"}",
            "notes-0 main {\"id\":1,\"method\":\"x\"}",
            "notes-0 main {\"a\":1} and more",
        ] {
            assert!(!looks(line), "{line}");
        }
    }
}
