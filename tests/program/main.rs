//! What the program prints and writes, and how it ends: it is run as a user runs it, on files, and talks to nobody.

#[path = "../common/mod.rs"]
mod common;
#[path = "../support/five_connections.rs"]
mod five_connections;
#[path = "../support/hostile_log.rs"]
mod hostile_log;
#[path = "../support/sarif.rs"]
mod sarif;

mod bulk;
mod cli;
#[cfg(unix)]
mod files;
mod found;
mod hostile;
mod parts;
mod policy;
mod reports;
mod schemas;
mod screens;
mod stats;
#[cfg(unix)]
mod targets;
mod terminal;
mod why;
mod wrap;
