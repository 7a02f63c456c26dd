//! Logs in, an audited database out.

use std::io::{BufRead, BufReader, Read};

use super::intake::Intake;
use super::summary::{Input, Summary, Taken, summarise};
use super::{Options, Progress};
use crate::capture::{self, Resume, Skip, Source};
use crate::error::{Error, ErrorKind, Result};
use crate::store::{Identity, NewSource, Store};

/// Reads logs (`-` is standard input) into a store and judges them, in one transaction: all of it or nothing.
/// A log that the store has already adds nothing; one that has grown goes on where it ended.
pub fn ingest(store: &mut Store, inputs: &[String], options: &Options, progress: &mut dyn Progress) -> Result<Summary> {
    let mut sources = inputs.iter().map(|input| capture::open(input, &options.overrides));
    ingest_sources(store, &mut sources, options, progress)
}

/// The same for sources that are opened one after the other.
pub fn ingest_sources(
    store: &mut Store,
    sources: &mut dyn Iterator<Item = Result<Box<dyn Source>>>,
    options: &Options,
    progress: &mut dyn Progress,
) -> Result<Summary> {
    store.begin()?;
    let done = load(store, sources, options, progress);
    match done.and_then(|summary| store.commit().map(|()| summary)) {
        Ok(summary) => Ok(summary),
        Err(error) => {
            store.rollback();
            Err(error)
        }
    }
}

fn load(
    store: &Store,
    sources: &mut dyn Iterator<Item = Result<Box<dyn Source>>>,
    options: &Options,
    progress: &mut dyn Progress,
) -> Result<Summary> {
    let mut intake = Intake::new(store, options, progress)?;
    let mut inputs = Vec::new();
    for source in sources {
        inputs.push(take_source(store, &mut *source?, &mut intake)?);
    }
    let redacted = intake.cleaning.as_ref().map(|cleaning| cleaning.counts().clone()).unwrap_or_default();
    intake.finish()?;
    Ok(Summary { redacted, ..summarise(store, inputs)? })
}

/// Reads one source, or as much of it as is new.
fn take_source(store: &Store, source: &mut dyn Source, intake: &mut Intake<'_, '_>) -> Result<Input> {
    let name = source.name().to_string();
    let known = known(store, source)?;
    intake.progress.source(&name, source.size());
    let (id, from, identity) = match known {
        Known::Same => return Ok(Input { name, taken: Taken::AlreadyThere }),
        Known::Grown { id, from, identity } => (id, from, Some(identity)),
        Known::New { identity } => {
            let new = NewSource { name: &name, format: source.format(), reason: source.reason() };
            (store.add_source(new)?, Resume::default(), identity)
        }
    };
    let grown = from != Resume::default();
    if grown {
        // What was cut is read again, and what is missing from here on may matter to any connection of the source.
        store.forget_end(id, from)?;
        intake.touched.extend(store.connections_in(id)?);
    }
    intake.channels.source(id, &name, grown);
    let end = source.read(id, from, intake)?;
    let skipped: Vec<(Skip, u64, u64)> =
        std::mem::take(&mut intake.skipped).into_iter().map(|(why, (lines, first))| (why, lines, first)).collect();
    let times = std::mem::take(&mut intake.times);
    store.finish_source(id, identity.as_ref(), end, &skipped, times.as_ref())?;
    if identity.is_some() && !grown && !store.is_temporary() {
        store.set_begins(id, &first_line(source)?)?;
    }
    Ok(Input { name, taken: if grown { Taken::Grown } else { Taken::New } })
}

/// What the store knows of a source.
enum Known {
    /// Exactly this content.
    Same,
    /// Its beginning, under the same name.
    Grown { id: u32, from: Resume, identity: Identity },
    /// Nothing.
    New { identity: Option<Identity> },
}

/// The same beginning and less of it: counting it again would count most of it twice.
fn cut(name: &str, before: u64, now: u64) -> Error {
    let message = format!(
        "{name} was cut since it was ingested ({before} bytes then, {now} now), and is not what the database holds"
    );
    Error::new(ErrorKind::Input, message)
        .hint("ingest it into a new database, or under another name if it is another log")
}

/// The hash of the first line, or of as much of it as tells logs apart.
fn first_line(source: &dyn Source) -> Result<String> {
    let Some(content) = source.content()? else { return Ok(String::new()) };
    let mut line = Vec::new();
    let read = BufReader::new(content).take(LINE).read_until(b'\n', &mut line);
    read.map_err(|error| Error::io("read", source.name(), &error))?;
    Ok(blake3::hash(&line).to_string())
}

/// How much of a line is looked at to tell one log from another, in bytes.
const LINE: u64 = 4096;

fn known(store: &Store, source: &dyn Source) -> Result<Known> {
    // Standard input and pipes can be read only once: they are always new.
    let Some(mut content) = source.content()? else { return Ok(Known::New { identity: None }) };
    let earlier = store.sources_named(source.name())?;
    let sizes: Vec<u64> = earlier.iter().map(|source| source.identity.size).collect();
    let (identity, heads) = Identity::of(&mut *content, source.name(), &sizes)?;
    // What holds an archive open is let go before the source itself is read.
    drop(content);
    if store.source_with(&identity)?.is_some() {
        return Ok(Known::Same);
    }
    let begins = if earlier.is_empty() { String::new() } else { first_line(source)? };
    let Some(grown) = earlier.iter().find(|earlier| heads.contains(&earlier.identity)) else {
        for earlier in &earlier {
            let shorter = identity.size < earlier.identity.size;
            if shorter && store.begins(earlier.id)?.as_ref() == Some(&begins) {
                return Err(cut(source.name(), earlier.identity.size, identity.size));
            }
        }
        return Ok(Known::New { identity: Some(identity) });
    };
    if !source.can_resume() {
        let message = format!(
            "{} has grown since it was ingested, and a {} log cannot be read on from the middle",
            source.name(),
            source.format()
        );
        return Err(Error::new(ErrorKind::Usage, message).hint("ingest it into a new database"));
    }
    Ok(Known::Grown { id: grown.id, from: grown.resume, identity })
}
