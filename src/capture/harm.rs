//! What shows that a line of a log was harmed: disks that were full, writers that died, two of them in one file, blocks of zeros
//! after a crash. What stands in such a line no peer sent so, and what it held nobody knows.

use crate::json::scan::{closing_quote, value_end};

/// How many heads of records are remembered, and how many bytes of each.
const HEADS: usize = 8;
const HEAD: usize = 160;

/// How much of the beginning of a record is held against another one.
const SIGN: usize = 8;

/// The shortest line that is told to be the beginning of a head.
const SHORTEST: usize = 4;

/// How much of a head tells where a record begins, in bytes, and how much of that stands on few lines twice.
const BEGINNING: usize = 40;
const RARE: usize = 6;

/// How much of the beginning of a line tells that a record begins there: a time, and a word or two of who wrote it.
const STAMP: usize = 28;

/// How much of a head no peer puts at the beginning of a message, in bytes.
const TELLING: usize = 20;

/// Where a run of zero bytes stands that is not at the end: its first byte and the one behind it.
#[inline]
pub(crate) fn zeros(line: &[u8]) -> Option<(usize, usize)> {
    let from = memchr::memchr(0, line)?;
    let to = from + line[from..].iter().position(|byte| *byte != 0)?;
    Some((from, to))
}

/// How many places are looked at where a record of JSON may begin within another.
const PLACES: usize = 8;

/// Where an object begins within one that broke off, on a line of JSON: as the line does, and it goes to the end of the line. Within a
/// whole one something would stand behind it.
pub(crate) fn second_object(line: &[u8]) -> Option<usize> {
    let line = line.trim_ascii_end();
    let sign = line.get(..TELLING / 2).filter(|sign| sign.starts_with(b"{\""))?;
    let places = memchr::memmem::find_iter(&line[1..], sign).map(|at| at + 1);
    places.take(PLACES).find(|at| value_end(line, *at) == Some(line.len()))
}

/// True if a record may begin behind zeros: nothing stands before them, or what does begins as what is behind them does.
pub(crate) fn begins_anew(line: &[u8], from: usize, to: usize) -> bool {
    let length = from.min(SIGN);
    line[to..].len() >= length && alike(&line[..length], &line[to..])
}

/// True for a text that begins and ends as an object does, and whose inside tells that bytes of it are missing: quotes that do not pair,
/// a bracket closed by one of the other kind, a name without its value, a value that is a name; or where a logger could not read what it
/// wrote. Who builds JSON by hand forgets commas, and closes too little or too much at the end.
pub(crate) fn is_spliced(text: &[u8]) -> bool {
    let text = text.trim_ascii();
    let whole = text.starts_with(b"{") && text.ends_with(b"}");
    memchr::memchr(0, text).is_some()
        || memchr::memmem::find(text, "\u{fffd}".as_bytes()).is_some()
        || whole && closes_wrongly(text)
}

/// True where quotes do not pair, a bracket closes one of the other kind, a name has no value, or a value is a name.
fn closes_wrongly(text: &[u8]) -> bool {
    let (mut open, mut last, mut named, mut valued) = (Vec::new(), 0, false, false);
    let mut signs = Signs { text, at: 0, unclosed: false };
    for sign in signs.by_ref() {
        if named && sign != b':' || valued && sign == b':' {
            return true;
        }
        valued = sign == b'"' && last == b':';
        named = sign == b'"' && open.last() == Some(&b'}') && matches!(last, b'{' | b',');
        last = sign;
        match sign {
            b'{' | b'[' => open.push(sign + 2),
            b'}' | b']' if open.pop().is_some_and(|wanted| wanted != sign) => return true,
            _ => {}
        }
    }
    signs.unclosed
}

/// True for the end of a record whose beginning is not there: quoted text, and more brackets closed than opened.
pub(crate) fn is_rest(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    let behind = if line.starts_with(b"{") { value_end(line, 0).unwrap_or(line.len()) } else { 0 };
    line.contains(&b'"') && opens(line[behind..].iter().copied()) < 0
}

/// How many more brackets are opened than closed.
fn opens(signs: impl Iterator<Item = u8>) -> isize {
    let weights = signs.map(|sign| match sign {
        b'{' | b'[' => 1,
        b'}' | b']' => -1,
        _ => 0,
    });
    weights.sum()
}

/// What stands outside of the strings of a text, without white space; a string is one quote.
struct Signs<'a> {
    text: &'a [u8],
    at: usize,
    /// True once a string was met that has no end.
    unclosed: bool,
}

impl Iterator for Signs<'_> {
    type Item = u8;

    fn next(&mut self) -> Option<u8> {
        let sign = loop {
            let byte = *self.text.get(self.at)?;
            self.at += 1;
            if !byte.is_ascii_whitespace() {
                break byte;
            }
        };
        if sign == b'"' {
            let end = closing_quote(self.text, self.at);
            self.unclosed |= end.is_none();
            self.at = end.map_or(self.text.len(), |end| end + 1);
        }
        Some(sign)
    }
}

/// What stands before the messages of a log, as its newest lines show it.
#[derive(Default)]
pub(crate) struct Heads {
    heads: [Head; HEADS],
    next: usize,
}

#[derive(Clone, Copy)]
struct Head {
    bytes: [u8; HEAD],
    length: usize,
}

impl Default for Head {
    fn default() -> Head {
        Head { bytes: [0; HEAD], length: 0 }
    }
}

impl Head {
    fn beginning(&self) -> &[u8] {
        &self.bytes[..self.length.min(BEGINNING)]
    }

    /// A time that is longer belongs to it, and what ends that: within the record others of the same digits may stand.
    fn stamp(&self) -> &[u8] {
        let of_time = |byte: &&u8| byte.is_ascii_digit() || b"Z:.,+-".contains(byte);
        let more = self.bytes[STAMP..self.length.max(STAMP)].iter().take_while(of_time).count();
        &self.bytes[..self.length.min(STAMP + more + 1)]
    }
}

impl Heads {
    /// A line whose message begins at `start`.
    #[inline]
    pub(crate) fn learn(&mut self, line: &[u8], start: usize) {
        if start < SHORTEST {
            return;
        }
        let (slot, length) = (&mut self.heads[self.next % HEADS], start.min(HEAD));
        slot.bytes[..length].copy_from_slice(&line[..length]);
        slot.length = length;
        self.next += 1;
    }

    /// True for a line that breaks off in what stands before a message: of another record it is the beginning. One with all of that
    /// and nothing behind it is an empty line.
    pub(crate) fn breaks_off(&self, line: &[u8]) -> bool {
        let line = line.trim_ascii_end();
        let breaks_off = |head: &Head| {
            let head = head.bytes[..head.length].trim_ascii_end();
            line.len() < head.len() && alike(line, head)
        };
        line.len() >= SHORTEST && self.heads.iter().any(breaks_off)
    }

    /// Where another record begins on a line that begins with words: it begins as others of the log do, and within no object that
    /// has an end.
    #[inline]
    pub(crate) fn second(&self, line: &[u8]) -> Option<usize> {
        let sign = line.get(..RARE).filter(|sign| sign[0] != b'{')?;
        memchr::memmem::find(&line[RARE..], sign)?;
        self.begun_again(line, sign)
    }

    #[cold]
    fn begun_again(&self, line: &[u8], sign: &[u8]) -> Option<usize> {
        // Where the last object before a place ends; nothing, where one has no end.
        let mut whole = Some(RARE);
        memchr::memmem::find_iter(&line[RARE..], sign).map(|at| at + RARE).find(|at| {
            while let Some(end) = whole
                && let Some(open) = line.get(end..*at).and_then(|between| memchr::memchr(b'{', between))
            {
                whole = value_end(line, end + open);
            }
            whole.is_none_or(|end| end <= *at) && self.begun_by(&line[*at..], RARE, Head::stamp)
        })
    }

    /// True for a text within which another record of the log begins.
    pub(crate) fn stand_in(&self, text: &[u8]) -> bool {
        (0..text.len()).any(|at| self.begins(&text[at..]))
    }

    /// True for a message that is no message but a record of the log: its line holds two of them.
    pub(crate) fn are_in_place_of(&self, message: &[u8]) -> bool {
        self.begun_by(message, TELLING, Head::beginning)
    }

    /// True for a text that begins as records do.
    fn begins(&self, text: &[u8]) -> bool {
        self.begun_by(text, RARE, Head::beginning)
    }

    /// True for a text that begins as so much of a head does that has at least so many bytes.
    fn begun_by(&self, text: &[u8], least: usize, part: fn(&Head) -> &[u8]) -> bool {
        let begins = |head: &Head| alike(part(head), text);
        self.heads.iter().any(|head| (least..text.len()).contains(&head.length) && begins(head))
    }
}

/// True if a text begins as another one does; digits are as good as other digits.
fn alike(text: &[u8], other: &[u8]) -> bool {
    let same = |(a, b): (&u8, &u8)| a == b || a.is_ascii_digit() && b.is_ascii_digit();
    text.iter().zip(other).all(same)
}

/// True for a line on which a message stands between `start` and `end`, and beside it the end of another record.
pub(crate) fn holds_rest(line: &[u8], start: usize, end: usize) -> bool {
    let (head, rest) = (&line[..start], &line[end..]);
    // Nearly every record: a bracket is opened before its message, none is closed there, and one is behind it.
    if rest == b"}" && head.starts_with(b"{") && memchr::memchr2(b'}', b']', head).is_none() {
        return false;
    }
    let closed = opens(Signs { text: rest, at: 0, unclosed: false });
    closed < 0 && closed + left_open(head) < 0
}

/// How many brackets are open where a text ends. What is closed in it and was not opened closes nothing that comes later, and what stands
/// in strings is none, where quotes pair.
fn left_open(text: &[u8]) -> isize {
    let deeper = |depth: isize, sign: u8| (depth + opens(std::iter::once(sign))).max(0);
    let mut signs = Signs { text, at: 0, unclosed: false };
    let depth = signs.by_ref().fold(0, deeper);
    if signs.unclosed { text.iter().copied().fold(0, deeper) } else { depth }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_that_lack_bytes() {
        for text in [
            r#"{"jsonrpc":"2"type":"text","text":"101 rows"}]}}}"#,
            r#"{"id":7,"result":{"content":[{t","text":"416 rows"}]}}"#,
            "{\"id\":7,\"me\0\0thod\":1}",
            "{\"id\":7,\"me\u{fffd}:1}",
            r#"{"id":7,"method"read_ledger","arguments":{"month":"2026-05"}}"#,
            r#"{"jsonrpc":"2.0","id":7,"method":"tools/callage":"unknown tool"}"#,
        ] {
            assert!(is_spliced(text.as_bytes()), "{text}");
        }
        for text in [
            "listening on port 8080",
            r#"{"id":7,"result":"#,
            r#"{"id":7,"result":{}"#,
            r#"{"id":7,"result":{}}}"#,
            r#"{'id':7,"result":NaN,}"#,
            r#"{"id":7,"text":"say "hi" now"}"#,
        ] {
            assert!(!is_spliced(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn ends_of_records() {
        for line in [r#"ools/call","params":{"name":"x"}}}"#, r#"{"a":1}}}"#] {
            assert!(is_rest(line.as_bytes()), "{line}");
        }
        for line in [r#""a":{"b":1},"#, "}}", r#"{"a":1}"#, r#"{"a":1} {"b":2}"#, r#"say "hi" {now}"#] {
            assert!(!is_rest(line.as_bytes()), "{line}");
        }
    }

    #[test]
    fn what_stands_beside_a_message() {
        let beside = |head: &str, rest: &str| {
            let line = format!("{head}{{}}{rest}");
            holds_rest(line.as_bytes(), head.len(), head.len() + 2)
        };
        assert!(beside("08:15:01 in ", r#""2026-01"}}}"#));
        assert!(!beside("08:15:01 in ", ", took 3 ms"));
        assert!(!beside(r#"08:15:01 in {"message":"#, "} []"));
        // Brackets in the names that a log has for its peers are none of the record's.
        assert!(!beside(r#"{"peer":"a]","message":"#, "}"));
        assert!(!beside(r#"08:15:01 [proxy]] {"message":"#, "}"));
    }

    #[test]
    fn half_an_object_before_a_whole_one() {
        let whole = r#"{"timestamp":"08:15","event":{"id":1}}"#;
        let half = r#"{"timestamp":"08:14","ev"#;
        assert_eq!(second_object(format!("{half}{whole} ").as_bytes()), Some(half.len()));
        // One within another has the end of that one behind it; one in a string is escaped.
        let within = format!(r#"{{"timestamp":"08:14","event":{whole}}}"#);
        let quoted = serde_json::json!({"timestamp": "08:14", "text": whole}).to_string();
        assert_eq!([whole, &within, &quoted, half].map(|line| second_object(line.as_bytes())), [None; 4]);
    }

    #[test]
    fn a_line_that_ends_before_its_message() {
        let mut heads = Heads::default();
        let line = b"08:15:01 DEBUG relay - <<< {}";
        heads.learn(line, 27);
        assert!(heads.breaks_off(b"08:17:22 DEBUG re"));
        assert!(!heads.breaks_off(b"08:17:22 INFO re") && !heads.breaks_off(b"08:") && !heads.breaks_off(line));
    }

    #[test]
    fn an_empty_line_breaks_off_nowhere() {
        let mut heads = Heads::default();
        heads.learn(b"08:15:01 I okhttp: {}", 19);
        assert!(heads.breaks_off(b"08:15:01 I okht") && !heads.breaks_off(b"08:15:02 I okhttp: "));
    }

    #[test]
    fn a_time_within_a_record_is_no_other_record() {
        let mut heads = Heads::default();
        heads.learn(b"2026-09-03T08:15:00.000123456Z stderr F {}", 40);
        let outer = "2026-09-03T08:15:00.085123456Z stderr";
        let second = |line: String| heads.second(line.as_bytes());
        for digits in ["08500000", "085123456"] {
            let inner = format!(r#"{{"ts":"2026-09-03T08:15:00.{digits}Z","dir":"s2c","msg":{{"jsonrpc":"2.0","#);
            assert_eq!(second(format!("{outer} P {inner}")), None, "{digits}");
        }
        let half = format!(r#"{outer} F {{"ts":"2026-09-03T08:1"#);
        assert_eq!(second(format!("{half}{outer} F {{}}")), Some(half.len()));
    }

    #[test]
    fn another_record_on_the_line() {
        let mut heads = Heads::default();
        heads.learn(b"Sep  3 08:15:01 h notes[40]: {\"dir\":\"in\",\"msg\":{}}", 29);
        let record = "Sep  3 08:15:02 h notes[40]: {\"dir\":\"out\",\"msg\":{\"id\":1}}";
        let second = |line: &str| heads.second(line.as_bytes());
        assert_eq!(second(&format!("{record}{record}")), Some(record.len()));
        assert_eq!(second(&format!("{}{record}", &record[..40])), Some(40));
        for line in
            [record.to_string(), format!("{}{record}\"}}}}", &record[..record.len() - 2]), "Sep  3 Sep  3".into()]
        {
            assert_eq!(second(&line.replace(":1Sep", ":\"Sep")), None, "{line}");
        }
    }

    #[test]
    fn another_record_within_a_message() {
        let mut heads = Heads::default();
        heads.learn(b"Sep  3 08:15:01 h notes[40]: {}", 29);
        let record = "Sep  3 08:15:02 h notes[40]: {\"id\":1,\"method\":\"add\"}";
        assert!(heads.stand_in(format!("{{\"jsonrpc\":\"2.{record}0\"}}").as_bytes()));
        assert!(!heads.stand_in(b"{\"jsonrpc\":\"2.0\",\"text\":\"Sep  3 08:15:01 h notes:\"}"));
    }

    #[test]
    fn another_record_in_the_place_of_a_message() {
        let mut heads = Heads::default();
        let head = r#"{"ts":"2026-09-03T08:15:00.140Z","dir":"c2s","msg":"#;
        heads.learn(format!("{head}{{}}}}").as_bytes(), head.len());
        let later = head.replace("00.140", "00.151");
        assert!(heads.are_in_place_of(format!("{later}{{\"id\":1}}}}").as_bytes()));
        assert!(
            !heads.are_in_place_of(br#"{"ts":"2026-09-03T08:15:00.140Z","text":"no message, and no record either"}"#)
        );
    }

    #[test]
    fn runs_of_zeros() {
        assert_eq!(zeros(b"ab\0\0c"), Some((2, 4)));
        assert_eq!((zeros(b"abc"), zeros(b"abc\0\0")), (None, None));
    }
}
