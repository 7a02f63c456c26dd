//! rpctape: a flight recorder and auditor for JSON-RPC traffic.
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
pub mod store;
