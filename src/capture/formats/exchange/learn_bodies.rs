//! Learning where records keep the two bodies: ids that stand at two places prove it.

use std::cmp::{Ordering, Reverse};
use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::body::{joined, plain};
use super::path::{self, Path};
use super::scalars::{DEPTH, children, is_status};
use super::told::Told;
use crate::capture::encoded::text_in;
use crate::capture::events::{events, is_event_stream};
use crate::capture::formats::document::value_of;
use crate::capture::sample::{envelope, is_record};
use crate::json::scan::value_end;

/// How many places for one body.
pub(super) const PLACES: usize = 4;

/// What a value holds.
#[derive(Clone, Debug, PartialEq)]
struct Holds {
    asks: bool,
    /// Those of all messages of a batch: its answers may come in any order.
    ids: Vec<String>,
    versioned: bool,
    /// True for an event stream.
    streamed: bool,
}

impl Holds {
    /// True for what wants an answer.
    fn is_call(&self) -> bool {
        self.asks && !self.ids.is_empty()
    }

    fn shares_id(&self, other: &Holds) -> bool {
        self.ids.iter().any(|id| other.ids.contains(id))
    }

    /// What a list holds: its answers where it has some, for what came in a response may be listed with the answer at its end.
    fn of_list(all: impl Iterator<Item = Holds>) -> Option<Holds> {
        let all: Vec<Holds> = all.collect();
        let asks = all.iter().all(|one| one.asks);
        let versioned = all.iter().any(|one| one.versioned);
        let ids = all.iter().filter(|one| one.asks == asks).flat_map(|one| one.ids.clone()).collect();
        (!all.is_empty()).then_some(Holds { asks, ids, versioned, streamed: false })
    }
}

fn holds(value: &Value) -> Option<Holds> {
    match value {
        Value::Object(members) => holds_wire(members).or_else(|| holds_text(&text_in(value)?)),
        Value::Array(list) if list.iter().any(Value::is_string) => {
            holds_text(&joined(list.iter().filter_map(Value::as_str).map(str::to_string).collect()))
        }
        Value::Array(list) => Holds::of_list(list.iter().filter_map(|one| holds_wire(one.as_object()?)))
            .or_else(|| holds_text(&text_in(value)?)),
        Value::String(text) => holds_text(text),
        _ => None,
    }
}

/// True for an object that is no message, and has one in it that tells that it is.
pub(super) fn leads_to_message(value: &Value) -> bool {
    let mut seen = BTreeMap::new();
    walk(value, &mut Vec::new(), &mut Vec::new(), &mut seen);
    let is_wire =
        value.as_object().is_none_or(|members| members.contains_key("jsonrpc") || holds_wire(members).is_some());
    !is_wire && seen.values().flatten().any(|(_, holds)| holds.versioned)
}

/// A message as it was on the wire: without a version, one that has no members but those of a message. A gateway that notes
/// method and id beside a latency of its own shows no message.
fn holds_wire(members: &Map<String, Value>) -> Option<Holds> {
    let own = |key: &String| matches!(key.as_str(), "id" | "method" | "params" | "result" | "error");
    holds_message(members).filter(|found| found.versioned || members.keys().all(own))
}

fn holds_message(members: &Map<String, Value>) -> Option<Holds> {
    let has = |key: &str| members.contains_key(key);
    let method = members.get("method").and_then(Value::as_str);
    let versioned = has("jsonrpc");
    let id = members.get("id").filter(|id| !id.is_null()).map(Value::to_string);
    let (params, answer) = (has("params"), has("result") || has("error"));
    let own = ["jsonrpc", "id", "method", "params", "result", "error"];
    let others = members.keys().filter(|key| !own.contains(&key.as_str())).count();
    let message = envelope(versioned, method, has("id"), params, answer);
    (message && (versioned || !is_record(others, method, params, answer))).then_some(Holds {
        asks: method.is_some(),
        ids: id.into_iter().collect(),
        versioned,
        streamed: false,
    })
}

fn holds_text(text: &str) -> Option<Holds> {
    let text = plain(text);
    if is_event_stream(&text) {
        let all: Vec<_> =
            events(&text).into_iter().map(|(_, data)| data).filter(|data| Told::of(data).is_traffic).collect();
        let last = all.last()?;
        let versioned = last.contains("\"jsonrpc\"");
        let answers = all.iter().filter(|data| value_of(data, 0, &["method"]).is_none());
        let ids: Vec<String> = answers.flat_map(|data| id_in(data)).collect();
        let ids = if ids.is_empty() { id_in(last) } else { ids };
        return Some(Holds { asks: false, ids, versioned, streamed: true });
    }
    Told::of(&text).is_traffic.then(|| holds_body(&text))
}

/// The messages of a body that was told to have some.
fn holds_body(text: &str) -> Holds {
    let list = || match serde_json::from_str(text) {
        Ok(Value::Array(list)) => Holds::of_list(list.iter().filter_map(|one| holds_message(one.as_object()?))),
        _ => None,
    };
    let first = text.trim_start();
    first.starts_with('[').then(list).flatten().unwrap_or_else(|| {
        let first = first.trim_start_matches('[').trim_start();
        let asks = value_of(first, 0, &["method"]).is_some();
        Holds { asks, ids: id_in(first), versioned: first.contains("\"jsonrpc\""), streamed: false }
    })
}

fn id_in(text: &str) -> Vec<String> {
    let id = value_of(text, 0, &["id"]).and_then(|at| text.get(at..value_end(text.as_bytes(), at)?));
    id.filter(|id| *id != "null").map(str::to_string).into_iter().collect()
}

/// What one exchange of a record holds, by path.
type Leaves = Vec<(Path, Holds)>;

/// Which members of arrays lead to an exchange.
type Chain = Vec<usize>;

/// What stands at a place: requests and answers, and those of them whose counterpart stands beside them.
#[derive(Default)]
struct Count {
    asks: usize,
    answers: usize,
    answered: usize,
    answering: usize,
}

impl Count {
    /// True for the place of requests. A client posts its answers there, too, and may have as many of them: what has its answer beside
    /// it tells more than how many there are.
    fn is_of_requests(&self) -> bool {
        match self.answered.cmp(&self.answering) {
            Ordering::Equal => self.asks > self.answers,
            order => order == Ordering::Greater,
        }
    }
}

/// Counts what one exchange holds.
fn count_row<'r>(row: &'r Leaves, count: &mut BTreeMap<&'r Path, Count>) {
    for (path, holds) in row {
        let has_other = row.iter().any(|(_, other)| holds.asks != other.asks && holds.shares_id(other));
        let own = count.entry(path).or_default();
        let (all, paired) = match holds.asks {
            true => (&mut own.asks, &mut own.answered),
            false => (&mut own.answers, &mut own.answering),
        };
        *all += 1;
        *paired += usize::from(has_other);
    }
}

#[derive(Default)]
pub(super) struct Bodies {
    rows: Vec<Leaves>,
    /// True for a record that is itself a message.
    bare: bool,
    pub(super) hits: usize,
}

impl Bodies {
    pub(super) fn record(&mut self, value: &Value) {
        let mut seen: BTreeMap<Chain, Leaves> = BTreeMap::new();
        walk(value, &mut Vec::new(), &mut Vec::new(), &mut seen);
        let seen = with_their_requests(seen);
        let top = value.as_object().and_then(holds_message);
        let strong = seen.values().flatten().any(|(_, holds)| holds.versioned);
        self.bare |= top.is_some_and(|top| top.versioned || !strong);
        for (_, mut row) in seen {
            // An answer of JSON-RPC 1.0 has no version: the id of a request beside it tells it.
            let asked: Vec<String> = row
                .iter()
                .filter(|(_, holds)| holds.asks && holds.versioned)
                .flat_map(|(_, holds)| holds.ids.clone())
                .collect();
            row.retain(|(_, holds)| {
                let answers = || !holds.asks && holds.ids.iter().any(|id| asked.contains(id));
                holds.versioned || !strong || answers()
            });
            self.hits += usize::from(!row.is_empty());
            self.rows.push(row);
        }
    }

    /// The places of requests and of responses, the most used first; `None` where records are no exchanges.
    pub(super) fn places(&self, values: &[Value]) -> Option<(Vec<Path>, Vec<Path>)> {
        if self.bare || values.is_empty() {
            return None;
        }
        let mut count: BTreeMap<&Path, Count> = BTreeMap::new();
        self.rows.iter().for_each(|row| count_row(row, &mut count));
        let sorted = |wanted: fn(&Count) -> bool| {
            let mut list: Vec<_> = count.iter().filter(|(_, count)| wanted(count)).collect();
            list.sort_by_key(|(path, count)| (Reverse(count.asks + count.answers), path.0.len(), Path::clone(path)));
            list.into_iter().map(|(path, _)| (*path).clone()).collect::<Vec<Path>>()
        };
        let requests = alike(sorted(Count::is_of_requests));
        let mixed = |path: &Path| count.get(path).is_some_and(|count| count.answers * 4 > count.asks);
        let responses = alike(sorted(|count| !count.is_of_requests()));
        let first = requests.first()?;
        let responses: Vec<Path> = responses.into_iter().map(|path| in_row(path, first)).collect();
        // Answers that stand where requests do are in records of their own.
        let apart = responses.is_empty() && requests.iter().any(mixed);
        (!apart && self.are_exchanges(&requests, &responses)).then_some((requests, responses))
    }

    /// True if requests have their answers beside them, or nothing has an answer, or all come in one stream beside them
    /// (HTTP+SSE of the first revision).
    fn are_exchanges(&self, requests: &[Path], responses: &[Path]) -> bool {
        let (mut asked, mut matched, mut strayed, mut alone) = (0, 0, 0, 0);
        let asked_for: BTreeSet<&String> =
            self.rows.iter().flatten().filter(|(_, holds)| holds.asks).flat_map(|(_, holds)| &holds.ids).collect();
        let answers = |holds: &Holds| holds.streamed && holds.ids.iter().any(|id| asked_for.contains(id));
        let mut streams = 0;
        for row in &self.rows {
            let of = |paths: &[Path]| {
                let known = |path: &Path| paths.contains(path) || paths.contains(&in_row(path.clone(), &requests[0]));
                row.iter().find(|(path, _)| known(path)).map(|(_, holds)| holds)
            };
            match (of(requests), of(responses)) {
                (Some(asks), None) if asks.is_call() => asked += 1,
                (Some(asks), Some(answer)) if asks.is_call() => {
                    asked += 1;
                    let own = answer.ids.is_empty() || asks.shares_id(answer);
                    if own { matched += 1 } else { strayed += 1 }
                }
                (None, Some(holds)) => {
                    alone += 1;
                    streams += usize::from(answers(holds));
                }
                _ => {}
            }
        }
        let beside = matched > strayed && matched * 4 >= asked.max(alone);
        let apart = matched + strayed == 0 && streams > 0 && streams == alone;
        // What wants no answer has none: whether it is HTTP is shown by what stands beside it.
        responses.is_empty() || beside || apart
    }
}

/// Answers that lie deeper in arrays than their request, as the first member, put beside it.
fn with_their_requests(seen: BTreeMap<Chain, Leaves>) -> BTreeMap<Chain, Leaves> {
    let asks: Vec<Chain> = seen
        .iter()
        .filter(|(_, row)| row.iter().any(|(_, holds)| holds.asks))
        .map(|(chain, _)| chain.clone())
        .collect();
    let mut found: BTreeMap<Chain, Leaves> = BTreeMap::new();
    for (chain, row) in seen {
        let outer =
            |ask: &&Chain| chain.strip_prefix(&ask[..]).is_some_and(|rest| rest.iter().all(|number| *number == 0));
        let home = asks.iter().filter(outer).max_by_key(|ask| ask.len()).unwrap_or(&chain);
        found.entry(home.clone()).or_default().extend(row);
    }
    found
}

/// The path of a response, which lies in the row of its request: of an array that the request does not lie in, it is the
/// first member.
fn in_row(path: Path, request: &Path) -> Path {
    let shared = path.0.iter().zip(&request.0).take_while(|(own, other)| own == other).count();
    let key = |(at, key): (usize, Box<str>)| if at >= shared && &*key == "*" { "0".into() } else { key };
    Path(path.0.into_iter().enumerate().map(key).collect())
}

/// A path as far as the innermost array.
fn star(path: &Path) -> Option<&[Box<str>]> {
    path.0.iter().rposition(|key| &**key == "*").map(|at| &path.0[..=at])
}

/// The first few paths, those alone that lie in the same array as the first.
fn alike(paths: Vec<Path>) -> Vec<Path> {
    let Some(first) = paths.first().cloned() else { return paths };
    paths.into_iter().filter(|path| star(path).is_none() || star(path) == star(&first)).take(PLACES).collect()
}

/// What the members of a list hold together, each of them an event of a stream or what was read of a body at a time, and the key
/// under which they do. Beside it stand scalars alone; what has a status of its own is a response of its own.
fn pieces(list: &[Value]) -> Option<(&str, Holds)> {
    let members: Vec<&Map<String, Value>> = list.iter().map(Value::as_object).collect::<Option<_>>()?;
    let all = || members.iter().flat_map(|one| one.iter());
    if all().any(|(key, value)| is_status(&path::plain(key), value)) {
        return None;
    }
    let inner = all().find(|(_, value)| value.is_object() || value.is_array()).map(|(key, _)| key.as_str());
    if all().any(|(key, value)| (value.is_object() || value.is_array()) && Some(key.as_str()) != inner) {
        return None;
    }
    let held = |key: &'_ str| {
        let texts = members.iter().filter_map(|one| one.get(key)).filter(|value| !value.is_null());
        let texts = texts.map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_string)).collect();
        holds_text(&joined(texts)).filter(|found| !found.asks && found.versioned)
    };
    let keys: BTreeSet<&str> = match inner {
        Some(key) => [key].into(),
        None => all().filter(|(_, value)| value.is_string()).map(|(key, _)| key.as_str()).collect(),
    };
    keys.into_iter().find_map(|key| Some((key, held(key)?)))
}

fn walk(value: &Value, path: &mut Vec<Box<str>>, chain: &mut Chain, seen: &mut BTreeMap<Chain, Leaves>) {
    if let Some(found) = holds(value).filter(|_| !path.is_empty()) {
        let strong = found.versioned;
        seen.entry(chain.clone()).or_default().push((Path(path.clone()), found));
        if strong {
            return;
        }
    }
    if path.len() >= DEPTH {
        return;
    }
    let inner = children(value);
    for (key, value) in &inner {
        path.push(key.as_str().into());
        walk(value, path, chain, seen);
        path.pop();
    }
    let Value::Array(list) = value else { return };
    let found = if inner.is_empty() && !path.is_empty() { pieces(list) } else { None };
    if let Some((key, found)) = found {
        let keys = [Box::from("+"), Box::from(key)];
        seen.entry(chain.clone()).or_default().push((Path(path.iter().cloned().chain(keys).collect()), found));
    } else if inner.is_empty() {
        for (number, one) in list.iter().enumerate().filter(|(_, one)| one.is_object()) {
            path.push("*".into());
            chain.push(number);
            walk(one, path, chain, seen);
            chain.pop();
            path.pop();
        }
    }
}
