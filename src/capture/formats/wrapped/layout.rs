//! Learning where a wrapper keeps its message, direction, time and session, from a few examples.

use std::sync::Arc;

use serde_json::Value;

use super::candidates::{Candidate, UNNAMED, candidates, is_name, time_of};
use super::example::{Example, Scalar, example, plausible};
use super::proven::Columns;
use crate::capture::Direction;
use crate::capture::sample::Sample;
use crate::capture::time::{Stamp, own};
use crate::capture::words::{self, Meaning, Word};
use crate::error::{Error, ErrorKind, Result};
use crate::protocol::Side;

/// How many examples a layout is learned from.
const EXAMPLES: usize = 50;

/// So many nanoseconds are a second.
pub(super) const NANOS: u64 = 1_000_000_000;

/// How many of them are held against what their words say.
const FEW: usize = 12;

/// What stands at a key that the reader wants.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Want {
    /// A direction word.
    Direction,
    /// A timestamp.
    Time,
    /// Nanoseconds that belong to it.
    Nanos,
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
    /// True if those members are of messages that name no version.
    pub unversioned: bool,
    /// True if only the messages tell what the words say.
    pub proven: bool,
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

impl Layout {
    /// The layout of the lines of a text.
    pub(crate) fn of(sample: &Sample) -> Arc<Layout> {
        sample.learned(|sample| Layout::learn(sample.lines()))
    }

    /// True if messages stand where the other layout has them.
    pub(super) fn reads_as_well(&self, other: &Layout) -> bool {
        self.spread == other.spread && other.paths.iter().all(|path| self.paths.contains(path))
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
        let mut examples: Vec<_> = values.iter().filter_map(example).collect();
        let mut layout = Layout { resolution_us: 1, hits: examples.len(), examined, ..Layout::default() };
        layout.both_sides = asks && answers;
        // Bodies of HTTP with answers among them are in records of their own; else the answers are where nobody looked.
        let answers = examples.iter().any(|example| example.is_http() && example.answers);
        let is_several = |example: &Example<'_>| example.several || !answers && example.is_http();
        layout.several = examples.iter().filter(|example| is_several(example)).count();
        // A few among others are those of another logger, and half of them would be read.
        if !layout.holds_several() {
            examples.retain(|example| !is_several(example));
            (layout.hits, layout.several) = (examples.len(), 0);
        }
        layout.spread = !examples.is_empty() && examples.iter().all(|example| example.path.is_empty());
        layout.versioned = examples.iter().filter(|example| example.versioned).count();
        layout.unversioned = layout.spread && layout.versioned == 0;
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
        let directed = || self.direction_key.is_some() && (!self.spread || self.both_sides);
        let told = self.versioned * 2 >= self.hits || directed();
        self.holds_several() || !told
    }

    /// True if most examples held several messages, or an HTTP message around one.
    fn holds_several(&self) -> bool {
        self.several * 2 > self.hits
    }

    /// True if most records say who sent their message, which stands in a member of its own.
    pub(crate) fn are_most(&self) -> bool {
        self.direction_key.is_some() && self.hits * 2 > self.examined
    }

    /// The paths at which another text keeps its message, where this layout does not know it yet.
    pub(crate) fn extend(&mut self, text: &str) -> bool {
        let other = Layout::learn(std::iter::once(text));
        if self.hits == 0 && other.is_wrapper() {
            *self = other;
            return true;
        }
        let Some(path) = other.paths.first() else { return false };
        if self.paths.len() >= 16 || self.paths.contains(path) || other.holds_several() {
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
        let times: Vec<_> = of(Meaning::Time).filter(|found| found.values.len() * 10 >= examples.len()).collect();
        let stamps: Vec<Stamp> = times.iter().map(|found| found.stamp(examples)).collect();
        if let Some(found) = own(&stamps).map(|at| times[at]) {
            self.time_key = Some(words::own_key(&found.path).to_string());
            self.resolution_us =
                found.values.iter().filter_map(|value| time_of(value)).map(|t| t.resolution_us).min().unwrap_or(1);
            self.root.add(&found.path, Want::Time);
            if let Some(path) = nanos_beside(&found.path, examples) {
                self.root.add(&path, Want::Nanos);
                self.resolution_us = 1;
            }
        }
        self.direct(best(Meaning::Direction), examples);
    }

    /// Settles which scalar tells who sent a message: the one that says so, if the messages do not prove the contrary, else one of which
    /// they prove it.
    fn direct(&mut self, said: Option<&Candidate<'_>>, examples: &[Example<'_>]) {
        match said.filter(|said| holds(said, examples)) {
            Some(said) => {
                for value in &said.values {
                    if let (Some(word), Some(text)) = (said.says(value), value.as_str())
                        && !self.words.iter().any(|(known, _)| **known == *text)
                    {
                        self.words.push((text.into(), word));
                    }
                }
                self.take_direction(&said.path);
            }
            None => {
                let Some(found) = Columns::of(examples).proven() else { return };
                self.take_direction(&found.path);
                (self.words, self.proven) = (found.words, true);
            }
        }
    }

    /// What the messages have told of the words that stand beside them, where only they do.
    pub(crate) fn told(&self) -> Option<String> {
        let of = |side: Side| {
            let said = |(text, word): &(Box<str>, Word)| {
                (*word == Word::Direction(Direction::By(side))).then(|| format!("{text:?}"))
            };
            self.words.iter().filter_map(said).collect::<Vec<_>>().join(", ")
        };
        let [client, server] = [Side::Client, Side::Server].map(of);
        let told = format!("{client} stands beside what the client sends, {server} beside what the server sends");
        self.proven.then_some(told)
    }

    fn take_direction(&mut self, path: &[String]) {
        self.root.add(path, Want::Direction);
        self.direction_key = Some(words::own_key(path).to_string());
    }
}

/// Where the nanoseconds stand that belong to the seconds at a path, as times are printed that have them apart:
/// `{"seconds":..,"nanos":..}`, `[seconds, nanoseconds]`.
fn nanos_beside(seconds: &[String], examples: &[Example<'_>]) -> Option<Vec<String>> {
    let (own, parent) = seconds.split_last()?;
    let is_pair = |name: &str| match own.as_str() {
        "0" => name == "1",
        _ => words::counts_seconds(own) && words::counts_nanoseconds(name),
    };
    let within = |value: &Value| {
        let number = value.as_u64().or_else(|| value.as_str()?.parse().ok());
        number.is_some_and(|nanos| nanos < NANOS)
    };
    let mut found: Option<Vec<String>> = None;
    for Scalar { path, value, .. } in examples.iter().flat_map(Example::scalars) {
        let (Some((name, above)), true) = (path.split_last(), path.len() > 1) else { continue };
        if above != parent || !is_pair(name) {
            continue;
        }
        if !within(value) {
            return None;
        }
        found.get_or_insert(path);
    }
    found
}

/// True if the messages do not contradict what a scalar says. Under a key of any name a word may be about something else: what both
/// sides sent is beside it then; a way from one side to the other (`c2s`) is hardly about anything else, and one message against many does
/// not make it so. And a side (`SERVER`) may be the one that wrote the record of what it received; a few messages show
/// that.
fn holds(said: &Candidate<'_>, examples: &[Example<'_>]) -> bool {
    let unnamed = said.rank == UNNAMED;
    let columns = Columns::of(if unnamed { examples } else { &examples[..examples.len().min(FEW)] });
    let contradicted = unnamed && columns.contradict(&said.path, said.names_sides());
    !contradicted && !columns.turn_round(&said.path, |word| said.says(&Value::from(word)))
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
    fn one_message_against_many_does_not_take_a_way_between_two_sides_for_something_else() {
        let learned = |[client, server]: [&str; 2], asked_by_server: usize| {
            let line = |word: &str, text: &str| format!(r#"{{"flow":"{word}","msg":{{"jsonrpc":"2.0",{text}}}}}"#);
            let exchange = |id: usize| {
                [
                    line(client, &format!(r#""id":{id},"method":"tools/list""#)),
                    line(server, &format!(r#""id":{id},"result":{{}}"#)),
                ]
            };
            let mut lines: Vec<String> = (0..6).flat_map(exchange).collect();
            lines.extend(
                (0..asked_by_server).map(|id| line(server, &format!(r#""id":{},"method":"tools/list""#, 50 + id))),
            );
            Layout::learn(lines.iter().map(String::as_str)).direction_key
        };
        assert_eq!(learned(["client_to_server", "server_to_client"], 1).as_deref(), Some("flow"));
        assert_eq!(learned(["c2s", "s2c"], 6), None, "it is about something else");
        assert_eq!(learned(["in", "out"], 1), None, "whose in and out that is, the messages tell");
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
