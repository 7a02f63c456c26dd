//! What reports are told before any finding: the connections, what was read, and what of it is torn.

use rpctape::capture::Skip;
use rpctape::error::Result;
use rpctape::pipeline::{Alone, Met};
use rpctape::protocol::Severity;
use rpctape::report::{Context, Merged, MergedAlone, PassedOver, Summary};
use rpctape::rules::Selection;
use rpctape::store::ConnectionRow;

use crate::cli::args::connection;
use crate::cli::args::input::Loaded;
use crate::cli::screen::io;

/// All connections, or the one with this key.
pub fn connections(loaded: &Loaded, key: Option<&str>) -> Result<Vec<ConnectionRow>> {
    let all = loaded.store.connections()?;
    let Some(key) = key else { return Ok(all) };
    Ok(vec![connection::named(&all, key)?.clone()])
}

/// What reports are told beforehand. Their paths are relative to the folder that the program runs in.
#[allow(clippy::disallowed_methods, reason = "the command line layer is where settings come from")]
pub fn context(connections: &[ConnectionRow], selection: &Selection, fail_on: Option<Severity>) -> Context {
    Context {
        connections: connections.to_vec(),
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
    summary.lost = told.tally.lost;
    summary.merged = told.met.as_ref().map(merged);
    summary.fail_on = fail_on.map_or("none", Severity::as_str);
    summary
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

/// A source of which a part that nobody knows was not read: it is never clean.
pub fn torn<'a>(loaded: &'a Loaded, summary: &'a Summary) -> Option<&'a str> {
    let is_loss = |why: &str| Skip::from_name(why).is_some_and(Skip::is_loss);
    let lost = summary.skipped.iter().find(|skipped| is_loss(&skipped.why)).map(|skipped| skipped.source.as_str());
    lost.or_else(|| loaded.torn.first().map(String::as_str))
}

/// Says which source is torn, where what is printed does not.
pub fn warn_of_torn(loaded: &Loaded) {
    if let Some(source) = torn(loaded, &begun(loaded, &[], None)) {
        io::say(&format!(
            "warning: {} is torn: what stood behind its end is not known",
            rpctape::report::escape(source)
        ));
    }
}
