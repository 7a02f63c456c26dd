//! `export --as csv`, `mermaid` and `perfetto`: tables and pictures of the traffic.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::io::ErrorKind as Io;

use rpctape::error::{Error, ErrorKind, Result};
use rpctape::jsonrpc::{Id, Parsed, parse};
use rpctape::protocol::Facts;
use rpctape::redact::Redactor;
use rpctape::report::{Csv, Mark, Mermaid, Perfetto, RowFormat, label, redacted};
use rpctape::store::{
    Cell, Columns, ConnectionRow, ExchangeFilter, ExchangeRow, FindingFilter, MessageRow, Raw, Store, TABLES,
};

use crate::cli::args::request_name;
use crate::cli::screen::io::{Out, written};

/// Messages that a diagram has, unless more are asked for.
pub const MOST: u64 = 80;

/// Rules that say that a message came too late.
const TOO_LATE: [&str; 6] = ["CAN010", "CAN021", "PRG001", "PRG002", "RPC008", "SES005"];

/// A table as CSV: all rows, or those of the wanted connections.
pub fn table(
    store: &Store,
    name: &str,
    wanted: &[ConnectionRow],
    redactor: Option<Redactor>,
    out: &mut Out,
) -> Result<()> {
    let (mut csv, out) = (Csv, RefCell::new(out));
    let head = |columns: &Columns| written(Csv.head(&mut **out.borrow_mut(), columns));
    rows_of(store, name, wanted, redactor, head, |cells| {
        let done = csv.row(&mut **out.borrow_mut(), cells);
        let gone = done.as_ref().err().is_some_and(|error| error.kind() == Io::BrokenPipe);
        written(done).map(|()| !gone)
    })
}

/// The rows of a table, of these connections, without secrets; `take` gives false where no more are wanted.
fn rows_of(
    store: &Store,
    name: &str,
    wanted: &[ConnectionRow],
    mut redactor: Option<Redactor>,
    head: impl FnOnce(&Columns) -> Result<()>,
    mut take: impl FnMut(&[Cell<'_>]) -> Result<bool>,
) -> Result<()> {
    let Some(table) = TABLES.iter().find(|table| table.name == name) else { return Ok(()) };
    let keys: HashSet<&str> = wanted.iter().map(|connection| connection.key.as_str()).collect();
    let all = keys.len() == store.connections()?.len();
    store.query(table.sql, head, |cells| {
        // The first column is the key of the connection.
        if !all && !matches!(cells.first(), Some(Cell::Text(key)) if keys.contains(key)) {
            return Ok(true);
        }
        let clean: Vec<Option<String>> = cells
            .iter()
            .map(|cell| match (cell, &mut redactor) {
                (Cell::Text(text), Some(redactor)) => Some(redactor.text(text).into_owned()),
                (Cell::Blob(bytes), Some(redactor)) => {
                    let text = String::from_utf8_lossy(bytes);
                    Some(redactor.text(&text).into_owned()).filter(|clean| *clean != *text)
                }
                _ => None,
            })
            .collect();
        let cells: Vec<Cell<'_>> =
            cells.iter().zip(&clean).map(|(cell, clean)| clean.as_deref().map_or(*cell, Cell::Text)).collect();
        take(&cells)
    })
}

/// The same table as Parquet: integers are integers, all else is text.
#[cfg(feature = "parquet")]
pub fn parquet(
    store: &Store,
    name: &str,
    wanted: &[ConnectionRow],
    redactor: Option<Redactor>,
    out: &mut Out,
) -> Result<()> {
    use rpctape::facts::{Column, Table};
    let (mut out, table) = (Some(out), RefCell::new(None));
    let head = |columns: &Columns| {
        let typed: Vec<Column<'_>> = columns.iter().map(|name| column_of(name)).collect();
        if let Some(out) = out.take() {
            *table.borrow_mut() = Some(Table::new(out, &typed, "the table")?);
        }
        Ok(())
    };
    rows_of(store, name, wanted, redactor, head, |cells| {
        let mut table = table.borrow_mut();
        let Some(table) = table.as_mut() else { return Ok(false) };
        for cell in cells {
            match cell {
                Cell::Null => table.text(None),
                Cell::Integer(number) => table.integer(Some(*number)),
                Cell::Real(number) => table.text(Some(&number.to_string())),
                Cell::Text(text) => table.text(Some(text)),
                Cell::Blob(bytes) => table.text(Some(&String::from_utf8_lossy(bytes))),
            }
        }
        table.end_row().map(|()| true)
    })?;
    table.into_inner().map_or(Ok(()), |table| table.finish().map(drop))
}

/// The error of a build without Parquet.
#[cfg(not(feature = "parquet"))]
pub fn parquet(_: &Store, _: &str, _: &[ConnectionRow], _: Option<Redactor>, _: &mut Out) -> Result<()> {
    Err(crate::cli::commands::facts::without_parquet("--as csv writes the same table as text"))
}

/// What a column of a table holds, by its name.
#[cfg(feature = "parquet")]
fn column_of(name: &str) -> rpctape::facts::Column<'_> {
    let number = matches!(name, "id" | "line" | "byte_offset" | "bytes" | "error_code" | "sender_inferred");
    match number || name.ends_with("_us") || name.ends_with("_id") && name != "rpc_id" {
        true => rpctape::facts::Column::Integer(name),
        false => rpctape::facts::Column::Text(name),
    }
}

/// What a diagram must know of a connection before it draws.
struct Scene {
    connection: ConnectionRow,
    /// Frames that are drawn.
    kept: BTreeSet<i64>,
    /// Exchanges whose request is drawn.
    exchanges: BTreeMap<i64, ExchangeRow>,
    /// Answers that are drawn, with their request.
    answers: BTreeMap<i64, i64>,
    /// Cancels, with the request that they name.
    cancels: BTreeMap<i64, String>,
    late: HashSet<i64>,
}

/// A sequence diagram of one connection.
pub fn diagram(
    store: &Store,
    wanted: &[ConnectionRow],
    around: Option<&str>,
    max: u64,
    mut redactor: Option<Redactor>,
    out: &mut Out,
) -> Result<()> {
    let centre = around.map(|name| request_name::find(store, name)).transpose()?;
    let of = |row: &ExchangeRow| wanted.iter().find(|connection| connection.id == row.connection_id);
    let connection = match (&centre, wanted) {
        (Some(row), _) => of(row),
        (None, [only]) => Some(only),
        (None, several) => {
            let keys = several.iter().take(8).map(|row| row.key.as_str()).collect::<Vec<_>>().join(", ");
            let message = format!("a diagram shows one connection, and there are {}", several.len());
            return Err(Error::new(ErrorKind::Usage, message).hint(format!("choose one with --connection: {keys}")));
        }
    };
    let Some(connection) = connection else {
        let message = format!("{} is a request of another connection", around.unwrap_or_default());
        return Err(Error::new(ErrorKind::Usage, message).hint("leave --connection out"));
    };
    let mut scene = Scene::of(store, connection, centre.as_ref(), usize::try_from(max).unwrap_or(usize::MAX))?;
    // What is escaped for a diagram shows no secret to whoever reads it afterwards.
    if let Some(redactor) = &mut redactor {
        let names = scene.exchanges.values_mut().filter_map(|row| row.name.as_mut());
        names.for_each(|name| *name = redactor.text(name).into_owned());
    }
    let mut drawn = Ok(());
    if let Some(mut picture) = broken_pipe_is_fine(Mermaid::new(out, &connection.key))? {
        let (mut folded, mut open) = (0, BTreeMap::new());
        store.messages_of_connection(connection.id, 0, i64::MAX, Raw::None, |message| {
            let message = redactor.as_mut().map_or(message.clone(), |redactor| redacted::message(&message, redactor));
            if message.kind == "batch" || message.kind == "stderr" || drawn.is_err() {
                return Ok(());
            }
            if !scene.kept.contains(&message.id) {
                folded += 1;
                return Ok(());
            }
            drawn = picture.folded(folded).and_then(|()| scene.draw(&mut picture, &message, &mut open));
            folded = 0;
            Ok(())
        })?;
        drawn = drawn.and_then(|()| picture.folded(folded));
        drawn = drawn.and_then(|()| open.values().try_for_each(|request| picture.unanswered(request)));
    }
    written(drawn)
}

fn broken_pipe_is_fine<T>(result: std::io::Result<T>) -> Result<Option<T>> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(error) => written(Err(error)).map(|()| None),
    }
}

impl Scene {
    fn of(store: &Store, connection: &ConnectionRow, centre: Option<&ExchangeRow>, max: usize) -> Result<Scene> {
        let mut ids = Vec::new();
        store.messages_of_connection(connection.id, 0, i64::MAX, Raw::None, |message| {
            if message.kind != "batch" && message.kind != "stderr" {
                ids.push(message.id);
            }
            Ok(())
        })?;
        let mut scene = Scene {
            connection: connection.clone(),
            kept: BTreeSet::new(),
            exchanges: BTreeMap::new(),
            answers: BTreeMap::new(),
            cancels: BTreeMap::new(),
            late: HashSet::new(),
        };
        for cancel in store.cancellations_of_connection(connection.id)? {
            let issuer = Some(cancel.sender.as_str());
            let target = cancel.target_rpc_id.as_deref().map(|id| label(id, issuer)).unwrap_or_default();
            scene.cancels.insert(cancel.message_id, target);
        }
        let mut odd = scene.odd(store)?;
        if let Some(centre) = centre {
            odd = store.messages_of_exchange(centre.id, Raw::None)?.iter().map(|message| message.id).collect();
        }
        scene.kept = kept(&ids, &odd, centre.map(|row| row.id), max);
        let ours = ExchangeFilter { connection: Some(connection.id), ..ExchangeFilter::default() };
        store.exchanges(ours, |row| {
            if scene.kept.contains(&row.id) {
                if let Some(answer) = row.response_id.filter(|answer| scene.kept.contains(answer)) {
                    scene.answers.insert(answer, row.id);
                }
                scene.exchanges.insert(row.id, row);
            }
            Ok(())
        })?;
        Ok(scene)
    }

    /// Frames that a diagram is about: of findings, of cancels, and of exchanges that did not end by an answer.
    fn odd(&mut self, store: &Store) -> Result<BTreeSet<i64>> {
        let mut odd: BTreeSet<i64> = self.cancels.keys().copied().collect();
        let ours = FindingFilter { connection: Some(self.connection.id), ..FindingFilter::default() };
        store.findings(&ours, Raw::None, |finding| {
            odd.extend(finding.evidence.iter().map(|evidence| evidence.message.id));
            if finding.certainty == "violation" && TOO_LATE.contains(&finding.code.as_str()) {
                self.late.insert(finding.message_id);
            }
            Ok(())
        })?;
        store.exchanges(
            ExchangeFilter { connection: Some(self.connection.id), odd_only: true, ..ExchangeFilter::default() },
            |row| {
                odd.insert(row.id);
                odd.extend(row.response_id);
                Ok(())
            },
        )?;
        Ok(odd)
    }

    fn draw(
        &self,
        picture: &mut Mermaid<'_>,
        message: &MessageRow,
        open: &mut BTreeMap<i64, MessageRow>,
    ) -> std::io::Result<()> {
        let exchange = self.exchanges.get(&message.id);
        let about = exchange.and_then(|row| row.name.as_deref());
        let about = about.or_else(|| self.cancels.get(&message.id).map(String::as_str));
        let answered = exchange.and_then(|row| row.response_id).is_some_and(|id| self.answers.contains_key(&id));
        if exchange.is_some_and(|row| row.outcome == "unanswered") {
            open.insert(message.id, message.clone());
        }
        let late = self.late.contains(&message.id);
        let mark = match (self.answers.contains_key(&message.id), late) {
            // A side that is not known cannot be shown at work.
            _ if message.sender.is_none() => Mark::Plain,
            (true, true) => Mark::ClosesTooLate,
            (true, false) => Mark::Closes,
            (false, true) => Mark::TooLate,
            (false, false) if answered => Mark::Opens,
            _ => Mark::Plain,
        };
        picture.message(message, about, mark)
    }
}

/// Which frames are drawn: those that matter, then what is nearest to the request asked for, or the first ones.
fn kept(ids: &[i64], odd: &BTreeSet<i64>, centre: Option<i64>, max: usize) -> BTreeSet<i64> {
    if ids.len() <= max {
        return ids.iter().copied().collect();
    }
    let mut kept: BTreeSet<i64> = ids.iter().copied().filter(|id| odd.contains(id)).take(max).collect();
    let middle = centre.and_then(|id| ids.iter().position(|other| *other == id)).unwrap_or(0);
    for distance in 0..ids.len() {
        for at in [middle.checked_sub(distance), middle.checked_add(distance)].into_iter().flatten() {
            match ids.get(at) {
                Some(id) if kept.len() < max => kept.insert(*id),
                _ => continue,
            };
        }
        if kept.len() >= max {
            break;
        }
    }
    kept
}

/// A timeline in the Chrome trace format.
pub fn trace(store: &Store, wanted: &[ConnectionRow], out: &mut Out) -> Result<()> {
    let Some(start) = wanted.iter().filter_map(|connection| connection.first_at_us).min() else {
        return Err(Error::new(ErrorKind::Input, "the messages have no times, and a timeline needs them")
            .hint("--as mermaid draws them in their order"));
    };
    let Some(mut trace) = broken_pipe_is_fine(Perfetto::new(out, start, wanted))? else { return Ok(()) };
    // Each table is read once, whatever the number of connections.
    let ends: HashMap<i64, i64> = wanted.iter().map(|row| (row.id, row.last_at_us.unwrap_or(start))).collect();
    let mut cancels = store.cancellations()?;
    cancels.retain(|cancel| ends.contains_key(&cancel.connection_id));
    let cancelling: HashSet<i64> = cancels.iter().map(|cancel| cancel.message_id).collect();
    let reported = reported(store, wanted, &cancelling)?;
    let mut answers = HashSet::new();
    store.exchanges(ExchangeFilter::default(), |row| {
        let Some(last) = ends.get(&row.connection_id) else { return Ok(()) };
        answers.extend(row.response_id);
        let progress = reported.get(&row.id).map_or(&[][..], Vec::as_slice);
        written(trace.exchange(&row, *last, progress))
    })?;
    for cancel in &cancels {
        written(trace.cancel(cancel))?;
    }
    for connection in wanted {
        let mut now = start;
        store.messages_of_connection(connection.id, 0, i64::MAX, Raw::None, |message| {
            now = message.at_us.unwrap_or(now);
            let answer = matches!(message.kind.as_str(), "result" | "error");
            if !answer || answers.contains(&message.id) {
                return Ok(());
            }
            written(trace.orphan(&message, connection.id, now))
        })?;
    }
    written(trace.finish())
}

/// When progress was reported on exchanges, by the exchange: a token is that of the last request that gave it.
fn reported(store: &Store, wanted: &[ConnectionRow], cancelling: &HashSet<i64>) -> Result<HashMap<i64, Vec<i64>>> {
    let (mut asked, mut connections) = (HashSet::new(), HashSet::new());
    store.exchanges(ExchangeFilter::default(), |row| {
        if row.history.contains(['P', 'p']) {
            asked.insert(row.id);
            connections.insert(row.connection_id);
        }
        Ok(())
    })?;
    let mut reported: HashMap<i64, Vec<i64>> = HashMap::new();
    for connection in wanted.iter().filter(|connection| connections.contains(&connection.id)) {
        let mut given: HashMap<Id, i64> = HashMap::new();
        // Of a log that is not in JSON the store has the translation.
        let mut translated: Vec<i64> = Vec::new();
        store.messages_of_connection(connection.id, 0, i64::MAX, Raw::All, |message| {
            let text = message.raw.as_deref().unwrap_or_default();
            let Ok(Parsed::One(_, facts)) = parse::<Facts<'_>>(text) else {
                translated.extend(asked.get(&message.id).copied());
                return Ok(());
            };
            match message.kind.as_str() {
                "request" => {
                    let tokens = [facts.progress_token(), facts.work_done_token(), facts.partial_result_token()];
                    given.extend(tokens.into_iter().filter_map(Facts::id).map(|token| (token, message.id)));
                }
                "notification" => {
                    if let Some(exchange) = Facts::id(facts.token()).and_then(|token| given.get(&token)) {
                        reported.entry(*exchange).or_default().extend(message.at_us);
                    }
                }
                _ => {}
            }
            Ok(())
        })?;
        for exchange in translated {
            let messages = store.messages_of_exchange(exchange, Raw::None)?;
            let told = messages.iter().filter(|message| message.kind == "notification");
            let told = told.filter(|message| !cancelling.contains(&message.id));
            reported.entry(exchange).or_default().extend(told.filter_map(|message| message.at_us));
        }
    }
    Ok(reported)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_matters_is_drawn_first_and_then_what_is_near() {
        let ids: Vec<i64> = (1..=20).collect();
        let odd = BTreeSet::from([18]);
        assert_eq!(kept(&ids, &odd, None, 30).len(), 20);
        assert_eq!(kept(&ids, &odd, None, 3), BTreeSet::from([1, 2, 18]));
        assert_eq!(kept(&ids, &odd, Some(10), 4), BTreeSet::from([9, 10, 11, 18]));
    }
}
