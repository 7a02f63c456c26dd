//! Store to [`Recording`]: the frames of each connection as events, with the exchanges, cancels and findings of the audit.

use std::collections::HashMap;

use super::resumed::Resumed;
use super::thread::Threads;
use crate::capture::{Skip, Vantage};
use crate::error::Result;
use crate::jsonrpc::{NoLift, Parsed, parse_at};
use crate::number::plural;
use crate::protocol::{self, Profile, Side};
use crate::replay::recording::{Connection, Event, EventKind, Exchange, Fault, Recording, Unread};
use crate::store::{
    AuditedConnection, CancellationRow, ConnectionRow, ExchangeRow, FindingRow, RecordedRow, Store, UnreadRow,
};

/// Everything in a store as one recording.
pub fn load(store: &Store, name: &str) -> Result<Recording> {
    load_connections(store, name, |_| true)
}

/// The connections of a store that are `wanted`, as one recording.
pub fn load_connections(store: &Store, name: &str, wanted: impl Fn(&ConnectionRow) -> bool) -> Result<Recording> {
    let rows: Vec<ConnectionRow> = store.connections()?.into_iter().filter(|row| wanted(row)).collect();
    let format = rows.first().map(|row| row.format.clone()).unwrap_or_default();
    let mut audited = store.audited(&rows)?;
    let mut connections = Vec::with_capacity(rows.len());
    for row in &rows {
        connections.extend(connection(store, row, audited.take(row))?);
    }
    Ok(Recording { name: name.to_string(), format, connections, unread: unread(store, &rows)? })
}

/// What was passed over in the sources of these connections. In a recording each line is an event, so that one that is none is harm, too.
fn unread(store: &Store, rows: &[ConnectionRow]) -> Result<Vec<Unread>> {
    let mut told = Vec::new();
    for source in store.sources()?.iter().filter(|source| rows.iter().any(|row| row.source == source.name)) {
        let told_of = |(first, lines): (u64, u64), one: &str, many: &str| match lines {
            0 | 1 => format!("{}:{first} {one}", source.name),
            more => format!("{}:{first} and {} {many}", source.name, plural(more - 1, "more line")),
        };
        if let Some(UnreadRow { lines, first, .. }) = &source.unread {
            const COULD: &str = "could not be read and may be";
            let words = told_of((*first, *lines), &format!("{COULD} a message"), &format!("{COULD} messages"));
            told.push(Unread { words, is_message: true });
        }
        let skipped = source.skipped.iter().filter(|_| source.format == "rec" && source.unread.is_none());
        for (_, lines, first) in skipped.filter(|(why, ..)| Skip::from_name(why) == Some(Skip::NotAMessage)) {
            let (one, many) = ("is no event of a recording", "are no events of a recording");
            let words = format!("{}: passed over", told_of((*first, *lines), one, many));
            told.push(Unread { words, is_message: false });
        }
    }
    Ok(told)
}

/// `None` for a connection that was never judged.
fn connection(store: &Store, row: &ConnectionRow, audited: AuditedConnection) -> Result<Option<Connection>> {
    let Some(channel) = store.recorded_channel(row.id)? else { return Ok(None) };
    let Some(profile) = channel.profile.or_else(|| profile(row)) else { return Ok(None) };
    let mut maker = Maker::new(profile, &audited.exchanges, &audited.cancels);
    for frame in store.recorded_frames(row.id)? {
        maker.frame(frame);
    }
    let faults = audited.findings.into_iter().map(|finding| maker.fault(finding)).collect();
    Ok(Some(Connection {
        key: row.key.clone(),
        profile: maker.profile,
        transport: channel.transport,
        vantage: Vantage::from_name(&row.vantage).unwrap_or(Vantage::Unknown),
        proof: channel.proof,
        framing: channel.framing,
        complete_head: row.complete_head,
        complete_tail: row.complete_tail,
        events: maker.events,
        exchanges: maker.exchanges,
        faults,
        resumed: maker.resumed.into_pairs(),
    }))
}

fn profile(row: &ConnectionRow) -> Option<&'static Profile> {
    let revision = Some(row.revision.as_str()).filter(|revision| !revision.is_empty());
    protocol::by_name(&row.protocol, revision).or_else(|| protocol::by_name(&row.protocol, None))
}

/// One connection under construction.
struct Maker<'r> {
    profile: &'static Profile,
    rows: &'r [ExchangeRow],
    /// Place of the exchange that a frame asks or answers.
    asks: HashMap<i64, usize>,
    answers: HashMap<i64, usize>,
    /// Cancels by their frame: one message can be several.
    cancels: HashMap<i64, Vec<&'r CancellationRow>>,
    /// Place of a frame's event.
    places: HashMap<i64, usize>,
    threads: Threads,
    resumed: Resumed,
    events: Vec<Event>,
    exchanges: Vec<Exchange>,
}

impl<'r> Maker<'r> {
    fn new(profile: &'static Profile, rows: &'r [ExchangeRow], cancels: &'r [CancellationRow]) -> Maker<'r> {
        let mut by_frame: HashMap<i64, Vec<&CancellationRow>> = HashMap::new();
        for cancel in cancels {
            by_frame.entry(cancel.message_id).or_default().push(cancel);
        }
        let asks = rows.iter().enumerate().map(|(place, row)| (row.id, place)).collect();
        let answers = rows.iter().enumerate().filter_map(|(place, row)| Some((row.response_id?, place))).collect();
        Maker {
            profile,
            rows,
            asks,
            answers,
            cancels: by_frame,
            places: HashMap::new(),
            threads: Threads::default(),
            resumed: Resumed::default(),
            events: Vec::new(),
            exchanges: Vec::with_capacity(rows.len()),
        }
    }

    fn frame(&mut self, row: RecordedRow) {
        self.resumed.note(&row);
        let here = self.events.len();
        let Some(what) = self.what(&row, here) else { return };
        if let Some(batch) = row.batch.and_then(|batch| self.places.get(&batch))
            && let EventKind::Batch(members) = &mut self.events[*batch].what
        {
            members.end = here + 1;
        }
        self.places.insert(row.id, here);
        self.events.push(Event {
            frame: row.id,
            line: row.line,
            at_us: row.at_us,
            side: row.sender.or(row.by),
            stream: row.stream,
            what,
            text: row.text,
        });
    }

    /// What a frame was; `None` for one that is of no interest here.
    fn what(&mut self, row: &RecordedRow, here: usize) -> Option<EventKind> {
        Some(match row.kind.as_str() {
            "request" => self.request(row, here)?,
            "result" | "error" => EventKind::Response(self.response(row, here)),
            "notification" => self.notification(row, here),
            "batch" => EventKind::Batch(here + 1..here + 1),
            "malformed" => EventKind::Malformed,
            "open" => EventKind::Open,
            "close" if self.cancels.contains_key(&row.id) => EventKind::Cancel(self.cancel(row.id, here)),
            "close" => EventKind::Close,
            "http" => EventKind::Http,
            "exit" => EventKind::Exit(row.exit.as_code()),
            "stderr" => EventKind::Stderr,
            "gap" => EventKind::Gap,
            _ => return None,
        })
    }

    /// Requests come in the order of the exchanges: their places are the same.
    fn request(&mut self, row: &RecordedRow, here: usize) -> Option<EventKind> {
        let Some(place) = self.asks.get(&row.id).copied().filter(|place| *place == self.exchanges.len()) else {
            // A request that can never be answered (`"id": null`) has no exchange. Nor has one that the server sent again on
            // another stream: it was asked once, and is asked and waited for once.
            return (!self.sent_again(row)).then_some(EventKind::Notification);
        };
        let stored = &self.rows[place];
        let issuer = if stored.issuer == Side::Server.as_str() { Side::Server } else { Side::Client };
        self.exchanges.push(Exchange {
            request: here,
            issuer,
            rpc_id: spelled(&row.text).or_else(|| row.rpc_id.clone()).unwrap_or_else(|| "null".to_string()),
            method: stored.method.clone(),
            name: stored.name.clone(),
            parent: stored.parent_id.and_then(|parent| self.asks.get(&parent).copied()),
            response: None,
            late: Vec::new(),
            cancels: Vec::new(),
            progress: Vec::new(),
            outcome: stored.outcome.clone(),
            error_code: stored.error_code,
            latency_us: stored.latency_us,
        });
        self.threads.asked(self.profile, issuer, row, place);
        self.cancel(row.id, here);
        Some(EventKind::Request(place))
    }

    /// True for a request without an exchange that the server had sent under this id before.
    fn sent_again(&self, row: &RecordedRow) -> bool {
        let id = row.rpc_id.as_deref().filter(|_| row.sender == Some(Side::Server));
        id.is_some_and(|id| self.threads.asked_with(Side::Server, id).is_some())
    }

    fn response(&mut self, row: &RecordedRow, here: usize) -> Option<usize> {
        if let Some(place) = self.answers.get(&row.id).copied() {
            let exchange = self.exchanges.get_mut(place)?;
            exchange.response = Some(here);
            self.threads.answered(place);
            return Some(place);
        }
        let place = self.threads.asked_with(row.sender?.peer(), row.rpc_id.as_deref()?)?;
        let exchange = self.exchanges.get_mut(place).filter(|exchange| exchange.response.is_some())?;
        exchange.late.push(here);
        Some(place)
    }

    fn notification(&mut self, row: &RecordedRow, here: usize) -> EventKind {
        if self.cancels.contains_key(&row.id) {
            return EventKind::Cancel(self.cancel(row.id, here));
        }
        match self.threads.told(self.profile, row) {
            None => EventKind::Notification,
            Some(place) => {
                if let Some(exchange) = place.and_then(|place| self.exchanges.get_mut(place)) {
                    exchange.progress.push(here);
                }
                EventKind::Progress(place)
            }
        }
    }

    /// Notes a cancel at all that it hits; gives the first of them.
    fn cancel(&mut self, frame: i64, here: usize) -> Option<usize> {
        let rows = self.cancels.get(&frame)?;
        let places: Vec<usize> =
            rows.iter().filter(|row| hits(row)).filter_map(|row| self.asks.get(&row.exchange_id?).copied()).collect();
        for place in &places {
            if let Some(exchange) = self.exchanges.get_mut(*place) {
                exchange.cancels.push(here);
            }
        }
        places.first().copied()
    }

    fn fault(&self, finding: FindingRow) -> Fault {
        Fault {
            code: finding.code,
            rule: finding.rule,
            severity: finding.severity,
            certainty: finding.certainty,
            basis: finding.basis,
            exchange: finding.exchange_id.and_then(|id| self.asks.get(&id).copied()),
            event: self.places.get(&finding.message_id).copied(),
            summary: finding.summary,
        }
    }
}

/// True if a cancel reached a request, and does not only come near to one.
fn hits(row: &CancellationRow) -> bool {
    !row.is_foreign && !matches!(row.effect.as_deref(), Some("unknown-target" | "malformed"))
}

/// The id of a request as it was spelled.
fn spelled(text: &str) -> Option<String> {
    match parse_at::<NoLift>(text, 0) {
        Ok((Parsed::One(message, _), _)) => message.id_text.map(str::to_string),
        _ => None,
    }
}
