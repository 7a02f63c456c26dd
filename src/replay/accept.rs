//! Accepting what a live session answered: the recording with the bytes of single responses replaced, and a note for each. Pure: texts in,
//! text out. Times, order and everything else stay as they were recorded.

use std::collections::HashMap;

use super::compare::{Node, Tree};
use super::edit::with;
use super::splice;
use crate::error::{Error, ErrorKind, Result};

/// A member of a line, and its new value; `None` takes it away.
type Member = (&'static str, Option<String>);

/// One response to replace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Accepted {
    /// Line of the recording that holds the old response, from 1.
    pub line: u64,
    /// Place of the old response in the array that the line holds; `None` where it stands alone.
    pub member: Option<usize>,
    /// The new one.
    pub text: String,
    /// Where values in it are the recorded ones.
    pub kept: Vec<String>,
    /// Line of the live session that holds the new one, as it stands there: what was redacted is taken from it.
    pub live_line: String,
    /// Place of the new response in the array of that line.
    pub live_member: Option<usize>,
    /// What is said about it: who, when and why.
    pub note: String,
    /// Connection, as the recorder numbers it.
    pub connection: u32,
}

/// The new response with the recorded id, and with recorded values where later requests of the recording use them.
pub fn fitted(recorded: &str, live: &str, kept: &[String]) -> Option<String> {
    let (old, new) = (Tree::read(recorded)?, Tree::read(live)?);
    let base = new.text.as_ptr() as usize;
    let places = std::iter::once("/id").chain(kept.iter().map(String::as_str));
    let mut cuts: Vec<(usize, usize, &str)> = places
        .filter_map(|place| {
            let (old, new) = (old.at(place)?, new.at(place)?);
            let start = new.text.as_ptr() as usize - base;
            Some((start, start + new.text.len(), old.text))
        })
        .collect();
    cuts.sort_unstable();
    let (mut text, mut from) = (String::with_capacity(live.len()), 0);
    for (start, end, value) in cuts.into_iter() {
        // A place inside of another one was replaced with it.
        let Some(before) = new.text.get(from..start) else { continue };
        text.push_str(before);
        text.push_str(value);
        from = end;
    }
    text.push_str(&new.text[from..]);
    Some(text)
}

/// The recording with these responses instead of its own. Its header says when that was, and why.
pub fn accept(recording: &str, accepted: &[Accepted], when: &str, reason: Option<&str>) -> Result<String> {
    let header = recording.lines().next().and_then(Tree::read);
    if header.as_ref().and_then(|header| header.member("rec")).is_none() {
        return Err(Error::new(ErrorKind::Input, "only recordings can be changed, and this is none")
            .hint("make one of it first: rpctape export LOG --as rec -o NAME.rec.jsonl"));
    }
    if accepted.is_empty() {
        return Ok(recording.to_string());
    }
    let mut out = String::with_capacity(recording.len() + 256 * accepted.len());
    let mut by_line: HashMap<u64, Vec<&Accepted>> = HashMap::new();
    accepted.iter().for_each(|one| by_line.entry(one.line).or_default().push(one));
    let (mut last_q, mut last_t) = (0i64, None);
    let mut end: Option<&str> = None;
    for (index, line) in recording.split_inclusive('\n').enumerate() {
        let tree = Tree::read(line.trim_end());
        let member = |name: &str| tree.as_ref().and_then(|tree| tree.member(name)).map(|value| value.text);
        if index > 0 && member("k") == Some("\"end\"") {
            end = Some(line);
            continue;
        }
        last_q = member("q").and_then(|q| q.parse().ok()).unwrap_or(last_q);
        last_t = member("t").and_then(|t| t.parse::<i64>().ok()).or(last_t);
        let mut members = match by_line.get(&(index as u64 + 1)) {
            Some(here) => replaced(tree.as_ref(), here)?,
            None if index == 0 => vec![("accepted", Some(history(line, accepted, when, reason)))],
            None => Vec::new(),
        };
        members.extend(unsealed(tree.as_ref()));
        match members.is_empty() {
            true => out.push_str(line),
            false => out.push_str(&with(line, &members)),
        }
    }
    if !out.ends_with('\n') {
        out.push('\n');
    }
    for one in accepted {
        last_q += 1;
        let time = last_t.map_or(String::new(), |t| format!(",\"t\":{t}"));
        let text = serde_json::Value::from(one.note.as_str());
        out.push_str(&format!("{{\"q\":{last_q}{time},\"k\":\"note\",\"c\":{},\"text\":{text}}}\n", one.connection));
    }
    if let Some(line) = end {
        let number = [("q", Some((last_q + 1).to_string())), ("hash", None)];
        out.push_str(&with(line, &number));
    }
    Ok(out)
}

/// The hashes of the recorder, taken away: they are those of another text.
fn unsealed(line: Option<&Tree<'_>>) -> Vec<Member> {
    let has = |name: &str| line.is_some_and(|line| line.member(name).is_some());
    ["prev", "hash"].into_iter().filter(|name| has(name)).map(|name| (name, None)).collect()
}

/// What was accepted so far, and this.
fn history(header: &str, accepted: &[Accepted], when: &str, reason: Option<&str>) -> String {
    let lines: Vec<u64> = accepted.iter().map(|one| one.line).collect();
    let mut one = serde_json::json!({"at": when, "lines": lines});
    if let (Some(one), Some(reason)) = (one.as_object_mut(), reason) {
        one.insert("reason".to_string(), reason.into());
    }
    let before = Tree::read(header.trim_end()).and_then(|tree| Some(tree.member("accepted")?.text.trim().to_string()));
    match before.as_deref().and_then(|list| list.strip_suffix(']')).map(str::trim_end) {
        Some("[") | None => format!("[{one}]"),
        Some(list) => format!("{list},{one}]"),
    }
}

/// What a line has anew with other messages in it.
fn replaced(line: Option<&Tree<'_>>, here: &[&Accepted]) -> Result<Vec<Member>> {
    let body = line.and_then(|line| line.member("b")?.string());
    let text = body.as_deref().and_then(|body| spliced(body, here));
    let (Some(line), Some(text)) = (line, text) else {
        let message = format!("line {} of the recording holds no message that could be replaced", here[0].line);
        return Err(Error::new(ErrorKind::Input, message).hint("record the session anew: rpctape record"));
    };
    let length = text.len().to_string();
    let block = line.member("h").and_then(|h| h.string()).map(|h| content_length(&h, &length));
    let mut members = vec![("b", Some(splice::quote(&text)))];
    if line.member("n").is_some() {
        members.push(("n", Some(length)));
    }
    if let Some(block) = block {
        members.push(("h", Some(splice::quote(&block))));
    }
    let redacted = redacted(line, here);
    if line.member("red").is_some() || redacted.is_some() {
        members.push(("red", redacted));
    }
    Ok(members)
}

/// A body with the new responses in the places of the old ones: the whole of it, or members of its array.
fn spliced(body: &str, here: &[&Accepted]) -> Option<String> {
    let members = splice::members(body);
    let mut edits = splice::Edits::default();
    for one in here {
        let place = match one.member {
            None => 0..body.len(),
            Some(place) => members.get(place).filter(|_| body.trim_start().starts_with('['))?.1.clone(),
        };
        edits.put(place, one.text.as_str()).then_some(())?;
    }
    Some(edits.apply(body))
}

/// What was redacted in a line with new responses: what is new has it from the live session, all else had it before.
fn redacted(line: &Tree<'_>, here: &[&Accepted]) -> Option<String> {
    let is_new = |one: &Accepted, place: &str| !one.kept.iter().any(|kept| within(place, kept).is_some());
    let mut all: Vec<String> = Vec::new();
    for (place, name) in red(line) {
        let goes = |one: &&&Accepted| within(&place, &root(one.member)).is_some_and(|place| is_new(one, place));
        if here.iter().find(goes).is_none() {
            all.push(format!("[{},{name}]", splice::quote(&place)));
        }
    }
    for one in here {
        for (place, name) in Tree::read(one.live_line.trim_end()).iter().flat_map(red) {
            let Some(place) = within(&place, &root(one.live_member)).filter(|place| is_new(one, place)) else {
                continue;
            };
            all.push(format!("[{},{name}]", splice::quote(&format!("{}{place}", root(one.member)))));
        }
    }
    (!all.is_empty()).then(|| format!("[{}]", all.join(",")))
}

/// The places that a line says were redacted, each with the name of its secret as JSON.
fn red(line: &Tree<'_>) -> Vec<(String, String)> {
    let Some(Node::List(all)) = line.member("red").map(|red| &red.node) else { return Vec::new() };
    let entry = |entry: &Tree<'_>| Some((entry.at("/0")?.string()?.into_owned(), entry.at("/1")?.text.to_string()));
    all.iter().filter_map(entry).collect()
}

/// The pointer to a message in its line's body.
fn root(member: Option<usize>) -> String {
    member.map_or(String::new(), |place| format!("/{place}"))
}

/// A pointer from another one on; `None` for one that leads elsewhere.
fn within<'p>(place: &'p str, root: &str) -> Option<&'p str> {
    place.strip_prefix(root).filter(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// A header block with another length.
fn content_length(block: &str, length: &str) -> String {
    let line = |line: &str| match line.split_once(':') {
        Some((name, value)) if name.trim().eq_ignore_ascii_case("content-length") => {
            let digits = value.trim();
            format!("{name}:{}", value.replacen(digits, length, usize::from(!digits.is_empty())))
        }
        _ => line.to_string(),
    };
    block.split_inclusive('\n').map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const RECORDING: &str = concat!(
        r#"{"rec":1,"tool":"x","session":"s","part":1,"t0":"2026-01-01T00:00:00Z","transport":"stdio"}"#,
        "\n",
        r#"{"q":1,"t":0,"k":"msg","c":1,"d":"c","b":"{\"id\":1,\"method\":\"a\"}","n":21}"#,
        "\n",
        r#"{"q":2,"t":9,"k":"msg","c":1,"d":"s","h":"content-LENGTH:20\r\nX: 20\r\n\r\n","b":"{\"id\":1,\"result\":1}","n":19,"red":[["/a","b#1"]]}"#,
        "\n",
        r#"{"q":3,"t":10,"k":"end","msgs":2,"lost":0}"#,
        "\n"
    );

    fn one(line: u64, text: &str) -> Accepted {
        let (note, live_line) = ("accepted #1".into(), "{}".into());
        Accepted { line, text: text.into(), live_line, note, connection: 1, ..Accepted::default() }
    }

    #[test]
    fn one_response_changes_and_a_note_says_so() {
        let new =
            accept(RECORDING, &[one(3, "{\"id\":1,\"result\":23}")], "2026-11-22", Some("why")).expect("accepted");
        let (before, after): (Vec<&str>, Vec<&str>) = (RECORDING.lines().collect(), new.lines().collect());
        assert_eq!(after[1], before[1]);
        let header = before[0].replace('}', r#","accepted":[{"at":"2026-11-22","lines":[3],"reason":"why"}]}"#);
        assert_eq!(after[0], header);
        let again = accept(&new, &[one(3, "{}")], "2026-11-23", None).expect("accepted");
        assert!(again.contains(r#""reason":"why"},{"at":"2026-11-23","lines":[3]}]}"#), "{again}");
        assert_eq!(
            after[2],
            r#"{"q":2,"t":9,"k":"msg","c":1,"d":"s","h":"content-LENGTH:20\r\nX: 20\r\n\r\n","b":"{\"id\":1,\"result\":23}","n":20}"#
        );
        assert_eq!(after[3], r#"{"q":3,"t":9,"k":"note","c":1,"text":"accepted #1"}"#);
        assert_eq!(after[4..], [r#"{"q":4,"t":10,"k":"end","msgs":2,"lost":0}"#]);
    }

    const BATCH: &str = concat!(
        r#"{"rec":1,"session":"s","part":1,"prev":"00","hash":"01"}"#,
        "\n",
        r#"{"q":1,"t":9,"k":"msg","c":1,"d":"s","b":"[ {\"id\":1,\"result\":1} ,{\"id\":2,\"result\":\"x\"},{\"id\":3,\"result\":3}]","n":9,"red":[["/1/result","a#1"],["/2/result","b#1"]],"hash":"02"}"#,
        "\n",
        r#"{"q":2,"t":10,"k":"end","msgs":3,"lost":0,"hash":"03"}"#,
        "\n"
    );

    #[test]
    fn an_answer_in_an_array_leaves_the_others_alone() {
        let second = Accepted { member: Some(1), ..one(2, r#"{"id":2,"result":{"k":5}}"#) };
        let live_line = r#"{"b":"[]","red":[["/4/result","c#1"],["/3/result","d#1"]]}"#.to_string();
        let third = Accepted { member: Some(2), live_line, live_member: Some(4), ..one(2, r#"{"id":3,"result":7}"#) };
        let new = accept(BATCH, &[third, second], "2026-11-22", None).expect("accepted");
        let line = new.lines().nth(1).expect("the line");
        let body = r#""b":"[ {\"id\":1,\"result\":1} ,{\"id\":2,\"result\":{\"k\":5}},{\"id\":3,\"result\":7}]","#;
        assert!(line.contains(body), "{line}");
        assert!(line.ends_with(r#""red":[["/2/result","c#1"]]}"#), "{line}");
        let none = Accepted { member: Some(3), ..one(2, "{}") };
        assert!(accept(BATCH, &[none], "", None).is_err());
    }

    #[test]
    fn what_flows_was_redacted_as_recorded() {
        let live_line = r#"{"b":"{}","red":[["/result/cursor","c#1"],["/result/n","d#1"]]}"#.to_string();
        let kept = vec!["/result/cursor".to_string()];
        let new = accept(RECORDING, &[Accepted { live_line, kept, ..one(3, "{}") }], "", None).expect("accepted");
        assert!(new.contains(r#""red":[["/result/n","d#1"]]}"#), "{new}");
    }

    #[test]
    fn the_hashes_of_another_text_go() {
        let new = accept(BATCH, &[Accepted { member: Some(0), ..one(2, "1") }], "", None).expect("accepted");
        assert!(!new.contains("\"hash\"") && !new.contains("\"prev\""), "{new}");
        assert_eq!(accept(BATCH, &[], "", None).expect("nothing to do"), BATCH);
    }

    #[test]
    fn a_recording_that_ends_suddenly_is_continued() {
        let torn = RECORDING.rsplit_once("\n{\"q\":3").expect("an end").0;
        let new = accept(torn, &[one(3, "{}")], "2026-11-22", None).expect("accepted");
        assert!(new.ends_with("\"text\":\"accepted #1\"}\n") && new.lines().count() == 4, "{new}");
    }

    #[test]
    fn what_cannot_be_changed_is_an_error() {
        assert!(accept("{\"id\":1}\n", &[], "", None).is_err());
        assert!(accept(RECORDING, &[one(4, "{}"), one(1, "{}")], "", None).is_err());
        let none = accept(RECORDING, &[], "", None).expect("nothing to do");
        assert_eq!(none, RECORDING);
    }

    #[test]
    fn ids_and_values_that_flow_stay_as_recorded() {
        let kept = ["/result/cursor".to_string(), "/result/not-there".to_string()];
        let new = fitted(
            r#"{"id":7,"result":{"cursor":"old","n":1}}"#,
            r#"{ "result":{"n":2,"cursor":"new"},"id":"x"}"#,
            &kept,
        );
        assert_eq!(new.as_deref(), Some(r#"{ "result":{"n":2,"cursor":"old"},"id":7}"#));
        assert_eq!(fitted("{}", "no json", &[]), None);
    }
}
