//! A client that talks to a server through `rpctape record`, over standard streams, in either framing.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use serde_json::Value;

use super::rpctape;

/// How long a real server may take for one message; language servers start slowly on a busy machine.
const PATIENCE: Duration = Duration::from_secs(90);

/// How messages are delimited.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Framing {
    Lines,
    ContentLength,
}

/// The client's end of a recorded session.
pub struct Client {
    child: Child,
    input: Option<ChildStdin>,
    arrivals: Receiver<Value>,
    framing: Framing,
    /// Everything that came and was not asked for.
    pub other: Vec<Value>,
}

impl Client {
    /// Starts a server behind the recorder.
    pub fn recorded(recording: &Path, framing: Framing, server: &[String]) -> Client {
        let mut child = rpctape()
            .args(["record", "-o"])
            .arg(recording)
            .arg("--")
            .args(server)
            .current_dir(recording.parent().expect("a folder"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("rpctape record");
        let output = BufReader::new(child.stdout.take().expect("stdout"));
        let (sender, arrivals) = channel();
        std::thread::spawn(move || {
            let mut output = output;
            while let Some(message) = read(&mut output, framing) {
                if sender.send(message).is_err() {
                    break;
                }
            }
        });
        Client { input: child.stdin.take(), child, arrivals, framing, other: Vec::new() }
    }

    /// Sends one message.
    pub fn send(&mut self, message: &Value) {
        let text = message.to_string();
        let framed = match self.framing {
            Framing::Lines => format!("{text}\n"),
            Framing::ContentLength => format!("Content-Length: {}\r\n\r\n{text}", text.len()),
        };
        let input = self.input.as_mut().expect("standard input is open");
        input.write_all(framed.as_bytes()).and_then(|()| input.flush()).expect("the server reads");
    }

    /// Waits for the first message that `wanted` takes; requests of the server are answered by `null` on the way.
    pub fn wait(&mut self, what: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        loop {
            let message = match self.arrivals.recv_timeout(PATIENCE) {
                Ok(message) => message,
                Err(RecvTimeoutError::Timeout) => panic!("no {what} in {PATIENCE:?}; got {:?}", self.other),
                Err(RecvTimeoutError::Disconnected) => panic!("the server is gone before {what}; got {:?}", self.other),
            };
            if wanted(&message) {
                return message;
            }
            if message.get("method").is_some() && message.get("id").is_some() {
                let items = message["params"]["items"].as_array().map(Vec::len);
                let result = items.map_or(Value::Null, |items| Value::from(vec![Value::Null; items]));
                self.send(&serde_json::json!({"jsonrpc": "2.0", "id": message["id"], "result": result}));
            }
            self.other.push(message);
        }
    }

    /// Waits for the answer to a request.
    pub fn answer(&mut self, id: &Value) -> Value {
        if let Some(at) = self.other.iter().position(|message| is_answer(message, id)) {
            return self.other.remove(at);
        }
        self.wait(&format!("answer to {id}"), |message| is_answer(message, id))
    }

    /// Sends a request and waits for its answer.
    pub fn ask(&mut self, id: u64, method: &str, params: Value) -> Value {
        self.request(id, method, params);
        self.answer(&Value::from(id))
    }

    /// Sends a request.
    pub fn request(&mut self, id: u64, method: &str, params: Value) {
        self.send(&serde_json::json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
    }

    /// Sends a notification.
    pub fn notify(&mut self, method: &str, params: Value) {
        self.send(&serde_json::json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    /// Closes standard input and waits until server and recorder have ended. True if they ended well.
    pub fn finish(mut self) -> bool {
        drop(self.input.take());
        self.child.wait().expect("an end").success()
    }
}

fn is_answer(message: &Value, id: &Value) -> bool {
    message.get("method").is_none() && message["id"] == *id
}

fn read(output: &mut impl BufRead, framing: Framing) -> Option<Value> {
    loop {
        let mut line = String::new();
        if output.read_line(&mut line).ok()? == 0 {
            return None;
        }
        if framing == Framing::Lines {
            match serde_json::from_str(&line) {
                Ok(message) => return Some(message),
                Err(_) => continue,
            }
        }
        let Some(length) = line.to_ascii_lowercase().strip_prefix("content-length:").map(str::trim).map(str::to_string)
        else {
            continue;
        };
        while output.read_line(&mut line).ok()? > 2 {}
        let mut body = vec![0; length.parse().ok()?];
        output.read_exact(&mut body).ok()?;
        return serde_json::from_slice(&body).ok();
    }
}
