//! Live peers: child processes and servers on this machine that are recorded, replayed and mocked. Nearly all of it is waiting, so it
//! is a program of its own: it neither holds up what computes nor is starved by it.
#![cfg(feature = "live")]

#[path = "../common/mod.rs"]
mod common;

mod links;
mod mock;
mod record;
mod record_http;
mod replay;
mod replay_scenarios;
