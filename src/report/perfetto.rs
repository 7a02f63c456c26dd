//! `export --as perfetto`: the Chrome trace format, which Perfetto and `about:tracing` open. Requests overlap and are
//! no stack, so they are asynchronous events, keyed by exchange. Times are microseconds from the start of the log.

use std::io::{self, Write};

use serde::Serialize;

use super::escape::json;
use super::message::{label, label_of};
use crate::store::{CancellationRow, ConnectionRow, ExchangeRow, MessageRow};

#[derive(Default, Serialize)]
struct TraceEvent {
    name: String,
    ph: &'static str,
    #[serde(skip_serializing_if = "str::is_empty")]
    cat: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    pid: u8,
    tid: i64,
    ts: i64,
    /// Of an instant: it belongs to its track.
    #[serde(skip_serializing_if = "Option::is_none")]
    s: Option<&'static str>,
    /// Of the end of a flow: it binds to what encloses it.
    #[serde(skip_serializing_if = "Option::is_none")]
    bp: Option<&'static str>,
    #[serde(skip_serializing_if = "Args::is_empty")]
    args: Args,
}

#[derive(Default, Serialize)]
struct Args {
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    outcome: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error_code: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    effect: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    open: Option<bool>,
}

impl Args {
    fn is_empty(&self) -> bool {
        self.name.is_none() && self.outcome.is_none() && self.line.is_none() && self.effect.is_none()
    }
}

/// The format.
pub struct Perfetto<'a> {
    out: &'a mut dyn Write,
    start_us: i64,
    begun: bool,
}

/// One process per side.
fn process(side: &str) -> u8 {
    if side == "server" { 2 } else { 1 }
}

impl<'a> Perfetto<'a> {
    /// Begins a trace; `start_us` becomes its zero.
    pub fn new(out: &'a mut dyn Write, start_us: i64, connections: &[ConnectionRow]) -> io::Result<Perfetto<'a>> {
        write!(out, "{{\"displayTimeUnit\":\"ms\",\"traceEvents\":[")?;
        let mut trace = Perfetto { out, start_us, begun: false };
        for (pid, side) in [(1, "requests of the client"), (2, "requests of the server")] {
            trace.meta("process_name", pid, 0, side)?;
            for connection in connections {
                trace.meta("thread_name", pid, connection.id, &connection.key)?;
            }
        }
        Ok(trace)
    }

    fn meta(&mut self, name: &str, pid: u8, tid: i64, value: &str) -> io::Result<()> {
        let args = Args { name: Some(value.to_string()), ..Args::default() };
        self.write(TraceEvent { name: name.into(), ph: "M", pid, tid, args, ..TraceEvent::default() })
    }

    fn write(&mut self, event: TraceEvent) -> io::Result<()> {
        let before = if self.begun { ",\n" } else { "\n" };
        self.begun = true;
        write!(self.out, "{before}{}", json(&event)?)
    }

    fn at(&self, us: i64) -> i64 {
        (us - self.start_us).max(0)
    }

    /// A request from its sending to its end. One that is open when the log ends is closed at `last_us`.
    pub fn exchange(&mut self, exchange: &ExchangeRow, last_us: i64, progress: &[i64]) -> io::Result<()> {
        let Some(sent) = exchange.sent_at_us.map(|us| self.at(us)) else { return Ok(()) };
        let open = exchange.outcome == "unanswered";
        let end = if open { Some(last_us) } else { exchange.settled_at_us };
        let end = end.map_or(sent, |us| self.at(us)).max(sent);
        let id = exchange.rpc_id.as_deref().map(|id| label(id, Some(&exchange.issuer)));
        let parts = [id, Some(exchange.method.clone()), exchange.name.clone()];
        let name = parts.into_iter().flatten().collect::<Vec<_>>().join(" ");
        let event = |ph: &'static str, ts: i64, args: Args| TraceEvent {
            name: name.clone(),
            ph,
            cat: "exchange",
            id: Some(format!("0x{:x}", exchange.id)),
            pid: process(&exchange.issuer),
            tid: exchange.connection_id,
            ts,
            args,
            ..TraceEvent::default()
        };
        self.write(event("b", sent, Args { line: Some(exchange.line), ..Args::default() }))?;
        for us in progress {
            let ts = self.at(*us).clamp(sent, end);
            self.write(TraceEvent { name: "progress".into(), ..event("n", ts, Args::default()) })?;
        }
        let outcome = Some(exchange.outcome.clone());
        let args = Args { outcome, error_code: exchange.error_code, open: open.then_some(true), ..Args::default() };
        self.write(event("e", end, args))
    }

    /// A cancel, with a flow to what it came to.
    pub fn cancel(&mut self, cancel: &CancellationRow) -> io::Result<()> {
        let Some(sent) = cancel.sent_at_us.map(|us| self.at(us)) else { return Ok(()) };
        let event = |ph: &'static str, ts: i64| TraceEvent {
            name: format!("{} {}", cancel.mechanism, cancel.target_rpc_id.as_deref().unwrap_or("")).trim().to_string(),
            ph,
            cat: "cancel",
            pid: process(&cancel.sender),
            tid: cancel.connection_id,
            ts,
            ..TraceEvent::default()
        };
        let args = Args { effect: cancel.effect.clone(), line: Some(cancel.line), ..Args::default() };
        self.write(TraceEvent { s: Some("t"), args, ..event("i", sent) })?;
        let effect = cancel.effect_at_us.map(|us| self.at(us)).filter(|effect| *effect >= sent);
        let Some(effect) = effect else { return Ok(()) };
        let id = Some(format!("0x{:x}", cancel.message_id));
        self.write(TraceEvent { id: id.clone(), ..event("s", sent) })?;
        self.write(TraceEvent { id, bp: Some("e"), ..event("f", effect) })
    }

    /// An answer to no request of this log. `at_us` is its time, or the last one before it.
    pub fn orphan(&mut self, message: &MessageRow, connection: i64, at_us: i64) -> io::Result<()> {
        let issuer = if message.sender.as_deref() == Some("server") { "client" } else { "server" };
        let name = format!("{} {} to no request", label_of(message).unwrap_or_default(), message.kind);
        let ts = self.at(at_us);
        let args = Args { line: Some(message.line), error_code: message.error_code, ..Args::default() };
        let (pid, tid) = (process(issuer), connection);
        self.write(TraceEvent {
            name,
            ph: "i",
            cat: "orphan",
            pid,
            tid,
            ts,
            s: Some("t"),
            args,
            ..TraceEvent::default()
        })
    }

    /// Ends the trace.
    pub fn finish(self) -> io::Result<()> {
        writeln!(self.out, "\n]}}")
    }
}
