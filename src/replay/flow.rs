//! Values that flow from a message of the server into a later one of the client: where they did in the recording,
//! and what stands there now.

use std::borrow::Cow;
use std::collections::HashMap;

use super::options::FlowRule;
use super::recording::{Connection, EventKind, Exchange};
use super::splice;
use crate::protocol::{Back, Flow, Side};
use crate::replay::compare::tree;

/// Members of `params` in which a request that is sent again differs from the first.
const OF_A_TRY: &[&str] = &["_meta", "inputResponses", "requestState"];

/// One value that flowed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// Place of the event that uses it.
    pub event: usize,
    /// The exchange that this event asks or answers, where it does.
    pub exchange: Option<usize>,
    /// Where the event uses it.
    pub to_at: String,
    /// The exchange it comes from: from its answer if the client asked, from the request itself if the server did.
    pub producer: usize,
    /// Where it stood there in the recording.
    pub from_at: String,
    /// The same with `*` for the member of a list, where it stood in one.
    pub glob: String,
    /// The member beside it that tells which member of the list is meant.
    pub key: Option<String>,
    /// The recorded value, as it stood in the message that uses it.
    pub recorded: String,
    /// True if it is never shown.
    pub opaque: bool,
}

/// What a producer has for a consumer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Carried {
    /// The recorded value is good: nothing is put in its place.
    Recorded,
    /// This one is put in its place, and it stands here.
    Live(String, String),
    /// There is none.
    Missing,
}

impl Link {
    /// Looks for the value in the live text of the producer.
    pub fn find(&self, recorded: &str, live: &str) -> Carried {
        if !self.glob.contains('*') {
            return match splice::along(live, &self.from_at) {
                Some(value) if value != "null" => Carried::Live(value.into_owned(), self.from_at.clone()),
                Some(_) | None => Carried::Missing,
            };
        }
        let all = splice::each(live, &self.glob);
        if all.iter().any(|(_, range)| tree::same(&live[range.clone()], &self.recorded)) {
            return Carried::Recorded;
        }
        let beside = |text: &str, pointer: &str| {
            let list = pointer.rsplit_once('/').map_or("", |(list, _)| list);
            let key = self.key.as_deref()?;
            splice::at(text, &format!("{list}/{key}")).map(str::to_string)
        };
        let wanted = beside(recorded, &self.from_at);
        let found = match &wanted {
            Some(wanted) => {
                all.iter().find(|(pointer, _)| beside(live, pointer).is_some_and(|name| tree::same(&name, wanted)))
            }
            // Without a name the place tells, if the lists are of one length.
            None if all.len() == splice::each(recorded, &self.glob).len() => {
                all.iter().find(|(pointer, _)| *pointer == self.from_at)
            }
            None => None,
        };
        match found {
            Some((pointer, range)) => Carried::Live(live[range.clone()].to_string(), pointer.clone()),
            None => Carried::Missing,
        }
    }
}

/// The text of an exchange that values flow from: the answer to the client, or the request of the server.
pub(crate) fn source<'a>(connection: &'a Connection, exchange: &Exchange) -> Option<(usize, &'a str)> {
    let event = match exchange.issuer {
        Side::Client => exchange.response?,
        Side::Server => exchange.request,
    };
    Some((event, &connection.events[event].text))
}

/// All links of a recording, in the order of the events that use them. A user's rule wins over a built-in one.
pub(crate) fn links(connection: &Connection, rules: &[FlowRule]) -> Vec<Link> {
    let flows = connection.profile.flows();
    let mut given = Given::default();
    let mut found: Vec<Link> = Vec::new();
    for (at, event) in connection.events.iter().enumerate() {
        match event.side {
            Some(Side::Server) => given.note(connection, at, flows),
            Some(Side::Client) if !event.text.is_empty() && !matches!(event.what, EventKind::Batch(_)) => {
                let first = found.len();
                let exchange = match event.what {
                    EventKind::Request(exchange) | EventKind::Response(Some(exchange)) => Some(exchange),
                    _ => None,
                };
                found.extend(rules.iter().filter_map(|rule| by_rule(connection, at, exchange, rule)));
                if matches!(event.what, EventKind::Response(_)) {
                    continue;
                }
                let method = match exchange {
                    Some(exchange) => Some(Cow::Borrowed(connection.exchanges[exchange].method.as_str())),
                    None => super::message::method(&event.text).map(Cow::Owned),
                };
                for (nth, flow) in flows.iter().enumerate() {
                    let used = method.as_ref().is_some_and(|method| flow.to.is_empty() || flow.to.contains(&&**method));
                    if used && !found[first..].iter().any(|link| link.to_at == flow.to_at) {
                        found.extend(given.link(connection, at, exchange, (nth, flow)));
                    }
                }
            }
            Some(Side::Client) | None => {}
        }
    }
    found
}

/// The links that end in an event, of links in the order of their events.
pub(crate) fn ending_in(links: &[Link], event: usize) -> &[Link] {
    let from = links.partition_point(|link| link.event < event);
    let to = links.partition_point(|link| link.event <= event);
    &links[from..to]
}

/// What the server has given so far, by flow and value: the exchanges that gave it, in order.
#[derive(Default)]
struct Given(HashMap<(usize, String), Vec<Giver>>);

/// An exchange that gave a value.
struct Giver {
    exchange: usize,
    /// Where it stands in its text.
    at: String,
    /// True if a request has taken it up.
    is_taken: bool,
}

impl Given {
    fn note(&mut self, connection: &Connection, at: usize, flows: &[Flow]) {
        let (EventKind::Response(Some(place)) | EventKind::Request(place)) = connection.events[at].what else { return };
        let exchange = &connection.exchanges[place];
        let Some((_, text)) = source(connection, exchange).filter(|(event, _)| *event == at) else { return };
        for (nth, flow) in flows.iter().enumerate() {
            let of_server = flow.from_at.starts_with("/params");
            let asked = flow.from.is_empty() || flow.from.contains(&exchange.method.as_str());
            if !asked || of_server != (exchange.issuer == Side::Server) {
                continue;
            }
            for (at, range) in splice::each(text, flow.from_at) {
                let givers = self.0.entry((nth, tree::canonical(&text[range], &[]))).or_default();
                givers.push(Giver { exchange: place, at, is_taken: false });
            }
        }
    }

    fn link(
        &mut self,
        connection: &Connection,
        event: usize,
        exchange: Option<usize>,
        flow: (usize, &Flow),
    ) -> Option<Link> {
        let (nth, flow) = flow;
        let recorded = splice::at(&connection.events[event].text, flow.to_at).filter(|value| !trivial(value))?;
        let givers = self.0.get_mut(&(nth, tree::canonical(recorded, &[])))?;
        let giver = giver(connection, givers, exchange, flow.back)?;
        giver.is_taken = true;
        Some(Link {
            event,
            exchange,
            to_at: flow.to_at.to_string(),
            producer: giver.exchange,
            from_at: giver.at.clone(),
            glob: flow.from_at.to_string(),
            key: flow.key.map(str::to_string),
            recorded: recorded.to_string(),
            opaque: flow.opaque,
        })
    }
}

/// The one of several that gave the same value from which an exchange has it: of those that fit, the last.
fn giver<'g>(
    connection: &Connection,
    givers: &'g mut [Giver],
    exchange: Option<usize>,
    back: Back,
) -> Option<&'g mut Giver> {
    let to = exchange.map(|exchange| &connection.exchanges[exchange]);
    let from = |giver: &Giver| &connection.exchanges[giver.exchange];
    match (back, to) {
        (Back::SameMethod, Some(to)) => givers.iter_mut().rfind(|giver| from(giver).method == to.method),
        (Back::SameRequest, Some(to)) => {
            givers.iter_mut().max_by_key(|giver| (alike(connection, from(giver), to), !giver.is_taken))
        }
        (Back::Any, _) | (_, None) => givers.last_mut(),
    }
}

/// How much one request looks like another one sent again: not at all, by method and name, by its arguments too.
fn alike(connection: &Connection, one: &Exchange, other: &Exchange) -> u8 {
    let arguments = |exchange| {
        let params = splice::at(connection.request(exchange), "/params");
        params.map(|params| tree::canonical(params, OF_A_TRY))
    };
    match (one.issuer, &one.method, &one.name) == (other.issuer, &other.method, &other.name) {
        false => 0,
        true => 1 + u8::from(arguments(one) == arguments(other)),
    }
}

/// True if a user means this exchange: by method, by tool, or by both.
fn is(exchange: &Exchange, name: &str) -> bool {
    exchange.name.as_deref() == Some(name) || super::policy::fits(name, exchange)
}

/// The producers before an event, the nearest first.
fn before(connection: &Connection, at: usize) -> impl Iterator<Item = (usize, &Exchange, &str)> {
    let all = connection.exchanges.iter().enumerate().rev();
    all.filter_map(move |(place, exchange)| {
        let (event, text) = source(connection, exchange)?;
        (event < at).then_some((place, exchange, text))
    })
}

/// A user's rule holds even where the recorded values differ: it was said in so many words. The same value is preferred.
fn by_rule(connection: &Connection, at: usize, exchange: Option<usize>, rule: &FlowRule) -> Option<Link> {
    let named = exchange.map(|exchange| &connection.exchanges[exchange])?;
    let event = &connection.events[at];
    if named.issuer != Side::Client || matches!(event.what, EventKind::Response(_)) || !is(named, &rule.to) {
        return None;
    }
    let recorded = splice::at(&event.text, &rule.to_at)?;
    let producers: Vec<(usize, Cow<'_, str>)> = before(connection, at)
        .filter(|(_, asked, _)| asked.issuer == Side::Client && is(asked, &rule.from))
        .filter_map(|(producer, _, source)| Some((producer, splice::along(source, &rule.from_at)?)))
        .collect();
    let same = producers.iter().find(|(_, value)| tree::same(value, recorded));
    let (producer, _) = same.or(producers.first())?;
    Some(Link {
        event: at,
        exchange,
        to_at: rule.to_at.clone(),
        producer: *producer,
        from_at: rule.from_at.clone(),
        glob: rule.from_at.clone(),
        key: None,
        recorded: recorded.to_string(),
        opaque: false,
    })
}

/// A user's rules that carry nothing in any of these: a misspelt pointer would send what was recorded, and nobody would know.
pub(crate) fn unused<'r>(connections: &'r [Connection], rules: &'r [FlowRule]) -> impl Iterator<Item = &'r FlowRule> {
    let carries = |connection: &Connection, rule: &FlowRule| {
        let mut asked = connection.exchanges.iter().enumerate();
        asked.any(|(place, exchange)| by_rule(connection, exchange.request, Some(place), rule).is_some())
    };
    rules.iter().filter(move |rule| !connections.iter().any(|connection| carries(connection, rule)))
}

fn trivial(value: &str) -> bool {
    matches!(value, "null" | "\"\"" | "{}" | "[]" | "true" | "false")
}

/// Which exchange each one retries: by the state that it carries, else by method, name and the keys of its answers; of several that
/// fit, the one with its arguments.
/// Where neither tells, it is a request of its own: a wrong link is worse than none.
pub(crate) fn continues(connection: &Connection, links: &[Link]) -> Vec<Option<usize>> {
    let mut found = vec![None; connection.exchanges.len()];
    let Some((asked_at, answered_at, state_at)) = connection.profile.inputs() else { return found };
    for (place, exchange) in connection.exchanges.iter().enumerate() {
        if exchange.issuer != Side::Client {
            continue;
        }
        let by_state = links.iter().find(|link| link.exchange == Some(place) && link.to_at == state_at);
        if let Some(link) = by_state {
            found[place] = Some(link.producer);
            continue;
        }
        let request = connection.request(exchange);
        let Some(answers) = splice::at(request, answered_at).filter(|_| splice::at(request, state_at).is_none()) else {
            continue;
        };
        let given = keys(answers);
        let asks = |source| splice::at(source, asked_at).is_some_and(|inputs| keys(inputs) == given);
        let earlier = before(connection, exchange.request)
            .filter(|(earlier, _, source)| !found.contains(&Some(*earlier)) && asks(source))
            .map(|(earlier, asked, _)| (alike(connection, asked, exchange), earlier))
            .filter(|(alike, _)| *alike > 0);
        found[place] = earlier.max().map(|(_, earlier)| earlier);
    }
    found
}

fn keys(object: &str) -> Vec<String> {
    let mut keys: Vec<String> = splice::members(object).into_iter().map(|(key, _)| key.into_owned()).collect();
    keys.sort();
    keys
}
