//! Probes in virtual time: a server that keeps to the protocol, behind a wire that holds every message up for as long as it likes.

#[path = "conform_tests/server.rs"]
mod server;

use super::*;
use crate::conform::{Call, Card, PROBES, Verdict, card};
use crate::pipeline::replay::virtually;
use crate::protocol::by_name;
use server::{JITTER_US, MS, Server, WORK_US, Wrong, question};

/// Plays each of these probes once against a server, and makes a card of them.
fn scored(label: (&str, &str), http: bool, seed: u64, wrong: &[Wrong], wanted: &[&str]) -> (Card, usize) {
    let profile = by_name(label.0, Some(label.1)).expect("a profile");
    let target = if http { Target::Http("http://localhost".into()) } else { Target::Command(Default::default()) };
    let examiner = Examiner {
        target: &target,
        access: &Access::default(),
        framing: None,
        policy: Policy { allow_all: true, ..Policy::default() },
        judging: Options::default(),
        keep: None,
        redact: None,
        repeat: 1,
        storm: 5,
        sessions: Default::default(),
        interrupt: None,
    };
    let call = Call { method: "a/slow".to_string(), params: r#"{"sessionId":"s-1"}"#.to_string(), tool: None };
    let known = Speech { slow: Some(call), question: Some(question(profile)), ..Speech::of(profile) };
    let mut jitter = Server::new(profile, http, seed);
    // What the control run would have measured.
    let (round, first) = (jitter.number(2 * JITTER_US), jitter.number(2 * JITTER_US));
    let mut plays = Vec::new();
    for probe in PROBES.iter().filter(|probe| wanted.is_empty() || wanted.contains(&probe.name)) {
        let fits = match probe.needs {
            Needs::Turns | Needs::TurnQuestion => profile.turns,
            Needs::Tasks => profile.tasks_by_request(),
            Needs::Streams => http,
            _ => true,
        };
        let progresses = probe.needs != Needs::Progress || profile.progress == Some("notifications/progress");
        if !fits || !progresses {
            continue;
        }
        let timing = Timing { natural_us: WORK_US + round, progress_us: WORK_US / 5 + first, part: 100, storm: 5 };
        let speech = known.for_probe(probe.needs);
        let Some(said) = probe.write(&speech, &timing) else { continue };
        let options = examiner.options(LIMIT_US, lingers_us(probe.script, &said, profile, LIMIT_US));
        let (recording, plan) = examiner.planned(&speech, &said, &options).expect("a plan");
        let framing = Framing::Lines;
        let job = Job {
            recording: &recording,
            plan: &plan,
            options: &options,
            target: &target,
            access: examiner.access,
            framing,
            natural: &[],
        };
        let judging = examiner.judged_as(profile);
        let mut server = Server::new(profile, http, seed * 1_000 + plays.len() as u64);
        server.wrong = wrong.to_vec();
        server.asks = speech.question.is_some();
        let ran = virtually::run(&job, &judging, &mut server);
        plays.push(examiner.read(probe, recording, ran, None).expect("a play"));
    }
    let card = card(profile, crate::conform::Server::default(), &plays, &[]);
    (card, plays.len())
}

fn told(card: &Card, verdict: Verdict) -> Vec<String> {
    let clauses = card.clauses.iter().filter(|clause| clause.verdict == verdict);
    clauses.map(|clause| format!("{}: {:?}", clause.id, clause.probes.first())).collect()
}

/// How many cards a test makes of each kind; the variable of the other properties asks for more.
#[allow(clippy::disallowed_methods, reason = "a test may be asked for a night")]
fn rounds() -> u64 {
    std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(6)
}

const SPOKEN: [(&str, &str); 6] = [
    ("mcp", "2025-11-25"),
    ("mcp", "2024-11-05"),
    ("mcp", "2026-07-28"),
    ("acp", "1"),
    ("lsp", "3.17"),
    ("jsonrpc", "2.0"),
];

/// What is honoured of a protocol, and how many probes were played.
fn kept(label: (&str, &str), http: bool) -> (usize, usize) {
    let (mut honoured, mut plays) = (0, 0);
    for seed in 1..=rounds() {
        let (card, played) = scored(label, http, seed, &[], &[]);
        let broken = told(&card, Verdict::Violates);
        assert!(broken.is_empty(), "{label:?} http {http} seed {seed}: {broken:#?}");
        plays += played;
        honoured += told(&card, Verdict::Honoured).len();
    }
    (honoured, plays)
}

#[test]
fn a_server_that_keeps_to_the_protocol_is_charged_with_nothing_however_long_messages_take() {
    let kinds = SPOKEN.into_iter().map(|label| (label, false));
    let kinds: Vec<_> = kinds.chain(SPOKEN[..3].iter().map(|label| (*label, true))).collect();
    let plays: usize = std::thread::scope(|scope| {
        let runs: Vec<_> =
            kinds.iter().map(|(label, http)| (label, http, scope.spawn(|| kept(*label, *http)))).collect();
        let ended = runs.into_iter().map(|(label, http, run)| {
            let (honoured, plays) = run.join().expect("no violation");
            assert!(honoured > 0, "{label:?}, http {http}: nothing was seen");
            plays
        });
        ended.sum()
    });
    assert!(plays as u64 >= 150 * rounds(), "{plays}");
}

#[test]
fn one_that_reads_nothing_while_it_works_is_charged_with_nothing_and_it_is_told() {
    let kinds = SPOKEN.into_iter().map(|label| (label, false));
    for (label, http) in kinds.chain(SPOKEN[..3].iter().map(|label| (*label, true))) {
        let (card, _) = scored(label, http, 3, &[Wrong::Serial], &[]);
        let broken = told(&card, Verdict::Violates);
        assert!(broken.is_empty(), "{label:?} http {http}: {broken:#?}");
        let unseen = told(&card, Verdict::NotObserved);
        let lies = unseen.iter().any(|told| told.contains("no-response") && told.contains("only behind it"));
        assert_eq!(lies, label.0 == "mcp", "{unseen:#?}");
    }
}

#[test]
fn the_storm_of_one_that_works_on_one_request_after_another_is_smaller() {
    let slow =
        |pair_us: i64| Slow { natural_us: WORK_US, first_us: WORK_US, longest_us: pair_us, pair_us, progress_us: None };
    assert_eq!(
        [slow(WORK_US + 90 * MS).storm(100), slow(2 * WORK_US).storm(100), slow(2 * WORK_US).storm(4)],
        [100, 6, 4]
    );
    let long = Slow { natural_us: 9_000 * MS, ..slow(18_000 * MS) };
    assert_eq!((long.storm(100), long.storm(0)), (3, 0));
}

#[test]
fn one_that_is_deaf_is_charged_behind_the_same_wire() {
    for seed in 1..=rounds() {
        let (card, _) = scored(("mcp", "2025-11-25"), false, seed, &[Wrong::Deaf], &["mid", "early"]);
        let broken = told(&card, Verdict::Violates);
        assert!(broken.len() == 1 && broken[0].starts_with("mcp.no-response"), "seed {seed}: {broken:#?}");
    }
}

#[test]
fn one_that_never_answers_what_it_owes_an_answer_is_charged_once_that_was_waited_for() {
    type Owed = ((&'static str, &'static str), Wrong, &'static [&'static str], &'static str);
    let ways: [Owed; 3] = [
        (("lsp", "3.17"), Wrong::Drops, &["mid", "early"], "lsp.answered"),
        (("acp", "1"), Wrong::Drops, &["mid"], "acp.answered"),
        (("mcp", "2025-11-25"), Wrong::Ignores, &["as-request"], "mcp.request-answered"),
    ];
    for (label, wrong, probes, clause) in ways {
        let (card, _) = scored(label, false, 5, &[wrong], probes);
        let broken = told(&card, Verdict::Violates);
        assert!(broken.len() == 1 && broken[0].starts_with(clause), "{label:?} {probes:?}: {card:#?}");
        let (mute, _) = scored(label, false, 5, &[wrong, Wrong::Stops], probes);
        let broken = told(&mute, Verdict::Violates);
        assert!(!broken.iter().any(|told| told.starts_with(clause)), "nothing is answered any more: {broken:#?}");
    }
}

#[test]
fn an_error_that_may_have_crossed_its_cancel_shows_nothing_of_its_code() {
    for seed in 1..=rounds() {
        let code = |card: &Card, verdict| told(card, verdict).iter().any(|told| told.starts_with("lsp.cancel-code"));
        let (vague, _) = scored(("lsp", "3.17"), false, seed, &[Wrong::Vague], &["mid", "early", "parallel"]);
        assert!(!code(&vague, Verdict::Honoured), "seed {seed}: {vague:#?}");
        let (honest, _) = scored(("lsp", "3.17"), false, seed, &[], &["mid", "early", "parallel"]);
        assert!(code(&honest, Verdict::Honoured), "seed {seed}: {honest:#?}");
    }
    // What came behind the witness has crossed nothing.
    let (late, _) = scored(("mcp", "2025-11-25"), false, 3, &[Wrong::Late], &["progress"]);
    let unseen = told(&late, Verdict::NotObserved);
    assert!(unseen.iter().any(|told| told.contains("was answered behind the witness")), "{unseen:#?}");
}

#[test]
fn without_a_witness_nothing_is_said_of_silence() {
    let mid = |wrong: &[Wrong]| scored(("mcp", "2025-11-25"), false, 3, wrong, &["mid"]).0;
    let silence = |card: &Card, verdict| told(card, verdict).iter().any(|told| told.starts_with("mcp.no-response"));
    let (heard, mute) = (mid(&[]), mid(&[Wrong::Mute]));
    assert!(silence(&heard, Verdict::Honoured), "{heard:#?}");
    assert!(silence(&mute, Verdict::NotObserved), "{mute:#?}");
    assert!(told(&mute, Verdict::Violates).is_empty(), "{mute:#?}");
}

#[test]
fn a_dropped_stream_is_no_cancel_where_it_is_none() {
    let drop = |label, wrong: &[Wrong]| scored(label, true, 7, wrong, &["http-drop"]).0;
    let does = |card: &Card| card.behaviours.iter().map(|told| told.does.clone()).collect::<Vec<_>>();
    let honest = drop(("mcp", "2025-11-25"), &[]);
    assert!(told(&honest, Verdict::Honoured).iter().any(|told| told.contains("drop-no-cancel")), "{honest:#?}");
    assert_eq!(does(&honest), ["nothing"]);
    let hasty = drop(("mcp", "2025-11-25"), &[Wrong::Hasty]);
    // In a session, which is one client's, it is certain whose answer comes on the stream that takes up another.
    assert_eq!((told(&hasty, Verdict::Violates).len(), does(&hasty)), (1, vec!["ends it with an error".to_string()]));
    assert!(told(&hasty, Verdict::Violates)[0].contains("drop-no-cancel"), "{hasty:#?}");
    let fails = drop(("mcp", "2025-11-25"), &[Wrong::Fails]);
    let unseen = told(&fails, Verdict::NotObserved);
    assert!(unseen.iter().any(|told| told.contains("drop-no-cancel") && told.contains("nothing shows")), "{fails:#?}");
    let newer = drop(("mcp", "2026-07-28"), &[]);
    assert_eq!(
        (does(&newer), told(&newer, Verdict::Violates).len()),
        (vec!["nothing more was heard of it".to_string()], 0)
    );
    // Without streams there is no such sentence.
    let piped = scored(("mcp", "2025-11-25"), false, 7, &[], &[]).0;
    assert!(piped.clauses.iter().all(|clause| !clause.id.contains("drop")));
}

#[test]
fn an_error_without_an_id_behind_a_malformed_cancel_can_only_be_for_it() {
    let broken = |piped: bool| {
        let card = scored(("mcp", "2025-11-25"), !piped, 7, &[Wrong::Objects], &[]).0;
        told(&card, Verdict::Violates)
    };
    let piped = broken(true);
    assert!(matches!(piped.as_slice(), [one] if one.contains("invalid-ignored")), "{piped:#?}");
    // Over HTTP a body that was not accepted may be told of in the same way.
    assert_eq!(broken(false), Vec::<String>::new());
}

/// Each way to be wrong, and the sentences that it breaks.
type Way = (Wrong, &'static [&'static str]);

/// All of them.
const WAYS: &[Way] = &[
    (Wrong::Deaf, &["no-response", "stops"]),
    (Wrong::Late, &["no-response"]),
    (Wrong::LooseIds, &["ids-typed"]),
    (Wrong::Cascade, &["others-run-on"]),
    (Wrong::GoesOn, &["stops"]),
    (Wrong::Twice, &["races"]),
    (Wrong::Replies, &["invalid-ignored"]),
    (Wrong::Unasked, &["answers-a-request"]),
    (Wrong::Tokens, &["progress-token"]),
    (Wrong::RefusesTwice, &["request-answered"]),
    (Wrong::Dies, &["invalid-ignored", "survives"]),
    (Wrong::TaskTold, &["task-cancelled"]),
    (Wrong::TaskLater, &["task-stays"]),
    (Wrong::TaskAccepts, &["task-ended"]),
];

/// One that is deaf shows nothing of what it does with a cancel; where all cancelled requests are answered nothing shows that `"2"`
/// cancelled 2.
fn hides(way: Wrong, other: Wrong) -> bool {
    use Wrong::{Cascade, Deaf, GoesOn, Late, LooseIds};
    matches!((way, other), (Deaf, Late | LooseIds | Cascade | GoesOn) | (Late, LooseIds))
}

#[test]
fn each_way_to_be_wrong_breaks_its_own_sentences_alone_and_with_any_other() {
    let pairs = |at: usize| (at..WAYS.len()).map(move |other| (&WAYS[at], &WAYS[other]));
    let broken = |(one, other): (&Way, &Way), seed: u64| {
        let expected = if hides(one.0, other.0) { one.1.to_vec() } else { [one.1, other.1].concat() };
        let (card, _) = scored(("mcp", "2025-11-25"), false, seed, &[one.0, other.0], &[]);
        let found = card.clauses.iter().filter(|clause| clause.verdict == Verdict::Violates);
        let names: std::collections::BTreeSet<_> = found.filter_map(|it| it.id.strip_prefix("mcp.")).collect();
        assert_eq!(
            names,
            expected.into_iter().collect(),
            "{:?} and {:?}: {:#?}",
            one.0,
            other.0,
            told(&card, Verdict::Violates)
        );
    };
    std::thread::scope(|scope| {
        for at in 0..WAYS.len() {
            scope.spawn(move || pairs(at).enumerate().for_each(|(nth, pair)| broken(pair, 100 + nth as u64)));
        }
    });
}
