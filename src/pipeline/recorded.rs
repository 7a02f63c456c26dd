//! What a store knows of the parts of recordings: which one was read before a part, and which never came.
//!
//! It stands with the small facts of the database, one for each recording, so that a part that is read in a later run goes on as well.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::capture::{RecordedPart, Skip, unfollowed};
use crate::error::Result;
use crate::store::Store;

/// What the names of these facts begin with.
const PARTS: &str = "recording:";

/// A part, and the source that holds it.
#[derive(Clone, Serialize, Deserialize)]
struct Read {
    source: u32,
    #[serde(flatten)]
    part: RecordedPart,
}

/// The part of the same recording that was read before this one: the nearest with a lower number.
pub(super) fn before(store: &Store, part: &RecordedPart) -> Result<Option<RecordedPart>> {
    let lower = read(store, &part.session)?.into_iter().map(|read| read.part).filter(|other| other.part < part.part);
    Ok(lower.max_by_key(|other| other.part))
}

/// Takes down that a source holds this part.
pub(super) fn note(store: &Store, source: u32, part: RecordedPart) -> Result<()> {
    let mut parts = read(store, &part.session)?;
    let key = format!("{PARTS}{}", part.session);
    parts.retain(|other| other.part.part != part.part);
    parts.push(Read { source, part });
    store.set_meta(&key, &serde_json::to_string(&parts).unwrap_or_default())
}

/// Says of each source whether its recording goes on in a part that is not there; of those that were read now and of others.
pub(super) fn settle(store: &Store) -> Result<()> {
    let mut all: BTreeMap<u32, RecordedPart> = BTreeMap::new();
    for facts in store.metas(PARTS)? {
        let parts: Vec<Read> = serde_json::from_str(&facts).unwrap_or_default();
        all.extend(parts.into_iter().map(|read| (read.source, read.part)));
    }
    if all.is_empty() {
        return Ok(());
    }
    let parts: Vec<(u32, &RecordedPart)> = all.iter().map(|(source, part)| (*source, part)).collect();
    store.skip_anew(Skip::Unfollowed, &unfollowed(&parts))
}

fn read(store: &Store, session: &str) -> Result<Vec<Read>> {
    let facts = store.meta(&format!("{PARTS}{session}"))?;
    Ok(facts.and_then(|facts| serde_json::from_str(&facts).ok()).unwrap_or_default())
}
