//! Learning where a wrapper keeps its message, direction, time and session, from a few examples.

use std::sync::Arc;

use serde_json::{Map, Value};

use crate::base64;
use crate::capture::sample::{Sample, envelope, is_message};
use crate::capture::time;
use crate::capture::words::{self, Meaning, Word};
use crate::error::{Error, ErrorKind, Result};

/// How deep a message may lie in its wrapper.
const DEPTH: usize = 4;

/// How many examples a layout is learned from.
const EXAMPLES: usize = 50;

/// What stands at a key that the reader wants.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Want {
    /// A direction word.
    Direction,
    /// A timestamp.
    Time,
    /// Name of a connection.
    Connection,
    /// Name of a session.
    Session,
    /// The message, as a value or as a string that holds one.
    Message,
    /// An object on the way to one of these.
    Inside(Node),
}

/// The wanted keys of one object.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Node(pub Vec<(Box<str>, Want)>);

impl Node {
    /// Brings the keys into the order in which they stand in `text`.
    fn sort(&mut self, text: &str) {
        self.0.sort_by_key(|(key, _)| text.find(&format!("\"{key}\"")).unwrap_or(usize::MAX));
        for (_, want) in &mut self.0 {
            if let Want::Inside(inner) = want {
                inner.sort(text);
            }
        }
    }

    fn add(&mut self, path: &[String], want: Want) {
        let Some((key, rest)) = path.split_first() else { return };
        let at = self.0.iter().position(|(known, _)| **known == **key);
        match (at, rest.is_empty()) {
            (Some(at), false) => {
                if let Want::Inside(inner) = &mut self.0[at].1 {
                    inner.add(rest, want);
                }
            }
            (Some(_), true) => {}
            (None, true) => self.0.push((key.as_str().into(), want)),
            (None, false) => {
                let mut inner = Node::default();
                inner.add(rest, want);
                self.0.push((key.as_str().into(), Want::Inside(inner)));
            }
        }
    }
}

impl Node {
    /// Forgets what tells connections apart.
    fn unkey(&mut self) {
        self.0.retain(|(_, want)| !matches!(want, Want::Connection | Want::Session));
        for (_, want) in &mut self.0 {
            if let Want::Inside(inner) = want {
                inner.unkey();
            }
        }
    }

    fn has(&self, path: &[String]) -> bool {
        let Some((key, rest)) = path.split_first() else { return false };
        match self.0.iter().find(|(known, _)| **known == **key) {
            Some((_, Want::Inside(inner))) => inner.has(rest),
            Some((_, want)) => rest.is_empty() && matches!(want, Want::Connection | Want::Session),
            None => false,
        }
    }
}

/// Where a wrapper keeps what is wanted.
#[derive(Clone, Debug, Default)]
pub(crate) struct Layout {
    /// The wanted keys.
    pub root: Node,
    /// True if the members of the message stand in the wrapper itself.
    pub spread: bool,
    /// Key of the direction, which decides what its words mean.
    pub direction_key: Option<String>,
    /// The direction words that were seen.
    pub words: Vec<(Box<str>, Word)>,
    /// Resolution of the clock.
    pub resolution_us: i64,
    /// Paths of the messages, for the reason.
    pub paths: Vec<String>,
    /// Key of the time, for the reason.
    pub time_key: Option<String>,
    /// How many examples held a message.
    pub hits: usize,
    /// How many texts were looked at.
    pub examined: usize,
    /// How many of the examples held several messages, or an HTTP message around one.
    several: usize,
    /// How many of the messages name their version.
    versioned: usize,
    /// True if the examples hold a handshake: what both sides have sent.
    both_sides: bool,
}

/// The text as a value, if it may hold a message.
fn plausible(text: &str) -> Option<Value> {
    // The last is what base64 makes of `{"`.
    let signs = ["jsonrpc", "\"method", "\"result", "\"error", "\"eyJ"];
    signs.iter().any(|sign| text.contains(sign)).then(|| serde_json::from_str(text).ok())?
}

/// One example: where its message is, and the objects around it.
struct Example<'v> {
    /// True if the message has a `jsonrpc` member.
    versioned: bool,
    /// True if other messages stand beside it: a request with its response, say.
    several: bool,
    /// True for an answer.
    answers: bool,
    path: Vec<String>,
    around: Vec<(Vec<String>, &'v Map<String, Value>)>,
}

impl Layout {
    /// The layout of the lines of a text.
    pub(crate) fn of(sample: &Sample) -> Arc<Layout> {
        sample.learned(|sample| Layout::learn(sample.lines()))
    }

    /// Learns from examples, each the JSON text of one wrapper.
    pub(crate) fn learn<'t>(texts: impl Iterator<Item = &'t str>) -> Layout {
        let (mut values, mut examined): (Vec<Value>, usize) = (Vec::new(), 0);
        let mut first = "";
        let (mut asks, mut answers) = (false, false);
        for text in texts {
            examined += 1;
            if let Some(value) = plausible(text) {
                let has = |signs: [&str; 3]| signs.iter().any(|sign| text.contains(sign));
                asks |= text.contains("initialize") && has(["clientInfo", "clientCapabilities", "processId"]);
                answers |= text.contains("result") && has(["serverInfo", "agentInfo", "agentCapabilities"]);
                first = if values.is_empty() { text } else { first };
                values.push(value);
            }
            if values.len() == EXAMPLES {
                break;
            }
        }
        let examples: Vec<_> = values.iter().filter_map(example).collect();
        let mut layout = Layout { resolution_us: 1, hits: examples.len(), examined, ..Layout::default() };
        layout.both_sides = asks && answers;
        layout.spread = !examples.is_empty() && examples.iter().all(|example| example.path.is_empty());
        // Bodies of HTTP with answers among them are in records of their own; else the answers are where nobody looked.
        let answers = examples.iter().any(|example| example.answers);
        layout.several = examples.iter().filter(|example| example.several || !answers && example.is_http()).count();
        layout.versioned = examples.iter().filter(|example| example.versioned).count();
        layout.scalars(&examples);
        for example in examples.iter().filter(|example| !example.path.is_empty()) {
            let path = format!("/{}", example.path.join("/"));
            if !layout.paths.contains(&path) {
                layout.paths.push(path);
                layout.root.add(&example.path, Want::Message);
            }
        }
        layout.root.sort(first);
        layout
    }

    /// Lets the user's keys (`conn`, `/meta/session`) tell connections apart, instead of those that were learned.
    pub(crate) fn rekey(&mut self, keys: &[String]) -> Result<()> {
        self.root.unkey();
        for (key, want) in keys.iter().zip([Want::Session, Want::Connection]) {
            let path: Vec<String> = key.trim_start_matches('/').split('/').map(str::to_string).collect();
            self.root.add(&path, want);
            if !self.root.has(&path) {
                let message = format!("--connection-key {key} is not a member of the wrapper that stands for itself");
                let hint = "name a member beside the message (conn, /meta/session), and two at most";
                return Err(Error::new(ErrorKind::Usage, message).hint(hint));
            }
        }
        Ok(())
    }

    /// True if there is anything around the messages that a bare line would not have.
    pub(crate) fn is_wrapper(&self) -> bool {
        !self.paths.is_empty() || self.spread && (self.direction_key.is_some() || self.time_key.is_some())
    }

    /// True if this is no log of one message a record: records of exchanges and of HTTP (whose event streams are not
    /// unpacked here) would be read by half, and objects that merely have a `method` and an `id` not at all.
    pub(crate) fn is_doubtful(&self) -> bool {
        let told = self.versioned * 2 >= self.hits || self.direction_key.is_some() && !self.spread;
        self.several * 2 > self.hits || !told
    }

    /// The paths at which another text keeps its message, where this layout does not know it yet.
    pub(crate) fn extend(&mut self, text: &str) -> bool {
        let other = Layout::learn(std::iter::once(text));
        if self.hits == 0 && other.is_wrapper() {
            *self = other;
            return true;
        }
        let Some(path) = other.paths.first() else { return false };
        if self.paths.len() >= 16 || self.paths.contains(path) {
            return false;
        }
        let keys: Vec<String> = path[1..].split('/').map(str::to_string).collect();
        self.root.add(&keys, Want::Message);
        self.paths.push(path.clone());
        true
    }

    fn scalars(&mut self, examples: &[Example<'_>]) {
        let seen = candidates(examples);
        let both_sides = self.both_sides;
        let tells = |c: &&Candidate<'_>| c.meaning != Meaning::Direction || !both_sides || c.tells_sides();
        let of = |meaning: Meaning| seen.iter().filter(move |c| c.meaning == meaning);
        let best =
            |meaning: Meaning| of(meaning).filter(tells).min_by_key(|c| (c.rank == UNNAMED, c.path.len(), c.rank));
        for (meaning, want) in [(Meaning::Connection, Want::Connection), (Meaning::Session, Want::Session)] {
            if let Some(found) = best(meaning).filter(|found| found.values.iter().all(|value| is_name(value))) {
                self.root.add(&found.path, want);
            }
        }
        if let Some(found) = best(Meaning::Time) {
            self.time_key = found.path.last().cloned();
            self.resolution_us =
                found.values.iter().filter_map(|value| time_of(value)).map(|t| t.resolution_us).min().unwrap_or(1);
            self.root.add(&found.path, Want::Time);
        }
        if let Some(found) = best(Meaning::Direction) {
            let key = found.path.last().cloned().unwrap_or_default();
            for value in found.values.iter().filter_map(|value| value.as_str()) {
                if let Some(word) = words::direction(&key, value)
                    && !self.words.iter().any(|(known, _)| **known == *value)
                {
                    self.words.push((value.into(), word));
                }
            }
            self.root.add(&found.path, Want::Direction);
            self.direction_key = Some(key);
        }
    }
}

/// A key that may hold one of the wanted scalars, with its values in the examples.
struct Candidate<'v> {
    meaning: Meaning,
    rank: usize,
    path: Vec<String>,
    values: Vec<&'v Value>,
}

impl Candidate<'_> {
    /// True if not all of its words say the same: what does (`"source":"server"` on every record) says who wrote the log.
    fn tells_sides(&self) -> bool {
        let key = self.path.last().map_or("", String::as_str);
        let mut said = self.values.iter().filter_map(|value| words::direction(key, value.as_str()?));
        let first = said.next();
        said.any(|word| Some(word) != first)
    }

    /// True for a key of any name (`flow`, `event`) whose every word is a way, and both ways are there. A side alone
    /// (`client`) or a stream may be where a record was written.
    fn is_plainly_a_direction(&self) -> bool {
        self.values.iter().all(|value| value.as_str().is_some_and(words::is_way)) && self.tells_sides()
    }
}

fn candidates<'v>(examples: &[Example<'v>]) -> Vec<Candidate<'v>> {
    let mut found: Vec<Candidate<'v>> = Vec::new();
    for (prefix, object) in examples.iter().flat_map(|example| &example.around) {
        for (key, value) in object.iter() {
            // Under the key of a text (`msg`) loggers write what they did with the message that is beside it: `received`.
            let named = words::meaning(key).filter(|(meaning, _)| *meaning != Meaning::Message);
            let (meaning, rank) = named.unwrap_or((Meaning::Direction, UNNAMED));
            let path: Vec<String> = prefix.iter().chain([key]).cloned().collect();
            match found.iter_mut().find(|candidate| candidate.path == path) {
                Some(candidate) => candidate.values.push(value),
                None => found.push(Candidate { meaning, rank, path, values: vec![value] }),
            }
        }
    }
    // What stands in an object beside the message (`event.direction`, `http.session_id`) speaks of it, too.
    for (path, key, value) in examples.iter().flat_map(beside) {
        let Some((meaning @ (Meaning::Direction | Meaning::Time | Meaning::Session), rank)) = words::meaning(key)
        else {
            continue;
        };
        match found.iter_mut().find(|candidate| candidate.path == path) {
            Some(candidate) => candidate.values.push(value),
            None => found.push(Candidate { meaning, rank: BESIDE + rank, path, values: vec![value] }),
        }
    }
    found.retain(|candidate| match candidate.meaning {
        Meaning::Direction => {
            let key = candidate.path.last().map_or("", String::as_str);
            let known = |value: &&&Value| value.as_str().is_some_and(|word| words::direction(key, word).is_some());
            if candidate.rank == UNNAMED {
                return candidate.is_plainly_a_direction();
            }
            // A stray `meta` among the directions does not make the key another one.
            candidate.values.iter().filter(known).count() * 2 > candidate.values.len()
        }
        Meaning::Time => candidate.values.iter().all(|value| time_of(value).is_some()),
        _ => true,
    });
    found
}

/// Rank of a key that has no name of a direction, behind all that have one, beside the message or around it.
const UNNAMED: usize = 2 * BESIDE;

/// How much less a member of an object beside the message tells than one of an object around it.
const BESIDE: usize = 100;

/// The members of the objects that stand beside the message and hold no part of it.
fn beside<'v>(example: &Example<'v>) -> Vec<(Vec<String>, &'v String, &'v Value)> {
    let mut found = Vec::new();
    let around = |path: &[String]| example.path.starts_with(path);
    for (prefix, object) in example.around.iter().filter(|_| !example.path.is_empty()) {
        for (key, value) in object.iter() {
            let path: Vec<String> = prefix.iter().chain([key]).cloned().collect();
            let Value::Object(members) = value else { continue };
            if !around(&path) && !is_envelope(value) {
                let each = members.iter().filter(|(_, value)| is_name(value) && !value.is_null());
                found.extend(each.map(|(key, value)| (path.iter().chain([key]).cloned().collect(), key, value)));
            }
        }
    }
    found
}

fn is_name(value: &Value) -> bool {
    value.is_string() || value.is_number() || value.is_null()
}

fn time_of(value: &Value) -> Option<time::Time> {
    match value {
        Value::String(text) => time::parse(text),
        Value::Number(number) => time::parse(&number.to_string()),
        _ => None,
    }
}

/// Finds the message in a wrapper: the shallowest, and among those of one object the one whose key tells most.
fn example(value: &Value) -> Option<Example<'_>> {
    let top = value.as_object()?;
    let bare = is_envelope(value);
    if bare && top.contains_key("jsonrpc") {
        return Some(Example::spread(top));
    }
    let mut level: Vec<Descent<'_>> =
        vec![Descent { path: Vec::new(), object: top, around: Vec::new(), in_params: false }];
    for _ in 0..DEPTH {
        let mut found: Option<Example<'_>> = None;
        let mut next = Vec::new();
        for place in level {
            place.look(&mut found, &mut next);
        }
        if found.is_some() {
            return found;
        }
        level = next;
    }
    // A record of something else has a method and an id, too.
    let has = |key: &str| top.contains_key(key);
    let answer = has("result") || has("error");
    (bare && (has("params") || answer) && !(has("method") && answer)).then(|| Example::spread(top))
}

impl<'v> Example<'v> {
    fn spread(top: &'v Map<String, Value>) -> Example<'v> {
        Example {
            versioned: top.contains_key("jsonrpc"),
            several: false,
            answers: is_answer(top),
            path: Vec::new(),
            around: vec![(Vec::new(), top)],
        }
    }
}

impl Example<'_> {
    /// True if the message is the body of a request or response of HTTP.
    fn is_http(&self) -> bool {
        self.around.iter().any(|(_, object)| object.contains_key("headers"))
    }
}

fn is_versioned(value: &Value) -> bool {
    match value {
        Value::String(text) => {
            text.contains("\"jsonrpc\"") || unpacked(text).is_some_and(|text| text.contains("\"jsonrpc\""))
        }
        Value::Array(members) => members.iter().any(is_versioned),
        Value::Object(members) => members.contains_key("jsonrpc"),
        _ => false,
    }
}

/// An object on the way down.
struct Descent<'v> {
    path: Vec<String>,
    object: &'v Map<String, Value>,
    around: Vec<(Vec<String>, &'v Map<String, Value>)>,
    /// True within the parameters of what may be a message itself.
    in_params: bool,
}

impl<'v> Descent<'v> {
    fn look(mut self, found: &mut Option<Example<'v>>, next: &mut Vec<Descent<'v>>) {
        self.around.push((self.path.clone(), self.object));
        let rank = |key: &str| match words::meaning(key) {
            Some((Meaning::Message, rank)) => rank,
            _ => usize::MAX,
        };
        let mut keys: Vec<_> = self.object.iter().collect();
        keys.sort_by_key(|(key, _)| rank(key));
        let in_message = self.path.is_empty() && is_spread(self.object);
        for (key, value) in keys {
            let path: Vec<String> = self.path.iter().chain([key]).cloned().collect();
            let in_params = self.in_params || in_message && key == "params";
            // What a client registers has a method and an id, too.
            match (holds_message(value) && (!in_params || is_versioned(value)), &mut *found) {
                // `raw` and `msg` in one wrapper are one message, told twice.
                (true, Some(first)) => {
                    first.several |= rank(key) == usize::MAX || !path.starts_with(&first.path[..first.path.len() - 1])
                }
                (true, none) => {
                    *none = Some(Example {
                        versioned: is_versioned(value),
                        several: false,
                        answers: holds_answer(value),
                        path,
                        around: self.around.clone(),
                    })
                }
                (false, _) => {
                    if let Value::Object(inner) = value {
                        next.push(Descent { path, object: inner, around: self.around.clone(), in_params });
                    }
                }
            }
        }
    }
}

/// True for a record whose members may be those of a request or a notification.
fn is_spread(members: &Map<String, Value>) -> bool {
    members.get("method").is_some_and(Value::is_string) && members.get("params").is_some_and(Value::is_object)
}

fn is_answer(members: &Map<String, Value>) -> bool {
    !members.contains_key("method") && (members.contains_key("result") || members.contains_key("error"))
}

fn holds_answer(value: &Value) -> bool {
    match value {
        Value::String(text) => {
            !text.contains("\"method\"") && (text.contains("\"result\"") || text.contains("\"error\""))
        }
        Value::Array(members) => members.first().and_then(Value::as_object).is_some_and(is_answer),
        _ => value.as_object().is_some_and(is_answer),
    }
}

fn holds_message(value: &Value) -> bool {
    match value {
        Value::String(text) => is_message(text) || unpacked(text).is_some_and(|text| is_message(&text)),
        Value::Array(members) => members.first().is_some_and(is_envelope),
        _ => is_envelope(value),
    }
}

/// What a string holds in base64, where it is an object.
pub(super) fn unpacked(text: &str) -> Option<String> {
    let text = text.trim();
    let bytes = text.starts_with("eyJ").then(|| base64::decode(text)).flatten()?;
    String::from_utf8(bytes).ok().filter(|text| text.starts_with('{'))
}

fn is_envelope(value: &Value) -> bool {
    let Value::Object(members) = value else { return false };
    let has = |key: &str| members.contains_key(key);
    let method = members.get("method").and_then(Value::as_str);
    envelope(has("jsonrpc"), method, has("id"), has("params"), has("result") || has("error"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(texts: &[&str]) -> Vec<String> {
        Layout::learn(texts.iter().copied()).paths
    }

    #[test]
    fn the_message_is_found_wherever_it_lies() {
        let message = r#"{"jsonrpc":"2.0","id":1,"method":"a"}"#;
        let text = serde_json::Value::from(message).to_string();
        assert_eq!(paths(&[&format!(r#"{{"ts":1,"msg":{message}}}"#)]), ["/msg"]);
        assert_eq!(paths(&[&format!(r#"{{"a":{{"b":{{"c":{message}}}}}}}"#)]), ["/a/b/c"]);
        assert_eq!(paths(&[&format!(r#"{{"msg":{message},"raw":{text}}}"#)]), ["/raw"]);
        assert_eq!(paths(&[&format!(r#"{{"a":{{"b":{{"c":{{"d":{{"e":{message}}}}}}}}}}}"#)]), [""; 0]);
        assert_eq!(paths(&[&format!(r#"{{"id":"r1","method":"x","params":7,"data":{message}}}"#)]), ["/data"]);
    }

    #[test]
    fn a_key_of_any_name_is_the_direction_if_its_words_are_nothing_else() {
        let learned = |key: &str, words: [&str; 2]| {
            let lines =
                words.map(|word| format!(r#"{{"{key}":"{word}","msg":{{"jsonrpc":"2.0","id":1,"method":"a"}}}}"#));
            Layout::learn(lines.iter().map(String::as_str)).direction_key
        };
        assert_eq!(learned("flow", ["incoming", "outgoing"]).as_deref(), Some("flow"));
        assert_eq!(learned("event", ["message_sent", "message_received"]).as_deref(), Some("event"));
        assert_eq!(learned("flow", ["c2s", "s2c"]).as_deref(), Some("flow"));
        for words in [["in", "in"], ["client", "server"], ["stdout", "stderr"], ["in", "later"]] {
            assert_eq!(learned("flow", words), None, "{words:?}");
        }
        let logged = |words: [&str; 2]| {
            let lines =
                words.map(|word| format!(r#"{{"msg":"{word}","rpc":{{"jsonrpc":"2.0","id":1,"method":"a"}}}}"#));
            Layout::learn(lines.iter().map(String::as_str)).direction_key
        };
        assert_eq!(logged(["message received", "message sent"]).as_deref(), Some("msg"));
        assert_eq!(logged(["message received", "tool called"]), None);
    }

    #[test]
    fn keys_count_by_their_values() {
        let layout = Layout::learn(
            [r#"{"type":"request","from":"editor","time":"12:00:00.123","jsonrpc":"2.0","id":1,"method":"a"}"#]
                .into_iter(),
        );
        assert_eq!((layout.direction_key.as_deref(), layout.time_key.as_deref()), (Some("from"), Some("time")));
        assert!(layout.spread && layout.is_wrapper());
        assert_eq!(layout.resolution_us, 1_000);
    }
}
