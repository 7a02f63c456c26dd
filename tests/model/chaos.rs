//! Anything at all: frames over small sets of ids, methods and tokens, in no order that makes sense.

use rpctape::capture::{Body, Channel, Direction, Frame, Proof, Transport, Vantage};
use rpctape::protocol::{Side, profiles};
use rpctape::rules::Selection;
use rpctape::session::{Nobody, Opened, Session, Settings};

use super::rng::Rng;
use crate::support::trace::{Step, What, frame};
use crate::support::verdicts::{Verdicts, width};

const IDS: [&str; 12] =
    ["0", "1", "1.0", "10e-1", "\"1\"", "\"\"", "2", "\"a\"", "null", "1.5", "true", "123456789012345678901234567890"];

const METHODS: [&str; 34] = [
    "initialize",
    "notifications/initialized",
    "initialized",
    "shutdown",
    "exit",
    "ping",
    "tools/call",
    "tools/list",
    "sampling/createMessage",
    "subscriptions/listen",
    "notifications/cancelled",
    "notifications/progress",
    "notifications/message",
    "notifications/tasks/status",
    "tasks/cancel",
    "tasks/get",
    "$/cancelRequest",
    "$/cancel_request",
    "$/progress",
    "$/other",
    "cancelled",
    "window/workDoneProgress/create",
    "window/workDoneProgress/cancel",
    "textDocument/hover",
    "textDocument/diagnostic",
    "workspace/configuration",
    "session/new",
    "session/prompt",
    "session/cancel",
    "session/update",
    "session/request_permission",
    "terminal/create",
    "made/up",
    "",
];

/// Members of `params`; `#` stands for some id.
const PARAMS: [&str; 18] = [
    "\"requestId\":#",
    "\"id\":#",
    "\"progressToken\":#,\"progress\":1",
    "\"progressToken\":#,\"progress\":\"x\"",
    "\"token\":#,\"value\":{\"kind\":\"begin\"}",
    "\"token\":#,\"value\":{\"kind\":\"end\"}",
    "\"_meta\":{\"progressToken\":#}",
    "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\",\"io.modelcontextprotocol/clientCapabilities\":{}}",
    "\"_meta\":{\"io.modelcontextprotocol/subscriptionId\":#}",
    "\"_meta\":{\"io.modelcontextprotocol/related-task\":{\"taskId\":\"T\"}}",
    "\"workDoneToken\":#",
    "\"partialResultToken\":#,\"workDoneToken\":#",
    "\"sessionId\":\"S\",\"update\":{\"sessionUpdate\":\"plan\"}",
    "\"sessionId\":\"S\"",
    "\"task\":{},\"name\":\"x\"",
    "\"taskId\":\"T\",\"status\":\"working\"",
    "\"protocolVersion\":\"2025-11-25\",\"capabilities\":{\"tasks\":{\"cancel\":{},\"requests\":{\"tools\":{\"call\":{}}}}}",
    "\"protocolVersion\":1,\"clientCapabilities\":{\"cancellation\":{\"request\":true}}",
];

const RESULTS: [&str; 12] = [
    "{}",
    "null",
    "[]",
    "{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{}}",
    "{\"protocolVersion\":1,\"agentCapabilities\":{\"cancellation\":{\"request\":true}}}",
    "{\"resultType\":\"complete\"}",
    "{\"stopReason\":\"cancelled\"}",
    "{\"stopReason\":\"end_turn\"}",
    "{\"outcome\":{\"outcome\":\"selected\"}}",
    "{\"task\":{\"taskId\":\"T\",\"status\":\"working\"}}",
    "{\"taskId\":\"T\",\"status\":\"cancelled\"}",
    "{\"taskId\":\"T\",\"status\":\"completed\"}",
];

const GARBAGE: [&str; 10] =
    ["", "{", "[", "[]", "[1,2]", "null", "{}", "\"x\"", "{\"jsonrpc\":\"2.0\",\"id\":1}", "{\"method\":7,\"id\":1}"];

/// Frames and the channel they come on.
pub struct Chaos {
    pub channel: Channel,
    pub settings: Settings,
    steps: Vec<Step>,
    directions: Vec<Direction>,
    times: Vec<Option<i64>>,
}

impl Chaos {
    pub fn new(seed: u64, size: usize) -> Chaos {
        let mut rng = Rng::new(seed);
        let (channel, settings) = (channel(&mut rng), settings(&mut rng));
        let mut chaos = Chaos { channel, settings, steps: Vec::new(), directions: Vec::new(), times: Vec::new() };
        let kind = rng.number() % 4;
        let mut at = 0;
        for _ in 0..size {
            at += *rng.pick(&[0, 1, 5, 40, 700, 20_000, -3]);
            chaos.steps.push(step(&mut rng, at));
            let side = if rng.chance(50) { Side::Client } else { Side::Server };
            chaos.directions.push(match kind {
                0 | 1 => Direction::By(side),
                2 => *rng.pick(&[Direction::Sent, Direction::Received]),
                _ => *rng.pick(&[Direction::By(side), Direction::Sent, Direction::Unknown, Direction::Unknown]),
            });
            chaos.times.push(rng.chance(95).then_some(at * 1000));
        }
        chaos
    }

    /// All that the fold and the rules say.
    pub fn fold(&self) -> String {
        let mut session = Session::new(self.settings);
        let mut verdicts = Verdicts::new(&Selection { select: vec!["ALL".into()], ..Selection::default() });
        session.open(Opened { id: 1, key: "c/1".into(), channel: self.channel.clone(), demanded: None });
        let mut next = 1;
        for (index, step) in self.steps.iter().enumerate() {
            let mut frame = frame(step, index as u64 + 1, true);
            (frame.direction, frame.at_us) = (self.directions[index], self.times[index]);
            special(&mut frame);
            session.push(next, 1, &frame, &mut verdicts);
            next += width(&frame);
        }
        session.finish(&mut Nobody, &mut verdicts);
        let Verdicts { findings, exchanges, cancellations, .. } = &verdicts;
        format!("{findings:?} {exchanges:?} {cancellations:?}")
    }
}

/// Garbage that stands for the rarer kinds of frames.
fn special(frame: &mut Frame<'_>) {
    let Body::Malformed { bytes, .. } = &frame.body else { return };
    frame.body = match *bytes {
        b"!gap" => Body::gap(None),
        b"!exit" => Body::Exit(rpctape::capture::Exit::new(Some(1), None)),
        b"!open" => Body::Open { by: Some(Side::Client) },
        b"!stderr" => Body::Stderr { text: "oops" },
        _ => return,
    };
}

fn channel(rng: &mut Rng) -> Channel {
    let list: Vec<_> = profiles().collect();
    let vantages = [Vantage::Client, Vantage::Server, Vantage::Proxy, Vantage::Unknown, Vantage::Merged];
    let transport = if rng.chance(60) { Transport::Ordered } else { Transport::Http };
    Channel {
        profile: rng.chance(80).then(|| *rng.pick(&list)),
        vantage: *rng.pick(&vantages),
        transport,
        complete_head: *rng.pick(&[None, Some(true), Some(false)]),
        one_connection: rng.chance(50),
        proof: if rng.chance(80) {
            Proof::FULL.and(Proof::STREAMS)
        } else {
            Proof::from_bits(rng.number() as u16 & 0xff)
        },
        resolution_us: *rng.pick(&[1, 1000, 1_000_000]),
        ..Channel::default()
    }
}

fn settings(rng: &mut Rng) -> Settings {
    let window = *rng.pick(&[1, 2, 5, 16_384]);
    Settings { window, proof_only: rng.chance(30), ..Settings::default() }
}

fn step(rng: &mut Rng, at_ms: i64) -> Step {
    let stream = rng.chance(30).then(|| (rng.number() % 3) as u32);
    let side = *rng.pick(&[None, Some(Side::Client), Some(Side::Server)]);
    let what = match rng.number() % 40 {
        0 | 1 => What::Close,
        2 => What::Raw((*rng.pick(&["!gap", "!exit", "!open", "!stderr"])).to_string()),
        3 => What::Raw((*rng.pick(&GARBAGE)).to_string()),
        4 | 5 => What::Json((*rng.pick(&GARBAGE)).to_string()),
        6..=8 => {
            let members: Vec<String> = (0..rng.between(0, 4)).map(|_| message(rng)).collect();
            What::Json(format!("[{}]", members.join(",")))
        }
        _ => What::Json(message(rng)),
    };
    Step { at_ms, side, stream, hop: 1, what }
}

fn message(rng: &mut Rng) -> String {
    let mut members = Vec::new();
    if rng.chance(95) {
        members.push("\"jsonrpc\":\"2.0\"".to_string());
    }
    let kind = rng.number() % 10;
    if kind != 0 && kind != 1 && kind != 2 || rng.chance(5) {
        members.push(format!("\"id\":{}", rng.pick(&IDS)));
    }
    if kind < 6 {
        members.push(format!("\"method\":\"{}\"", rng.pick(&METHODS)));
        let some: Vec<String> =
            (0..rng.between(0, 3)).map(|_| rng.pick(&PARAMS).replace('#', IDS[(rng.number() % 12) as usize])).collect();
        members.push(match rng.number() % 20 {
            0 => "\"params\":null".into(),
            1 => "\"params\":[1]".into(),
            _ => format!("\"params\":{{{}}}", some.join(",")),
        });
    }
    if kind > 5 && kind < 9 || rng.chance(2) {
        members.push(format!("\"result\":{}", rng.pick(&RESULTS)));
    }
    if kind == 9 || rng.chance(2) {
        let code = rng.pick(&[-32800, -32600, -32603, -32002, -32042, -32768, 0]);
        let text = rng.pick(&["no", "Request cancelled", ""]);
        members.push(format!("\"error\":{{\"code\":{code},\"message\":\"{text}\"}}"));
    }
    format!("{{{}}}", members.join(","))
}
