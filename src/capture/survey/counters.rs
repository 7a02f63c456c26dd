//! Two counters in one stream: a client that counts its ids up has one, and two clients that write into one stream have two.

/// How often a count has to go on after another one did: an id that is used again by mistake begins none that does.
const TURNS: usize = 2;

/// How many counts are followed at once.
const COUNTS: usize = 8;

/// One count: its newest number, how many it has, and whether it began no higher than another one was.
struct Count {
    newest: i64,
    length: usize,
    below: bool,
}

/// The counts of one sender.
#[derive(Default)]
pub(super) struct Counts {
    /// The one that went on last at the end.
    list: Vec<Count>,
    /// Where those were that a new handshake ended.
    ended: Vec<i64>,
    /// How often another one than the last went on.
    turns: usize,
    /// True once a count went on that had ended.
    undead: bool,
}

impl Counts {
    /// A number goes on with a count, with the newest of several, or begins one.
    pub(super) fn take(&mut self, number: i64) {
        let goes_on = |newest: i64| newest.checked_add(1) == Some(number);
        let Some(at) = self.list.iter().rposition(|count| goes_on(count.newest)) else {
            self.undead |= !self.list.is_empty() && self.ended.iter().any(|newest| goes_on(*newest));
            if self.list.len() == COUNTS {
                self.list.remove(0);
            }
            let below = self.list.iter().any(|count| number <= count.newest);
            return self.list.push(Count { newest: number, length: 1, below });
        };
        self.turns += usize::from(at + 1 < self.list.len());
        let count = self.list.remove(at);
        self.list.push(Count { newest: number, length: count.length + 1, ..count });
    }

    /// A new handshake: who begins it counts anew.
    pub(super) fn begin_anew(self) -> Counts {
        Counts { ended: self.list.iter().map(|count| count.newest).collect(), ..Counts::default() }
    }

    /// True if they are those of two clients: they take turns, or one has begun again where another one was, and goes on.
    pub(super) fn are_two(&self) -> bool {
        let mut long = self.list.iter().filter(|count| count.length > 1);
        self.undead || long.clone().any(|count| count.below) || self.turns >= TURNS && long.nth(1).is_some()
    }
}
