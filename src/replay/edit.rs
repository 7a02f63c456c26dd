//! Recordings made of recordings: some lines of one, or several as one. Pure: texts in, text out. Messages stay byte for byte; lines get
//! new numbers, and the hashes of the recorder go, because they are those of another text.

use std::borrow::Cow;
use std::collections::HashMap;

use chrono::DateTime;

use super::compare::{Node, Tree};
use crate::capture::{Missing, RecordedPart, in_order};
use crate::error::{Error, ErrorKind, Result};

/// What the header says of the wire. Recordings that differ in it cannot be one.
const WIRE: [&str; 5] = ["proto", "revision", "transport", "frame", "vantage"];

/// The lines of a recording that `keep` wants (from 1), and its header.
///
/// # Errors
/// The text is no recording.
pub fn kept(recording: &str, keep: impl Fn(u64) -> bool) -> Result<String> {
    let header = Header::of(recording)?;
    let session = serde_json::Value::from(format!("{}-part", header.session)).to_string();
    let mut out = Output::begin(header.line, &session);
    for (at, line) in recording.lines().enumerate().skip(1) {
        if keep(at as u64 + 1) {
            out.line(line, &[]);
        }
    }
    Ok(out.end())
}

/// Several recordings as one, each connection as it was, in the order of their times. Parts of one recording go on with its connections.
///
/// # Errors
/// A text is no recording, or they were taken on wires of different kinds.
pub fn merged(recordings: &[(&str, &str)]) -> Result<String> {
    let headers = recordings
        .iter()
        .map(|(name, text)| Header::of(text).map_err(|error| named(error, name)))
        .collect::<Result<Vec<_>>>()?;
    let Some(first) = headers.first() else { return Err(Error::new(ErrorKind::Usage, "there is nothing to merge")) };
    for (header, (name, _)) in headers.iter().zip(recordings) {
        if let Some(member) = WIRE.iter().find(|member| header.word(member) != first.word(member)) {
            let message = format!("{name} and {} differ in `{member}` and cannot be one recording", recordings[0].0);
            return Err(Error::new(ErrorKind::Input, message)
                .hint("replay takes several recordings, and folders of them, as they are"));
        }
    }
    let mut texts: Vec<_> = headers.iter().zip(recordings.iter().map(|(_, text)| *text)).collect();
    in_order(&mut texts, |(header, text)| header.part(text));
    let begin = headers.iter().map(|header| header.t0_us).min().unwrap_or(0);
    let (mut lines, mut used, mut before) = (Vec::new(), 0, Before::new());
    for (header, text) in texts {
        // A further part of the same session has the same connections; a new session has connections of its own.
        let (shift, hole) = header.behind(text, used, &mut before);
        lines.extend(hole.map(|gap| (None, None, Cow::Owned(gap))));
        for line in text.lines().skip(1) {
            let tree = Tree::read(line.trim_end());
            let number = |name: &str| tree.as_ref().and_then(|tree| tree.member(name)?.text.parse::<i64>().ok());
            let (time, connection) = (number("t").map(|t| t + header.t0_us - begin), number("c").map(|c| c + shift));
            used = used.max(connection.unwrap_or(0));
            lines.push((time, connection, Cow::Borrowed(line)));
        }
    }
    // What has no time stays behind what stood before it.
    let mut last = 0;
    let mut ordered: Vec<_> = lines
        .iter()
        .map(|(time, connection, line)| {
            last = time.unwrap_or(last);
            (last, time, connection, line)
        })
        .collect();
    ordered.sort_by_key(|(at, ..)| *at);
    let earliest = headers.iter().find(|header| header.t0_us == begin).unwrap_or(first);
    let mut out = Output::begin(earliest.line, &format!("\"{}+{}\"", plain(&first.session), headers.len() - 1));
    for (_, time, connection, line) in ordered {
        let set = |value: &Option<i64>| value.map(|value| value.to_string());
        let members = [("t", set(time)), ("c", set(connection))];
        let members: Vec<_> = members.into_iter().filter(|(_, value)| value.is_some()).collect();
        out.line(line, &members);
    }
    Ok(out.end())
}

fn named(error: Error, name: &str) -> Error {
    let hint = error.hint.clone();
    let error = Error::new(error.kind, format!("{name}: {}", error.message));
    match hint {
        Some(hint) => error.hint(hint),
        None => error,
    }
}

/// The last part of each recording, and by how much the numbers of its connections have grown.
type Before = HashMap<String, (RecordedPart, i64)>;

/// A gap that any connection may have, as recorders write it.
fn gap(missing: &Missing<'_>) -> String {
    let lost = missing.lost.map_or(String::new(), |lost| format!(",\"lost\":{lost}"));
    format!("{{\"q\":0,\"k\":\"gap\",\"why\":\"{}\"{lost},\"text\":\"{}\"}}", missing.why.as_str(), missing.words)
}

/// What may stand in a JSON string as it is.
fn plain(text: &str) -> String {
    text.chars().filter(|c| c.is_ascii_alphanumeric() || "-_.+".contains(*c)).collect()
}

/// The first line of a recording.
struct Header<'t> {
    line: &'t str,
    tree: Tree<'t>,
    session: String,
    t0_us: i64,
}

impl<'t> Header<'t> {
    fn of(text: &'t str) -> Result<Header<'t>> {
        let line = text.lines().next().unwrap_or_default().trim_end();
        let tree = Tree::read(line).filter(|tree| tree.member("rec").is_some());
        let Some(tree) = tree else {
            return Err(Error::new(ErrorKind::Input, "only recordings can be changed, and this is none")
                .hint("make one of it first: rpctape export LOG --as rec -o NAME.rec.jsonl"));
        };
        let word = |name: &str| tree.member(name).and_then(|value| value.string());
        let (session, t0) = (word("session").unwrap_or_default().into(), word("t0").unwrap_or_default());
        let t0_us = DateTime::parse_from_rfc3339(&t0).map_or(0, |time| time.timestamp_micros());
        Ok(Header { line, session, t0_us, tree })
    }

    /// The part of its recording that it begins.
    fn part(&self, text: &str) -> Option<RecordedPart> {
        let number = |line: &str| Tree::read(line.trim_end())?.member("q")?.text.parse::<u64>().ok();
        Some(RecordedPart {
            session: self.session.clone(),
            part: self.word("part").and_then(|part| part.parse().ok()).unwrap_or(1),
            first: text.lines().skip(1).find_map(number),
            next: text.lines().skip(1).filter_map(number).last().map(|last| last.saturating_add(1)),
            rotated_at: None,
        })
    }

    /// By how much the numbers of its connections are to grow, and the line that says what is missing before it.
    fn behind(&self, text: &str, used: i64, before: &mut Before) -> (i64, Option<String>) {
        let Some(part) = self.part(text) else { return (used, None) };
        let known = before.get(&part.session).filter(|(other, _)| other.part < part.part);
        let (shift, hole) = known.map_or((used, None), |(other, shift)| (*shift, part.hole(other)));
        before.insert(part.session.clone(), (part, shift));
        (shift, hole.map(|hole| gap(&hole.missing())))
    }

    fn word(&self, name: &str) -> Option<&str> {
        self.tree.member(name).map(|value| value.text)
    }
}

/// The new text: numbers and counts are its own.
struct Output {
    text: String,
    q: i64,
    last_t: Option<String>,
    messages: u64,
    lost: i64,
}

impl Output {
    fn begin(header: &str, session: &str) -> Output {
        let members =
            [("session", Some(session.to_string())), ("part", Some("1".into())), ("prev", None), ("hash", None)];
        Output { text: with(header, &members) + "\n", q: 0, last_t: None, messages: 0, lost: 0 }
    }

    fn line(&mut self, line: &str, members: &[(&str, Option<String>)]) {
        let tree = Tree::read(line.trim_end());
        let text = |name: &str| tree.as_ref().and_then(|tree| tree.member(name)).map(|value| value.text);
        let given =
            |name: &str| members.iter().find(|(member, _)| *member == name).and_then(|(_, value)| value.clone());
        self.last_t = given("t").or(text("t").map(str::to_string)).or(self.last_t.take());
        match text("k") {
            // One end is enough, and it is ours; so is the one part.
            Some("\"end\"") => {
                self.lost += text("lost").and_then(|lost| lost.parse::<i64>().ok()).unwrap_or(0);
                return;
            }
            Some("\"rotate\"") => return,
            Some("\"msg\"") => self.messages += 1,
            _ => {}
        }
        let own = [("q", Some(self.q.to_string())), ("hash", None)];
        self.q += 1;
        self.text.push_str(&with(line.trim_end(), &[&own[..], members].concat()));
        self.text.push('\n');
    }

    fn end(mut self) -> String {
        let time = self.last_t.map_or(String::new(), |t| format!("\"t\":{t},"));
        let (q, messages, lost) = (self.q, self.messages, self.lost);
        self.text.push_str(&format!("{{\"q\":{q},{time}\"k\":\"end\",\"msgs\":{messages},\"lost\":{lost}}}\n"));
        self.text
    }
}

/// An object with other values for some of its members; `None` takes a member away, a new one is put at the end.
pub(super) fn with(line: &str, members: &[(&str, Option<String>)]) -> String {
    let end = line.trim_end().len();
    let Some(tree) = Tree::read(&line[..end]) else { return line.to_string() };
    let Node::Map(own) = &tree.node else { return line.to_string() };
    let new = |name: &str| members.iter().find(|(other, _)| *other == name).map(|(_, value)| value);
    let mut parts: Vec<String> = Vec::new();
    for (name, value) in own {
        let text = match new(name) {
            Some(Some(value)) => value.as_str(),
            Some(None) => continue,
            None => value.text,
        };
        parts.push(format!("{}:{text}", serde_json::Value::from(name.as_ref())));
    }
    for (name, value) in members {
        if let Some(value) = value.as_ref().filter(|_| tree.member(name).is_none()) {
            parts.push(format!("\"{name}\":{value}"));
        }
    }
    format!("{{{}}}{}", parts.join(","), &line[end..])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recording(session: &str, t0: &str, extra: &str) -> String {
        format!(
            "{{\"rec\":1,\"session\":\"{session}\",\"part\":1,\"t0\":\"{t0}\",\"transport\":\"stdio\"{extra},\"hash\":\"00\"}}\n\
             {{\"q\":0,\"t\":0,\"k\":\"open\",\"c\":1}}\n\
             {{\"q\":1,\"t\":10,\"k\":\"msg\",\"c\":1,\"d\":\"c\",\"b\":\"{session}-asks\",\"hash\":\"00\"}}\n\
             {{\"q\":2,\"t\":20,\"k\":\"msg\",\"c\":1,\"d\":\"s\",\"b\":\"{session}-answers\"}}\n\
             {{\"q\":3,\"t\":21,\"k\":\"end\",\"msgs\":2,\"lost\":0}}\n"
        )
    }

    #[test]
    fn some_lines_of_one() {
        let one = recording("a", "2026-01-01T00:00:00Z", "");
        let part = kept(&one, |line| line != 3).unwrap();
        assert_eq!(
            part,
            "{\"rec\":1,\"session\":\"a-part\",\"part\":1,\"t0\":\"2026-01-01T00:00:00Z\",\"transport\":\"stdio\"}\n\
             {\"q\":0,\"t\":0,\"k\":\"open\",\"c\":1}\n\
             {\"q\":1,\"t\":20,\"k\":\"msg\",\"c\":1,\"d\":\"s\",\"b\":\"a-answers\"}\n\
             {\"q\":2,\"t\":21,\"k\":\"end\",\"msgs\":1,\"lost\":0}\n"
        );
        assert!(kept("{\"id\":1}\n", |_| true).is_err());
    }

    #[test]
    fn several_as_one_in_the_order_of_their_times() {
        let (a, b) = (recording("a", "2026-01-01T00:00:00.000015Z", ""), recording("b", "2026-01-01T00:00:00Z", ""));
        let both = merged(&[("a", &a), ("b", &b)]).unwrap();
        let lines: Vec<&str> = both.lines().skip(1).collect();
        let bodies: Vec<&str> = lines.iter().filter_map(|line| line.split("\"b\":\"").nth(1)).collect();
        assert_eq!(bodies.len(), 4);
        let order: Vec<&str> = bodies.iter().map(|body| body.split('"').next().unwrap_or("")).collect();
        assert_eq!(order, ["b-asks", "b-answers", "a-asks", "a-answers"]);
        assert_eq!(lines[0], "{\"q\":0,\"t\":0,\"k\":\"open\",\"c\":2}");
        assert_eq!(lines.last().copied(), Some("{\"q\":6,\"t\":36,\"k\":\"end\",\"msgs\":4,\"lost\":0}"));
        assert!(both.starts_with("{\"rec\":1,\"session\":\"a+1\""), "{both}");
    }

    #[test]
    fn parts_of_one_go_on_with_its_connections() {
        let one = recording("a", "2026-01-01T00:00:00Z", "");
        let next = one.replace("\"part\":1", "\"part\":2");
        let both = merged(&[("a", &one), ("a.2", &next)]).unwrap();
        assert!(!both.contains("\"c\":2"), "{both}");
        let twice = merged(&[("a", &one), ("b", &one)]).unwrap();
        assert!(twice.contains("\"c\":2"), "{twice}");
    }

    #[test]
    fn parts_come_in_their_order_and_what_is_missing_between_them_is_a_gap() {
        let one = recording("a", "2026-01-01T00:00:00Z", "");
        let third = one.replace("\"part\":1", "\"part\":3").replace("\"q\":", "\"q\":2");
        let turned = merged(&[("a.3", &third), ("a", &one)]).unwrap();
        assert_eq!(turned, merged(&[("a", &one), ("a.3", &third)]).unwrap());
        let gap = "\"k\":\"gap\",\"why\":\"gap\",\"lost\":16,\"text\":\"part 2 of the recording\"}";
        assert_eq!(turned.matches(gap).count(), 1, "{turned}");
        assert!(!turned.contains("\"c\":2"), "{turned}");
    }

    #[test]
    fn wires_of_different_kinds_are_not_mixed() {
        let (a, b) = (recording("a", "", ""), recording("b", "", ",\"frame\":\"cl\""));
        let error = merged(&[("a", &a), ("b", &b)]).unwrap_err();
        assert!(error.message.contains("`frame`"), "{}", error.message);
    }
}
