//! A recording against a server that says anything at any time, in virtual time: a run ends, and is judged.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use rpctape::live::link::{Incoming, Outgoing};
use rpctape::pipeline::replay::load;
use rpctape::pipeline::{Options, Quiet, ingest};
use rpctape::replay::{About, Engine, Recording, judge, options, plan};
use rpctape::store::Store;

const LOGS: [&str; 3] = [
    concat!(
        "{\"ts\":\"2026-01-01T10:00:00.000Z\",\"dir\":\"c2s\",\"msg\":{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{\"name\":\"c\",\"version\":\"1\"}}}}\n",
        "{\"ts\":\"2026-01-01T10:00:00.010Z\",\"dir\":\"s2c\",\"msg\":{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{\"tools\":{}},\"serverInfo\":{\"name\":\"s\",\"version\":\"1\"}}}}\n",
        "{\"ts\":\"2026-01-01T10:00:00.020Z\",\"dir\":\"c2s\",\"msg\":{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}}\n",
        "{\"ts\":\"2026-01-01T10:00:00.030Z\",\"dir\":\"c2s\",\"msg\":{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":\"a\",\"_meta\":{\"progressToken\":2}}}}\n",
        "{\"ts\":\"2026-01-01T10:00:00.040Z\",\"dir\":\"c2s\",\"msg\":{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"tools/list\"}}\n",
        "{\"ts\":\"2026-01-01T10:00:00.050Z\",\"dir\":\"s2c\",\"msg\":{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":2,\"progress\":1}}}\n",
        "{\"ts\":\"2026-01-01T10:00:00.060Z\",\"dir\":\"s2c\",\"msg\":{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"roots/list\"}}\n",
        "{\"ts\":\"2026-01-01T10:00:00.070Z\",\"dir\":\"c2s\",\"msg\":{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{\"roots\":[]}}}\n",
        "{\"ts\":\"2026-01-01T10:00:00.080Z\",\"dir\":\"c2s\",\"msg\":{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":2}}}\n",
        "{\"ts\":\"2026-01-01T10:00:00.090Z\",\"dir\":\"s2c\",\"msg\":{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{\"tools\":[]}}}\n",
    ),
    concat!(
        "{\"ts\":\"2026-01-01T10:00:00.000Z\",\"dir\":\"c2s\",\"msg\":{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":1}}}\n",
        "{\"ts\":\"2026-01-01T10:00:00.010Z\",\"dir\":\"s2c\",\"msg\":{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{\"protocolVersion\":1,\"agentCapabilities\":{}}}}\n",
        "{\"ts\":\"2026-01-01T10:00:00.020Z\",\"dir\":\"c2s\",\"msg\":{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"session/new\",\"params\":{\"cwd\":\"/\",\"mcpServers\":[]}}}\n",
        "{\"ts\":\"2026-01-01T10:00:00.030Z\",\"dir\":\"s2c\",\"msg\":{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"sessionId\":\"s1\"}}}\n",
        "{\"ts\":\"2026-01-01T10:00:00.040Z\",\"dir\":\"c2s\",\"msg\":{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"session/prompt\",\"params\":{\"sessionId\":\"s1\",\"prompt\":[]}}}\n",
        "{\"ts\":\"2026-01-01T10:00:00.050Z\",\"dir\":\"s2c\",\"msg\":{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"session/request_permission\",\"params\":{\"sessionId\":\"s1\",\"options\":[]}}}\n",
        "{\"ts\":\"2026-01-01T10:00:00.060Z\",\"dir\":\"c2s\",\"msg\":{\"jsonrpc\":\"2.0\",\"method\":\"session/cancel\",\"params\":{\"sessionId\":\"s1\"}}}\n",
        "{\"ts\":\"2026-01-01T10:00:00.070Z\",\"dir\":\"c2s\",\"msg\":{\"jsonrpc\":\"2.0\",\"id\":5,\"result\":{\"outcome\":{\"outcome\":\"cancelled\"}}}}\n",
        "{\"ts\":\"2026-01-01T10:00:00.080Z\",\"dir\":\"s2c\",\"msg\":{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"stopReason\":\"cancelled\"}}}\n",
    ),
    concat!(
        "{\"ts\":\"2026-01-01T10:00:00.000Z\",\"dir\":\"c2s\",\"msg\":{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"capabilities\":{},\"processId\":null,\"rootUri\":null}}}\n",
        "{\"ts\":\"2026-01-01T10:00:00.010Z\",\"dir\":\"s2c\",\"msg\":{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"capabilities\":{\"hoverProvider\":true}}}}\n",
        "{\"ts\":\"2026-01-01T10:00:00.020Z\",\"dir\":\"c2s\",\"msg\":{\"jsonrpc\":\"2.0\",\"method\":\"initialized\",\"params\":{}}}\n",
        "{\"ts\":\"2026-01-01T10:00:00.030Z\",\"dir\":\"c2s\",\"msg\":{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"textDocument/hover\",\"params\":{\"textDocument\":{\"uri\":\"u\"}}}}\n",
        "{\"ts\":\"2026-01-01T10:00:00.040Z\",\"dir\":\"c2s\",\"msg\":{\"jsonrpc\":\"2.0\",\"method\":\"$/cancelRequest\",\"params\":{\"id\":2}}}\n",
        "{\"ts\":\"2026-01-01T10:00:00.050Z\",\"dir\":\"s2c\",\"msg\":{\"jsonrpc\":\"2.0\",\"id\":2,\"error\":{\"code\":-32800,\"message\":\"cancelled\"}}}\n",
        "{\"ts\":\"2026-01-01T10:00:00.060Z\",\"dir\":\"c2s\",\"msg\":{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"shutdown\"}}\n",
        "{\"ts\":\"2026-01-01T10:00:00.070Z\",\"dir\":\"s2c\",\"msg\":{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":null}}\n",
        "{\"ts\":\"2026-01-01T10:00:00.080Z\",\"dir\":\"c2s\",\"msg\":{\"jsonrpc\":\"2.0\",\"method\":\"exit\"}}\n",
    ),
];

static RECORDINGS: LazyLock<Vec<Recording>> = LazyLock::new(|| LOGS.iter().map(|log| recording(log)).collect());

fn recording(log: &str) -> Recording {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.jsonl");
    std::fs::write(&path, log).expect("writes");
    let mut store = Store::temporary().expect("a database");
    ingest(&mut store, &[path.display().to_string()], &Options::default(), &mut Quiet).expect("a log");
    load(&store, "a.jsonl").expect("a recording")
}

/// What a server says next: what it is told by two bytes, else what stands in the input up to a newline.
fn said<'b>(script: &mut &'b [u8], asked: &[String]) -> Option<(i64, Incoming)> {
    let [wait, what, rest @ ..] = script else { return None };
    *script = rest;
    let text = |bytes: &[u8]| Incoming::Message { stream: None, bytes: bytes.to_vec(), event_id: None };
    let id = asked.get(usize::from(what >> 3) % asked.len().max(1)).map_or("1", String::as_str);
    let incoming = match what & 7 {
        0 => text(format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{{}}}}").as_bytes()),
        1 => text(format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"error\":{{\"code\":-32800,\"message\":\"x\"}}}}").as_bytes()),
        2 => text(format!("{{\"jsonrpc\":\"2.0\",\"id\":{what},\"method\":\"roots/list\"}}").as_bytes()),
        3 => text(b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":2,\"progress\":1}}"),
        4 => text(format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{{}},\"sessionId\":\"n\"}}}}").as_bytes()),
        5 => Incoming::Raw { bytes: vec![*what] },
        _ => {
            let end = rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
            *script = rest.get(end + 1..).unwrap_or(&[]);
            text(&rest[..end])
        }
    };
    Some((i64::from(*wait) * i64::from(*wait) * 1_000, incoming))
}

fn id_of(bytes: &[u8]) -> Option<String> {
    Some(serde_json::from_slice::<serde_json::Value>(bytes).ok()?.get("id")?.to_string())
}

fuzz_target!(|bytes: &[u8]| {
    let Some((first, mut script)) = bytes.split_first() else { return };
    let recorded = &RECORDINGS[usize::from(*first) % LOGS.len()];
    let mut options = options::Options::default();
    options.cancel.witness = first & 64 != 0;
    options.policy.allow_all = true;
    let planned = plan(recorded, &options).expect("a plan");
    let mut engine = Engine::new(&recorded.connections[0], &planned.connections[0], &options);
    engine.arrival(0, &Incoming::Ready);
    let (mut now, mut asked) = (0, Vec::new());
    let mut next = said(&mut script, &asked);
    for _ in 0..100_000 {
        while let Some(order) = engine.next() {
            if let Outgoing::Message { stream, bytes, .. } = &order {
                asked.extend(id_of(bytes));
                engine.arrival(now, &Incoming::Sent { stream: *stream });
            }
            if matches!(order, Outgoing::Finish | Outgoing::Abort) {
                next = None;
                engine.link_ended(now);
            }
        }
        if engine.done() {
            break;
        }
        match (&next, engine.wake_at()) {
            (Some((wait, _)), wake) if wake.is_none_or(|wake| now + wait <= wake) => {
                let Some((wait, what)) = next.take() else { return };
                now += wait;
                engine.arrival(now, &what);
                next = said(&mut script, &asked);
            }
            (_, Some(wake)) => {
                now = now.max(wake);
                engine.tick(now);
            }
            (_, None) => panic!("it waits for nothing that has a time: {:?}", engine.waiting()),
        }
    }
    assert!(engine.done(), "no end: {:?}", engine.waiting());
    let log = engine.finish();
    judge(recorded, recorded, &[log], &options, &About::default());
});
