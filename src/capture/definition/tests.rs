use super::*;
use crate::capture::lines::Lines;
use crate::capture::out::Out;
use crate::capture::testing::{Kept, read, read_as, told};
use crate::capture::{Direction, Overrides, Resume, Skip};
use crate::protocol::Side;
use proptest::prelude::*;
use serde_json::{Value, json};

const DIRECTORY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/samples/formats");

fn messages(kept: &Kept) -> usize {
    kept.frames.iter().filter(|frame| frame.kind == "message").count()
}

/// Reads a text by a definition of its own.
pub(super) fn read_by(definition: &str, text: &str, overrides: &Overrides) -> Kept {
    let file = schema::parse("test.toml", definition).unwrap_or_else(|error| panic!("{error} {:?}", error.hint));
    let ready = compile::compile("test.toml", &file).unwrap_or_else(|error| panic!("{error} {:?}", error.hint));
    let mut kept = Kept::default();
    let mut out = Out::new(&mut kept, 0, overrides);
    let mut reader = reader::DefinitionReader::new(Arc::new(ready), Vantage::Unknown);
    use crate::capture::format::LineReader;
    let mut lines = Lines::new(text.as_bytes(), Resume::default(), false).expect("lines");
    while let Some(line) = lines.next().expect("a line") {
        reader.line(&line, &mut out).expect("read");
    }
    reader.end(&mut out).expect("read");
    kept
}

#[test]
fn every_definition_compiles_and_reads_its_own_sample() {
    for (name, text) in builtin::TEXTS {
        let file = schema::parse(name, text).unwrap_or_else(|error| panic!("{error} {:?}", error.hint));
        assert_eq!(file.name, *name, "the file is called as the format");
        assert!(!file.about.is_empty() && !file.sample.is_empty(), "{name} says what it is and has a sample");
        for sample in file.sample {
            assert_eq!(told(sample.text.as_bytes()).map(|(name, _)| name), Some(*name), "{}", sample.text);
            let kept = read_as(name, sample.text.as_bytes());
            assert_eq!(messages(&kept), sample.messages, "{name}: {kept:?}");
            assert!(kept.frames.iter().all(|frame| frame.kind != "malformed"), "{name}: {kept:?}");
        }
    }
}

#[test]
fn every_file_among_the_definitions_is_a_format() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/capture/definitions");
    for entry in std::fs::read_dir(folder).expect("the folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_stem().and_then(|name| name.to_str()).unwrap_or_default();
        assert!(builtin::TEXTS.iter().any(|(listed, _)| *listed == name), "builtin.rs does not list {name}");
    }
}

#[test]
fn a_line_that_is_said_to_be_none_of_a_message_ends_the_record_above_it() {
    let definition = r#"
        name = "t"
        about = "t"
        [detect]
        contains = ["@"]
        [record]
        start = '^@(?<dir>[<>]) '
        continuation = "until_next_start"
        header = '^\[internal\]'
        [direction]
        map = { ">" = "c2s", "<" = "s2c" }
    "#;
    let text = concat!(
        "@> {\"jsonrpc\":\"2.0\",\n\"id\":1,\"method\":\"a\"}\n[internal] Thu\n(:a 1)\n",
        "@< {\"jsonrpc\":\"2.0\",\"id\":1,\n\"result\":[\"x\"]}\n",
    );
    let kept = read_by(definition, text, &Overrides::default());
    let texts: Vec<&str> = kept.frames.iter().map(|frame| frame.text.trim_end()).collect();
    let want =
        ["{\"jsonrpc\":\"2.0\",\n\"id\":1,\"method\":\"a\"}", "{\"jsonrpc\":\"2.0\",\"id\":1,\n\"result\":[\"x\"]}"];
    assert_eq!(texts, want);
    assert_eq!(kept.skipped, [(3, Skip::Header), (4, Skip::NotAMessage)]);
}

#[test]
fn what_the_documentation_teaches_compiles() {
    let page = include_str!("../../../docs/formats.md");
    let examples: Vec<&str> = page.split("```toml\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert!(examples.len() >= 4);
    for text in examples {
        let file = schema::parse("formats.md", text).unwrap_or_else(|error| panic!("{error} {:?}\n{text}", error.hint));
        if let Err(error) = Ready::new("formats.md", &file) {
            panic!("{error} {:?}\n{text}", error.hint);
        }
    }
}

#[test]
fn helix_repeats_results_and_keeps_stderr() {
    let text = std::fs::read_to_string(format!("{DIRECTORY}/helix-log/1.log")).expect("a sample");
    let kept = read("helix-log", &text);
    let duplicates = kept.skipped.iter().filter(|(_, why)| *why == Skip::Duplicate).count();
    assert_eq!((kept.names(), duplicates), (vec![Some("zls")], 1));
    assert_eq!(kept.frames.last().map(|frame| (frame.kind, frame.text.as_str())), Some(("stderr", "\"bye\\n\"")));
    let channel = &kept.channels[0];
    assert_eq!((channel.vantage, channel.resolution_us), (Vantage::Client, 1_000));
    let first = &kept.frames[0];
    assert_eq!(&text[first.byte_offset as usize..][..first.text.len()], first.text);
}

#[test]
fn clangd_says_all_twice_and_starts_anew() {
    let kept = read("clangd-verbose", include_str!("../../../samples/formats/clangd-verbose/pretty.log"));
    assert_eq!(kept.frames[0].at_us, Some(36_920_000_000), "a time of day is on the first day");
    assert!(kept.skipped.iter().filter(|(_, why)| *why == Skip::Duplicate).count() >= 15);
    let two = "V[23:59:59.900] <<< {\"jsonrpc\":\"2.0\",\"method\":\"exit\"}\nI[00:00:01.000] Starting LSP over stdin/stdout\n\
        V[00:00:01.100] <<< {\n\"jsonrpc\":\"2.0\",\nI[00:00:01.200] hm\n\"method\":\"a\"}\nV[00:00:02.000] >>> {\"cut\":";
    let kept = read_as("clangd-verbose", two.as_bytes());
    let kinds: Vec<_> = kept.frames.iter().map(|frame| (frame.kind, frame.line)).collect();
    assert_eq!(kinds, [("message", 1), ("open", 2), ("message", 3)]);
    assert_eq!(kept.frames[2].at_us, Some(86_400_000_000 + 1_100_000), "midnight has passed");
    assert_eq!(kept.skipped, [(2, Skip::Header), (5, Skip::NotAMessage), (7, Skip::CutOff)]);
}

#[test]
fn a_log_without_payload_proves_less() {
    let kept = read("clangd-info", include_str!("../../../samples/formats/clangd-info/1.log"));
    let channel = &kept.channels[0];
    assert!(!channel.proof.covers(Proof::CANCEL_TARGET) && channel.proof.covers(Proof::DIRECTION));
    let json: Vec<_> = kept.frames.iter().filter_map(|frame| frame.json.as_deref()).collect();
    assert_eq!(json[0], r#"{"jsonrpc":"2.0","id":0,"method":"initialize"}"#);
    assert!(json.contains(&r#"{"jsonrpc":"2.0","id":"c-2","error":{"message":"Task was cancelled."}}"#), "{json:?}");
    assert!(kept.frames[1].text.starts_with("I[10:15:20.041] --> reply:"), "the captured text is the line");
}

#[test]
fn whoever_sends_initialize_is_the_client() {
    let vantage = |text: &str| read("text-log", text).channels[0].vantage;
    let request = r#"{"jsonrpc":"2.0","id":1,"method":"initialize"}"#;
    assert_eq!(vantage(&format!("INCOMING: {request}\n")), Vantage::Server);
    assert_eq!(vantage(&format!("Sending request: {request}\n")), Vantage::Client);
    assert_eq!(
        vantage("Sending: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n"),
        Vantage::Unknown,
        "nothing proves it"
    );
    let text =
        "      Server (demo) transport received message. Message: '{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}'.\n";
    let kept = read("mcp-csharp-sdk-trace", text);
    assert_eq!(kept.frames[0].direction, Direction::By(Side::Client), "the line names its side");
}

#[test]
fn parameters_that_were_cut_are_left_out() {
    let cut = "[2026-02-01T10:00:00Z][7] Local → Remote message {\n \"method\": \"a\",\n \"id\": 1,\n \"params\": \"{\\\"x\\\":\"\n}\n";
    let kept = read("mcp-remote", cut);
    assert_eq!(kept.frames[0].json.as_deref(), Some(r#"{"jsonrpc":"2.0","method":"a","id":1}"#));
    assert_eq!(kept.names(), [Some("7")]);
}

#[test]
fn the_user_says_zone_day_and_what_tells_connections_apart() {
    let text = "2026-02-01T10:00:00.5 helix_lsp::transport [INFO] zls -> {\"jsonrpc\":\"2.0\",\"method\":\"a\",\"params\":{\"w\":\"x\"}}\n";
    let definition = include_str!("../definitions/helix-log.toml");
    let key = |key: &str| Overrides { connection_key: Some(vec![key.into()]), tz: Some(60), ..Overrides::default() };
    let kept = read_by(definition, text, &key("/params/w"));
    assert_eq!((kept.names(), kept.frames[0].at_us), (vec![Some("x")], Some(1_769_936_400_500_000)));
    let file = schema::parse("t", definition).expect("parsed");
    let ready = Arc::new(compile::compile("t", &file).expect("compiled"));
    let mut kept = Kept::default();
    let overrides = key("sever");
    let mut out = Out::new(&mut kept, 0, &overrides);
    let mut reader = reader::DefinitionReader::new(ready, Vantage::Client);
    let mut lines = Lines::new(text.as_bytes(), Resume::default(), false).expect("lines");
    let line = lines.next().expect("read").expect("a line");
    let error = crate::capture::format::LineReader::line(&mut reader, &line, &mut out).expect_err("no such field");
    assert!(error.message.contains("has no field sever"), "{}", error.message);
}

/// Every continuation, with a message that fits it.
#[test]
fn records_end_where_the_definition_says() {
    let message = "{\"jsonrpc\":\"2.0\",\n \"method\":\"é\"}";
    let definition = |continuation: &str, more: &str| {
        format!(
            "name = \"t\"\n[record]\nstart = '^(?<dir>IN|OUT)(?: (?<length>\\d+))?:'\ncontinuation = \"{continuation}\"\n\
             [payload]\nallow_trailing = true\n[direction]\nmap = {{ IN = \"received\", OUT = \"sent\" }}\n{more}"
        )
    };
    let texts = [
        ("until_next_start", format!("IN: {message}\nOUT: {message}\n")),
        ("blank_line", format!("IN:\n{message}\n\nOUT:\n{message}\n\nother\n")),
        ("json_value", format!("IN: {message} tail\nnoise\nOUT:\n\n{message}\n")),
        ("content_length", format!("IN:\nContent-Length: {0}\n\n{message}\nOUT {0}:\n\n{message}\n", message.len())),
    ];
    for (continuation, text) in texts {
        let kept = read_by(&definition(continuation, ""), &text, &Overrides::default());
        let got: Vec<_> = kept.frames.iter().map(|frame| (frame.direction, frame.text.as_str())).collect();
        let want = [(Direction::Received, message), (Direction::Sent, message)];
        assert_eq!(got, want, "{continuation}: {kept:?}");
        for frame in &kept.frames {
            assert_eq!(&text[frame.byte_offset as usize..][..frame.text.len()], frame.text, "{continuation}");
        }
    }
}

#[test]
fn encodings_and_layers() {
    let read = |encoding: &str, layers: &str, text: &str| {
        let definition =
            format!("name = \"t\"\n{layers}\n[record]\nstart = '^m: '\n[payload]\nencoding = \"{encoding}\"\n");
        let kept = read_by(&definition, text, &Overrides::default());
        assert_eq!(kept.frames.len(), 1, "{encoding}: {kept:?}");
        let frame = kept.frames[0].clone();
        serde_json::from_str::<Value>(frame.json.as_deref().unwrap_or(&frame.text)).expect("JSON")
    };
    let want = json!({"jsonrpc": "2.0", "method": "é"});
    assert_eq!(read("json_string", "", "m: \"{\\\"jsonrpc\\\":\\\"2.0\\\",\\\"method\\\":\\\"\\u00e9\\\"}\"\n"), want);
    assert_eq!(read("python_bytes", "", "m: b'{\"jsonrpc\":\"2.0\",\"method\":\"\\xc3\\xa9\"}'\n"), want);
    assert_eq!(read("python_repr", "", "m: {'jsonrpc': '2.0', 'method': 'é'}\n"), want);
    assert_eq!(read("lua", "", "m: { jsonrpc = \"2.0\", method = \"é\" }\n"), want);
    assert_eq!(read("elisp", "", "m: (:jsonrpc \"2.0\" :method \"é\")\n"), want);
    assert_eq!(read("node_inspect", "", "m: { jsonrpc: '2.0', method: 'é' }\n"), want);
    let strip = "[layers]\nstrip = ['\\x1b\\[[0-9;]*m']";
    assert_eq!(read("json", strip, "\u{1b}[2mm: \u{1b}[0m{\"jsonrpc\":\"2.0\",\"method\":\"é\"}\n"), want);
    let unwrap = "[layers]\nunwrap = [{ json_pointer = \"/log\", join = \"until_newline\", ts = \"/time\" }]";
    let text = "{\"log\":\"m: {\\\"jsonrpc\\\":\\\"2.0\\\",\",\"time\":1}\n{\"log\":\"\\\"method\\\":\\\"é\\\"}\\n\",\"time\":1}\n";
    assert_eq!(read("json", unwrap, text), want);
}

#[test]
fn a_broken_definition_says_what_is_wrong() {
    let fault = |text: &str| {
        let file = schema::parse("d.toml", text)?;
        Ready::new("d.toml", &file).map(|_| ())
    };
    let cases = [
        ("name = \"t\"\n[record]\nstart = '('\n", "record.start is no regular expression"),
        (
            "name = \"t\"\n[record]\nstart = 'a'\n[connection]\nkey = [\"srv\"]\n",
            "connection.key names the group \"srv\"",
        ),
        ("name = \"t\"\n[record]\nstart = 'a'\n[direction]\nmap = { IN = \"up\" }\n", "a direction is \"up\""),
        ("name = \"t\"\n[record]\nstart = 'a'\n[direction]\nmap = { IN = 1 }\n", "a direction is \"1\""),
        ("name = \"t\"\n[record]\nstart = 'a'\n[payload]\ndrop_if = \"x\"\n", "payload.drop_if: \"x\" is no test"),
        ("name = \"t\"\n[record]\nstart = 'a'\n[proof]\nlost = [\"x\"]\n", "proof.lost: \"x\" is not known"),
        ("name = \"t\"\n[record]\nstart = 'a'\n[time]\ntz = \"Mars\"\n", "time.tz is \"Mars\""),
        ("name = \"t\"\n", "no record.start and no table exchange"),
        ("name = \"t\"\n[exchange]\nrequest = [\"/a\"]\n", "exchange names no request or no response"),
        ("name = \"t\"\n[exchange]\nrequest = [\"a\"]\n", "exchange.request: \"a\" is no path"),
        (
            "name = \"t\"\n[exchange]\nrequest = [\"/a\"]\nresponse = [\"/b\"]\nduration_unit = \"h\"\n",
            "exchange.duration_unit is \"h\"",
        ),
    ];
    for (text, what) in cases {
        let error = fault(text).expect_err(what);
        assert!(error.message.contains(what) && error.message.contains("d.toml"), "{}", error.message);
    }
}

/// A message, and whether the client sent it.
type Said = (bool, Value);

fn one(said: &Said, client: &'static str, server: &'static str) -> &'static str {
    if said.0 { client } else { server }
}

/// Writes messages as the emitter of a format does; `None` for formats that keep no payload.
fn render(name: &str, all: &[Said]) -> Option<String> {
    let pretty = |value: &Value| serde_json::to_string_pretty(value).expect("JSON");
    let mut last = None;
    let mut each = |said: &Said| -> Option<String> {
        let (value, client) = (&said.1, said.0);
        Some(match name {
            "helix-log" => {
                format!("2026-02-01T10:00:00.120 helix_lsp::transport [INFO] my ls {} {value}\n", one(said, "->", "<-"))
            }
            "clangd-verbose" => format!("V[10:00:00.120] {} {}\n\n", one(said, "<<<", ">>>"), pretty(value)),
            "emacs-jsonrpc-json" => {
                format!("[jsonrpc] e[10:00:00.120] {} some/method[1] {value}\n", one(said, "-->", "<--"))
            }
            "emacs-lsp-bridge" => {
                format!("--- {}\nEval in Emacs: x\n{}\n", one(said, "Send (1): x", "Recv response (1)"), pretty(value))
            }
            "lsp-mode-print-io" => format!("{} zls:77 status:x\n{}\n", one(said, ">>>", "<<<<"), pretty(value)),
            "zed-lsp-log" => {
                let header = one(said, "\n// Send:\n", "\n// Receive:\n");
                let header = if last == Some(client) { "" } else { header };
                last = Some(client);
                format!("{header}{value}\n")
            }
            "lsp4e-log" => format!("[t=1695000000000] {}:\n{value}\n", one(said, "LSP4E to zls", "zls to LSP4E")),
            "kakoune-lsp" => {
                format!("Mar 04 11:22:33.444 DEBG {} server zls: {value}, module: x\n", one(said, "To", "From"))
            }
            "rust-lsp-server" => {
                format!("[2026-02-01T10:00:00Z DEBUG lsp_server::msg] {} {value}\n", one(said, "<", ">"))
            }
            "vscode-mcp-output" => {
                format!(
                    "2026-02-01 10:00:00.120 [trace] [{}] {value}\n",
                    one(said, "editor -> server", "server -> editor")
                )
            }
            "vscode-lsp-json" => {
                let kind = one(said, "send-notification", "receive-notification");
                let whole =
                    json!({"isLSPMessage": true, "type": kind, "message": value, "timestamp": 1795243566862_i64});
                format!("[LSP   - 6:46:06 AM] {whole}\n")
            }
            "mcp-remote" => {
                let sides = one(said, "Local → Remote", "Remote → Local");
                let mut value = value.clone();
                value["params"] = Value::String(value["params"].to_string());
                format!("[2026-02-01T10:00:00Z][7] {sides} message {}\n", pretty(&value))
            }
            "mcp-go-sdk-loggingtransport" => format!("{}: {value}\n", one(said, "read", "write")),
            "mcp-csharp-sdk-trace" => {
                format!(
                    "      Server (x) transport {} message. Message: '{value}'.\n",
                    one(said, "received", "sending")
                )
            }
            "mcp-proxy-debug" => {
                let text = value.to_string();
                let bytes = |text: &str| text.bytes().map(python_byte).collect::<String>();
                let stamp = "[D 2026-02-01 10:00:01,743.743";
                match client {
                    true => format!("{stamp} mcp.server.sse] Received JSON: b'{}'\n", bytes(&text)),
                    false => format!(
                        "{stamp} sse_starlette.sse] chunk: b'event: message\\r\\ndata: {}\\r\\n\\r\\n'\n",
                        bytes(&text)
                    ),
                }
            }
            "mcpsnoop-jsonl" => {
                let direction = one(said, "c2s", "s2c");
                let whole =
                    json!({"session_id": "s", "ts": "2026-02-01T10:00:00.1Z", "direction": direction, "raw": value});
                format!("{whole}\n")
            }
            _ => return None,
        })
    };
    all.iter().map(&mut each).collect()
}

fn python_byte(byte: u8) -> String {
    match byte {
        b'\'' => "\\'".to_string(),
        b'\\' => "\\\\".to_string(),
        0x20..0x7f => char::from(byte).to_string(),
        _ => format!("\\x{byte:02x}"),
    }
}

/// The side that sent a frame, by the format's own vantage or that of a server.
fn sent_by_client(frame: &crate::capture::testing::KeptFrame) -> bool {
    match frame.direction {
        Direction::By(side) => side == Side::Client,
        Direction::Received => true,
        _ => false,
    }
}

fn some_messages() -> impl Strategy<Value = Vec<Said>> {
    let message = (any::<bool>(), "\\PC{0,12}", "[\"'{}\\[\\]\\\\\n\té☃ a]{0,20}");
    let message = message.prop_map(|(client, word, text)| {
        (client, json!({"jsonrpc": "2.0", "method": format!("m{word}"), "params": {"a": [text, 1, null]}}))
    });
    proptest::collection::vec(message, 1..8)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn messages_come_back_as_they_were(all in some_messages(), crlf in any::<bool>()) {
        for (name, _) in builtin::TEXTS {
            let Some(mut log) = render(name, &all) else { continue };
            if crlf {
                log = log.replace('\n', "\r\n");
            }
            let kept = read(name, &log);
            let got: Vec<Value> = kept.frames.iter()
                .map(|frame| serde_json::from_str(frame.json.as_deref().unwrap_or(&frame.text)).expect("JSON")).collect();
            prop_assert_eq!(&got, &all.iter().map(|(_, value)| value.clone()).collect::<Vec<_>>(), "{}: {}", name, log);
            if kept.channels[0].vantage != Vantage::Unknown && *name != "vscode-lsp-json" {
                let sides: Vec<bool> = kept.frames.iter().map(sent_by_client).collect();
                prop_assert_eq!(sides, all.iter().map(|(client, _)| *client).collect::<Vec<_>>(), "{}", name);
            }
        }
    }

    #[test]
    fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..120), tail in "[{}\\[\\]\"' ,:a-z0-9\\\\\n]{0,60}") {
        for (name, text) in builtin::TEXTS {
            read_as(name, &bytes);
            let sample = &schema::parse(name, text).expect("parsed").sample[0].text;
            let mut at = sample.len() * bytes.len() / 120;
            while !sample.is_char_boundary(at) {
                at -= 1;
            }
            read_as(name, format!("{}{tail}{}", &sample[..at], &sample[at..]).as_bytes());
            read_as(name, &[&sample.as_bytes()[..at], bytes.as_slice(), &sample.as_bytes()[at..]].concat());
        }
    }
}

fn spied(from: u32, to: u32, raw: &str) -> String {
    let pids = format!(r#"{{"from_pid":{from},"from_comm":"a","to_pid":{to},"to_comm":"b"}}"#);
    let raw = serde_json::Value::from(raw);
    format!(
        r#"{{"timestamp":"2026-09-03T10:15:00.000000001Z","transport_type":"stdio","stdio_transport":{pids},"raw":{raw}}}"#
    ) + "\n"
}

#[test]
fn a_process_is_the_same_party_whoever_speaks_first_in_a_file() {
    let asks = spied(71, 72, r#"{"jsonrpc":"2.0","id":7,"method":"tools/list"}"#);
    let answers = spied(72, 71, r#"{"jsonrpc":"2.0","id":7,"result":{}}"#);
    let directions = |text: String| {
        read_as("mcpspy", text.as_bytes()).frames.iter().map(|frame| frame.direction).collect::<Vec<_>>()
    };
    let (forth, back) = (directions(format!("{asks}{answers}")), directions(format!("{answers}{asks}")));
    assert_eq!(forth, [back[1], back[0]]);
    assert_ne!(forth[0], forth[1]);
}

#[test]
fn a_message_in_a_string_that_ends_in_a_mark_is_a_lost_one() {
    let text = spied(71, 72, r#"{"jsonrpc":"2.0","id":7,"method":...[truncated]"#)
        + &spied(72, 71, r#"{"jsonrpc":"2.0","id":7,"result":{}}"#);
    let kinds: Vec<_> = read_as("mcpspy", text.as_bytes()).frames.into_iter().map(|frame| frame.kind).collect();
    assert_eq!(kinds, ["gap", "message"]);
}

#[test]
fn words_that_are_alike_for_one_direction_are_another_program_s() {
    let ask = |id: usize| format!(r#"tap read: {{"jsonrpc":"2.0","id":{id},"method":"tools/list"}}"#);
    let answer =
        |id: usize, word: &str| format!(r#"tap {word}: {{"jsonrpc":"2.0","id":{id},"result":{{"tools":[]}}}}"#);
    let hello = r#"tap read: {"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    let calls = |word: &str| (1..9).map(|id| format!("{}\n{}\n", ask(id), answer(id, word))).collect::<String>();
    let log = |word: &str| format!("{hello}\n{}", calls(word));
    let name = |word: &str| told(log(word).as_bytes()).map(|(name, _)| name.to_string());
    assert_eq!(name("write").as_deref(), Some("mcp-go-sdk-loggingtransport"));
    assert_eq!(name("wrote").as_deref(), Some("text-log"));
}
