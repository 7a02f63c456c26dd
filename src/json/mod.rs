//! JSON as text: where values end, what strings say, the steps of pointers. Text in, places out; nothing here knows of JSON-RPC.
//!
//! [`strict`] takes what is JSON and nothing else; [`scan`] takes what a log has of it, which may be cut.

pub(crate) mod listed;
pub(crate) mod pointer;
pub(crate) mod quick;
pub(crate) mod scan;
pub(crate) mod strict;
mod string;

pub(crate) use strict::each_member;
pub(crate) use string::{escape, lenient_string, read_string, unescape, without_byte_escapes};
