//! Judges stored frames again: all of them, or those of the connections that an append touched.

use std::collections::BTreeSet;

use super::judge::Judge;
use super::lookout::Lookout;
use super::own_order::OwnOrder;
use super::summary::{Summary, summarise};
use super::{Options, Progress};
use crate::error::Result;
use crate::session::{Followed, Session, Settings, Sink};
use crate::store::{Store, Which};

/// Where the database keeps what it was judged with.
pub(super) const JUDGED_WITH: &str = "judged_with";

/// How often progress is told and an interrupt looked for, in frames.
const STEP: u64 = 4096;

/// Drops everything derived and makes it anew from the stored frames, in one transaction.
pub fn audit(store: &mut Store, options: &Options, progress: &mut dyn Progress) -> Result<Summary> {
    store.begin()?;
    let done = again(store, options, progress);
    match done.and_then(|summary| store.commit().map(|()| summary)) {
        Ok(summary) => Ok(summary),
        Err(error) => {
            store.rollback();
            Err(error)
        }
    }
}

/// True if a database was judged with other settings than these.
pub fn judged_otherwise(store: &Store, settings: &Settings) -> Result<bool> {
    let with = store.meta(JUDGED_WITH)?.unwrap_or_default();
    Ok(!with.contains(&format!("{settings:?}")))
}

fn again(store: &Store, options: &Options, progress: &mut dyn Progress) -> Result<Summary> {
    store.demand(options.overrides.profile, options.overrides.vantage)?;
    refold(store, Which::All, options, progress)?;
    store.set_meta(JUDGED_WITH, &options.judged_with())?;
    summarise(store, Vec::new())
}

/// After an append: folds the touched connections again, or all of them where the old findings cannot stand beside new ones.
pub(super) fn after_append(
    store: &Store,
    touched: &BTreeSet<u32>,
    options: &Options,
    progress: &mut dyn Progress,
) -> Result<()> {
    let other_judge = store.meta(JUDGED_WITH)?.is_none_or(|judged_with| judged_with != options.judged_with());
    // What could not be decided is counted over all connections together; one connection cannot be taken out of it.
    if other_judge || !store.undecided()?.is_empty() {
        return refold(store, Which::All, options, progress);
    }
    if touched.is_empty() {
        return Ok(());
    }
    let connections: Vec<u32> = touched.iter().copied().collect();
    store.touch(&connections)?;
    refold(store, Which::Touched, options, progress)?;
    store.drop_unused_clauses()
}

fn refold(store: &Store, which: Which, options: &Options, progress: &mut dyn Progress) -> Result<()> {
    store.drop_derived(which)?;
    let mut session = Session::new(options.settings);
    let mut judge = Judge::new(store, &options.selection)?;
    let mut own_order = OwnOrder::default();
    let touched = store.touched(which)?;
    for opened in store.opened()? {
        if touched.as_ref().is_none_or(|touched| touched.contains(&opened.id)) {
            own_order.open(&opened);
            session.open(opened);
        }
    }
    let (mut frames, mut lookout) = (0u64, Lookout::default());
    store.each_frame(which, &mut |id, connection, frame| {
        frames += 1;
        if frames.is_multiple_of(STEP) {
            options.go_on()?;
            progress.frames(frames);
        }
        if let Some(kind) = lookout.look(connection, frame) {
            session.secret(id, connection, frame.at_us, kind);
        }
        judge.frame(id, connection, frame);
        session.push(id, connection, frame, &mut judge);
        own_order.frame(id, connection, frame);
        judge.failed()
    })?;
    finish(store, session, judge, (own_order, options)).map(drop)
}

/// Ends a fold and writes what comes of it; gives how much was followed from hop to hop.
pub(super) fn finish(
    store: &Store,
    session: Session,
    mut judge: Judge<'_>,
    (own_order, options): (OwnOrder, &Options),
) -> Result<Vec<Followed>> {
    store.recall(&session.asks())?;
    let mut oracle = store.oracle()?;
    session.finish(&mut oracle, &mut judge);
    oracle.failed()?;
    let (followed, serves) = judge.follow();
    judge.asked_for();
    judge.failed()?;
    own_order.fold(options, &mut judge)?;
    for undecided in judge.undecided() {
        store.add_undecided(undecided.code, &undecided.lacks, undecided.events)?;
    }
    drop((oracle, judge));
    store.serves(&serves)?;
    store.settle()?;
    store.index_derived()?;
    Ok(followed)
}
