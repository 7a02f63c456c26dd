//! What is judged: logs of which the truth is known, and what the program has to say of them. `cargo mutants` asks this program.

#[path = "../common/mod.rs"]
mod common;
#[path = "../support/mod.rs"]
mod support;

mod capture_speed;
mod clauses;
mod corpus;
mod keep;
mod otherwise;
mod replay_compare;
mod round_trip;
mod rule_pages;
mod truth;
mod vectors;
