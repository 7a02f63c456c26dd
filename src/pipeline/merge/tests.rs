//! Two logs of several connections: which of them are one, and what is said of those that are not.

use serde_json::{Value, json};

use super::*;
use crate::capture::{Body, Captured, Direction};
use crate::jsonrpc::{Parsed, parse};
use crate::pipeline::Quiet;
use crate::store::{FindingFilter, Raw};

/// A message as it passed both taps: at the client's time and at the server's, in milliseconds.
type Passed = (i64, i64, &'static str, Value);

/// A server whose clock is 7 s ahead; one way takes 25 ms.
const AHEAD: i64 = 7_000;

fn up(at: i64, message: Value) -> Passed {
    (at, at + AHEAD + 25, "c2s", message)
}

fn down(at: i64, message: Value) -> Passed {
    (at, at + AHEAD - 25, "s2c", message)
}

fn ask(id: i64, method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

fn answer(id: i64) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "result": {"content": []}})
}

fn cancel(id: i64) -> Value {
    json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}})
}

/// A client greets, calls a tool, cancels the call, and has an answer nevertheless: one that crossed the cancel, or one of a server
/// that took 50 ms to answer what it knew to be cancelled. The client's log shows the same of both.
fn cancelled(start: i64, question: &str, guilty: bool) -> Vec<Passed> {
    let hello =
        json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}});
    let own = json!({"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "s", "version": "1"}});
    let late = if guilty { AHEAD + 575 } else { AHEAD + 515 };
    vec![
        up(start, ask(0, "initialize", hello)),
        down(start + 60, json!({"jsonrpc": "2.0", "id": 0, "result": own})),
        up(start + 70, json!({"jsonrpc": "2.0", "method": "notifications/initialized"})),
        up(start + 100, ask(1, "tools/call", json!({"name": "find", "arguments": {"q": question}}))),
        up(start + 500, cancel(1)),
        (start + 600, start + late, "s2c", answer(1)),
    ]
}

/// Lines of a log, in the order of their times.
fn log(side: Side, connections: &[(&str, Vec<Passed>)]) -> String {
    let mut lines: Vec<(i64, Value)> = Vec::new();
    for (name, messages) in connections {
        for (here, there, dir, message) in messages {
            let at = if side == Side::Client { *here } else { *there };
            let mut line = json!({"ts": (1_795_600_000_000 + at) as f64 / 1_000.0, "dir": dir, "msg": message});
            if !name.is_empty() {
                line["session"] = json!(name);
            }
            lines.push((at, line));
        }
    }
    lines.sort_by_key(|(at, _)| *at);
    lines.into_iter().map(|(_, line)| format!("{line}\n")).collect()
}

/// How the logs met, and of late answers (CAN010) the connection and the certainty.
fn merged(client: &str, server: &str) -> (Met, Vec<String>) {
    let (summary, late) = try_merged(client, server).unwrap();
    (summary.met.unwrap(), late)
}

fn try_merged(client: &str, server: &str) -> Result<(Summary, Vec<String>)> {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str, text: &str| {
        std::fs::write(folder.path().join(name), text).unwrap();
        folder.path().join(name).display().to_string()
    };
    let (client, server) = (path("client.jsonl", client), path("server.jsonl", server));
    let mut store = Store::temporary().unwrap();
    let summary = merge(&mut store, [&client, &server], &Options::default(), &mut Quiet)?;
    let found = store.all_findings(&FindingFilter::default(), Raw::None).unwrap();
    let prefix = format!("{}/", folder.path().display());
    let late = found.into_iter().filter(|finding| finding.code == "CAN010");
    let said = late.map(|one| format!("{} {}", one.connection.replace(&prefix, ""), one.certainty));
    let mut said: Vec<String> = said.collect();
    said.sort();
    Ok((summary, said))
}

fn alone(connections: u64, in_doubt: &[&str]) -> Alone {
    Alone { connections, in_doubt: in_doubt.iter().map(ToString::to_string).collect(), messages: 0 }
}

#[test]
fn of_twins_the_guilty_one_is_charged_whatever_their_names() {
    let (guilty, innocent) = (cancelled(0, "a", true), cancelled(30, "b", false));
    let client = log(Side::Client, &[("files", guilty.clone()), ("search", innocent.clone())]);
    let server = log(Side::Server, &[("peer-7", innocent), ("peer-8", guilty)]);
    let (met, late) = merged(&client, &server);
    assert_eq!((met.paired, met.messages), (2, 12));
    assert_eq!((met.client, met.server), (alone(0, &[]), alone(0, &[])));
    assert_eq!(late, ["files violation"]);
}

#[test]
fn connections_one_after_the_other_are_paired_by_what_they_carry() {
    let life = |nth: i64| cancelled(nth * 5_000, &format!("question {nth}"), true);
    let lives = [life(0), life(1), life(2), life(3)];
    let whole = |from: usize| vec![("", lives[from..].concat())];
    // The server's log begins with the second life; or each of its lives has a name.
    let named = [("x", life(3)), ("y", life(2)), ("z", life(1))];
    for server in [log(Side::Server, &whole(1)), log(Side::Server, &named)] {
        let (met, late) = merged(&log(Side::Client, &whole(0)), &server);
        assert_eq!((met.paired, met.messages, met.client, met.server), (3, 18, alone(1, &[]), alone(0, &[])));
        let said =
            ["client.jsonl/1 race", "client.jsonl/2 violation", "client.jsonl/3 violation", "client.jsonl/4 violation"];
        assert_eq!(late, said);
    }
}

#[test]
fn what_only_one_log_has_is_judged_as_in_that_log() {
    let both = cancelled(0, "a", false);
    let client = log(Side::Client, &[("one", both.clone()), ("two", cancelled(10, "b", true))]);
    let server = log(Side::Server, &[("one", cancelled(20, "c", true)), ("two", both)]);
    let (met, late) = merged(&client, &server);
    assert_eq!((met.paired, met.client, met.server), (1, alone(1, &[]), alone(1, &[])));
    // Two connections of different logs that bear one name are two. The server's log proves what the client's leaves open.
    assert_eq!(late, ["one (server.jsonl) violation", "two race"].map(|one| one.to_string()).to_vec());
}

#[test]
fn connections_that_carry_the_same_are_not_merged() {
    let twins = [cancelled(0, "a", true), cancelled(40, "a", false)];
    let client = log(Side::Client, &[("one", twins[0].clone()), ("two", twins[1].clone())]);
    let server = log(Side::Server, &[("3", twins[1].clone()), ("4", twins[0].clone())]);
    let (met, late) = merged(&client, &server);
    assert_eq!((met.paired, met.client, met.server), (0, alone(0, &["one", "two"]), alone(0, &["4", "3"])));
    assert_eq!(late, ["4 violation", "one race", "two race"]);
    // One of them in the client's log: it may be either.
    let (met, late) = merged(&log(Side::Client, &[("one", twins[1].clone())]), &server);
    assert_eq!((met.paired, met.client, met.server), (0, alone(0, &["one"]), alone(0, &["4", "3"])));
    assert_eq!(late, ["4 violation", "one race"]);
}

#[test]
fn a_session_that_both_logs_name_tells_connections_apart_that_carry_the_same() {
    let twins = [cancelled(0, "a", true), cancelled(40, "a", false)];
    let names = ["0b7c2d1e-4a55-4c0f-9c6e-1f0a35a7c001", "0b7c2d1e-4a55-4c0f-9c6e-1f0a35a7c002"];
    let sessions = [(names[0], twins[0].clone()), (names[1], twins[1].clone())];
    let (met, late) = merged(&log(Side::Client, &sessions), &log(Side::Server, &sessions));
    assert_eq!((met.paired, met.messages), (2, 12));
    assert_eq!(late, [format!("{} violation", names[0])]);
}

/// The same program on two machines, of which each log shows one: all is the same but one question under one id.
#[test]
fn an_id_that_means_two_things_is_of_two_connections() {
    let client = log(Side::Client, &[("one", cancelled(0, "a", false)), ("two", cancelled(10, "b", false))]);
    let result = try_merged(&client, &log(Side::Server, &[("3", cancelled(0, "c", true))]));
    assert!(result.unwrap_err().message.ends_with("have no connection in common"));
}

#[test]
fn what_would_have_come_before_it_was_sent_is_of_another_connection() {
    let ours = cancelled(0, "a", false);
    // The same words at another pace: the server had the call long before this client made it.
    let mut others = cancelled(0, "a", true);
    others.iter_mut().skip(3).for_each(|(_, there, ..)| *there += 20_000);
    others.iter_mut().take(3).for_each(|(_, there, ..)| *there += 40_000);
    let client = log(Side::Client, &[("one", ours), ("two", cancelled(10, "b", false))]);
    let server = log(Side::Server, &[("3", others), ("4", cancelled(10, "b", false))]);
    let (met, late) = merged(&client, &server);
    assert_eq!((met.paired, met.client, met.server), (1, alone(1, &[]), alone(1, &[])));
    assert!(!late.contains(&"one violation".to_string()), "{late:?}");
}

/// A client asks what another one asked an hour before. Its own server is in no log, and the other client neither.
#[test]
fn what_was_said_at_another_time_is_of_another_connection() {
    let both = [("a", cancelled(0, "a", false)), ("b", cancelled(900, "b", false))];
    let client = log(Side::Client, &[&both[..], &[("c", cancelled(3_600_000, "c", false))]].concat());
    let server = log(Side::Server, &[&both[..], &[("d", cancelled(0, "c", true))]].concat());
    let (met, late) = merged(&client, &server);
    assert_eq!((met.paired, met.client, met.server), (2, alone(1, &[]), alone(1, &[])));
    assert_eq!(late, ["c race", "d violation"]);
}

/// The times of the logs are those of sending here and of receiving there: a stretch in one log accuses nobody, and is counted once.
#[test]
fn what_the_servers_log_lost_is_counted_once() {
    let ours = [("a", cancelled(0, "a", false)), ("b", cancelled(10, "b", true))];
    let client = log(Side::Client, &ours);
    let torn = log(Side::Server, &ours) + "{\"jsonrpc\":\"2.0\",\"id\":7,\"resu\n";
    let (summary, _) = try_merged(&client, &torn).unwrap();
    assert_eq!((summary.tally.lost, summary.met.map(|met| met.paired)), (1, Some(2)));
}

/// A connection over HTTP that says the same as any other, under the name of its session.
fn over_http(key: &str, tap: Side, session: &str) -> Held {
    let head = json!({"method": "POST", "headers": {"Mcp-Session-Id": session}}).to_string();
    let ping = ask(1, "ping", json!({})).to_string();
    let frame = |body: Body<'_>| {
        let direction = Direction::By(Side::Client);
        let (source, line, byte_offset, channel, at_us, stream) = (0, 1, 0, 0, None, Some(1));
        let frame =
            Frame { source, line, byte_offset, channel, at_us, direction, stream, taps: None, in_file: None, body };
        HeldFrame::new(tap, 0, &frame)
    };
    let Ok(Parsed::One(message, facts)) = parse(&ping) else { panic!("a message") };
    let message = Body::Message(Captured { text: &ping, json: None, message, facts });
    let events = vec![frame(Body::Http { head: &head }), frame(message)];
    Held { key: key.to_string(), named: true, taken_at: None, channel: Channel::default(), events }
}

#[test]
fn the_header_of_a_session_tells_which_connections_are_one() {
    let client = [over_http("a", Side::Client, "s-1"), over_http("b", Side::Client, "s-2")];
    let server = [over_http("x", Side::Server, "s-2"), over_http("y", Side::Server, "s-3")];
    let found = partners(&client, &server);
    assert_eq!((found.of_client, found.in_doubt), (vec![None, Some(0)], Default::default()));
}

/// Many connections and as many messages: every one is found, and the work grows with the messages alone.
#[test]
fn three_hundred_connections_at_once_find_their_partners() {
    let all: Vec<(String, Vec<Passed>)> =
        (0..300).map(|nth| (format!("c{nth}"), cancelled(nth * 3, &format!("question {nth}"), nth % 3 == 0))).collect();
    let named = |step: usize| -> Vec<(String, Vec<Passed>)> {
        (0..300).map(|nth| (format!("s{nth}"), all[nth * step % 300].1.clone())).collect()
    };
    let as_log = |side, connections: &[(String, Vec<Passed>)]| {
        let connections: Vec<(&str, Vec<Passed>)> =
            connections.iter().map(|(name, messages)| (name.as_str(), messages.clone())).collect();
        log(side, &connections)
    };
    let (met, late) = merged(&as_log(Side::Client, &all), &as_log(Side::Server, &named(7)));
    assert_eq!((met.paired, met.messages), (300, 1_800));
    assert!(late.len() == 100 && late.iter().all(|one| one.ends_with("violation")), "{late:?}");
}

/// Clients that say nearly the same, each now and then in one log only, and with messages missing: whoever is charged is guilty.
#[test]
fn whatever_is_missing_nobody_innocent_is_charged() {
    let (mut state, mut paired, mut charged) = (11_u64, 0, 0);
    let mut dice = |sides: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % sides
    };
    for _ in 0..60 {
        let all: Vec<(bool, Vec<Passed>)> = (0..8)
            .map(|_| {
                let (guilty, start) = (dice(2) == 0, dice(40_000_000) as i64);
                (guilty, cancelled(start, &format!("question {}", dice(6)), guilty))
            })
            .collect();
        let mut lossy = |prefix: &str| -> Vec<(String, Vec<Passed>)> {
            let mut shown = Vec::new();
            for (nth, (_, messages)) in all.iter().enumerate() {
                let kept: Vec<Passed> = messages.iter().filter(|_| dice(12) > 0).cloned().collect();
                if dice(3) > 0 && kept.len() > 3 {
                    shown.push((format!("{prefix}{nth}"), kept));
                }
            }
            shown
        };
        let (ours, theirs) = (lossy("c"), lossy("s"));
        if ours.len() < 2 || theirs.len() < 2 {
            continue;
        }
        let as_log = |side, shown: &[(String, Vec<Passed>)]| {
            log(side, &shown.iter().map(|(name, kept)| (name.as_str(), kept.clone())).collect::<Vec<_>>())
        };
        let Ok((summary, late)) = try_merged(&as_log(Side::Client, &ours), &as_log(Side::Server, &theirs)) else {
            continue;
        };
        paired += summary.met.map_or(0, |met| met.paired);
        for one in late.iter().filter(|one| one.ends_with("violation")) {
            let name = one[1..].split([' ', '/']).next().unwrap();
            // Where names seem to tell nothing apart, lives of one connection are told apart.
            let Ok(nth) = name.parse::<usize>() else { continue };
            assert!(all[nth].0, "{one} of {late:?}: {ours:?} {theirs:?}");
            charged += 1;
        }
    }
    assert!(paired > 30 && charged > 30, "{paired} paired, {charged} charged");
}

#[test]
fn logs_that_cannot_be_what_they_are_named_as_are_refused() {
    let crossed = [("", cancelled(0, "a", false))];
    let [client, server] = [Side::Client, Side::Server].map(|side| log(side, &crossed));
    let refused = |client: &str, server: &str| try_merged(client, server).unwrap_err().to_string();
    assert!(try_merged(&client, &server).is_ok());
    assert!(refused(&server, &client).contains("the other way round"), "{}", refused(&server, &client));
    // Where nothing crossed the two orders are one: whichever end is which, the same is found.
    let quiet = [("", cancelled(0, "a", true))];
    let [client, server] = [Side::Client, Side::Server].map(|side| log(side, &quiet));
    assert!(try_merged(&client, &server).is_ok() && try_merged(&server, &client).is_ok());
}

#[test]
fn a_log_that_says_where_it_was_taken_is_no_log_of_the_other_end() {
    let said = |side: &str, at: &str| {
        let meta = json!({"meta": {"protocol": "mcp", "revision": "2025-11-25", "vantage": side, "transport": "stdio", "head": "complete", "tail": "open"}});
        let ping = json!({"n": 1, "t": 1, "dir": "c2s", "msg": ask(0, "ping", json!({"at": at}))});
        format!("{meta}\n{ping}\n")
    };
    let (client, server) = (said("client", "x"), said("server", "x"));
    assert!(try_merged(&client, &server).is_ok());
    for (one, two) in [(&server, &client), (&client, &client), (&server, &server)] {
        let refused = try_merged(one, two).unwrap_err().to_string();
        assert!(refused.contains("was taken at the"), "{refused}");
    }
}
