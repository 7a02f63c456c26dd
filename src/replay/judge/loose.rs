//! Notifications of the server that belong to no request, and cancels of its own: which kinds no longer come, and what they say.

use std::collections::{BTreeMap, HashSet};

use super::exchange::{first_place, minted};
use crate::jsonrpc::{NoLift, Parsed, parse};
use crate::number::plural;
use crate::protocol::Side;
use crate::replay::compare::{Rules, Terms, compare};
use crate::replay::recording::{Connection, EventKind};
use crate::replay::verdict::{Difference, Verdict};

/// What is wrong with the notifications of one method.
pub(super) struct Loose {
    pub method: String,
    pub verdict: Verdict,
    pub detail: String,
    pub diff: Vec<Difference>,
}

/// Compares both sides, method by method; what they say only under `contents`.
pub(super) fn loose(
    recorded: &Connection,
    live: &Connection,
    rules: &Rules,
    echoes: &[(String, String)],
    contents: bool,
) -> Vec<Loose> {
    let (then, now) = (by_method(recorded), by_method(live));
    let terms = Terms { profile: recorded.profile, captured: &[], echoes, due: &[], hidden: &[], asked: None };
    let none = Vec::new();
    let judged = |(method, then): (String, Vec<&str>)| {
        let now = now.get(&method).unwrap_or(&none);
        let changed = contents.then(|| changed(&method, &then, now, rules, &terms)).flatten();
        [fewer(&method, then.len(), now.len()), changed].into_iter().flatten()
    };
    then.into_iter().flat_map(judged).collect()
}

/// Some of them no longer come.
fn fewer(method: &str, then: usize, now: usize) -> Option<Loose> {
    let detail = match (then, now) {
        (then, now) if then <= now => return None,
        (1, _) => "its notification did not come".to_string(),
        (then, 0) => format!("none of its {} came", plural(then as u64, "notification")),
        (then, now) => format!("{now} of its {} came", plural(then as u64, "notification")),
    };
    Some(Loose { method: method.to_string(), verdict: Verdict::Missing, detail, diff: Vec::new() })
}

/// They say something else: the first that does, and how many more do.
fn changed(method: &str, then: &[&str], now: &[&str], rules: &Rules, terms: &Terms<'_>) -> Option<Loose> {
    let pairs = then.iter().zip(now).enumerate();
    let mut changed = pairs
        .map(|(nth, (a, b))| {
            let minted = minted(terms.profile, a);
            (nth, compare(rules, &Terms { captured: &minted, ..*terms }, a, b))
        })
        .filter(|(_, it)| it.changed);
    let (nth, first) = changed.next()?;
    let others = changed.count();
    let more = if others > 0 { format!("; {others} more changed") } else { String::new() };
    let of = format!("notification {}", nth + 1);
    let detail = format!("{of}: {}{more}", first_place(&first.differences));
    let diff = first.differences.into_iter().map(|it| Difference { of: Some(of.clone()), ..it }).collect();
    Some(Loose { method: method.to_string(), verdict: Verdict::Changed, detail, diff })
}

/// The texts of the server's notifications that belong to no request, in order. What came on the stream of a request that was
/// cancelled came of that one, and need not come again.
fn by_method(connection: &Connection) -> BTreeMap<String, Vec<&str>> {
    let cancelled = connection.exchanges.iter().filter(|exchange| !exchange.cancels.is_empty());
    let over: HashSet<u32> = cancelled.filter_map(|exchange| connection.events[exchange.request].stream).collect();
    let mut found: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    let told = |what: &EventKind| matches!(what, EventKind::Notification | EventKind::Cancel(_));
    let own = connection.events.iter().filter(|it| told(&it.what) && it.side == Some(Side::Server));
    for event in own.filter(|event| event.stream.is_none_or(|stream| !over.contains(&stream))) {
        if let Ok(Parsed::One(message, _)) = parse::<NoLift>(&event.text) {
            found.entry(message.method().to_string()).or_default().push(&event.text);
        }
    }
    found
}
