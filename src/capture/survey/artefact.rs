//! What loggers and filters put into messages: nulls that were not sent, a word where there was structure, a cut.
//!
//! Two programs that never met do not share a fault on every message: what all notifications of both senders have was
//! written by whoever logged them.

use memchr::memmem;
use rustc_hash::{FxHashMap, FxHashSet};

use super::exchanges;
use super::left_out;
use super::note::{Act, Note, Notes};
use crate::capture::Proof;
use crate::capture::plan::{NoteId, Plan};
use crate::capture::time::SECOND;
use crate::capture::unread::{breaks_off, times_again};

/// How often a word has to stand where structure should to be a filter's, and not a side's.
const OFTEN: usize = 2;

/// Notifications that have one id, so that it is nobody's.
const REPEATED: usize = 3;

/// How many messages in a row have to stand twice to be a block that was sent again.
const BLOCK: usize = 3;

/// Looks at the head for what shows in each message alone. A recorder writes what passed: it leaves nothing out and puts nothing
/// together, but what it recorded may have been taken out since.
pub(super) fn look_alone(notes: &Notes, recorded: bool, plan: &mut Plan) {
    let notes = &*notes.each_once();
    nulls(notes, plan);
    errors(notes, plan);
    versions(notes, plan);
    lists(notes, plan);
    if !recorded {
        left_out::look_alone(notes, plan);
    }
    words(notes, plan);
    cuts(notes, plan);
}

/// Looks at the head for all of it.
pub(super) fn look(notes: &Notes, plan: &mut Plan) {
    look_alone(notes, false, plan);
    doubled(notes, plan);
    left_out::look(notes, plan);
    exchanges::look(notes, plan);
}

/// Batches all of which hold a request with its answer: a logger's lists of what belongs together.
fn lists(notes: &Notes, plan: &mut Plan) {
    let [all, exchanges] = notes.lists;
    if exchanges >= OFTEN && exchanges * 2 > all {
        plan.lacks = plan.lacks.and(Proof::ENVELOPE).and(Proof::ORDER);
        plan.said.push("lists hold requests with their answers: its logger has put them together".to_string());
    }
}

/// Several errors, of which none is an object with a code and a message, in a log that a program wrote: a side that makes all
/// its errors so, and a logger that keeps the text of each, are not told apart.
fn errors(notes: &Notes, plan: &mut Plan) {
    let errors = || notes.list.iter().filter(|note| note.marks.fails || note.marks.bad_error);
    if notes.rewritten && errors().count() >= OFTEN && errors().all(|note| note.marks.bad_error) {
        plan.lacks = plan.lacks.and(Proof::ENVELOPE).and(Proof::ERROR_CODE);
        plan.said
            .push("no error has a code and a message, and nothing tells whether its logger left them out".to_string());
    }
}

/// Requests and notifications of both sides without `jsonrpc`, and answers of which none lacks it: they were put together
/// from their members by whoever logged them.
fn versions(notes: &Notes, plan: &mut Plan) {
    let (answers, others): (Vec<&Note>, Vec<&Note>) = notes.list.iter().partition(|note| note.act == Act::Answer);
    let senders: FxHashSet<u8> = others.iter().map(|note| note.sender).collect();
    let both = senders.len() > 1 || senders.contains(&2) && others.len() > OFTEN;
    let apart = others.iter().all(|note| note.marks.unversioned) && !answers.iter().any(|note| note.marks.unversioned);
    if notes.rewritten && both && answers.len() >= OFTEN && apart {
        plan.lacks = plan.lacks.and(Proof::ENVELOPE);
        plan.said
            .push("no request has `jsonrpc`, and every answer has: its logger put the requests together".to_string());
    }
}

fn nulls(notes: &Notes, plan: &mut Plan) {
    let count = |sender: u8, is: &dyn Fn(&super::marks::Marks) -> bool| {
        notes.list.iter().filter(|note| note.sender == sender && is(&note.marks)).count()
    };
    let everywhere = |has: &dyn Fn(&super::marks::Marks) -> bool, lacks: &dyn Fn(&super::marks::Marks) -> bool| {
        let (senders, all): (Vec<u8>, usize) =
            ((0..3).filter(|sender| count(*sender, has) > 0).collect(), (0..3).map(|sender| count(sender, has)).sum());
        let both = senders.len() > 1 || senders == [2];
        both && all > 1 && (0..3).all(|sender| count(sender, lacks) == 0)
    };
    let with_method = || notes.list.iter().filter(|note| note.act != Act::Answer);
    let all_printed = |is: &dyn Fn(&super::note::Note) -> bool| with_method().count() > 1 && with_method().all(is);
    if all_printed(&|note| note.marks.printed_whole) && notes.list.iter().any(|note| note.marks.null_id) {
        plan.note_id = Some(NoteId::Null);
        plan.lacks = plan.lacks.and(Proof::ENVELOPE);
        plan.said
            .push("every message has all members that one may have, null where its logger had nothing".to_string());
    } else if all_printed(&|note| note.marks.printed) {
        plan.lacks = plan.lacks.and(Proof::ENVELOPE);
        plan.said.push(
            "every message with a method has members of an answer, null where its logger had nothing".to_string(),
        );
    } else if everywhere(&|marks| marks.null_id, &|marks| marks.notification) {
        plan.note_id = Some(NoteId::Null);
        plan.lacks = plan.lacks.and(Proof::ENVELOPE);
        plan.said.push("every notification of both sides has the id null, which its logger wrote".to_string());
    } else if let Some(id) = constant_id(notes) {
        plan.note_id = Some(NoteId::Same(id));
        plan.lacks = plan.lacks.and(Proof::ENVELOPE);
        plan.said.push("every notification of both sides has one and the same id, which its logger wrote".to_string());
    } else if notes.rewritten
        && notes.list.iter().any(|note| note.marks.null_on_notification)
        && !notes.list.iter().any(|note| note.marks.notification)
    {
        plan.lacks = plan.lacks.and(Proof::ENVELOPE);
        plan.said
            .push("every notification has the id null, and nothing tells whether its logger wrote that".to_string());
    }
    let errors = || notes.list.iter().filter(|note| note.marks.fails || note.marks.null_error);
    if notes.rewritten && errors().next().is_some() && errors().all(|note| note.marks.null_error) {
        plan.lacks = plan.lacks.and(Proof::ENVELOPE);
        plan.said.push("no error has a message, and nothing tells whether its logger left that out".to_string());
    }
    if everywhere(&|marks| marks.null_params, &|marks| marks.bare) {
        plan.lacks = plan.lacks.and(Proof::ENVELOPE);
        plan.said.push("every message without parameters has params null, which its logger wrote".to_string());
    } else if notes.rewritten
        && notes.list.iter().any(|note| note.marks.null_params)
        && !notes.list.iter().any(|note| note.marks.bare)
    {
        plan.lacks = plan.lacks.and(Proof::ENVELOPE);
        plan.said.push(
            "every message without parameters has params null, and nothing tells whether its logger wrote that"
                .to_string(),
        );
    }
}

/// The id that all notifications have, of whichever side: two peers do not make one up together.
fn constant_id(notes: &Notes) -> Option<u64> {
    let found = || notes.list.iter().filter_map(|note| Some((note.sender, note.marks.id_on_notification?)));
    let (sender, id) = found().next()?;
    let of_both = found().any(|(other, _)| other != sender) || sender == 2;
    let one = found().all(|(_, other)| other == id) && !notes.list.iter().any(|note| note.marks.notification);
    (of_both && one && found().count() >= REPEATED).then_some(id)
}

/// Words in place of structure.
pub(super) fn words(notes: &Notes, plan: &mut Plan) {
    // What a cancel meets is lost with the parameters of a notification, and not with those of a request, or a result.
    let acts: Vec<Act> = notes.list.iter().filter(|note| note.marks.word[0] != 0).map(|note| note.act).collect();
    let bodies = match (acts.contains(&Act::Tell), acts.iter().all(|act| *act == Act::Answer)) {
        (true, _) => Proof::PAYLOAD.and(Proof::CANCEL_TARGET).and(Proof::ENVELOPE),
        (_, true) => Proof::PAYLOAD,
        _ => Proof::PAYLOAD.and(Proof::ENVELOPE),
    };
    let lacks = [
        (bodies, "parameters and results"),
        (Proof::PAIRING.and(Proof::ENVELOPE).and(Proof::CANCEL_TARGET), "ids"),
        (Proof::CANCEL_TARGET.and(Proof::PAYLOAD), "the ids in cancels"),
        (Proof::ERROR_CODE.and(Proof::ENVELOPE), "errors"),
        (Proof::PAYLOAD.and(Proof::CANCEL_TARGET).and(Proof::ENVELOPE), "all parameters"),
    ];
    // A filter that has a word of its own for parameters leaves no others.
    let known = if notes.list.iter().any(|note| note.marks.structured) { 4 } else { 5 };
    for (place, (lacks, what)) in lacks.into_iter().enumerate().take(known) {
        let mut counts: FxHashMap<u64, usize> = FxHashMap::default();
        for word in notes.list.iter().map(|note| note.marks.word[place]).filter(|word| *word != 0) {
            *counts.entry(word).or_default() += 1;
        }
        let often = if matches!(place, 2 | 3) { 1 } else { OFTEN };
        if counts.values().any(|count| *count >= often) {
            plan.lacks = plan.lacks.and(lacks);
            plan.said.push(format!("one word stands where {what} were: they were taken out before it was shipped"));
        }
    }
}

/// Strings that end in the middle of a message, several of them after as many bytes: a size limit.
fn cuts(notes: &Notes, plan: &mut Plan) {
    let mut counts: FxHashMap<usize, usize> = FxHashMap::default();
    for length in &notes.cut {
        *counts.entry(*length).or_default() += 1;
    }
    plan.cut_lengths = counts.into_iter().filter(|(_, count)| *count >= OFTEN).map(|(length, _)| length).collect();
    plan.cut_lengths.sort_unstable();
    plan.longest = notes.longest;
}

/// Lines of one length that break off in the middle of a record, where none is longer: a size limit that leaves no mark. Whoever
/// spreads a record over lines breaks them behind a bracket or a comma; a limit falls anywhere.
pub(super) fn cut_lines(head: &[u8], whole: bool, plan: &mut Plan) {
    let end = if whole { head.len() } else { memchr::memrchr(b'\n', head).unwrap_or(0) };
    let (mut start, mut longest, mut lines) = (0, 0, Vec::new());
    for end in memchr::memchr_iter(b'\n', &head[..end]).chain([end]) {
        let line = &head[start..end];
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.len() > longest {
            longest = line.len();
            lines.clear();
        }
        if line.len() == longest {
            lines.push(line);
        }
        start = end + 1;
    }
    let spread = |line: &&[u8]| matches!(line.trim_ascii_end().last(), Some(b'{' | b'[' | b'(' | b','));
    if lines.into_iter().filter(|line| breaks_off(line) && !spread(line)).take(OFTEN).count() == OFTEN {
        plan.cut_line = Some(longest);
        plan.said.push(format!("its lines are cut at {longest} bytes"));
    }
}

/// Every message twice, and where there are times with one time: two handlers of one logger. With two times they may be two hops or two
/// connections, which nothing tells.
pub(super) fn doubled(notes: &Notes, plan: &mut Plan) {
    let mut counts: FxHashMap<(u64, Option<i64>), usize> = FxHashMap::default();
    for note in &notes.list {
        *counts.entry((note.text, note.at_us)).or_default() += 1;
    }
    if counts.len() >= 4 && counts.values().all(|count| count.is_multiple_of(2)) && !begins_anew(&notes.list) {
        plan.doubled = true;
        plan.said.push("every message stands in it twice: its logger has two writers".to_string());
    }
}

/// True if a handshake without a time stands there again behind its answer: a connection begins that says what one before it said.
/// Writers that say the same say it while nobody has answered.
fn begins_anew(list: &[Note]) -> bool {
    let (mut opened, mut answered) = (FxHashSet::default(), FxHashSet::default());
    list.iter().filter(|note| note.at_us.is_none()).any(|note| match note.act {
        Act::Open => !opened.insert((note.text, note.id)) && answered.contains(&note.id),
        Act::Answer => {
            answered.insert(note.id);
            false
        }
        _ => false,
    })
}

/// Several messages in a row that stand twice in a log with a handshake, whose clock does not tell whether they were delivered
/// twice: who counts his ids up sends no such block again. A block is of the log, and what stands in it may be of several `streams`.
pub(super) fn resent_blocks(notes: &Notes, streams: &[u32], plan: &mut Plan) {
    let list = &notes.list;
    let coarse = notes.have_coarse_times() || list.iter().all(|note| note.at_us.is_none());
    if coarse && list.iter().any(|note| note.act == Act::Open) && has_resent_block(notes, streams) {
        plan.lacks = plan.lacks.and(Proof::PAIRING);
        plan.said.push("a block of its records stands in it twice, as if it had been delivered again".to_string());
    }
}

fn has_resent_block(notes: &Notes, streams: &[u32]) -> bool {
    let counts_seconds = notes.resolution_us >= SECOND;
    let mut last: FxHashMap<u32, FxHashMap<(u64, Option<i64>), usize>> = FxHashMap::default();
    let (mut before, mut run, mut ids) = (None, 0, 0);
    notes.list.iter().zip(streams).enumerate().any(|(at, (note, stream))| {
        let last = last.entry(*stream).or_default();
        // A connection says what one before it said; only a time that goes on tells that it was one and the same.
        if note.act == Act::Open && (note.at_us.is_none() || !counts_seconds) {
            last.clear();
        }
        let again = last.insert((note.text, note.at_us), at).filter(|_| note.act != Act::Open);
        let goes_on = again.is_some() && before.is_some_and(|before: usize| again == Some(before + 1));
        (run, ids) = if goes_on { (run + 1, ids) } else { (usize::from(again.is_some()), 0) };
        ids += usize::from(again.is_some() && note.id != 0);
        before = again;
        run >= BLOCK && ids > 0
    })
}

/// How much of a log tells how many times stand before messages, in bytes.
const TIMED: usize = 1 << 16;

/// How many times lines have before their messages, beside the one that they begin with: as many as one line of four has. Records
/// that broke off within others are fewer.
pub(super) fn times(head: &[u8]) -> usize {
    let head = &head[..head.len().min(TIMED)];
    let (ends, mut start) = (memchr::memchr_iter(b'\n', head).chain([head.len()]), 0);
    let lines = ends.map(|end| &head[std::mem::replace(&mut start, end + 1).min(end)..end]);
    let version = memmem::Finder::new("\"jsonrpc");
    let of_message = lines.filter(|line| !line.is_empty()).map(|line| before_message(line, &version));
    let mut counts: Vec<usize> = of_message.map(|before| times_again(before, 0).count()).collect();
    counts.sort_unstable_by_key(|count| std::cmp::Reverse(*count));
    counts.get((counts.len() / 4).max(OFTEN - 1)).copied().unwrap_or(0)
}

/// What stands on a line before its message, which may be a member of a record in JSON, or quoted in it; of one that does not say where
/// it begins, what stands before all brackets.
fn before_message<'l>(line: &'l [u8], version: &memmem::Finder<'_>) -> &'l [u8] {
    let within = version.find(line).and_then(|at| memchr::memrchr(b'{', &line[..at]));
    &line[..within.or_else(|| memchr::memchr(b'{', line)).unwrap_or(line.len())]
}
