//! Where an export goes: to standard output, into a file, or to a collector of telemetry (`--to`).

use std::path::Path;
#[cfg(feature = "live")]
use std::path::PathBuf;

use clap::Args;
use rpctape::error::Result;
#[cfg(feature = "live")]
use rpctape::live::collector::Collector;

use super::telemetry::Count;
#[cfg(feature = "live")]
use crate::cli::commands::replay::access::{Filled, access};
use crate::cli::screen::io::Out;
#[cfg(feature = "live")]
use crate::cli::screen::io::say;

/// Where it goes.
#[cfg(feature = "live")]
#[derive(Args, Debug)]
pub struct ToArgs {
    /// With otlp: send it as protobuf to the collector at this address, such as http://localhost:4318
    #[arg(long, value_name = "URL", conflicts_with = "output")]
    to: Option<String>,
    /// With --to: a header for every request: NAME: VALUE, with ${VARIABLE} and ${VARIABLE:-default} filled in
    #[arg(long, value_name = "NAME: VALUE", requires = "to")]
    header: Vec<String>,
    /// With --to: trust the authorities in this PEM file besides those of this machine
    #[arg(long, value_name = "FILE", requires = "to")]
    ca: Vec<PathBuf>,
}

#[cfg(feature = "live")]
impl ToArgs {
    /// True if it goes to a collector.
    pub fn is_given(&self) -> bool {
        self.to.is_some()
    }

    /// The way there.
    pub fn out(&self, file: Option<&Path>, inputs: &[String]) -> Result<Out> {
        let Some(to) = &self.to else { return Ok(Out::open(file, inputs)?.shown()) };
        let access = access(&self.header, &self.ca, &[], &mut Filled::default())?;
        Ok(Out::Taker(Box::new(Collector::new(to, &access)?)))
    }

    /// Says what a collector took.
    pub fn told(&self, count: &Count) {
        if self.is_given() {
            say(&format!("sent {} spans and {} log records", count.spans, count.records));
        }
    }
}

/// A build that talks to nobody knows no collector.
#[cfg(not(feature = "live"))]
#[derive(Args, Debug)]
pub struct ToArgs {}

#[cfg(not(feature = "live"))]
impl ToArgs {
    /// Never.
    pub fn is_given(&self) -> bool {
        false
    }

    /// The way there.
    pub fn out(&self, file: Option<&Path>, inputs: &[String]) -> Result<Out> {
        Ok(Out::open(file, inputs)?.shown())
    }

    /// Nothing.
    pub fn told(&self, _: &Count) {}
}
