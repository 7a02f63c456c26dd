//! A child process and its standard streams, from the start to the last of its group.

use std::os::unix::process::ExitStatusExt;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use tokio::io::{AsyncBufReadExt, AsyncReadExt, BufReader};
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, sleep_until};

use super::group::Group;
use super::port::{Port, Report, until};
use super::pump::{Pump, Pumped};
use crate::live::{Command, Forced, Incoming};
use crate::protocol::Side;
use crate::wire::Framing;

/// How long a child may take to end by itself once its standard input is closed.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long it may take after TERM.
const TERM: Duration = Duration::from_secs(5);
/// How long its streams and the rest of its group may stay after it, and once more after those were killed.
const AFTERMATH: Duration = Duration::from_secs(1);
/// How long a child that does not read any more may go on before the connection counts as closed.
const DEAF: Duration = Duration::from_secs(1);
/// How often the group is looked at while it ends.
const GLANCE: Duration = Duration::from_millis(20);
/// A line of stderr is cut here, in bytes.
const STDERR_LINE: u64 = 64 * 1024;

/// A child that runs.
struct Running {
    pump: Pump<ChildStdout, ChildStdin>,
    stderr: JoinHandle<()>,
    // Before the child, so that its group is killed while its id is still taken.
    group: Group,
    child: Child,
    forced: Forced,
    /// When to go on to harder means.
    deadline: Option<Instant>,
    deaf: Option<Instant>,
}

/// Starts it and serves the link until it has ended.
pub(super) async fn run(command: &Command, framing: Framing, port: Port) {
    let report = port.report.clone();
    match start(command, framing, port) {
        Err(why) => {
            let _ = report.tell(Incoming::Failed { why }).await;
        }
        Ok(mut running) => {
            running.pump.tell(Incoming::Ready);
            if let Some(status) = running.serve().await {
                running.clear_up(status).await;
            }
        }
    }
}

fn start(command: &Command, framing: Framing, port: Port) -> Result<Running, String> {
    let mut process = tokio::process::Command::new(&command.program);
    process.args(&command.args).envs(command.env.iter().map(|(name, value)| (name, value)));
    process.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let guarded = Group::guarded();
    process.process_group(guarded.as_ref().map_or(0, Group::id)).kill_on_drop(true);
    if let Some(folder) = &command.cwd {
        process.current_dir(folder);
    }
    let failed = |error: std::io::Error| match error.kind() {
        std::io::ErrorKind::NotFound => {
            format!("cannot start {}: no such program (or no such directory to start it in)", command.program)
        }
        _ => format!("cannot start {}: {error}", command.program),
    };
    let mut child = process.spawn().map_err(failed)?;
    let parts =
        (guarded.or_else(|| Group::of(child.id()?)), child.stdin.take(), child.stdout.take(), child.stderr.take());
    let (Some(group), Some(stdin), Some(stdout), Some(stderr)) = parts else {
        return Err(format!("cannot start {}: its standard streams are missing", command.program));
    };
    let stderr = tokio::spawn(drain(stderr, port.report.clone()));
    let pump = Pump::new(port, framing, stdout, stdin);
    Ok(Running { pump, stderr, group, child, forced: Forced::No, deadline: None, deaf: None })
}

impl Running {
    /// Until the child has ended; `None` if the link is gone before.
    async fn serve(&mut self) -> Option<ExitStatus> {
        loop {
            let (deadline, deaf) = (self.deadline, self.deaf);
            tokio::select! {
                step = self.pump.step() => match step {
                    Pumped::Moved => {}
                    Pumped::Finish => {
                        self.pump.finish_writing();
                        self.deadline = self.deadline.or(Some(Instant::now() + PATIENCE));
                    }
                    Pumped::Abort => {
                        self.pump.stop_writing();
                        if self.forced == Forced::No {
                            self.harder();
                        }
                    }
                    Pumped::Deaf => self.deaf = Some(Instant::now() + DEAF),
                    Pumped::Gone => return None,
                },
                status = self.child.wait() => return Some(status.unwrap_or_default()),
                () = until(deadline) => self.harder(),
                () = until(deaf) => {
                    self.deaf = None;
                    if self.pump.reading() {
                        self.pump.tell_closed(Side::Server, "deaf");
                    }
                }
            }
        }
    }

    /// TERM, and KILL the next time.
    fn harder(&mut self) {
        self.pump.stop_writing();
        if self.forced == Forced::No {
            self.forced = Forced::Term;
            self.group.terminate();
            self.deadline = Some(Instant::now() + TERM);
        } else {
            self.forced = Forced::Kill;
            self.group.kill();
            self.deadline = None;
        }
    }

    /// Reads what is left, ends the rest of the group, and tells the exit.
    async fn clear_up(mut self, status: ExitStatus) {
        self.pump.stop_writing();
        self.drain().await;
        let survivors = self.group.members();
        self.group.kill();
        self.drain().await;
        self.stderr.abort();
        if self.pump.reading() {
            // A process that has left the group holds the stream.
            self.pump.stop_reading(Side::Client, "closed");
        }
        self.pump.tell(Incoming::Exit { code: status.code(), signal: status.signal(), forced: self.forced, survivors });
        drop(self.group);
        self.pump.flush().await;
    }

    /// Reads until both streams are at their end and the group is gone, for a while.
    async fn drain(&mut self) {
        let end = Instant::now() + AFTERMATH;
        while self.pump.reading() || !self.stderr.is_finished() || self.group.alive() {
            tokio::select! {
                step = self.pump.step() => if step == Pumped::Gone { return },
                () = sleep(GLANCE) => {}
                () = sleep_until(end) => return,
            }
        }
    }
}

/// Tells stderr line by line. On a task of its own: it never waits for the messages, nor they for it.
async fn drain(stderr: ChildStderr, report: Report) {
    let mut reader = BufReader::new(stderr);
    loop {
        let mut line = Vec::new();
        match (&mut reader).take(STDERR_LINE).read_until(b'\n', &mut line).await {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
        let end = line.strip_suffix(b"\n").map(|line| line.strip_suffix(b"\r").unwrap_or(line).len());
        line.truncate(end.unwrap_or(line.len()));
        if report.tell(Incoming::Stderr { bytes: line }).await.is_err() {
            return;
        }
    }
}
