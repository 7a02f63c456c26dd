//! Which of several recorded connections a live client plays: the one that has all that it has asked for so far.
//!
//! It is served as the first of those that fit; of several that fit alike, as one that the fewest clients before it had. When it asks
//! what only another one has, the mock of that one hears in silence what was said so far, and goes on.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use super::choose::{Choice, Chosen};
use super::shape::Params;
use super::{Mock, MockOptions, Report, Reuse, Script};
use crate::jsonrpc::{Kind, Message, Parsed, parse};
use crate::live::{Incoming, Outgoing};
use crate::protocol::Facts;

/// How many clients each connection was given to. Copies count together.
#[derive(Clone, Debug, Default)]
pub struct Takers(Rc<RefCell<Vec<u32>>>);

/// The recorded server, for one client, whichever of its connections that one plays.
#[derive(Debug)]
pub struct Cast {
    parts: Vec<Part>,
    options: MockOptions,
    /// The connection that is served.
    at: usize,
    mock: Mock,
    taken: Takers,
    /// True once the client has said something, and has taken a connection.
    takes: bool,
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
    /// A mock for one client; `None` where there is nothing to serve. `taken` is what the clients before it have.
    pub fn new(scripts: &[Arc<Script>], options: MockOptions, taken: &Takers) -> Option<Cast> {
        let at = taken.least(0..scripts.len())?;
        let part = |script: &Arc<Script>| Part {
            script: Arc::clone(script),
            choice: Choice::new(script, Reuse::Once),
            fits: 0,
        };
        let parts = scripts.iter().map(part).collect();
        let mock = Mock::new(Arc::clone(&scripts[at]), options);
        Some(Cast { parts, options, at, mock, taken: taken.clone(), takes: false, heard: Vec::new() })
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
        let fits = |at: &usize| Some(self.parts[*at].fits) == most;
        let stays = fits(&self.at) && self.takes;
        let best = self.taken.least((0..self.parts.len()).filter(fits));
        let Some(best) = best.filter(|_| !stays) else { return };
        let before = std::mem::replace(&mut self.takes, true).then_some(self.at);
        self.taken.moves(before, best);
        if best == self.at {
            return;
        }
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

impl Takers {
    /// Of these connections the first of those that were given to the fewest.
    fn least(&self, connections: impl Iterator<Item = usize>) -> Option<usize> {
        let taken = self.0.borrow();
        connections.min_by_key(|connection| taken.get(*connection).copied().unwrap_or(0))
    }

    /// A client goes from one connection to another one.
    fn moves(&self, from: Option<usize>, to: usize) {
        let mut taken = self.0.borrow_mut();
        let wanted = taken.len().max(to + 1);
        taken.resize(wanted, 0);
        taken[to] += 1;
        if let Some(left) = from.and_then(|from| taken.get_mut(from)) {
            *left = left.saturating_sub(1);
        }
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
