//! A cancellation scorecard of a live server: probes, what decides which clause, and the card that comes of it.
//!
//! `Probe -> Recording -> (replay) -> Play -> Clause -> Card`. A probe is a recording that nobody recorded: a template written out for one
//! protocol and one natural duration, played by the engine of `replay` and judged by the same audit as every log. Nothing here decides
//! whether a message broke a rule; the table of clauses says which findings and which facts of order decide which sentence.

mod behaviour;
mod card;
mod clauses;
mod client;
mod decide;
mod ids;
mod play;
mod probes;
mod speech;
mod template;
#[cfg(test)]
mod tests;

pub use behaviour::Behaviour;
pub use card::{Baseline, Card, ClauseCard, Missed, ProbeCard, Server, Tally, Verdict, card};
pub use clauses::{Row, rows};
pub use client::{TOOLS, Tool, client_card, served};
pub use ids::of_template;
pub use play::Play;
pub use probes::{Moment, Needs, PROBES, Probe};
pub use speech::{Call, NO_TOOLS, PRELUDE, Question, Speech, candidates};
pub use template::{Said, Timing, calls, capture, is_owed_an_answer, numbered, one_by_one, watched_us, write};
