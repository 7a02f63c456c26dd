//! Requests as users name them: `17`, `#17`, `s4` (issued by the server), `"abc"` or the beginning of such an id, each with `:41` for its
//! line where the id was used again (alone it is the request on that line), and with `@KEY` or its number in `rpctape ls` (`@2`) for the
//! connection.

use rpctape::error::{Error, ErrorKind, Result};
use rpctape::jsonrpc::Id;
use rpctape::protocol::Side;
use rpctape::redact::Redactor;
use rpctape::report::label;
use rpctape::store::{ConnectionRow, ExchangeFilter, ExchangeRow, RequestName, Store};

use super::connection::{self, no_connection};
use rpctape::error::nearest;

/// The shortest beginning of an id that is looked for, in characters.
const SHORTEST: usize = 2;

/// Most requests that are listed where a name fits several.
const LISTED: usize = 12;

/// The one exchange that a name fits. Several are listed, and none names the nearest; nothing is guessed.
pub fn find(store: &Store, text: &str) -> Result<ExchangeRow> {
    let connections = store.connections()?;
    // An `@` may be part of an id, so that the whole of it is tried first.
    let whole = fitting(store, text, None)?;
    let (name, connection, mut fitting) = match (whole.is_empty(), split(text, &connections)) {
        (true, Some(Ok((name, connection)))) => (name, Some(connection), fitting(store, name, Some(connection))?),
        (true, Some(Err(error))) => return Err(error),
        _ => (text, None, whole),
    };
    if fitting.is_empty() {
        fitting = beginning(store, name, connection)?;
    }
    match fitting.len() {
        1 => Ok(fitting.remove(0)),
        0 => Err(none(store, text, name, connection)?),
        _ => Err(several(text, &fitting, &connections)),
    }
}

/// The exchanges that bear this name: by their id, or by their id and line.
fn fitting(store: &Store, name: &str, connection: Option<i64>) -> Result<Vec<ExchangeRow>> {
    for (id, issuer) in readings(name) {
        let found = store.exchanges_named(&RequestName { id, issuer, connection })?;
        if !found.is_empty() {
            return Ok(found);
        }
    }
    match name.rsplit_once(':').and_then(|(name, line)| Some((name, line.parse::<u64>().ok()?))) {
        Some(("", line)) => on_line(store, line, connection),
        Some((name, line)) => {
            Ok(fitting(store, name, connection)?.into_iter().filter(|row| row.line == line).collect())
        }
        None => Ok(Vec::new()),
    }
}

/// The exchanges whose request stands on this line.
fn on_line(store: &Store, line: u64, connection: Option<i64>) -> Result<Vec<ExchangeRow>> {
    let mut found = Vec::new();
    store.exchanges(ExchangeFilter { connection, ..ExchangeFilter::default() }, |row| {
        if row.line == line {
            found.push(row);
        }
        Ok(())
    })?;
    Ok(found)
}

/// The exchanges whose id, a string, begins like this. Numbers have to be written in full.
fn beginning(store: &Store, name: &str, connection: Option<i64>) -> Result<Vec<ExchangeRow>> {
    let (issuer, head) = match (name.strip_prefix('#'), name.strip_prefix("s\"")) {
        (Some(head), _) => (Some("client"), head),
        (None, Some(head)) => (Some("server"), head),
        (None, None) => (None, name),
    };
    let head = head.trim_matches('"');
    let mut found = Vec::new();
    if head.chars().count() < SHORTEST {
        return Ok(found);
    }
    let filter = ExchangeFilter { connection, ..ExchangeFilter::default() };
    store.exchanges(filter, |row| {
        let ours = issuer.is_none_or(|issuer| row.issuer == issuer);
        let id = row.rpc_id.as_deref().and_then(Id::from_json);
        if ours && matches!(&id, Some(Id::Text(id)) if id.starts_with(head)) {
            found.push(row);
        }
        Ok(())
    })?;
    Ok(found)
}

/// The name without its connection, and the row of that. The last `@` behind which a connection stands counts.
fn split<'a>(text: &'a str, connections: &[ConnectionRow]) -> Option<Result<(&'a str, i64)>> {
    let ats = || text.match_indices('@').map(|(at, _)| (&text[..at], &text[at + 1..]));
    let found = ats().find_map(|(name, key)| Some((name, connection::find(connections, key)?.id)));
    // An `@` inside a quoted id is part of the id.
    let meant = text.rsplit_once('@').filter(|(name, _)| name.matches('"').count() != 1);
    found.map(Ok).or_else(|| meant.map(|(_, key)| Err(no_connection(key, connections))))
}

/// The shortest name that means this request and no other, as it can be typed where it is shown: an id that the screen does not show
/// as it is gives way to the line.
pub fn shown(store: &Store, row: &ExchangeRow, connections: usize, redactor: Option<&mut Redactor>) -> Result<String> {
    let label = label_of(row);
    match redactor.is_some_and(|redactor| redactor.text(&label) != label) {
        true => Ok(format!(":{}{}", row.line, place(row, connections))),
        false => unique(store, row, connections),
    }
}

/// The shortest name that means this request and no other, as it can be typed.
pub fn unique(store: &Store, row: &ExchangeRow, connections: usize) -> Result<String> {
    let id = row.rpc_id.as_deref().and_then(Id::from_json);
    let issuer = Some(if row.issuer == "server" { Side::Server } else { Side::Client });
    let again = match id {
        Some(id) => store.exchanges_named(&RequestName { id, issuer, connection: Some(row.connection_id) })?.len() > 1,
        None => true,
    };
    let line = if again { format!(":{}", row.line) } else { String::new() };
    Ok(format!("{}{line}{}", label_of(row), place(row, connections)))
}

fn place(row: &ExchangeRow, connections: usize) -> String {
    if connections > 1 { format!("@{}", row.connection) } else { String::new() }
}

/// What a name can mean, the likeliest first.
fn readings(name: &str) -> Vec<(Id, Option<Side>)> {
    let mut all = Vec::new();
    if let Some(rest) = name.strip_prefix('#') {
        all.push((id(rest), Some(Side::Client)));
        all.push((id(rest), None));
    } else if let Some(server) = name.strip_prefix('s').and_then(Id::from_json) {
        all.push((server, Some(Side::Server)));
    }
    all.push((id(name), None));
    // A label as the screens print it, whose quotation marks a shell has eaten.
    all.extend(name.strip_prefix('s').map(|rest| (Id::Text(rest.into()), Some(Side::Server))));
    all
}

/// JSON where it is JSON, and a string otherwise: shells eat quotation marks.
fn id(text: &str) -> Id {
    Id::from_json(text).unwrap_or_else(|| Id::Text(text.into()))
}

fn several(text: &str, fitting: &[ExchangeRow], connections: &[ConnectionRow]) -> Error {
    let lines = fitting.iter().take(LISTED).map(|row| {
        let number = connections.iter().position(|connection| connection.id == row.connection_id).unwrap_or(0) + 1;
        format!("{}@{number} {} (line {} of {})", label_of(row), row.method, row.line, row.source)
    });
    let list = lines.collect::<Vec<_>>().join("; ");
    let more = if fitting.len() > LISTED { "; ..." } else { "" };
    let same_connection = fitting.iter().all(|row| row.connection_id == fitting[0].connection_id);
    let error = Error::new(ErrorKind::Usage, format!("{text} fits {} requests: {list}{more}", fitting.len()));
    match same_connection && fitting.iter().all(|row| row.issuer == fitting[0].issuer) {
        true if fitting.iter().all(|row| row.rpc_id == fitting[0].rpc_id) => error.hint(format!(
            "the id was used more than once: name its line, too, as in {}:{}",
            label_of(&fitting[0]),
            fitting[0].line
        )),
        true => error.hint("write more of the id"),
        false => error.hint("name the connection as in #17@2, and the server's own requests as in s17"),
    }
}

fn none(store: &Store, text: &str, name: &str, connection: Option<i64>) -> Result<Error> {
    let mut labels = Vec::new();
    let filter = ExchangeFilter { connection, ..ExchangeFilter::default() };
    store.exchanges(filter, |row| {
        labels.push(label_of(&row));
        Ok(())
    })?;
    let error = Error::new(ErrorKind::Usage, format!("there is no request {text}"));
    let number = |label: &str| label.trim_start_matches(['#', 's']).parse::<i64>().ok();
    let near = match number(name) {
        Some(wanted) => labels
            .iter()
            .filter_map(|label| Some((number(label)?.abs_diff(wanted), label.as_str())))
            .min_by_key(|(distance, _)| *distance)
            .map(|(_, label)| label),
        None => nearest(name, labels.iter().map(String::as_str)),
    };
    Ok(match (near, labels.first()) {
        (Some(near), _) => error.hint(format!("the nearest is {near}")),
        (None, Some(first)) => error.hint(format!("there are {} requests, the first is {first}", labels.len())),
        (None, None) => error.hint("there are no requests at all"),
    })
}

/// A request as the screens name it.
pub fn label_of(row: &ExchangeRow) -> String {
    label(row.rpc_id.as_deref().unwrap_or("null"), Some(&row.issuer))
}

/// Label, method and tool of a request, as they stood in the log.
pub fn title(row: &ExchangeRow) -> String {
    let name = row.name.as_ref().map_or(String::new(), |name| format!(" {name}"));
    format!("{} {}{name}", label_of(row), row.method)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_read_as_its_screen_writes_it() {
        let int = |n| Id::Int(n);
        assert_eq!(readings("17"), [(int(17), None)]);
        assert_eq!(readings("#17"), [(int(17), Some(Side::Client)), (int(17), None), (id("\"#17\""), None)]);
        let server = |text: &str| (Id::Text(text.into()), Some(Side::Server));
        assert_eq!(readings("s4"), [(int(4), Some(Side::Server)), (id("\"s4\""), None), server("4")]);
        assert_eq!(readings("sp1"), [(id("sp1"), None), server("p1")]);
        assert_eq!(readings("\"abc\""), [(id("abc"), None)]);
        assert_eq!(readings("abc"), [(id("abc"), None)]);
    }
}
