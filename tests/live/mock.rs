//! `rpctape mock` as a client meets it: the real program over standard streams, TCP and HTTP, and `replay` against it.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
#![allow(clippy::disallowed_methods, reason = "live programs are waited for, but not for ever")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::common::program;

/// Long enough for anything that is to come.
const SOON: Duration = Duration::from_secs(180);

/// Long enough to see that nothing comes: what is due at once comes within milliseconds.
const QUIET: Duration = Duration::from_millis(400);

/// A log of one wrapped message a line: milliseconds, sender, message without its version.
fn log(folder: &TempDir, name: &str, lines: &[(u32, &str, &str)]) -> PathBuf {
    let mut text = String::new();
    for (ms, side, message) in lines {
        let dir = if *side == "c" { "c2s" } else { "s2c" };
        let message = message.replacen('{', "{\"jsonrpc\":\"2.0\",", 1);
        let (second, milli) = (ms / 1000, ms % 1000);
        text +=
            &format!("{{\"ts\":\"2026-01-05T00:00:{second:02}.{milli:03}Z\",\"dir\":\"{dir}\",\"msg\":{message}}}\n");
    }
    let path = folder.path().join(name);
    std::fs::write(&path, text).unwrap();
    path
}

fn rpctape() -> Command {
    let mut command = program();
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// A running mock and its client.
struct Mock {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
    stderr: BufReader<ChildStderr>,
}

impl Mock {
    fn start(recording: &Path, flags: &[&str]) -> Mock {
        let mut child = rpctape().arg("mock").arg(recording).args(flags).spawn().unwrap();
        let (sender, lines) = channel();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        std::thread::spawn(move || stdout.lines().map_while(Result::ok).all(|line| sender.send(line).is_ok()));
        let stderr = BufReader::new(child.stderr.take().unwrap());
        Mock { stdin: child.stdin.take(), child, lines, stderr }
    }

    fn say(&mut self, message: &str) {
        let message = message.replacen('{', "{\"jsonrpc\":\"2.0\",", 1);
        writeln!(self.stdin.as_mut().unwrap(), "{message}").unwrap();
    }

    /// The next message, without its version.
    fn hear(&self) -> String {
        self.lines.recv_timeout(SOON).expect("an answer").replace("\"jsonrpc\":\"2.0\",", "")
    }

    fn ask(&mut self, message: &str) -> String {
        self.say(message);
        self.hear()
    }

    fn silent(&self) {
        assert_eq!(self.lines.recv_timeout(QUIET), Err(RecvTimeoutError::Timeout));
    }

    /// The client goes; what the mock says at its end.
    fn end(mut self) -> (ExitStatus, String) {
        drop(self.stdin.take());
        let mut told = String::new();
        self.stderr.read_to_string(&mut told).unwrap();
        let status = self.child.wait().unwrap();
        assert_eq!(self.lines.try_iter().count(), 0, "nothing but answers on stdout");
        (status, told)
    }

    /// Where it listens.
    fn address(&mut self) -> SocketAddr {
        let mut line = String::new();
        self.stderr.read_line(&mut line).unwrap();
        let address = line.trim().trim_end_matches('/').rsplit_once(['/', ' ']).unwrap().1;
        address.trim_start_matches("tcp:").parse().unwrap_or_else(|_| panic!("no address: {line}"))
    }

    /// Stops a mock that listens.
    fn stop(mut self) -> (ExitStatus, String) {
        let kill = Command::new("kill").args(["-INT", &self.child.id().to_string()]).status().unwrap();
        assert!(kill.success());
        let mut told = String::new();
        self.stderr.read_to_string(&mut told).unwrap();
        (self.child.wait().unwrap(), told)
    }
}

impl Drop for Mock {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

const INITIALIZE: &str = r#"{"id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"0"}}}"#;
const INITIALIZED: &str = r#"{"id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"srv","version":"1"}}}"#;

/// Silence, a late answer, repeats, a nested request whose id collides, progress.
fn session(folder: &TempDir) -> PathBuf {
    log(
        folder,
        "session.jsonl",
        &[
            (0, "c", INITIALIZE),
            (5, "s", INITIALIZED),
            (6, "c", r#"{"method":"notifications/initialized"}"#),
            (10, "c", r#"{"id":2,"method":"tools/call","params":{"name":"hang","arguments":{}}}"#),
            (20, "c", r#"{"id":3,"method":"tools/call","params":{"name":"echo","arguments":{"x":1}}}"#),
            (22, "s", r#"{"id":3,"result":{"content":["first"]}}"#),
            (30, "c", r#"{"id":4,"method":"tools/call","params":{"name":"echo","arguments":{"x":1}}}"#),
            (32, "s", r#"{"id":4,"result":{"content":["second"]}}"#),
            (
                40,
                "c",
                r#"{"id":5,"method":"tools/call","params":{"name":"slow","arguments":{},"_meta":{"progressToken":5}}}"#,
            ),
            (60, "s", r#"{"method":"notifications/progress","params":{"progressToken":5,"progress":1}}"#),
            (100, "c", r#"{"method":"notifications/cancelled","params":{"requestId":5}}"#),
            (900, "s", r#"{"id":5,"result":{"content":["late"]}}"#),
            (1000, "c", r#"{"id":6,"method":"tools/call","params":{"name":"scan","arguments":{}}}"#),
            (1010, "s", r#"{"id":6,"method":"roots/list"}"#),
            (1020, "c", r#"{"id":6,"result":{"roots":[]}}"#),
            (1100, "s", r#"{"id":6,"result":{"content":["0 roots"]}}"#),
            (1200, "c", r#"{"id":7,"method":"tools/call","params":{"name":"long","arguments":{}}}"#),
            (5000, "s", r#"{"id":7,"result":{"content":["done"]}}"#),
        ],
    )
}

fn call(id: &str, name: &str, arguments: &str, rest: &str) -> String {
    format!(r#"{{"id":{id},"method":"tools/call","params":{{"name":"{name}","arguments":{arguments}{rest}}}}}"#)
}

#[test]
fn a_client_over_standard_streams_gets_what_was_recorded() {
    let folder = TempDir::new().unwrap();
    let mut mock = Mock::start(&session(&folder), &[]);
    assert_eq!(
        mock.ask(&INITIALIZE.replace("\"id\":1", "\"id\":\"a\"")),
        INITIALIZED.replace("\"id\":1", "\"id\":\"a\"")
    );
    mock.say(r#"{"method":"notifications/initialized"}"#);
    // Repeats in their order; `"7"` and 7 are two ids, and each is answered as it was spelled.
    assert_eq!(mock.ask(&call("\"7\"", "echo", r#"{"x":1.0}"#, "")), r#"{"id":"7","result":{"content":["first"]}}"#);
    assert_eq!(mock.ask(&call("7", "echo", r#"{"x":1}"#, "")), r#"{"id":7,"result":{"content":["second"]}}"#);
    // Used up, and other arguments: an error that says so, and never another call's answer.
    let used = mock.ask(&call("8", "echo", r#"{"x":1}"#, ""));
    assert!(used.contains(r#""code":-32010"#) && used.contains(r#""nearest":"#) && used.contains("used_up"), "{used}");
    let other = mock.ask(&call("9", "echo", r#"{"x":2}"#, ""));
    assert!(other.contains(r#""data":{"reason":"not-in-recording","nearest":"#), "{other}");
    assert!(other.contains(r#""differs":"/params/arguments/x""#), "{other}");
    let unknown = mock.ask(r#"{"id":10,"method":"no/such"}"#);
    assert!(unknown.contains("-32010") && !unknown.contains("-32601"), "{unknown}");
    // Silence.
    mock.say(&call("11", "hang", "{}", ""));
    mock.silent();
    // A request of the server with the id of the request that it serves.
    assert_eq!(mock.ask(&call("6", "scan", "{}", "")), r#"{"id":6,"method":"roots/list"}"#);
    mock.silent();
    assert_eq!(mock.ask(r#"{"id":6,"result":{"roots":[]}}"#), r#"{"id":6,"result":{"content":["0 roots"]}}"#);
    let (status, told) = mock.end();
    assert!(status.success());
    assert!(told.contains("5 of 7 recorded requests asked for"), "{told}");
    assert!(told.contains("never asked for: #5 tools/call slow, #7 tools/call long"), "{told}");
    assert!(
        told.contains("not in the recording: #9 tools/call echo: nearest is #3, which differs at /params/arguments/x"),
        "{told}"
    );
}

#[test]
fn a_late_answer_comes_after_the_live_cancel_in_its_time() {
    let folder = TempDir::new().unwrap();
    let mut mock = Mock::start(&session(&folder), &[]);
    let progress = mock.ask(&call("\"s\"", "slow", "{}", r#","_meta":{"progressToken":"live"}"#));
    assert_eq!(progress, r#"{"method":"notifications/progress","params":{"progressToken":"live","progress":1}}"#);
    mock.silent();
    let cancelled = Instant::now();
    mock.say(r#"{"method":"notifications/cancelled","params":{"requestId":"s"}}"#);
    assert_eq!(mock.hear(), r#"{"id":"s","result":{"content":["late"]}}"#);
    assert!(cancelled.elapsed() >= Duration::from_millis(750), "{:?}", cancelled.elapsed());
    assert!(mock.end().0.success());
}

#[test]
fn a_cancel_that_was_not_recorded_stops_the_answer() {
    let folder = TempDir::new().unwrap();
    let recording = session(&folder);
    let mut mock = Mock::start(&recording, &["--speed", "x10"]);
    let asked = Instant::now();
    mock.say(&call("1", "long", "{}", ""));
    mock.say(r#"{"method":"notifications/cancelled","params":{"requestId":1}}"#);
    // What was answered after 3.8 s would be here after 0.38 s.
    assert_eq!(mock.lines.recv_timeout(Duration::from_millis(800)), Err(RecvTimeoutError::Timeout));
    assert!(asked.elapsed() >= Duration::from_millis(800));
    let (_, told) = mock.end();
    assert!(
        told.contains("note: #7 tools/call: cancelled, which it was not in the recording; nothing more is sent"),
        "{told}"
    );
    let mut mock = Mock::start(&recording, &["--speed", "x10"]);
    let asked = Instant::now();
    mock.say(&call("1", "long", "{}", ""));
    assert_eq!(mock.hear(), r#"{"id":1,"result":{"content":["done"]}}"#);
    assert!(asked.elapsed() >= Duration::from_millis(330), "{:?}", asked.elapsed());
}

#[test]
fn reuse_and_the_rule_for_extras() {
    let folder = TempDir::new().unwrap();
    let recording = session(&folder);
    let ask = |flags: &[&str]| {
        let mut mock = Mock::start(&recording, flags);
        let answers: Vec<String> =
            (0..4).map(|id| mock.ask(&call(&id.to_string(), "echo", r#"{"x":1}"#, ""))).collect();
        answers
            .iter()
            .map(|text| {
                if text.contains("first") {
                    1
                } else if text.contains("second") {
                    2
                } else {
                    0
                }
            })
            .collect::<Vec<_>>()
    };
    assert_eq!(ask(&["--reuse", "last"]), [1, 2, 2, 2]);
    assert_eq!(ask(&["--reuse", "cycle"]), [1, 2, 1, 2]);
    let mut mock = Mock::start(&recording, &["--extra", "close"]);
    mock.say(r#"{"id":1,"method":"no/such"}"#);
    assert_eq!(
        mock.lines.recv_timeout(SOON),
        Err(RecvTimeoutError::Disconnected),
        "the connection ends without an answer"
    );
    assert!(mock.end().0.success());
    let (status, told) = Mock::start(&recording, &["--extra", "forward=http://127.0.0.1:1/"]).end();
    assert!(status.code() == Some(2) && told.contains("not available"), "{told}");
    let (status, _) = Mock::start(&recording, &["--expect-all"]).end();
    assert_eq!(status.code(), Some(1));
}

#[test]
fn a_language_client_is_answered_in_header_blocks() {
    let folder = TempDir::new().unwrap();
    let recording = log(
        &folder,
        "lsp.jsonl",
        &[
            (
                0,
                "c",
                r#"{"id":0,"method":"initialize","params":{"processId":4242,"rootUri":"file:///old","capabilities":{}}}"#,
            ),
            (9, "s", r#"{"id":0,"result":{"capabilities":{}}}"#),
            (10, "c", r#"{"method":"initialized","params":{}}"#),
            (20, "c", r#"{"id":1,"method":"textDocument/hover","params":{"workDoneToken":"w","position":1}}"#),
            (30, "s", r#"{"method":"$/progress","params":{"token":"w","value":{"kind":"begin","title":"ä"}}}"#),
            (40, "s", r#"{"id":1,"result":null}"#),
            (50, "c", r#"{"id":2,"method":"shutdown"}"#),
            (51, "s", r#"{"id":2,"result":null}"#),
            (52, "c", r#"{"method":"exit"}"#),
        ],
    );
    let mut child = rpctape().arg("mock").arg(&recording).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    for message in [
        r#"{"jsonrpc":"2.0","id":5,"method":"initialize","params":{"processId":1,"rootUri":"file:///new","capabilities":{}}}"#,
        r#"{"jsonrpc":"2.0","id":6,"method":"textDocument/hover","params":{"workDoneToken":"live","position":1}}"#,
        r#"{"jsonrpc":"2.0","id":7,"method":"shutdown"}"#,
        r#"{"jsonrpc":"2.0","method":"exit"}"#,
    ] {
        write!(stdin, "content-length:{}\r\n\r\n{message}", message.len()).unwrap();
    }
    // `exit` ends the server although its input is still open.
    let mut all = String::new();
    child.stdout.take().unwrap().read_to_string(&mut all).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
    drop(stdin);
    let block = |text: &str| format!("Content-Length: {}\r\n\r\n{text}", text.len());
    let expected = [
        r#"{"jsonrpc":"2.0","id":5,"result":{"capabilities":{}}}"#,
        r#"{"jsonrpc":"2.0","method":"$/progress","params":{"token":"live","value":{"kind":"begin","title":"ä"}}}"#,
        r#"{"jsonrpc":"2.0","id":6,"result":null}"#,
        r#"{"jsonrpc":"2.0","id":7,"result":null}"#,
    ];
    assert_eq!(all, expected.map(block).concat());
}

#[test]
fn a_turn_of_an_agent_is_cancelled() {
    let mut mock = Mock::start(Path::new("samples/acp/good.jsonl"), &[]);
    let prompt = |id: u32, text: &str| {
        format!(
            r#"{{"id":{id},"method":"session/prompt","params":{{"sessionId":"sess-1","prompt":[{{"type":"text","text":"{text}"}}]}}}}"#
        )
    };
    assert!(mock.ask(r#"{"id":9,"method":"session/new","params":{"cwd":"/here","mcpServers":[]}}"#).contains("sess-1"));
    assert!(mock.ask(&prompt(0, "Clean the build directory")).contains("I will delete build/."));
    let permission = mock.hear();
    assert!(permission.starts_with(r#"{"id":0,"method":"session/request_permission""#), "{permission}");
    mock.say(r#"{"method":"session/cancel","params":{"sessionId":"sess-1"}}"#);
    mock.say(r#"{"id":0,"result":{"outcome":{"outcome":"cancelled"}}}"#);
    assert_eq!(mock.hear(), r#"{"id":0,"result":{"stopReason":"cancelled"}}"#);
    mock.end();
}

#[test]
fn the_recorded_exit_is_the_end() {
    let folder = TempDir::new().unwrap();
    let recording = folder.path().join("exit.rec.jsonl");
    let message = |q: u32, side: &str, text: &str| {
        let text = serde_json::to_string(&text.replacen('{', "{\"jsonrpc\":\"2.0\",", 1)).unwrap();
        format!("{{\"q\":{q},\"t\":{},\"k\":\"msg\",\"c\":1,\"d\":\"{side}\",\"b\":{text}}}\n", q * 1000)
    };
    let text = [
        "{\"rec\":1,\"session\":\"s\",\"part\":1,\"t0\":\"2026-01-05T00:00:00Z\",\"proto\":\"mcp\",\"transport\":\"stdio\"}\n".to_string(),
        message(1, "c", INITIALIZE),
        message(2, "s", INITIALIZED),
        message(3, "c", &call("2", "crash", "{}", "")),
        "{\"q\":4,\"t\":9000,\"k\":\"exit\",\"c\":1,\"code\":7}\n".to_string(),
    ];
    std::fs::write(&recording, text.concat()).unwrap();
    let mut mock = Mock::start(&recording, &[]);
    mock.ask(INITIALIZE);
    mock.say(&call("2", "crash", "{}", ""));
    assert_eq!(mock.lines.recv_timeout(SOON), Err(RecvTimeoutError::Disconnected));
    assert_eq!(mock.child.wait().unwrap().code(), Some(7), "while its input is still open");
}

#[test]
fn the_live_session_is_a_recording_like_any_other() {
    let folder = TempDir::new().unwrap();
    let kept = folder.path().join("live.rec.jsonl");
    let mut mock = Mock::start(&session(&folder), &["-o", kept.to_str().unwrap()]);
    mock.ask(INITIALIZE);
    mock.say(r#"{"method":"notifications/initialized"}"#);
    mock.ask(&call("2", "slow", "{}", r#","_meta":{"progressToken":1}"#));
    mock.say(r#"{"method":"notifications/cancelled","params":{"requestId":2}}"#);
    mock.hear();
    mock.end();
    let checked =
        rpctape().arg("check").arg(&kept).args(["--format", "concise", "--fail-on", "warning"]).output().unwrap();
    let text = String::from_utf8_lossy(&checked.stdout).into_owned();
    assert!(
        checked.status.code() == Some(1) && text.contains("response-after-cancel"),
        "the bad server is there again: {text}"
    );
}

/// A request over HTTP/1.1; the head and the body as they came.
fn http(address: SocketAddr, method: &str, headers: &[(&str, &str)], body: &str) -> (String, String) {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(SOON)).unwrap();
    send(&mut stream, method, headers, body);
    let mut all = String::new();
    stream.read_to_string(&mut all).unwrap();
    let (head, body) = all.split_once("\r\n\r\n").expect("a head");
    (head.to_lowercase(), body.to_string())
}

fn send(stream: &mut TcpStream, method: &str, headers: &[(&str, &str)], body: &str) {
    let body = body.replacen('{', "{\"jsonrpc\":\"2.0\",", 1);
    let mut text =
        format!("{method} /mcp HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: {}\r\n", body.len());
    text += "Accept: application/json, text/event-stream\r\nContent-Type: application/json\r\n";
    headers.iter().for_each(|(name, value)| text += &format!("{name}: {value}\r\n"));
    write!(stream, "{text}\r\n{body}").unwrap();
}

fn header(head: &str, name: &str) -> Option<String> {
    head.lines().find_map(|line| Some(line.strip_prefix(name)?.strip_prefix(": ")?.to_string()))
}

/// The messages of an event stream, without their version.
fn events(body: &str) -> Vec<String> {
    let data = body.lines().filter_map(|line| line.strip_prefix("data: "));
    data.map(|text| text.replace("\"jsonrpc\":\"2.0\",", "")).collect()
}

#[test]
fn clients_over_http_have_sessions_of_their_own() {
    let folder = TempDir::new().unwrap();
    let mut mock = Mock::start(&session(&folder), &["--listen", "127.0.0.1:0"]);
    let at = mock.address();
    let sessions: Vec<String> = (0..2)
        .map(|_| {
            let (head, body) = http(at, "POST", &[], INITIALIZE);
            assert!(head.starts_with("http/1.1 200") && head.contains("application/json"), "{head}");
            assert!(body.contains("2025-11-25"), "{body}");
            header(&head, "mcp-session-id").unwrap()
        })
        .collect();
    assert_ne!(sessions[0], sessions[1]);
    for session in &sessions {
        let own = [("Mcp-Session-Id", session.as_str())];
        let (head, _) = http(at, "POST", &own, r#"{"method":"notifications/initialized"}"#);
        assert!(head.starts_with("http/1.1 202"), "{head}");
        let (_, body) = http(at, "POST", &own, &call("3", "echo", r#"{"x":1}"#, ""));
        assert!(body.contains("first"), "each starts anew: {body}");
    }
    let own = [("Mcp-Session-Id", sessions[0].as_str())];
    // More than an answer is an event stream; the answer of the client to the server's request goes in a POST of its own.
    let mut stream = TcpStream::connect(at).unwrap();
    stream.set_read_timeout(Some(SOON)).unwrap();
    send(&mut stream, "POST", &own, &call("6", "scan", "{}", ""));
    let mut lines = BufReader::new(stream.try_clone().unwrap()).lines().map_while(Result::ok);
    assert!(lines.any(|line| line.contains("roots/list")));
    let (head, _) = http(at, "POST", &own, r#"{"id":6,"result":{"roots":[]}}"#);
    assert!(head.starts_with("http/1.1 202"), "{head}");
    assert!(lines.any(|line| line.contains("0 roots")));
    // Who is unknown is not served, and who has gone is unknown.
    assert!(http(at, "POST", &[], &call("1", "echo", "{}", "")).0.starts_with("http/1.1 400"));
    assert!(http(at, "POST", &[("Mcp-Session-Id", "x")], &call("1", "echo", "{}", "")).0.starts_with("http/1.1 404"));
    assert!(http(at, "DELETE", &own, "").0.starts_with("http/1.1 200"));
    assert!(http(at, "POST", &own, &call("1", "echo", "{}", "")).0.starts_with("http/1.1 404"));
    assert!(http(at, "POST", &[("Origin", "http://evil.example")], INITIALIZE).0.starts_with("http/1.1 403"));
    let (status, told) = mock.stop();
    assert_eq!(status.code(), Some(0), "to be stopped is how it ends: {told}");
    assert!(told.contains("2 clients; 3 of 7 recorded requests asked for"), "{told}");
}

#[test]
fn what_belongs_to_no_request_goes_to_the_stream_that_listens() {
    let folder = TempDir::new().unwrap();
    let recording = log(
        &folder,
        "told.jsonl",
        &[
            (0, "c", INITIALIZE),
            (5, "s", INITIALIZED),
            (6, "c", r#"{"method":"notifications/initialized"}"#),
            (7, "s", r#"{"method":"notifications/tools/list_changed"}"#),
            (10, "c", r#"{"id":2,"method":"tools/list"}"#),
            (11, "s", r#"{"id":2,"result":{"tools":[]}}"#),
        ],
    );
    let mut mock = Mock::start(&recording, &["--listen", "127.0.0.1:0"]);
    let at = mock.address();
    let session = header(&http(at, "POST", &[], INITIALIZE).0, "mcp-session-id").unwrap();
    let own = [("Mcp-Session-Id", session.as_str())];
    http(at, "POST", &own, r#"{"method":"notifications/initialized"}"#);
    let mut stream = TcpStream::connect(at).unwrap();
    stream.set_read_timeout(Some(SOON)).unwrap();
    send(&mut stream, "GET", &own, "");
    let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
    assert!(lines.any(|line| line.contains("list_changed")));
}

#[test]
fn without_sessions_a_closed_stream_is_the_cancel() {
    let folder = TempDir::new().unwrap();
    let meta = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;
    let slow = format!(r#"{{"id":1,"method":"tools/call","params":{{"name":"slow","arguments":{{}},{meta}}}}}"#);
    let echo = format!(r#"{{"id":2,"method":"tools/call","params":{{"name":"echo","arguments":{{}},{meta}}}}}"#);
    let recording = log(
        &folder,
        "stateless.jsonl",
        &[
            (0, "c", &slow),
            (900, "s", r#"{"id":1,"result":{"resultType":"complete","content":["slow"]}}"#),
            (1000, "c", &echo),
            (1010, "s", r#"{"id":2,"result":{"resultType":"complete","content":["echo"]}}"#),
        ],
    );
    let kept = folder.path().join("live.rec.jsonl");
    let flags = ["--listen", "127.0.0.1:0", "--speed", "recorded", "-o", kept.to_str().unwrap()];
    let mut mock = Mock::start(&recording, &flags);
    let at = mock.address();
    let mut stream = TcpStream::connect(at).unwrap();
    stream.set_read_timeout(Some(SOON)).unwrap();
    send(&mut stream, "POST", &[], &slow);
    // After a moment it is an event stream, and the head has come.
    let mut head = [0; 12];
    stream.read_exact(&mut head).unwrap();
    assert_eq!(&head, b"HTTP/1.1 200");
    drop(stream);
    let (head, body) = http(at, "POST", &[], &echo);
    assert!(header(&head, "mcp-session-id").is_none() && body.contains("echo"), "{head} {body}");
    assert!(http(at, "GET", &[], "").0.starts_with("http/1.1 405"));
    // It has seen the close once it has written it down.
    let deadline = Instant::now() + SOON;
    while !std::fs::read_to_string(&kept).unwrap_or_default().contains(r#""k":"close""#) {
        assert!(Instant::now() < deadline, "the close was never seen");
        std::thread::sleep(Duration::from_millis(5));
    }
    let (_, told) = mock.stop();
    assert!(told.contains("#1 tools/call: cancelled, which it was not in the recording"), "{told}");
}

#[test]
fn a_slow_answer_over_http_is_an_event_stream() {
    let folder = TempDir::new().unwrap();
    let mut mock = Mock::start(&session(&folder), &["--listen", "127.0.0.1:0", "--speed", "x4"]);
    let at = mock.address();
    let session = header(&http(at, "POST", &[], INITIALIZE).0, "mcp-session-id").unwrap();
    let (head, body) = http(at, "POST", &[("Mcp-Session-Id", &session)], &call("\"l\"", "long", "{}", ""));
    assert!(head.contains("text/event-stream"), "{head}");
    assert_eq!(events(&body), [r#"{"id":"l","result":{"content":["done"]}}"#]);
}

#[test]
fn clients_over_tcp() {
    let folder = TempDir::new().unwrap();
    let mut mock = Mock::start(&session(&folder), &["--listen", "tcp:127.0.0.1:0"]);
    let at = mock.address();
    for _ in 0..2 {
        let mut stream = TcpStream::connect(at).unwrap();
        stream.set_read_timeout(Some(SOON)).unwrap();
        writeln!(stream, "{}", INITIALIZE.replacen('{', "{\"jsonrpc\":\"2.0\",", 1)).unwrap();
        let mut line = String::new();
        BufReader::new(stream).read_line(&mut line).unwrap();
        assert!(line.contains("serverInfo"), "{line}");
    }
    assert_eq!(mock.stop().0.code(), Some(0));
}

/// `replay` plays the client of a recording against the mock of the same recording.
fn against_itself(recording: &Path, flags: &[&str]) {
    let exe = env!("CARGO_BIN_EXE_rpctape");
    let mut command = rpctape();
    command
        .arg("replay")
        .arg(recording)
        .args(["--allow-all", "--linger", "1s", "--stuck-min", "3s", "--no-keep"])
        .args(flags);
    let run = command.args(["--", exe, "mock"]).arg(recording).output().unwrap();
    let (out, err) =
        (String::from_utf8_lossy(&run.stdout).into_owned(), String::from_utf8_lossy(&run.stderr).into_owned());
    assert_eq!(run.status.code(), Some(0), "{}\n{out}\n{err}", recording.display());
    assert!(out.contains("PASS"), "{out}");
}

#[test]
fn good_recordings_pass_against_their_own_mock() {
    for protocol in ["mcp", "acp", "lsp", "jsonrpc"] {
        against_itself(&Path::new("samples").join(protocol).join("good.jsonl"), &[]);
    }
}

#[test]
fn a_session_with_everything_passes_against_its_own_mock() {
    let folder = TempDir::new().unwrap();
    against_itself(&session(&folder), &[]);
}

#[test]
fn a_server_that_died_dies_again() {
    let recording = Path::new("samples/incidents/b-server-dead.rec.jsonl");
    against_itself(recording, &["--speed", "fast"]);
}
