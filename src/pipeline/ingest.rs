//! Logs in, an audited database out.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{File, Metadata};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::ahead;
use super::audit::JUDGED_WITH;
use super::intake::Intake;
use super::recorded;
use super::spelling::Spellings;
use super::summary::{Input, Summary, Taken, summarise};
use super::{Options, Progress};
use crate::capture::{self, Delivered, RecordedPart, Resume, Skip, Source};
use crate::error::{Error, ErrorKind, Result};
use crate::number::plural;
use crate::redact::Redactor;
use crate::store::{Identity, Listener, NewSource, Store};

/// Reads logs (`-` is standard input) into a store and judges them, in one transaction: all of it or nothing.
/// A log that the store has already adds nothing; one that has grown goes on where it ended.
pub fn ingest(store: &mut Store, inputs: &[String], options: &Options, progress: &mut dyn Progress) -> Result<Summary> {
    let apart = if store.is_temporary() && store.is_new() { told_apart(inputs) } else { BTreeSet::new() };
    // A pipe that is all there is, and is not kept, is nothing else's equal.
    let alone = store.is_temporary() && inputs.len() == 1;
    let open = if alone { capture::open } else { capture::open_kept };
    in_one(store, |store| {
        let mut given = inputs.iter().map(|input| match unchanged(store, input, options)? {
            true => Ok(Given::Unchanged(clean(input, options))),
            false => Ok(Given::Source(open(input, &options.overrides)?)),
        });
        load(store, &mut given, &apart, &parts(inputs), options, progress)
    })
}

/// Which of these logs go on in the next.
fn parts(inputs: &[String]) -> Vec<bool> {
    inputs.windows(2).map(|pair| capture::goes_on(&pair[0], &pair[1])).collect()
}

/// True for a file that the store has under this name, byte for byte: it need not be opened as a log to know that.
pub fn unchanged(store: &Store, input: &str, options: &Options) -> Result<bool> {
    if store.is_new() {
        return Ok(false);
    }
    let path = capture::path_of(input);
    let Some(size) = path.metadata().ok().filter(Metadata::is_file).map(|file| file.len()) else { return Ok(false) };
    let mut earlier = store.sources_named(&clean(input, options))?;
    earlier.retain(|source| source.identity.size == size);
    let Some(mut file) = (!earlier.is_empty()).then(|| File::open(&path).ok()).flatten() else { return Ok(false) };
    let (identity, _) = Identity::of(&mut file, input, &[])?;
    Ok(earlier.iter().any(|source| source.identity == identity))
}

/// What is to be read.
enum Given {
    /// A log.
    Source(Box<dyn Source>),
    /// One that the store has, under this name.
    Unchanged(String),
}

/// The same for sources that are opened one after the other. `apart` are those that are no copy of another one, whatever is in them.
pub fn ingest_sources(
    store: &mut Store,
    sources: &mut dyn Iterator<Item = Result<Box<dyn Source>>>,
    apart: &[String],
    options: &Options,
    progress: &mut dyn Progress,
) -> Result<Summary> {
    let mut given = sources.map(|source| source.map(Given::Source));
    let apart = apart.iter().map(String::as_str).collect();
    in_one(store, |store| load(store, &mut given, &apart, &[], options, progress))
}

/// True for two sources whose bytes are the same.
pub(super) fn same_content(one: &dyn Source, other: &dyn Source) -> Result<bool> {
    if one.size().is_none() || one.size() != other.size() {
        return Ok(false);
    }
    Ok(identified(one)?.is_some_and(|identity| matches!(identified(other), Ok(Some(same)) if same == identity)))
}

/// All of it or nothing.
fn in_one(store: &mut Store, load: impl FnOnce(&Store) -> Result<Summary>) -> Result<Summary> {
    store.begin()?;
    let done = load(store);
    match done.and_then(|summary| store.commit().map(|()| summary)) {
        Ok(summary) => Ok(summary),
        Err(error) => {
            store.rollback();
            Err(error)
        }
    }
}

/// The logs that no other one of these can be, because none has their size: what is in them need not be read to know it. None
/// where one is no file: its size is not known before it was read.
fn told_apart(inputs: &[String]) -> BTreeSet<&str> {
    let size =
        |input: &String| capture::path_of(input).metadata().ok().filter(|meta| meta.is_file()).map(|it| it.len());
    let sizes: Vec<Option<u64>> = inputs.iter().map(size).collect();
    if inputs.len() > 1 && sizes.contains(&None) {
        return BTreeSet::new();
    }
    let mut counts: BTreeMap<u64, usize> = BTreeMap::new();
    sizes.iter().flatten().for_each(|size| *counts.entry(*size).or_default() += 1);
    let alone = |size: &Option<u64>| size.is_some_and(|size| counts.get(&size) == Some(&1));
    inputs.iter().zip(&sizes).filter(|(_, size)| alone(size)).map(|(input, _)| input.as_str()).collect()
}

fn load(
    store: &Store,
    given: &mut dyn Iterator<Item = Result<Given>>,
    apart: &BTreeSet<&str>,
    parts: &[bool],
    options: &Options,
    progress: &mut dyn Progress,
) -> Result<Summary> {
    let mut spellings = if store.is_new() { Spellings::default() } else { Spellings::of(store.source_names()?) };
    let mut intake = Intake::new(store, options, progress)?;
    let mut inputs = Vec::new();
    let goes_on = parts.iter().copied().chain(std::iter::repeat(false));
    for (given, goes_on) in given.zip(goes_on) {
        intake.parts.begin(goes_on);
        inputs.push(match given? {
            Given::Source(mut source) => {
                let known = spellings.known(source.name()).map(str::to_string);
                let name = known.unwrap_or_else(|| clean(source.name(), options));
                take_source(store, (&mut *source, name), apart, &mut intake)?
            }
            Given::Unchanged(name) => Input { name, taken: Taken::AlreadyThere },
        });
        intake.end_part()?;
    }
    let redacted = intake.cleaning.as_ref().map(|cleaning| cleaning.counts().clone()).unwrap_or_default();
    let followed = intake.finish()?;
    recorded::settle(store)?;
    Ok(Summary { redacted, followed, ..summarise(store, inputs)? })
}

/// Reads one source, or as much of it as is new. `name` is what the store calls it.
fn take_source(
    store: &Store,
    (source, name): (&mut dyn Source, String),
    apart: &BTreeSet<&str>,
    intake: &mut Intake<'_, '_>,
) -> Result<Input> {
    intake.hop = intake.options.hops.of.get(source.name()).copied();
    let apart = apart.contains(source.name());
    let known = match apart {
        true => Known::New { identity: None, same_name: false },
        false => known(store, source, &name)?,
    };
    intake.progress.source(&name, source.size());
    let rewritten = matches!(known, Known::New { same_name: true, .. });
    let mut taken = match known {
        Known::Grown { .. } => Taken::Grown,
        Known::Anew { .. } => Taken::Anew,
        Known::Same | Known::New { .. } => Taken::New,
    };
    let mut before = String::new();
    if !matches!(known, Known::Same) {
        let delivered;
        (before, delivered) = std::mem::take(&mut intake.delivered);
        let same = capture::is_same_log(&before, &name);
        let delivered = if same { delivered } else { Delivered::default() };
        source.follows(delivered.behind(part_before(store, source)?));
    }
    let new = NewSource { name: &name, format: source.format(), reason: source.reason() };
    let (id, from, identity) = match known {
        Known::Same => return Ok(Input { name, taken: Taken::AlreadyThere }),
        Known::Grown { id, from, identity } => (id, from, Some(identity)),
        Known::Anew { id, identity } => {
            store.forget_source(id)?;
            store.set_meta(JUDGED_WITH, "")?;
            intake.ground = intake.store.ground()?;
            (store.add_source(new)?, Resume::default(), Some(identity))
        }
        Known::New { identity, .. } => (store.add_source(new)?, Resume::default(), identity),
    };
    let grown = taken == Taken::Grown;
    if grown {
        // What was cut is read again, and what is missing from here on may matter to any connection of the source.
        store.forget_end(id, from)?;
        intake.ground.goes_on();
        intake.touched.extend(store.connections_in(id)?);
    }
    intake.channels.source(id, &name, grown, capture::goes_on(&before, &name));
    let listener = Arc::new(Mutex::new(Listener::default()));
    let heard = Arc::clone(&listener);
    let listens = !apart && identity.is_none() && source.overhear(Box::new(move |bytes| told(&heard).hear(bytes)));
    let jobs = intake.options.jobs;
    let end = ahead::read(source, id, from, intake, jobs)?;
    intake.ground.finish()?;
    let identity = match identity {
        None if listens => told(&listener).identity(),
        None if !apart => identified(source)?,
        known => known,
    };
    intake.delivered = (name.clone(), source.delivered());
    if let Some(part) = intake.delivered.1.part.take() {
        recorded::note(store, id, part)?;
    }
    let skipped: Vec<(Skip, u64, u64)> =
        std::mem::take(&mut intake.skipped).into_iter().map(|(why, (lines, first))| (why, lines, first)).collect();
    let times = std::mem::take(&mut intake.times);
    store.finish_source(id, identity.as_ref(), end, &skipped, times.as_ref())?;
    if rewritten {
        taken = Taken::Beside(not_twice(store, id, &name)?);
    }
    Ok(Input { name, taken })
}

/// The part of the recording that was read before this source.
pub(super) fn part_before(store: &Store, source: &dyn Source) -> Result<Option<RecordedPart>> {
    source.part().map_or(Ok(None), |part| recorded::before(store, &part))
}

fn told(listener: &Mutex<Listener>) -> MutexGuard<'_, Listener> {
    listener.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What the store knows of a source.
enum Known {
    /// Exactly this content.
    Same,
    /// Its beginning, under the same name.
    Grown { id: u32, from: Resume, identity: Identity },
    /// Its beginning, which cannot be read on: all of it takes the place of what was there.
    Anew { id: u32, identity: Identity },
    /// Nothing, or another content under the same name.
    New { identity: Option<Identity>, same_name: bool },
}

/// Refuses a log of which an earlier state is in the store, and that does not go on where that one ended: its messages would
/// count twice. A log that was rotated has other times. Tells how many of its messages look like those of the earlier state.
fn not_twice(store: &Store, id: u32, name: &str) -> Result<u64> {
    let known = store.known_messages(id)?;
    if known.twice() == 0 {
        return Ok(known.alike());
    }
    let known = plural(known.twice(), "message");
    let message =
        format!("{name} was cut or rewritten since it was ingested: at least {known} of it would count twice");
    Err(Error::new(ErrorKind::Usage, message).hint("ingest it into a new database"))
}

/// A name of a file as it is stored. Placeholders count anew in each, so that a log has the same name when it is read again.
fn clean(name: &str, options: &Options) -> String {
    options.redact.as_ref().map_or_else(|| name.to_string(), |custom| Redactor::new(custom).text(name).into_owned())
}

/// The identity of a source whose content can be read once more.
fn identified(source: &dyn Source) -> Result<Option<Identity>> {
    let Some(mut content) = source.content()? else { return Ok(None) };
    Identity::of(&mut *content, source.name(), &[]).map(|(identity, _)| Some(identity))
}

fn known(store: &Store, source: &dyn Source, name: &str) -> Result<Known> {
    let earlier = store.sources_named(name)?;
    // What came through another pipe is an earlier state of this one only where this one begins with it.
    let same_name = !earlier.is_empty() && source.size().is_some();
    let size = source.size().map_or(Ok(true), |size| store.has_source_of(size))?;
    if !same_name && !size {
        // What is in it is told when it is read.
        return Ok(Known::New { identity: None, same_name });
    }
    // Standard input and pipes that are not kept are always new.
    let Some(mut content) = source.content()? else { return Ok(Known::New { identity: None, same_name: false }) };
    let sizes: Vec<u64> = earlier.iter().map(|source| source.identity.size).collect();
    let (identity, heads) = Identity::of(&mut *content, source.name(), &sizes)?;
    // What holds an archive open is let go before the source itself is read.
    drop(content);
    if store.source_with(&identity)?.is_some() {
        return Ok(Known::Same);
    }
    let Some(grown) = earlier.into_iter().find(|earlier| heads.contains(&earlier.identity)) else {
        return Ok(Known::New { identity: Some(identity), same_name });
    };
    // What was read in another way than it would be now is no beginning of it.
    if !source.can_resume() || grown.reason != source.reason() {
        return Ok(Known::Anew { id: grown.id, identity });
    }
    Ok(Known::Grown { id: grown.id, from: grown.resume, identity })
}
