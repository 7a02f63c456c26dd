//! Learning where records keep the two bodies and what stands beside them, from a few examples.
//!
//! A record tells an exchange if it holds a request and its response at two places: the ids prove it. All else is told by the
//! words of keys and the looks of values, and left out where it does not add up.

use rustc_hash::FxHashSet;
use serde_json::Value;

use super::body::{headers_of, http_head, part};
use super::layout::{Layout, Slot, Unit};
use super::learn_beside::{beside, is_http};
use super::learn_bodies::Bodies;
use super::learn_key::opened_apart;
use super::learn_order::Asked;
use super::learn_times::{Timed, times};
use super::opened::open;
use super::path::{Path, Tree};
use super::scalars::{Leaves, Scalars, read_record};
use super::told::Told;
use crate::capture::Vantage;
use crate::capture::events::is_event_stream;

/// How many records are looked at.
pub(super) const EXAMPLES: usize = 100;

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

/// Learns from records, each the text of a JSON object.
pub(super) fn learn<'t>(texts: impl Iterator<Item = &'t str>) -> Option<Learned> {
    let (mut values, mut examined): (Vec<Value>, usize) = (Vec::new(), 0);
    let mut seen = FxHashSet::default();
    // What was delivered twice would overlap with itself.
    for text in texts.filter(|text| seen.insert(*text)) {
        examined += 1;
        if text.starts_with('{') && plausible(text) {
            // Lines of a list that lacks its brackets end in a comma.
            let text = text.trim_end().trim_end_matches(',');
            values.extend(read_record(text).filter(Value::is_object));
        }
        if values.len() == EXAMPLES {
            break;
        }
    }
    let mut learned = learn_values(&values).or_else(|| {
        let opened = Some(open(&mut values)).filter(|opened| !opened.is_empty())?;
        let mut learned = learn_values(&values)?;
        // A string that holds all of an exchange is a record within a record of a log, which is another's to open.
        let within = |slot, string: &Path| learned.layout.paths(slot).any(|path| path.0.starts_with(&string.0));
        let whole = |string| within(Slot::Request, string) && within(Slot::Response, string);
        if opened.iter().any(whole) {
            return None;
        }
        learned.layout.opened = opened;
        Some(learned)
    })?;
    learned.examined = examined;
    Some(learned)
}

/// Learns from the values of records.
fn learn_values(values: &[Value]) -> Option<Learned> {
    let mut bodies = Bodies::default();
    values.iter().for_each(|value| bodies.record(value));
    let (requests, responses) = bodies.places(values)?;
    let mut scalars = Scalars::new();
    let taken: Vec<&Path> = requests.iter().chain(&responses).collect();
    for value in values {
        Leaves { taken: &taken, request: &requests[0], found: &mut scalars }.walk(value, &mut Vec::new());
    }
    let mut beside = beside(&scalars, &requests, &responses);
    let tells = |slot| beside.iter().any(|(known, _): &(Slot, Path)| *known == slot);
    if !tells(Slot::Session) && !tells(Slot::Key) {
        beside.extend(opened_apart(values, &taken, &requests[0]).map(|path| (Slot::Key, path)));
    }
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
    let Timed { places: timed, unit, certain } =
        times(&scalars, &requests[0], responses.first(), || Asked::of(values, &requests[0]));
    places.extend(timed);
    let mut layout = Layout::new(places, unit, Vantage::Proxy);
    layout.certain = certain;
    layout.marks = marks(values, &taken);
    Some(Learned { layout, examined: values.len(), hits: bodies.hits, bodies: names })
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
    let tree = Tree::new(given.iter().map(|(_, path)| (path, false)));
    let (mut seen, mut hits) = (vec![false; given.len()], 0);
    for text in texts.iter().filter(|text| text.starts_with('{')).take(EXAMPLES) {
        for row in tree.found(text, given.len(), &mut Vec::new()).rows() {
            let value = |at: usize| row[at].filter(|(raw, _)| !matches!(*raw, "null" | "\"\""));
            (0..given.len()).for_each(|at| seen[at] |= value(at).is_some());
            let bodies = (0..given.len()).filter(|at| matches!(given[*at].0, Slot::Request | Slot::Response));
            let holds = |raw: &str| {
                part(raw, 0, false, None).text().is_some_and(|text| Told::of(text).is_traffic || is_event_stream(text))
            };
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
    layout.opened = learned.layout.opened;
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

/// Keys that every example with a body has at its top, beside those that lead to bodies: other lines of the log have some of them, too.
fn marks(values: &[Value], bodies: &[&Path]) -> Vec<Box<str>> {
    let leads = |key: &str| bodies.iter().any(|path| *path.0[0] == *key);
    let has_body = |value: &&Value| bodies.iter().any(|path| value.get(&*path.0[0]).is_some_and(|top| !top.is_null()));
    let with_body: Vec<&Value> = values.iter().filter(has_body).collect();
    let Some(first) = with_body.first().and_then(|first| first.as_object()) else { return Vec::new() };
    let everywhere = |key: &&String| with_body.iter().all(|value| value.get(key.as_str()).is_some());
    first.keys().filter(|key| !leads(key)).filter(everywhere).map(|key| key.as_str().into()).collect()
}
