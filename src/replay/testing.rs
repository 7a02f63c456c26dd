//! Recordings out of a few lines of trace, for tests: `12 s> {"id":1,"result":{}}` is what the server sent 12 ms after the
//! start; the version member is put in. `5 c# 3 {...}` came on stream 3, `9 c| 3` closed it, `9 s|` closed the connection,
//! `20 x 1` is an exit with code 1, `20 s! text` are bytes that are no message.
//!
//! Pairing is as simple as traces are: by id, by token, by session; what a real log has to say about it is tested at the loader.

use crate::capture::{Proof, Transport, Vantage};
use crate::jsonrpc::{Id, Kind, Message, Parsed, parse};
use crate::protocol::{self, Facts, Profile, Role, Side, Target};
use crate::replay::recording::{Connection, Event, EventKind, Exchange};

/// A connection of this protocol (`mcp 2025-11-25`).
pub(crate) fn connection(protocol: &str, trace: &str) -> Connection {
    let (name, revision) = protocol.split_once(' ').map_or((protocol, None), |(name, revision)| (name, Some(revision)));
    let profile = protocol::by_name(name, revision).expect("a protocol");
    let mut maker = Maker { profile, events: Vec::new(), exchanges: Vec::new() };
    for line in trace.lines().map(str::trim).filter(|line| !line.is_empty()) {
        maker.line(line);
    }
    let Maker { events, exchanges, .. } = maker;
    let http = events.iter().any(|event| event.stream.is_some());
    Connection {
        key: "test/1".into(),
        profile,
        transport: if http { Transport::Http } else { Transport::Ordered },
        vantage: Vantage::Client,
        proof: Proof::FULL.and(Proof::STREAMS),
        framing: None,
        complete_head: true,
        complete_tail: true,
        events,
        exchanges,
        faults: Default::default(),
        resumed: Default::default(),
    }
}

struct Maker {
    profile: &'static Profile,
    events: Vec<Event>,
    exchanges: Vec<Exchange>,
}

impl Maker {
    fn line(&mut self, line: &str) {
        let (time, rest) = line.split_once(' ').expect("a time");
        let at_us = time.parse::<i64>().expect("milliseconds") * 1_000;
        let (mark, rest) = rest.split_once(' ').unwrap_or((rest, ""));
        let side = match mark.as_bytes()[0] {
            b'c' => Some(Side::Client),
            b's' => Some(Side::Server),
            _ => None,
        };
        let number = |text: &str| text.trim().parse::<u32>().ok();
        match &mark[mark.len() - 1..] {
            "x" => self.push(at_us, None, None, EventKind::Exit(rest.parse().ok()), ""),
            "|" => {
                let what = self.close(side, number(rest));
                self.push(at_us, side, number(rest), what, "");
            }
            "!" => self.push(at_us, side, None, EventKind::Malformed, rest),
            "#" => {
                let (stream, text) = rest.split_once(' ').expect("a stream");
                self.text(at_us, side.expect("a side"), number(stream), text);
            }
            _ => self.text(at_us, side.expect("a side"), None, rest),
        }
    }

    fn push(&mut self, at_us: i64, side: Option<Side>, stream: Option<u32>, what: EventKind, text: &str) {
        let line = self.events.len() as u64 + 1;
        let text = text.to_string();
        self.events.push(Event { frame: line as i64, line, at_us: Some(at_us), side, stream, what, text });
    }

    fn text(&mut self, at_us: i64, side: Side, stream: Option<u32>, text: &str) {
        let text = match text.contains("\"jsonrpc\"") {
            true => text.to_string(),
            false => text.replacen('{', "{\"jsonrpc\":\"2.0\",", 1),
        };
        if let Ok(Parsed::Batch(members)) = parse::<Facts<'_>>(&text) {
            let here = self.events.len() + 1;
            self.push(at_us, Some(side), stream, EventKind::Batch(here..here + members.len()), &text);
            for (range, _) in members {
                self.message(at_us, side, stream, &text[range]);
            }
            return;
        }
        self.message(at_us, side, stream, &text);
    }

    fn message(&mut self, at_us: i64, side: Side, stream: Option<u32>, text: &str) {
        let Ok(Parsed::One(message, facts)) = parse::<Facts<'_>>(text) else { panic!("no message: {text}") };
        let what = match message.kind {
            Kind::Request => self.request(side, text, &message, &facts),
            Kind::Result | Kind::Error => self.response(at_us, side, &message, &facts),
            _ => self.notification(side, &message, &facts),
        };
        self.push(at_us, Some(side), stream, what, text);
    }

    fn facts(&self, place: usize) -> Facts<'_> {
        match parse::<Facts<'_>>(&self.events[self.exchanges[place].request].text) {
            Ok(Parsed::One(_, facts)) => facts,
            _ => Facts::default(),
        }
    }

    /// The newest exchange of a side that fits.
    fn newest(&self, issuer: Side, fits: impl Fn(usize) -> bool) -> Option<usize> {
        let own = |place: &usize| self.exchanges[*place].issuer == issuer && fits(*place);
        (0..self.exchanges.len()).rev().find(own)
    }

    fn by_id(&self, issuer: Side, id: &Id) -> Option<usize> {
        self.newest(issuer, |place| Id::from_json(&self.exchanges[place].rpc_id).as_ref() == Some(id))
    }

    fn prompt(&self, session: Option<&str>) -> Option<usize> {
        let prompt = |place: usize| protocol::role(&self.exchanges[place].method) == Role::Prompt;
        self.newest(Side::Client, |place| prompt(place) && self.facts(place).session_id() == session)
    }

    fn request(&mut self, issuer: Side, _: &str, message: &Message<'_>, facts: &Facts<'_>) -> EventKind {
        let turn = self.profile.turns && issuer == Side::Server;
        let parent = if turn { self.prompt(facts.session_id()) } else { None };
        self.exchanges.push(Exchange {
            request: self.events.len(),
            issuer,
            rpc_id: message.id_text.unwrap_or("null").to_string(),
            method: message.method().to_string(),
            name: Facts::text(facts.name()).map(|name| name.into_owned()),
            parent,
            response: None,
            late: Vec::new(),
            cancels: Vec::new(),
            progress: Vec::new(),
            outcome: "unanswered".into(),
            error_code: None,
            latency_us: None,
        });
        EventKind::Request(self.exchanges.len() - 1)
    }

    fn response(&mut self, at_us: i64, side: Side, message: &Message<'_>, facts: &Facts<'_>) -> EventKind {
        let here = self.events.len();
        let Some(place) = message.id.value().and_then(|id| self.by_id(side.peer(), id)) else {
            return EventKind::Response(None);
        };
        let asked_us = self.events[self.exchanges[place].request].at_us.unwrap_or(0);
        let exchange = &mut self.exchanges[place];
        if exchange.response.is_some() {
            exchange.late.push(here);
            return EventKind::Response(Some(place));
        }
        exchange.response = Some(here);
        exchange.latency_us = Some(at_us - asked_us);
        exchange.error_code = message.error_code();
        let cancelled = Facts::is(facts.stop_reason(), "cancelled")
            || message.error_code().is_some() && message.error_code() == self.profile.cancelled_code;
        exchange.outcome = match message.kind {
            _ if cancelled => "cancelled",
            Kind::Result => "result",
            _ => "error",
        }
        .into();
        EventKind::Response(Some(place))
    }

    fn notification(&mut self, side: Side, message: &Message<'_>, facts: &Facts<'_>) -> EventKind {
        let here = self.events.len();
        if let Some(form) = protocol::cancel_form(self.profile, message.method(), facts) {
            let target = match form.target {
                Target::Request(id) => self.by_id(side, &id),
                Target::Turn(session) => self.prompt(Some(session)),
                _ => None,
            };
            if let Some(place) = target {
                self.cancelled(place, here);
            }
            return EventKind::Cancel(target);
        }
        if self.profile.progress == Some(message.method()) {
            let token = Facts::id(facts.token());
            let place = self.newest(side.peer(), |place| {
                let own = self.facts(place);
                let tokens = [own.progress_token(), own.work_done_token(), own.partial_result_token()];
                token.is_some() && tokens.into_iter().any(|own| Facts::id(own) == token)
            });
            return self.told(place, here);
        }
        if protocol::role(message.method()) == Role::Update && self.profile.turns {
            let open = self.prompt(facts.session_id()).filter(|place| self.exchanges[*place].response.is_none());
            return self.told(open, here);
        }
        EventKind::Notification
    }

    fn told(&mut self, place: Option<usize>, here: usize) -> EventKind {
        match place {
            Some(place) => {
                self.exchanges[place].progress.push(here);
                EventKind::Progress(Some(place))
            }
            None => EventKind::Notification,
        }
    }

    fn cancelled(&mut self, place: usize, here: usize) {
        let exchange = &mut self.exchanges[place];
        exchange.cancels.push(here);
        if exchange.response.is_none() {
            exchange.outcome = "silent".into();
        }
    }

    fn close(&mut self, side: Option<Side>, stream: Option<u32>) -> EventKind {
        let here = self.events.len();
        if !self.profile.stream_close_cancels || side != Some(Side::Client) || stream.is_none() {
            return EventKind::Close;
        }
        let open = |place: usize| {
            let exchange = &self.exchanges[place];
            self.events[exchange.request].stream == stream && exchange.response.is_none()
        };
        match self.newest(Side::Client, open) {
            Some(place) => {
                self.cancelled(place, here);
                EventKind::Cancel(Some(place))
            }
            None => EventKind::Close,
        }
    }
}
