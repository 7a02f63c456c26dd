//! One replay of one session against one server: runs the program and gives what it said and what the server saw.

use std::fmt::Write;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

use super::notation::Session;
use crate::common::{Said, rpctape};

/// A recording, a server and flags.
pub struct Bench {
    folder: TempDir,
    recording: PathBuf,
    flags: Vec<String>,
    target: Vec<String>,
    /// A server that the program does not start.
    server: Option<Listening>,
}

/// A server over HTTP; it ends with the test.
struct Listening(Child);

impl Drop for Listening {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// What came of it.
pub struct Run {
    pub said: Said,
    /// The lines of standard output.
    pub lines: Vec<Value>,
    /// What the server logged; empty if it was never started.
    pub log: Vec<Value>,
    /// From start to end of the program.
    pub wall: Duration,
    pub folder: TempDir,
}

/// Longer than any run takes, on a machine with much else to do, too.
const PATIENCE: Duration = Duration::from_secs(300);

/// The flags of most runs. An answer may be long in coming on a machine with much else to do: where one is to be stuck, [`SOON_STUCK`]
/// says so.
const USUAL: &str = "--allow tools/call:* --linger 2s --stuck-min 60s";

/// For runs in which an answer never comes.
pub const SOON_STUCK: &str = "--stuck-min 6s";

/// A program among the examples: a server for tests.
pub fn example(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_BIN_EXE_rpctape")).parent().expect("a folder").join("examples");
    let path = folder.join(name).with_extension(std::env::consts::EXE_EXTENSION);
    assert!(
        path.is_file(),
        "{} is missing: run `cargo build --examples` first, or all of `cargo test`",
        path.display()
    );
    path
}

/// A session played against a server over stdio that does what a script (or the file with this name) says; an empty script is the reference
/// server.
pub fn bench(session: &Session, script: &Value) -> Bench {
    of_capture("it.rec.jsonl", session.rec().as_bytes(), script)
}

/// The same for a capture of any format.
pub fn of_capture(name: &str, capture: &[u8], script: &Value) -> Bench {
    let script = match script {
        Value::Null => "{}".to_string(),
        Value::String(path) => path.clone(),
        script => script.to_string(),
    };
    let server = example("fixture-stdio").display().to_string();
    of_target(name, capture, vec!["--".into(), server, "--log".into(), "server.log".into(), script])
}

/// The same against any server: the last words of the command line. The program and its server run in the folder of the capture.
pub fn of_target(name: &str, capture: &[u8], target: Vec<String>) -> Bench {
    let folder = tempfile::tempdir().expect("a folder");
    let recording = folder.path().join(name);
    std::fs::write(&recording, capture).expect("a test may write into its own folder");
    Bench { folder, recording, flags: words(USUAL), target, server: None }
}

/// A session played against a server over HTTP, WebSocket or TCP with these options.
pub fn bench_http(session: &Session, options: &[&str]) -> Bench {
    let folder = tempfile::tempdir().expect("a folder");
    let recording = folder.path().join("it.rec.jsonl");
    std::fs::write(&recording, session.rec()).expect("a test may write into its own folder");
    let log = std::fs::File::create(folder.path().join("server.log")).expect("a file");
    let mut server = Command::new(example("fixture-http"));
    let server = server.args(options).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(log).spawn();
    let mut server = Listening(server.expect("the server starts"));
    let mut port = String::new();
    BufReader::new(server.0.stdout.take().expect("a pipe")).read_line(&mut port).expect("a port");
    let at = format!("127.0.0.1:{}", port.trim());
    let mode = options.iter().skip_while(|option| **option != "--mode").nth(1);
    let target = match mode {
        None => vec!["--url".into(), format!("http://{at}/mcp")],
        Some(&"tcp") => vec!["--connect".into(), format!("tcp:{at}")],
        Some(&"ws") => vec!["--connect".into(), format!("ws:ws://{at}/")],
        Some(mode) => vec!["--connect".into(), format!("{mode}:http://{at}/sse")],
    };
    Bench { folder, recording, flags: words(USUAL), target, server: Some(server) }
}

impl Bench {
    /// Replaces the usual flags.
    pub fn only_flags(mut self, flags: &str) -> Bench {
        self.flags = words(flags);
        self
    }

    /// Adds flags, separated by blanks; a flag with blanks stands in `'...'`.
    pub fn flags(mut self, flags: &str) -> Bench {
        self.flags.extend(words(flags));
        self
    }

    /// Writes a file into the folder where the program runs.
    pub fn file(self, name: &str, content: &str) -> Bench {
        std::fs::write(self.folder.path().join(name), content).expect("a test may write into its own folder");
        self
    }

    /// The folder where the program runs.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The arguments of the program.
    pub fn arguments(&self, format: &[&str]) -> Vec<String> {
        let mut all = vec!["replay".to_string(), self.recording.display().to_string()];
        all.extend(self.flags.iter().cloned());
        all.extend(format.iter().map(ToString::to_string));
        all.extend(self.target.iter().cloned());
        all
    }

    fn said(&self, format: &[&str]) -> Said {
        let mut command = rpctape();
        command.current_dir(self.folder.path()).args(self.arguments(format)).timeout(PATIENCE);
        let output = command.output().expect("the program starts");
        let text = |bytes| String::from_utf8(bytes).expect("the program prints UTF-8");
        let (out, err) = (text(output.stdout), text(output.stderr));
        let code = output.status.code().unwrap_or_else(|| panic!("killed: it did not end\n{out}{err}"));
        Said { out, err, code }
    }

    /// Runs it for a person.
    pub fn screen(&self) -> Said {
        self.said(&[])
    }

    /// Runs it.
    #[expect(clippy::disallowed_methods, reason = "how long a run takes is part of what is promised")]
    pub fn run(self) -> Run {
        let start = Instant::now();
        let said = self.said(&["--format", "jsonl"]);
        let wall = start.elapsed();
        let lines = said.out.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        drop(self.server);
        let log = std::fs::read_to_string(self.folder.path().join("server.log")).unwrap_or_default();
        let log = log.lines().map(|line| serde_json::from_str(line).expect("the log of the server is JSON")).collect();
        Run { said, lines, log, wall, folder: self.folder }
    }
}

fn words(text: &str) -> Vec<String> {
    let mut words = vec![];
    for (at, part) in text.split('\'').enumerate() {
        match at % 2 {
            0 => words.extend(part.split_whitespace().map(String::from)),
            _ => words.push(part.to_string()),
        }
    }
    words
}

impl Run {
    /// The line of an exchange by its name: `#2`, `s5`, `#"abc"`.
    pub fn exchange(&self, label: &str) -> &Value {
        self.exchanges().find(|line| line["label"] == label).unwrap_or_else(|| panic!("no {label} in\n{}", self.all()))
    }

    /// The lines of all exchanges.
    pub fn exchanges(&self) -> impl Iterator<Item = &Value> {
        self.lines.iter().filter(|line| line["type"] == "exchange")
    }

    /// The last line.
    pub fn summary(&self) -> &Value {
        let last = self.lines.last().unwrap_or_else(|| panic!("nothing was said\n{}", self.all()));
        assert_eq!(last["type"], "summary", "{}", self.all());
        last
    }

    /// Asserts verdicts, in the order given: `#2 violates`. On a machine with much else to do the same answer may come late: then `slower`
    /// is true, and as good as `same`.
    pub fn verdicts(&self, expected: &[&str]) -> &Run {
        for line in expected {
            let (label, verdict) = line.split_once(' ').expect("a label and a verdict");
            let line = self.exchange(label);
            if verdict != "same" || line["verdict"] != "slower" {
                assert_eq!(line["verdict"], verdict, "{label}\n{}", self.all());
            }
        }
        self
    }

    /// Asserts the verdict of the run and the exit code.
    pub fn ended(&self, verdict: &str, code: i32) -> &Run {
        assert_eq!((self.said.code, self.summary()["verdict"].as_str()), (code, Some(verdict)), "{}", self.all());
        assert_eq!(self.summary()["exit"], code, "{}", self.all());
        self
    }

    /// Asserts the counts of the cancels: recorded, landed, raced, not sent.
    pub fn cancels(&self, recorded: u64, landed: u64, raced: u64, not_sent: u64) -> &Run {
        let expected = json!({"recorded": recorded, "landed": landed, "raced": raced, "not_sent": not_sent});
        assert_eq!(self.summary()["cancels"], expected, "{}", self.all());
        self
    }

    /// The messages that the server read, as text.
    pub fn received(&self) -> Vec<&str> {
        self.log.iter().filter_map(|line| line["in"].as_str()).collect()
    }

    /// The messages that the server read that contain a text: microseconds since its start, and the message.
    pub fn heard(&self, part: &str) -> Vec<(i64, Value)> {
        let hits = self.log.iter().filter(|line| line["in"].as_str().is_some_and(|text| text.contains(part)));
        hits.map(|line| {
            let message = serde_json::from_str(line["in"].as_str().unwrap_or_default()).expect("JSON was sent");
            (line["us"].as_i64().expect("a time"), message)
        })
        .collect()
    }

    /// Place in the server's log of the first message that contains a text.
    pub fn place(&self, way: &str, part: &str) -> usize {
        let hit = |line: &Value| line[way].as_str().is_some_and(|text| text.contains(part));
        self.log.iter().position(hit).unwrap_or_else(|| panic!("no {way} with {part} in\n{}", self.all()))
    }

    /// Everything, for a message of a failed test.
    pub fn all(&self) -> String {
        let mut text = format!("exit {} after {:?}\n{}{}", self.said.code, self.wall, self.said.out, self.said.err);
        for line in &self.log {
            let _ = write!(text, "\nserver: {line}");
        }
        text
    }
}
