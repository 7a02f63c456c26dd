use super::*;
use crate::capture::{Body, Overrides, open};

/// Takes frames up to one that it refuses.
#[derive(Default)]
struct Kept {
    said: Vec<String>,
    refuses: Option<usize>,
}

impl FrameSink for Kept {
    fn channel(&mut self, index: u32, channel: Channel) -> Result<()> {
        self.said.push(format!("{index} {channel:?}"));
        Ok(())
    }
    fn frame(&mut self, frame: &Frame<'_>) -> Result<()> {
        if self.refuses.is_some_and(|at| self.said.len() >= at) {
            return Err(Error::new(ErrorKind::Input, "no more"));
        }
        self.said.push(format!("{frame:?}"));
        Ok(())
    }
    fn skipped(&mut self, line: u64, why: Skip) {
        self.said.push(format!("{line} {why:?}"));
    }
    fn times(&mut self, first: &str, last: &str) {
        self.said.push(format!("{first} {last}"));
    }
    fn progress(&mut self, bytes: u64) {
        self.said.push(bytes.to_string());
    }
}

fn told(log: &[u8], jobs: usize, refuses: Option<usize>) -> (Vec<String>, Result<Resume>) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.jsonl");
    std::fs::write(&path, log).unwrap();
    let mut source = open(path.to_str().unwrap(), &Overrides::default()).unwrap();
    let mut kept = Kept { refuses, ..Kept::default() };
    let end = read(&mut *source, 7, Resume::default(), &mut kept, NonZero::new(jobs));
    (kept.said, end)
}

/// Messages of all kinds, more than go round at once.
fn log() -> Vec<u8> {
    let mut log = Vec::new();
    for n in 0..3_000 {
        let line = match n % 8 {
            0 => format!(
                r#"{{"jsonrpc":"2.0","id":"r\u0061{n}","method":"tools/call","params":{{"name":"a","_meta":{{"progressToken":{n}}}}}}}"#
            ),
            1 => format!(r#"{{"jsonrpc":"2.0","id":"ra{n}","result":{{"content":"{}"}}}}"#, "x".repeat(n % 500)),
            2 => format!(r#"{{"jsonrpc":"2.0","id":{n}.0,"error":{{"code":-1,"message":"tab\there, {n}"}}}}"#),
            3 => format!(r#"{{"jsonrpc":"2.0","method":"notifications/ca\u006ecelled","params":{{"requestId":{n}}}}}"#),
            4 => format!(r#"[{{"jsonrpc":"2.0","id":{n},"method":"ping"}},7,{{"jsonrpc":"2.0","method":"b"}}]"#),
            5 => "noise".to_string(),
            6 => format!(r#"{{"jsonrpc":"2.0","id":{n},"method":"größe","params":"ä"}}"#),
            _ => String::new(),
        };
        log.extend_from_slice(line.as_bytes());
        log.extend_from_slice(if n % 77 == 5 { b"\xff\n" } else { b"\n" });
    }
    log.extend_from_slice(br#"{"jsonrpc":"2.0","id":1,"meth"#);
    log
}

#[test]
fn another_thread_tells_the_same() {
    let log = log();
    let (one, two) = (told(&log, 1, None), told(&log, 2, None));
    assert!(one.0.len() > 10 * ITEMS_OF_A_BLOCK && one.0 == two.0);
    assert_eq!(one.1.unwrap(), two.1.unwrap());
}

/// More than one block is full with.
const ITEMS_OF_A_BLOCK: usize = 256;

#[test]
fn a_fold_that_fails_ends_the_reader() {
    let log = log();
    for refuses in [1, 2, 300, 2_000] {
        let (one, two) = (told(&log, 1, Some(refuses)), told(&log, 2, Some(refuses)));
        assert_eq!(one.0, two.0);
        assert_eq!(
            (one.1.unwrap_err().message, two.1.unwrap_err().message),
            ("no more".to_string(), "no more".to_string())
        );
    }
}

#[test]
fn texts_and_bytes_come_back_as_they_were() {
    let bodies = [
        Body::Malformed { bytes: b"\xff\xfe", reason: "no text".to_string() },
        Body::Stderr { text: "oh\u{0}" },
        Body::Http { head: "{}" },
        Body::Malformed { bytes: b"", reason: String::new() },
        Body::gap(Some(3)),
    ];
    let frame = |body: Body<'static>| Frame {
        source: 1,
        line: 2,
        byte_offset: 3,
        channel: 4,
        at_us: Some(5),
        direction: crate::capture::Direction::Unknown,
        stream: Some(6),
        taps: None,
        in_file: Some(7),
        body,
    };
    let frames = bodies.map(frame);
    let mut block = Block::default();
    frames.iter().for_each(|frame| block.frame(frame));
    let mut kept = Kept::default();
    block.give(&mut kept).unwrap();
    assert_eq!(kept.said, frames.map(|frame| format!("{frame:?}")));
    let mut none = Kept::default();
    block.emptied().give(&mut none).unwrap();
    assert!(none.said.is_empty());
}
