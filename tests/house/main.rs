//! The house: which room may know which, and that what the pages say is so. A few seconds; run it before every commit.

#[path = "../common/mod.rs"]
mod common;

mod layering;
mod listed;
mod readme;
