//! What a log leaves out of every message, or of one side: what no session could have gone on without.

use rustc_hash::FxHashSet;

use super::note::{Act, Note, Notes};
use crate::capture::Proof;
use crate::capture::plan::Plan;

/// How many messages have to lack something, all that may have it, to tell of a logger; twice as many where no handshake
/// shows that they must have had it.
const STRIPPED: usize = 3;

/// Looks at the head for what shows in each message alone.
pub(super) fn look_alone(notes: &Notes, plan: &mut Plan) {
    parameters(notes, plan);
    tokens(notes, plan);
    texts(notes, plan);
    results(notes, plan);
    ids(notes, plan);
    types_of_ids(notes, plan);
}

/// Looks at the head for what shows in how they follow each other.
pub(super) fn look(notes: &Notes, plan: &mut Plan) {
    one_side(notes, plan);
    one_side_without_names(notes, plan);
    notifications(notes, plan);
    cancels(notes, plan);
}

fn say(plan: &mut Plan, lacks: Proof, words: &str) {
    plan.lacks = plan.lacks.and(lacks);
    plan.said.push(words.to_string());
}

/// The same of what a part of the log before this one may show.
fn doubt(plan: &mut Plan, lacks: Proof, words: &str) {
    plan.midway = plan.midway.and(lacks);
    plan.said.push(words.to_string());
}

/// True for enough of them, and for all.
fn all_of<'n>(notes: &Notes, each: impl Iterator<Item = &'n Note>, lacks: impl Fn(&Note) -> bool) -> bool {
    let mut count = 0;
    for note in each {
        if !lacks(note) {
            return false;
        }
        count += 1;
    }
    let opens = || notes.list.iter().any(|note| note.act == Act::Open);
    count >= 2 * STRIPPED || count >= STRIPPED && opens()
}

/// No handshake is answered that says nothing, and none says what a cancel does: where no message has parameters, not even
/// that, or all have the same few, they were left out. What says enough without any (`ping`) tells nothing of it.
fn parameters(notes: &Notes, plan: &mut Plan) {
    let asks = || notes.list.iter().filter(|note| note.act != Act::Answer);
    let first = asks().map(|note| note.marks.shape).find(|shape| *shape != 0).unwrap_or(0);
    let shared = notes.rewritten && asks().filter(|note| note.marks.shape == first).count() >= STRIPPED;
    let common = if shared { first } else { 0 };
    let bare = |note: &Note| note.marks.hollow || note.marks.null_params;
    let nothing = |note: &Note| bare(note) || note.marks.emptied;
    let same = |note: &Note| bare(note) || note.marks.shape == common;
    // Handshakes have keys of their own, and so have cancels.
    let kind = |note: &Note| (note.act == Act::Open, note.marks.cancels);
    let kinds: FxHashSet<_> = asks().filter(|note| note.marks.shape == common).map(kind).collect();
    let alike = kinds.len() > 1 || asks().any(|note| kind(note) != (false, false) && nothing(note));
    let should_say = || asks().any(|note| !note.marks.says_enough);
    // Nobody calls a tool without naming it, time and again.
    let needy = asks().any(|note| note.marks.needy) && asks().count() > 1 && asks().all(nothing);
    let given = || asks().filter(|note| !bare(note));
    if given().count() >= STRIPPED && given().all(|note| note.marks.quoted) {
        let words = "all parameters are the text of an object or a list: its logger has written them so";
        say(plan, Proof::PAYLOAD.and(Proof::ENVELOPE).and(Proof::CANCEL_TARGET), words);
    }
    let none = all_of(notes, asks(), nothing) && should_say();
    if needy || none || common != 0 && alike && all_of(notes, asks(), same) {
        let opens = asks().any(|note| note.act == Act::Open);
        let words = match (opens, needy) {
            (true, _) => "no message has parameters of its own, not even its handshake: its logger leaves them out",
            (false, true) => {
                "no message has parameters, not even calls that name what they call: its logger leaves them out"
            }
            (false, false) => "no message has parameters of its own: its logger may leave them out",
        };
        let lacks = Proof::PAYLOAD.and(Proof::CANCEL_TARGET);
        match opens || needy {
            true => say(plan, lacks, words),
            false => doubt(plan, lacks, words),
        }
    }
}

/// Progress on several tokens, none of which any request gives: they stand in a part of the requests that is not logged.
fn tokens(notes: &Notes, plan: &mut Plan) {
    let told = |note: &&Note| note.act == Act::Tell && note.token != 0 && !note.marks.self_introduced;
    let tokens: FxHashSet<u64> = notes.list.iter().filter(told).map(|note| note.token).collect();
    let given = notes.list.iter().any(|note| note.act != Act::Tell && note.token != 0);
    if notes.rewritten && tokens.len() > 1 && !given && notes.list.iter().any(|note| note.act == Act::Open) {
        say(
            plan,
            Proof::PAYLOAD,
            "no request gives a token in it, and progress speaks of several: its logger leaves them out",
        );
    }
}

/// Both sides of a handshake name themselves: where no message holds a text, and many hold nulls, a filter has put these there.
fn texts(notes: &Notes, plan: &mut Plan) {
    let with = |holds: fn(&Note) -> bool| notes.list.iter().filter(move |note| holds(note));
    if with(|note| note.marks.holds.texts).next().is_none() && with(|note| note.marks.holds.nulls).count() >= STRIPPED {
        let lacks = Proof::PAYLOAD.and(Proof::CANCEL_TARGET).and(Proof::ENVELOPE);
        say(plan, lacks, "null stands where texts were: they were taken out before they were logged");
    }
}

/// Nor does one go on that is answered by nothing, and nobody answers with the text of an object.
fn results(notes: &Notes, plan: &mut Plan) {
    let answers = || notes.list.iter().filter(|note| note.act == Act::Answer && !note.marks.fails);
    let enough = notes.rewritten && answers().count() >= STRIPPED && answers().all(|note| note.marks.void);
    if enough || all_of(notes, answers(), |note| note.marks.void) {
        say(plan, Proof::PAYLOAD.and(Proof::ENVELOPE), "every result is null or left out: its logger keeps none");
    } else if answers().count() >= STRIPPED && answers().all(|note| note.marks.quoted) {
        say(plan, Proof::PAYLOAD, "every result is the text of an object: its logger has written them so");
    } else if answers().count() >= STRIPPED && answers().all(|note| note.marks.emptied) && nothing_is_told(notes) {
        say(
            plan,
            Proof::PAYLOAD,
            "every result is {}, also of what is never answered by nothing: its logger keeps none",
        );
    }
}

/// True where several requests, or a handshake, that are never answered by nothing are answered by `{}`.
fn nothing_is_told(notes: &Notes) -> bool {
    let list = &notes.list;
    let is_emptied = |ask: &&Note| {
        let answers = |note: &&Note| note.act == Act::Answer && note.id == ask.id && note.marks.emptied;
        list.iter().any(|note| answers(&note))
    };
    let mut empty = list.iter().filter(|note| note.marks.asks_much && note.act != Act::Tell).filter(is_emptied);
    empty.next().is_some_and(|first| first.act == Act::Open || empty.nth(STRIPPED - 2).is_some())
}

/// Nobody finds the request of an answer that names none: where no message has an id, or all have one and cancels name
/// others, they were written by a logger.
fn ids(notes: &Notes, plan: &mut Plan) {
    let list = &notes.list;
    let lacks = Proof::PAIRING.and(Proof::ENVELOPE).and(Proof::CANCEL_TARGET);
    let is_paired = |note: &&Note| matches!(note.act, Act::Ask | Act::Open | Act::Answer) || note.marks.null_id;
    let paired = || list.iter().filter(is_paired);
    let first = paired().next().map_or(0, |note| note.id);
    if paired().any(|note| note.id != first) {
        return;
    }
    let answers = paired().filter(|note| note.act == Act::Answer).count();
    let enough = answers >= STRIPPED && paired().count() >= 2 * STRIPPED;
    let of_another = |note: &Note| note.target != 0 && note.target != first;
    if enough && (first == 0 || list.iter().any(of_another)) {
        say(plan, lacks, "all messages have one id: their own were taken out before they were logged");
    }
}

/// Cancels that name numbers or digests, in a log that writes every id as text or as none; answers that have texts, where no
/// request does.
fn types_of_ids(notes: &Notes, plan: &mut Plan) {
    let with_id = || notes.list.iter().filter(|note| note.id != 0);
    let by_number = notes.list.iter().any(|note| note.marks.target_is_number);
    if !notes.rewritten {
        return;
    }
    // What begins with letters was text to begin with.
    let numbers = || with_id().filter(|note| note.number.is_some());
    if by_number && all_of(notes, numbers(), |note| note.marks.id_in_text) {
        let words = "every id is the text of a number, and cancels name numbers: its logger may have written them so";
        say(plan, Proof::CANCEL_TARGET, words);
    } else if by_number && all_of(notes, with_id(), |note| note.marks.id_is_digest) {
        say(plan, Proof::CANCEL_TARGET, "every id is a digest, and cancels name numbers: its logger has hidden them");
    }
    let hidden = notes.list.iter().any(|note| note.marks.target_is_digest);
    if hidden && with_id().all(|note| !note.marks.id_is_digest) {
        say(plan, Proof::CANCEL_TARGET, "cancels name digests, and no id is one: its logger has hidden them");
    }
    let answers = with_id().filter(|note| note.act == Act::Answer);
    let asks = with_id().filter(|note| matches!(note.act, Act::Ask | Act::Open));
    let as_numbers = |note: &Note| note.number.is_some() && !note.marks.id_in_text;
    if all_of(notes, asks, as_numbers) && all_of(notes, answers, |note| note.marks.id_in_text) {
        let words = "every answer has as text the number that its request has: its logger may have written them so";
        say(plan, Proof::ENVELOPE, words);
    }
}

/// A handshake that nobody answers and that goes on all the same, in a log where one side alone speaks, or where both speak and nobody
/// answers anything: the rest is not logged. A log that merely ends without an answer tells of one that never came.
fn one_side(notes: &Notes, plan: &mut Plan) {
    let list = &notes.list;
    let one = |sender| list.iter().all(|note| note.sender == sender);
    let Some(opening) = list.iter().position(|note| note.act == Act::Open) else { return };
    let alone = one(0) || one(1);
    if !alone && !lacks_answers(list, opening) {
        return;
    }
    // Who goes on in another connection was answered there.
    let own = list[opening..].iter().filter(|note| note.channel == list[opening].channel);
    let mut next = own.filter(|note| note.marks.opened || note.act == Act::Answer);
    // What it answers later is what the other side asked.
    if next.next().is_some_and(|note| note.marks.opened) && list[..opening].iter().all(|note| note.act != Act::Answer) {
        let what = match (alone, list.iter().any(|note| note.act == Act::Tell)) {
            (true, _) => "what one side sent",
            (false, false) => "requests alone",
            (false, true) => "requests and notifications alone",
        };
        let words = format!("its head holds {what}, and a handshake that goes on without an answer");
        say(plan, Proof::BOTH_SIDES.and(Proof::ALL_ANSWERS), &words);
    }
}

/// True where both sides speak and no answer is in the log, and several messages behind the handshake are of who asked for that.
fn lacks_answers(list: &[Note], opening: usize) -> bool {
    let goes_on = list[opening..].iter().filter(|note| note.marks.opened && note.sender == list[opening].sender);
    goes_on.count() >= STRIPPED && list.iter().all(|note| note.act != Act::Answer)
}

/// What stands where the answer to a handshake should and is none, in a log that names no senders: it answers what the other side
/// asked, which is not logged. Ids that both sides count pair by chance then.
fn one_side_without_names(notes: &Notes, plan: &mut Plan) {
    let unnamed = notes.list.iter().all(|note| note.sender == 2);
    let emptied = |note: &Note| note.marks.void || note.marks.emptied || note.marks.word != [0; 5];
    if unnamed && notes.list.iter().any(|note| note.marks.answers_other && !emptied(note)) {
        let words = "what stands where the answer to its handshake should is none: one side alone may be logged";
        say(plan, Proof::BOTH_SIDES.and(Proof::PAIRING).and(Proof::DIRECTION), words);
    }
}

/// Answers that say that their requests were cancelled, several, and no cancel: those are not logged.
fn cancels(notes: &Notes, plan: &mut Plan) {
    let told = notes.list.iter().filter(|note| note.marks.cancelled).count();
    if told >= STRIPPED && !notes.list.iter().any(|note| note.marks.cancels) {
        say(plan, Proof::CANCEL_TARGET, "requests are answered as cancelled in it, and it holds no cancel");
    }
}

/// True for a request that is made only after a handshake.
fn asks_later(note: &Note) -> bool {
    note.act == Act::Ask && note.marks.opened
}

/// A client of whom no notification is in the log, not even the one that ends a handshake, and something that one of them
/// has brought about: they are not logged.
fn notifications(notes: &Notes, plan: &mut Plan) {
    let list = &notes.list;
    let Some(opening) = list.iter().position(|note| note.marks.is_to_be_ended) else { return };
    let client = list[opening].sender;
    // Where nothing tells who sent what, those that are known are the client's.
    let tells = |note: &Note| match client {
        2 => note.marks.greets || note.target != 0,
        _ => note.act == Act::Tell && (note.sender == client || note.sender == 2),
    };
    let by_other = |note: &Note| note.act == Act::Answer && (client == 2 || note.sender != client);
    if list.iter().any(tells) {
        return;
    }
    let answers: FxHashSet<u64> = list.iter().filter(|note| by_other(note)).map(|note| note.id).collect();
    let answered = |ask: &Note| answers.contains(&ask.id);
    if !answered(&list[opening]) {
        return;
    }
    let asked: Vec<bool> =
        list.iter().filter(|note| note.act == Act::Ask && note.sender == client).map(answered).collect();
    let told = list.iter().any(|note| note.act == Act::Tell);
    // A server that asks its client for something has been told that the handshake is done.
    let asked_back = client != 2 && list.iter().any(|note| note.sender == 1 - client && asks_later(note));
    let enough = if asked_back { STRIPPED } else { 2 * STRIPPED + 1 };
    if !told && asked.iter().filter(|answered| **answered).count() >= enough {
        let words = "no notification is in it, not even the one that ends a handshake: its logger may leave them out";
        say(plan, Proof::BOTH_SIDES.and(Proof::CANCEL_TARGET), words);
        return;
    }
    let given_up = asked
        .iter()
        .position(|answered| !answered)
        .is_some_and(|at| asked[at + 1..].iter().filter(|one| **one).count() > 1);
    if given_up && client != 2 || list.iter().any(|note| note.marks.cancelled && by_other(note)) {
        let words = "no notification of the client is in it, and a request that none cancels was given up";
        say(plan, Proof::BOTH_SIDES.and(Proof::CANCEL_TARGET), words);
    }
}
