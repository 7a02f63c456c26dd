//! The order in which records are read.

use rustc_hash::FxHashMap;

/// The order in which records are to be read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::capture) enum Order {
    /// As they stand in the log.
    #[default]
    AsWritten,
    /// By rank, sorted by where messages start in the log.
    Ranked(Vec<Rank>),
}

/// The place of a message in the order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::capture) struct Rank {
    /// Where it starts in the log.
    pub offset: u64,
    pub rank: usize,
    /// The line of its record.
    pub line: u64,
}

impl Order {
    /// Brings records into the order; each takes a range of bytes. One without a message stays behind the one before it, where most have
    /// none: it goes on with that. Else it is one by itself, and where the log is newest first, it stays before the one behind it.
    pub(in crate::capture) fn arrange<T>(&self, records: &mut [T], range: impl Fn(&T) -> std::ops::Range<u64>) {
        let Order::Ranked(ranks) = self else { return };
        let rank = |record: &T| {
            let range = range(record);
            let first = ranks.partition_point(|rank| rank.offset < range.start);
            ranks.get(first).filter(|rank| rank.offset < range.end).map(|rank| rank.rank)
        };
        arrange(records, rank);
    }

    /// The same for records that were written anew, of which the lines alone are those of the log.
    pub(in crate::capture) fn arrange_by_line<T>(&self, records: &mut [T], line: impl Fn(&T) -> u64) {
        let Order::Ranked(ranks) = self else { return };
        let mut first: FxHashMap<u64, usize> = FxHashMap::default();
        for rank in ranks {
            first.entry(rank.line).and_modify(|known| *known = rank.rank.min(*known)).or_insert(rank.rank);
        }
        arrange(records, |record| first.get(&line(record)).copied());
    }
}

fn arrange<T>(records: &mut [T], rank: impl Fn(&T) -> Option<usize>) {
    let ranks: Vec<Option<usize>> = records.iter().map(rank).collect();
    let alone = ranks.iter().filter(|rank| rank.is_none()).count() * 2 <= ranks.len();
    let keys = keys(&ranks, alone && is_newest_first(&ranks));
    let mut places: Vec<usize> = (0..records.len()).collect();
    places.sort_by_key(|place| keys[*place]);
    permute(records, places);
}

/// True where most records belong before the one that they stand behind.
fn is_newest_first(ranks: &[Option<usize>]) -> bool {
    let known: Vec<usize> = ranks.iter().flatten().copied().collect();
    known.windows(2).filter(|pair| pair[1] < pair[0]).count() * 2 > known.len()
}

/// Where each record belongs: behind which rank, and in which order there. What stands before all of them is their head. Those
/// without a rank are turned round with the others, if they are to be.
fn keys(ranks: &[Option<usize>], turned: bool) -> Vec<(usize, usize)> {
    let (mut keys, mut last) = (Vec::with_capacity(ranks.len()), None);
    for (place, rank) in ranks.iter().enumerate() {
        let Some(rank) = *rank else {
            keys.push((last.map_or(0, |last| last + 1), place + 1));
            continue;
        };
        if turned && last.is_some_and(|last| rank < last) {
            turn(&mut keys, ranks, rank + 1);
        }
        keys.push((rank + 1, 0));
        last = Some(rank);
    }
    if turned && last.is_some() {
        turn(&mut keys, ranks, 0);
    }
    keys
}

/// The records without a rank that were keyed last stand behind `key`, the last of them first.
fn turn(keys: &mut [(usize, usize)], ranks: &[Option<usize>], key: usize) {
    let run = ranks[..keys.len()].iter().rev().take_while(|rank| rank.is_none()).count();
    for (place, known) in keys.iter_mut().enumerate().rev().take(run) {
        *known = (key, usize::MAX - place);
    }
}

/// Puts at each place what stands at `places[place]`.
fn permute<T>(records: &mut [T], mut places: Vec<usize>) {
    for start in 0..places.len() {
        let mut at = start;
        while places[at] != start {
            let next = places[at];
            records.swap(at, next);
            places[at] = at;
            at = next;
        }
        places[at] = at;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The order of records of which these have a rank.
    fn arranged(ranks: &[Option<usize>]) -> Vec<usize> {
        let placed =
            |(at, rank): (usize, &Option<usize>)| Some(Rank { offset: at as u64, rank: (*rank)?, line: at as u64 });
        let known: Vec<Rank> = ranks.iter().enumerate().filter_map(placed).collect();
        let mut by_line: Vec<u64> = (0..ranks.len() as u64).collect();
        Order::Ranked(known.clone()).arrange_by_line(&mut by_line, |at| *at);
        let mut places: Vec<u64> = (0..ranks.len() as u64).collect();
        Order::Ranked(known).arrange(&mut places, |at| *at..*at + 1);
        assert_eq!(places, by_line);
        places.into_iter().map(|at| at as usize).collect()
    }

    #[test]
    fn a_record_without_a_message_stays_between_its_neighbours() {
        assert_eq!(arranged(&[Some(2), Some(1), None, Some(0)]), [3, 2, 1, 0]);
        assert_eq!(arranged(&[Some(2), None, Some(1), Some(0), None]), [4, 3, 2, 1, 0]);
        assert_eq!(arranged(&[Some(3), None, None, Some(2), Some(1), Some(0)]), [5, 4, 3, 2, 1, 0]);
        assert_eq!(arranged(&[Some(0), Some(1), Some(4), None, Some(2), Some(3)]), [0, 1, 4, 5, 2, 3]);
    }

    #[test]
    fn the_head_stays_first_and_what_goes_on_stays_behind_its_beginning() {
        assert_eq!(arranged(&[None, Some(2), Some(1), Some(0)]), [0, 3, 2, 1]);
        assert_eq!(arranged(&[Some(1), None, None, Some(0), None, None]), [3, 4, 5, 0, 1, 2]);
    }
}
