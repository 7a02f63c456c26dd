//! `why`: who was stuck, since when, who waited on whom, what was cancelled, what came too late.
//!
//! Facts in ([`Facts`], rows that somebody else fetched), a [`Postmortem`] out, and from that a screen or JSON. Pure.

mod chains;
mod facts;
mod hops;
mod in_flight;
mod patterns;
mod postmortem;
mod rows;
mod screen;
mod timeline;

use std::io::{self, Write};

pub use chains::Chain;
pub use facts::{AtHop, Cancelled, Death, Facts, WINDOW, Waiting, is_handshake, long_lived};
pub use hops::Hopped;
pub use in_flight::{InFlight, Moment, Told, write_moment, write_moment_json};
pub use patterns::Pattern;
pub use postmortem::{Alive, Cancel, Open, Postmortem, Slow, Stuck, postmortem};
pub use screen::{Around, Other, write_screen};

use super::escape::json;

/// `--format json`: one document with a postmortem for each connection.
pub fn write_json(out: &mut dyn Write, connections: &[Postmortem]) -> io::Result<()> {
    write!(out, "{{\"v\":1,\"connections\":[")?;
    for (index, told) in connections.iter().enumerate() {
        write!(out, "{}\n{}", if index > 0 { "," } else { "" }, json(told)?)?;
    }
    writeln!(out, "\n]}}")
}
