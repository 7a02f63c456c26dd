//! The model: both sides conform, whatever the wire does to their messages, and the auditor must accuse nobody;
//! then one side commits one fault, and the auditor must find it, or say why it cannot.

#![allow(clippy::print_stdout, reason = "how many sessions were judged is said aloud")]

#[path = "../common/mod.rs"]
mod common;
#[path = "../support/mod.rs"]
mod support;

mod calibration;
mod chaos;
mod commit;
mod degrade;
mod exchanged;
mod expect;
mod fault;
mod fold;
mod hops;
mod listen;
mod memory;
mod opening;
mod party;
mod rng;
mod shipped;
mod sim;
mod speech;
mod taps;
mod turn;
mod why_model;
mod wire;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::chaos::Chaos;
use crate::degrade::{Degraded, HARMS, Harm, together};
use crate::fault::{Sabotage, faults};
use crate::fold::fold;
use crate::memory::forgetful;
use crate::rng::Rng;
use crate::shipped::Artefact;
use crate::sim::Sim;
use crate::wire::Delays;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use rpctape::capture::Vantage;
use rpctape::finding::{Finding, Severity};
use rpctape::protocol::{Profile, by_name};
use rpctape::rules::Selection;
use rpctape::session::{Certainty, FrameId, Settings};
use support::trace::{Step, Trace, What, fence};
use support::verdicts::{judge, lines};

const PROFILES: [(&str, &str); 10] = [
    ("mcp", "2024-11-05"),
    ("mcp", "2025-03-26"),
    ("mcp", "2025-06-18"),
    ("mcp", "2025-11-25"),
    ("mcp", "2026-07-28"),
    ("acp", "rfd-2025-11"),
    ("acp", "1"),
    ("acp", "2"),
    ("lsp", "3.17"),
    ("jsonrpc", "2.0"),
];

const VANTAGES: [Vantage; 4] = [Vantage::Client, Vantage::Server, Vantage::Proxy, Vantage::Unknown];

fn profiles() -> impl Iterator<Item = &'static Profile> {
    PROFILES.iter().map(|(name, revision)| by_name(name, Some(revision)).expect("a profile"))
}

/// The same cases each time, unless `PROPTEST_CASES` asks for others.
fn config(cases: u32) -> ProptestConfig {
    let given = ProptestConfig { failure_persistence: None, max_shrink_iters: 500, ..ProptestConfig::default() };
    match given.cases {
        256 => ProptestConfig { cases, rng_seed: RngSeed::Fixed(7), ..given },
        _ => given,
    }
}

fn settings(delays: Delays) -> Settings {
    Settings { proof_only: delays == Delays::Any, ..Settings::default() }
}

/// Notes that a conforming run may get, and why.
const HARMLESS: [(&str, &str); 7] = [
    ("CAN006", "a prompt may be cancelled by its id and by its session"),
    ("RPC013", "MCP 2024-11-05 does not say whether arrays are allowed"),
    ("RPC022", "requests of an array may be answered singly"),
    ("CAN025", "a side may ask the same again"),
    ("STK003", "a side may be slow"),
    ("LIF004", "a handshake may be asked for again"),
    ("CAP", "a log may be short of anything"),
];

/// What may be said of messages that crossed: never more than a note.
const CROSSED: [&str; 9] = ["CAN005", "CAN010", "CAN012", "CAN019", "CAN021", "PRG002", "SES001", "SES002", "SES008"];

/// Findings of a trace that say more than a conforming run deserves.
fn accusing(findings: &[Finding]) -> Vec<Finding> {
    let fair = |finding: &&Finding| match (finding.certainty, finding.severity) {
        (Certainty::Violation, Severity::Note) => HARMLESS.iter().any(|(code, _)| finding.code.starts_with(code)),
        (Certainty::Violation, _) => false,
        _ => CROSSED.contains(&finding.code),
    };
    findings.iter().filter(|finding| !fair(finding)).cloned().collect()
}

fn report(trace: &Trace, what: &str, findings: &[String]) -> String {
    format!("{what}\n{findings:#?}\n{}", fence(trace))
}

fn conforming(profile: &'static Profile, delays: Delays, seed: u64, size: usize) -> Result<(), TestCaseError> {
    let sim = Sim::new(seed, profile, delays, size).run();
    for vantage in VANTAGES {
        let trace = sim.trace(vantage);
        let (verdicts, numbers) = judge(&trace, settings(delays), &Selection::default());
        let accused = accusing(&verdicts.findings);
        prop_assert!(accused.is_empty(), "{}", report(&trace, "nobody is at fault", &lines(&accused, &numbers)));
        let accused = accusing(&forgetful(&trace, settings(delays)));
        let what = "nobody is at fault, all the less for a fold that forgets";
        prop_assert!(accused.is_empty(), "{}", report(&trace, what, &lines(&accused, &numbers)));
    }
    Ok(())
}

fn faulty(profile: &'static Profile, delays: Delays, seed: u64, size: usize) -> Result<(), TestCaseError> {
    for fault in faults(profile) {
        let mut sim = Sim::new(seed, profile, delays, size);
        sim.cancels = fault != "CAN016";
        sim.sabotage = Some(Sabotage::new(fault));
        let sim = sim.run();
        let Some(sabotage) = sim.sabotage.as_ref().filter(|sabotage| sabotage.done) else {
            panic!("{fault} was not committed")
        };
        for vantage in VANTAGES {
            let trace = sim.trace(vantage);
            let settings = settings(delays);
            let (verdicts, numbers) = judge(&trace, settings, &Selection::default());
            let number = match sabotage.culprit {
                Some(culprit) => sim.tap(vantage).iter().position(|(_, message)| *message == culprit).map(|at| at + 1),
                None => Some(trace.steps.len()),
            };
            let code = expect::code(&sim, vantage);
            let right = expect::expected(&sim, vantage, &settings);
            let at = |finding: &&Finding| finding.code == code && Some(numbers[&finding.frame] as usize) == number;
            let found: Vec<Certainty> = verdicts.findings.iter().filter(at).map(|finding| finding.certainty).collect();
            let fine = match right.is_empty() {
                true => found.is_empty(),
                // LSP has other reasons for other codes: only what is proven counts.
                false if code == "CAN012" && profile.name == "lsp" && found.is_empty() => {
                    right != [Certainty::Violation]
                }
                false => found.len() == 1 && right.contains(&found[0]),
            };
            let what = format!("{code} at {number:?}: want one of {right:?}, got {found:?}");
            prop_assert!(fine, "{}", report(&trace, &what, &lines(&verdicts.findings, &numbers)));
            let others: Vec<Finding> = accusing(&verdicts.findings).into_iter().filter(|f| f.code != code).collect();
            prop_assert!(
                others.is_empty(),
                "{}",
                report(&trace, &format!("only {code} at {number:?}"), &lines(&others, &numbers))
            );
        }
    }
    Ok(())
}

/// The same run as a worse log shows it: without times, without a declared protocol, in the logger's own terms.
fn conforming_otherwise(profile: &'static Profile, seed: u64, size: usize) -> Result<(), TestCaseError> {
    let sim = Sim::new(seed, profile, Delays::Any, size).run();
    for vantage in VANTAGES {
        for blur in 0..3 {
            let mut trace = sim.trace(vantage);
            match blur {
                0 => trace.timed = false,
                // A log does not tell which draft of ACP it speaks.
                1 if profile.revision != "rfd-2025-11" => trace.channel.profile = None,
                _ => trace.channel.complete_head = Some(false),
            }
            let settings = Settings { proof_only: true, ..Settings::default() };
            let (verdicts, numbers) = judge(&trace, settings, &Selection::default());
            let accused = accusing(&verdicts.findings);
            let what = format!("nobody is at fault ({blur})");
            prop_assert!(accused.is_empty(), "{}", report(&trace, &what, &lines(&accused, &numbers)));
        }
    }
    Ok(())
}

/// Findings that say of a log that lacks something what it cannot prove: all that is more than a note.
fn proven(findings: &[Finding]) -> Vec<Finding> {
    let more = |finding: &&Finding| finding.certainty == Certainty::Violation && finding.severity > Severity::Note;
    findings.iter().filter(more).cloned().collect()
}

/// A log with one or two kinds of harm.
fn harmed(rng: &mut Rng, trace: Trace, other: &Trace) -> Degraded {
    let mut harms: Vec<Harm> = (0..rng.between(1, 2)).map(|_| *rng.pick(&HARMS)).collect();
    harms.sort();
    let mut degraded = Degraded::new(trace);
    for harm in harms {
        // A log does not tell which draft of ACP it speaks.
        if harm != Harm::Protocol || degraded.trace.channel.profile.is_none_or(|p| p.revision != "rfd-2025-11") {
            degraded.harm(rng, harm, other);
        }
    }
    degraded
}

fn conforming_degraded(profile: &'static Profile, delays: Delays, seed: u64, size: usize) -> Result<(), TestCaseError> {
    let mut rng = Rng::new(seed ^ 0xDE64);
    let run = |seed, http, clients: usize| {
        let mut sim = Sim::new(seed, profile, delays, size);
        sim.http = http;
        sim.wishes[1] *= usize::from(clients == 1);
        sim.run()
    };
    let over_http = matches!(profile.name, "mcp" | "jsonrpc");
    let http = over_http && rng.chance(40);
    let clients = if http && rng.chance(70) { 2 } else { 1 };
    let (sim, other) = (run(seed, http, clients), run(!seed, http, clients));
    for vantage in VANTAGES {
        let whole = if clients == 2 { together(&sim, &other, vantage) } else { sim.trace(vantage) };
        let mut logs: Vec<Degraded> = (0..3).map(|_| harmed(&mut rng, whole.clone(), &other.trace(vantage))).collect();
        logs.push(Degraded::new(whole));
        for Degraded { trace, harms, .. } in logs {
            let settings = settings(delays);
            let (verdicts, numbers) = judge(&trace, settings, &Selection::default());
            let accused = proven(&verdicts.findings);
            let what = format!("nobody is at fault: {clients} clients, http {http}, {harms:?}");
            prop_assert!(accused.is_empty(), "{}", report(&trace, &what, &lines(&accused, &numbers)));
            count_session();
        }
    }
    Ok(())
}

/// Harms after which all that is left is as it was: only what is gone can excuse that a fault is not found.
const CUTS: [Harm; 3] = [Harm::Head, Harm::Tail, Harm::Holes];

/// What became of faults in worse logs: proven, not decidable, gone with a message that proves them, or with one before it
/// without which it is no fault (a prompt, a capability).
#[derive(Debug, Default)]
struct Recall {
    proven: u64,
    undecidable: u64,
    gone: u64,
    premise: u64,
}

/// One fault in a log with holes: it is found, or not decidable, where all messages are left that prove it in the whole log.
fn faulty_degraded(
    profile: &'static Profile,
    seed: u64,
    size: usize,
    recall: &mut Recall,
) -> Result<(), TestCaseError> {
    let mut rng = Rng::new(seed ^ 0xFA17);
    for fault in faults(profile) {
        let mut sim = Sim::new(seed, profile, Delays::Any, size);
        sim.cancels = fault != "CAN016";
        sim.sabotage = Some(Sabotage::new(fault));
        let sim = sim.run();
        let vantage = *rng.pick(&VANTAGES);
        let (whole, code) = (sim.trace(vantage), expect::code(&sim, vantage));
        let settings = settings(Delays::Any);
        let (verdicts, numbers) = judge(&whole, settings, &Selection::default());
        let proofs = proven(&verdicts.findings).into_iter().filter(|finding| finding.code == code);
        let steps = |finding: &Finding, numbers: &HashMap<FrameId, u64>| -> BTreeSet<usize> {
            let frames = finding.evidence.iter().map(|evidence| evidence.frame).chain([finding.frame]);
            frames.map(|frame| numbers[&frame] as usize - 1).collect()
        };
        for proof in proofs {
            let (evidence, at) = (steps(&proof, &numbers), numbers[&proof.frame] as usize - 1);
            for harm in CUTS {
                let mut log = Degraded::new(whole.clone());
                log.harm(&mut rng, harm, &whole);
                let left = |step: &usize| log.origin.contains(&Some(*step));
                if !evidence.iter().all(left) {
                    recall.gone += 1;
                    continue;
                }
                let (verdicts, numbers) = judge(&log.trace, settings, &Selection::default());
                let here = |finding: &&Finding| log.origin[numbers[&finding.frame] as usize - 1] == Some(at);
                let here: Vec<&Finding> = verdicts.findings.iter().filter(here).collect();
                let own = here.iter().find(|finding| finding.code == code).map(|finding| finding.certainty);
                // One fault is said of a cancel: another one may be that which cannot be told.
                let unsure = here.iter().any(|finding| finding.certainty == Certainty::Undecidable);
                match own.or(unsure.then_some(Certainty::Undecidable)) {
                    Some(Certainty::Violation) => recall.proven += 1,
                    Some(_) => recall.undecidable += 1,
                    None if !(0..at).all(|step| left(&step)) => recall.premise += 1,
                    None => {
                        let what = format!("{code} at {at:?} of the whole log is not found after {harm:?}");
                        prop_assert!(false, "{}", report(&log.trace, &what, &lines(&verdicts.findings, &numbers)));
                    }
                }
            }
        }
    }
    Ok(())
}

/// One or two clean runs, in every form that production writes, each with something done to it. `INCOMING` is the server's word.
fn conforming_shipped(profile: &'static Profile, seed: u64, size: usize) -> Result<(), TestCaseError> {
    let mut rng = Rng::new(seed ^ 0x5819);
    let run = |seed| Sim::new(seed, profile, Delays::Steady, size).run().trace(Vantage::Server);
    for form in shipped::forms() {
        if !rng.chance(50) {
            continue;
        }
        let other = if rng.chance(50) { seed } else { !seed };
        let traces = if rng.chance(50) { vec![run(seed)] } else { vec![run(seed), run(other)] };
        let artefact = *rng.pick(&shipped::ARTEFACTS);
        let records = shipped::records(&traces, rng.between(0, 40));
        if records.len() < 2 || artefact == Artefact::Cut && !form.textual {
            continue;
        }
        let log = shipped::log(&records, &form, artefact, &mut rng);
        let broken = shipped::broken(&log);
        let what = format!("{} {artefact:?}, {} connections", form.name, traces.len());
        prop_assert!(broken.is_empty(), "{what}: {broken:?}\n{log}");
        count_session();
    }
    Ok(())
}

/// A run with a fault: what the fullest form shows, each other form shows, too, or says that it cannot.
fn faulty_shipped(profile: &'static Profile, seed: u64, size: usize) -> Result<(), TestCaseError> {
    let mut rng = Rng::new(seed ^ 0xFA17);
    // The same answer twice at one time is a record that was delivered twice.
    let all: Vec<_> = faults(profile).into_iter().filter(|fault| *fault != "RPC008").collect();
    let mut sim = Sim::new(seed, profile, Delays::Steady, size);
    let fault = *rng.pick(&all);
    sim.cancels = fault != "CAN016";
    sim.sabotage = Some(Sabotage::new(fault));
    let records = shipped::records(&[sim.run().trace(Vantage::Server)], 0);
    let forms = shipped::forms();
    let mut rng_of_forms = Rng::new(seed);
    let wanted: BTreeSet<String> =
        shipped::broken(&shipped::log(&records, &forms[0], Artefact::None, &mut rng)).into_iter().collect();
    for form in forms.iter().filter(|_| rng_of_forms.chance(40)) {
        let artefact = *rng.pick(&shipped::HARMLESS);
        let log = shipped::log(&records, form, artefact, &mut rng);
        let (found, unsure) = shipped::verdicts(&log);
        let found: BTreeSet<String> = found.into_iter().collect();
        // A form may prove more of the fault: `INCOMING` says who keeps the log.
        let fair = wanted.iter().all(|code| found.contains(code) || unsure.contains(code))
            && found.iter().all(|code| wanted.contains(code) || code == fault);
        prop_assert!(fair, "{fault}, {} {artefact:?}: want {wanted:?}, got {found:?}\n{log}", form.name);
    }
    Ok(())
}

/// One or two clean runs over HTTP, in every form that keeps a request with its response, each with something done to it.
fn conforming_exchanged(profile: &'static Profile, seed: u64, size: usize) -> Result<(), TestCaseError> {
    let mut rng = Rng::new(seed ^ 0xE8C4);
    let run = |seed| {
        let mut sim = Sim::new(seed, profile, Delays::Steady, size);
        sim.http = true;
        sim.run().trace(Vantage::Proxy)
    };
    for form in exchanged::forms() {
        if !rng.chance(60) {
            continue;
        }
        let other = if rng.chance(50) { seed } else { !seed };
        let traces = if rng.chance(50) { vec![run(seed)] } else { vec![run(seed), run(other)] };
        let artefact = *rng.pick(&exchanged::ARTEFACTS);
        let keyed = rng.chance(60);
        let exchanges = exchanged::exchanges(&traces, rng.between(0, 40), keyed, &mut rng);
        if exchanges.len() < 2 {
            continue;
        }
        let log = exchanged::log(&exchanges, &form, artefact, &mut rng);
        let (broken, _) = shipped::verdicts_by(&log, form.definition);
        let what = format!("{} {artefact:?}, {} connections, keyed {keyed}", form.name, traces.len());
        prop_assert!(broken.is_empty(), "{what}: {broken:?}\n{log}");
        count_session();
    }
    Ok(())
}

/// What became of a fault in a form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Fate {
    Found,
    Undecidable,
    Missed,
}

/// A run with a fault over HTTP, in some of the forms: for each rule that it breaks in the whole traffic, what became of that.
struct Exchanged {
    fault: &'static str,
    form: &'static str,
    artefact: Artefact,
    fates: Vec<(String, Fate)>,
    /// What is found and nobody has done.
    wrong: Vec<String>,
    log: String,
}

fn says_twice_at_once(trace: &Trace) -> bool {
    let mut said = BTreeSet::new();
    let text = |step: &'_ Step| if let What::Json(text) = &step.what { Some((step.at_ms, text.clone())) } else { None };
    !trace.steps.iter().filter_map(text).all(|said_then| said.insert(said_then))
}

/// What is one fault, seen with more or less of what was before it: what an id that was used again did, whom an answer
/// answers, what a cancel meets (where that came on a stream that names no session: whom its answer answers), and how a log that
/// shows no beginning or no end says so.
const KIN: [&[&str]; 6] = [
    &["RPC010", "RPC011"],
    &["RPC008", "RPC009", "RPC012"],
    &["CAN001", "CAN002", "CAN003", "CAN004", "CAN005", "CAN008", "CAN010", "CAN012", "CAN030", "RPC009"],
    &["PRG001", "PRG002", "PRG003"],
    &["STK001", "CAN011", "CAP002"],
    &["LIF001", "LIF002", "LIF005", "CAP001"],
];

fn says(codes: &[String], wanted: &str) -> bool {
    let kin = |code: &str| KIN.iter().any(|kin| kin.contains(&code) && kin.contains(&wanted));
    codes.iter().any(|code| code == wanted || kin(code))
}

fn faulty_exchanges(profile: &'static Profile, seed: u64, size: usize) -> Vec<Exchanged> {
    let mut rng = Rng::new(seed ^ 0xFE8C);
    let fault = *rng.pick(&faults(profile));
    let mut sim = Sim::new(seed, profile, Delays::Steady, size);
    sim.http = true;
    sim.sabotage = Some(Sabotage::new(fault));
    let trace = sim.run().trace(Vantage::Proxy);
    let (verdicts, _) = judge(&trace, settings(Delays::Steady), &Selection::default());
    let wanted: BTreeSet<&str> = proven(&verdicts.findings).iter().map(|finding| finding.code).collect();
    // What came on a stream that the client had closed is no part of a record, or has no place in it.
    let on_closed = |code: &&str| profile.stream_close_cancels && matches!(*code, "CAN010" | "CAN021" | "PRG002");
    // The same answer twice at one time is one that was delivered twice.
    let at_once = |code: &&str| *code == "RPC008" && says_twice_at_once(&trace);
    let wanted: BTreeSet<&str> = wanted.into_iter().filter(|code| !on_closed(code) && !at_once(code)).collect();
    let exchanges = exchanged::exchanges(&[trace], 0, true, &mut rng);
    let mut rng_of_forms = Rng::new(seed);
    let chosen = exchanged::forms().into_iter().filter(|_| rng_of_forms.chance(40));
    let judged = chosen.map(|form| {
        let artefact = *rng.pick(&shipped::HARMLESS);
        let log = exchanged::log(&exchanges, &form, artefact, &mut rng);
        let (found, unsure) = shipped::verdicts_by(&log, form.definition);
        // One fault is said of a message: another one may be that which is found, or cannot be told.
        let fate = |code: &str| match (
            says(&found, code),
            says(&unsure, code) || unsure.iter().any(|said| said == shipped::UNREAD),
        ) {
            (true, _) => Fate::Found,
            (false, true) => Fate::Undecidable,
            (false, false) => Fate::Missed,
        };
        // On a clock of whole seconds what was sent before an answer may stand behind it.
        let coarse = |code: &&&str| form.name == "cloudtrail" && code.starts_with("LIF");
        let shown = wanted.iter().filter(|code| !coarse(code));
        let fates = shown.map(|code| (code.to_string(), fate(code))).collect();
        let all: Vec<String> = wanted.iter().chain([&fault]).map(|code| code.to_string()).collect();
        let done = |code: &&String| !says(&all, code);
        let wrong = found.iter().filter(done).cloned().collect();
        Exchanged { fault, form: form.name, artefact, fates, wrong, log }
    });
    judged.collect()
}

/// What the whole traffic shows, each form that names sessions shows, too, or says that it cannot. Nothing else is found.
fn faulty_exchanged(profile: &'static Profile, seed: u64, size: usize) -> Result<(), TestCaseError> {
    for Exchanged { fault, form, artefact, fates, wrong, log } in faulty_exchanges(profile, seed, size) {
        let missed: Vec<_> = fates.iter().filter(|(_, fate)| *fate == Fate::Missed).collect();
        prop_assert!(
            wrong.is_empty() && missed.is_empty(),
            "{fault}, {form} {artefact:?}: missed {missed:?}, wrong {wrong:?}\n{log}"
        );
    }
    Ok(())
}

/// Counts degraded sessions, and says how many at the end of each thousand.
fn count_session() {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed) + 1;
    if count.is_multiple_of(1000) {
        println!("{count} degraded sessions");
    }
}

/// Runs of one profile each, conforming or not.
fn mixed(seed: u64, count: usize) -> Vec<Trace> {
    let mut rng = Rng::new(seed);
    let list: Vec<_> = profiles().collect();
    let traces = (0..count).map(|_| {
        let profile = *rng.pick(&list);
        let mut sim = Sim::new(rng.number(), profile, Delays::Steady, 8);
        if rng.chance(60) {
            sim.sabotage = faults(profile).get(rng.number() as usize % 16).map(|fault| Sabotage::new(fault));
        }
        sim.run().trace(*rng.pick(&VANTAGES))
    });
    traces.collect()
}

proptest! {
    #![proptest_config(config(12))]

    #[test]
    fn conforming_sides_are_not_accused(seed in any::<u64>(), size in 0usize..14) {
        for profile in profiles() {
            conforming(profile, Delays::Any, seed, size)?;
            conforming(profile, Delays::Steady, seed, size)?;
        }
    }

    #[test]
    fn conforming_sides_are_not_accused_from_worse_logs(seed in any::<u64>(), size in 0usize..10) {
        for profile in profiles() {
            conforming_otherwise(profile, seed, size)?;
        }
    }

    #[test]
    fn conforming_sides_are_not_accused_from_degraded_logs(seed in any::<u64>(), size in 0usize..12) {
        for profile in profiles() {
            conforming_degraded(profile, Delays::Any, seed, size)?;
            conforming_degraded(profile, Delays::Steady, seed, size)?;
        }
    }

    #[test]
    fn faults_are_found_in_degraded_logs_or_known_to_be_gone(seed in any::<u64>(), size in 0usize..8) {
        let mut recall = Recall::default();
        for profile in profiles() {
            faulty_degraded(profile, seed, size, &mut recall)?;
        }
        println!("{recall:?}");
        prop_assert!(recall.proven > 0);
    }

    #[test]
    fn faults_are_found(seed in any::<u64>(), size in 0usize..8) {
        for profile in profiles() {
            faulty(profile, Delays::Any, seed, size)?;
            faulty(profile, Delays::Steady, seed, size)?;
        }
    }

    #[test]
    fn connections_do_not_touch_each_other(seed in any::<u64>()) {
        let traces = mixed(seed, 4);
        let together = fold(&traces, Settings::default(), Rng::new(seed));
        for (trace, said) in traces.iter().zip(together) {
            let alone = fold(std::slice::from_ref(trace), Settings::default(), Rng::new(0)).remove(0);
            prop_assert_eq!(&said, &alone, "{}", fence(trace));
        }
    }
}

proptest! {
    // Each log is a run of the program: nothing is shrunk.
    #![proptest_config(ProptestConfig { max_shrink_iters: 0, ..config(5) })]

    #[test]
    fn conforming_sides_are_not_accused_from_what_production_writes(seed in any::<u64>(), size in 2usize..12) {
        // A log does not tell which draft of ACP it speaks.
        let list: Vec<_> = profiles().filter(|profile| profile.revision != "rfd-2025-11").collect();
        conforming_shipped(list[(seed % list.len() as u64) as usize], seed, size)?;
    }

    #[test]
    fn conforming_sides_are_not_accused_from_records_of_exchanges(seed in any::<u64>(), size in 2usize..12) {
        let list: Vec<_> = profiles().filter(|profile| matches!(profile.name, "mcp" | "jsonrpc")).collect();
        conforming_exchanged(list[(seed % list.len() as u64) as usize], seed, size)?;
    }

    #[test]
    fn faults_are_found_in_records_of_exchanges(seed in any::<u64>(), size in 2usize..8) {
        let list: Vec<_> = profiles().filter(|profile| matches!(profile.name, "mcp" | "jsonrpc")).collect();
        faulty_exchanged(list[(seed % list.len() as u64) as usize], seed, size)?;
    }

    #[test]
    fn faults_are_found_in_what_production_writes(seed in any::<u64>(), size in 2usize..8) {
        let list: Vec<_> = profiles().collect();
        faulty_shipped(list[(seed % list.len() as u64) as usize], seed, size)?;
    }
}

#[test]
fn messages_do_cross_in_the_model() {
    let mut crossed = BTreeSet::new();
    for (seed, profile) in (0..60).flat_map(|seed| profiles().map(move |profile| (seed, profile))) {
        let trace = Sim::new(seed, profile, Delays::Any, 14).run().trace(Vantage::Proxy);
        let (verdicts, _) = judge(&trace, Settings::default(), &Selection::default());
        let races = verdicts.findings.iter().filter(|finding| finding.certainty == Certainty::Race);
        crossed.extend(races.map(|finding| finding.code));
    }
    for code in CROSSED.iter().filter(|code| !matches!(**code, "SES002")) {
        assert!(crossed.contains(code), "no {code} among {crossed:?}");
    }
}

proptest! {
    #![proptest_config(config(400))]

    #[test]
    fn anything_at_all_is_taken_and_judged_alike_twice(seed in any::<u64>(), size in 0usize..80) {
        let chaos = Chaos::new(seed, size);
        prop_assert_eq!(chaos.fold(), chaos.fold());
    }
}

/// What rests on proof accuses no conforming server, however the delays spread.
#[test]
fn proof_never_accuses_wrongly() {
    for point in calibration::grid() {
        let [innocent, guilty] = calibration::measure(point, 12, 3);
        assert_eq!(innocent.proven, 0, "{point:?}");
        let at_server = point.vantage == Vantage::Server && point.base_ms > 10.0;
        assert!(!at_server || guilty.proven > 6, "{point:?}: {guilty:?}");
    }
}

/// `cargo test --test model recall_of_exchanges -- --ignored --nocapture` counts what became of planted faults.
#[test]
#[ignore = "minutes of work; it prints a table"]
fn recall_of_exchanges() {
    let list: Vec<_> = profiles().filter(|profile| matches!(profile.name, "mcp" | "jsonrpc")).collect();
    let (mut counts, mut missed, mut wrongs) = (BTreeMap::new(), BTreeMap::new(), 0);
    for seed in 0..200 {
        let profile = list[(seed % list.len() as u64) as usize];
        let seed = Rng::new(seed).number();
        for Exchanged { fault, form, artefact, fates, wrong, log } in
            faulty_exchanges(profile, seed, (seed % 6) as usize + 2)
        {
            for code in wrong {
                println!("WRONG {fault}, {form} {artefact:?}: {code}\n{log}");
                wrongs += 1;
            }
            for (code, fate) in fates {
                *counts.entry(fate).or_insert(0) += 1;
                if fate == Fate::Missed {
                    let place = format!("{} {fault}: {code} in {form}", profile.revision);
                    missed.entry(place).or_insert_with(|| (0, format!("{artefact:?}\n{log}"))).0 += 1;
                }
            }
        }
    }
    for (place, (count, log)) in &missed {
        println!("{place}: {count}, {log}");
    }
    println!(
        "{counts:?}, {wrongs} wrong, missed {:?}",
        missed.iter().map(|(place, (count, _))| (place, count)).collect::<Vec<_>>()
    );
}

/// `cargo test --test model calibration -- --ignored --nocapture` prints the table of `docs/certainty.md`.
#[test]
#[ignore = "a minute of work; it prints a table"]
fn calibration() {
    println!("{}", calibration::table(1_000));
    println!("{}", calibration::crossings(0.4, 30_000));
}
