//! rpctape: a flight recorder and auditor for JSON-RPC traffic.
//!
//! Another program needs one call: [`check`] for whatever it reads, [`check_paths`] for files, folders and archives. They, and what they
//! take and give ([`Options`], [`Findings`], [`Finding`], [`Summary`], [`error::Error`]), are the public interface; `docs/library.md`
//! says what may change with which version. All other modules are public for the program `rpctape`, and change with it.
//!
//! ```no_run
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let log = std::fs::File::open("mcp-server.log")?;
//! for finding in rpctape::check(log, &rpctape::Options::default())? {
//!     println!("line {}: {} {}: {}", finding.line, finding.severity, finding.code, finding.summary);
//! }
//! # Ok(())
//! # }
//! ```
//!
//! The layers, from the top down; each imports only what stands below it. `docs/architecture.md` has the rest.
#![warn(missing_docs)]

mod base64;
pub mod capture;
pub mod conform;
pub mod error;
pub mod facts;
pub mod finding;
mod json;
pub mod jsonrpc;
pub mod live;
mod name;
pub mod number;
pub mod output;
pub mod pipeline;
pub mod policy;
pub mod protocol;
pub mod redact;
pub mod replay;
pub mod report;
pub mod rules;
pub mod session;
pub mod shape;
pub mod store;
pub mod wire;

pub use pipeline::{Findings, Options, Summary, check, check_paths};
pub use store::FindingRow as Finding;
