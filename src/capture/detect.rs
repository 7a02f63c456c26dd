//! Which format a text is in: every format looks at the head, the most specific evidence wins.

use std::cmp::Reverse;

use super::Proof;
use super::definition;
use super::format::{Format, Match};
use super::formats::OWN;
use super::peel::{self, Csv, Inside, JsonLog};
use super::sample::Sample;
use crate::error::{Error, ErrorKind, Result};

/// In a wrapper may be any format, other wrappers too.
const INSIDE: Inside = Inside(
    |sample| candidates(sample).collect(),
    |sample| definition::BUILT_IN.iter().filter_map(|format| format.members(sample)).collect(),
);

/// The wrappers, in the order in which they are listed.
static WRAPPERS: &[&dyn Format] = &[
    &peel::NEOVIM_STDERR.around(INSIDE),
    &peel::DOCKER.around(INSIDE),
    &peel::CRI.around(INSIDE),
    &peel::JOURNALD.around(INSIDE),
    &peel::JOURNALD_EXPORT.around(INSIDE),
    &JsonLog::around(INSIDE),
    &Csv::around(INSIDE),
    &peel::LOGFMT.around(INSIDE),
    &peel::FLUENTD.around(INSIDE),
    &peel::FLUENT_BIT.around(INSIDE),
    &peel::SYSLOG.around(INSIDE),
    &peel::PREFIXED.around(INSIDE),
    &peel::VSCODE_LOG.around(INSIDE),
    &peel::ANSI.around(INSIDE),
    &peel::BURP.around(INSIDE),
    &peel::COPY.around(INSIDE),
    &peel::MARKDOWN.around(INSIDE),
];

/// The format of a text, or the one that the user names.
pub(crate) fn detect(sample: &Sample, forced: Option<&str>) -> Result<Option<(&'static dyn Format, String)>> {
    if let Some(name) = forced {
        return Ok(Some((by_name(name)?, "it was asked for".to_string())));
    }
    // Those that can win least are asked last, and only if they still can.
    let mut formats: Vec<_> = all().collect();
    formats.sort_by_key(|format| Reverse(format.most()));
    let mut best: Option<(&'static dyn Format, Match)> = None;
    for format in formats {
        let before = best.as_ref().map_or(0, |(_, before)| before.score);
        if format.most() > before {
            best = format.detect(sample).filter(|found| found.score > before).map(|found| (format, found)).or(best);
        }
    }
    let best = best.map(|found| around(sample, found.0).unwrap_or(found));
    Ok(best.map(|(format, found)| (format, found.reason)))
}

/// Tables and documents: the lines of a log are texts in them.
static QUOTING: [&dyn Format; 2] = [&Csv::around(INSIDE), &JsonLog::around(INSIDE)];

/// The table or the document in whose texts lines of `format` stand: a definition that looks for words anywhere finds them there, too,
/// quoted. Where anybody's records hold those of a known emitter, it is these that stand there.
fn around(sample: &Sample, format: &'static dyn Format) -> Option<(&'static dyn Format, Match)> {
    let named = |name: &str| definition::BUILT_IN.iter().find(|known| known.name() == name);
    let is_within = |outer: &&&dyn Format| {
        let chain = outer.chain(sample);
        let inner = chain.rsplit(" > ").next().filter(|inner| **inner != *chain);
        match named(format.name()) {
            Some(known) => inner == Some(known.name()),
            None => inner.and_then(named).is_some_and(|known| known.members(sample).is_some()),
        }
    };
    let holds_known = || HOLDING.contains(&format.name()) && !(INSIDE.1)(sample).is_empty();
    let may_be = named(format.name()).is_some() || holds_known();
    let outer = may_be.then(|| QUOTING.iter().find(is_within)).flatten()?;
    Some((*outer, outer.detect(sample)?))
}

/// Formats of records of anybody's.
const HOLDING: [&str; 2] = ["jsonl-wrapped", "json-array"];

/// Every format that a text may be in, in the order in which they are listed.
pub(crate) fn candidates(sample: &Sample) -> impl Iterator<Item = (&'static dyn Format, Match)> {
    all().filter_map(|format| Some((format, format.detect(sample)?)))
}

/// Every format: those with a reader of their own, the wrappers, and the definitions.
pub(crate) fn all() -> impl Iterator<Item = &'static dyn Format> {
    OWN.iter().chain(WRAPPERS).chain(definition::BUILT_IN).copied()
}

/// A format by its name, or from a definition of the user's (a path that ends in `.toml`).
pub(crate) fn by_name(name: &str) -> Result<&'static dyn Format> {
    if name.ends_with(".toml") {
        return definition::load(name).map(|format| format as &dyn Format);
    }
    // `docker > clangd-verbose` is a wrapper with what was found in it, and will be found again.
    let name = name.split(" > ").next().unwrap_or(name);
    all().find(|format| format.name() == name).ok_or_else(|| {
        let names: Vec<_> = all().map(|format| format.name()).collect();
        Error::new(ErrorKind::Usage, format!("there is no format called {name}")).hint(format!(
            "a definition of your own is named by its file (FILE.toml); the formats are: {}",
            names.join(", ")
        ))
    })
}

/// A format as it is listed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// The name used in flags, in the database and in reports.
    pub name: &'static str,
    /// What it is and who writes it, in one line.
    pub about: &'static str,
    /// What a log in it cannot prove even at best, in words.
    pub cannot_prove: Vec<&'static str>,
}

/// Every format, in the order in which they are listed.
pub fn list() -> impl Iterator<Item = Listed> {
    all().map(|format| Listed {
        name: format.name(),
        about: format.about(),
        cannot_prove: format.proof().missing(Proof::FULL),
    })
}
