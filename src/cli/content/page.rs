//! The page of HTML: what of a store stands in it.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;
use std::rc::Rc;

use rpctape::error::Result;
use rpctape::protocol::Severity;
use rpctape::redact::Redactor;
use rpctape::report::html::{Choice, Collector, Gathered, Incident, PROOF, READ, fragment, gathered};
use rpctape::report::{redacted, why};
use rpctape::rules::Selection;
use rpctape::store::{ConnectionRow, ExchangeFilter, FindingFilter, Raw, Store};

use super::case::Case;
use super::preface;
use crate::cli::args::input::Loaded;
use crate::cli::args::reports::{ReportArgs, Reports};
use crate::cli::args::request_name;
use rpctape::report::shell;

/// Connections in trouble that the page tells of.
const INCIDENTS: usize = 6;

/// Evidence of a finding that stands whole in the page.
const PROVES: usize = 16;

/// What is wanted of a page.
pub struct Wanted<'a> {
    /// What the user named.
    pub inputs: &'a [String],
    /// The connections in it.
    pub connections: &'a [ConnectionRow],
    /// What replaces secrets.
    pub redactor: Option<Redactor>,
    /// Age from which an open request is stuck, in microseconds.
    pub stuck_after_us: i64,
    /// Where it opens.
    pub at: Option<String>,
}

/// Writes reports beside an answer that is not about findings: all of them count, and errors are what fails.
pub fn beside(loaded: &Loaded, reports: &ReportArgs, wanted: Wanted<'_>) -> Result<()> {
    let fail_on = Some(Severity::Error);
    let mut summary = preface::begun(loaded, wanted.connections, fail_on);
    let (mut redactor, inputs) = (wanted.redactor.clone(), wanted.inputs);
    let mut context = preface::context(wanted.connections, &Selection::default(), fail_on, redactor.as_mut());
    let of: BTreeSet<String> = wanted.connections.iter().map(|row| row.key.clone()).collect();
    if reports.shows_traffic() {
        context.gathered = Some(gather(&loaded.store, wanted)?);
    }
    let mut reports = Reports::open(reports, &context, inputs, None, redactor.as_ref())?;
    if let Some(redactor) = &mut redactor {
        redacted::summary(&mut summary, redactor);
    }
    loaded.store.findings(&FindingFilter::default(), Raw::None, |mut finding| {
        if !of.contains(&finding.connection) {
            return Ok(());
        }
        if let Some(redactor) = &mut redactor {
            redacted::words(&mut finding, redactor);
        }
        summary.count(&finding, fail_on);
        reports.finding(&finding)
    })?;
    reports.finish(&summary)
}

/// Reads everything that the page shows, besides findings.
pub fn gather(store: &Store, wanted: Wanted<'_>) -> Result<Rc<Gathered>> {
    let places: HashMap<i64, usize> = wanted.connections.iter().enumerate().map(|(at, row)| (row.id, at)).collect();
    let mut exchanges = Vec::new();
    store.exchanges(ExchangeFilter::default(), |row| {
        exchanges.extend(places.contains_key(&row.connection_id).then_some(row));
        Ok(())
    })?;
    let mut cancels = store.cancellations()?;
    cancels.retain(|row| places.contains_key(&row.connection_id));
    let Incidents { told: incidents, more: more_incidents, stuck } = incidents(store, &wanted)?;
    let mut frames = Vec::new();
    for row in wanted.connections {
        store.messages_of_connection(row.id, 0, i64::MAX, Raw::None, |message| {
            frames.push((message.id, message.bytes));
            Ok(())
        })?;
    }
    frames.sort_unstable();
    let mut proof = proof(store)?;
    for cancel in &cancels {
        proof.extend([Some(cancel.message_id), cancel.exchange_id, cancel.effect_message_id].into_iter().flatten());
    }
    proof.extend(&stuck);
    let choice = Choice::new(&frames, &proof);
    let mut collector = Collector::new(&exchanges, &cancels, (&proof, choice.cap), wanted.redactor.clone());
    let head = Raw::Head(choice.cap.map_or(PROOF, |cap| (cap.min(u64::from(PROOF)) as u32).max(READ)));
    for (at, row) in wanted.connections.iter().enumerate() {
        store.messages_of_connection(row.id, 0, i64::MAX, head, |message| {
            if !choice.takes(message.id) {
                return Ok(());
            }
            let whole = match proof.contains(&message.id) && head != Raw::Head(PROOF) {
                true => store.message(message.id, Raw::Head(PROOF))?.unwrap_or(message),
                false => message,
            };
            collector.take(at, &whole);
            Ok(())
        })?;
    }
    let collected = collector.finish();
    let (mut title, mut log) = (title(wanted.inputs), log(wanted.inputs));
    let mut connections = wanted.connections.to_vec();
    if let Some(redactor) = &mut wanted.redactor.clone() {
        let mut clean = |word: &mut String| *word = redactor.text(word).into_owned();
        cancels.iter_mut().filter_map(|cancel| cancel.reason.as_mut()).for_each(&mut clean);
        exchanges.iter_mut().map(|row| &mut row.connection).for_each(&mut clean);
        std::iter::once(&mut title).chain(&mut log).for_each(&mut clean);
        connections.iter_mut().for_each(|row| redacted::connection(row, redactor));
        exchanges.iter_mut().for_each(|row| redacted::request(row, redactor));
    }
    let rest = Gathered {
        title,
        log,
        at: wanted.at,
        connections,
        redacted: wanted.redactor.is_some(),
        total: choice.total,
        exchanges,
        cancels,
        incidents,
        more_incidents,
        stuck,
        ..Gathered::default()
    };
    Ok(Rc::new(gathered(rest, collected)))
}

/// Where a page opens that is asked for a request; a method, tool or other text is a filter. Both are spelled as the page has them:
/// without secrets.
pub fn place(store: &Store, what: &str, redactor: Option<Redactor>) -> Result<String> {
    let shown = |word: &str| redactor.map_or(fragment(word), |mut redactor| fragment(&redactor.text(word)));
    Ok(match request_name::find(store, what) {
        Ok(row) => format!("request-{}", shown(&request_name::unique(store, &row, usize::MAX)?)),
        Err(error) if what.starts_with('#') || what.contains('@') => return Err(error),
        Err(_) => format!("filter-{}", shown(what)),
    })
}

/// Frames that findings rest on.
fn proof(store: &Store) -> Result<BTreeSet<i64>> {
    let mut proof = BTreeSet::new();
    store.findings(&FindingFilter::default(), Raw::None, |finding| {
        proof.insert(finding.message_id);
        proof.extend(finding.evidence.iter().take(PROVES).map(|evidence| evidence.message.id));
        Ok(())
    })?;
    Ok(proof)
}

/// What `why` says.
struct Incidents {
    /// The connections in trouble, the worst first.
    told: Vec<Incident>,
    /// How many more there are.
    more: usize,
    /// Requests that it calls stuck, in all connections.
    stuck: BTreeSet<i64>,
}

fn incidents(store: &Store, wanted: &Wanted<'_>) -> Result<Incidents> {
    let case = Case::open(store, wanted.redactor.clone(), wanted.stuck_after_us)?;
    let troubled = case.ranked(wanted.connections.iter().collect())?;
    let troubled: Vec<&ConnectionRow> = troubled.into_iter().filter(|row| case.in_trouble(row)).collect();
    let mut told = Vec::new();
    for row in troubled.iter().take(INCIDENTS) {
        let facts = case.told(case.facts_of(row)?);
        let stuck = facts.stuck.iter().map(|waiting| waiting.row.id).collect();
        told.push(Incident { told: why::postmortem(&facts), stuck });
    }
    Ok(Incidents { told, more: troubled.len().saturating_sub(INCIDENTS), stuck: case.stuck().collect() })
}

/// The log in the head of the page, without its folder.
fn title(inputs: &[String]) -> String {
    let name = |input: &String| match input.as_str() {
        "-" => "standard input".to_string(),
        path => Path::new(path).file_name().map_or(path.to_string(), |name| name.to_string_lossy().into_owned()),
    };
    match inputs {
        [] => "no log".to_string(),
        [one] => name(one),
        [first, rest @ ..] => format!("{} and {} more", name(first), rest.len()),
    }
}

/// How a command names the log: without the folder, which is nobody's business but the user's.
fn log(inputs: &[String]) -> Option<String> {
    match inputs {
        [one] => shell::again(&title(std::slice::from_ref(one))).filter(|_| one != "-"),
        _ => None,
    }
}
