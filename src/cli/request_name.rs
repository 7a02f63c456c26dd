//! Requests as users name them: `17`, `#17`, `s4` (issued by the server), `"abc"`, each with `@2` for the connection.

use rpctape::error::{Error, ErrorKind, Result};
use rpctape::jsonrpc::Id;
use rpctape::protocol::Side;
use rpctape::report::label;
use rpctape::store::{ConnectionRow, ExchangeFilter, ExchangeRow, RequestName, Store};

use super::check::no_connection;
use rpctape::error::nearest;

/// Most requests that are listed where a name fits several.
const LISTED: usize = 12;

/// The one exchange that a name fits. Several are listed, and none names the nearest; nothing is guessed.
pub fn find(store: &Store, text: &str) -> Result<ExchangeRow> {
    let connections = store.connections()?;
    let (name, connection) = split(text, &connections)?;
    let mut fitting = Vec::new();
    for (id, issuer) in readings(name) {
        fitting = store.exchanges_named(&RequestName { id, issuer, connection })?;
        if !fitting.is_empty() {
            break;
        }
    }
    match fitting.len() {
        1 => Ok(fitting.remove(0)),
        0 => Err(none(store, text, name, connection)?),
        _ => Err(several(text, &fitting, &connections)),
    }
}

/// The name without its connection, and the row of that.
fn split<'a>(text: &'a str, connections: &[ConnectionRow]) -> Result<(&'a str, Option<i64>)> {
    // An `@` inside a quoted id is part of the id.
    let Some((name, place)) = text.rsplit_once('@').filter(|(name, _)| name.matches('"').count() != 1) else {
        return Ok((text, None));
    };
    let by_number = place.parse::<usize>().ok().and_then(|number| connections.get(number.checked_sub(1)?));
    let found = by_number.or_else(|| connections.iter().find(|connection| connection.key == place));
    found.map(|connection| (name, Some(connection.id))).ok_or_else(|| no_connection(place, connections))
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
        true => error.hint("the id was used more than once: show the whole connection with --connection"),
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
        assert_eq!(readings("s4"), [(int(4), Some(Side::Server)), (id("\"s4\""), None)]);
        assert_eq!(readings("\"abc\""), [(id("abc"), None)]);
        assert_eq!(readings("abc"), [(id("abc"), None)]);
    }
}
