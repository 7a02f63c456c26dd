//! Order and concurrency of a large session, and what a run leaves behind.

use std::collections::HashMap;
use std::fmt::Write;
use std::hash::{BuildHasher, RandomState};
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use super::{says, server};
use crate::common::program;
use crate::replay::bench::{Bench, bench};
use crate::replay::notation::{Session, mcp};

/// One request of the large session: when it was sent and answered, in milliseconds.
#[derive(Clone, Copy)]
struct Asked {
    at: u64,
    answered: u64,
}

/// Many requests in flight at a time; the first one is answered last.
fn crowd(count: u64) -> Vec<Asked> {
    let mut seed = 88_172_645_463_325_252_u64;
    let mut below = |limit: u64| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        seed % limit
    };
    let mut all = vec![];
    let mut at = 10;
    for _ in 0..count {
        at += below(4);
        all.push(Asked { at, answered: at + 1 + below(40) });
    }
    let last = all.iter().map(|asked| asked.answered).max().unwrap_or_default();
    all[0].answered = last + 10;
    all
}

/// It as a recording; ids from 2, in the order in which they were asked.
fn recording(crowd: &[Asked]) -> Session {
    let mut events = vec![];
    for (number, asked) in crowd.iter().enumerate() {
        let id = number + 2;
        let live = if number == 0 { 4000 } else { (number * 37) % 60 };
        events.push((asked.at, 0, id, format!("{} c> call({id},work,{{\"n\":{id},\"ms\":{live}}})", asked.at)));
        events.push((asked.answered, 1, id, format!("{} s> text({id},\"done\")", asked.answered)));
    }
    events.sort();
    let mut text = "H(2025-11-25)\n".to_string();
    for (.., line) in events {
        let _ = writeln!(text, "{line}");
    }
    mcp(&text)
}

#[test]
fn two_hundred_requests_keep_their_order_and_their_concurrency() {
    let crowd = crowd(200);
    let working = server(
        json!([{"on": "tools/call:work", "do": [{"wait": "${/params/arguments/ms}"}, {"answer": says("done")}]}]),
    );
    let run = bench(&recording(&crowd), &working).only_flags("--allow tools/call:* --stuck-min 20s --speed fast").run();
    let labels: Vec<String> = (1..=201).map(|id| format!("#{id} same")).collect();
    run.verdicts(&labels.iter().map(String::as_str).collect::<Vec<_>>()).ended("pass", 0);

    let (mut sent, mut answered) = (HashMap::new(), HashMap::new());
    for (place, line) in run.log.iter().enumerate() {
        for (way, places) in [("in", &mut sent), ("out", &mut answered)] {
            let Some(message) = line[way].as_str().and_then(|text| serde_json::from_str::<Value>(text).ok()) else {
                continue;
            };
            if let Some(id) = message["id"].as_u64() {
                assert!(places.insert(id, place).is_none(), "{id} twice");
            }
        }
    }
    for (number, asked) in crowd.iter().enumerate() {
        let id = number as u64 + 2;
        if number > 0 {
            assert!(sent[&(id - 1)] < sent[&id], "#{id} overtook the one before");
            assert!(sent[&id] < answered[&2], "#{id} waited for #2, which was answered last in the recording");
        }
        for (other, earlier) in crowd.iter().enumerate().filter(|(_, earlier)| earlier.answered < asked.at) {
            let other = other as u64 + 2;
            assert!(
                answered[&other] < sent[&id],
                "#{id} was sent before #{other} was answered at {}",
                earlier.answered
            );
        }
    }
}

/// A server with work for longer than the test lasts.
fn endless() -> Bench {
    let calls: String = (2..8).map(|id| format!("{} c> call({id},work,{{}})\n", id * 10)).collect();
    let answers: String = (2..8).map(|id| format!("{} s> text({id},\"done\")\n", 400 + id * 10)).collect();
    let working = server(json!([{"on": "tools/call:work", "do": [{"wait": 60_000}, {"answer": says("done")}]}]));
    bench(&mcp(&format!("H(2025-11-25)\n{calls}{answers}")), &working).only_flags("--allow tools/call:*")
}

/// Ends a run at any moment and looks whether its server is still there.
fn interrupted(signal: &str) {
    let bench = endless();
    let mut replay = program();
    replay.args(bench.arguments(&["--format", "jsonl"])).current_dir(bench.folder());
    let mut replay = replay.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("the program starts");
    std::thread::sleep(Duration::from_millis(RandomState::new().hash_one(signal) % 1200));
    kill(signal, &replay.id().to_string());
    let mut out = String::new();
    std::io::Read::read_to_string(&mut replay.stdout.take().expect("a pipe"), &mut out).expect("UTF-8");
    let status = replay.wait().expect("it ends");

    let log = std::fs::read_to_string(bench.folder().join("server.log")).unwrap_or_default();
    let Some(pid) = log.lines().find_map(|line| serde_json::from_str::<Value>(line).ok()?["pid"].as_u64()) else {
        return;
    };
    let gone = (0..3600).any(|_| {
        std::thread::sleep(Duration::from_millis(50));
        !alive(pid)
    });
    assert!(gone, "the server outlived the replay (after {signal})");
    let expected = match signal {
        "INT" => Some(130),
        "TERM" => Some(143),
        _ => None,
    };
    assert_eq!(status.code(), expected, "{signal}: {out}");
    if expected.is_some() {
        let last = out.lines().last().and_then(|line| serde_json::from_str::<Value>(line).ok()).unwrap_or_default();
        assert_eq!(last["type"], "summary", "the report of what was done is written: {out}");
    }
}

fn kill(signal: &str, pid: &str) -> bool {
    let output = Command::new("kill").args([&format!("-{signal}"), pid]).output();
    output.is_ok_and(|output| output.status.success())
}

/// True for a process that runs; one that has ended and was not yet waited for does not.
fn alive(pid: u64) -> bool {
    let state = Command::new("ps").args(["-o", "stat=", "-p", &pid.to_string()]).output();
    match state {
        Ok(state) => !matches!(String::from_utf8_lossy(&state.stdout).trim().as_bytes().first(), None | Some(b'Z')),
        Err(_) => kill("0", &pid.to_string()),
    }
}

fn interrupted_rounds(rounds: usize) {
    for _ in 0..rounds {
        std::thread::scope(|scope| {
            for signal in ["INT", "TERM", "KILL", "INT", "TERM"] {
                scope.spawn(move || interrupted(signal));
            }
        });
    }
}

#[test]
fn an_interrupted_replay_leaves_no_server_behind() {
    interrupted_rounds(2);
}

#[test]
#[ignore = "takes a minute; the same as above, a hundred times"]
fn a_hundred_interrupted_replays_leave_no_server_behind() {
    interrupted_rounds(20);
}
