//! Two recordings of the same session.

use super::About;
use super::run::{self, Sides};
use crate::replay::options::Options;
use crate::replay::recording::Recording;
use crate::replay::verdict::RunReport;

/// Compares two recordings.
pub fn diff(a: &Recording, b: &Recording, options: &Options) -> RunReport {
    let sides = Sides { recorded: a, live: b, logs: &[], pairs: Vec::new(), asked_anew: Vec::new(), is_diff: true };
    run::report(&sides, options, &About { target: b.name.clone(), ..About::default() })
}
