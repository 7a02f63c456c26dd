//! The stdio shim: a server's standard streams, passed on byte for byte, with a copy for the tape.
//!
//! One thread a stream, blocking reads and writes, nothing between them but a copy into the tape's queue. Chunks are never
//! put together on the way, and nothing looks into them. What ends on one side ends on the other.

mod ends;
mod pump;
mod signals;
#[cfg(test)]
mod tests;

use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};

pub use ends::Ends;
use pump::{End, Progress, Pump};
pub use signals::listen;

use super::tape::{Pipe, Tape, TapeEvent};
use super::{Clock, Command};
use crate::error::{Error, ErrorKind, Result};
use crate::protocol::Side;

/// How long a server is waited for.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// From the end of the client to TERM; for a server that still answers, from its last word.
    pub term: Duration,
    /// From TERM to KILL.
    pub kill: Duration,
    /// From a signal to the recorder, which the server was handed, to TERM, and from TERM to KILL: whoever sends signals does not
    /// wait long before he sends one that cannot be handed on.
    pub asked: Duration,
    /// How long the streams of a server that has ended may be silent before they are given up: a process that it
    /// left behind may hold them open for ever.
    pub quiet: Duration,
}

impl Default for Patience {
    fn default() -> Patience {
        let [term, kill] = [10, 5].map(Duration::from_secs);
        let [asked, quiet] = [1500, 500].map(Duration::from_millis);
        Patience { term, kill, asked, quiet }
    }
}

/// What the threads report.
enum Word {
    Client(End),
    Server(End),
    Stderr,
    Exited(std::io::Result<ExitStatus>),
    Signal(i32),
}

/// What a shim stands between.
#[derive(Debug)]
pub struct Shim<'s> {
    /// The server.
    pub command: &'s Command,
    /// The recording. It has one connection, number 1.
    pub tape: &'s Tape,
    /// The clock of the recording.
    pub clock: Clock,
    /// How long the server is waited for.
    pub patience: Patience,
}

impl Shim<'_> {
    /// Starts the server, and returns how it ended: its exit code, or 128 and the signal. `signals` are passed on to its
    /// process group; one that it does not heed is how it ended, too.
    pub fn run(&self, ends: Ends, signals: Receiver<i32>) -> Result<u8> {
        let mut child = self.start()?;
        let group = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
        self.event(TapeEvent::Open { by: Some(Side::Client) });
        let (words, inbox) = channel();
        let progress = Arc::new(Progress::default());
        self.pumps(&mut child, ends, &words, &progress);
        thread("signals", {
            let words = words.clone();
            move || signals.iter().for_each(|signal| drop(words.send(Word::Signal(signal))))
        });
        thread("child", move || drop(words.send(Word::Exited(child.wait()))));
        let (status, unheeded) = self.watch(&inbox, &progress, group);
        let (code, signal) = status.map_or((None, None), |status| (status.code(), status.signal()));
        self.event(TapeEvent::Exit { code, signal });
        let signal = unheeded.or(signal);
        Ok(code.map_or(signal.map_or(1, |signal| 128 + signal), |code| code & 0xff) as u8)
    }

    fn start(&self) -> Result<Child> {
        let Command { program, args, env, cwd } = self.command;
        let mut command = std::process::Command::new(program);
        command.args(args).envs(env.iter().map(|(name, value)| (name, value)));
        if let Some(cwd) = cwd {
            command.current_dir(cwd);
        }
        // A group of its own: Ctrl-C reaches it once, through us, and what it starts is reached with it.
        command.process_group(0).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().map_err(|error| {
            Error::new(ErrorKind::Io, format!("cannot start {program}: {error}"))
                .hint("the server's command stands after `--`, as in a shell: rpctape record -- node build/index.js")
        })
    }

    fn event(&self, event: TapeEvent) {
        self.tape.event(self.clock.us(), 1, None, event);
    }

    fn pumps(&self, child: &mut Child, ends: Ends, words: &Sender<Word>, progress: &Arc<Progress>) {
        let Ends { input, output, error, own } = ends;
        let pump = |from| Pump { from, tape: self.tape.clone(), clock: self.clock, progress: Arc::clone(progress) };
        if let Some(stdin) = child.stdin.take() {
            let (pump, words) = (pump(Pipe::From(Side::Client)), words.clone());
            thread("client", move || {
                let end = pump.run(input, stdin);
                if end == End::NobodyReads && own {
                    ends::close_stdin();
                }
                drop(words.send(Word::Client(end)));
            });
        }
        if let Some(stdout) = child.stdout.take() {
            let (pump, words) = (pump(Pipe::From(Side::Server)), words.clone());
            thread("server", move || {
                let end = pump.run(stdout, output);
                if own {
                    ends::close_stdout();
                }
                drop(words.send(Word::Server(end)));
            });
        }
        if let Some(stderr) = child.stderr.take() {
            let (pump, words) = (pump(Pipe::Stderr), words.clone());
            thread("stderr", move || {
                pump.run(stderr, error);
                drop(words.send(Word::Stderr));
            });
        }
    }

    /// Until the server has ended and all that it wrote is passed on; gives the signal, too, that it did not heed. The client is not
    /// waited for.
    fn watch(
        &self,
        inbox: &Receiver<Word>,
        progress: &Progress,
        group: Option<Pid>,
    ) -> (Option<ExitStatus>, Option<i32>) {
        let signal = |signal| group.map_or(Ok(()), |group| kill_process_group(group, signal));
        let (mut status, mut open, mut seen) = (None, 2, progress.seen());
        // What is done when the server has not ended by then.
        let mut next: Option<(i64, Signal)> = None;
        let (mut answers, mut asked, mut unheeded) = (0, None, None);
        while status.is_none() || open > 0 {
            let word = match (&status, next) {
                (Some(_), _) => inbox.recv_timeout(self.patience.quiet),
                (None, Some((at_us, _))) => {
                    let left = u64::try_from(at_us - self.clock.us()).unwrap_or(0);
                    inbox.recv_timeout(Duration::from_micros(left))
                }
                (None, None) => inbox.recv().map_err(|_| RecvTimeoutError::Disconnected),
            };
            match word {
                Ok(Word::Client(End::Eof)) => {
                    self.event(TapeEvent::Close { by: Some(Side::Client), how: "eof".to_string() });
                    answers = progress.answers();
                    next = next.or_else(|| Some((self.after(self.patience.term), Signal::TERM)));
                }
                Ok(Word::Client(End::NobodyReads)) => self.note("the server no longer reads"),
                Ok(Word::Server(end)) => {
                    open -= 1;
                    match end {
                        End::Eof => self.event(TapeEvent::Close { by: Some(Side::Server), how: "eof".to_string() }),
                        End::NobodyReads => self.note("the client no longer reads"),
                    }
                }
                Ok(Word::Stderr) => open -= 1,
                Ok(Word::Exited(ended)) => status = Some(ended.ok()),
                // A server that is gone needs no signal, and its number may be another's by now.
                Ok(Word::Signal(number)) if status.is_none() => {
                    let known = Signal::from_named_raw(number);
                    let _ = known.map_or(Ok(()), signal);
                    let then = if known == Some(Signal::TERM) { Signal::KILL } else { Signal::TERM };
                    next = next.filter(|_| asked.is_some()).or_else(|| Some((self.after(self.patience.asked), then)));
                    asked = Some(number);
                }
                Ok(Word::Signal(_)) => {}
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) if status.is_some() => {
                    let now = progress.seen();
                    if now == seen && !progress.is_writing() {
                        self.note("a process that the server left behind holds its streams open");
                        break;
                    }
                    seen = now;
                }
                // It still delivers what its client asked for before it closed its side: that is no server that hangs.
                Err(RecvTimeoutError::Timeout)
                    if asked.is_none()
                        && next.is_some_and(|(_, which)| which == Signal::TERM)
                        && (progress.answers() != answers || progress.is_writing()) =>
                {
                    answers = progress.answers();
                    next = Some((self.after(self.patience.term), Signal::TERM));
                }
                Err(RecvTimeoutError::Timeout) => {
                    if let Some((_, which)) = next.take() {
                        let kill = which == Signal::TERM;
                        let (why, patience) = match asked {
                            Some(_) => ("a signal came", self.patience.asked),
                            None => ("the client ended", self.patience.kill),
                        };
                        let word = if kill { "TERM" } else { "KILL" };
                        self.note(&format!("{why}, the server did not end: {word}"));
                        let _ = signal(which);
                        unheeded = asked;
                        next = kill.then(|| (self.after(patience), Signal::KILL));
                    }
                }
            }
        }
        (status.flatten(), unheeded)
    }

    fn after(&self, duration: Duration) -> i64 {
        self.clock.us().saturating_add(i64::try_from(duration.as_micros()).unwrap_or(i64::MAX))
    }

    fn note(&self, text: &str) {
        self.event(TapeEvent::Note { text: text.to_string() });
    }
}

/// Starts a thread that is not waited for. Where there can be none, what it would have sent counts as ended.
fn thread(name: &str, work: impl FnOnce() + Send + 'static) {
    let _ = std::thread::Builder::new().name(name.to_string()).spawn(work);
}
