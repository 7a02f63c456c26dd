//! Which format a text is in: every format looks at the head, the most specific evidence wins.

use super::format::{Format, Match};
use super::formats::FORMATS;
use super::sample::Sample;
use crate::error::{Error, ErrorKind, Result};

/// The format of a text, or the one that the user names.
pub(crate) fn detect(sample: &Sample, forced: Option<&str>) -> Result<Option<(&'static dyn Format, String)>> {
    if let Some(name) = forced {
        return Ok(Some((by_name(name)?, "it was asked for".to_string())));
    }
    let mut best: Option<(&'static dyn Format, Match)> = None;
    for format in FORMATS {
        if let Some(found) = format.detect(sample)
            && best.as_ref().is_none_or(|(_, before)| found.score > before.score)
        {
            best = Some((*format, found));
        }
    }
    Ok(best.map(|(format, found)| (format, found.reason)))
}

/// A format by its name.
pub(crate) fn by_name(name: &str) -> Result<&'static dyn Format> {
    FORMATS.iter().copied().find(|format| format.name() == name).ok_or_else(|| {
        let names: Vec<_> = FORMATS.iter().map(|format| format.name()).collect();
        Error::new(ErrorKind::Usage, format!("there is no format called {name}"))
            .hint(format!("the formats are: {}", names.join(", ")))
    })
}

/// Every format with the line that says what it is, in the order in which they are listed.
pub fn list() -> impl Iterator<Item = (&'static str, &'static str)> {
    FORMATS.iter().map(|format| (format.name(), format.about()))
}
