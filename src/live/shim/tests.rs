//! What the shim does to a server that does not end by itself, with short patience.

use std::fs::File;
use std::io::Read;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;

use super::*;
use crate::live::tape::TapeOptions;

const SHORT: Duration = Duration::from_millis(100);
/// For what does not come.
const LONG: Duration = Duration::from_secs(600);

fn ran(patience: Patience, script: &str, signal: Option<i32>) -> (u8, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.rec.jsonl");
    let clock = Clock::start();
    let tape = Tape::start(TapeOptions::new(&path), clock).expect("a tape");
    let end = |own: UnixStream| File::from(OwnedFd::from(own));
    let (client_out, input) = UnixStream::pair().expect("a pair");
    let (mut client_in, output) = UnixStream::pair().expect("a pair");
    let (_stderr, error) = UnixStream::pair().expect("a pair");
    let ends = Ends { input: end(input), output: end(output), error: end(error), own: false };
    let command =
        Command { program: "sh".to_string(), args: vec!["-c".to_string(), script.to_string()], ..Command::default() };
    client_in.set_read_timeout(Some(Duration::from_secs(120))).expect("a deadline");
    let (sender, signals) = channel();
    // A signal comes once the server has said that it is there; without one, the client goes away then.
    let client = std::thread::spawn(move || {
        let mut byte = [0];
        client_in.read_exact(&mut byte).expect("a byte of the server");
        match signal {
            Some(number) => sender.send(number).expect("a shim"),
            None => drop(client_out.shutdown(std::net::Shutdown::Write)),
        }
        let _ = client_in.read_to_end(&mut Vec::new());
        drop(client_out);
    });
    let code = Shim { command: &command, tape: &tape, clock, patience }.run(ends, signals).expect("a server");
    client.join().expect("a client");
    tape.finish(clock.us());
    (code, std::fs::read_to_string(path).expect("a recording"))
}

#[test]
fn term_and_then_kill() {
    let patient = Patience { term: SHORT, kill: LONG, asked: LONG, quiet: SHORT };
    let (code, text) = ran(patient, "echo 1; sleep 60", None);
    assert_eq!(code, 143, "{text}");
    assert!(text.contains("TERM") && !text.contains("KILL"), "{text}");
    let (code, text) = ran(Patience { kill: SHORT, ..patient }, "trap '' TERM; echo 1; sleep 60", None);
    assert_eq!(code, 137, "{text}");
    assert!(text.contains("KILL"), "{text}");
}

#[test]
fn a_server_that_still_answers_is_left_alone() {
    let term = Duration::from_secs(1);
    let script = "for n in 1 2 3 4 5 6 7 8 9 10 11 12; do echo $n; sleep 0.2; done; exit 3";
    let (code, text) = ran(Patience { term, kill: LONG, asked: LONG, quiet: SHORT }, script, None);
    // On a machine with much else to do it may fall silent for so long; the recording has the times.
    let at_us = |what: &str| {
        let line = text.lines().rfind(|line| line.contains(what))?;
        line.split_once("\"t\":")?.1.split(',').next()?.parse::<u64>().ok()
    };
    let silent_us = at_us("TERM").zip(at_us("\"d\":\"s\"")).map(|(ended, said)| ended - said);
    assert!(code == 3 || silent_us.is_some_and(|us| us >= 1_000_000), "{code}: {text}");
}

#[test]
fn signals_go_to_the_whole_group() {
    // The shell waits for its own child, which gets the signal too.
    let patient = Patience { term: LONG, kill: LONG, asked: LONG, quiet: SHORT };
    let (code, text) = ran(patient, "echo 1; sleep 60 & wait", Some(15));
    assert_eq!(code, 143, "{text}");
    // Not INT: a shell that is started in the background cannot trap it.
    let (code, _) = ran(patient, "trap 'exit 7' TERM; echo 1; for n in $(seq 1200); do sleep 0.05; done", Some(15));
    assert_eq!(code, 7);
}

#[test]
fn a_server_that_heeds_no_signal_ends_with_the_signal_that_came() {
    let patient = Patience { term: LONG, kill: LONG, asked: SHORT, quiet: SHORT };
    let (code, text) = ran(patient, "trap '' TERM INT HUP; echo 1; while :; do sleep 1; done", Some(1));
    assert_eq!(code, 129, "{text}");
    assert!(text.contains("TERM") && text.contains("KILL"), "{text}");
}

#[test]
fn a_program_that_does_not_exist_is_an_error() {
    let folder = tempfile::tempdir().expect("a folder");
    let clock = Clock::start();
    let tape = Tape::start(TapeOptions::new(folder.path().join("a")), clock).expect("a tape");
    let command = Command { program: "/no/such/program".to_string(), ..Command::default() };
    let null = || File::open("/dev/null").expect("a device");
    let ends = Ends { input: null(), output: null(), error: null(), own: false };
    let shim = Shim { command: &command, tape: &tape, clock, patience: Patience::default() };
    let error = shim.run(ends, channel().1).expect_err("no such program");
    assert!(error.message.contains("/no/such/program"), "{error}");
}
