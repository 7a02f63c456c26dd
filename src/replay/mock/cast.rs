//! Which of several recorded connections a live client plays: the one that has all that it has asked for so far.
//!
//! It is served as the first of those that fit. When it asks what only another one has, the mock of that one hears in silence what was
//! said so far, and goes on.

use std::sync::Arc;

use super::choose::{Choice, Chosen};
use super::shape::Params;
use super::{Mock, MockOptions, Report, Reuse, Script};
use crate::jsonrpc::{Kind, Message, Parsed, parse};
use crate::live::{Incoming, Outgoing};
use crate::protocol::Facts;

/// The recorded server, for one client, whichever of its connections that one plays.
#[derive(Debug)]
pub struct Cast {
    parts: Vec<Part>,
    options: MockOptions,
    /// The connection that is served.
    at: usize,
    mock: Mock,
    /// What came so far, and when; empty where there is only one connection.
    heard: Vec<(i64, Incoming)>,
}

/// One recorded connection.
#[derive(Debug)]
struct Part {
    script: Arc<Script>,
    choice: Choice,
    /// How much of what the client asked for it has.
    fits: u32,
}

impl Cast {
    /// A mock for one client; `None` where there is nothing to serve.
    pub fn new(scripts: &[Arc<Script>], options: MockOptions) -> Option<Cast> {
        let first = scripts.first()?;
        let part = |script: &Arc<Script>| Part {
            script: Arc::clone(script),
            choice: Choice::new(script, Reuse::Once),
            fits: 0,
        };
        let parts = scripts.iter().map(part).collect();
        Some(Cast { parts, options, at: 0, mock: Mock::new(Arc::clone(first), options), heard: Vec::new() })
    }

    /// Takes what the link reports.
    pub fn arrival(&mut self, at_us: i64, what: &Incoming) {
        if self.parts.len() > 1 {
            if let Incoming::Message { bytes, .. } = what {
                self.weigh(bytes);
                self.change();
            }
            self.heard.push((at_us, what.clone()));
        }
        self.mock.arrival(at_us, what);
    }

    /// Counts what each connection has of a message.
    fn weigh(&mut self, bytes: &[u8]) {
        let Ok(text) = std::str::from_utf8(bytes) else { return };
        match parse::<Facts<'_>>(text) {
            Ok(Parsed::One(message, _)) => self.parts.iter_mut().for_each(|part| part.weigh(&message, text)),
            Ok(Parsed::Batch(members)) => {
                for (range, member) in &members {
                    let Ok((message, _)) = member else { continue };
                    self.parts.iter_mut().for_each(|part| part.weigh(message, &text[range.clone()]));
                }
            }
            Err(_) => {}
        }
    }

    /// Goes over to the connection that fits best, if another one does.
    fn change(&mut self) {
        let most = self.parts.iter().map(|part| part.fits).max();
        let best = self.parts.iter().position(|part| Some(part.fits) == most);
        let Some(best) = best.filter(|_| Some(self.parts[self.at].fits) != most) else { return };
        self.at = best;
        self.mock = Mock::new(Arc::clone(&self.parts[best].script), self.options);
        for (at_us, what) in &self.heard {
            self.mock.arrival(*at_us, what);
            while self.mock.next().is_some() {}
        }
    }

    /// Sends what is due.
    pub fn tick(&mut self, now_us: i64) {
        self.mock.tick(now_us);
    }

    /// The next thing to send.
    #[expect(clippy::should_implement_trait, reason = "a mock is not an iterator: more comes after a None")]
    pub fn next(&mut self) -> Option<Outgoing> {
        self.mock.next()
    }

    /// When something is due.
    pub fn wake_at(&self) -> Option<i64> {
        self.mock.wake_at()
    }

    /// True once the connection has ended, on either side.
    pub fn done(&self) -> bool {
        self.mock.done()
    }

    /// What came of it.
    pub fn finish(self) -> Report {
        Report { part: self.at, ..self.mock.finish() }
    }
}

impl Part {
    fn weigh(&mut self, message: &Message<'_>, text: &str) {
        if message.kind != Kind::Request {
            return;
        }
        self.fits += match self.choice.take(&self.script, message.method(), &Params::of(text)) {
            Chosen::Exchange { differs: None, .. } => 2,
            Chosen::Exchange { .. } => 1,
            Chosen::Nothing { .. } => 0,
        };
    }
}
