//! Runs the program as a user would, with an empty environment and a fixed width.
#![allow(dead_code, reason = "every test program uses its own part of this")]

use std::path::{Path, PathBuf};
use std::process::Output;

use assert_cmd::Command;

/// The top of the checkout.
pub fn top() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// The program, in the checkout, with nothing in its environment but what it cannot do without: under CI it would be another program,
/// which accepts nothing.
pub fn rpctape() -> Command {
    Command::from_std(program())
}

/// The same, for what runs beside the test.
pub fn program() -> std::process::Command {
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_rpctape"));
    command.env_clear().current_dir(top());
    for name in ["TMPDIR", "TEMP", "TMP", "SYSTEMROOT"] {
        if let Some(value) = std::env::var_os(name) {
            command.env(name, value);
        }
    }
    command
}

/// What a run said and how it ended.
pub struct Said {
    pub out: String,
    pub err: String,
    pub code: i32,
}

/// Runs the program with these arguments.
pub fn run(args: &[&str]) -> Said {
    said(rpctape().args(args).output().expect("the program starts"))
}

/// Runs the program with these arguments and this standard input.
pub fn run_with(args: &[&str], input: &[u8]) -> Said {
    said(rpctape().args(args).write_stdin(input).output().expect("the program starts"))
}

/// What a program said.
pub fn said(output: Output) -> Said {
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("the program prints UTF-8");
    Said { out: text(output.stdout), err: text(output.stderr), code: output.status.code().expect("not killed") }
}

/// Writes a file into a folder and gives its path as text.
pub fn file(folder: &Path, name: &str, content: impl AsRef<[u8]>) -> String {
    let path = folder.join(name);
    std::fs::write(&path, content).expect("a test may write into its own folder");
    path.to_str().expect("UTF-8").to_string()
}

/// How a child ended; `None`, and it is killed, where it does not within three minutes.
pub fn ended(child: &mut std::process::Child) -> Option<std::process::ExitStatus> {
    let step = std::time::Duration::from_millis(20);
    for _ in 0..9_000 {
        if let Some(status) = child.try_wait().expect("a child of ours") {
            return Some(status);
        }
        std::thread::sleep(step);
    }
    child.kill().expect("a child of ours");
    child.wait().expect("a child of ours");
    None
}
