use crate::capture::testing::{Kept, read_as, told};
use crate::capture::{Direction, Proof, Skip};
use crate::protocol::Side;

/// A session: who sends, and what.
const SESSION: [(Side, &str); 12] = [
    (
        Side::Client,
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"app","version":"1"}}}"#,
    ),
    (
        Side::Server,
        r#"{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}"#,
    ),
    (Side::Client, r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#),
    (
        Side::Client,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search","arguments":{"q":"{\"in\": \"it's\"}"}}}"#,
    ),
    (
        Side::Server,
        r#"{"jsonrpc":"2.0","id":"s-1","method":"sampling/createMessage","params":{"messages":[],"maxTokens":1}}"#,
    ),
    (
        Side::Client,
        r#"{"jsonrpc":"2.0","id":"s-1","result":{"role":"assistant","content":{"type":"text","text":"out"},"model":"m"}}"#,
    ),
    (Side::Server, r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}"#),
    (Side::Server, r#"{"jsonrpc":"2.0","id":1,"result":{"content":[]}}"#),
    (Side::Client, r#"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#),
    (Side::Client, r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}"#),
    (
        Side::Server,
        r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"client sent a request"}}"#,
    ),
    (Side::Server, r#"{"jsonrpc":"2.0","id":2,"error":{"code":-32603,"message":"boom"}}"#),
];

/// What stands before the client's messages, and before the server's; `¤` is the message.
const PAIRS: [(&str, &str); 72] = [
    (">> ¤", "<< ¤"),
    ("<< ¤", ">> ¤"),
    (">>> ¤", "<<< ¤"),
    ("> ¤", "< ¤"),
    ("-> ¤", "<- ¤"),
    ("--> ¤", "<-- ¤"),
    ("<-- ¤", "--> ¤"),
    ("---> ¤", "<--- ¤"),
    ("=> ¤", "<= ¤"),
    ("==> ¤", "<== ¤"),
    ("→ ¤", "← ¤"),
    ("⇒ ¤", "⇐ ¤"),
    ("⬇️ ¤", "⬆️ ¤"),
    ("📥 ¤", "📤 ¤"),
    ("~> ¤", "<~ ¤"),
    ("+ ¤", "- ¤"),
    ("[IN] ¤", "[OUT] ¤"),
    ("[in]: ¤", "[out]: ¤"),
    ("(in) ¤", "(out) ¤"),
    ("IN: ¤", "OUT: ¤"),
    ("in  ¤", "answered ¤"),
    ("INCOMING: ¤", "OUTGOING: ¤"),
    ("inbound ¤", "outbound ¤"),
    ("ingress=¤", "egress=¤"),
    ("RECV ¤", "SEND ¤"),
    ("SEND ¤", "RECV ¤"),
    ("recv <- ¤", "send -> ¤"),
    ("received ¤", "emit ¤"),
    ("Received message: ¤", "Sending message: ¤"),
    ("Receiving message ¤", "Answer sent: payload is ¤"),
    ("rx: ¤", "tx: ¤"),
    ("RX[12] ¤", "TX[12] ¤"),
    ("reads: ¤", "writes: ¤"),
    ("READ_LINE ¤", "WRITE_LINE ¤"),
    ("got ¤", "put ¤"),
    ("asked ¤", "got ¤"),
    ("heard ¤", "said ¤"),
    ("client: ¤", "server: ¤"),
    ("[client] ¤", "[server] ¤"),
    ("C: ¤", "S: ¤"),
    ("c2s ¤", "s2c ¤"),
    ("C->S ¤", "S->C ¤"),
    ("client -> server: ¤", "server -> client: ¤"),
    ("client → server ¤", "server → client ¤"),
    ("from client ¤", "from server ¤"),
    ("to server ¤", "to client ¤"),
    ("editor says ¤", "language server says ¤"),
    ("host > ¤", "tool > ¤"),
    ("stdin: ¤", "stdout: ¤"),
    ("stdin ¤", "stdout ¤"),
    ("dir=in msg=¤", "dir=out msg=¤"),
    ("direction=inbound payload=¤", "direction=outbound payload=¤"),
    ("{\"dir\":\"in\"} ¤", "{\"dir\":\"out\"} ¤"),
    ("request from=client to=server body=¤", "request from=server to=client body=¤"),
    ("--> request ¤", "<-- answer ¤"),
    ("handle_incoming(¤)", "write_outgoing(¤)"),
    ("onmessage ¤", "postmessage ¤"),
    ("on_recv(): ¤", "do_send(): ¤"),
    ("proxy.upstream ¤", "proxy.downstream ¤"),
    ("Agent <- ¤", "Agent -> ¤"),
    ("peer wrote ¤ (ok)", "we wrote ¤ (ok)"),
    ("Read line: ¤.", "Wrote line: ¤."),
    ("→ server ¤", "→ client ¤"),
    ("req/notif ¤", "res/notif ¤"),
    ("JSON-RPC in: ¤", "JSON-RPC out: ¤"),
    ("rpc call <¤>", "rpc back <¤>"),
    ("[mcp:recv] ¤", "[mcp:send] ¤"),
    ("transport::stdio: recv line=¤", "transport::stdio: send line=¤"),
    ("« ¤", "» ¤"),
    ("downlink | ¤", "uplink | ¤"),
    ("server[77]: client ¤", "server[77]: server ¤"),
    ("ask ¤", "tell ¤"),
];

/// What stands around a line: nothing; a time; a time, a level and a logger's name; thread and process ids that vary; a
/// level that varies with the line.
fn dressed(style: usize, at: usize, text: &str) -> String {
    let level = ["INFO", "DEBUG", "WARN"][at % 3];
    match style {
        0 => text.to_string(),
        1 => format!("2026-05-04 08:00:{at:02}.250 {text}"),
        2 => format!("2026-05-04T08:00:{at:02}.250Z INFO my.app.rpc - {text}"),
        3 => format!("[08:00:{at:02},250] [Thread-{}] {} {text}", at % 4, 4000 + at * 7),
        _ => format!("{level:<5} 2026/05/04 08:00:{at:02} main.go:{} {text}", 40 + at),
    }
}

/// How a language prints a text.
fn printed(form: usize, message: &str) -> String {
    match form {
        0 => message.to_string(),
        1 => format!("{message:?}"),
        2 => format!("b'{}'", message.replace('\\', "\\\\").replace('\'', "\\'")),
        _ => format!("'{}'", message.replace('\\', "\\\\").replace('\'', "\\'")),
    }
}

fn log(pair: (&str, &str), style: usize, form: usize) -> String {
    let lines = SESSION.iter().enumerate().map(|(at, (side, message))| {
        let shape = if *side == Side::Client { pair.0 } else { pair.1 };
        dressed(style, at, &shape.replace('¤', &printed(form, message))) + "\n"
    });
    format!("server started, pid 4711\n{}", lines.collect::<String>())
}

/// Who sent each message, as read.
fn senders(kept: &Kept) -> Vec<Option<Side>> {
    let logger = kept.channels[0].vantage.side();
    let side = |direction| match direction {
        Direction::By(side) => Some(side),
        Direction::Sent => logger,
        Direction::Received => logger.map(Side::peer),
        Direction::Unknown => None,
    };
    kept.frames.iter().map(|frame| side(frame.direction)).collect()
}

#[test]
fn every_pair_is_read_whole_and_its_directions_are_right() {
    let want: Vec<Option<Side>> = SESSION.iter().map(|(side, _)| Some(*side)).collect();
    for pair in PAIRS {
        for (style, form) in [(0, 0), (1, 0), (2, 0), (3, 0), (4, 0), (1, 1), (0, 2), (2, 3)] {
            let text = log(pair, style, form);
            let known = told(text.as_bytes()).map(|(name, _)| name);
            assert_eq!(known, Some("text-log"), "{pair:?} {style} {form}\n{text}");
            let kept = read_as("text-log", text.as_bytes());
            let kinds: Vec<&str> = kept.frames.iter().map(|frame| frame.kind).collect();
            assert_eq!(kinds, ["message"; 12], "{pair:?}\n{text}{kept:?}");
            assert_eq!(kept.skipped, [(1, Skip::NotAMessage)], "{pair:?}");
            let texts: Vec<&str> = kept.frames.iter().map(|frame| frame.text.as_str()).collect();
            assert_eq!(texts, SESSION.map(|(_, message)| message), "{pair:?}\n{text}");
            assert_eq!(senders(&kept), want, "{pair:?} {style} {form}\n{text}{:?}", told(text.as_bytes()));
            assert_eq!(kept.frames[0].at_us.is_some(), style > 0, "{pair:?} {style}");
        }
    }
}

#[test]
fn a_way_between_two_sides_says_who_sent_even_if_no_message_does() {
    let log = "server -> client: {\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{}}\n".repeat(3);
    let (name, _) = told(log.as_bytes()).expect("a log");
    let kept = read_as(name, log.as_bytes());
    assert_eq!(senders(&kept), [Some(Side::Server); 3]);
}

/// The DevTools protocol, as Playwright and Puppeteer print what they send and receive: no member `jsonrpc`, sessions beside
/// the message.
#[test]
fn traces_of_the_devtools_protocol() {
    let messages = [
        (true, r#"{"id":1,"method":"Browser.getVersion"}"#),
        (false, r#"{"id":1,"result":{"protocolVersion":"1.3","product":"Chrome/126"}}"#),
        (true, r#"{"id":2,"method":"Target.setAutoAttach","params":{"autoAttach":true,"flatten":true}}"#),
        (false, r#"{"method":"Target.attachedToTarget","params":{"sessionId":"S1","targetInfo":{"type":"page"}}}"#),
        (false, r#"{"id":2,"result":{}}"#),
        (true, r#"{"id":3,"method":"Page.navigate","params":{"url":"x"},"sessionId":"S1"}"#),
        (false, r#"{"id":3,"error":{"code":-32000,"message":"Cannot navigate"},"sessionId":"S1"}"#),
    ];
    type Form = fn(bool, &str) -> String;
    let forms: [(&str, Form); 4] = [
        ("playwright", |sent, text| format!("  pw:protocol {} {text} +3ms\n", if sent { "SEND ►" } else { "◀ RECV" })),
        ("playwright, no terminal", |sent, text| {
            format!("2026-03-01T09:00:00.120Z pw:protocol {} {text}\n", if sent { "SEND ►" } else { "◀ RECV" })
        }),
        ("puppeteer", |sent, text| {
            let head = format!("  puppeteer:protocol:{}", if sent { "SEND ►" } else { "RECV ◀" });
            format!("{head} [\n{head}   '{text}'\n{head} ] +3ms\n")
        }),
        ("puppeteer, older", |sent, text| {
            format!("  puppeteer:protocol {} {text} +3ms\n", if sent { "SEND ►" } else { "◀ RECV" })
        }),
    ];
    for (name, form) in forms {
        let log: String = messages.iter().map(|(sent, text)| form(*sent, text)).collect();
        let kept = crate::capture::testing::read("text-log", &log);
        let kinds: Vec<_> = kept.frames.iter().map(|frame| (frame.kind, frame.text.as_str())).collect();
        let want: Vec<_> = messages.iter().map(|(_, text)| ("message", *text)).collect();
        assert_eq!(kinds, want, "{name}");
    }
}

#[test]
fn an_array_of_messages_is_none_that_was_cut() {
    let log = r#"--> {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{}}}
<-- {"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-03-26","capabilities":{}}}
--> [{"jsonrpc":"2.0","id":4,"method":"ping"},{"jsonrpc":"2.0","id":5,"method":"ping"}]
<-- [{"jsonrpc":"2.0","id":4,"result":{}},{"jsonrpc":"2.0","id":5,"result":{}}]
"#;
    let whole = |log: &str| crate::capture::testing::read("text-log", log).channels[0].proof.covers(Proof::PAYLOAD);
    assert!(whole(log));
    assert!(!whole(&log.replace("\"}]", "").replace("}}]", "")), "cut ones keep no payloads");
}
