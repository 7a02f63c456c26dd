//! The order of the records of an export.

/// Puts records into the order of their times, as far as they are in none.
pub(super) fn in_order<T>(records: &mut [T], at_us: impl Fn(&T) -> i64) {
    if newest_first(records.iter().map(&at_us)) {
        records.reverse();
    }
    if !merely_jitter(records.iter().map(&at_us)) {
        records.sort_by_cached_key(at_us);
    }
}

/// How far times go back in a log whose writers took them before they wrote, in microseconds.
const JITTER_US: i64 = 50_000;

/// True if no time is far behind the newest before it: the records stand as they were written, and which of two came first is
/// told by what they say.
pub(super) fn merely_jitter(times: impl Iterator<Item = i64>) -> bool {
    let mut newest = i64::MIN;
    times.into_iter().all(|at_us| {
        newest = newest.max(at_us);
        newest - at_us <= JITTER_US
    })
}

/// True if more of the times go back than on: parts in the wrong order go back once.
pub(super) fn newest_first(times: impl Iterator<Item = i64> + Clone) -> bool {
    let (mut back, mut on) = (0, 0);
    for (before, now) in times.clone().zip(times.skip(1)) {
        back += usize::from(now < before);
        on += usize::from(now > before);
    }
    back > on
}

/// The records, and between them, which may stand newest first, what has no time: each where its line is.
pub(super) fn with_others<T>(records: Vec<T>, mut others: Vec<T>, line: impl Fn(&T) -> u64) -> Vec<T> {
    let goes_back = newest_first(records.iter().map(|record| line(record) as i64));
    // The next one is the last.
    others.sort_by_key(|other| if goes_back { line(other) as i64 } else { -(line(other) as i64) });
    let mut all = Vec::with_capacity(records.len() + others.len());
    for record in records {
        let here = line(&record);
        while let Some(before) = others.pop_if(|other| if goes_back { here < line(other) } else { line(other) < here })
        {
            all.push(before);
        }
        all.push(record);
    }
    all.extend(others.into_iter().rev());
    all
}
