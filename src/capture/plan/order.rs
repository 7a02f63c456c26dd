//! The order in which records are read.

/// The order in which records are to be read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::capture) enum Order {
    /// As they stand in the log.
    #[default]
    AsWritten,
    /// By rank: where a message starts in the log, and its place, sorted by the former.
    Ranked(Vec<(u64, usize)>),
}

impl Order {
    /// Brings records into the order; each takes a range of bytes, and one without a message stays behind the one before it.
    pub(in crate::capture) fn arrange<T>(&self, records: &mut [T], range: impl Fn(&T) -> std::ops::Range<u64>) {
        let Order::Ranked(ranks) = self else { return };
        let mut last = 0;
        let mut keys: Vec<usize> = Vec::with_capacity(records.len());
        for record in records.iter() {
            let range = range(record);
            let first = ranks.partition_point(|(offset, _)| *offset < range.start);
            if let Some((_, rank)) = ranks.get(first).filter(|(offset, _)| *offset < range.end) {
                last = *rank;
            }
            keys.push(last);
        }
        let mut places: Vec<usize> = (0..records.len()).collect();
        places.sort_by_key(|place| keys[*place]);
        permute(records, places);
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
