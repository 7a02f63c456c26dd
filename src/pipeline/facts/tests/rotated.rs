//! A log that is cut into parts, wherever it is cut, is judged as the whole one is: at once, and by facts.

use super::*;

/// One record: its time in milliseconds, whether the client sent it, the name of its connection, and the message.
type Record = (u64, bool, &'static str, String);

/// What is broken in a log; every other one is without a fault.
#[derive(Clone, Copy, PartialEq)]
enum Fault {
    None,
    AnsweredTwice,
    AnsweredLate,
    Unasked,
    UsedAgain,
}

/// Numbers that are the same in every run.
struct Dice(u64);

impl Dice {
    fn of<T: Copy>(&mut self, values: &[T]) -> T {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        values[(self.0 >> 33) as usize % values.len()]
    }
}

const ANSWER: &str = r#""result":{"content":[]}}"#;

/// A client that greets, pings, lists, calls and cancels, by ids that it counts.
fn session(name: &'static str, calls: u64, dice: &mut Dice, fault: Fault) -> Vec<Record> {
    let greeting = r#""protocolVersion":"2025-11-25","capabilities":{}"#;
    let opens = format!(
        r#"{{"jsonrpc":"2.0","id":0,"method":"initialize","params":{{{greeting},"clientInfo":{{"name":"c","version":"1"}}}}}}"#
    );
    let opened = r#"{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}"#.to_string();
    let greets = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#.to_string();
    let mut said = vec![(0, true, name, opens), (3, false, name, opened), (4, true, name, greets)];
    let call = |id: u64| {
        format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"t","arguments":{{"q":{id}}}}}}}"#
        )
    };
    let answer = |id: u64| format!(r#"{{"jsonrpc":"2.0","id":{id},{ANSWER}"#);
    let (mut at, faulty) = (10, calls / 2);
    for id in 1..=calls {
        at += dice.of(&[2, 20, 300]);
        let takes = dice.of(&[1, 10, 50, 800]);
        let what = if id == faulty { 9 } else { dice.of(&[0, 0, 1, 2, 3, 3, 3, 4]) };
        let (asked, answered) = match what {
            0 => (
                format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#),
                format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#),
            ),
            1 => (
                format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/list"}}"#),
                format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"tools":[]}}}}"#),
            ),
            _ => (call(id), answer(id)),
        };
        let cancel = format!(r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{id}}}}}"#);
        said.push((at, true, name, asked));
        match (id == faulty, fault) {
            (true, Fault::AnsweredTwice) => {
                said.extend([(at + takes, false, name, answered), (at + takes + 400, false, name, answer(id))])
            }
            (true, Fault::AnsweredLate) => {
                said.extend([(at + takes, true, name, cancel), (at + 20_000, false, name, answered)])
            }
            (true, Fault::Unasked) => {
                said.extend([(at + takes, false, name, answered), (at + takes + 900, false, name, answer(id + 500))])
            }
            (true, Fault::UsedAgain) => said.extend([(at, true, name, call(id)), (at + takes, false, name, answered)]),
            _ if what == 4 => said.push((at + takes, true, name, cancel)),
            _ => said.push((at + takes, false, name, answered)),
        }
    }
    said
}

/// The lines of a log in one of three forms: two connections that have names, one without a name, and arrows in a text.
fn lines(form: usize, dice: &mut Dice, fault: Fault) -> Vec<String> {
    let names = if form == 0 { &["conn-0", "conn-1"][..] } else { &["conn-0"] };
    let mut said: Vec<Record> = Vec::new();
    for (nth, name) in names.iter().enumerate() {
        let calls = dice.of(&[8, 11, 14, 17, 20]);
        said.extend(session(name, calls, dice, if nth + 1 == names.len() { fault } else { Fault::None }));
    }
    said.sort_by_key(|record| record.0);
    let line = |(nth, (at, client, name, text)): (usize, &Record)| {
        let time = format!("2026-05-04T08:00:{:02}.{:03}{nth:03}Z", at / 1000, at % 1000);
        let way = if *client { "c2s" } else { "s2c" };
        match form {
            0 => format!("{{\"ts\":\"{time}\",\"dir\":\"{way}\",\"conn\":\"{name}\",\"msg\":{text}}}\n"),
            1 => format!("{{\"ts\":\"{time}\",\"dir\":\"{way}\",\"msg\":{text}}}\n"),
            _ => format!("{time} {} {text}\n", if *client { "-->" } else { "<--" }),
        }
    };
    said.iter().enumerate().map(line).collect()
}

/// True if a part of a log without names begins with an id that is used again: it may as well be that of a client that counts anew.
fn begins_anew(parts: &[&[String]]) -> bool {
    let text = |line: &str| line.find("{\"jsonrpc").map(|at| line[at..].trim_end().to_string());
    let before = |nth: usize| parts[..nth].concat().iter().filter_map(|line| text(line)).collect::<Vec<_>>();
    let asks = |line: &String| line.contains("tools/call");
    (1..parts.len())
        .any(|nth| asks(&parts[nth][0]) && text(&parts[nth][0]).is_some_and(|one| before(nth).contains(&one)))
}

/// What of findings is a charge: the codes of violations that are no notes.
fn charges(findings: &[String]) -> Vec<String> {
    let found = findings.iter().map(|line| serde_json::from_str::<serde_json::Value>(line).expect("a finding"));
    let charged = found.filter(|found| found["certainty"] == "violation" && found["severity"] != "note");
    let mut codes: Vec<String> = charged.map(|found| found["code"].to_string()).collect();
    codes.sort();
    codes
}

#[test]
fn parts_of_a_log_are_judged_as_the_whole_wherever_it_is_cut() {
    let options = Options::default();
    for (form, seed) in (0..3).flat_map(|form| (0..16u64).map(move |seed| (form, seed))) {
        let mut dice = Dice(seed * 3 + form as u64);
        let guilty = [Fault::AnsweredTwice, Fault::AnsweredLate, Fault::Unasked, Fault::UsedAgain];
        let fault = if seed % 2 == 0 { Fault::None } else { guilty[(seed / 2) as usize % guilty.len()] };
        let lines = lines(form, &mut dice, fault);
        let size = dice.of(&[3, 4, 5, 6, 8, 10, 13, 16, 20]);
        let folder = tempfile::tempdir().expect("a folder");
        let path = |name: String| folder.path().join(name).to_string_lossy().into_owned();
        let whole = path("whole.jsonl".into());
        std::fs::write(&whole, lines.concat()).expect("written");
        let parts: Vec<&[String]> = lines.chunks(size).collect();
        if form > 0 && begins_anew(&parts) {
            continue;
        }
        let names: Vec<String> = (0..parts.len()).rev().map(|age| path(format!("app.log.{}", age + 1))).collect();
        for (name, part) in names.iter().zip(&parts) {
            std::fs::write(name, part.concat()).expect("written");
        }
        let (one, several) = (checked(&[whole], &options), checked(&names, &options));
        let told = format!("form {form}, seed {seed}, parts of {size}: {several:#?}");
        assert_eq!(charges(&one).is_empty(), fault == Fault::None, "{told}");
        assert_eq!(charges(&one), charges(&several), "{told}");
        let rows: Vec<Row<'static>> = names.iter().flat_map(|log| facts(log, &options)).collect();
        assert_eq!(distributed(&rows, 3, &options), several, "{told}");
    }
}
