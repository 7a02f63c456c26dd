//! A card as JSON: one object for each clause and each behaviour, the last one a summary.

use std::io;

use serde::Serialize;

use super::super::escape::json;
use crate::conform::{Behaviour, Card, ClauseCard, Server, Tally};

/// The version of the form.
const VERSION: u32 = 1;

#[derive(Serialize)]
struct Clause<'c> {
    r#type: &'static str,
    v: u32,
    #[serde(flatten)]
    clause: &'c ClauseCard,
    revision: &'c str,
}

#[derive(Serialize)]
struct Does<'c> {
    r#type: &'static str,
    v: u32,
    #[serde(flatten)]
    behaviour: &'c Behaviour,
}

#[derive(Serialize)]
struct Summary<'c> {
    r#type: &'static str,
    v: u32,
    server: &'c Server,
    must: Tally,
    should: Tally,
    notes: &'c [String],
    stale: &'c [String],
    exit: u8,
}

fn clause(card: &Card, clause: &ClauseCard) -> io::Result<String> {
    let revision = card.server.protocol.split_once(' ').map_or("", |(_, revision)| revision);
    json(&Clause { r#type: "clause", v: VERSION, clause, revision })
}

fn behaviour(behaviour: &Behaviour) -> io::Result<String> {
    json(&Does { r#type: "behaviour", v: VERSION, behaviour })
}

fn summary(card: &Card) -> io::Result<String> {
    json(&Summary {
        r#type: "summary",
        v: VERSION,
        server: &card.server,
        must: card.tally("MUST"),
        should: card.tally("SHOULD"),
        notes: &card.notes,
        stale: &card.stale,
        exit: card.exit(),
    })
}

fn parts(card: &Card) -> io::Result<(Vec<String>, Vec<String>)> {
    let clauses = card.clauses.iter().map(|one| clause(card, one)).collect::<io::Result<Vec<_>>>()?;
    let behaviours = card.behaviours.iter().map(behaviour).collect::<io::Result<Vec<_>>>()?;
    Ok((clauses, behaviours))
}

/// One object a line.
pub fn lines(card: &Card) -> io::Result<String> {
    let (clauses, behaviours) = parts(card)?;
    let all = clauses.into_iter().chain(behaviours).chain([summary(card)?]);
    Ok(all.map(|line| line + "\n").collect())
}

/// The same objects in one document.
pub fn document(card: &Card) -> io::Result<String> {
    let (clauses, behaviours) = parts(card)?;
    Ok(format!(
        "{{\"clauses\":[\n{}\n],\n\"behaviours\":[\n{}\n],\n\"summary\":{}}}\n",
        clauses.join(",\n"),
        behaviours.join(",\n"),
        summary(card)?
    ))
}
