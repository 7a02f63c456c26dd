//! Two recordings of the same session: the second is read as if it were a run of the first, and judged as one.
//!
//! Exchanges are matched by what was asked, never by id. A value that a client took from an answer and used in a later request may differ
//! where both recordings show that flow.

use std::collections::HashMap;

use super::About;
use super::answer::effective_cancel;
use super::run::{self, Sides};
use crate::protocol::Side;
use crate::replay::compare::{Node, PathStep, Tree, TreePath, same_scalar};
use crate::replay::message;
use crate::replay::options::Options;
use crate::replay::recording::{Connection, Event, EventKind, Exchange, Recording};
use crate::replay::run::{
    Anchor, CancelRun, CancelStatus, ExchangeRun, ExitRun, Extra, Fate, Refused, RunLog, Substituted,
};
use crate::replay::verdict::RunReport;

/// A request of the second recording counts as stuck only where that one goes on for this long.
const LEAST_WATCH_US: i64 = 1_000_000;
/// With more connections than this, they are matched by order alone.
const MATCHED_BY_CONTENT: usize = 64;
/// Values that flow are at least so long, or so large: shorter ones are equal by chance.
const TELLING: usize = 8;

/// Compares two recordings.
pub fn diff(a: &Recording, b: &Recording, options: &Options) -> RunReport {
    let partners = partners(a, b);
    let (mut logs, mut pairs, mut asked_anew) = (Vec::new(), Vec::new(), Vec::new());
    for (index, (connection, partner)) in a.connections.iter().zip(&partners).enumerate() {
        let Some(other) = partner.map(|place| &b.connections[place]) else {
            let missing = ExchangeRun { fate: Fate::Missing, ..ExchangeRun::default() };
            let notes = vec![format!("connection {} is only in the first recording", connection.key)];
            logs.push(RunLog { exchanges: vec![missing; connection.exchanges.len()], notes, ..RunLog::default() });
            pairs.push((None, vec![None; connection.exchanges.len()]));
            continue;
        };
        let matched = matched(connection, other);
        let taken: std::collections::HashSet<usize> = matched.iter().flatten().copied().collect();
        let left = other.exchanges.iter().enumerate().filter(|(place, _)| !taken.contains(place)).map(|(_, it)| it);
        let left = left.filter(|exchange| !is_witness(other, exchange));
        let (anew, extra): (Vec<&Exchange>, Vec<&Exchange>) = left.partition(|it| it.issuer == Side::Client);
        asked_anew.extend(anew.into_iter().map(|exchange| (index, exchange)));
        let mut log = observed(connection, other, &matched, options);
        log.extras = extra.into_iter().map(|exchange| self::extra(other, exchange)).collect();
        logs.push(log);
        pairs.push((*partner, matched));
    }
    let beyond = (0..b.connections.len()).filter(|place| !partners.contains(&Some(*place)));
    for (nth, place) in beyond.enumerate() {
        let client = b.connections[place].exchanges.iter().filter(|it| it.issuer == Side::Client);
        asked_anew.extend(client.map(|exchange| (a.connections.len() + nth, exchange)));
    }
    let sides = Sides { recorded: a, live: b, logs: &logs, pairs, asked_anew, is_diff: true };
    run::report(&sides, options, &About { target: b.name.clone(), ..About::default() })
}

/// True for the witness that a replay sent right behind a cancel: it asks for what nobody asked in the recording, under an id of its own.
fn is_witness(connection: &Connection, exchange: &Exchange) -> bool {
    let cancels = |event: &Event| matches!(event.what, EventKind::Cancel(_)) && event.side == Some(Side::Client);
    let before = connection.events[..exchange.request].iter().rev().find(|event| event.side == Some(Side::Client));
    let text = format!(r#"{{"jsonrpc":"2.0","id":{},{}}}"#, exchange.rpc_id, connection.profile.witness());
    let minted =
        exchange.rpc_id.starts_with("\"rpctape-") || exchange.rpc_id.parse().is_ok_and(|id: u64| id > 1_000_000);
    minted && before.is_some_and(cancels) && connection.request(exchange) == text
}

/// Which connection of `b` each one of `a` is: the one that asks most of the same, the earlier one where several do.
fn partners(a: &Recording, b: &Recording) -> Vec<Option<usize>> {
    let (many, left) = (a.connections.len().max(b.connections.len()), b.connections.len());
    if many > MATCHED_BY_CONTENT {
        return (0..a.connections.len()).map(|place| (place < left).then_some(place)).collect();
    }
    let asked = |connection: &Connection| -> Vec<String> {
        connection.exchanges.iter().map(|it| key(connection, it, false)).collect()
    };
    let wanted: Vec<Vec<String>> = b.connections.iter().map(asked).collect();
    let mut free: Vec<usize> = (0..left).collect();
    let choose = |connection: &Connection| {
        let own = asked(connection);
        let common = |place: usize| {
            let mut rest: HashMap<&String, usize> = HashMap::new();
            wanted[place].iter().for_each(|key| *rest.entry(key).or_default() += 1);
            own.iter().filter(|key| rest.get_mut(key).filter(|n| **n > 0).map(|n| *n -= 1).is_some()).count()
        };
        let best = free.iter().enumerate().max_by_key(|(at, place)| (common(**place), std::cmp::Reverse(*at)));
        let at = best.map(|(at, _)| at)?;
        Some(free.remove(at))
    };
    a.connections.iter().map(choose).collect()
}

/// What a request asks: method and name, and with `params` what it says.
fn key(connection: &Connection, exchange: &Exchange, params: bool) -> String {
    let name = exchange.name.as_deref().unwrap_or("");
    let head = format!("{}\n{}\n{name}", exchange.issuer.as_str(), exchange.method);
    let tree = Tree::read(connection.request(exchange)).filter(|_| params);
    match tree.as_ref().and_then(|tree| tree.member("params")) {
        Some(params) => format!("{head}\n{}", params.canonical(&["_meta"])),
        None => head,
    }
}

/// For each exchange of `a` its partner in `b`: first those that ask the same, then by method and name, each in order.
pub(super) fn matched(a: &Connection, b: &Connection) -> Vec<Option<usize>> {
    let mut found = vec![None; a.exchanges.len()];
    let mut taken = vec![false; b.exchanges.len()];
    for params in [true, false] {
        let mut places: HashMap<String, Vec<usize>> = HashMap::new();
        for (place, exchange) in b.exchanges.iter().enumerate().rev().filter(|(place, _)| !taken[*place]) {
            places.entry(key(b, exchange, params)).or_default().push(place);
        }
        for (place, exchange) in a.exchanges.iter().enumerate() {
            if found[place].is_none() {
                found[place] = places.get_mut(&key(a, exchange, params)).and_then(Vec::pop);
            }
        }
        found.iter().flatten().for_each(|place| taken[*place] = true);
    }
    found
}

/// The second recording as the log of a run.
pub(super) fn observed(a: &Connection, b: &Connection, pairs: &[Option<usize>], options: &Options) -> RunLog {
    let times = || b.events.iter().filter_map(|event| event.at_us);
    let (start, end) = (times().min().unwrap_or(0), times().max().unwrap_or(0));
    // A server that was left ended because of that, and was not watched any longer.
    let left = b.left_at();
    let watched_until = left.and_then(|left| b.events[left].at_us).unwrap_or(end);
    let unasked = b.events.iter().take(left.unwrap_or(usize::MAX));
    let exit = unasked.rev().find_map(|event| match event.what {
        EventKind::Exit(code) => Some((code, event.at_us.unwrap_or(end) - start)),
        _ => None,
    });
    let statuses = b.statuses();
    let mut log = RunLog { ended_us: end - start, refused: refused(a, b, &statuses), ..RunLog::default() };
    for (own, pair) in a.exchanges.iter().zip(pairs) {
        let Some(twin) = pair.map(|place| &b.exchanges[place]) else {
            log.exchanges.push(ExchangeRun { fate: Fate::Missing, ..ExchangeRun::default() });
            continue;
        };
        let at = |event: usize| b.events[event].at_us.map(|at| at - start);
        let sent_us = at(twin.request);
        let text = match twin.issuer {
            Side::Client => b.response(twin).map(str::to_string),
            Side::Server => Some(b.request(twin).to_string()),
        };
        let open = twin.response.is_none() && own.response.is_some() && own.issuer == Side::Client;
        let watched_us = sent_us.map(|sent| (watched_until - start - sent).max(0)).filter(|_| twin.response.is_none());
        let patience =
            own.latency_us.map_or(0, |us| (us as f64 * options.life.stuck_factor) as i64).max(LEAST_WATCH_US);
        let stuck = open && watched_us.is_some_and(|watched| watched >= patience);
        log.exchanges.push(ExchangeRun {
            fate: Fate::Sent,
            live_id: Some(twin.rpc_id.clone()),
            sent_us,
            answered_us: twin.response.and_then(at),
            text,
            notifications: (own.progress.len() as u32, twin.progress.len() as u32),
            cancel: cancel((a, own), (b, twin), (start, end), &log.refused),
            stuck_us: stuck.then_some(watched_until - start),
            watched_us,
            http_status: b.events[twin.request].stream.and_then(|stream| statuses.get(&stream)).copied(),
            peer_gone: open && exit.is_some() && effective_cancel(twin).is_none(),
            ..ExchangeRun::default()
        });
    }
    let lost = log.exchanges.iter().any(|run| run.peer_gone);
    log.exit = exit.filter(|_| lost).map(|(code, at_us)| ExitRun {
        code: code.and_then(|code| i32::try_from(code).ok()),
        at_us,
        unasked: true,
        ..ExitRun::default()
    });
    flows(a, b, pairs, &mut log);
    log
}

/// Messages without an answer that the second server refused, and the first did not. The nth of a method is the nth of it.
fn refused(a: &Connection, b: &Connection, statuses: &HashMap<u32, u16>) -> Vec<Refused> {
    let mut told: HashMap<String, Vec<Option<u16>>> = HashMap::new();
    for event in b.events.iter().rev().filter(|event| is_told(event)) {
        let status = event.stream.and_then(|stream| statuses.get(&stream)).copied();
        told.entry(message::method(&event.text).unwrap_or_default()).or_default().push(status);
    }
    let before = a.statuses();
    let own = a.events.iter().enumerate().filter(|(_, event)| is_told(event));
    let refused = own.filter_map(|(place, event)| {
        let status = told.get_mut(&message::method(&event.text)?)?.pop()??;
        let recorded = event.stream.and_then(|stream| before.get(&stream)).copied();
        Refused::is(recorded, status).then_some(Refused { event: place, status: Some(status), recorded })
    });
    refused.collect()
}

/// True for a notification of the client.
fn is_told(event: &Event) -> bool {
    event.side == Some(Side::Client)
        && !event.text.is_empty()
        && matches!(event.what, EventKind::Notification | EventKind::Progress(_) | EventKind::Cancel(_))
}

/// The cancel of an exchange, where either recording has one.
fn cancel(
    (a, own): (&Connection, &Exchange),
    (b, twin): (&Connection, &Exchange),
    (start, end): (i64, i64),
    refused: &[Refused],
) -> Option<CancelRun> {
    let recorded = effective_cancel(own);
    let live = effective_cancel(twin);
    recorded.or(live)?;
    let status = match (live, twin.cancels.first()) {
        (Some(_), _) => CancelStatus::Landed,
        (None, Some(_)) => CancelStatus::Raced,
        (None, None) => CancelStatus::NotSent,
    };
    let place = live.or(twin.cancels.first().copied());
    let is_refused = recorded.is_some_and(|cancel| refused.iter().any(|it| it.event == cancel));
    let status = if is_refused && status == CancelStatus::Landed { CancelStatus::Refused } else { status };
    let sent = place.and_then(|place| b.events[place].at_us);
    let nth = recorded.map_or(0, |cancel| own.progress.iter().filter(|progress| **progress < cancel).count() as u32);
    let after = live.map_or(0, |cancel| twin.progress.iter().filter(|progress| **progress > cancel).count() as u32);
    Some(CancelRun {
        status,
        anchor: if nth > 0 && a.profile.progress.is_some() { Anchor::Progress } else { Anchor::Elapsed },
        nth,
        anchor_missed: false,
        sent_us: sent.map(|at| at - start),
        horizon_us: sent.map_or(0, |at| end - at),
        cut_short: false,
        harness_made: false,
        progress_after: (after, None),
    })
}

fn extra(connection: &Connection, exchange: &Exchange) -> Extra {
    let answered = connection.response(exchange).map(|text| super::answer::Answer::read(text).words());
    Extra {
        request: true,
        method: exchange.method.clone(),
        rpc_id: Some(exchange.rpc_id.clone()),
        count: 1,
        at_us: 0,
        answered,
    }
}

/// A scalar that differs between two messages: its place, and both values.
type Leaf = (String, String, String);

/// Values that differ in an answer, and in a later request in the same way: the client passed on what it was given.
fn flows(a: &Connection, b: &Connection, pairs: &[Option<usize>], log: &mut RunLog) {
    let both = |place: usize| Some((&a.exchanges[place], &b.exchanges[pairs[place]?]));
    let mut used: HashMap<(String, String), Vec<(usize, String)>> = HashMap::new();
    for place in 0..a.exchanges.len() {
        let Some((own, twin)) = both(place).filter(|(own, _)| own.issuer == Side::Client) else { continue };
        for (at, old, new) in leaves(a.request(own), b.request(twin), "params") {
            used.entry((old, new)).or_default().push((place, at));
        }
    }
    if used.is_empty() {
        return;
    }
    for place in 0..a.exchanges.len() {
        let Some((own, twin)) = both(place).filter(|(own, _)| own.issuer == Side::Client) else { continue };
        let (Some(answer), Some(recorded), Some(live)) = (own.response, a.response(own), b.response(twin)) else {
            continue;
        };
        for (from_at, old, new) in leaves(recorded, live, "result") {
            let Some(users) = used.get_mut(&(old.clone(), new.clone())).filter(|_| tells(&old)) else { continue };
            // The first answer that has a value is the one that later requests took it from.
            users.retain(|(user, at)| {
                if a.exchanges[*user].request < answer {
                    return true;
                }
                log.exchanges[*user].substituted.push(Substituted {
                    at: at.clone(),
                    from: own.label(),
                    from_at: from_at.clone(),
                    values: Some((old.clone(), new.clone())),
                    hidden: None,
                });
                if !log.exchanges[place].captured.contains(&from_at) {
                    log.exchanges[place].captured.push(from_at.clone());
                }
                false
            });
        }
    }
}

/// True for a value that does not turn up twice by chance.
fn tells(value: &str) -> bool {
    match value.strip_prefix('"') {
        Some(text) => text.len() > TELLING && text.contains(|c: char| c.is_ascii_digit()),
        None => value.len() >= 5,
    }
}

/// Scalars that stand at the same place in a member of both messages and differ.
fn leaves(a: &str, b: &str, member: &str) -> Vec<Leaf> {
    fn walk(a: &Tree<'_>, b: &Tree<'_>, place: &mut TreePath, found: &mut Vec<Leaf>) {
        match (&a.node, &b.node) {
            (Node::Map(members), Node::Map(_)) => {
                let others = b.named();
                for (name, tree) in members {
                    let Some(other) = others.get(name.as_ref()) else { continue };
                    place.0.push(PathStep::Member(name.to_string()));
                    walk(tree, other, place, found);
                    place.0.pop();
                }
            }
            (Node::List(members), Node::List(others)) => {
                for (index, (tree, other)) in members.iter().zip(others).enumerate() {
                    place.0.push(PathStep::Index(index));
                    walk(tree, other, place, found);
                    place.0.pop();
                }
            }
            (Node::Text, Node::Text) | (Node::Number, Node::Number) if !same_scalar(a, b) => {
                found.push((place.to_string(), a.text.to_string(), b.text.to_string()));
            }
            _ => {}
        }
    }
    let (Some(a), Some(b)) = (Tree::read(a), Tree::read(b)) else { return Vec::new() };
    let mut found = Vec::new();
    if let (Some(a), Some(b)) = (a.member(member), b.member(member)) {
        walk(a, b, &mut TreePath(vec![PathStep::Member(member.to_string())]), &mut found);
    }
    found
}
