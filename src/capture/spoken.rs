//! What a line of text says beside its message: words before it, names with values around it, and between whom it went.

use std::borrow::Cow;

use crate::capture::anywhere;
use crate::capture::words::TYPES;

/// How many words before a message are looked at, and how many parts before and behind it.
const WORDS: usize = 6;
const PARTS: usize = 16;

/// How long a value may be, in bytes.
const LONGEST: usize = 200;

/// Signs for the way of a message.
const ARROWS: [&str; 10] = ["-->", "<--", "->", "<-", "=>", "<=", "→", "←", "⇒", "⇐"];

/// Which part of a line is meant: as a user names it, too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::capture) enum Telling {
    /// `word:2`: a word before the first brace, from 1, between blanks and bars; what stands in square brackets is one.
    Word(usize),
    /// `part:2`: a part of what stands before the message, from 1, between blanks, bars, commas, quotes and brackets.
    Part(usize),
    /// `field:2`: the same between colons, too; one that does not begin with a letter (of a time, a number) says nothing.
    Field(usize),
    /// `after:2`: the same behind the message.
    After(usize),
    /// `ends`: the two names around an arrow, whichever way it points.
    Ends,
    /// A name before a value: `session=3`, `"conn":"a"`. In a record in JSON it is `text:session`: whatever member says it.
    Named(String),
}

/// What comes before a name where records have members of their own.
const IN_TEXT: &str = "text:";

/// The name in a key.
pub(in crate::capture) fn name(key: &str) -> &str {
    key.strip_prefix(IN_TEXT).unwrap_or(key)
}

impl Telling {
    /// What a key means in a line of text.
    pub(in crate::capture) fn by(key: &str) -> Telling {
        let place = |kind: &str| key.strip_prefix(kind)?.parse().ok().filter(|place| *place > 0);
        place("word:")
            .map(Telling::Word)
            .or_else(|| place("part:").map(Telling::Part))
            .or_else(|| place("field:").map(Telling::Field))
            .or_else(|| place("after:").map(Telling::After))
            .unwrap_or_else(|| if key == "ends" { Telling::Ends } else { Telling::Named(name(key).to_string()) })
    }

    /// True for a key that cannot be the name of a member.
    pub(in crate::capture) fn is_place(key: &str) -> bool {
        key.starts_with(IN_TEXT) || !matches!(Telling::by(key), Telling::Named(_))
    }

    /// What a line says there.
    pub(in crate::capture) fn of<'l>(&self, line: &'l str) -> Option<Cow<'l, str>> {
        if let Telling::Word(place) = self {
            return words(prefix(line)).nth(place - 1).map(Cow::from);
        }
        let (before, behind) = around(line);
        match self {
            Telling::Part(place) => parts(before).nth(place - 1).map(Cow::from),
            Telling::Field(place) => fields(before).find(|(at, _)| at + 1 == *place).map(|(_, field)| field.into()),
            Telling::After(place) => parts(behind).nth(place - 1).map(Cow::from),
            Telling::Ends => ends(before).map(Cow::from),
            Telling::Named(name) => {
                pairs(before).chain(pairs(behind)).find(|(own, _)| own == name).map(|(_, value)| value.into())
            }
            Telling::Word(_) => None,
        }
    }
}

/// What a line says in all these places, one behind the other, where it says something in each.
pub(in crate::capture) fn said<'l>(telling: &[Telling], line: &'l str) -> Option<Cow<'l, str>> {
    match telling {
        [one] => one.of(line),
        several => {
            let said: Option<Vec<Cow<'_, str>>> = several.iter().map(|one| one.of(line)).collect();
            said.map(|said| said.join("/").into())
        }
    }
}

/// Calls `give` with the name and the value of all that a line says beside its message.
pub(in crate::capture) fn each<'l>(line: &'l str, give: &mut dyn FnMut(String, Cow<'l, str>)) {
    let mut short = |name: String, value: Cow<'l, str>| {
        if value.len() <= LONGEST {
            give(name, value);
        }
    };
    words(prefix(line)).take(WORDS).enumerate().for_each(|(at, word)| short(format!("word:{}", at + 1), word.into()));
    let (before, behind) = around(line);
    parts(before).take(PARTS).enumerate().for_each(|(at, part)| short(format!("part:{}", at + 1), part.into()));
    fields(before).for_each(|(at, field)| short(format!("field:{}", at + 1), field.into()));
    parts(behind).take(PARTS).enumerate().for_each(|(at, part)| short(format!("after:{}", at + 1), part.into()));
    pairs(before).chain(pairs(behind)).for_each(|(name, value)| short(name.to_string(), value.into()));
    ends(before).into_iter().for_each(|ends| short("ends".to_string(), ends.into()));
}

/// The same of a record in JSON, beside what its members say themselves: what stands there in texts, and in lists.
pub(in crate::capture) fn around_json<'l>(record: &'l str, give: &mut dyn FnMut(String, Cow<'l, str>)) {
    let (before, behind) = around(record);
    // What OpenTelemetry wraps a value in is no name: attributes of all kinds have it.
    let is_name = |(name, value): &(&str, &str)| value.len() <= LONGEST && !TYPES.contains(name);
    let named = pairs(before).chain(pairs(behind)).filter(is_name);
    named.for_each(|(name, value)| give(format!("{IN_TEXT}{name}"), value.into()));
    parts(before).take(PARTS).enumerate().for_each(|(at, part)| give(format!("part:{}", at + 1), part.into()));
    ends(before).into_iter().for_each(|ends| give("ends".to_string(), ends.into()));
}

/// What stands before the message of a line, and what behind it. Of a message with escapes, within a text, nothing tells where it ends.
fn around(line: &str) -> (&str, &str) {
    match anywhere::next(line, 0) {
        Some(message) => (&line[..message.start], &line[message.end..]),
        None => (&line[..line.find("{\\").unwrap_or(line.len())], ""),
    }
}

/// What stands before the message of a line: all before the first brace, but labels in braces (`{app="x", pod="y"}`) are no message.
fn prefix(line: &str) -> &str {
    let opens = |at: &usize| {
        let inside = line[at + 1..].trim_start();
        inside.starts_with(['"', '\'', '\\', '}']) || !inside.contains('{')
    };
    let mut braces = memchr::memchr_iter(b'{', line.as_bytes());
    &line[..braces.find(opens).unwrap_or(line.len())]
}

/// The words of what stands before a message: between blanks and bars; what stands in square brackets is one.
fn words(prefix: &str) -> impl Iterator<Item = &str> {
    let parts = |c: char| c.is_whitespace() || c == '|';
    let mut rest = prefix;
    std::iter::from_fn(move || {
        rest = rest.trim_start_matches(parts);
        let bracket = rest.starts_with('[').then(|| rest.find(']')).flatten().unwrap_or(0);
        let end = rest[bracket..].find(parts).map_or(rest.len(), |end| bracket + end);
        let word;
        (word, rest) = rest.split_at(end);
        (!word.is_empty()).then_some(word)
    })
}

/// True for what stands between the parts of a line.
fn parts_at(c: char) -> bool {
    c.is_whitespace() || "|,;\"'`()[]{}<>\\".contains(c)
}

fn parts(text: &str) -> impl Iterator<Item = &str> {
    text.split(parts_at).filter(|part| part.contains(char::is_alphanumeric))
}

/// What stands beside colons (`DEBUG:gw.c-7:RX`), with its place among all parts. The hour of a time would split a log by chance.
fn fields(before: &str) -> impl Iterator<Item = (usize, &str)> {
    let all = before.split(|c| c == ':' || parts_at(c)).filter(|part| part.contains(char::is_alphanumeric));
    let at = |part: &str| part.as_ptr() as usize - before.as_ptr() as usize;
    let beside =
        move |part: &str| before[..at(part)].ends_with(':') || before[at(part) + part.len()..].starts_with(':');
    let named = move |part: &str| part.starts_with(char::is_alphabetic) && beside(part);
    all.enumerate().take(PARTS).filter(move |(_, part)| named(part))
}

/// Names that stand before values: `a=b`, `a: b`, `"a":"b"`.
fn pairs(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let signs = text.char_indices().filter(|(_, c)| matches!(c, '=' | ':'));
    signs.filter_map(|(at, sign)| {
        let quotes = |c: char| matches!(c, '"' | '\'' | '`' | '\\');
        let name = text[..at].trim_end().trim_end_matches(quotes);
        let name = &name[name.rfind(|c: char| !is_of_name(c)).map_or(0, |end| end + last_len(name, end))..];
        let behind = text[at + sign.len_utf8()..].trim_start().trim_start_matches(quotes);
        // What goes on longer is no name of a connection, and is not gone through once more for each sign in it.
        let mut signs = behind.char_indices().take(LONGEST + 1);
        let end = signs.find(|(_, c)| parts_at(*c)).map(|(at, _)| at);
        let end = end.or_else(|| (behind.len() <= LONGEST).then_some(behind.len()))?;
        let value = &behind[..end];
        let is_name = name.starts_with(char::is_alphabetic) && value.contains(char::is_alphanumeric);
        is_name.then_some((name, value))
    })
}

/// The length of the sign that stands there.
fn last_len(text: &str, at: usize) -> usize {
    text[at..].chars().next().map_or(0, char::len_utf8)
}

fn is_of_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '@')
}

/// The names around the arrow that stands before a message, in the order of the alphabet: both ways are one connection.
fn ends(before: &str) -> Option<String> {
    ARROWS.iter().find_map(|arrow| {
        let (left, right) = before.rsplit_once(arrow)?;
        let (left, right) = (left.trim_end(), right.trim_start());
        let left = &left[left.rfind(|c: char| !is_of_name(c)).map_or(0, |end| end + last_len(left, end))..];
        let right = &right[..right.find(|c: char| !is_of_name(c)).unwrap_or(right.len())];
        let (first, second) = if left <= right { (left, right) } else { (right, left) };
        (!first.is_empty() && !second.is_empty()).then(|| format!("{first} {second}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(key: &str, line: &str) -> Option<String> {
        Telling::by(key).of(line).map(Cow::into_owned)
    }

    const MESSAGE: &str = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;

    #[test]
    fn what_a_line_says_is_found_where_its_key_says() {
        let sql = format!("INSERT INTO m VALUES ('2026-09-03 08:15:00.020','ledger','in','{MESSAGE}');");
        let zap = format!(r#"08:15:00.020 DEBUG received {{"conn":"a-1","message":{MESSAGE}}}"#);
        let behind = format!("08:15:00.020 sent {MESSAGE} session=s:1 (worker-2)");
        let python = format!("DEBUG:gw.c-7:RX {MESSAGE}");
        let timed = format!("2026-09-03 08:15:00,020:DEBUG:gw.c-7:RX {MESSAGE}");
        for (key, line, value) in [
            ("part:7", &sql, "ledger"),
            ("conn", &zap, "a-1"),
            ("word:3", &zap, "received"),
            ("field:2", &python, "gw.c-7"),
            ("field:7", &timed, "gw.c-7"),
            ("session", &behind, "s:1"),
            ("after:2", &behind, "worker-2"),
        ] {
            assert_eq!(said(key, line).as_deref(), Some(value), "{key} in {line}");
        }
        assert_eq!(said("session", &zap), None);
        assert_eq!(said("field:2", &timed), None, "the hour is no name");
    }

    #[test]
    fn what_a_value_is_wrapped_in_is_no_name() {
        let attribute = |key: &str| format!(r#"{{"key":"{key}","value":{{"stringValue":"a"}}}}"#);
        let record = format!(r#"{{"attributes":[{}],"body":{MESSAGE}}}"#, attribute("conn"));
        let mut names = Vec::new();
        around_json(&record, &mut |name, _| names.push(name));
        assert!(
            names.contains(&"text:key".to_string()) && !names.contains(&"text:stringValue".to_string()),
            "{names:?}"
        );
    }

    #[test]
    fn a_line_of_nothing_but_signs_is_gone_through_once() {
        let line = "a:".repeat(500_000);
        assert!(pairs(&line).count() <= LONGEST);
    }

    #[test]
    fn an_arrow_stands_between_the_same_two_whichever_way_it_points() {
        for way in ["client→ledger", "ledger -> client", "[client] <- [ledger]", "ledger=>client:"] {
            let line = format!("08:15:00.020 {way} {MESSAGE}");
            let found = said("ends", &line);
            assert!(way.contains('[') == found.is_none() && found.is_none_or(|ends| ends == "client ledger"), "{way}");
        }
        assert_eq!(said("ends", &format!("08:15:00 -> {MESSAGE}")), None);
    }
}
