//! What reports are told before any finding: the connections, and what was read.

use rpctape::error::Result;
use rpctape::facts::source_order;
use rpctape::pipeline::{Alone, Met};
use rpctape::protocol::Severity;
use rpctape::redact::Redactor;
use rpctape::report::{Context, Merged, MergedAlone, NotFollowed, PassedOver, Summary, redacted};
use rpctape::rules::Selection;
use rpctape::session::Followed;
use rpctape::store::ConnectionRow;

use crate::cli::args::connection;
use crate::cli::args::input::Loaded;

/// All connections, or the one with this key.
pub fn connections(loaded: &Loaded, key: Option<&str>) -> Result<Vec<ConnectionRow>> {
    let all = loaded.store.connections()?;
    let Some(key) = key else { return Ok(all) };
    Ok(vec![connection::named(&all, key)?.clone()])
}

/// What reports are told beforehand: of connections what findings will say of them, too. Their paths are relative to the folder that the
/// program runs in.
#[allow(clippy::disallowed_methods, reason = "the command line layer is where settings come from")]
pub fn context(
    connections: &[ConnectionRow],
    selection: &Selection,
    fail_on: Option<Severity>,
    redactor: Option<&mut Redactor>,
) -> Context {
    let mut connections = connections.to_vec();
    if let Some(redactor) = redactor {
        connections.iter_mut().for_each(|row| redacted::connection(row, redactor));
    }
    Context {
        connections,
        selection: selection.clone(),
        fail_on,
        baseline: false,
        gathered: None,
        base: std::env::current_dir().ok().map(|path| path.to_string_lossy().into_owned()),
    }
}

/// A summary of what was read, before any finding is counted.
pub fn begun(loaded: &Loaded, connections: &[ConnectionRow], fail_on: Option<Severity>) -> Summary {
    let told = &loaded.summary;
    let mut summary = Summary::of(connections, &told.sources, &told.undecided);
    let files = loaded.passed_over.iter();
    summary.files = files.map(|(source, why)| PassedOver { source: source.clone(), why: why.clone() }).collect();
    summary.files.sort_by_cached_key(|file| source_order(&file.source));
    summary.lost = told.tally.lost;
    summary.merged = told.met.as_ref().map(merged);
    summary.not_followed = told.followed.iter().filter_map(not_followed).collect();
    summary.fail_on = fail_on.map_or("none", Severity::as_str);
    summary
}

fn not_followed(hop: &Followed) -> Option<NotFollowed> {
    let (from, to) = hop.names.clone();
    (hop.lost.requests > 0).then_some(NotFollowed { from, to, requests: hop.lost.requests })
}

fn merged(met: &Met) -> Merged {
    let alone = |alone: &Alone| MergedAlone {
        connections: alone.connections,
        in_doubt: alone.in_doubt.clone(),
        messages: alone.messages,
    };
    let (client, server) = (alone(&met.client), alone(&met.server));
    Merged { connections: met.paired, messages: met.messages, client, server }
}
