//! Helpers that several test programs share: traces in a few lines, and what the rules say about them.
#![allow(dead_code)]

pub mod captured;
pub mod restate;
pub mod trace;
pub mod vector;
pub mod verdicts;
