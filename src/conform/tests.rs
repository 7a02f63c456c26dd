//! The tables, held against each other and against the rules.

use super::clauses::{Break, Words};
use super::{Call, Needs, PROBES, Speech, Timing, rows};
use crate::protocol::{Side, profiles};
use crate::rules;

fn speech(profile: &'static crate::protocol::Profile) -> Speech {
    let call = Call { method: "a/slow".to_string(), params: r#"{"x":1}"#.to_string(), tool: None };
    Speech { slow: Some(call), ..Speech::of(profile) }
}

const TIMING: Timing = Timing { natural_us: 1_000_000, progress_us: 400_000, part: 100, storm: 3 };

#[test]
fn each_row_names_rules_and_probes_that_exist_and_each_probe_has_a_say() {
    for profile in profiles() {
        let all: Vec<_> = rows(profile).map(|(row, _)| row).collect();
        for row in &all {
            for probe in row.probes {
                assert!(PROBES.iter().any(|known| super::clauses::belongs(known.name, probe)), "{}: {probe}", row.id);
            }
            let named = row.breaks.iter().filter_map(|it| match it {
                Break::Rule(rule) | Break::OnCall(rule) | Break::OnCallIf(rule, _) | Break::OnCancel(rule) => {
                    Some(*rule)
                }
                Break::Stuck
                | Break::NeverSettled
                | Break::NeverRefused
                | Break::Died
                | Break::Objected
                | Break::NoWelcome => None,
            });
            let own = if let Words::Rule(rule) = row.words { Some(rule) } else { None };
            for rule in named.chain(own) {
                assert!(rules::find(rule).is_some(), "{}: there is no rule {rule}", row.id);
            }
        }
        // Prompts are of one protocol alone.
        for probe in PROBES.iter().filter(|probe| probe.needs != Needs::Turns || profile.turns) {
            assert!(all.iter().any(|row| row.is_decided_by(probe.name)), "{}", probe.name);
        }
    }
}

#[test]
fn probes_can_be_written_wherever_the_protocol_has_a_cancel() {
    for profile in profiles().filter(|profile| !profile.unknown_revision) {
        for probe in PROBES.iter().filter(|probe| matches!(probe.needs, Needs::Server | Needs::Slow)) {
            let said = probe.write(&speech(profile), &TIMING);
            let said = said.unwrap_or_else(|| panic!("{}: {}", profile.label(), probe.name));
            assert!(said.is_sorted_by_key(|said| said.at_us), "{}: {}", profile.label(), probe.name);
        }
    }
}

#[test]
fn a_cancel_behind_the_first_progress_waits_for_it() {
    let mcp = crate::protocol::by_name("mcp", Some("2025-11-25")).expect("a profile");
    let progress = PROBES.iter().find(|probe| probe.name == "progress").expect("a probe");
    let said = progress.write(&speech(mcp), &TIMING).expect("words");
    let at = |what: &str| said.iter().find(|said| said.text.contains(what)).map(|said| said.at_us);
    let called = at("a/slow").expect("a call");
    let (told, cancelled) = (at("notifications/progress"), at("notifications/cancelled"));
    assert!(told.is_some_and(|told| told - called >= TIMING.progress_us) && cancelled >= told, "{said:?}");
}

#[test]
fn a_template_is_what_it_says() {
    let mcp = crate::protocol::by_name("mcp", Some("2025-11-25")).expect("a profile");
    let mid = PROBES.iter().find(|probe| probe.name == "mid").expect("a probe");
    let said = mid.write(&speech(mcp), &TIMING).expect("words");
    let called = said.iter().position(|said| said.text.contains("a/slow")).expect("a call");
    let [call, cancel, witness, pong, last, _] = &said[called..] else { panic!("{said:?}") };
    assert_eq!(cancel.at_us - call.at_us, 300_000);
    assert_eq!((witness.at_us, witness.side, pong.side), (cancel.at_us, Side::Client, Side::Server));
    assert!(cancel.text.contains(r#""requestId":2"#) && last.text.contains("ping"), "{said:?}");
    assert_eq!(last.at_us - call.at_us, 1_500_000);
}
