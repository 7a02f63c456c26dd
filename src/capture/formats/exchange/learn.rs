//! Learning where records keep the two bodies and what stands beside them, from a few examples.
//!
//! A record tells an exchange if it holds a request and its response at two places: the ids prove it. All else is told by the
//! words of keys and the looks of values, and left out where it does not add up.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::body::{events, headers_of, http_head, is_event_stream, part, plain};
use super::layout::{Layout, SESSION_HEADER, Slot, Unit};
use super::learn_times::{Timed, times};
use super::path::{self, Path, Tree, is_name};
use super::steps::is_traffic;
use crate::capture::Vantage;
use crate::capture::formats::document::value_of;
use crate::capture::sample::envelope;
use crate::capture::scan::{unquoted, value_end};
use crate::capture::words::{self, Meaning};

/// How many records are looked at.
const EXAMPLES: usize = 100;

/// How deep a record may be.
const DEPTH: usize = 12;

/// How many places for one body.
const PLACES: usize = 4;

/// A layout that was learned, and how well it fits.
pub(in crate::capture) struct Learned {
    pub(in crate::capture) layout: Layout,
    /// How many records were looked at.
    pub(in crate::capture) examined: usize,
    /// How many exchanges hold a message.
    pub(in crate::capture) hits: usize,
    /// The places of the first bodies, for the reason.
    pub(super) bodies: Vec<String>,
}

/// Values by their paths: those of all examples.
pub(super) type Scalars<'v> = BTreeMap<Path, Vec<&'v Value>>;

/// Learns from records, each the text of a JSON object.
pub(super) fn learn<'t>(texts: impl Iterator<Item = &'t str>) -> Option<Learned> {
    let (mut values, mut examined): (Vec<Value>, usize) = (Vec::new(), 0);
    for text in texts {
        examined += 1;
        if text.starts_with('{') && plausible(text) {
            values.extend(serde_json::from_str::<Value>(text).ok().filter(Value::is_object));
        }
        if values.len() == EXAMPLES {
            break;
        }
    }
    let mut bodies = Bodies::default();
    values.iter().for_each(|value| bodies.record(value));
    let (requests, responses) = bodies.places(&values)?;
    let mut scalars = Scalars::new();
    let taken: Vec<&Path> = requests.iter().chain(&responses).collect();
    let star = requests[0].0.iter().position(|key| &**key == "*");
    for value in &values {
        Leaves { taken: &taken, star: star.map(|at| &requests[0].0[..=at]), found: &mut scalars }
            .walk(value, &mut Vec::new());
    }
    let mut beside = beside(&scalars, &requests, &responses);
    // Bodies with the head of HTTP before them name the session themselves.
    let heads = requests.iter().chain(&responses).filter(|path| values.iter().any(|value| has_head(value, path)));
    beside.extend(heads.map(|path| (Slot::Session, path.clone())));
    if responses.is_empty() && !is_http(&beside) {
        return None;
    }
    let names = requests.iter().take(1).chain(responses.iter().take(1)).map(Path::to_string).collect();
    let mut places: Vec<(Slot, Path)> = requests.iter().map(|path| (Slot::Request, path.clone())).collect();
    places.extend(responses.iter().map(|path| (Slot::Response, path.clone())));
    places.extend(beside);
    let Timed { places: timed, unit, certain } = times(&scalars, &requests[0], responses.first());
    places.extend(timed);
    let mut layout = Layout::new(places, unit, Vantage::Proxy);
    layout.certain = certain;
    layout.marks = marks(&values, &taken);
    Some(Learned { layout, examined, hits: bodies.hits, bodies: names })
}

/// A layout with the places that are given, where the log has them, and what else is learned; `None` where no record
/// holds a message, or too little of what is given is in the log.
pub(in crate::capture) fn fitted(
    texts: &[&str],
    given: &[(Slot, Path)],
    unit: Unit,
    vantage: Vantage,
) -> Option<Learned> {
    let learned = learn(texts.iter().copied());
    let tree = Tree::new(given.iter().map(|(_, path)| path));
    let (mut seen, mut hits) = (vec![false; given.len()], 0);
    for text in texts.iter().filter(|text| text.starts_with('{')).take(EXAMPLES) {
        for row in tree.rows(text, given.len()) {
            let value = |at: usize| row[at].filter(|(raw, _)| !matches!(*raw, "null" | "\"\""));
            (0..given.len()).for_each(|at| seen[at] |= value(at).is_some());
            let bodies = (0..given.len()).filter(|at| matches!(given[*at].0, Slot::Request | Slot::Response));
            let holds =
                |raw: &str| part(raw, 0, false).text().is_some_and(|text| is_traffic(text) || is_event_stream(text));
            hits += usize::from(bodies.filter_map(value).any(|(raw, _)| holds(raw)));
        }
    }
    let is_time = |slot: Slot| matches!(slot, Slot::Start | Slot::End | Slot::Duration);
    let mut places: Vec<_> =
        given.iter().zip(&seen).filter(|(_, seen)| **seen).map(|(place, _)| place.clone()).collect();
    let beside = places.iter().filter(|(slot, _)| !matches!(slot, Slot::Request | Slot::Response)).count();
    if hits == 0 && beside < 2 {
        return None;
    }
    if hits == 0 {
        places.retain(|(slot, _)| !matches!(slot, Slot::Request | Slot::Response));
    }
    let has = |slot: Slot| places.iter().any(|(known, _)| *known == slot || is_time(slot) && is_time(*known));
    let Some(learned) = learned else {
        let whole = hits > 0 && has(Slot::Request);
        let layout = Layout::new(places, unit, vantage);
        return whole.then(|| Learned { layout, examined: texts.len(), hits, bodies: Vec::new() });
    };
    let rest = learned.layout.places().iter();
    let rest = rest.filter(|(slot, _)| matches!(slot, Slot::Request | Slot::Response) || !has(*slot));
    let own_times = has(Slot::Start);
    let rest: Vec<_> = rest.filter(|place| !places.contains(place)).cloned().collect();
    places.extend(rest);
    let mut layout = Layout::new(places, if own_times { unit } else { learned.layout.unit }, vantage);
    layout.certain = own_times || learned.layout.certain;
    layout.marks = learned.layout.marks;
    let (examined, bodies) = (learned.examined, learned.bodies);
    Some(Learned { layout, examined, hits: hits.max(learned.hits), bodies })
}

/// True if the text at a path starts as HTTP does.
fn has_head(value: &Value, path: &Path) -> bool {
    let at = path.0.iter().try_fold(value, |value, key| value.get(&**key));
    at.and_then(Value::as_str).is_some_and(|text| http_head(text).is_some() || headers_of(text).is_some())
}

/// True if a text is a record of an exchange.
pub(in crate::capture::formats) fn is_record(text: &str) -> bool {
    plausible(text) && learn(std::iter::once(text)).is_some()
}

/// True if a text may hold a message, in whatever packing.
fn plausible(text: &str) -> bool {
    ["jsonrpc", "method", "\"ey", "\"ZXZ", "\"ZGF", "\"H4sI", "\"W3s", "\"UE9TV"].iter().any(|sign| text.contains(sign))
}

/// What a value holds.
#[derive(Clone, Debug, PartialEq)]
struct Holds {
    asks: bool,
    id: Option<String>,
    versioned: bool,
}

fn holds(value: &Value) -> Option<Holds> {
    match value {
        Value::Object(members) => holds_message(members),
        Value::Array(list) => {
            // What came in a response may be listed with the answer at its end.
            let mut all: Vec<Holds> = list.iter().filter_map(|one| holds_message(one.as_object()?)).collect();
            let answer = all.iter().rposition(|one| !one.asks).unwrap_or(0);
            (answer < all.len()).then(|| all.swap_remove(answer))
        }
        Value::String(text) => holds_text(text),
        _ => None,
    }
}

fn holds_message(members: &Map<String, Value>) -> Option<Holds> {
    let has = |key: &str| members.contains_key(key);
    let method = members.get("method").and_then(Value::as_str);
    let versioned = has("jsonrpc");
    let id = members.get("id").filter(|id| !id.is_null()).map(Value::to_string);
    envelope(versioned, method, has("id"), has("params"), has("result") || has("error")).then_some(Holds {
        asks: method.is_some(),
        id,
        versioned,
    })
}

fn holds_text(text: &str) -> Option<Holds> {
    let text = plain(text);
    if is_event_stream(&text) {
        let all: Vec<_> = events(&text).into_iter().map(|(_, data)| data).filter(|data| is_traffic(data)).collect();
        let last = all.last()?;
        return Some(Holds { asks: false, id: id_in(last), versioned: last.contains("\"jsonrpc\"") });
    }
    is_traffic(&text).then(|| {
        let first = text.trim_start().trim_start_matches('[').trim_start();
        let asks = value_of(first, 0, &["method"]).is_some();
        Holds { asks, id: id_in(first), versioned: first.contains("\"jsonrpc\"") }
    })
}

fn id_in(text: &str) -> Option<String> {
    let at = value_of(text, 0, &["id"])?;
    let end = value_end(text.as_bytes(), at)?;
    Some(text[at..end].to_string()).filter(|id| id != "null")
}

/// What one exchange of a record holds, by path.
type Seen = Vec<(Path, Holds)>;

#[derive(Default)]
struct Bodies {
    rows: Vec<Seen>,
    /// True for a record that is itself a message.
    bare: bool,
    hits: usize,
}

impl Bodies {
    fn record(&mut self, value: &Value) {
        let mut seen: BTreeMap<usize, Seen> = BTreeMap::new();
        walk(value, &mut Vec::new(), None, &mut seen);
        let top = value.as_object().and_then(holds_message);
        let strong = seen.values().flatten().any(|(_, holds)| holds.versioned);
        self.bare |= top.is_some_and(|top| top.versioned || !strong);
        for (_, mut row) in seen {
            // An answer of JSON-RPC 1.0 has no version: the id of a request beside it tells it.
            let asked: Vec<Option<String>> = row
                .iter()
                .filter(|(_, holds)| holds.asks && holds.versioned)
                .map(|(_, holds)| holds.id.clone())
                .collect();
            row.retain(|(_, holds)| {
                let answers = || !holds.asks && holds.id.is_some() && asked.contains(&holds.id);
                holds.versioned || !strong || answers()
            });
            self.hits += usize::from(!row.is_empty());
            self.rows.push(row);
        }
    }

    /// The places of requests and of responses, the most used first; `None` where records are no exchanges.
    fn places(&self, values: &[Value]) -> Option<(Vec<Path>, Vec<Path>)> {
        if self.bare || values.is_empty() {
            return None;
        }
        let mut count: BTreeMap<&Path, (usize, usize)> = BTreeMap::new();
        for (path, holds) in self.rows.iter().flatten() {
            let entry = count.entry(path).or_default();
            if holds.asks { entry.0 += 1 } else { entry.1 += 1 }
        }
        let sorted = |wanted: fn(usize, usize) -> bool| {
            let mut list: Vec<_> = count.iter().filter(|(_, (asks, answers))| wanted(*asks, *answers)).collect();
            list.sort_by_key(|(path, (asks, answers))| {
                (std::cmp::Reverse(asks + answers), path.0.len(), Path::clone(path))
            });
            list.into_iter().map(|(path, _)| (*path).clone()).collect::<Vec<Path>>()
        };
        let requests = alike(sorted(|asks, answers| asks > answers));
        let mixed = |path: &Path| count.get(path).is_some_and(|(asks, answers)| answers * 4 > *asks);
        let responses = alike(sorted(|asks, answers| asks <= answers));
        let first = requests.first()?;
        let own = star(first).map(<[Box<str>]>::to_vec);
        let responses: Vec<Path> = responses.into_iter().map(|path| in_row(path, own.as_deref())).collect();
        // Answers that stand where requests do are in records of their own.
        let apart = responses.is_empty() && requests.iter().any(mixed);
        (!apart && self.are_exchanges(&requests, &responses)).then_some((requests, responses))
    }

    /// True if requests have their answers beside them, or nothing has an answer.
    fn are_exchanges(&self, requests: &[Path], responses: &[Path]) -> bool {
        let (mut asked, mut matched, mut strayed, mut alone) = (0, 0, 0, 0);
        for row in &self.rows {
            let of = |paths: &[Path]| {
                let known = |path: &Path| paths.contains(path) || paths.contains(&in_row(path.clone(), None));
                row.iter().find(|(path, _)| known(path)).map(|(_, holds)| holds.id.clone())
            };
            match (of(requests), of(responses)) {
                (Some(Some(_)), None) => asked += 1,
                (Some(Some(id)), Some(answer)) => {
                    asked += 1;
                    if answer.is_none_or(|answer| answer == id) { matched += 1 } else { strayed += 1 }
                }
                (None, Some(_)) => alone += 1,
                _ => {}
            }
        }
        if responses.is_empty() { asked > 0 } else { matched > strayed && matched * 4 >= asked.max(alone) }
    }
}

/// The path of a response, where its request does not lie in the same array: it is that of the first member.
fn in_row(path: Path, row: Option<&[Box<str>]>) -> Path {
    if star(&path).is_none() || star(&path) == row {
        return path;
    }
    Path(path.0.into_iter().map(|key| if &*key == "*" { "0".into() } else { key }).collect())
}

fn star(path: &Path) -> Option<&[Box<str>]> {
    path.0.iter().position(|key| &**key == "*").map(|at| &path.0[..=at])
}

/// The first few paths, those alone that lie in the same array as the first.
fn alike(paths: Vec<Path>) -> Vec<Path> {
    let Some(first) = paths.first().cloned() else { return paths };
    paths.into_iter().filter(|path| star(path).is_none() || star(path) == star(&first)).take(PLACES).collect()
}

/// The members of an object, or of a list of pairs.
fn children(value: &Value) -> Vec<(String, &Value)> {
    match value {
        Value::Object(members) => members.iter().map(|(key, value)| (key.clone(), value)).collect(),
        Value::Array(list) => list.iter().filter_map(as_pair).collect(),
        _ => Vec::new(),
    }
}

fn as_pair(value: &Value) -> Option<(String, &Value)> {
    match value {
        Value::Array(two) if two.len() == 2 => {
            Some((two[0].as_str().filter(|name| is_name(name))?.to_string(), &two[1]))
        }
        Value::Object(members) => {
            let name = ["name", "key", "Name", "Key"].iter().find_map(|key| members.get(*key)?.as_str())?;
            let value = ["value", "Value", "values", "raw_value"].iter().find_map(|key| members.get(*key))?;
            Some((name.to_string(), value))
        }
        _ => None,
    }
}

fn walk(value: &Value, path: &mut Vec<Box<str>>, row: Option<usize>, seen: &mut BTreeMap<usize, Seen>) {
    if let Some(found) = holds(value).filter(|_| !path.is_empty()) {
        let strong = found.versioned;
        seen.entry(row.unwrap_or(0)).or_default().push((Path(path.clone()), found));
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
        walk(value, path, row, seen);
        path.pop();
    }
    if let (Value::Array(list), true) = (value, inner.is_empty()) {
        for (number, one) in list.iter().enumerate().filter(|(_, one)| one.is_object()) {
            path.push("*".into());
            walk(one, path, row.or(Some(number)), seen);
            path.pop();
        }
    }
}

/// Collects the scalars that stand beside the bodies.
struct Leaves<'x, 'v> {
    taken: &'x [&'x Path],
    /// The array of exchanges within a record, where there is one.
    star: Option<&'x [Box<str>]>,
    found: &'x mut Scalars<'v>,
}

impl<'v> Leaves<'_, 'v> {
    fn walk(&mut self, value: &'v Value, path: &mut Vec<Box<str>>) {
        if path.len() >= DEPTH || self.taken.iter().any(|taken| taken.0 == *path) {
            return;
        }
        let inner = children(value);
        for (key, value) in &inner {
            path.push(key.as_str().into());
            self.walk(value, path);
            path.pop();
        }
        match value {
            Value::Array(list) if inner.is_empty() => {
                let all = self.star.is_some_and(|star| star.len() == path.len() + 1 && star.starts_with(path));
                for one in list.iter().take(if all { usize::MAX } else { 1 }) {
                    path.push(if all { "*" } else { "0" }.into());
                    self.walk(one, path);
                    path.pop();
                }
            }
            Value::String(_) | Value::Number(_) => self.found.entry(Path(path.clone())).or_default().push(value),
            _ => {}
        }
    }
}

/// Keys that every example has at its top, beside those that lead to bodies.
fn marks(values: &[Value], bodies: &[&Path]) -> Vec<Box<str>> {
    let Some(first) = values.first().and_then(Value::as_object) else { return Vec::new() };
    let leads = |key: &str| bodies.iter().any(|path| *path.0[0] == *key);
    let everywhere = |key: &&String| values.iter().all(|value| value.get(key.as_str()).is_some());
    first.keys().filter(|key| !leads(key)).filter(everywhere).map(|key| key.as_str().into()).collect()
}

/// True if something shows that this is HTTP.
fn is_http(places: &[(Slot, Path)]) -> bool {
    let has = |slot| places.iter().any(|(known, _)| *known == slot);
    has(Slot::Status) && (has(Slot::Verb) || has(Slot::Session))
}

/// The places of verb, URL, status, session and key.
fn beside(scalars: &Scalars<'_>, requests: &[Path], responses: &[Path]) -> Vec<(Slot, Path)> {
    let mut found = Vec::new();
    let request = &requests[0];
    // What lies nearest to the body, and then what lies highest.
    let near = |path: &Path, body: Option<&Path>| {
        let shared = body.map_or(0, |body| path.0.iter().zip(&body.0).take_while(|(a, b)| a == b).count());
        (std::cmp::Reverse(shared), path.0.len())
    };
    let best = |fits: &dyn Fn(&str, &[&Value]) -> bool, body: Option<&Path>| {
        let all = scalars.iter().filter(|(path, values)| fits(&path.plain_key(), values));
        all.map(|(path, _)| path).min_by_key(|path| near(path, body)).cloned()
    };
    let verb = best(&|_, values| values.iter().all(|value| value.as_str().is_some_and(is_verb)), Some(request));
    found.extend(verb.map(|path| (Slot::Verb, path)));
    let is_url = |key: &str, values: &[&Value]| {
        const KEYS: [&str; 9] =
            ["path", "uri", "url", "endpoint", "requesturi", "requesturl", "requestpath", "httptarget", "urlpath"];
        KEYS.contains(&key) && values.iter().all(|value| value.as_str().is_some_and(|text| text.contains('/')))
    };
    found.extend(best(&is_url, Some(request)).map(|path| (Slot::Url, path)));
    let is_status = |key: &str, values: &[&Value]| {
        let named = key.contains("status") || matches!(key, "code" | "responsecode" | "httpcode");
        named && values.iter().all(|value| number(value).is_some_and(|n| n == 0 || (100..600).contains(&n)))
    };
    found.extend(best(&is_status, responses.first()).map(|path| (Slot::Status, path)));
    let cut = |body: Option<&Path>, slot: Slot| cut_flag(scalars, body).map(|path| (slot, path));
    found.extend(cut(Some(request), Slot::RequestCut));
    found.extend(cut(responses.first(), Slot::ResponseCut));
    let sessions = sessions(scalars, request);
    let keyless = sessions.is_empty();
    found.extend(sessions.into_iter().map(|path| (Slot::Session, path)));
    if keyless {
        found.extend(key(scalars).map(|path| (Slot::Key, path)));
    }
    found
}

fn is_verb(text: &str) -> bool {
    ["GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS", "PATCH"].iter().any(|verb| verb.eq_ignore_ascii_case(text))
}

fn number(value: &Value) -> Option<i64> {
    value.as_i64().or_else(|| value.as_str()?.parse().ok())
}

/// A member beside a body that says that it was cut: booleans are no scalars here, so it is named without being seen.
fn cut_flag(_: &Scalars<'_>, body: Option<&Path>) -> Option<Path> {
    let mut keys = body?.0.clone();
    *keys.last_mut()? = "truncated".into();
    Some(Path(keys))
}

fn sessions(scalars: &Scalars<'_>, request: &Path) -> Vec<Path> {
    let header = |path: &Path, values: &[&Value]| {
        let text =
            |value: &&Value| value.as_str().is_some_and(|text| text.to_ascii_lowercase().contains(SESSION_HEADER));
        path.0.iter().rev().take(2).any(|key| path::plain(key) == "mcpsessionid") || values.iter().any(text)
    };
    let named = |path: &Path| {
        let key = path.plain_key();
        matches!(words::meaning(&key), Some((Meaning::Session, _))) || key.contains("mcpsession")
    };
    let shared = |path: &Path| path.0.iter().zip(&request.0).take_while(|(a, b)| a == b).count();
    let mut found: Vec<&Path> =
        scalars.iter().filter(|(path, values)| header(path, values)).map(|(path, _)| path).collect();
    if found.is_empty() {
        found = scalars.keys().filter(|path| named(path)).min_by_key(|path| path.0.len()).into_iter().collect();
    }
    found.sort_by_key(|path| (std::cmp::Reverse(shared(path)), path.0.len()));
    found.into_iter().take(PLACES).cloned().collect()
}

/// What else names a server or a client, where it is the same for several exchanges.
fn key(scalars: &Scalars<'_>) -> Option<Path> {
    let few = |values: &[&Value]| {
        let mut all: Vec<String> = values.iter().map(|value| value.to_string()).collect();
        all.sort_unstable();
        all.dedup();
        all.len() == 1 || all.len() * 2 <= values.len()
    };
    let ranked = scalars.iter().filter_map(|(path, values)| match words::meaning(&path.plain_key()) {
        Some((Meaning::Connection, rank)) if few(values) => Some(((path.0.len(), rank), path)),
        _ => None,
    });
    ranked.min_by_key(|(rank, _)| *rank).map(|(_, path)| path.clone())
}

/// The string of a value, without its quotes.
pub(super) fn text_of(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => unquoted(&other.to_string()).to_string(),
    }
}
