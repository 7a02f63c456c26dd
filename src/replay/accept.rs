//! Accepting what a live session answered: the recording with the bytes of single responses replaced, and a note for each. Pure: texts in,
//! text out. Times, order and everything else stay as they were recorded.

use super::compare::Tree;
use super::edit::with;
use crate::error::{Error, ErrorKind, Result};

/// One response to replace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Accepted {
    /// Line of the recording that holds the old response, from 1.
    pub line: u64,
    /// The new one.
    pub text: String,
    /// Line of the live session that holds the new one, as it stands there: what was redacted is taken from it.
    pub live_line: String,
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
    let mut out = String::with_capacity(recording.len() + 256 * accepted.len());
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
        match accepted.iter().find(|one| one.line == index as u64 + 1) {
            Some(one) => out.push_str(&replaced(line, one)?),
            None if index == 0 && !accepted.is_empty() => {
                out.push_str(&with(line, &[("accepted", Some(history(line, accepted, when, reason)))]))
            }
            None => out.push_str(line),
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
        out.push_str(&with(line, &[("q", Some((last_q + 1).to_string()))]));
    }
    Ok(out)
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

/// One line with another message.
fn replaced(line: &str, one: &Accepted) -> Result<String> {
    let tree = Tree::read(line.trim_end());
    let body = tree.as_ref().and_then(|tree| tree.member("b"));
    let Some(head) = tree.as_ref().filter(|_| body.is_some()) else {
        let message = format!("line {} of the recording holds no message that could be replaced", one.line);
        return Err(Error::new(ErrorKind::Input, message).hint("record the session anew: rpctape record"));
    };
    let redacted = Tree::read(one.live_line.trim_end());
    let redacted = redacted.as_ref().and_then(|tree| tree.member("red")).map(|red| red.text.to_string());
    let length = one.text.len().to_string();
    let block = head.member("h").and_then(|h| h.string()).map(|h| content_length(&h, &length));
    let mut members = vec![("b", Some(serde_json::Value::from(one.text.as_str()).to_string()))];
    if head.member("n").is_some() {
        members.push(("n", Some(length)));
    }
    if let Some(block) = block {
        members.push(("h", Some(serde_json::Value::from(block).to_string())));
    }
    if head.member("red").is_some() || redacted.is_some() {
        members.push(("red", redacted));
    }
    Ok(with(line, &members))
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
        Accepted { line, text: text.into(), live_line: "{}".into(), note: "accepted #1".into(), connection: 1 }
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
