//! Values that flow from a message of the server into a later one of the client (R-DF): where they did in the recording,
//! and what stands there now.

use std::borrow::Cow;

use super::options::FlowRule;
use super::recording::{Connection, Exchange, What};
use super::splice;
use crate::protocol::{Flow, Side};

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
pub enum Found {
    /// The recorded value is good: nothing is put in its place.
    Recorded,
    /// This one is put in its place, and it stands here.
    Live(String, String),
    /// There is none.
    Missing,
}

impl Link {
    /// Looks for the value in the live text of the producer.
    pub fn find(&self, recorded: &str, live: &str) -> Found {
        if !self.glob.contains('*') {
            return match splice::at(live, &self.from_at) {
                Some("null") | None => Found::Missing,
                Some(value) => Found::Live(value.to_string(), self.from_at.clone()),
            };
        }
        let all = splice::each(live, &self.glob);
        if all.iter().any(|(_, range)| splice::same(&live[range.clone()], &self.recorded)) {
            return Found::Recorded;
        }
        let beside = |text: &str, pointer: &str| {
            let list = pointer.rsplit_once('/').map_or("", |(list, _)| list);
            let key = self.key.as_deref()?;
            splice::at(text, &format!("{list}/{key}")).map(str::to_string)
        };
        let wanted = beside(recorded, &self.from_at);
        let found = match &wanted {
            Some(wanted) => {
                all.iter().find(|(pointer, _)| beside(live, pointer).is_some_and(|name| splice::same(&name, wanted)))
            }
            // Without a name the place tells, if the lists are of one length.
            None if all.len() == splice::each(recorded, &self.glob).len() => {
                all.iter().find(|(pointer, _)| *pointer == self.from_at)
            }
            None => None,
        };
        match found {
            Some((pointer, range)) => Found::Live(live[range.clone()].to_string(), pointer.clone()),
            None => Found::Missing,
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
    let mut found = Vec::new();
    for (at, event) in connection.events.iter().enumerate() {
        if event.side != Some(Side::Client) || event.text.is_empty() || matches!(event.what, What::Batch(_)) {
            continue;
        }
        let exchange = match event.what {
            What::Request(exchange) | What::Response(Some(exchange)) => Some(exchange),
            _ => None,
        };
        let named = exchange.map(|exchange| &connection.exchanges[exchange]);
        for rule in rules {
            if named.is_some_and(|named| named.issuer == Side::Client && is(named, &rule.to)) {
                found.extend(by_rule(connection, at, exchange, rule));
            }
        }
        let method = match named {
            Some(named) => Some(Cow::Borrowed(named.method.as_str())),
            None => super::message::method(&event.text).map(Cow::Owned),
        };
        let Some(method) = method.filter(|_| !matches!(event.what, What::Response(_))) else { continue };
        for flow in connection.profile.flows() {
            if !flow.to.is_empty() && !flow.to.contains(&&*method) {
                continue;
            }
            let link = built_in(connection, at, exchange, flow);
            found.extend(
                link.filter(|link| !found.iter().any(|other: &Link| other.event == at && other.to_at == link.to_at)),
            );
        }
    }
    found
}

/// True if a user means this exchange: by method, by tool, or by both.
fn is(exchange: &Exchange, name: &str) -> bool {
    exchange.name.as_deref() == Some(name) || super::policy::fits(name, exchange)
}

/// The producers before an event, the nearest first.
fn before<'a>(connection: &'a Connection, at: usize) -> impl Iterator<Item = (usize, &'a Exchange, &'a str)> {
    let all = connection.exchanges.iter().enumerate().rev();
    all.filter_map(move |(place, exchange)| {
        let (event, text) = source(connection, exchange)?;
        (event < at).then_some((place, exchange, text))
    })
}

fn built_in(connection: &Connection, at: usize, exchange: Option<usize>, flow: &Flow) -> Option<Link> {
    let text = &connection.events[at].text;
    let recorded = splice::at(text, flow.to_at).filter(|value| !trivial(value))?;
    let of_server = flow.from_at.starts_with("/params");
    before(connection, at).find_map(|(producer, asked, source)| {
        let fits = (asked.issuer == Side::Server) == of_server
            && (flow.from.is_empty() || flow.from.contains(&asked.method.as_str()));
        if !fits {
            return None;
        }
        let all = splice::each(source, flow.from_at);
        let (from_at, _) = all.into_iter().find(|(_, range)| splice::same(&source[range.clone()], recorded))?;
        Some(Link {
            event: at,
            exchange,
            to_at: flow.to_at.to_string(),
            producer,
            from_at,
            glob: flow.from_at.to_string(),
            key: flow.key.map(str::to_string),
            recorded: recorded.to_string(),
            opaque: flow.opaque,
        })
    })
}

/// A user's rule holds even where the recorded values differ: it was said in so many words. The same value is preferred.
fn by_rule(connection: &Connection, at: usize, exchange: Option<usize>, rule: &FlowRule) -> Option<Link> {
    let recorded = splice::at(&connection.events[at].text, &rule.to_at)?;
    let producers: Vec<(usize, &str)> = before(connection, at)
        .filter(|(_, asked, _)| asked.issuer == Side::Client && is(asked, &rule.from))
        .filter_map(|(producer, _, source)| Some((producer, splice::at(source, &rule.from_at)?)))
        .collect();
    let same = producers.iter().find(|(_, value)| splice::same(value, recorded));
    let (producer, _) = *same.or(producers.first())?;
    Some(Link {
        event: at,
        exchange,
        to_at: rule.to_at.clone(),
        producer,
        from_at: rule.from_at.clone(),
        glob: rule.from_at.clone(),
        key: None,
        recorded: recorded.to_string(),
        opaque: false,
    })
}

fn trivial(value: &str) -> bool {
    matches!(value, "null" | "\"\"" | "{}" | "[]" | "true" | "false")
}

/// Which exchange each one retries (R-SRV-5): by the state that it carries, else by method, name and the keys of its answers.
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
        found[place] = before(connection, exchange.request)
            .find(|(earlier, asked, source)| {
                asked.issuer == Side::Client
                    && asked.method == exchange.method
                    && asked.name == exchange.name
                    && !found.contains(&Some(*earlier))
                    && splice::at(source, asked_at).is_some_and(|inputs| keys(inputs) == given)
            })
            .map(|(earlier, _, _)| earlier);
    }
    found
}

fn keys(object: &str) -> Vec<String> {
    let mut keys: Vec<String> = splice::members(object).into_iter().map(|(key, _)| key.into_owned()).collect();
    keys.sort();
    keys
}
