//! Which words before the messages tell one direction from the other.
//!
//! A run of words qualifies for a side if nearly all messages behind it that tell their sender were sent by that side.
//! The fewest that cover the most are taken; a word that everyone knows (`in`, `>>`, `client -> server`) goes before one that
//! only this log knows, and the one nearest to the message before one farther off.

use std::collections::HashMap;

use super::evidence::{Example, Sampled};
use super::tokens::runs;
use crate::capture::Direction;
use crate::capture::words::{self, Word};
use crate::jsonrpc::Kind;
use crate::protocol::Side;

/// How many words one side has at most.
const WORDS: usize = 8;

/// What a run of words is followed by.
#[derive(Clone, Debug, Default)]
struct Count {
    by: [usize; 2],
    distance: usize,
}

/// The words that tell a direction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Words {
    /// What stands before messages of the client, and of the server.
    pub of: [Vec<String>; 2],
}

fn index(side: Side) -> usize {
    usize::from(side == Side::Server)
}

/// What everyone takes a word for.
pub(super) fn common(word: &str) -> Option<Direction> {
    match words::direction("", word) {
        Some(Word::Direction(direction)) => Some(direction),
        _ => None,
    }
}

/// Finds the words; none where the messages do not tell senders, or no words go with them.
pub(super) fn separate(sampled: &Sampled) -> Option<Words> {
    if let Some((side, word)) = of_one_side(sampled) {
        let mut words = Words::default();
        words.of[index(side)].push(word);
        return Some(words);
    }
    by_messages(sampled).filter(|words| !stand_before_all(words, sampled))
}

/// True for words of one side that stand before every message of a log in which requests are answered: they stand against nothing, and
/// whatever both sides send has them.
fn stand_before_all(words: &Words, sampled: &Sampled) -> bool {
    let of_one_side = words.of.iter().any(Vec::is_empty);
    let has_one = |seen: &Example| {
        let found = runs(&seen.before, &seen.said.method);
        found.iter().any(|(run, _)| words.of.iter().flatten().any(|word| word == run))
    };
    of_one_side && sampled.answers_itself() && sampled.seen.iter().all(has_one)
}

/// The words that go with what messages prove, or that everyone knows.
fn by_messages(sampled: &Sampled) -> Option<Words> {
    let told: Vec<&Example> = sampled.seen.iter().filter(|seen| seen.said.sender.is_some()).collect();
    if told.is_empty() {
        return by_common_words(sampled);
    }
    let all = choose(&told, |seen| whole_ways(runs(&seen.before, &seen.said.method)));
    let last = choose(&told, |seen| {
        runs(&seen.before, "").into_iter().filter(|(run, from_end)| *from_end == 0 && !run.contains(' ')).collect()
    });
    let best = if last.1 > all.1 { last } else { all };
    let (mut words, covered) = best;
    complete(&mut words, sampled);
    let known = words.of.iter().flatten().all(|word| common(word).is_some());
    let sides = words.of.iter().filter(|words| !words.is_empty()).count();
    let enough = match known {
        true => sides > 0,
        // A word of the log's own is believed where it stands against another, and most messages have one of them.
        false => sides == 2 && covered * 5 >= told.len() * 4 && !tells_kinds(&words, &told),
    };
    enough.then_some(words)
}

/// The way that stands before every message (`client -> server`), where all methods that tell their sender agree: what one side
/// sent was logged alone. Ids that both sides count would pair its answers with its own requests.
fn of_one_side(sampled: &Sampled) -> Option<(Side, String)> {
    let (first, rest) = sampled.seen.split_first()?;
    let mut runs_of_first = runs(&first.before, &first.said.method);
    runs_of_first.sort_by_key(|(run, _)| std::cmp::Reverse(run.len()));
    let way = |run: &str| match common(run) {
        Some(Direction::By(side)) if words::is_way(run) => Some(side),
        _ => None,
    };
    let (side, word) = runs_of_first.into_iter().find_map(|(run, _)| Some((way(run)?, run)))?;
    let everywhere =
        rest.iter().all(|seen| runs(&seen.before, &seen.said.method).into_iter().any(|(run, _)| run == word));
    let mut told = sampled.seen.iter().filter(|seen| !seen.said.method.is_empty()).filter_map(|seen| seen.said.sender);
    (everywhere && !sampled.greeted && told.next() == Some(side) && told.all(|other| other == side))
        .then(|| (side, word.to_string()))
}

/// Where messages told the words of one side only: what everyone takes for the opposite goes to the other one. The messages
/// behind it need not tell who sent them; an answer before its request does not.
fn complete(words: &mut Words, sampled: &Sampled) {
    for side in [Side::Client, Side::Server] {
        let of_peer: Vec<Direction> = words.of[index(side.peer())].iter().filter_map(|word| common(word)).collect();
        if !words.of[index(side)].is_empty() || of_peer.is_empty() {
            continue;
        }
        for seen in sampled.seen.iter().filter(|seen| seen.said.sender.is_none()) {
            let found = runs(&seen.before, &seen.said.method);
            let is_opposite = |run: &str| common(run).is_some_and(|direction| of_peer.contains(&opposite(direction)));
            // The `server` in `client -> server` is no word of its own.
            let parts = found.iter().any(|(run, _)| is_between(run));
            let is_whole = |run: &str| !parts || is_between(run);
            let word = found.iter().rev().find(|(run, _)| is_opposite(run) && is_whole(run));
            let Some((word, _)) = word else { continue };
            let own = &mut words.of[index(side)];
            if own.len() < WORDS && !own.iter().any(|known| known == word) {
                own.push((*word).to_string());
            }
        }
    }
}

/// Runs without those that are a part of an arrow between two names: where every message goes from somewhere to somewhere, an arrow alone
/// says nothing.
fn whole_ways(mut runs: Vec<(&str, usize)>) -> Vec<(&str, usize)> {
    let has_names = |run: &str| run.starts_with(char::is_alphanumeric) && run.ends_with(char::is_alphanumeric);
    let is_arrow = |run: &str| run.contains(['>', '<', '→', '←']) && has_names(run) && is_between(run);
    let ways: Vec<&str> = runs.iter().map(|(run, _)| *run).filter(|run| is_arrow(run)).collect();
    runs.retain(|(run, _)| ways.iter().all(|way| way == run || !way.contains(run)));
    runs
}

/// True for two sides with something between them.
fn is_between(run: &str) -> bool {
    matches!(common(run), Some(Direction::By(_))) && run.split_whitespace().count() > 1
}

fn opposite(direction: Direction) -> Direction {
    match direction {
        Direction::Sent => Direction::Received,
        Direction::Received => Direction::Sent,
        Direction::By(side) => Direction::By(side.peer()),
        Direction::Unknown => Direction::Unknown,
    }
}

/// The words of both sides, and how many messages have one.
fn choose<'a>(told: &[&'a Example], runs: impl Fn(&'a Example) -> Vec<(&'a str, usize)>) -> (Words, usize) {
    let mut counts: HashMap<&str, Count> = HashMap::new();
    let mut held: Vec<Vec<&str>> = Vec::new();
    for seen in told {
        let mut own = runs(seen);
        own.sort_unstable();
        own.dedup_by_key(|(run, _)| *run);
        for (run, distance) in &own {
            let count = counts.entry(run).or_default();
            count.by[seen.said.sender.map_or(0, index)] += 1;
            count.distance += distance;
        }
        held.push(own.into_iter().map(|(run, _)| run).collect());
    }
    let mut words = Words::default();
    let mut covered = 0;
    for side in [Side::Client, Side::Server] {
        let own: Vec<&Vec<&str>> =
            told.iter().zip(&held).filter(|(seen, _)| seen.said.sender == Some(side)).map(|(_, held)| held).collect();
        let (chosen, count) = cover(&own, &counts, side);
        words.of[index(side)] = chosen;
        covered += count;
    }
    (words, covered)
}

/// Takes words for a side until all its messages are covered, or no word covers more than one.
fn cover(own: &[&Vec<&str>], counts: &HashMap<&str, Count>, side: Side) -> (Vec<String>, usize) {
    let mut left: Vec<&Vec<&str>> = own.to_vec();
    let mut chosen: Vec<String> = Vec::new();
    while !left.is_empty() && chosen.len() < WORDS {
        let mut fresh: HashMap<&str, usize> = HashMap::new();
        left.iter().flat_map(|held| held.iter()).for_each(|run| *fresh.entry(run).or_default() += 1);
        let best = fresh
            .into_iter()
            .filter(|(run, _)| {
                counts.get(run).is_some_and(|count| is_pure(run, count, side) || is_one_of_two(run, counts, side))
            })
            .max_by_key(|(run, covers)| rank(run, *covers, &counts[run], side));
        let Some((run, covers)) = best else { break };
        if covers < 2 && covers < own.len() {
            break;
        }
        left.retain(|held| !held.contains(&run));
        chosen.push(run.to_string());
    }
    (chosen, own.len() - left.len())
}

type Rank<'a> = (usize, bool, bool, std::cmp::Reverse<usize>, std::cmp::Reverse<usize>, std::cmp::Reverse<&'a str>);

fn rank<'a>(run: &'a str, covers: usize, count: &Count, side: Side) -> Rank<'a> {
    let words = run.split(|c: char| c.is_whitespace()).count();
    let distance = count.distance / (count.by[0] + count.by[1]).max(1);
    use std::cmp::Reverse;
    // The `server` in `client -> server` stands before what the client sends, and says the opposite.
    let (agrees, between) = (agrees(run, side), is_between(run));
    (covers, agrees, agrees && between, Reverse(words), Reverse(distance), Reverse(run))
}

/// True for a word that everyone knows and that does not name the other side.
fn agrees(run: &str, side: Side) -> bool {
    common(run).is_some_and(|direction| direction != Direction::By(side.peer()))
}

/// True if what stands behind a run is that side's. A side may break a rule: one message in ten does not unmake a word
/// that everyone knows, and one in fifty not one of the log's own.
fn is_pure(run: &str, count: &Count, side: Side) -> bool {
    let (own, other) = (count.by[index(side)], count.by[index(side.peer())]);
    let factor = if common(run).is_some() { 10 } else { 50 };
    other * factor <= own
}

/// True for a word that everyone knows, in a log that has its opposite too, where both stand mostly before what they say: a short log has
/// few messages against the one by which a side broke a rule.
fn is_one_of_two(run: &str, counts: &HashMap<&str, Count>, side: Side) -> bool {
    let mostly = |count: &Count, side: Side| {
        let (own, other) = (count.by[index(side)], count.by[index(side.peer())]);
        own > 0 && own >= 2 * other
    };
    let Some(direction) = common(run) else { return false };
    let is_opposite = |other: &str| common(other) == Some(opposite(direction));
    let mut against = counts.iter().filter(|(other, _)| is_opposite(other));
    mostly(&counts[run], side) && against.any(|(_, count)| mostly(count, side.peer()))
}

/// True if the words may tell requests from answers only, and not who sends: none stands before two kinds.
fn tells_kinds(words: &Words, told: &[&Example]) -> bool {
    words.of.iter().flatten().all(|word| {
        let mut kinds =
            told.iter().filter(|seen| seen.before.contains(word.as_str())).map(|seen| class(seen.said.kind));
        let first = kinds.next();
        kinds.all(|kind| Some(kind) == first)
    })
}

fn class(kind: Kind) -> u8 {
    match kind {
        Kind::Request => 0,
        Kind::Notification => 1,
        _ => 2,
    }
}

/// Where no message tells its sender: two words that everyone knows and that mean opposite directions.
fn by_common_words(sampled: &Sampled) -> Option<Words> {
    let mut words = Words::default();
    for seen in &sampled.seen {
        let found = runs(&seen.before, &seen.said.method);
        // `server -> client` says more than the `client` in it.
        let said = |run: &'_ &(&str, usize)| common(run.0).is_some();
        let whole = found.iter().rev().filter(said).find(|(run, _)| is_between(run));
        let word = whole.or_else(|| found.iter().rev().find(said)).and_then(|(run, _)| Some((*run, common(run)?)));
        let Some((word, direction)) = word else { continue };
        let of = match direction {
            Direction::By(side) => index(side),
            Direction::Received => 0,
            Direction::Sent => 1,
            Direction::Unknown => continue,
        };
        if !words.of[of].iter().any(|known| known == word) {
            words.of[of].push(word.to_string());
        }
    }
    let few = words.of.iter().all(|words| words.len() <= WORDS);
    (few && words.of.iter().any(|words| !words.is_empty())).then_some(words)
}
