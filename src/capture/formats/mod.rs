//! The formats, one file each.

mod bare;
mod vectors;
mod wrapped;

use super::format::Format;

/// Every format, in the order in which they are listed.
pub(crate) static FORMATS: &[&dyn Format] = &[&vectors::Vectors, &wrapped::Wrapped, &bare::Bare];
