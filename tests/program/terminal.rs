//! The screens on a terminal: what a pipe gets, in colour where that is wanted, and nothing wider than the terminal.
#![cfg(unix)]

use std::fs::{File, OpenOptions};
use std::io::Read;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use crate::common::{self, program};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};
use unicode_width::UnicodeWidthStr;

/// Commands with a screen of their own.
const SCREENS: &[&[&str]] = &[
    &["check", "samples/acp/bad.jsonl", "samples/faults"],
    &["check", "samples/formats", "--group-by", "server"],
    &["check", "samples/lsp/bad.jsonl", "--coverage"],
    &["conform", "--list"],
    &["diff", "samples/mcp/good.jsonl", "samples/mcp/bad.jsonl"],
    &["explain", "all"],
    &["formats"],
    &["formats", "--explain", "samples/mcp/bad.jsonl"],
    &["ls", "samples/formats"],
    &["query", "samples/mcp/bad.jsonl", "select * from exchanges"],
    &["replay", "samples/mcp/good.jsonl", "--dry-run"],
    &["rules"],
    &["rules", "--clauses"],
    &["sessions", "samples/formats"],
    &["show", "samples/incidents/a-cycle.jsonl", "#19"],
    &["stats", "samples/formats"],
    &["tail", "samples/incidents/b-server-dead.rec.jsonl"],
    &["why", "samples/incidents"],
    &["why", "samples/incidents/a-cycle.jsonl", "--at", "00:05:00"],
];

/// Far longer than any of them takes.
const DEADLINE: Duration = Duration::from_secs(600);

/// What a command prints on a terminal of so many columns.
fn on_terminal(args: &[&str], columns: u16, variables: &[(&str, &str)]) -> String {
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal");
    grantpt(&master).and_then(|()| unlockpt(&master)).expect("a terminal of ours");
    let size = Winsize { ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
    let name = ptsname(&master, Vec::new()).expect("its name").into_string().expect("ASCII");
    let slave = OpenOptions::new().read(true).write(true).open(Path::new(&name)).expect("its other end");
    tcsetwinsize(&slave, size).expect("a size");
    let mut child = program()
        .args(args)
        .env("TERM", "xterm-256color")
        .envs(variables.iter().copied())
        .stdin(Stdio::null())
        .stdout(slave)
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts");
    let (told, said) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        // It ends with an error, once nobody holds the other end: the parent's copy went with the command.
        let _ = File::from(master).read_to_end(&mut bytes);
        told.send(bytes)
    });
    let Ok(bytes) = said.recv_timeout(DEADLINE) else {
        child.kill().expect("a child of ours");
        panic!("{args:?} did not end");
    };
    common::ended(&mut child).expect("it ends");
    String::from_utf8(bytes).expect("UTF-8").replace("\r\n", "\n")
}

fn piped(args: &[&str], columns: u16) -> String {
    let output = common::rpctape().args(args).env("COLUMNS", columns.to_string()).output().expect("the program starts");
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// A text without the escapes of colours, and without the blanks that stood in them at the end of a line.
fn plain(text: &str) -> String {
    let mut parts = text.split("\u{1b}[");
    let first = parts.next().unwrap_or_default().to_string();
    let text = parts.fold(first, |all, part| all + part.split_once('m').expect("a colour").1);
    text.split('\n').map(str::trim_end).collect::<Vec<_>>().join("\n")
}

/// True for a line that may be wider: it is there to be copied, or asks nobody to be read.
fn is_whole(line: &str) -> bool {
    let line = line.trim_start();
    let copied = ["rpctape ", "--> ", "$ ", "NEXT"].iter().any(|start| line.starts_with(start));
    copied || !line.contains(' ')
}

#[test]
fn a_terminal_shows_what_a_pipe_gets() {
    let mut wide = Vec::new();
    for args in SCREENS {
        for columns in [80, 120] {
            let (shown, sent) = (on_terminal(args, columns, &[]), piped(args, columns));
            assert_eq!(plain(&shown), plain(&sent), "{args:?} at {columns}");
            let too_wide = |line: &&str| line.width() > usize::from(columns) && !is_whole(line);
            wide.extend(sent.lines().filter(too_wide).map(|line| format!("{} at {columns}: {line}", args.join(" "))));
        }
    }
    assert!(wide.is_empty(), "{wide:#?}");
}

#[test]
fn colour_is_for_terminals_that_have_it() {
    let args = ["check", "samples/mcp/bad.jsonl"];
    assert!(on_terminal(&args, 80, &[]).contains("\u{1b}[1;31m"));
    for variables in [&[("NO_COLOR", "1")][..], &[("TERM", "dumb")]] {
        assert_eq!(on_terminal(&args, 80, variables), piped(&args, 80), "{variables:?}");
    }
}

/// What is the bytes of a log stays so in a pipe.
#[test]
fn bytes_of_a_log_do_not_act_on_a_terminal() {
    let folder = tempfile::tempdir().expect("a folder");
    let line = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\u{9b}31m\u{202e}b\"}\n";
    let log = common::file(folder.path(), "s.jsonl", line);
    for args in [&["export", &log, "--as", "rec"][..], &["extract", &log, "#1"], &["facts", &log, "-o", "-"]] {
        let acts = |text: &str| text.contains(['\u{9b}', '\u{202e}']);
        assert!(!acts(&on_terminal(args, 80, &[])), "{args:?}");
        assert!(acts(&common::run(args).out), "{args:?}");
    }
}
