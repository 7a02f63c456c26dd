//! The words that home-made wrappers use: for directions, times, sessions and messages.

use super::Direction;
use crate::protocol::Side;

/// What a direction word says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Word {
    /// Who sent the message, in the log's own terms.
    Direction(Direction),
    /// The text is what the server wrote to stderr.
    Stderr,
}

const SENT: Option<Word> = Some(Word::Direction(Direction::Sent));
const RECEIVED: Option<Word> = Some(Word::Direction(Direction::Received));

/// What `word` says of the direction, when it stands under `key`. Words like `in` and `out` are relative to whoever
/// wrote the log; `client` and `c2s` are not. Words that name the kind of a message (`request`) say nothing.
pub(crate) fn direction(key: &str, word: &str) -> Option<Word> {
    let receiver = matches!(plain(key).as_str(), "to" | "dest" | "destination" | "target" | "dst");
    let word = word.trim().to_lowercase();
    let found = arrow(&word).or_else(|| named(&plain(&word))).or_else(|| last_part(&word));
    match found {
        Some(Word::Direction(Direction::By(side))) if receiver => Some(Word::Direction(Direction::By(side.peer()))),
        found => found,
    }
}

/// True if `word` names a way (`in`, `c2s`) and not a place that a record may have come from (`client`, `stdout`).
pub(crate) fn is_way(word: &str) -> bool {
    let name = plain(word);
    let place = side(&name).is_some() || matches!(name.as_str(), "stdin" | "stdout");
    !place && matches!(direction("", word), Some(Word::Direction(_)))
}

/// Lower case, letters and digits only.
pub(crate) fn plain(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// `->` and its relatives alone, or between two sides.
fn arrow(word: &str) -> Option<Word> {
    let shape: String = word.chars().filter(|c| !c.is_whitespace()).collect();
    match shape.as_str() {
        "->" | "-->" | "=>" | "==>" | ">" | ">>" | ">>>" | "→" => return SENT,
        "<-" | "<--" | "<=" | "<==" | "<" | "<<" | "<<<" | "←" => return RECEIVED,
        _ => {}
    }
    for arrow in ["-->", "->", "==>", "=>", "→", ">"] {
        if let Some((from, to)) = shape.split_once(arrow) {
            return between(&plain(from), &plain(to));
        }
    }
    for arrow in ["<--", "<-", "<==", "<=", "←", "<"] {
        if let Some((to, from)) = shape.split_once(arrow) {
            return between(&plain(from), &plain(to));
        }
    }
    None
}

/// From one side to the other; one of them may go without saying.
fn between(from: &str, to: &str) -> Option<Word> {
    let sender = match (from, to) {
        ("", to) => side(to)?.peer(),
        (from, "") => side(from)?,
        (from, to) if is_between(to) => side(from)?,
        (from, to) if is_between(from) => side(to)?.peer(),
        (from, to) => side(from).filter(|from| side(to) == Some(from.peer()))?,
    };
    Some(Word::Direction(Direction::By(sender)))
}

/// True for who stands between the sides and passes on what they say: what comes from it goes on its way.
fn is_between(word: &str) -> bool {
    let names = ["proxy", "gateway", "gw", "bridge", "relay", "router", "broker", "hub", "middleware", "wrapper"];
    names.contains(&word.strip_prefix("mcp").unwrap_or(word))
}

fn side(word: &str) -> Option<Side> {
    match word {
        "client" | "c" | "editor" | "ide" | "host" => Some(Side::Client),
        "server" | "s" | "agent" => Some(Side::Server),
        _ => None,
    }
}

/// Words of a way that stand with others and are about nothing else.
const WAYS: [&str; 11] = [
    "send",
    "recv",
    "receive",
    "sent",
    "received",
    "sending",
    "receiving",
    "incoming",
    "outgoing",
    "inbound",
    "outbound",
];

/// The way at the end of a name in several parts: `mcp.client.send`, `rpc:recv`.
fn last_part(word: &str) -> Option<Word> {
    let (before, last) = word.rsplit_once(['.', ':', '/'])?;
    (!before.is_empty() && WAYS.contains(&last)).then(|| named(last)).flatten()
}

fn named(word: &str) -> Option<Word> {
    match word {
        "in" | "inbound" | "incoming" | "ingress" | "recv" | "received" | "receive" | "receiving" | "read" | "rx" => {
            RECEIVED
        }
        "out" | "outbound" | "outgoing" | "egress" | "sent" | "send" | "sending" | "write" | "tx" | "transmit" => SENT,
        "stderr" => Some(Word::Stderr),
        "fromclient" | "toserver" | "stdin" => Some(Word::Direction(Direction::By(Side::Client))),
        "fromserver" | "toclient" | "fromagent" | "stdout" => Some(Word::Direction(Direction::By(Side::Server))),
        "toagent" => Some(Word::Direction(Direction::By(Side::Client))),
        _ => {
            if let Some(side) = side(word) {
                return Some(Word::Direction(Direction::By(side)));
            }
            // `send-request`, `message_received`, `message from client`: the kind follows the direction, or comes before it.
            for kind in ["request", "response", "notification", "message"] {
                let rest = word.strip_suffix(kind).or_else(|| word.strip_prefix(kind));
                if let Some(way) = rest.filter(|rest| WAYS.contains(rest) || rest.starts_with("from")) {
                    return named(way);
                }
            }
            let both = |(from, to): &(&str, &str)| !from.is_empty() && !to.is_empty();
            let parted = |middle: &&str| word.split_once(*middle).filter(both);
            ["to", "2"].iter().find_map(|middle| parted(middle).and_then(|(from, to)| between(from, to)))
        }
    }
}

/// Keys of a direction, the most telling first.
const DIRECTION: [&str; 13] =
    ["dir", "direction", "from", "sender", "origin", "side", "to", "receiver", "source", "src", "dest", "type", "kind"];

/// Keys of who sent or received: what they say is no kind of message.
const PARTIES: [&str; 13] = [
    "from",
    "sender",
    "origin",
    "side",
    "to",
    "receiver",
    "recipient",
    "src",
    "dst",
    "dest",
    "destination",
    "role",
    "peer",
];

/// True if a key says that its values are who sent or received.
pub(crate) fn names_parties(key: &str) -> bool {
    PARTIES.contains(&plain(key).as_str())
}

/// True if a word names the kind of a message.
pub(crate) fn names_a_kind(word: &str) -> bool {
    let kinds =
        ["request", "req", "call", "response", "res", "reply", "answer", "result", "error", "notification", "event"];
    kinds.contains(&plain(word).as_str())
}

/// Keys of a time.
const TIME: [&str; 14] = [
    "ts",
    "timestamp",
    "time",
    "t",
    "date",
    "datetime",
    "at",
    "createdat",
    "startedat",
    "starteddatetime",
    "timens",
    "timeus",
    "timems",
    "epoch",
];

/// Words in keys of a time (`ts_ms`, `loggedAt`, `event.created`).
const TIMELY: [&str; 20] = [
    "ts", "at", "ms", "us", "ns", "msec", "usec", "nsec", "millis", "micros", "nanos", "sec", "unix", "epoch", "stamp",
    "clock", "when", "instant", "created", "occurred",
];

/// How little a key that has no common name of a time, but sounds like one (`event_time`, `timeUnixNano`, `ts_ms`), tells of the time
/// of a record; one of receiving or indexing tells less. None for other keys.
pub(crate) fn time_key(key: &str) -> Option<usize> {
    let name = plain(key);
    let later = [
        "observed",
        "receive",
        "ingest",
        "index",
        "collect",
        "arriv",
        "process",
        "deliver",
        "emitted",
        "extracted",
        "synced",
        "batched",
        "loaded",
        "exported",
        "shipped",
    ];
    let named =
        matches!(meaning(&name), Some((Meaning::Time, _))) || ["time", "date"].iter().any(|word| name.contains(word));
    match later.iter().any(|word| name.contains(word)) {
        true => Some(200),
        false if named => Some(meaning(&name).map_or(50, |(_, rank)| rank)),
        false => parts(key).iter().any(|part| TIMELY.contains(&part.as_str())).then_some(90),
    }
}

/// The words of a key: `logged_at`, `loggedAt`.
fn parts(key: &str) -> Vec<String> {
    let mut spaced = String::with_capacity(2 * key.len());
    for c in key.chars() {
        spaced.extend(c.is_uppercase().then_some(' '));
        spaced.push(c);
    }
    spaced.split(|c: char| !c.is_alphanumeric()).map(plain).collect()
}

/// What typed exports wrap a value in (OpenTelemetry, DynamoDB, Firestore, MongoDB, unions of Avro): the name of its type.
pub(crate) const TYPES: [&str; 17] = [
    "stringValue",
    "intValue",
    "doubleValue",
    "boolValue",
    "S",
    "N",
    "BOOL",
    "integerValue",
    "timestampValue",
    "$date",
    "$numberInt",
    "$numberLong",
    "$numberDouble",
    "long",
    "int",
    "double",
    "string",
];

/// The key that names a scalar at a path: the last that is neither the name of a type nor a place in a list.
pub(crate) fn own_key(path: &[String]) -> &str {
    let is_place = |key: &str| key.bytes().all(|byte| byte.is_ascii_digit());
    let is_unit = |key: &str| counts_seconds(key) || counts_nanoseconds(key);
    let named = path.iter().rev().find(|key| !TYPES.contains(&key.as_str()) && !is_place(key) && !is_unit(key));
    named.or(path.last()).map_or("", String::as_str)
}

/// True for a key under which times that have them apart count seconds.
pub(crate) fn counts_seconds(key: &str) -> bool {
    matches!(key, "seconds" | "epochSecond" | "epochSeconds" | "tv_sec" | "secs")
}

/// The same for the nanoseconds beside them.
pub(crate) fn counts_nanoseconds(key: &str) -> bool {
    matches!(key, "nanos" | "nanoOfSecond" | "nanoseconds" | "tv_nsec")
}

/// Keys of a connection, the most telling first.
const CONNECTION: [&str; 9] =
    ["conn", "connection", "connectionid", "connid", "channel", "server", "servername", "pid", "processid"];

/// Keys that shippers tell the instances of a service by, the most telling first; of nested keys the last two.
const INSTANCE: [&str; 22] = [
    "podname",
    "pod",
    "containerid",
    "containername",
    "container",
    "serviceinstanceid",
    "instanceid",
    "instance",
    "logstreamname",
    "logstream",
    "containergroupnames",
    "revisionname",
    "taskid",
    "task",
    "dyno",
    "hostname",
    "host",
    "node",
    "service",
    "servicename",
    "stream",
    "pid",
];

/// How telling a key is of the instance that wrote a record (the lower, the more), by its last part or its last two:
/// `kubernetes.pod_name`, `pod.name`.
pub(crate) fn instance(dotted: &str) -> Option<usize> {
    let rank = |name: &str| INSTANCE.iter().position(|known| *known == plain(name));
    let last_two = dotted.rmatch_indices('.').nth(1).map_or(dotted, |(at, _)| &dotted[at..]);
    let last = dotted.rsplit('.').next().unwrap_or(dotted);
    rank(last_two).into_iter().chain(rank(last)).min()
}

/// Keys under which gateways and pools name who serves a connection. A thread that takes the next request has such a name, too.
const SERVES: [&str; 9] =
    ["backend", "backendid", "backendname", "serverid", "upstream", "worker", "workerid", "replica", "replicaid"];

/// True if a key names who serves a connection, as gateways call it.
pub(crate) fn serves(key: &str) -> bool {
    SERVES.contains(&plain(key).as_str())
}

/// Keys of a session.
const SESSION: [&str; 5] = ["session", "sessionid", "mcpsessionid", "sid", "sessionname"];

/// Keys of a message, the exact text first.
const MESSAGE: [&str; 14] = [
    "raw", "msg", "message", "payload", "data", "body", "rpc", "jsonrpc", "frame", "packet", "content", "line", "text",
    "log",
];

/// What a key of a wrapper may stand for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Meaning {
    Direction,
    Time,
    Connection,
    Session,
    Message,
}

/// What a key may stand for, and its rank among the keys of that meaning (the lower, the more telling).
pub(crate) fn meaning(key: &str) -> Option<(Meaning, usize)> {
    let key = plain(key);
    let rank = |keys: &[&str]| keys.iter().position(|known| *known == key);
    let lists: [(Meaning, &[&str]); 5] = [
        (Meaning::Direction, &DIRECTION),
        (Meaning::Time, &TIME),
        (Meaning::Connection, &CONNECTION),
        (Meaning::Session, &SESSION),
        (Meaning::Message, &MESSAGE),
    ];
    lists.into_iter().find_map(|(meaning, keys)| Some((meaning, rank(keys)?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn says(key: &str, word: &str) -> Option<Word> {
        direction(key, word)
    }

    #[test]
    fn sides_are_absolute_and_in_and_out_are_not() {
        let by = |side| Some(Word::Direction(Direction::By(side)));
        for word in [
            "c2s",
            "C2S",
            "client",
            "client->server",
            "client_to_server",
            "ClientToServer",
            "server<-client",
            "message from client",
            "editor -> agent",
            "client → server",
            "-> server",
            "client ->",
            "<- client",
            "client -> proxy",
            "gateway -> server",
            "mcp-proxy => agent",
        ] {
            assert_eq!(says("dir", word), by(Side::Client), "{word}");
        }
        for word in [
            "s2c",
            "server",
            "server-to-client",
            "agent→client",
            "toClient",
            "-> client",
            "server -> gw",
            "proxy->client",
        ] {
            assert_eq!(says("dir", word), by(Side::Server), "{word}");
        }
        for word in ["in", "INBOUND", "recv", "<-", "<--", "receive-response", "rx", "message_received"] {
            assert_eq!(says("dir", word), RECEIVED, "{word}");
        }
        for word in ["out", "sent", "->", ">>>", "send-request", "write", "outgoing message", "mcp.client.send"] {
            assert_eq!(says("dir", word), SENT, "{word}");
        }
        assert_eq!(says("dir", "stderr"), Some(Word::Stderr));
        for word in [
            "request",
            "response",
            "",
            "info",
            "client->client",
            "proxy->gateway",
            "total",
            "2",
            "server2",
            "notification",
        ] {
            assert_eq!(says("dir", word), None, "{word}");
        }
    }

    #[test]
    fn a_receiver_is_the_other_side() {
        assert_eq!(says("to", "server"), says("from", "client"));
        assert_eq!(says("to", "client"), says("from", "server"));
    }

    #[test]
    fn keys_have_one_meaning() {
        assert_eq!(meaning("@timestamp").map(|(meaning, _)| meaning), Some(Meaning::Time));
        assert_eq!(meaning("Mcp-Session-Id").map(|(meaning, _)| meaning), Some(Meaning::Session));
        assert_eq!(meaning("_direction").map(|(meaning, _)| meaning), Some(Meaning::Direction));
        assert!(meaning("raw") < meaning("msg"));
        assert_eq!(meaning("level"), None);
    }
}
